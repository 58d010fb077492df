"""Certificates of private steps: what a step costs, what all add up to, what that implies."""

import copy
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import noisewright as nw
from noisewright.certificates import certify_steps
from noisewright.errors import CertificateError
from noisewright.synthetic.by_blr.blr_synthesizer import ByBlr
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.steps.run_budget import RunBudget
from tests.certificates.handmade import (
    SCHEMA,
    counting_step,
    load_checker,
    parts,
    sealed,
)

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))

DOMAIN = nw.Records(a=nw.Categories(["x", "y"]), b=nw.Counts(2), c=nw.Counts(1))
PAIRS = nw.workloads.Workload.marginals(DOMAIN, ways=2)
MIXED = PAIRS + nw.workloads.Workload.ranges(DOMAIN, "b")
RANGES = nw.workloads.Workload.ranges(DOMAIN, "b")


def fitted(model: Any, **options: Any) -> nw.results.Certificate:
    rng = np.random.default_rng(3)
    table = {"a": ["x", "y"] * 20, "b": rng.integers(0, 3, 40), "c": rng.integers(0, 2, 40)}
    return model(DOMAIN, **options).fit(table).certificate_


MADE: dict[str, Any] = {
    "mst": lambda: Mst(DOMAIN, PAIRS, RunBudget.of(1)).schedule.certificate,
    "mst, delta": lambda: Mst(DOMAIN, PAIRS, RunBudget.of(1, 1e-9)).schedule.certificate,
    "mst, rows": lambda: (
        Mst(DOMAIN, PAIRS, RunBudget.of("1/3", 1e-6, rows_per_person=7)).schedule.certificate
    ),
    "mst, rows, epsilon": lambda: (
        Mst(DOMAIN, PAIRS, RunBudget.of(1, rows_per_person=3)).schedule.certificate
    ),
    "points": lambda: ByPoints(DOMAIN, PAIRS, RunBudget.of(1), (), 20).schedule.certificate,
    "points, delta": lambda: (
        ByPoints(
            DOMAIN, MIXED, RunBudget.of(4, "1e-12", rows_per_person=2), (), 20
        ).schedule.certificate
    ),
    "mwem": lambda: Mwem(DOMAIN, MIXED, RunBudget.of("1/10"), 5).schedule.certificate,
    "mwem, delta": lambda: (
        Mwem(DOMAIN, MIXED, RunBudget.of(4, "1e-12", rows_per_person=2), 3).schedule.certificate
    ),
    "mwem, queries": lambda: Mwem(DOMAIN, RANGES, RunBudget.of(1)).schedule.certificate,
    "blr": lambda: (
        ByBlr(DOMAIN, PAIRS, RunBudget.of(2, rows_per_person=3), 4, 50).schedule.certificate
    ),
    "naive Bayes": lambda: fitted(nw.models.PrivateNaiveBayes, label="a", epsilon=1, ledger=None),
    "naive Bayes, delta": lambda: fitted(
        nw.models.PrivateNaiveBayes, label="a", epsilon=1, delta=0.4, ledger=None
    ),
    "tree": lambda: fitted(nw.models.PrivateTree, epsilon=1, delta=1e-6, ledger=None),
}


@pytest.mark.parametrize("name", MADE)
def test_what_the_library_writes_is_proven_fits_the_schema_and_cannot_be_loaded(
    name: str, tmp_path: Path
) -> None:
    made = MADE[name]()
    document = json.loads(made.to_json())
    assert checker.check(document)
    assert nw.check(made)
    validator.validate(document)
    path = made.save(tmp_path / "steps.certificate.json")
    assert nw.check(path)
    with pytest.raises(CertificateError, match=r"nothing to load\. nw\.check proves it"):
        nw.load(path)


def unit_of(document: Any) -> str:
    return document["mechanism"]["unit"]


def scaled(step: Any, field: str, factor: Fraction) -> None:
    step[field] = str(Fraction(step[field]) * factor)


SLIGHTLY = 1 + Fraction(1, 10**12)


def less_noise(document: Any) -> None:
    for step in document["mechanism"]["steps"]:
        for noise in step.get("noise", [])[-1:]:
            if unit_of(document) == "epsilon":
                scaled(noise, "decay", SLIGHTLY)
            else:
                scaled(noise, "deviation", 1 / SLIGHTLY)


def steeper_choice(document: Any) -> None:
    for step in document["mechanism"]["steps"]:
        if step["kind"] == "choice":
            scaled(step, "factor", SLIGHTLY)


def one_more_row(document: Any) -> None:
    document["neighbors"]["rows_per_person"] += 1


def first_missing(document: Any) -> None:
    del document["mechanism"]["steps"][0]


def one_twice(document: Any) -> None:
    document["mechanism"]["steps"].append(document["mechanism"]["steps"][-1])


def part_moved(document: Any) -> None:
    """From the first step to the last, with the noise of both as it was."""
    steps = document["mechanism"]["steps"]
    spare = Fraction(steps[0]["amount"]) / 10**9
    steps[0]["amount"] = str(Fraction(steps[0]["amount"]) - spare)
    steps[-1]["amount"] = str(Fraction(steps[-1]["amount"]) + spare)


def larger_total(document: Any) -> None:
    scaled(document["mechanism"], "total", SLIGHTLY)


def everything_larger(document: Any) -> None:
    """More of the budget than is claimed, with all sums right."""
    scaled(document["mechanism"], "total", 1 + Fraction(1, 10**6))
    for step in document["mechanism"]["steps"]:
        scaled(step, "amount", 1 + Fraction(1, 10**6))


def smaller_epsilon(document: Any) -> None:
    scaled(document["claims"]["epsilon"], "value", 1 - Fraction(1, 10**6))


