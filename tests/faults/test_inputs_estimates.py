"""What someone is told whose released data and mechanism do not fit together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, ParameterError, TooLargeError

COLORS = nw.Categories(["red", "green", "blue"])
RESPONSE = nw.randomized_response(COLORS, epsilon=1)
PRODUCT = nw.combine.product(color=RESPONSE, children=nw.geometric(nw.Counts(4), epsilon=1))
GOOD = {"color": ["red", "blue"], "children": [0, 4]}


def with_last(**changed: Any) -> Any:
    """A table of three batches whose last row is changed."""
    rows = {name: [*values, *values, values[0]] for name, values in GOOD.items()}
    for name, value in changed.items():
        rows[name][-1] = value
    return pa.table(rows).to_batches(max_chunksize=2)


CASES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a value that was never released": (
        lambda: nw.estimate(["red", "pink"], RESPONSE),
        OutsideSpaceError,
        "row 2 is not an output",
    ),
    "a null": (lambda: nw.estimate(pa.array(["red", None]), RESPONSE), OutsideSpaceError, "empty"),
    "a null in a table": (
        lambda: nw.estimate(with_last(color=None), PRODUCT),
        OutsideSpaceError,
        "column 'color' at row 5 .*empty",
    ),
    "a row in a later batch": (
        lambda: nw.estimate(with_last(children=9), PRODUCT),
        OutsideSpaceError,
        "column 'children' at row 5 ",
    ),
    "nobody": (lambda: nw.estimate([], RESPONSE), ParameterError, "no released rows"),
    "no rows": (
        lambda: nw.estimate(pa.table(GOOD).slice(0, 0), PRODUCT),
        ParameterError,
        "no released rows",
    ),
    "counts of nobody": (lambda: nw.estimate({"red": 0}, RESPONSE), ParameterError, "no released"),
    "a negative count": (lambda: nw.estimate({"red": -1}, RESPONSE), ParameterError, "'red'"),
    "a count of something else": (
        lambda: nw.estimate({"pink": 1}, RESPONSE),
        InputError,
        "'pink' is counted",
    ),
    "a missing column": (
        lambda: nw.estimate({"color": ["red"]}, PRODUCT),
        InputError,
        "no column 'children'",
    ),
    "columns of different lengths": (
        lambda: nw.estimate({"color": ["red"], "children": [0, 1]}, PRODUCT),
        InputError,
        "different lengths",
    ),
    "a column that is not in the product": (
        lambda: nw.estimate(GOOD, PRODUCT, of="colour"),
        InputError,
        "'color', 'children'",
    ),
    "a column twice": (
        lambda: nw.estimate(GOOD, PRODUCT, of=("color", "color")),
        InputError,
        "different columns",
    ),
    "no table": (lambda: nw.estimate(GOOD, PRODUCT, of=[]), InputError, "of is empty"),
    "not a table": (lambda: nw.estimate(np.zeros(3), PRODUCT), InputError, "ndarray"),
    "a list instead of a table": (lambda: nw.estimate(["red"], PRODUCT), InputError, "mapping"),
    "a file that is not there": (
        lambda: nw.estimate(Path("nowhere.parquet"), PRODUCT),
        InputError,
        "no file",
    ),
    "another space": (
        lambda: nw.estimate([0, 1], nw.geometric(nw.Counts(1), epsilon=1), of="color"),
        InputError,
        "'color'",
    ),
    "a method": (lambda: nw.estimate(["red"], RESPONSE, method="ml"), ParameterError, "likelihood"),
    "whom": (lambda: nw.estimate(["red"], RESPONSE, about="me"), ParameterError, "population"),
    "confidence": (
        lambda: nw.estimate(["red"], RESPONSE, confidence=95),
        ParameterError,
        "between 0 and 1",
    ),
    "a table too large": (
        lambda: nw.estimate(
            {name: [0] for name in "abcdef"},
            nw.combine.product(
                {n: nw.randomized_response(nw.Counts(99), epsilon=1) for n in "abcdef"}
            ),
        ),
        TooLargeError,
        "of='pairs'",
    ),
    "no mechanism": (lambda: nw.estimate(["red"], COLORS), InputError, "mechanism"),  # pyright: ignore[reportArgumentType]
    "one answer of many": (
        lambda: nw.estimate(["red"], RESPONSE).value,
        InputError,
        "3 answers",
    ),
    "a label that is not there": (
        lambda: nw.estimate(["red"], RESPONSE)["pink"],
        InputError,
        "'pink'",
    ),
    "too few labels": (lambda: nw.estimate(GOOD, PRODUCT)["red"], InputError, "color, children"),
}


@pytest.mark.parametrize("name", list(CASES))
def test_the_message_says_what_to_do(name: str) -> None:
    call, kind, message = CASES[name]
    with pytest.raises(kind, match=message):
        call()


def test_one_person_is_enough() -> None:
    for about in ("people", "population"):
        found = nw.estimate(["red"], RESPONSE, about=about)
        assert found.people == 1
        assert np.isfinite(found.intervals).all()
