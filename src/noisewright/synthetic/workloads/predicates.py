"""Conditions that the caller wrote, asked about the cells of declared columns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.spaces import Space


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
            "for every declared value of its columns, also those that no row has."
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
