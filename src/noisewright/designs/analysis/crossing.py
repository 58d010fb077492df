"""Where a falling function reaches zero, in few evaluations."""

from __future__ import annotations

import math
from collections.abc import Callable

_GROWTH, _POWER, _SLACK = 0.2, 2.0, 1


def crossing(
    function: Callable[[float], float], low: float, high: float, *, width: float
) -> tuple[float, float]:
    """Return low < high at most `width` apart with function(low) > 0 ≥ function(high).

    Requires: low < high, function(low) > 0 ≥ function(high).
    Ensures: at most one evaluation more than bisection, and far fewer on smooth functions.
    Source: Oliveira–Takahashi 2020, the ITP method: interpolate, truncate, project.
    """
    above, below = function(low), function(high)
    half_width = width / 2
    steps = max(0, math.ceil(math.log2((high - low) / width))) + _SLACK
    reach = half_width * 2.0**steps
    growth = _GROWTH / (high - low)
    while high - low > width:
        middle = (low + high) / 2
        point = _interpolate(low, high, above, below)
        toward = math.copysign(1.0, middle - point)
        # A step towards the middle lets the far end move as well.
        shift = growth * (high - low) ** _POWER
        truncated = point + toward * shift if shift <= abs(middle - point) else middle
        radius = reach - (high - low) / 2
        near = abs(truncated - middle) <= radius
        trial = truncated if near else middle - toward * radius
        if not low < trial < high:
            trial = middle
            if not low < trial < high:
                break  # neighboring doubles
        value = function(trial)
        if value > 0:
            low, above = trial, value
        else:
            high, below = trial, value
        reach /= 2
    return low, high


def _interpolate(low: float, high: float, above: float, below: float) -> float:
    if not (math.isfinite(above) and math.isfinite(below)):
        return (low + high) / 2
    return (above * high - below * low) / (above - below)
