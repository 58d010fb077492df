"""The law of the noise of several cells together, and of weighted sums of such noises.

Noise is drawn exactly; here is what is known of its law, so that floating point is fine. A law is a
list of chances on a grid of whole numbers, or of steps of a 256th of its deviation where that is
more than one. It comes from the characteristic function of one draw,

    two-sided geometric, a = e^-decay    (1 − a)² / (1 − 2a cos θ + a²)
    rounded normal of deviation σ        Σ_k P(z = k) cos kθ

raised to the number of cells, by a Fourier transform. Noise on K cells that adds up to 0 is
independent noise given that: m of its cells have the sum t with a chance in proportion to that of t
for m independent cells, times that of −t for the other K − m.

Half widths are rounded up: to whole numbers, or to the next step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic.steps.balanced_law import STEEPEST
from noisewright.synthetic.steps.noise import Noise

Array = NDArray[np.float64]

_FINE = 256
"""Steps of a grid in one standard deviation, where the grid is coarser than whole numbers."""

_REACH, _TAIL = 13.0, 45.0
"""How far a grid goes: in deviations, and for geometric noise in units of 1 / decay besides."""

_ROUNDING = 1e-10
"""What chances on a grid may lack."""

_NORMAL_FROM = 8.0
"""From this deviation on, rounding normal noise is as good as adding a uniform number."""


@final
@dataclass(frozen=True, eq=False)
class SumLaw:
    """Chances of −r·step … r·step, which are those of their negatives."""

    step: float
    chances: Array

    @property
    def reach(self) -> int:
        """How many steps it goes to each side."""
        return self.chances.size // 2

    @property
    def deviation(self) -> float:
        """Its standard deviation."""
        places = np.arange(-self.reach, self.reach + 1)
        return self.step * math.sqrt(float(self.chances @ places.astype(np.float64) ** 2))

    def half_width(self, miss: float) -> float:
        """Return t with P(|sum| > t) ≤ miss: the least, or the next step after it."""
        # P(|sum| > k steps), summed from the far ends so that small chances keep their digits.
        beyond = 2 * np.cumsum(self.chances[: self.reach])[::-1]
        inside = np.flatnonzero(beyond <= miss - _ROUNDING)
        steps = int(inside[0]) if inside.size else self.reach
        return self.step * (steps if self.step == 1 else steps + 1)


def sum_law(noise: Noise, cells: int) -> SumLaw:
    """Return the law of the noise of so many cells of one marginal, or of as many draws."""
    balanced = noise.balanced_cells
    if cells == 0 or balanced == cells:
        return SumLaw(1.0, np.ones(1))
    if balanced is not None:
        # The others have the same sum but for its sign.
        cells = min(cells, balanced - cells)
    return _law(replace(noise, balanced_cells=None), cells, balanced)


@lru_cache(maxsize=512)
def _law(noise: Noise, cells: int, balanced: int | None) -> SumLaw:
    unit, scale, one = noise.unit, float(noise.scale), noise.deviation
    others = 0 if balanced is None else balanced - cells
    # Of noise that adds up to 0, this is a little more than its own deviation.
    wide = one * math.sqrt(cells if balanced is None else cells * others / balanced)
    step = max(1.0, wide / _FINE)
    farthest = _REACH * one * math.sqrt(max(cells, others))
    if unit == "epsilon":
        farthest += _TAIL / min(scale, STEEPEST)
    size = 1 << math.ceil(math.log2(2 * (farthest / step + 40)))
    angles: Array = np.arange(size // 2 + 1, dtype=np.float64) * (2 * math.pi / (size * step))
    draw = _characteristic(unit, scale, angles)
    chances = _invert(draw, cells, size)
    if balanced is not None:
        chances = chances * _invert(draw, others, size)
    # Of an even number of places the first has no counterpart.
    middle = size // 2
    chances = np.roll(chances, middle)[1:]
    chances = chances + chances[::-1]
    return _trim(step, chances / chances.sum())


def _invert(draw: Array, cells: int, size: int) -> Array:
    return np.maximum(np.fft.irfft(draw**cells, size), 0.0)


def _trim(step: float, chances: Array) -> SumLaw:
    """Leave out the far ends, whose chances are all rounding."""
    middle = chances.size // 2
    seen = np.flatnonzero(np.cumsum(chances[: middle + 1]) > _ROUNDING * 1e-3)
    first = max(int(seen[0]) - 1, 0)
    kept = chances[first : chances.size - first]
    kept.setflags(write=False)
    return SumLaw(step, kept)


def _characteristic(unit: str, scale: float, angles: Array) -> Array:
    """Return the characteristic function of one draw, which is real."""
    if unit == "epsilon":
        decay = min(scale, STEEPEST)
        # 1 − 2a cos θ + a² without loss of digits for small decays.
        gap = math.expm1(-decay) ** 2
        return gap / (gap + 4 * math.exp(-decay) * np.sin(angles / 2) ** 2)
    if scale >= _NORMAL_FROM:
        return np.exp(-((scale * angles) ** 2) / 2) * np.sinc(angles / (2 * math.pi))
    most = math.ceil(12 * scale) + 2
    edges = [_beyond((place - 0.5) / scale) for place in range(1, most + 2)]
    chances = [edges[place] - edges[place + 1] for place in range(most)]
    found = np.full(angles.shape, 1 - 2 * edges[0])
    for place, chance in enumerate(chances, start=1):
        found += 2 * chance * np.cos(place * angles)
    return found


def _beyond(size: float) -> float:
    return math.erfc(size / math.sqrt(2)) / 2


def add_laws(parts: Sequence[tuple[float, SumLaw]]) -> tuple[SumLaw, float]:
    """Return the law of a weighted sum of independent noises on one grid, and what it may lack.

    Ensures: the weighted sum is within the second number of one that has this law.
    """
    used = [(abs(weight), law) for weight, law in parts if weight and law.reach]
    if not used:
        return SumLaw(1.0, np.ones(1)), 0.0
    if len(used) == 1 and used[0][0] == 1:
        return used[0][1], 0.0
    whole = math.sqrt(sum((weight * law.deviation) ** 2 for weight, law in used))
    step = whole / (32 * len(used)) if whole else 1.0
    found = np.ones(1)
    for weight, law in used:
        places = np.rint(np.arange(1, law.reach + 1) * (weight * law.step / step)).astype(np.int64)
        side = np.bincount(places, weights=law.chances[law.reach + 1 :], minlength=1)
        middle = law.chances[law.reach] + 2 * side[0]
        found = _convolve(found, np.concatenate([side[:0:-1], [middle], side[1:]]))
    coarse = sum(weight * law.step / 2 for weight, law in used if law.step != 1)
    return _trim(step, found / found.sum()), len(used) * step / 2 + coarse


def _convolve(one: Array, other: Array) -> Array:
    size = one.size + other.size - 1
    room = 1 << math.ceil(math.log2(size))
    both = np.fft.irfft(np.fft.rfft(one, room) * np.fft.rfft(other, room), room)[:size]
    return np.maximum((both + both[::-1]) / 2, 0.0)
