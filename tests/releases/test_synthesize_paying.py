"""Synthetic tables: the debit before the first bit, and the proof that it points to."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import (
    EntropyError,
    OverBudgetError,
    ParameterError,
    ReleaseError,
    TargetError,
    TooLargeError,
)
from noisewright.sampling import Source
from tests.releases.synthetic_people import DATA, IDS, METHODS, SPACES


class Watched(Source):
    """Bits for a test, and what the ledger said whenever some were taken."""

    private = True

    def __init__(self, ledger: nw.Ledger) -> None:
        self._bits = nw.randomness.SystemSource()
        self._ledger = ledger
        self.seen: list[list[str]] = []

    def fill(self, buffer: Any) -> None:
        spends = [e.sequence for e in self._ledger.history() if e.kind == "spend"]
        self.seen.append([self._ledger.state(number) for number in spends])
        self._bits.fill(buffer)


@pytest.fixture
def ledger(tmp_path: Path) -> nw.Ledger:
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("people", epsilon=3, delta=1e-4)
    return book


@pytest.mark.parametrize(("method", "delta"), METHODS, ids=IDS)
def test_the_ledger_is_debited_once_and_before_the_first_bit(
    ledger: nw.Ledger, tmp_path: Path, method: Any, delta: float
) -> None:
    source = Watched(ledger)
    made = nw.synthesize(
        DATA,
        SPACES,
        ledger=ledger,
        dataset="people",
        epsilon=1,
        delta=delta,
        method=method,
        out=nw.planning.Output(tmp_path / "synthetic.parquet", report=False),
        source=source,
    )
    assert source.seen
    assert all(states == ["reserved"] for states in source.seen)
    spends = [entry for entry in ledger.history() if entry.kind == "spend"]
    assert len(spends) == 1
    assert ledger.state(spends[0].sequence) == "released"
    assert ledger.balance("people").spent == nw.accounting.Guarantee(1, delta)
    assert made.is_accounted
    assert made.entry == spends[0].sequence
    assert f"synthetic table ({method}): synthetic.parquet" in spends[0].what


def test_over_budget_nothing_is_drawn_or_written(ledger: nw.Ledger, tmp_path: Path) -> None:
    source = Watched(ledger)
    out = tmp_path / "synthetic.parquet"
    with pytest.raises(OverBudgetError):
        nw.synthesize(
            DATA, SPACES, ledger=ledger, dataset="people", epsilon=4, out=out, source=source
        )
    assert source.seen == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["budget.db"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": nw.planning.Method("mwem", rounds=7)}, "rounds is 7; give at most 6"),
        ({"method": nw.planning.Method("blr", rows=3)}, "MWEM, .*, which lists no databases"),
        ({"out": "nowhere/synthetic.parquet"}, "there is no folder"),
        ({"out": "synthetic.png"}, "synthetic.png"),
        (
            {"method": nw.planning.Method(rows=10**9)},
            "1,000,000,000 rows of 4 columns do not fit .* at most [0-9,]+ rows",
        ),
        ({"method": nw.planning.Method(rows=10**30)}, "rows of 4 columns do not fit into memory"),
        ({"method": nw.planning.Method("mwem", rows=10**30)}, "do not fit into memory"),
    ],
    ids=["rounds", "blr", "folder", "format", "rows", "absurd", "absurd-mwem"],
)
def test_what_is_impossible_is_found_before_the_debit(
    ledger: nw.Ledger, tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    if "out" in options:
        options = {**options, "out": tmp_path / options["out"]}
    with pytest.raises((ParameterError, TooLargeError, TargetError), match=words):
        nw.synthesize(DATA, SPACES, ledger=ledger, dataset="people", epsilon=1, **options)
    assert ledger.balance("people").spent == nw.accounting.Guarantee(0)


class Failing(Source):
    """Bits that end in the middle."""

    private = True

    def __init__(self, fills: int) -> None:
        self._bits, self._left = nw.randomness.SystemSource(), fills

    def fill(self, buffer: Any) -> None:
        self._left -= 1
        if self._left < 0:
            raise EntropyError("no more bits")
        self._bits.fill(buffer)


@pytest.mark.parametrize("fills", [0, 1, 4])
def test_what_fails_after_the_debit_is_wasted_and_leaves_no_file(
    ledger: nw.Ledger, tmp_path: Path, fills: int
) -> None:
    with pytest.raises(EntropyError, match="no more bits") as failed:
        nw.synthesize(
            DATA,
            SPACES,
            ledger=ledger,
            dataset="people",
            epsilon=1,
            out=tmp_path / "synthetic.parquet",
            source=Failing(fills),
        )
    assert "marked as wasted" in " ".join(failed.value.__notes__)
    assert ledger.balance("people").spent == nw.accounting.Guarantee(1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["budget.db"]


@pytest.mark.parametrize(("method", "delta"), METHODS, ids=IDS)
def test_the_certificate_is_in_the_ledger_beside_the_table_and_proven(
    ledger: nw.Ledger, tmp_path: Path, method: Any, delta: float
) -> None:
    out = tmp_path / "synthetic.parquet"
    # Not all there is will be counted, so that something is chosen.
    some: dict[str, Any] = {"inference": "tree"} if method == "mst" else {"rounds": 5}
    made = nw.synthesize(
        DATA,
        SPACES,
        ledger=ledger,
        dataset="people",
        epsilon=1,
        delta=delta,
        method=nw.planning.Method(method, **some),
        workload=None if method == "mst" else [1, 2],
        out=nw.planning.Output(out, report=False),
    )
    path = tmp_path / "synthetic.certificate.json"
    assert made.files["certificate"] == path
    assert path.read_text(encoding="utf-8") == made.certificate.to_json()
    assert nw.check(path)
    assert made.certificate.guarantee == made.guarantee == nw.accounting.Guarantee(1, delta)
    (spend,) = [entry for entry in ledger.history("people") if entry.kind == "spend"]
    assert spend.certificate == made.certificate.digest
    said = json.loads((tmp_path / "synthetic.synthesis.json").read_text(encoding="utf-8"))
    assert said["certificate"] == made.certificate.digest
    steps = made.certificate.document["mechanism"]["steps"]
    assert [Fraction(step["amount"]) for step in steps] == [one.amount for one in made.spends]
    # Which columns were chosen is in no certificate: it was made before the choice.
    pairs = [one.name for one in made.measurements if len(one.columns) > 1]
    assert pairs
    assert not any(pair in path.read_text(encoding="utf-8") for pair in pairs)


def test_an_old_certificate_is_replaced_and_an_alien_one_is_in_the_way(tmp_path: Path) -> None:
    out, path = tmp_path / "synthetic.csv", tmp_path / "synthetic.certificate.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(TargetError, match=r"certificate\.json' exists already"):
        nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, out=out)
    over = nw.planning.Output(out, overwrite=True, report=False)
    made = nw.synthesize(DATA, SPACES, epsilon=1, ledger=None, out=over)
    again = nw.synthesize(DATA, SPACES, epsilon=2, ledger=None, out=over)
    assert made.certificate.digest != again.certificate.digest
    assert path.read_text(encoding="utf-8") == again.certificate.to_json()
    in_memory = nw.synthesize(DATA, SPACES, ledger=None, epsilon=2)
    assert in_memory.certificate == again.certificate


def test_the_certificate_of_several_rows_is_about_a_person() -> None:
    plan = nw.Plan(
        {"visits": nw.Column(nw.Counts(5)), "smokes": nw.Column([True, False])},
        epsilon=1,
        others="drop",
        person=nw.Person("name", rows=3),
    )
    made = nw.synthesize(DATA, plan, ledger=None)
    document = made.certificate.document
    assert document["neighbors"] == {"relation": "one person", "rows_per_person": 3}
    (decay,) = {
        Fraction(step["noise"][0]["decay"]) * 6 / Fraction(step["amount"])
        for step in document["mechanism"]["steps"]
        if step["kind"] == "geometric"
    }
    assert decay == 1


def test_grids_finer_than_doubles_are_counted_exactly(ledger: nw.Ledger) -> None:
    grid = nw.Interval(2**53, 2**53 + 7, step=1)
    for last in (2**53 + 6, 2**53 + 7):
        table = pa.table({"b": ["x", "y"] * 3, "c": pa.array([last] + [2**53] * 5, pa.int64())})
        made = nw.synthesize(
            table,
            {"b": ["x", "y"], "c": grid},
            epsilon="0.1",
            method=nw.planning.Method("blr", rows=2),
            ledger=ledger,
            dataset="people",
        )
        assert made.rows == 2


def test_a_description_that_says_other_than_its_proof_is_refused(tmp_path: Path) -> None:
    made = nw.synthesize(
        DATA,
        SPACES,
        epsilon=10,
        out=nw.planning.Output(tmp_path / "s.parquet", report=False),
        ledger=None,
    )
    side = made.files["synthesis"]
    text = side.read_text(encoding="utf-8")
    document = json.loads(text)
    for forged in (
        {"guarantee": {"epsilon": "1/100", "delta": "0"}},
        {"rows_per_person": 50},
        {"spends": document["spends"][1:]},
    ):
        side.write_text(json.dumps(document | forged), encoding="utf-8")
        with pytest.raises(ReleaseError, match="certificate proves"):
            nw.results.Synthesis.open(tmp_path / "s.parquet")
    side.write_text(text, encoding="utf-8")
    assert nw.results.Synthesis.open(tmp_path / "s.parquet").guarantee == nw.accounting.Guarantee(
        10
    )
