"""What fake devices can do to a mean, and whether reports look like those of honest ones.

Of n reports m are fake, and each of these says h between the lowest and the highest h there are.
With T the mean of all h, the honest ones alone would have given (n T − Σ fake h) / (n − m), which
lies between its values with all fakes at the highest and at the lowest h. The smaller ε, the
farther apart these are: noise that hides people lends weight to liars. (Cheu, Smith and Ullman
2021.)

**Shape.** The mean of honest numbers lies within the grid, and so does that of their squares. Where
noise does not explain that it seems to lie elsewhere, some reports are not honest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from noisewright.estimation import Estimate, Sample, read_confidence
from noisewright.local.numbers.grid import NumberGrid

if TYPE_CHECKING:
    from noisewright.local.numbers.mean import MeanReading


@dataclass(frozen=True, eq=False)
class PoisonedMean:
    """An interval that holds although so large a share of the reports is fake.

    `estimate` has an interval that covers the mean of the honest people, whatever the fakes sent;
    `gain` is by how much one fake report can move the mean, in units of the most that one person
    could move it by without noise; `p_value` is how likely honest devices look as odd as these.
    """

    estimate: Estimate
    fakes: float
    gain: float
    p_value: float
    note: str

    def __repr__(self) -> str:
        return (
            f"with up to {self.fakes:.3%} fake reports, each worth up to {self.gain:.3g} people; "
            f"{self.note}\n{self.estimate!r}"
        )


def bound_poisoned_mean(
    reading: MeanReading, grid: NumberGrid, *, fakes: float, confidence: float = 0.95
) -> PoisonedMean:
    """Return the mean with an interval that allows for fakes, and a test of the reports' shape."""
    people = reading.people
    fake = math.floor(fakes * people)
    honest = max(people - fake, 1)
    sample = Sample(people, "people", read_confidence(confidence))
    plain = reading.answer(grid, sample)
    low, high = reading.law.reach
    ends: list[Estimate] = []
    for extreme in (high, low):
        first = (people * reading.first - fake * extreme) / honest
        # No mean of honest reports is beyond what they can say.
        first = min(max(first, low), high)
        other = replace(reading, people=honest, first=first)
        ends.append(_at_worst(other, grid, replace(sample, people=honest)))
    bounded = replace(
        plain,
        lows=np.minimum(ends[0].lows, plain.values),
        highs=np.maximum(ends[1].highs, plain.values),
        method=f"allowing for {fake:,} fake reports",
    )
    p_value, note = _shape_of(reading)
    return PoisonedMean(bounded, fakes, (high - low) / reading.law.last, p_value, note)


def _at_worst(reading: MeanReading, grid: NumberGrid, sample: Sample) -> Estimate:
    """Return the answer of honest reports with the largest noise: fakes hide how large it is."""
    law = reading.law
    c0, c1, c2 = map(float, law.squares)
    mean = min(max(reading.first, 0.0), float(law.last))
    square = mean * law.last if c2 > 1 else least_square(mean)
    second = c0 + c1 * reading.first + c2 * square
    return replace(reading, second=second).answer(grid, sample)


def least_square(mean: float) -> float:
    """Return the least mean of squares of whole numbers with this mean: of the two around it."""
    below = math.floor(mean)
    return below**2 + (2 * below + 1) * (mean - below)


def _shape_of(reading: MeanReading) -> tuple[float, str]:
    """Test the means of the numbers and of their squares against what they can be."""
    law, last = reading.law, float(reading.law.last)
    c0, c1, c2 = map(float, law.squares)
    error = math.sqrt(float(law.worst) / reading.people)
    beyond = [-reading.first / error, (reading.first - last) / error]
    if c2 > 0:
        square = (reading.second - c0 - c1 * reading.first) / c2
        # |h² − c₁ h| is at most this, and so is its standard deviation.
        most = max(abs(h**2 - c1 * h) for h in law.reach)
        wide = most / c2 / math.sqrt(reading.people)
        beyond += [-square / wide, (square - last**2) / wide]
    p_value = min(len(beyond) * 0.5 * math.erfc(max(beyond) / math.sqrt(2)), 1.0)
    if p_value < 1e-3:
        return p_value, (
            "the mean lies further outside of the grid than noise explains: not all reports are "
            "honest, or of this collection."
        )
    return p_value, "the mean lies where honest numbers may lead it, which proves nothing."
