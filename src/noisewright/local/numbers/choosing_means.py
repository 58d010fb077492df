"""Which way to report a number for a mean: the least variance in the worst case.

On [−1, 1], with e = e^ε, Duchi's one bit has the variance ((e + 1) / (e − 1))² − t², largest in the
middle; the piecewise mechanism t² / (√e − 1) + (√e + 3) / (3 (√e − 1)²), largest at the ends. Their
mixture, the hybrid mechanism, balances the two: with the piecewise mechanism in a share
1 − e^(−ε/2) of reports the variance is the same everywhere. Below ε = 0.61 it is Duchi's alone.
(Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu 2019.)

On a grid all of these are rationals. The published windows are e^(−ε/2) times as wide as the way
that they move; others have a smaller variance in the worst case, by 3% at ε = 1 and by a third at
ε = 4. The widths and the share that are taken here are those of the least variance on the grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.local.families.ends import Ends
from noisewright.local.families.summed import MOST_OUTPUTS, SummedWindows
from noisewright.local.numbers.moments import Contribution, MeanLaw
from noisewright.local.one_of_several import OneWayOfSeveral
from noisewright.local.randomizer import BlockResponse, block_response

METHODS = ("duchi", "piecewise", "hybrid")
_WEIGHTS = 1 << 16
_FINEST = 1 << 12
"""Strides above 1 are tried for grids of which windows would start at so many places at most."""
_STRIDES = 8
_WIDTHS = 1 << 12
_LARGE = 200.0
"""Beyond this ε doubles may overflow, and no width is better than 1."""
_SAME = Fraction(1001, 1000)
"""Longer reports must be better by more."""

Way = BlockResponse | OneWayOfSeveral
Doubles = NDArray[np.float64]
Score = Callable[[int, int, Doubles, float], Doubles]


@dataclass(frozen=True)
class MeanChoice:
    """A randomizer for numbers, what its reports say, the word for it, and why it was taken."""

    method: str
    randomizer: Way
    law: MeanLaw
    why: str = "You chose this method."


def choose_mean(last: int, epsilon: Epsilon, method: str | None) -> MeanChoice:
    """Return the way to report codes 0 … last, or the one that was asked for by name."""
    makers = {"duchi": _duchi, "piecewise": _piecewise, "hybrid": _hybrid}
    if method is not None:
        return makers[method](last, epsilon)
    found = [_duchi(last, epsilon)]
    if last < MOST_OUTPUTS // 16:
        found += [_piecewise(last, epsilon), _hybrid(last, epsilon)]
    best = min(found, key=lambda one: (one.law.worst, one.randomizer.length))
    return MeanChoice(best.method, best.randomizer, best.law, _explain(best, found))


def _explain(best: MeanChoice, found: list[MeanChoice]) -> str:
    others = ", ".join(
        f"that of {one.method} is {float(one.law.worst / best.law.worst):.3g} times as large"
        for one in found
        if one is not best
    )
    rest = f" In comparison, {others}." if others else " The grid is too fine for windows."
    return f"{best.method.capitalize()} has the least variance in the worst case.{rest}"


def _single(method: str, response: BlockResponse, last: int) -> MeanChoice:
    law = MeanLaw((Contribution.of(response),), (Fraction(1),), last)
    return MeanChoice(method, response, law)


def _duchi(last: int, epsilon: Epsilon) -> MeanChoice:
    return _single("duchi", block_response(Ends(last + 1), epsilon), last)


def _piecewise(last: int, epsilon: Epsilon) -> MeanChoice:
    """Return the windows of the least worst variance; doubles propose, rationals decide."""
    return _best(
        _single("piecewise", block_response(windows, epsilon), last)
        for windows in _windows(last, epsilon.floor(), _at_ends)
    )


def _best(found: Iterable[MeanChoice]) -> MeanChoice:
    """Return the one of the least worst variance; longer reports must be worth it."""
    first, *others = found
    best = first
    for one in others:
        longer = one.randomizer.length > best.randomizer.length
        if one.law.worst * (_SAME if longer else 1) < best.law.worst:
            best = one
    return best


def _windows(last: int, epsilon: float, score: Score) -> Iterator[SummedWindows]:
    """Return the widths that seem best for each stride, with their neighbors."""
    if last >= MOST_OUTPUTS // 16:
        raise ParameterError(
            f"there are {last + 1:,} numbers; windows are for less than 2^28. Take a coarser step, "
            "or method='duchi'."
        )
    for stride in range(1, max(min(_STRIDES, _FINEST // last), 1) + 1):
        low, high = max(last * stride * math.exp(-epsilon / 2) / 8, 1.0), 8.0 * last * stride
        while True:
            few = high - low <= _WIDTHS
            if few:
                widths = np.arange(int(low), int(high) + 1, dtype=np.float64)
            else:
                widths = np.unique(np.rint(np.geomspace(low, high, _WIDTHS)))
            at = int(np.argmin(score(last, stride, widths, min(epsilon, _LARGE))))
            if few:
                break
            low, high = widths[max(at - 1, 0)], widths[min(at + 1, widths.size - 1)]
        best = int(widths[at])
        for width in {max(best - 1, 1), best, best + 1}:
            yield SummedWindows(last + 1, width, stride)


def _variances(
    last: int, stride: int, w: Doubles, epsilon: float
) -> tuple[Doubles, Doubles, float, float]:
    """Return the variances of windows at the ends and in the middle, and those of Duchi's bit."""
    more = math.expm1(epsilon)
    k = last * stride + w
    q = 1 / (k + more * w)
    scale = (more * q * w * stride) ** 2
    first = q * (k * (k - 1) + more * w * (w - 1)) / 2
    second = q * ((k - 1) * k * (2 * k - 1) + more * (w - 1) * w * (2 * w - 1)) / 6
    half = last * stride / 2
    rise = more * q * (w * half**2 + half * w * (w - 1))
    ends, middle = (second - first**2) / scale, (second + rise - ((k - 1) / 2) ** 2) / scale
    duchi = (last / 2 / math.tanh(epsilon / 2)) ** 2
    return ends, middle, duchi - (last / 2) ** 2, duchi


