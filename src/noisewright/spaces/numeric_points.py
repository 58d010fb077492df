"""Points as exact numbers, for what needs to subtract or average them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisewright.errors import InputError, ParameterError
from noisewright.exact import exactly
from noisewright.spaces.counts import Counts
from noisewright.spaces.interval import Interval
from noisewright.spaces.space import Space


def numbers(space: Space) -> list[Fraction]:
    """Return the points of a space as exact numbers."""
    if isinstance(space, Counts):
        return [Fraction(count) for count in range(space.size)]
    if isinstance(space, Interval):
        # Not from its points, which are doubles: 0.1 + 2 · 0.1 should be 3/10.
        return [space.low + code * space.step for code in range(space.size)]
    try:
        # A text that looks like a number is a label.
        return [_number(point) for point in space.points]
    except InputError as problem:
        raise ParameterError(
            f"signed errors need points that are numbers; those of {space!r} are not. Use "
            "nw.analysis.error_profile, or nw.loss with a matrix."
        ) from problem


def _number(point: Any) -> Fraction:
    if isinstance(point, str):
        raise ParameterError("a text is not a number.")
    return exactly(point, name="a point")
