"""Types that a data frame chooses by what it holds: what is released must not tell them apart."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import noisewright as nw

MAKERS = [pd.DataFrame, pl.DataFrame]
IDS = ["pandas", "polars"]


def released_type(frame: Any, column: nw.Column, *, synthetic: bool) -> pa.DataType:
    """Return the type of the column `c` in what leaves."""
    plan = nw.Plan({"b": nw.Column(["x", "y"]), "c": column}, epsilon=1)
    if synthetic:
        return nw.synthesize(frame, plan, epsilon=1).table.schema.field("c").type
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