def _at_ends(last: int, stride: int, w: Doubles, epsilon: float) -> Doubles:
    """Return the largest variance of windows, which they have at the ends."""
    return _variances(last, stride, w, epsilon)[0]


def _balance(last: int, stride: int, w: Doubles, epsilon: float) -> Doubles:
    """Return the variance of the mixture that is the same at the ends and in the middle."""
    ends, middle, duchi_ends, duchi_middle = _variances(last, stride, w, epsilon)
    share = (duchi_middle - duchi_ends) / (ends - middle + duchi_middle - duchi_ends)
    mixed = share * ends + (1 - share) * duchi_ends
    return np.where(middle < duchi_middle, mixed, duchi_middle)


def _hybrid(last: int, epsilon: Epsilon) -> MeanChoice:
    """Return the mixture whose variance is the same at the ends and in the middle, if it helps."""
    duchi = _duchi(last, epsilon)
    best = _best(
        [
            duchi,
            *(
                _mix(_single("piecewise", block_response(windows, epsilon), last), duchi)
                for windows in _windows(last, epsilon.floor(), _balance)
            ),
        ]
    )
    if best is not duchi:
        return best
    why = "You chose this method; with so small an epsilon, or so few numbers, it is Duchi's alone."
    return MeanChoice("hybrid", duchi.randomizer, duchi.law, why)


def _mix(piecewise: MeanChoice, duchi: MeanChoice) -> MeanChoice:
    """Return both with the share of the first that balances them."""
    last = duchi.law.last
    middle = last // 2
    rise = piecewise.law.variance(0) - piecewise.law.variance(middle)
    fall = duchi.law.variance(middle) - duchi.law.variance(0)
    share = fall / (rise + fall) if rise + fall else Fraction(1, 2)
    weight = min(max(round(share * _WEIGHTS), 1), _WEIGHTS - 1)
    chances = Fraction(weight, _WEIGHTS), Fraction(_WEIGHTS - weight, _WEIGHTS)
    law = MeanLaw((*piecewise.law.parts, *duchi.law.parts), chances, last)
    parts = (piecewise.randomizer, duchi.randomizer)
    return MeanChoice("hybrid", OneWayOfSeveral(parts, (weight, _WEIGHTS - weight)), law)
