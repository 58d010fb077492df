"""Workloads that cannot be, and tables that do not fit them: what the user is told."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import (
    InputError,
    OutsideSpaceError,
    ParameterError,
    SpaceError,
    TooLargeError,
)

DOMAIN = nw.Records(
    sex=nw.Categories(["F", "M"]),
    job=nw.Categories(["clerk", "cook", "judge"]),
    kids=nw.Counts(4),
    pay=nw.Interval(0, 1, step="1/2"),
)

BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "ways": (
        lambda: nw.workloads.Workload.marginals(DOMAIN, ways=5),
        ParameterError,
        "more than there are columns: 4",
    ),
    "no ways": (
        lambda: nw.workloads.Workload.marginals(DOMAIN, ways=[]),
        InputError,
        "ways is empty",
    ),
    "column": (
        lambda: nw.workloads.Workload.marginals(DOMAIN, columns=["age"]),
        InputError,
        "no column 'age'; it has",
    ),
    "twice": (
        lambda: nw.workloads.Workload.marginals(DOMAIN, columns=["sex", "sex"]),
        InputError,
        "named twice",
    ),
    "text": (
        lambda: nw.workloads.Workload.marginals(DOMAIN, columns="sex"),
        InputError,
        "list of columns",
    ),
    "no records": (
        lambda: nw.workloads.Workload.marginals(nw.Counts(3)),  # pyright: ignore[reportArgumentType]
        SpaceError,
        "Records",
    ),
    "no order": (
        lambda: nw.workloads.Workload.prefixes(DOMAIN, "job"),
        SpaceError,
        "'job' has no order",
    ),
    "no ranges": (
        lambda: nw.workloads.Workload.ranges(DOMAIN, "kids", []),
        InputError,
        "ends is empty",
    ),
    "no columns": (
        lambda: nw.workloads.Workload.ranges(DOMAIN, []),
        InputError,
        "columns is empty",
    ),
    "backwards": (
        lambda: nw.workloads.Workload.ranges(DOMAIN, "kids", [(2, 1)]),
        InputError,
        "ends before it begins",
    ),
    "no such end": (
        lambda: nw.workloads.Workload.ranges(DOMAIN, "kids", [(2, 9)]),
        OutsideSpaceError,
        "column 'kids' has no value 9",
    ),
    "one end": (
        lambda: nw.workloads.Workload.ranges(DOMAIN, "kids", [(2,)]),
        InputError,
        "two ends for each column",
    ),
    "one column of two": (
        lambda: nw.workloads.Workload.ranges(DOMAIN, ["kids", "pay"], [[(0, 1)]]),
        InputError,
        "two ends for each column",
    ),
    "not on the grid": (
        lambda: nw.workloads.Workload.ranges(DOMAIN, "pay", [(0, 0.3)]),
        OutsideSpaceError,
        "no value 0.3",
    ),
    "no box": (
        lambda: nw.workloads.Workload.ranges(DOMAIN, ["kids"], [3]),
        InputError,
        "two ends for each column",
    ),
    "no function": (
        lambda: nw.workloads.Workload.predicates(DOMAIN, {"odd": 3}, columns=["kids"]),  # pyright: ignore[reportArgumentType]
        InputError,
        "'odd' is a int; give a function",
    ),
    "function of nothing": (
        lambda: nw.workloads.Workload.predicates(DOMAIN, {"all": lambda: True}, columns=[]),
        InputError,
        "columns is empty",
    ),
    "no condition": (
        lambda: nw.workloads.Workload.conjunctions(DOMAIN, [{}]),
        InputError,
        "at least one condition",
    ),
    "no conjunction": (
        lambda: nw.workloads.Workload.conjunctions(DOMAIN, []),
        InputError,
        "conditions is empty",
    ),
    "conjunction of a text": (
        lambda: nw.workloads.Workload.conjunctions(DOMAIN, {"sex": "F"}),  # pyright: ignore[reportArgumentType]
        InputError,
        "mapping from columns",
    ),
    "label": (
        lambda: nw.workloads.Workload.conjunctions(DOMAIN, [{"job": "spy"}]),
        OutsideSpaceError,
        "column 'job' has no value 'spy'",
    ),
    "no values": (
        lambda: nw.workloads.Workload.conjunctions(DOMAIN, [{"job": []}]),
        InputError,
        "lists no values",
    ),
    "not anything": (
        lambda: nw.workloads.Workload.conjunctions(DOMAIN, [{"sex": {"not": ["F", "M"]}}]),
        InputError,
        "counts nobody",
    ),
    "range of labels": (
        lambda: nw.workloads.Workload.conjunctions(DOMAIN, [{"job": {"at_least": "cook"}}]),
        SpaceError,
        "no order",
    ),
    "unknown word": (
        lambda: nw.workloads.Workload.conjunctions(DOMAIN, [{"kids": {"above": 3}}]),
        InputError,
        "'at_least', 'at_most' or both",
    ),
    "empty range": (
        lambda: nw.workloads.Workload.conjunctions(
            DOMAIN, [{"kids": {"at_least": 3, "at_most": 2}}]
        ),
        InputError,
        "ends before",
    ),
    "function of two": (
        lambda: nw.workloads.Workload.predicates(
            DOMAIN, {"odd": lambda k, j: True}, columns=["kids"]
        ),
        InputError,
        r"'odd' cannot be called with 1 value, one for each of columns=; it takes \(k, j\)",
    ),
    "function that fails": (
        lambda: nw.workloads.Workload.predicates(
            DOMAIN, {"share": lambda k: 1 / k > 1}, columns=["kids"]
        ),
        InputError,
        "'share' raised a ZeroDivisionError; it must be able to tell for every declared value",
    ),
    "vectorized function that fails": (
        lambda: nw.workloads.Workload.predicates(
            DOMAIN, {"odd": lambda k: k.no > 0}, columns=["kids"], vectorized=True
        ),
        InputError,
        "'odd' raised a AttributeError",
    ),
    "mapping with a text": (
        lambda: nw.workloads.Workload.marginals({"job": "cook"}),
        SpaceError,
        "the column 'job' is a str; it must be a space",
    ),
    "no truth value": (
        lambda: nw.workloads.Workload.predicates(
            DOMAIN, {"odd": lambda k: k % 2}, columns=["kids"]
        ),
        InputError,
        "'odd' returned a int",
    ),
    "no truth values": (
        lambda: nw.workloads.Workload.predicates(
            DOMAIN, {"odd": lambda k: k[:2] > 0}, columns=["kids"], vectorized=True
        ),
        InputError,
        "must return 5 truth values",
    ),
    "other domain": (
        lambda: (
            nw.workloads.Workload.marginals(DOMAIN)
            + nw.workloads.Workload.marginals(nw.Records(a=nw.Counts(1)))
        ),
        SpaceError,
        "only on one domain",
    ),
    "empty": (
        lambda: nw.workloads.Workload(DOMAIN, ()).answers([]),
        InputError,
        "workload is empty",
    ),
    "parts of another domain": (
        lambda: nw.workloads.Workload(
            nw.Records(a=nw.Counts(1)), nw.workloads.Workload.marginals(DOMAIN).parts
        ),
        InputError,
        "no column 'sex'",
    ),
    "table": (
        lambda: nw.workloads.Workload.marginals(DOMAIN).answers({"sex": ["F"]}),
        InputError,
        "no column 'job'",
    ),
    "record without a column": (
        lambda: nw.workloads.Workload.marginals(DOMAIN).answers(
            [{"sex": "F", "kids": 1, "pay": 0}]
        ),
        InputError,
        "record at row 1 has no column 'job'",
    ),
    "short record": (
        lambda: nw.workloads.Workload.marginals(DOMAIN).answers(
            [("F", "cook", 1, 0), ("F", "cook", 1)]
        ),
        InputError,
        "record at row 2 has no column 'pay'",
    ),
    "lengths": (
        lambda: nw.workloads.Workload.marginals(DOMAIN, ways=2, columns=["sex", "kids"]).answers(
            {"sex": ["F"], "kids": [1, 2]}
        ),
        InputError,
        "different lengths",
    ),
    "counts": (
        lambda: nw.workloads.Workload.marginals(DOMAIN).answers_of_counts(np.ones(2, dtype=int)),
        InputError,
        "the domain has 90 points",
    ),
    "cells": (
        lambda: nw.workloads.Workload.marginals(
            nw.Records(a=nw.Counts(9999), b=nw.Counts(9999)), ways=2
        ).answers([]),
        TooLargeError,
        "Use fewer columns",
    ),
    "ranges": (
        lambda: nw.workloads.Workload.ranges(nw.Records(a=nw.Counts(99_999)), "a"),
        TooLargeError,
        "List some",
    ),
    "condition": (
        lambda: nw.workloads.Workload.conjunctions(
            nw.Records(a=nw.Counts(1 << 40)), [{"a": {"at_least": 7}}]
        ),
        TooLargeError,
        "coarser grid",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    call, error, message = BAD[name]
    with pytest.raises(error, match=message):
        call()


def test_an_undeclared_value_is_named_by_its_place() -> None:
    batches = iter([[("F", "cook", 0, 0)] * 3, [("F", "cook", 0, 0), ("F", "spy", 1, 0)]])
    with pytest.raises(OutsideSpaceError, match=r"column 'job' at row 5 is not one of") as caught:
        nw.workloads.Workload.marginals(DOMAIN).answers(batches)
    assert "spy" not in str(caught.value)
    assert caught.value.row == 4


@pytest.mark.parametrize(
    "column",
    [[0, 1], np.array([0, 1]), pa.array([0, 1]), pd.Series([0, 1]), pl.Series([0, 1])],
    ids=["list", "numpy", "Arrow", "pandas", "Polars"],
)
@pytest.mark.parametrize("labels", [["no", "yes"], [True, False]], ids=["texts", "truth values"])
def test_whole_numbers_are_not_taken_for_places_of_labels(column: Any, labels: list[Any]) -> None:
    """0 and 1 might mean no and yes, or yes and no: the table must say."""
    workload = nw.workloads.Workload.marginals(nw.Records(smokes=nw.Categories(labels)))
    with pytest.raises(OutsideSpaceError, match="column 'smokes' at row 1"):
        workload.answers({"smokes": column})


VALUES: dict[str, list[Any]] = {"job": ["cook", "judge"], "kids": [0, 1], "pay": [0.5, 1.0]}
GAPS: dict[str, Any] = {
    "list": lambda column: column,
    "numpy": lambda column: np.array(column, dtype=object),
    "floats": lambda column: np.array([np.nan if v is None else 1.0 for v in column]),
    "Arrow": lambda column: pa.array(column),
    "pandas": lambda column: pd.Series(column),
    "Polars": lambda column: pl.Series(column),
}


@pytest.mark.parametrize(
    ("name", "form"),
    [(n, f) for n in ("job", "kids", "pay") for f in GAPS if (n, f) != ("job", "floats")],
)
def test_an_empty_cell_is_named_by_its_place(name: str, form: str) -> None:
    column = GAPS[form]([VALUES[name][1]] * 3 + [None, VALUES[name][0]])
    with pytest.raises(OutsideSpaceError, match=f"column {name!r} at row 4 is empty") as caught:
        nw.workloads.Workload.marginals(DOMAIN, columns=[name]).answers({name: column})
    assert caught.value.row == 3
