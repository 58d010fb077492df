"""Predictions at some budgets, and monotone curves through them: proposes, and never decides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

Curve = Literal["copy", "central", "synthetic", "asked", "shuffled", "kept"]

BUDGETS = tuple(map(Fraction, ("0.02", "0.05", "0.12", "0.3", "0.7", "1.6", "4", "9", "20")))
ROWS = tuple(
    Fraction(ticks, 100)
    for ticks in (2, 5, 12, 30, 70, 140, 250, 400, 550, 700, 900, 1100, 1350, 1650, 2000, 2600)
)
DELTAS = (1e-15, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)
_APART = 8.0
"""Between predictions whose budgets differ by a larger factor, nothing is estimated."""


class PreviewTask(NamedTuple):
    """A prediction to be made: of which curve, for which δ if it depends on one, and where."""

    curve: Curve
    delta: Fraction
    at: Fraction


@final
@dataclass(frozen=True)
class Knot:
    """What was predicted at one budget: values, or why there are none; and the ρ of the budget."""

    values: tuple[float | None, ...] | None
    notes: tuple[str, ...] = ()
    rho: float | None = None

    @property
    def numbers(self) -> NDArray[Any]:
        """The values, with nan for those that there are none of."""
        return np.array(self.values, dtype=np.float64)

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"values": self.values, "notes": self.notes, "rho": self.rho}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Knot:
        """Read what `plain` returned."""
        values = plain["values"]
        return cls(None if values is None else tuple(values), tuple(plain["notes"]), plain["rho"])


def errors_between(knots: Mapping[Fraction, Knot], at: float) -> Knot | None:
    """Return errors by a curve through predictions; None where they are too far apart."""
    failed = next((knot for knot in knots.values() if knot.values is None), None)
    if failed is not None:
        return failed
    places = sorted(knots)
    above = next((number for number, one in enumerate(places) if float(one) >= at), None)
    if not above or float(places[above] / places[above - 1]) > _APART:
        return None
    # Only what is near matters, and there predictions are close enough together.
    first, last = above - 1, above
    while first > 0 and float(places[first] / places[first - 1]) <= _APART:
        first -= 1
    while last + 1 < len(places) and float(places[last + 1] / places[last]) <= _APART:
        last += 1
    near = places[first : last + 1]
    table = np.array([knots[one].numbers for one in near])
    x = np.log([float(one) for one in near])
    found = np.exp(curve_through(x, np.log(np.maximum(table, 1e-300)), math.log(at)))
    # Beside an error of 0, logarithms say nothing: there a line has to do.
    low, high = table[above - 1 - first], table[above - first]
    part = (math.log(at) - x[above - 1 - first]) / (x[above - first] - x[above - 1 - first])
    found = np.where(np.minimum(low, high) > 0, found, low + part * (high - low))
    notes = knots[min(near, key=lambda one: abs(math.log(float(one) / at)))].notes
    return Knot(tuple(None if math.isnan(one) else float(one) for one in found), notes)


def curve_through(x: NDArray[Any], values: NDArray[Any], at: float) -> NDArray[Any]:
    """Return each column at a place, by a cubic that is monotone where its points are.

    Requires: places that grow, one of them at or above and one at or below `at`.
    Source: Fritsch and Butland 1984, as in scipy's PchipInterpolator (whose import takes longer
    than all this).
    """
    steps = np.diff(x)[:, None]
    slopes = np.diff(values, axis=0) / steps
    place = min(max(int(np.searchsorted(x, at)) - 1, 0), len(x) - 2)
    step = float(steps[place, 0])
    left, right = (_tangent(steps, slopes, end) for end in (place, place + 1))
    t = (at - float(x[place])) / step
    return (
        (1 + 2 * t) * (1 - t) ** 2 * values[place]
        + t * (1 - t) ** 2 * step * left
        + t * t * (3 - 2 * t) * values[place + 1]
        + t * t * (t - 1) * step * right
    )


def _tangent(steps: NDArray[Any], slopes: NDArray[Any], place: int) -> NDArray[Any]:
    """Return the slope at a point: 0 where neighbors disagree on its sign, else between theirs."""
    if len(slopes) == 1:
        return slopes[0]
    if place in (0, len(slopes)):
        ends = (0, 1) if place == 0 else (-1, -2)
        near, far = (steps[end] for end in ends)
        one, two = (slopes[end] for end in ends)
        slope = ((2 * near + far) * one - near * two) / (near + far)
        slope = np.where(np.sign(slope) != np.sign(one), 0.0, slope)
        steep = (np.sign(one) != np.sign(two)) & (np.abs(slope) > 3 * np.abs(one))
        return np.where(steep, 3 * one, slope)
    before, after = slopes[place - 1], slopes[place]
    first = 2 * steps[place] + steps[place - 1]
    second = steps[place] + 2 * steps[place - 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (first + second) / (first / before + second / after)
    return np.where(before * after > 0, mean, np.where(np.isnan(before + after), np.nan, 0.0))


def in_halves(places: Sequence[Fraction]) -> list[Fraction]:
    """Return all places, the ends first, and then always the middle of a gap."""
    chosen = [0, len(places) - 1]
    while len(chosen) < len(places):
        gaps = [(low + high) // 2 for low, high in pairwise(sorted(chosen)) if high > low + 1]
        chosen += gaps
    return [places[number] for number in chosen]
