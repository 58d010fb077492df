# `make` alone says what there is. Everything works from a fresh clone.

.DEFAULT_GOAL := help
.PHONY: help setup demo studio test check explore fuzz lint types suite spark bench peers papers docs site package constraints clean
.DELETE_ON_ERROR:

# An empty PYTHON means: the first suitable python3 on the path.
PYTHON ?=
export PYTHON
# Pyright would ask the network whether a newer version exists; constraints.txt decides that.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
# Hundreds of processes start in a run: Python keeps what it compiled for the first.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
READY := .venv/.ready
BENCH_READY := .venv-bench/.ready
FUZZ_READY := .venv-fuzz/.ready
PEERS_READY := .venv-peers/.ready
SPARK_READY := .venv/.ready-for-spark
SITE_READY := .venv/.ready-for-site

help: ## say what there is
	@echo "Noisewright. Start with: make demo"
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: $(READY) ## make .venv with the project and its tools (only when something changed)

$(READY): pyproject.toml constraints.txt scripts/make_venv.sh
	@scripts/make_venv.sh .venv dev
	@touch $@
	@echo "Ready: $(BIN)/noisewright"

$(BENCH_READY): pyproject.toml constraints.txt scripts/make_venv.sh
	@scripts/make_venv.sh .venv-bench bench
	@touch $@

# Peers need other versions of libraries than we: the benchmarks call them in an environment of theirs.
$(PEERS_READY): Makefile $(BENCH_READY)
	@.venv-bench/bin/python -m venv --clear .venv-peers
	@.venv-peers/bin/pip install -qq 'opendp[polars]==0.16.0' 'pipeline-dp==0.3.1' 'pure-ldp==1.2.0' 'scikit-learn==1.9.1' 'statsmodels==0.15.0'
	@touch $@

$(FUZZ_READY): pyproject.toml constraints.txt scripts/make_venv.sh
	@scripts/make_venv.sh .venv-fuzz fuzz
	@touch $@

# All at once where both are needed.
$(SPARK_READY): pyproject.toml constraints.txt scripts/make_venv.sh
	@scripts/make_venv.sh .venv dev,spark
	@touch $(READY) $@

$(SITE_READY): pyproject.toml constraints.txt scripts/make_venv.sh
	@scripts/make_venv.sh .venv dev,site
	@touch $(READY) $@

demo: setup ## on a made-up survey: choose a tool, ask, synthesize, release, compare with the truth
	@$(BIN)/noisewright demo

studio: setup ## the same functions in a browser, for the tables in FOLDER; here, if left out
	@$(BIN)/noisewright studio $(or $(FOLDER),.)

check: lint types ## format, lint, import contracts, types, code blocks of the docs
	@echo "Documentation"
	@$(BIN)/pytest -q -n auto tests/docs

lint: setup
	@echo "Format, lint and import contracts"
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/lint-imports --no-logo

types: setup
	@$(THEN_SAY) $(BIN)/pyright --warnings

# Types and Spark leave a processor idle now and then: the rest runs beside them, and what they say
# comes when they are done.
test: ## what check does, and every other test; those on Spark where Java is
	@scripts/need_programs.sh
	@if scripts/need_java.sh; then $(MAKE) --no-print-directory $(SPARK_READY); \
	else echo "The tests on Spark are left out."; fi
	@$(MAKE) --no-print-directory lint
	@spark=$$(if scripts/need_java.sh >/dev/null 2>&1; then echo spark; fi); \
	$(MAKE) --no-print-directory -j3 THEN_SAY=scripts/then_say.sh types $$spark suite

suite: setup
	@echo "Tests, and the code blocks of the docs"
	@$(BIN)/pytest -q -n auto --ignore=tests/spark

spark: $(SPARK_READY) ## the tests on Spark: a cluster of a master and two workers, started here
	@scripts/need_java.sh
	@$(THEN_SAY) $(BIN)/pytest -q tests/spark

ROUNDS ?= 5
FORGED ?= 10000
explore: setup ## search for what breaks a law: FORGED certificates of each form, property tests ROUNDS times
	@$(BIN)/python -m tests.mutants.forger --each $(FORGED)
	@for round in $$(seq $(ROUNDS)); do echo "Round $$round of $(ROUNDS)"; \
	    $(BIN)/pytest -q -n auto -m hypothesis --hypothesis-profile=explore --ignore=tests/spark \
	    || exit 1; done
	@echo "Odd arguments for everything that is public"
	@$(BIN)/python -m tests.faults.odd_calls

# libFuzzer ends with an error at a hang; what is raised is written down, and the search goes on.
SECONDS ?= 60
READERS := certificate recipe plan table
fuzz: $(FUZZ_READY) ## feed readers of certificates, recipes, plans and CSV files, each for SECONDS
	@rm -rf .fuzz
	@for reader in $(READERS); do echo "The reader of a $$reader, for $(SECONDS) s"; \
	    .venv-fuzz/bin/python -m tests.faults.fuzz $$reader $(SECONDS) || exit 1; done
	@if ls .fuzz/*/found/* 2>/dev/null; then echo "These break a reader."; exit 1; fi

bench: $(BENCH_READY) ## speed against peers and against the machine's limit
	@if [ -e benchmarks/run.py ]; then .venv-bench/bin/python benchmarks/run.py; \
	else echo "There are no benchmarks yet."; fi

peers: $(PEERS_READY) ## make .venv-peers, with libraries that answer private questions too: for bench

papers: setup ## re-run the papers: each claim, figure and worked example
	@if ls papers/*/run.py >/dev/null 2>&1; then \
	    for paper in papers/*/run.py; do echo "$$paper"; $(BIN)/python "$$paper" || exit 1; done; \
	else echo "No paper is reproduced yet: papers/ has no run.py."; fi

docs: setup ## check the links between pages and run their code blocks
	@$(BIN)/pytest -q tests/docs

site: $(SITE_READY) ## build the documentation into site/, with its gallery and the papers' pages
	@$(BIN)/python docs/site/make.py

package: setup ## build the wheel and the sdist into dist/, and try them in clean environments
	@scripts/check_package.sh

constraints: ## choose the newest versions again and rewrite constraints.txt
	@scripts/renew_constraints.sh

clean: ## remove environments, caches and build products
	@rm -rf .venv .venv-bench .venv-peers .venv-dpmm .venv-fuzz .venv-package .fuzz build dist site .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
