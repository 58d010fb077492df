"""A table of counts costs twice what one count costs, when a person moves between groups."""

import math
import warnings
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import noisewright as nw
from noisewright.errors import SeveralCountsWarning

PEOPLE = pd.DataFrame({"city": list("aabbbc"), "sex": list("fmfmfm")})
ONE = nw.geometric(nw.Counts(6), epsilon="1/2")

TABLES: dict[str, Any] = {
    "value_counts": PEOPLE["city"].value_counts(),
    "value_counts of two": PEOPLE.value_counts(),
    "groupby": PEOPLE.groupby("city").size(),
    "crosstab": pd.crosstab(PEOPLE["city"], PEOPLE["sex"]),
    "labels": pd.Series([2, 3, 1], index=["a", "b", "c"]),
    "Counter": Counter("aabbbc").values(),
    "polars": pl.Series("city", list("aabbbc")).value_counts()["count"],
    "polars, grouped": pl.DataFrame({"city": list("aab")}).group_by("city").len()["len"],
}
PLAIN: dict[str, Any] = {
    "one count": 3,
    "a list": [1, 2, 3],
    "an array": np.array([1, 2, 3]),
    "bare numbers of a table": PEOPLE["city"].value_counts().to_numpy(),
    "a column": pd.Series([1, 2, 3]),
    "a filtered column": pd.Series([1, 2, 3])[[0, 2]],
    "a total": PEOPLE.groupby("city").size()[["a"]],
    "a polars column": pl.Series("visits", [1, 2, 3]),
}


@pytest.mark.parametrize("name", TABLES)
def test_labeled_counts_are_warned_about(name: str) -> None:
    with pytest.warns(SeveralCountsWarning, match=r"epsilon=0.5 is promised.*it is epsilon=1\b"):
        released = ONE.sample(TABLES[name])
    assert np.shape(released) == np.shape(list(TABLES[name]) if name == "Counter" else TABLES[name])


@pytest.mark.parametrize("name", PLAIN)
def test_other_numbers_are_not(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ONE.sample(PLAIN[name])


def test_records_are_not() -> None:
    """With neighbors="replace" each number is the record of one person, labeled or not."""
    ages = nw.geometric(nw.Counts(6), epsilon=1).table()
    record = nw.from_matrix(nw.Counts(6, neighbors="replace"), ages.matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        record.sample(TABLES["value_counts"])


def test_moving_between_groups_costs_twice_as_much() -> None:
    """By the definition, over all pairs of answers: (2, 3) against (1, 4) costs 2ε, not ε."""
    rows = ONE.matrix
    losses = [
        math.log(rows[2][i] * rows[3][j] / (rows[1][i] * rows[4][j]))
        for i, j in product(range(7), repeat=2)
    ]
    assert max(losses) == pytest.approx(1, rel=1e-12)
