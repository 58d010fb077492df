"""Which columns a synthetic table can have, and what is said of those it cannot."""

import datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import DataError, InputError, SpaceError

CONSTANT = pa.table({"study": ["A7"] * 90, "visits": [row % 3 for row in range(90)]})
FILE = """
version = 1
epsilon = 1
[columns.study]
space = "categories"
labels = ["A7"]
[columns.visits]
space = "counts"
n = 2
"""


@pytest.mark.parametrize("method", ["mst", "mwem", "blr"])
def test_a_constant_column_comes_out_constant(
    tmp_path: Path, method: Literal["mst", "mwem", "blr"]
) -> None:
    made = nw.synthesize(
        CONSTANT,
        {"study": ["A7"], "visits": nw.Counts(2)},
        epsilon=1,
        method=nw.planning.Method(method, rows=6),
        out=nw.planning.Output(tmp_path / "s.parquet", report=False),
        ledger=None,
    )
    assert made.table["study"].to_pylist() == ["A7"] * 6
    assert nw.check(made.files["certificate"])
    assert nw.results.Synthesis.open(tmp_path / "s.parquet").table.equals(made.table)


@pytest.mark.parametrize("inference", ["graph", "tree"])
def test_no_pair_is_spent_on_a_constant_column(inference: Literal["graph", "tree"]) -> None:
    table = CONSTANT.append_column("late", pa.array([row % 3 == 0 for row in range(90)]))
    made = nw.synthesize(
        table,
        {"study": ["A7"], "visits": nw.Counts(2), "late": [True, False]},
        epsilon=1,
        method=nw.planning.Method(inference=inference),
        ledger=None,
    )
    pairs = [one.columns for one in made.measurements if len(one.columns) > 1]
    assert pairs == [("visits", "late")]
    assert not any("study" in note for note in made.notes)


def test_a_plan_in_a_file_may_have_a_constant_column(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(FILE, encoding="utf-8")
    assert set(nw.synthesize(CONSTANT, path, ledger=None).table["study"].to_pylist()) == {"A7"}


def test_a_table_of_constant_columns_only_is_possible() -> None:
    made = nw.synthesize(CONSTANT, {"study": ["A7"]}, epsilon=1, ledger=None)
    assert made.table["study"].to_pylist() == ["A7"] * 90
    one = nw.synthesize(
        CONSTANT, {"study": ["A7"]}, epsilon=1, method=nw.planning.Method(rows=1), ledger=None
    )
    assert (
        repr(one)
        == "<1 synthetic row by mst on points, 1 measurement, epsilon=1, no budget debited>"
    )


def test_a_release_says_which_column_is_constant() -> None:
    with pytest.raises(SpaceError, match=r"'study' can hold only one value.*'public'.*'drop'"):
        nw.Plan({"study": nw.Column(["A7"]), "visits": nw.Column(nw.Counts(2))}, epsilon=1)


def test_undeclared_columns_can_only_be_dropped() -> None:
    plan = nw.Plan({"visits": nw.Column(nw.Counts(2))}, epsilon=1)
    with pytest.raises(InputError, match=r"nothing about 'study'.*'drop'") as refused:
        nw.synthesize(CONSTANT, plan, ledger=None)
    assert "public" not in str(refused.value)


@pytest.mark.parametrize("as_plan", [True, False], ids=["plan", "mapping"])
def test_a_public_column_is_refused_with_what_to_write(as_plan: bool) -> None:
    columns: dict[str, Any] = {"study": "public", "visits": nw.Column(nw.Counts(2))}
    plan = nw.Plan(columns, epsilon=1) if as_plan else columns
    with pytest.raises(InputError, match=r"'study'.*Column\(") as refused:
        nw.synthesize(CONSTANT, plan, epsilon=1, ledger=None)
    assert 'space = "categories"' in str(refused.value)
    assert 'use = "drop"' in str(refused.value)


DAY: Any = datetime.datetime(2024, 5, 1)
DATES: dict[str, Any] = {
    "labels": lambda: nw.Categories([DAY]),
    "labels of numpy": lambda: nw.Categories(np.array([DAY], dtype="datetime64[ns]")),
    "bounds": lambda: nw.Interval(DAY, DAY, step=1),
    "texts": lambda: declared_dates(pa.date32(), ["2024-05-01"]),
    "numbers": lambda: declared_dates(pa.timestamp("us"), nw.Counts(3)),
    "dictionary": lambda: declared_dates(pa.dictionary(pa.int8(), pa.date32()), ["2024-05-01"]),
    "release": lambda: nw.release(
        pa.table({"day": [DAY]}), nw.Plan({"day": nw.Column(["a", "b"])}, epsilon=1), ledger=None
    ),
}


def declared_dates(kind: pa.DataType, space: Any) -> nw.results.Synthesis:
    """Synthesize a column of dates that was declared to hold something else."""
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    days = pa.array([DAY] * 9, plain)
    given = days.dictionary_encode() if pa.types.is_dictionary(kind) else days
    return nw.synthesize(pa.table({"day": given}), {"day": space}, epsilon=1, ledger=None)


@pytest.mark.parametrize("case", DATES)
def test_dates_are_refused_with_what_to_make_of_them(case: str) -> None:
    with pytest.raises(InputError, match=r"Declare what they can be, as in nw\.Dates") as refused:
        DATES[case]()
    assert "missing" not in str(refused.value)


def test_decimals_in_a_column_of_whole_numbers_are_told_how_to_be_declared(tmp_path: Path) -> None:
    path = tmp_path / "weights.csv"
    path.write_text("weight\n61.6\n70\n", encoding="utf-8")
    with pytest.raises(DataError, match=r'space = "interval".*off_grid = "round"'):
        nw.synthesize(path, {"weight": nw.Counts(150)}, epsilon=1, ledger=None)
