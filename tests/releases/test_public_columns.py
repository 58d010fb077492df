"""Public columns leave as they are, if they can be written: that is found before the debit."""

import datetime
import re
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import PlanWarning, TargetError
from noisewright.releases import drawing

PLAN = nw.Plan({"job": nw.Column(["nurse", "judge"]), "x": "public"}, epsilon=1)
FAR = 10**17
"""Seconds, some three billion years."""

AWKWARD: dict[str, tuple[pa.Array, tuple[str, ...]]] = {
    "far timestamps": (pa.array([0, FAR], pa.timestamp("s")), (".parquet",)),
    "empty structs": (pa.array([{}, {}], pa.struct([])), (".parquet", ".csv")),
    "negative scale": (pa.array([Decimal(100), Decimal(200)], pa.decimal128(3, -2)), (".parquet",)),
    "nobody's time zone": (pa.array([0, 1], pa.timestamp("us", "Mars/Phobos")), (".csv",)),
    "months": (pa.array([(1, 2, 3), (4, 5, 6)], pa.month_day_nano_interval()), (".parquet",)),
    "half floats": (pa.array([1.0, 2.0]).cast(pa.float16()), ()),
    "durations": (pa.array([1, 2], pa.duration("ns")), ()),
}


@pytest.fixture
def book(tmp_path: Path) -> nw.Ledger:
    made = nw.Ledger.create(tmp_path / "budget.db")
    made.grant("people", epsilon=100)
    return made


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv"])
@pytest.mark.parametrize("case", AWKWARD)
def test_what_cannot_be_written_is_found_before_the_debit(
    case: str, suffix: str, book: nw.Ledger, tmp_path: Path
) -> None:
    column, impossible = AWKWARD[case]
    table = pa.table({"job": ["nurse", "judge"], "x": column})
    out = tmp_path / f"private{suffix}"
    where = nw.planning.Output(out, report=False)
    try:
        made = nw.release(table, PLAN, out=where, ledger=book, dataset="people")
    except TargetError as refused:
        said, rows = str(refused), 0
    else:
        said, rows = "", made.rows
    if rows:
        assert suffix not in impossible
        return
    assert re.search("'x'.*(Nothing was spent|holds lists)", said)
    assert float(book.balance("people").spent.epsilon) == 0
    assert not out.exists()


def test_bytes_are_no_texts(book: nw.Ledger, tmp_path: Path) -> None:
    table = pa.table({"job": ["nurse", "judge"], "x": [b"\xff", b"a"]})
    try:
        nw.release(
            table,
            PLAN,
            out=nw.planning.Output(tmp_path / "a.csv", report=False),
            ledger=book,
            dataset="people",
        )
    except TargetError:
        assert float(book.balance("people").spent.epsilon) == 0


def test_the_room_for_texts_is_what_labels_may_take(
    monkeypatch: pytest.MonkeyPatch, book: nw.Ledger, tmp_path: Path
) -> None:
    long = "a label of no less than forty characters!"
    columns: dict[str, Any] = {
        "job": nw.Column([long, "b"]),
        "n": nw.Column(nw.Counts(12)),
        "w": nw.Column(nw.Interval(0, 1, step="0.1")),
        "region": "public",
    }
    plan, rows = nw.Plan(columns, epsilon=60), 3_000
    table = pa.table(
        {
            "job": [long] * rows,
            "n": [12] * rows,
            "w": [0.1] * rows,
            "region": ["somewhere in the north"] * rows,
        }
    )
    usage = drawing.shutil.disk_usage(tmp_path)._replace(free=200_000)
    monkeypatch.setattr(drawing.shutil, "disk_usage", lambda _: usage)
    out = tmp_path / "private.csv"
    with pytest.raises(TargetError, match="up to"):
        nw.release(
            table, plan, out=nw.planning.Output(out, report=False), ledger=book, dataset="people"
        )
    assert float(book.balance("people").spent.epsilon) == 0
    monkeypatch.undo()
    nw.release(
        table, plan, out=nw.planning.Output(out, report=False), ledger=book, dataset="people"
    )
    assert out.stat().st_size > 200_000


def test_a_public_column_of_many_values_is_named_before_the_debit(book: nw.Ledger) -> None:
    rows = 200
    table = {"job": ["nurse", "judge"] * 100, "x": [f"street {n}" for n in range(rows)]}
    with pytest.warns(PlanWarning, match=r"'x' has 200 different values in 200 rows"):
        nw.release(table, PLAN, ledger=None)
    # Whoever makes errors of warnings stops before the debit.
    with warnings.catch_warnings():
        warnings.simplefilter("error", PlanWarning)
        few = {**table, "x": ["north", "south"] * 100}
        nw.release(few, PLAN, ledger=book, dataset="people")
        with pytest.raises(PlanWarning, match="different values"):
            nw.release(table, PLAN, ledger=book, dataset="people")
    assert float(book.balance("people").spent.epsilon) == 1


def test_cells_that_python_cannot_hold_are_no_raw_error() -> None:
    far = pa.array([[0], [FAR]], pa.list_(pa.timestamp("s")))
    table = pa.table({"job": ["nurse", "judge"], "x": far})
    with pytest.raises(nw.errors.DataError, match="'x' has the type") as refused:
        nw.release(table, PLAN, ledger=None)
    assert refused.value.__context__ is None
    assert datetime.MAXYEAR < FAR
