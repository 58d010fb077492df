"""`noisewright synthesize`, as a user types it."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from tests.certificates.documents import resealed
from tests.cli.conftest import Program
from tests.releases.survey import JOBS, SECRET, Survey, make_survey_with_columns

ARGUMENTS = ("synthesize", "survey.csv", "--plan", "columns.toml", "-o", "synthetic.parquet")
ALONE = ("--without-ledger", "--no-report")


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return make_survey_with_columns(tmp_path)


def test_it_says_what_was_made_what_it_cost_and_how_good_it_is(
    survey: Survey, noisewright: Program
) -> None:
    said = noisewright(*ARGUMENTS, "--epsilon", "1", "--ledger", "budget.db")
    assert said.code == 0, said
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[0] == (
        "synthetic.parquet: 500 synthetic rows from 500, 2 columns, by mst on points."
    )
    assert "epsilon=1, with one row" in lines[1]
    assert "Left: epsilon=9 of epsilon=10 (each row is a person)." in said.out
    assert "Expected from noise alone: " in said.out
    assert "Measured between the synthetic rows and the noisy counts: " in said.out
    assert "Counted together: job × visits." in said.out
    assert "synthetic.synthesis.json" in said.out
    assert "NOT FOR RELEASE" not in said.out
    assert pq.read_table(survey.folder / "synthetic.parquet").column_names == ["job", "visits"]
    assert "synthetic.certificate.json  the proof" in said.out
    for name in ("synthetic.parquet", "synthetic.synthesis.json", "synthetic.certificate.json"):
        assert SECRET.encode() not in (survey.folder / name).read_bytes()


def test_a_pair_that_was_counted_several_times_is_listed_once(
    tmp_path: Path, noisewright: Program
) -> None:
    rng = np.random.default_rng(1)
    sizes = [30, 2, 2, 2, 2, 2, 2, 2, 12, 12, 12, 12]
    columns = {f"c{place}": rng.integers(0, size, 3_000) for place, size in enumerate(sizes)}
    columns["c1"] = (columns["c0"] > 20) * 1
    pq.write_table(pa.table(columns), tmp_path / "survey.parquet")
    spaces = {f"c{place}": nw.Column(nw.Counts(size - 1)) for place, size in enumerate(sizes)}
    plan = nw.Plan(spaces, epsilon=8, delta=1e-6)
    plan.save(tmp_path / "plan.toml")
    run = ("synthesize", "survey.parquet", "--plan", "plan.toml", *ALONE)
    counted = noisewright(*run, "-o", "one.parquet", "--json").json["measurements"]
    assert len(set(counted)) < len(counted)
    said = noisewright(*run, "-o", "two.parquet")
    [line] = [line for line in said.out.splitlines() if "Counted together: " in line]
    listed = line.split(": ")[1].split(". ")[0].split(" and ")[0].split(", ")
    assert "c0 × c1" in listed
    assert len(set(listed)) == len(listed)


def test_the_certificate_is_proven_and_not_when_it_is_forged(
    survey: Survey, noisewright: Program
) -> None:
    made = noisewright(*ARGUMENTS, "--epsilon", "1", "--delta", "0.4", *ALONE, "--json")
    path = survey.folder / "synthetic.certificate.json"
    said = noisewright("check", path.name, "--digest", made.json["certificate"])
    assert said.code == 0, said
    assert "No step costs more than its part" in said.out
    assert "What the certificate promises: epsilon 1, delta 0.4, for replacing" in said.out
    document = json.loads(path.read_text(encoding="utf-8"))
    document["mechanism"]["steps"][0]["noise"][0]["deviation"] = "1"
    path.write_text(json.dumps(resealed(document)), encoding="utf-8")
    said = noisewright("check", path.name)
    assert said.code == 1
    assert "step 1: costs 1; its part is less" in said.out


def test_json_for_machines(survey: Survey, noisewright: Program) -> None:
    said = noisewright(
        *ARGUMENTS, "--delta", "0.4", "--epsilon", "0.5", "--rows", "70", "--method", "mwem",
        "--without-ledger", "--evaluate", "--json",
    )  # fmt: skip
    assert said.code == 0, said
    made = said.json
    assert (made["rows"], made["people"], made["method"]) == (70, 500, "mwem")
    assert made["guarantee"]["exact"] == {"epsilon": "1/2", "delta": "2/5"}
    assert "delta=0.4 is large for 500 rows" in made["notes"][0]
    assert (made["spent"]["unit"], made["noise"]) == ("rho", "rounded normal")
    assert not made["accounted"]
    assert made["evaluation_not_for_release"]["l1"] > 0
    beside = json.loads((survey.folder / "synthetic.synthesis.json").read_text())
    total = sum(Fraction(spend["amount"]) for spend in beside["spends"])
    assert total == Fraction(made["spent"]["amount"]) == Fraction(beside["spent"]["amount"])
    assert "NOT FOR RELEASE" in Path(made["files"]["evaluation"]).read_text()


def test_the_budget_of_the_plan_is_the_default(survey: Survey, noisewright: Program) -> None:
    said = noisewright(*ARGUMENTS, *ALONE, "--json")
    assert said.json["guarantee"]["exact"] == {"epsilon": "2", "delta": "0"}
    blr = noisewright(*ARGUMENTS, *ALONE, "--method", "blr", "--rows", "2", "--overwrite")
    assert blr.code == 0, blr
    assert "2 synthetic rows from 500" in blr.out
    assert "with probability 95%" in blr.out


def test_a_workload_may_be_a_file_or_a_number_of_columns(
    survey: Survey, noisewright: Program
) -> None:
    (survey.folder / "queries.toml").write_text(
        'version = 1\n[[queries]]\nkind = "prefixes"\ncolumns = "visits"\n'
        '[[queries]]\nkind = "conjunction"\nname = "silent"\nwhere = { job = "not said" }\n'
    )
    asked = noisewright(
        *ARGUMENTS, "--workload", "queries.toml", "--method", "mwem", "--rounds", "10",
        *ALONE, "--json",
    )  # fmt: skip
    assert asked.code == 0, asked
    assert sorted(asked.json["measurements"]) == [
        "silent", *(f"visits ≤ {visits}" for visits in range(9))
    ]  # fmt: skip
    alone = noisewright(*ARGUMENTS, "--ways", "1", *ALONE, "--overwrite", "--json")
    assert alone.json["measurements"] == ["job", "visits"]
    both = noisewright(*ARGUMENTS, "--ways", "1,2", *ALONE, "--overwrite", "--json")
    assert both.code == 0, both


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--ways", "3", *ALONE), "ways is 3, more than there are columns: 2"),
        (("--ways", "1;2", *ALONE), "give a whole number, or several such as 1,2"),
        (("--ways", "2", "--workload", "queries.toml", *ALONE), "give only one of them"),
        (("--workload", "none.toml", *ALONE), "cannot read the workload 'none.toml'"),
        (("--workload", "columns.toml", *ALONE), "the workload has no setting"),
        (("--epsilon", "1"), "there is no budget to debit"),
        (("--epsilon", "11", "--ledger", "budget.db"), "11"),
        (("--method", "magic", *ALONE), "'magic' is not one of 'mst', 'mwem'"),
        (("--inference", "magic", *ALONE), "'magic' is not one of 'points', 'graph'"),
        (("--rounds", "3", *ALONE), "--rounds belongs to --method mwem"),
        (("--method", "mwem", "--rounds", "9", *ALONE), "give at most 1,"),
        (("--epsilon", "abc", *ALONE), "--epsilon is 'abc'; write a number"),
        (("--delta", "1e", *ALONE), "--delta is '1e'; write a number"),
        ((*ALONE, "--dataset", "survey"), "--dataset names a budget"),
        (("--plan", "plan.toml", *ALONE), "belong to no real person"),
        (("--plan", "survey.csv", *ALONE), "noisewright plan DATA --codebook survey.csv"),
        (("-e", "abc", *ALONE), "--epsilon is 'abc'; write a number"),
        (("-d", "1e", *ALONE), "--delta is '1e'; write a number"),
    ],
    ids=[
        "ways",
        "ways in other words",
        "both",
        "no file",
        "no workload",
        "ledger",
        "budget",
        "method",
        "inference",
        "rounds",
        "many rounds",
        "epsilon",
        "delta",
        "dataset",
        "public",
        "codebook",
        "short epsilon",
        "short delta",
    ],
)
def test_what_cannot_be_done_ends_with_2_and_writes_nothing(
    survey: Survey, noisewright: Program, more: tuple[str, ...], words: str
) -> None:
    before = survey.names()
    said = noisewright(*ARGUMENTS, *more)
    assert said.code == 2
    assert words in said.err
    assert survey.names() == before


def test_a_prediction_spends_nothing_and_needs_neither_ledger_nor_output(
    survey: Survey, noisewright: Program
) -> None:
    before = survey.names()
    said = noisewright("synthesize", "survey.csv", "-p", "columns.toml", "--predict")
    assert said.code == 0, said
    assert "job × visits" in said.out
    assert "Nothing was drawn, written or spent." in said.out
    told = noisewright("synthesize", "survey.csv", "-p", "columns.toml", "--predict", "--json").json
    expected = nw.planning.predict_synthesis(survey.folder / "columns.toml", people=500)
    assert (told["people"], told["expected_error"]) == (500, expected.expected)
    assert told["errors"][0]["counted"] is True
    assert survey.names() == before
    missing = noisewright("synthesize", "survey.csv", "-p", "columns.toml", "--without-ledger")
    assert missing.code == 2
    assert "--output" in missing.err


def test_fine_grids_in_bins_and_people_with_several_rows(
    survey: Survey, noisewright: Program
) -> None:
    nw.Plan(
        {"job": nw.Column(JOBS, null="not said"), "visits": nw.Column(nw.Counts(99))},
        epsilon=2,
        others="drop",
        person=nw.Person("name", rows=3, keep="first"),
    ).save(survey.folder / "columns.toml")
    said = noisewright(*ARGUMENTS, *ALONE, "--bins", "25")
    assert said.code == 0, said
    assert "epsilon=2, with up to 3 rows" in said.out
    assert "Note: Numbers on fine grids are counted" in said.out
    assert "'visits' in 25 bins of 4." in " ".join(said.out.split())
    plain = noisewright(*ARGUMENTS, *ALONE, "--bins", "0", "--overwrite", "--json")
    assert (plain.json["points_in_a_bin"], plain.json["rows_per_person"]) == ({}, 3)
    told = noisewright(*ARGUMENTS, "--predict", "--json").json
    finer = noisewright(*ARGUMENTS, "--predict", "--json", "--bins", "50").json
    assert told["expected_error"] < finer["expected_error"]


def test_the_page_is_written_unless_told_not_to_and_made_again_from_the_files(
    survey: Survey, noisewright: Program
) -> None:
    plain = noisewright(*ARGUMENTS, "--without-ledger", "--no-report")
    assert plain.code == 0, plain
    page = survey.folder / "synthetic.report.html"
    assert not page.exists()
    assert "report.html" not in plain.out
    again = noisewright("report", "synthetic.parquet")
    assert again.code == 0, again
    assert again.out.startswith("synthetic.report.html: the synthetic table of 500 rows")
    assert "belong to no real person" in page.read_text(encoding="utf-8")
    (survey.folder / "synthetic.parquet").write_bytes(b"something else")
    changed = noisewright("report", "synthetic.parquet")
    assert changed.code == 2
    assert "SHA-256" in changed.err


def test_too_many_rows_are_refused_in_words(survey: Survey, noisewright: Program) -> None:
    said = noisewright(*ARGUMENTS, "--ledger", "budget.db", "--rows", "1" + 30 * "0")
    assert said.code == 2
    assert "rows of 2 columns do not fit into memory" in said.err
    history = nw.Ledger.open(survey.folder / "budget.db").history()
    assert "spend" not in {entry.kind for entry in history}


def test_too_little_memory_is_said_in_words(
    survey: Survey, noisewright: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object, **options: object) -> None:
        problem = MemoryError()
        problem.add_note("The debit is marked as wasted.")
        raise problem

    monkeypatch.setattr(nw, "synthesize", full)
    said = noisewright(*ARGUMENTS, "--without-ledger")
    assert said.code == 2
    assert "too little memory" in said.err
    assert "The debit is marked as wasted." in said.err


def test_who_takes_a_neighbor_for_the_certificate_or_the_table_for_a_release_is_told(
    survey: Survey, noisewright: Program
) -> None:
    assert noisewright(*ARGUMENTS, "--without-ledger").code == 0
    for name in ("synthetic.parquet", "synthetic.synthesis.json", "synthetic.report.html"):
        said = noisewright("check", name)
        assert said.code == 2
        assert "the certificate is 'synthetic.certificate.json'" in said.out
        assert "codec" not in said.out
    said = noisewright("check", "synthetic.certificate.json")
    assert said.code == 0
    said = noisewright("estimate", "synthetic.parquet")
    assert said.code == 2
    assert "is a synthetic table" in said.err
    assert "Synthesis.open" in said.err
    (survey.folder / "synthetic.certificate.json").unlink()
    assert "certificates are JSON" in noisewright("check", "synthetic.parquet").out


def test_what_is_known_before_is_said_before(survey: Survey, noisewright: Program) -> None:
    words = ("--epsilon", "1", "--delta", "1e-9")
    said = noisewright(*ARGUMENTS[:4], *words, "--predict")
    assert "no delta is spent" in " ".join(said.out.split())
    known = noisewright(*ARGUMENTS[:4], *words, "--predict", "--json").json
    assert "no delta is spent" in known["remarks"][0]
    made = noisewright(*ARGUMENTS, *words, *ALONE)
    assert "Note: Noise is two-sided geometric" in made.out
    nothing = noisewright(*ARGUMENTS[:4], "--epsilon", "1e-12", "--predict")
    assert "will say nothing about the data" in " ".join(nothing.out.split())
