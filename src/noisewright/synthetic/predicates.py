"""Conditions that the caller wrote, asked about the cells of declared columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.spaces import Space


def asked_of_cells(
    spaces: Sequence[Space], holds: Callable[..., Any], name: str, vectorized: bool
) -> NDArray[np.bool_]:
    """Return for each cell whether the condition holds."""
    if not callable(holds):
        raise InputError(f"the condition {name!r} is a {type(holds).__name__}; give a function.")
    if vectorized:
        return _at_once(spaces, holds, name)
    found = [holds(*cell) for cell in product(*(space.points for space in spaces))]
    for answer in found:
        if not isinstance(answer, (bool, np.bool_)):
            raise InputError(
                f"the condition {name!r} returned a {type(answer).__name__} for a cell; it must "
                "return True or False."
            )
    return np.array(found, dtype=np.bool_)


def _at_once(spaces: Sequence[Space], holds: Callable[..., Any], name: str) -> NDArray[np.bool_]:
    shape = tuple(space.size for space in spaces)
    codes = np.indices(shape, sparse=False).reshape(len(shape), -1)
    values = [space.decode(code) for space, code in zip(spaces, codes, strict=True)]
    found = np.asarray(holds(*values))
    if found.dtype != np.bool_ or found.shape != (prod(shape),):
        raise InputError(
            f"the condition {name!r} returned an array of {found.dtype} of shape {found.shape}; it "
            f"must return {prod(shape):,} truth values, one for each cell."
        )
    return found