FORGERIES: dict[str, tuple[Any, str]] = {
    "less noise": (less_noise, "step"),
    "steeper choices": (steeper_choice, "step"),
    "one more row": (one_more_row, "step"),
    "a step missing": (first_missing, "total"),
    "a step twice": (one_twice, "total"),
    "parts moved": (part_moved, "step"),
    "a larger total": (larger_total, "total"),
    "a larger budget": (everything_larger, "claim"),
    "a smaller epsilon": (smaller_epsilon, "claim"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize(
    "name", ["mst", "mst, rows", "mwem", "mwem, delta", "points", "points, delta"]
)
def test_a_forged_certificate_is_refused_and_told_what_is_wrong(name: str, forgery: str) -> None:
    document = json.loads(MADE[name]().to_json())
    change, wrong = FORGERIES[forgery]
    change(document)
    assert not checker.check(document)
    named = parts(checker.check(sealed(document)))
    claim = {"epsilon"} if unit_of(document) == "epsilon" else {"delta"}
    if wrong == "step":
        assert len(named) == 1
        assert named.pop().startswith("step ")
    else:
        assert named == (claim if wrong == "claim" else {wrong})


def test_noise_that_adds_up_to_0_is_refused_where_the_total_is_not_public() -> None:
    """Noise for two rows of a person, at its price; but a person may have one of them only."""
    honest = json.loads(MADE["mst"]().to_json())
    noises = [noise for step in honest["mechanism"]["steps"] for noise in step.get("noise", [])]
    assert {noise["balanced_cells"] for noise in noises} == {256}
    for step in honest["mechanism"]["steps"]:
        if step["kind"] == "choice":
            scaled(step, "factor", Fraction(1, 2))
    for noise in noises:
        scaled(noise, "decay", Fraction(1, 2))
    assert checker.check(sealed(honest))
    one_more_row(honest)
    report = checker.check(sealed(honest))
    assert parts(report) == {"step 1"}
    assert "needs a public total; a person has up to 2 rows" in report.failures[0].message
    for noise in noises:
        del noise["balanced_cells"]
    assert checker.check(sealed(honest))


@pytest.mark.parametrize("name", MADE)
def test_only_what_may_add_up_to_0_does(name: str) -> None:
    """Marginals with geometric noise, and one row for each person."""
    document = json.loads(MADE[name]().to_json())
    alone = document["neighbors"]["rows_per_person"] == 1
    for step in document["mechanism"]["steps"]:
        for noise in step.get("noise", []):
            may = alone and step["kind"] == "geometric" and noise["counts"] == "marginal"
            assert ("balanced_cells" in noise) == may
            noise.pop("balanced_cells", None)
    # Certificates from before, whose noise is independent, are as good.
    assert checker.check(sealed(document))
    validator.validate(sealed(document))


@pytest.mark.parametrize("name", ["mst, delta", "mst, rows", "mwem, delta"])
def test_a_smaller_delta_and_another_order_are_refused(name: str) -> None:
    honest = json.loads(MADE[name]().to_json())
    order = Fraction(honest["mechanism"]["order"])
    delta = Fraction(honest["claims"]["delta"])
    for field, value, part in (
        ("delta", str(delta * (1 - Fraction(1, 10**5))), "delta"),
        ("delta", "0", "delta"),
        ("order", "1", "order"),
        ("order", "1/2", "order"),
        ("order", str(order * Fraction(9, 10)), "delta"),
        ("order", str(order * Fraction(11, 10)), "delta"),
        ("order", "9" * 1000, "delta"),
        ("order", "1" + "0" * 999 + "1/1" + "0" * 999, "order"),
    ):
        forged = copy.deepcopy(honest)
        forged["claims" if field == "delta" else "mechanism"][field] = value
        assert parts(checker.check(sealed(forged))) == {part}


def test_the_library_refuses_to_write_what_is_not_true() -> None:
    step = counting_step("1", marginal="2/3")
    with pytest.raises(CertificateError, match=r"step 1: costs 4/3;.*Nothing was spent"):
        certify_steps(
            [step], unit="epsilon", total=Fraction(1), guarantee=nw.accounting.Guarantee(1)
        )
    normal = counting_step("1/8", marginal=("3",))
    made = certify_steps(
        [normal], unit="rho", total=Fraction(1, 8), guarantee=nw.accounting.Guarantee(3, 1e-8)
    )
    assert nw.check(made)
    with pytest.raises(CertificateError, match="delta"):
        certify_steps(
            [normal], unit="rho", total=Fraction(1, 8), guarantee=nw.accounting.Guarantee(3, 1e-9)
        )


@pytest.mark.parametrize("name", ["mst", "mwem, delta", "points, delta"])
def test_one_file_and_python_are_all_it_takes(name: str, archive: Path, tmp_path: Path) -> None:
    path = MADE[name]().save(tmp_path / "steps.certificate.json")
    run = [sys.executable, "-I", "-S", str(archive), str(path)]
    alone = subprocess.run(run, capture_output=True, text=True, check=False)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert "the parts add up to" in alone.stdout


PUBLIC = "Assuming: the number of rows is public (noise on small marginals adds up to 0)."


@pytest.mark.parametrize(
    ("name", "rows", "public"),
    [("mst", "one row", True), ("mst, delta", "one row", False), ("mst, rows", "up to 7", False)],
)
def test_what_is_taken_on_trust_is_said(name: str, rows: str, public: bool) -> None:
    said = nw.check(MADE[name]()).proved
    assert any(line.startswith(f"Assuming: one person has {rows}") for line in said)
    assert (PUBLIC in said) == public
    assert len({*said}) == len(said)
