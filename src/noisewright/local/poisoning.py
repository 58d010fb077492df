"""What fake devices can do to shares, and whether reports look like those of honest ones.

A fake device sends whatever it likes. Of n reports m are fake, and c ≤ m of these support a value;
then the honest ones alone would have given ((C − c) / (n − m) − q*) / (p* − q*), which lies between
its values at c = 0 and c = m. One fake report moves an answer by up to 1 / (p* − q*) / n, which is
large where ε is small: noise that hides people lends weight to liars.
(Cao, Jia and Gong 2021; Cheu, Smith and Ullman 2021.)

**Shape.** Honest reports give shares that sum to 1, none of them below 0, up to noise. A sum or a
share that noise does not explain points to fakes; that none is found proves nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import Estimate, read_confidence
from noisewright.local.shares import estimate_shares

if TYPE_CHECKING:
    from noisewright.local.frequencies import FrequencyCollection


@dataclass(frozen=True, eq=False)
class PoisonedShares:
    """Intervals that hold although so large a share of the reports is fake.

    `estimate` has intervals that cover the shares of the honest people, whatever the fakes sent;
    `gain` is by how much one fake report can move one share, in units of one person's share;
    `p_value` is how likely honest devices look as odd as these: see the note.
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


def bound_poisoned_shares(
    collection: FrequencyCollection,
    tally: NDArray[np.int64],
    people: int,
    *,
    fakes: float,
    confidence: float = 0.95,
) -> PoisonedShares:
    """Return shares with intervals that allow for fakes, and a test of the shape of reports."""
    read_confidence(confidence)
    support, supports = collection.support, collection.randomizer.supports(tally)
    fake = math.floor(fakes * people)
    honest = max(people - fake, 1)
    plain = estimate_shares(support, supports, people, collection.axis, confidence=confidence)
    fewest = np.clip(supports - fake, 0, honest)
    most = np.clip(supports, 0, honest)
    low = estimate_shares(support, fewest, honest, collection.axis, confidence=confidence)
    high = estimate_shares(support, most, honest, collection.axis, confidence=confidence)
    bounded = Estimate(
        "share",
        plain.axes,
        plain.values,
        plain.standard_errors,
        np.minimum(low.lows, plain.values),
        np.maximum(high.highs, plain.values),
        people,
        "people",
        f"allowing for {fake:,} fake reports",
        confidence,
    )
    p_value, note = judge_shape(plain.values, support, people)
    gain = max(1 - support.other, support.other) / support.gap
    return PoisonedShares(bounded, fakes, gain, p_value, note)


def judge_shape(shares: NDArray[np.float64], support: Any, people: int) -> tuple[float, str]:
    """Test the smallest share against 0, among all of them together."""
    _, others = support.moments(2)
    error = math.sqrt(others / people)
    lowest = float(shares.min()) / error
    p_value = min(shares.size * 0.5 * math.erfc(-lowest / math.sqrt(2)), 1.0)
    if p_value < 1e-3:
        return p_value, (
            "some shares are further below zero than noise explains: not all reports "
            "are honest, or of this collection."
        )
    return p_value, "no share is further below zero than noise explains, which proves nothing."
