"""Symmetric noise clamped to 0..n, as the integers of a table.

An output at an end takes the mass of its whole tail, so with noise of mass c α^|z| the table has
x α^|i−j| at the ends i ∈ {0, n} and y α^|i−j| inside, x = 1/(1+α) and y = (1−α)/(1+α).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Epsilon
from noisewright.mechanisms.decay import Decay, decay_for, rational_alpha


@dataclass(frozen=True)
class Clamped:
    """Weights by distance: at the ends for 0..n, inside for 0..n − 1; a row sums to `total`."""

    ends: list[int]
    inside: list[int]
    total: int

    def weights(self) -> NDArray[Any]:
        """Return the table, one row per input."""
        n = len(self.ends) - 1
        codes = np.arange(n + 1)
        away = np.minimum(np.abs(codes[:, None] - codes), n - 1)
        weights = np.array(self.inside, dtype=object)[away]
        weights[:, 0] = self.ends
        weights[:, n] = self.ends[::-1]
        return weights


def clamped_geometric(n: int, epsilon: Epsilon) -> Clamped:
    """Return geometric noise with α = e^-ε, clamped to 0..n.

    Ensures: where α is rational and the table stays short, exactly that; otherwise rounded, with
    an α larger by a rounding slack (see `decay`).
    """
    alpha = rational_alpha(epsilon, power=n, entries=(n + 1) ** 2)
    if alpha is not None:
        a, b = alpha
        # With α = a/b and the total (a + b) b^(n−1), x α^t and y α^t are whole.
        ends = [a**t * b ** (n - t) for t in range(n + 1)]
        inside = [(b - a) * a**t * b ** (n - 1 - t) for t in range(n)]
        return Clamped(ends, inside, (a + b) * b ** (n - 1))
    plan = decay_for(epsilon, length=n, outputs=n + 1)
    total = plan.total - (n + 1) * plan.floor
    once = plan.one + plan.powers[1]
    drop = plan.one - plan.powers[1]
    masses = [total * drop * power // (once << plan.scale) for power in plan.powers]
    return clamped_noise(masses, total * plan.powers[n] // once, plan)


def clamped_noise(masses: list[int], last: int, plan: Decay) -> Clamped:
    """Return noise by its rounded masses at the distances 0..n and `last`, that of all from n on.

    A tail that falls on an end is the mass at the end and the tail beyond it, so a row telescopes
    to the total whatever the masses were rounded to. Rounding keeps their order, so the table is
    row monotone down to the last unit.
    """
    n = len(masses) - 1
    total = plan.total - (n + 1) * plan.floor
    tails = list(accumulate(reversed(masses[1:n]), initial=last))[::-1]
    ends = [plan.floor + tail for tail in (total - tails[0], *tails)]
    inside = [plan.floor + mass for mass in (total - 2 * tails[0], *masses[1:n])]
    return Clamped(ends, inside, plan.total)
