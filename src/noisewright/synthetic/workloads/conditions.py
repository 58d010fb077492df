"""What one column must be: a value, one of several, a range, or anything but.

    "cook"   ["cook", "judge"]   {"at_least": 20, "at_most": 29}   {"not": ["cook"]}

The same in Python and in a file; inside, the codes that are allowed. A condition that is a
function is asked about each cell of declared columns, once, and never about a row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import (
    InputError,
    OutsideSpaceError,
    ParameterError,
    SpaceError,
    TooLargeError,
)
from noisewright.exact import exactly
from noisewright.spaces import Dates, Interval, Records, Space
from noisewright.synthetic.workloads.counting_queries import is_run

_WORDS = ("at_least", "at_most", "not")
_MOST_LISTED = 1 << 22


def read_condition(domain: Records, name: str, given: Any) -> tuple[int, ...]:
    """Return the codes that a condition on a column allows, in order."""
    space = domain.by_name[name]
    if isinstance(given, Mapping):
        return _read_mapping(space, name, dict(given))
    return tuple(sorted(_values(space, name, given)))


def _read_mapping(space: Space, name: str, given: dict[Any, Any]) -> tuple[int, ...]:
    unknown = [word for word in given if word not in _WORDS]
    if unknown or not given or ("not" in given and len(given) > 1):
        raise InputError(
            f"the condition on {name!r} says {', '.join(map(repr, given)) or 'nothing'}; it must "
            "be 'at_least', 'at_most' or both, or 'not'."
        )
    if space.size > _MOST_LISTED:
        raise TooLargeError(
            f"the column {name!r} has {space.size:,} points; a condition says which of them it "
            f"allows (at most {_MOST_LISTED:,}). Declare a coarser grid.",
            size=space.size,
        )
    if "not" in given:
        refused = _values(space, name, given["not"])
        codes = tuple(code for code in range(space.size) if code not in refused)
        if not codes:
            raise InputError(
                f"the condition on {name!r} excludes every value, so it counts nobody."
            )
        return codes
    require_order(space, name)
    low = code_of(space, name, given["at_least"]) if "at_least" in given else 0
    high = code_of(space, name, given["at_most"]) if "at_most" in given else space.size - 1
    if low > high:
        raise InputError(f"the range of {name!r} ends before it begins, so it counts nobody.")
    return tuple(range(low, high + 1))


def _values(space: Space, name: str, given: Any) -> set[int]:
    """Return the codes of one value or several."""
    several = isinstance(given, (list, tuple, set, frozenset)) and given not in space
    codes = {code_of(space, name, one) for one in (given if several else [given])}
    if not codes:
        raise InputError(f"the condition on {name!r} lists no values.")
    return codes


def code_of(space: Space, name: str, value: Any) -> int:
    """Return the code of a value in a query; a number on a grid may be a text such as '1/3'."""
    try:
        if isinstance(space, Interval) and not isinstance(space, Dates) and isinstance(value, str):
            value = exactly(value)
        return space.code(value)
    except (OutsideSpaceError, ParameterError):
        # A query is no record: what its author wrote may be shown.
        raise OutsideSpaceError(
            f"the column {name!r} has no value {value!r}; it is {space!r}."
        ) from None


def require_order(space: Space, name: str) -> None:
    """Raise where a range was asked for, and the column has no order."""
    if not space.ordered:
        raise SpaceError(
            f"column {name!r} has no order, so it has no ranges. List values, as in "
            f"conjunctions(domain, [{{{name!r}: [...]}}])."
        )


def write_condition(space: Space, codes: tuple[int, ...]) -> Any:
    """Return the shortest condition that allows these codes, as `read_condition` reads it."""
    if len(codes) > 1 and space.ordered and is_run(codes):
        low, high = codes[0], codes[-1]
        written = {"at_least": write_value(space, low)} if low else {}
        if not low or high < space.size - 1:
            written["at_most"] = write_value(space, high)
        return written
    values = [write_value(space, code) for code in codes]
    return values[0] if len(values) == 1 else values


def write_value(space: Space, code: int) -> str | int | float | Fraction:
    """Return a point as a file has it: numbers on a grid exactly, labels as they are."""
    if isinstance(space, Dates):
        return space.show(space.low + code)
    if isinstance(space, Interval):
        return space.low + code * space.step
    point = space.point(code)
    if not isinstance(point, (str, int, float)):
        raise InputError(
            f"a value of {space!r} is of type {type(point).__name__}, which a file of queries "
            "cannot hold."
        )
    return point


def ask_cells(
    spaces: Sequence[Space], holds: Callable[..., Any], name: str, vectorized: bool
) -> NDArray[np.bool_]:
    """Return for each cell whether the condition holds."""
    if not callable(holds):
        raise InputError(f"the condition {name!r} is a {type(holds).__name__}; give a function.")
    _require_arguments(holds, name, len(spaces))
    if vectorized:
        return _at_once(spaces, holds, name)
    cells = product(*(space.points for space in spaces))
    found = [_answer(holds, name, cell) for cell in cells]
    for answer in found:
        if not isinstance(answer, (bool, np.bool_)):
            raise InputError(
                f"the condition {name!r} returned a {type(answer).__name__} for a cell; it must "
                "return True or False."
            )
    return np.array(found, dtype=np.bool_)


def _require_arguments(holds: Callable[..., Any], name: str, count: int) -> None:
    try:
        signature = inspect.signature(holds)
    except (TypeError, ValueError):
        # Some functions written in C do not say what they take.
        return
    try:
        signature.bind(*(None for _ in range(count)))
    except TypeError as problem:
        raise InputError(
            f"the condition {name!r} cannot be called with {count} "
            f"{'value' if count == 1 else 'values'}, one for each of columns=; it takes "
            f"{signature}."
        ) from problem


def _answer(holds: Callable[..., Any], name: str, values: Sequence[Any]) -> Any:
    try:
        return holds(*values)
    except Exception as problem:
        # What it says is about a declared cell, never about a row of a table.
        raise InputError(
            f"the condition {name!r} raised a {type(problem).__name__}; it must be able to tell "
            "for every declared value of its columns, including those that no row has."
        ) from problem


def _at_once(spaces: Sequence[Space], holds: Callable[..., Any], name: str) -> NDArray[np.bool_]:
    shape = tuple(space.size for space in spaces)
    codes = np.indices(shape, sparse=False).reshape(len(shape), -1)
    values = [space.decode(code) for space, code in zip(spaces, codes, strict=True)]
    found = np.asarray(_answer(holds, name, values))
    if found.dtype != np.bool_ or found.shape != (prod(shape),):
        raise InputError(
            f"the condition {name!r} returned an array of {found.dtype} of shape {found.shape}; it "
            f"must return {prod(shape):,} truth values, one for each cell."
        )
    return found
