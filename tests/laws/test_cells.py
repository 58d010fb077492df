"""What every cell can become: a plan that says so never fails, and others fail before the debit."""

import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, NoisewrightError

SPACES: dict[str, tuple[Any, dict[str, Any]]] = {
    "texts": (["a", "3"], {"null": "a", "other": "b"}),
    "whole labels": ([1, 2, 3], {"null": 1, "other": 2}),
    "short labels": ([0.5, 2.0], {"null": 2.0, "other": 0.5}),
    "booleans": ([True, False], {"null": False, "other": True}),
    "counts": (nw.Counts(5), {"null": 0, "outside": "clamp"}),
    "grid": (nw.Interval(0, 5, step=1), {"null": 0, "outside": "clamp", "off_grid": "round"}),
    "fine grid": (
        nw.Interval(-1, 1, step="0.1"),
        {"null": 0, "outside": "clamp", "off_grid": "round"},
    ),
    "sets": (
        nw.Subsets(["a", "b", "c"], largest=2),
        {"null": [], "other": "c", "outside": "sample"},
    ),
    "sets of numbers": (
        nw.Subsets(range(63), largest=1),
        {"null": [3], "other": 63, "outside": "sample"},
    ),
    "curves": (nw.Curves(range(3), low=0, high=5, step=1), {"null": [0, 1, 2], "outside": "clamp"}),
}

SCALARS: list[Any] = [
    *(None, 0, 1, 3, -1, 2.5, 0.1, 1e300, float("inf"), -float("inf"), float("nan")),
    *(2**63, -(2**63) - 1, 2**64, 10**30, True, False, "a", "3", "", "é", b"a", b"\xff"),
    *(Decimal(2), Decimal("2.5"), Decimal("nan"), Decimal("-inf"), Decimal("1e9999")),
    *(Fraction(1, 3), 1 + 2j, datetime.date(2020, 1, 1), datetime.timedelta(1)),
    *(np.int8(3), np.uint64(2**63), np.float32(0.5), np.bool_(True), np.str_("a")),
    *(np.datetime64("NaT"), pd.NA, pd.NaT, pd.Timestamp(0), {"a": 1}),
]
scalars = st.sampled_from(SCALARS) | st.integers() | st.floats() | st.text(max_size=3)
cells = scalars | st.lists(scalars, max_size=4) | st.tuples(scalars, scalars, scalars)


def objects(values: list[Any]) -> Any:
    """Return an array of objects, one for each cell, lists among them."""
    array = np.empty(len(values), dtype=object)
    array[:] = values if all(np.ndim(value) == 0 for value in values) else None
    for place, value in enumerate(values):
        array[place] = value
    return array


UNTYPED: dict[str, Callable[[list[Any]], Any]] = {
    "lists": lambda values: {"x": values},
    "tuples": lambda values: {"x": tuple(values)},
    "records": lambda values: [{"x": value} for value in values],
    "numpy objects": lambda values: {"x": objects(values)},
    "pandas objects": lambda values: pd.DataFrame({"x": pd.Series(objects(values), dtype=object)}),
    "Polars objects": lambda values: pl.DataFrame({"x": pl.Series(values, dtype=pl.Object)}),
}
TYPED: dict[str, Callable[[list[Any]], Any]] = {
    "Arrow": lambda values: pa.table({"x": pa.array(values)}),
    "numpy": lambda values: {"x": np.array(values)},
    "pandas": lambda values: pd.DataFrame({"x": values}),
    "pandas categories": lambda values: pd.DataFrame({"x": pd.Series(values).astype("category")}),
    "Polars": lambda values: pl.DataFrame({"x": values}, strict=False),
}


def plan_of(space: str, *, declared: bool) -> nw.Plan:
    """Return a plan for one column, that says what every cell counts as or nothing of it."""
    values, said = SPACES[space]
    return nw.Plan({"x": nw.Column(values, **said if declared else {})}, epsilon=1)


PLANS = {(s, d): plan_of(s, declared=d) for s in SPACES for d in (True, False)}


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> nw.Ledger:
    made = nw.Ledger.create(tmp_path_factory.mktemp("cells") / "budget.db")
    made.grant("people", epsilon=10**9)
    return made


@pytest.mark.parametrize("space", SPACES)
@settings(max_examples=12, deadline=None)
@given(kind=st.sampled_from([*UNTYPED]), values=st.lists(cells, min_size=1, max_size=6))
@example(kind="lists", values=SCALARS)
@example(kind="pandas objects", values=[[1, float("inf"), -3], [None, 1, 2], ["a", None, 7]])
def test_a_declared_plan_never_fails_on_a_cell_without_a_type(
    space: str, kind: str, values: list[Any]
) -> None:
    made = nw.release(UNTYPED[kind](values), PLANS[space, True], ledger=None)
    empty = nw.release({"x": [None]}, PLANS[space, True], ledger=None)
    assert made.rows == len(values)
    # Nothing that the cells are can be told from the type that they are released in.
    assert made.table.schema.equals(empty.table.schema)


