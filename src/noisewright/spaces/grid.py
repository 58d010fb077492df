"""Numbers and their places on a grid: exact where a rounding could go either way.

A number x lies (x − origin) / step steps from the origin. Rounding takes the nearest whole
number of steps, and the upper one in a tie: ⌊steps + 1/2⌋. So two numbers that are at most k
whole steps apart are at most k apart when rounded (rounding ties to even would not keep that).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Number, exactly

SNAP = 1e-6
"""A double counts as a grid point within this fraction of a step (0.3 on a grid of 0.1)."""

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Steps:
    """How many steps a number is from the origin, and the nearest whole number of them."""

    exact: Fraction
    nearest: int

    @property
    def on_grid(self) -> bool:
        """Whether the number counts as a grid point."""
        return abs(self.exact - self.nearest) <= SNAP


def as_written(value: Number, *, name: str) -> Fraction:
    """Read a bound as the decimal that was typed: a grid from 0 to 1 by 0.1 has 11 points.

    Bounds are labels of the grid, not privacy parameters, so the double nearest to 0.1 need
    not be taken at its word here.
    """
    return exactly(repr(float(value)) if isinstance(value, float) else value, name=name)


def steps_to(point: Any, origin: Fraction, step: Fraction) -> Steps | None:
    """Return how many steps a number is from the origin; None if it is not a finite number."""
    try:
        if isinstance(point, str):
            raise ParameterError("a text is not a number")
        exact = (exactly(point, name="the value") - origin) / step
    except ValueError:
        return None
    return Steps(exact, math.floor(exact + _HALF))


def round_to_grid(
    numbers: NDArray[np.float64], origin: Fraction, step: Fraction
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the steps of finite numbers as doubles, and the nearest whole ones exactly.

    A double decides unless it is close to a tie; those few are settled with fractions.
    """
    steps = (numbers - float(origin)) / float(step)
    nearest = np.floor(steps + 0.5)
    slack = 1e-9 + 1e-14 * (np.abs(steps) + abs(float(origin / step)))
    close = np.flatnonzero(np.abs(np.abs(steps - nearest) - 0.5) <= slack)
    if close.size:
        values, inverse = np.unique(numbers[close], return_inverse=True)
        exact = [math.floor((Fraction(v) - origin) / step + _HALF) for v in values.tolist()]
        nearest[close] = np.array(exact, dtype=np.float64)[inverse]
    return steps, nearest


def grid_values(codes: NDArray[Any], origin: Fraction, step: Fraction) -> NDArray[np.float64]:
    """Return origin + step · code as doubles, each rounded once."""
    scale = math.lcm(origin.denominator, step.denominator)
    first, unit = int(origin * scale), int(step * scale)
    largest = max((abs(int(codes.min())), abs(int(codes.max()))) if codes.size else (0, 0))
    if max(scale, abs(first) + unit * largest) >> 53:
        return np.array([float(origin + code * step) for code in codes.tolist()])
    # Both whole numbers are exact as doubles, so their quotient is rounded once, as `point` is.
    return (first + codes.astype(np.int64) * unit) / scale
