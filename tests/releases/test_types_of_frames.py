"""Types that a data frame chooses by what it holds: what is released must not tell them apart."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import DataError

MAKERS = [pd.DataFrame, pl.DataFrame]
IDS = ["pandas", "polars"]


def released_type(frame: Any, column: nw.Column, *, synthetic: bool) -> pa.DataType:
    """Return the type of the column `c` in what leaves."""
    plan = nw.Plan({"b": nw.Column(["x", "y"]), "c": column}, epsilon=1)
    if synthetic:
        return nw.synthesize(frame, plan, epsilon=1, ledger=None).table.schema.field("c").type
    return nw.release(frame, plan, ledger=None).table.schema.field("c").type


@pytest.mark.parametrize("synthetic", [False, True], ids=["release", "synthesize"])
@pytest.mark.parametrize("make", MAKERS, ids=IDS)
def test_one_number_beyond_the_signed_ones_is_not_told(make: Any, synthetic: bool) -> None:
    column = nw.Column(nw.Interval(0, 19, step=1), outside="clamp")
    types = {
        released_type(
            make({"b": ["x", "y"] * 10, "c": np.array([one, *range(1, 20)], dtype=kind)}),
            column,
            synthetic=synthetic,
        )
        for one, kind in ((2, np.int64), (2, np.uint64), (2**63 + 5, np.uint64))
    }
    assert types == {pa.int64()}


@pytest.mark.parametrize("synthetic", [False, True], ids=["release", "synthesize"])
@pytest.mark.parametrize("make", MAKERS, ids=IDS)
def test_that_every_cell_is_empty_is_not_told(make: Any, synthetic: bool) -> None:
    column = nw.Column(nw.Categories(["p", "q"]), null="q")
    types = {
        released_type(
            make({"b": ["x", "y"] * 10, "c": [one] + [None] * 19}), column, synthetic=synthetic
        )
        for one in (None, "p")
    }
    assert len(types) == 1


def test_the_same_of_categories_and_sets() -> None:
    labels = nw.Column(nw.Categories(["p", "q"]), null="q")
    for given in ([None] * 20, ["p"] + [None] * 19):
        frame = pd.DataFrame({"b": ["x", "y"] * 10, "c": pd.Series(given).astype("category")})
        kind = released_type(frame, labels, synthetic=True)
        assert kind == pa.dictionary(pa.int32(), pa.string())
    sets = nw.Column(nw.Subsets(["p", "q"]))
    types = {
        released_type(
            pl.DataFrame({"b": ["x", "y"] * 10, "c": [first] + [[]] * 19}), sets, synthetic=False
        )
        for first in ([], ["p"])
    }
    assert len(types) == 1


def test_long_columns_of_texts_are_read_in_parts() -> None:
    rows = 300_000
    frame = pl.DataFrame({"b": ["x", "y"] * (rows // 2), "c": ["p", "q"] * (rows // 2)})
    made = nw.release(
        frame, nw.Plan({"b": nw.Column(["x", "y"]), "c": "public"}, epsilon=1), ledger=None
    )
    assert made.table["c"].to_pylist() == ["p", "q"] * (rows // 2)


PLAIN = {"b": ["x", "y"] * 10, "c": [0, 1, 2, None] * 5}
FORMS: dict[str, Any] = {
    "lists": PLAIN,
    "arrays": {"b": np.array(PLAIN["b"]), "c": pd.Series(PLAIN["c"], dtype="Int64")},
    "narrow arrays": {"b": tuple(PLAIN["b"]), "c": np.array([0, 1] * 10, dtype=np.int8)},
    "records": [dict(zip(PLAIN, row, strict=True)) for row in zip(*PLAIN.values(), strict=True)],
    "nothing in it": {"b": ["x", "y"] * 10, "c": [None] * 20},
}


@pytest.mark.parametrize("synthetic", [False, True], ids=["release", "synthesize"])
@pytest.mark.parametrize("form", FORMS)
def test_plain_columns_and_records_are_tables(form: str, synthetic: bool) -> None:
    column = nw.Column(nw.Counts(2), null=0)
    assert released_type(FORMS[form], column, synthetic=synthetic) == pa.int64()


def test_batches_one_by_one_are_a_table(tmp_path: Path) -> None:
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("people", epsilon=2)
    columns: dict[str, Any] = {"b": ["x", "y"], "c": nw.Column(nw.Counts(2), null=0)}
    table = pa.table(PLAIN)
    for given in (iter(table.to_batches(max_chunksize=7)), PLAIN):
        made = nw.synthesize(given, columns, epsilon=1, ledger=book, dataset="people")
        assert (made.people, made.entry is not None) == (20, True)


BROKEN: dict[str, tuple[Any, str]] = {
    "lengths": ({"b": ["x"], "c": [1, 2]}, "different lengths"),
    "text": ({"b": "xy", "c": [1, 2]}, "'b' is a str"),
    "other records": ([{"b": "x", "c": 1}, {"b": "x"}], "row 2 has other columns"),
    "tuples": ([("x", 1)], "row 1 of the list is a tuple"),
    "nothing": ([], "no records"),
    "number": (7, "data is a int; give"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_table_is_named(case: str) -> None:
    data, said = BROKEN[case]
    with pytest.raises(DataError, match=said):
        nw.synthesize(data, {"b": ["x", "y"], "c": nw.Counts(2)}, epsilon=1, ledger=None)


def test_short_floats_stay_short_where_they_hold_the_whole_grid() -> None:
    table = pa.table({"b": ["x", "y"] * 10, "c": pa.array([0.5, 1.0] * 10, pa.float32())})
    fits = [nw.Interval(0, 2, step=0.5), nw.Interval(-1, 2**22, step=0.25), [0.5, 1.0]]
    too_fine = [nw.Interval(0, 2**23 + 1, step=0.5), nw.Interval(0, 2, step="0.1")]
    for spaces, kind in ((fits, pa.float32()), (too_fine, pa.float64())):
        for space in spaces:
            columns: dict[str, Any] = {"b": ["x", "y"], "c": space}
            made = nw.synthesize(
                table, columns, epsilon=1, method=nw.planning.Method(bins=8), ledger=None
            )
            assert made.table.schema.field("c").type == kind
