"""The least value of a smooth convex function of many numbers: L-BFGS, with a scale for each.

Steps are along the gradient, each number at its own scale, turned by what the last steps have shown
of the curvature (Liu–Nocedal 1989). A step is good when the value falls, and the slope along it
too, as it should (Armijo and weak Wolfe conditions, found by doubling and halving).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_REMEMBERED = 10
_FALL, _SLOPE = 1e-4, 0.9
_TRIES = 20


def dot(first: Array, second: Array) -> float:
    """Return the sum of products, in one thread: the same on every machine, whatever it has."""
    return float(np.einsum("i,i", first, second))


def lowest(
    function: Callable[[Array], tuple[float, Array]],
    start: Array,
    scales: Array,
    *,
    steps: int,
    is_enough: Callable[[int, Array], bool],
) -> Array:
    """Return where the function is nearly least, or the best that so many steps come to.

    `function` returns a value and a gradient; `scales` are about its second derivatives, all above
    zero; `is_enough` is asked with the number of steps done and the gradient there.
    Ensures: the value is at most that of the start; the same numbers give the same answer.
    """
    place, (value, slope) = start, function(start)
    known: deque[tuple[Array, Array]] = deque(maxlen=_REMEMBERED)
    for done in range(steps):
        if is_enough(done, slope):
            break
        way = -_turn(slope, known, scales)
        fall = dot(slope, way)
        if not fall < 0:
            # Rounding has spoilt what was known of the curvature.
            known.clear()
            way = -slope / scales
            fall = dot(slope, way)
        found = _along(function, place, value, way, fall)
        if found is None:
            if not known:
                break
            known.clear()
            continue
        there, value, new_slope = found
        step, change = there - place, new_slope - slope
        if dot(step, change) > 0:
            known.append((step, change))
        place, slope = there, new_slope
    return place


def _turn(slope: Array, known: deque[tuple[Array, Array]], scales: Array) -> Array:
    """Return the inverse of the curvature, as far as it is known, times the gradient."""
    way, back = slope.copy(), list[tuple[Array, Array, float, float]]()
    for step, change in reversed(known):
        weight = 1 / dot(step, change)
        part = weight * dot(step, way)
        way -= part * change
        back.append((step, change, weight, part))
    way /= scales
    if known:
        step, change = known[-1]
        way *= dot(step, change) / dot(change, change / scales)
    for step, change, weight, part in reversed(back):
        way += (part - weight * dot(change, way)) * step
    return way


def _along(function: Any, place: Array, value: float, way: Array, fall: float) -> Any:
    """Return a better place in this direction with its value and gradient, or None."""
    low, high, far = 0.0, float("inf"), 1.0
    best = None
    for _ in range(_TRIES):
        there = place + far * way
        new, slope = function(there)
        # Not a number is never below.
        if not new <= value + _FALL * far * fall:
            high = far
        else:
            best = (there, new, slope)
            if dot(slope, way) >= _SLOPE * fall:
                break
            low = far
        far = (low + high) / 2 if high < float("inf") else 2 * low
    return best
