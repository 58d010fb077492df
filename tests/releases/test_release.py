"""What a release promises: the files, who pays, and what must not leave."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import (
    BudgetError,
    CertificateError,
    LedgerError,
    OverBudgetError,
    ParameterError,
    TargetError,
    UnknownDatasetError,
)
from noisewright.sampling import Source
from tests.releases.survey import JOBS, PLAN, SECRET, Survey

JOB_COLUMN = {*JOBS, "not said"}


def parquet(survey: Survey) -> Path:
    pq.write_table(survey.table(), survey.folder / "raw.parquet")
    return survey.folder / "raw.parquet"


def feather(survey: Survey) -> Path:
    pyarrow.feather.write_feather(survey.table(), str(survey.folder / "raw.feather"))
    return survey.folder / "raw.feather"


def folder(survey: Survey) -> Path:
    made = survey.folder / "raw"
    made.mkdir()
    table = survey.table()
    pq.write_table(table.slice(0, 200), made / "a.parquet")
    pq.write_table(table.slice(200), made / "b.parquet")
    return made


def stream(survey: Survey) -> Any:
    return survey.table().to_reader(max_chunksize=100)


FORMS: dict[str, Callable[[Survey], Any]] = {
    "csv": lambda survey: survey.csv,
    "parquet": parquet,
    "feather": feather,
    "folder": folder,
    "arrow": lambda survey: survey.table(),
    "stream": stream,
    "pandas": lambda survey: survey.table().to_pandas(),
    "polars": lambda survey: polars.from_arrow(survey.table()),
    "lazy": lambda survey: polars.DataFrame(survey.table()).lazy(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("suffix", ["parquet", "feather", "csv"])
def test_every_form_of_data_becomes_a_release_that_reads_back(
    survey: Survey, form: str, suffix: str
) -> None:
    out = survey.folder / f"private.{suffix}"
    made = nw.release(
        FORMS[form](survey),
        PLAN,
        out=nw.planning.Output(out, report=False),
        ledger=survey.ledger,
        dataset="survey",
    )
    assert made.path == out
    assert survey.states() == ["released"]
    assert made.balance is not None
    assert made.balance.left == nw.accounting.Guarantee(8)
    assert nw.check(made.files["certificate"])
    read = nw.results.Release.open(out)
    assert read.rows == made.rows == 500
    assert (
        read.guarantee == made.guarantee == read.certificate.guarantee == nw.accounting.Guarantee(2)
    )
    assert read.plan == PLAN
    assert set(read.files) == {"data", "certificate", "recipe"}
    table = read.table
    assert table.column_names == ["job", "visits", "region"]
    assert table.num_rows == 500
    assert set(table["job"].to_pylist()) <= JOB_COLUMN
    assert set(table["visits"].to_pylist()) <= set(range(10))
    assert table["region"].to_pylist() == survey.table()["region"].to_pylist()


def test_a_table_in_memory_is_released_in_memory(survey: Survey) -> None:
    frame = pandas.DataFrame(survey.table().to_pandas())
    made = nw.release(
        frame,
        PLAN,
        ledger=survey.ledger,
        dataset="survey",
        out=nw.planning.Output(what="in a notebook"),
    )
    assert made.path is None
    assert made.table.num_rows == 500
    assert survey.names() == ["budget.db", "plan.toml", "survey.csv"]
    # Written by whoever has it, it is a release that reads back.
    pq.write_table(made.table, survey.out)
    assert nw.results.Release.open(survey.out).certificate.guarantee == nw.accounting.Guarantee(2)
    spend = next(e for e in nw.Ledger.open(survey.ledger).history() if e.kind == "spend")
    said = "in a notebook (order kept, row by row)"
    assert (spend.what, spend.certificate) == (said, made.certificate.digest)
    with pytest.raises(ParameterError, match="out is missing"):
        nw.release(survey.csv, PLAN, ledger=survey.ledger)


def test_rows_are_randomized_and_not_copied(survey: Survey) -> None:
    """500 answers all kept: probability below (4/5)^500 < 1e-48 for ε = 1 and four labels."""
    nw.release(
        survey.csv,
        survey.plan,
        out=nw.planning.Output(survey.out, report=False),
        ledger=survey.ledger,
    )
    private = nw.results.Release.open(survey.out).table["job"].to_pylist()
    assert private != survey.table()["job"].to_pylist()


def test_nothing_of_the_raw_data_is_in_any_file(survey: Survey) -> None:
    data = pa.table(survey.table()).replace_schema_metadata({"origin": SECRET})
    path = survey.folder / "raw-file-name.parquet"
    pq.write_table(data, path)
    made = nw.release(path, PLAN, out=survey.out, ledger=survey.ledger, dataset="survey")
    mark = nw.Ledger.open(survey.ledger).fingerprint(path).digest
    for file in made.files.values():
        content = file.read_bytes()
        for secret in (SECRET, "raw-file-name", mark, str(survey.folder)):
            assert secret.encode() not in content, (file, secret)
        if file.suffix == ".json":
            assert b"root@" not in content
    assert pq.read_schema(survey.out).metadata.keys() == {b"noisewright.recipe"}


def test_the_ledger_is_debited_what_the_certificate_claims(survey: Survey) -> None:
    plan = nw.Plan(
        {"job": nw.Column(JOBS, null="not said"), "region": "drop", "visits": "drop"},
        epsilon="1/3",
        delta="1/100",
        others="drop",
    )
    nw.Ledger.open(survey.ledger).grant("survey", delta="1/10")
    made = nw.release(
        survey.csv, plan, out=nw.planning.Output(survey.out, report=False), ledger=survey.ledger
    )
    ledger = nw.Ledger.open(survey.ledger)
    spend = next(e for e in ledger.history() if e.kind == "spend")
    assert spend.guarantee == made.certificate.guarantee
    assert spend.guarantee.epsilon.rational == Fraction(1, 3)
    assert spend.guarantee.delta == Fraction(1, 100)
    assert spend.certificate == made.certificate.digest
    assert made.entry == spend.sequence


def test_a_person_with_several_rows_pays_for_all_of_them(survey: Survey) -> None:
    plan = nw.Plan(
        {"job": nw.Column(JOBS), "visits": "drop"},
        epsilon=2,
        person=nw.Person("region", rows=3),
        others="drop",
    )
    made = nw.release(
        survey.csv, plan, out=nw.planning.Output(survey.out, report=False), ledger=survey.ledger
    )
    assert made.rows == nw.results.Release.open(survey.out).table.num_rows == 6
    assert made.guarantee == nw.accounting.Guarantee(2)
    assert made.balance is not None
    assert made.balance.left == nw.accounting.Guarantee(8)


def test_a_certificate_that_proves_less_than_the_plan_gives_away_is_refused(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    little = nw.certify(nw.randomized_response(nw.Categories(JOBS), epsilon="1/2"))
    monkeypatch.setattr(nw.Plan, "certify", lambda _: little)
    with pytest.raises(CertificateError, match=r"claims epsilon=2 .* only proves epsilon=0\.5"):
        nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    assert survey.states() == []


def test_a_certificate_that_the_checker_does_not_prove_is_refused(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = PLAN.certify()
    claims = {**whole.document["claims"], "epsilon": {"value": "1/2"}}
    forged = nw.results.Certificate({**whole.document, "claims": claims}, whole.guarantee)
    monkeypatch.setattr(nw.Plan, "certify", lambda _: forged)
    with pytest.raises(CertificateError, match="the checker does not prove"):
        nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    assert survey.states() == []
    assert survey.names() == ["budget.db", "plan.toml", "survey.csv"]


class Watched(Source):
    """Bits for a test, and what the ledger said whenever some were taken."""

    private = True

    def __init__(self, survey: Survey) -> None:
        self._bits = nw.randomness.SystemSource()
        self._survey = survey
        self.seen: list[list[str]] = []

    def fill(self, buffer: Any) -> None:
        self.seen.append(self._survey.states())
        self._bits.fill(buffer)


@pytest.mark.parametrize("keep", ["first", "random"])
@pytest.mark.parametrize("order", ["kept", "shuffled"])
def test_no_bit_is_drawn_before_the_debit_nor_after_the_end(
    survey: Survey, keep: str, order: str
) -> None:
    plan = nw.Plan(
        {"job": nw.Column(JOBS), "visits": nw.Column(nw.Counts(9))},
        epsilon=2,
        person=nw.Person("region", rows=9, keep=keep),
        order=order,
        others="drop",
    )
    for out in (survey.out, None):
        source = Watched(survey)
        data = survey.csv if out is not None else survey.table()
        where = nw.planning.Output(out, report=False)
        nw.release(data, plan, out=where, ledger=survey.ledger, dataset="survey", source=source)
        before = [] if out is not None else ["released"]
        assert source.seen
        assert all(states == [*before, "reserved"] for states in source.seen)


def test_over_budget_is_refused_before_rows_are_read(survey: Survey) -> None:
    plan = nw.Plan(dict(PLAN.columns), epsilon=11)
    steps: list[str] = []
    with pytest.raises(OverBudgetError, match="What fits: epsilon up to 10 "):
        nw.release(
            survey.csv,
            plan,
            out=survey.out,
            ledger=survey.ledger,
            progress=lambda step, *_: steps.append(step),
        )
    assert steps == []
    assert survey.states() == []


def test_unknown_data_gets_advice_that_can_be_typed(survey: Survey) -> None:
    other = survey.folder / "other.csv"
    other.write_text(survey.csv.read_text() + f"{SECRET},nurse,1,north\n")
    with pytest.raises(UnknownDatasetError) as problem:
        nw.release(other, PLAN, out=survey.out, ledger=survey.ledger)
    command = f"noisewright ledger grant {survey.ledger} NAME --epsilon 2 --data {other}"
    assert command in str(problem.value)
    assert "'survey'" in str(problem.value)
    with pytest.raises(
        UnknownDatasetError, match=r"(?s)no budget for 'servey'.*noisewright ledger grant"
    ):
        nw.release(other, PLAN, out=survey.out, ledger=survey.ledger, dataset="servey")
    # A mistyped name did not get the data: the right one still does.
    nw.release(
        other,
        PLAN,
        out=nw.planning.Output(survey.out, report=False),
        ledger=survey.ledger,
        dataset="survey",
    )
    ledger = nw.Ledger.open(survey.ledger)
    assert ledger.find(other) == "survey"
    registered = [e.what for e in ledger.history() if e.kind == "register"]
    assert registered == ["survey.csv", "other.csv"]
    ledger.grant("others", epsilon=10)
    with pytest.raises(BudgetError, match="budget of 'survey' already"):
        nw.release(
            other,
            PLAN,
            out=nw.planning.Output(survey.out, overwrite=True),
            ledger=ledger,
            dataset="others",
        )


def test_a_missing_ledger_gets_advice_that_can_be_typed(survey: Survey) -> None:
    with pytest.raises(LedgerError) as problem:
        nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.folder / "no budget.db")
    assert f"noisewright ledger create '{survey.folder}/no budget.db'" in str(problem.value)
    assert "--epsilon 2 --data" in str(problem.value)
    bad: Any = 7
    with pytest.raises(ParameterError, match="ledger is of type int"):
        nw.release(survey.csv, PLAN, out=survey.out, ledger=bad)


def test_a_ledger_without_its_key_spends_by_name_only(survey: Survey) -> None:
    key = b"k" * 32
    where = survey.folder / "keyed.db"
    nw.Ledger.create(where, key=key).grant("survey", epsilon=10, data=survey.csv)
    with pytest.raises(LedgerError, match="open it with key="):
        nw.release(survey.csv, PLAN, out=survey.out, ledger=where)
    made = nw.release(
        survey.csv,
        PLAN,
        out=nw.planning.Output(survey.out, report=False),
        ledger=where,
        dataset="survey",
    )
    assert made.balance is not None
    opened = nw.Ledger.open(where, key=key)
    nw.release(
        survey.csv,
        PLAN,
        out=nw.planning.Output(survey.out, overwrite=True, report=False),
        ledger=opened,
    )
    assert opened.remaining("survey") == nw.accounting.Guarantee(6)


def test_nobody_accounts_only_when_that_is_said(survey: Survey) -> None:
    with pytest.raises(ParameterError, match="ledger= is missing"):
        nw.release(survey.csv, PLAN, out=survey.out)  # pyright: ignore[reportCallIssue]
    made = nw.release(
        survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=None
    )
    assert (made.balance, made.entry, made.is_accounted) == (None, None, False)
    assert "no budget debited" in repr(made)
    assert not nw.results.Release.open(survey.out).is_accounted
    with pytest.raises(ParameterError, match="no ledger"):
        nw.release(
            survey.csv,
            PLAN,
            ledger=None,
            dataset="survey",
            out=nw.planning.Output(survey.out, overwrite=True),
        )


def test_a_seeded_release_is_marked_everywhere_and_can_be_repeated(survey: Survey) -> None:
    tables: list[Any] = []
    for name in ("a", "b"):
        made = nw.release(
            survey.csv,
            PLAN,
            out=nw.planning.Output(survey.folder / f"{name}.parquet", report=False),
            ledger=None,
            source=nw.randomness.SeededSource(7),
        )
        assert not made.is_private
        assert "NOT PRIVATE" in repr(made)
        tables.append(nw.results.Release.open(made.path or "").table)
    assert tables[0] == tables[1]
    recipe = json.loads((survey.folder / "a.recipe.json").read_text())
    assert recipe["private"] is False


def test_existing_files_are_replaced_only_when_told_to(survey: Survey) -> None:
    once = nw.planning.Output(survey.out, report=False)
    nw.release(survey.csv, PLAN, out=once, ledger=survey.ledger)
    before = survey.out.read_bytes()
    with pytest.raises(TargetError, match=r"exists already.*overwrite=True"):
        nw.release(survey.csv, PLAN, out=once, ledger=survey.ledger)
    assert survey.out.read_bytes() == before
    assert survey.states() == ["released"]
    nw.release(survey.csv, PLAN, out=replace(once, overwrite=True), ledger=survey.ledger)
    assert survey.out.read_bytes() != before
    nw.results.Release.open(survey.out)
    # Files of one stem would share the recipe.
    with pytest.raises(TargetError, match=r"belongs to private\.parquet"):
        nw.release(survey.csv, PLAN, out=survey.folder / "private.csv", ledger=survey.ledger)
    assert survey.states() == ["released", "released"]


def test_progress_is_told_for_both_steps(survey: Survey) -> None:
    told: list[tuple[str, int, int | None]] = []
    nw.release(
        parquet(survey),
        PLAN,
        out=nw.planning.Output(survey.out, report=False),
        ledger=survey.ledger,
        dataset="survey",
        progress=lambda *step: told.append(step),
    )
    assert ("check", 500, 500) in told
    assert told[-1] == ("draw", 500, 500)


def test_a_link_keeps_pointing_where_it_points(survey: Survey) -> None:
    (survey.folder / "real").mkdir()
    survey.out.symlink_to("real/data.parquet")
    nw.release(
        survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=survey.ledger
    )
    assert survey.out.is_symlink()
    assert sorted(path.name for path in (survey.folder / "real").iterdir()) == [
        "data.certificate.json",
        "data.parquet",
        "data.recipe.json",
    ]
    assert nw.results.Release.open(survey.out).rows == 500