@pytest.mark.parametrize("space", SPACES)
@settings(max_examples=12, deadline=None)
@given(kind=st.sampled_from([*TYPED]), values=st.lists(cells, min_size=1, max_size=6))
@example(kind="numpy", values=[0.5, float("inf"), 2.5, float("nan")])
@example(kind="Arrow", values=[[1.0, float("inf"), None], [1.0], None])
@example(kind="Polars", values=[["a", "zz"], None, ["a", "b", "c"]])
def test_a_declared_plan_fails_on_types_only(space: str, kind: str, values: list[Any]) -> None:
    try:
        table = TYPED[kind](values)
    except (Exception, pl.exceptions.PanicException):
        return  # the library cannot hold such cells
    try:
        rows = nw.release(table, PLANS[space, True], ledger=None).rows
    except InputError as refused:
        rows = len(values) if re.search("has the type|of several kinds", str(refused)) else 0
    assert rows == len(values)


@pytest.mark.parametrize("space", SPACES)
@settings(max_examples=6, deadline=None)
@given(kind=st.sampled_from([*UNTYPED, *TYPED]), values=st.lists(cells, min_size=1, max_size=4))
@example(kind="lists", values=[2.5])
@example(kind="lists", values=[["a", "b", "c"]])
def test_a_plan_that_says_nothing_fails_before_the_debit(
    book: nw.Ledger, space: str, kind: str, values: list[Any]
) -> None:
    try:
        table = {**UNTYPED, **TYPED}[kind](values)
    except (Exception, pl.exceptions.PanicException):
        return
    before = book.balance("people").spent
    try:
        nw.release(table, PLANS[space, False], ledger=book, dataset="people")
    except NoisewrightError:
        assert book.balance("people").spent == before


TEXTS = ["a", "3", "2.5", "inf", "-1e999", "nan", "9" * 30, "true", "TRUE", "0x1", "1_0", " 3 "]


@pytest.mark.parametrize("space", ["texts", "whole labels", "booleans", "counts", "fine grid"])
@settings(max_examples=10, deadline=None)
@given(
    values=st.lists(
        st.sampled_from([*TEXTS, ""])
        | st.text(st.characters(codec="ascii", exclude_characters='",\r\n'), max_size=4),
        min_size=1,
        max_size=5,
    )
)
@example(values=[*TEXTS, ""])
def test_a_declared_plan_never_fails_on_a_cell_of_a_csv_file(
    tmp_path_factory: pytest.TempPathFactory, space: str, values: list[str]
) -> None:
    folder: Path = tmp_path_factory.mktemp("csv")
    (folder / "in.csv").write_text("\n".join(["x", *values]) + "\n", newline="")
    plan, out = PLANS[space, True], folder / "out.parquet"
    made = nw.release(
        folder / "in.csv", plan, out=nw.planning.Output(out, report=False), ledger=None
    )
    assert made.rows == len(values)


def codes(space: str, values: list[Any]) -> list[int]:
    """Return what the cells of a column of numbers count as."""
    reader = PLANS[space, True].schema.cells["x"]
    return reader.encode(reader.plain(values)).tolist()


def test_the_rule() -> None:
    odd = [2.5, float("inf"), -float("inf"), 2**63, None, float("nan"), "3", True, Decimal("4.0")]
    assert codes("counts", odd) == [3, 5, 0, 5, 0, 0, 0, 0, 4]
    assert codes("grid", odd) == [3, 5, 0, 5, 0, 0, 0, 0, 4]
    assert codes("whole labels", [3, 3.0, True, "3", None, [3]]) == [2, 2, 1, 1, 0, 1]
    typed = pa.array([2.5, float("inf"), None, 0.49])
    assert PLANS["counts", True].schema.cells["x"].encode(typed).tolist() == [3, 5, 0, 0]
    curves = PLANS["curves", True].schema.cells["x"]
    read = curves.encode(curves.plain([[9, -9, float("inf")], [1, 2], [1, None, 2], "abc"]))
    space: Any = PLANS["curves", True].parts[0].space
    assert space.values(read).tolist() == [[5, 0, 5], *[[0, 1, 2]] * 3]


def test_a_cell_means_the_same_whatever_the_others_are(tmp_path: Path) -> None:
    big = 9_007_199_254_740_993
    space = nw.Categories([big, big - 1, 5])
    plan = nw.Plan({"x": nw.Column(space, other=5)}, epsilon=60)
    (tmp_path / "x.csv").write_text(f"x\n{big}\n5.0\n")
    out = tmp_path / "y.parquet"
    made = nw.release(
        tmp_path / "x.csv", plan, out=nw.planning.Output(out, report=False), ledger=None
    )
    assert made.table["x"].to_pylist() == [big, 5]
