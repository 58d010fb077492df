"""The coins by which keys are kept: for each number of people with a key, the best chance there is.

    π(0) = 0,   π(n + 1) = min(e^ε π(n) + δ,  1 − e^−ε (1 − π(n) − δ),  1)

No (ε, δ)-private selection keeps a key of any number of people with a higher chance, for adding or
removing one person with one key (Desfontaines, Voss, Gipson and Mandayam 2022, Theorem 1). The
chances are whole numbers over 2^k, each rounded down after the one before it was: so both
inequalities hold for the numbers that are drawn from, and `checker/keys.py` proves it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.exact import Epsilon, as_text
from noisewright.sampling import Source, TableSampler

MOST_COINS = 1 << 16
"""The most numbers of people for which chances differ; the checker takes no more."""

_SPARE_BITS = 64


@final
@dataclass(frozen=True)
class KeyCoins:
    """Chances of keeping a key: (ε, δ)-private for one person more or less with one key."""

    epsilon: Fraction
    delta: Fraction

    @cached_property
    def log2_total(self) -> int:
        """Chances are whole numbers over 2 to this power; δ itself has 64 bits."""
        return _SPARE_BITS + (1 / self.delta).__ceil__().bit_length()

    @cached_property
    def weights(self) -> list[int]:
        """The chance times 2^k for 0, 1, 2 … people; as many and more have the last, which is 1."""
        k = self.log2_total
        total, free = 1 << k, (self.delta.numerator << k) // self.delta.denominator
        epsilon = Epsilon(rational=self.epsilon)
        grow, shrink = epsilon.ratio_bounds(2 * k)[0], epsilon.alpha_bounds(2 * k)[1]
        found = [0]
        while found[-1] < total:
            if len(found) > MOST_COINS:
                raise TooLargeError(
                    f"with epsilon {float(self.epsilon):.3g} and delta {float(self.delta):.3g} "
                    f"for one key, keys of more than {MOST_COINS:,} people would still sometimes "
                    "be left out. Give a larger epsilon or delta, or fewer groups for each person.",
                    size=len(found),
                )
            last = found[-1]
            rising = (grow * last >> 2 * k) + free
            missing = max(0, total - last - free)
            falling = total - -(-shrink * missing >> 2 * k)
            found.append(min(rising, falling, total))
        return found

    def chance(self, people: Any) -> NDArray[np.float64]:
        """Return how likely keys of so many people are kept."""
        chances = np.array([weight / (1 << self.log2_total) for weight in self.weights])
        return chances[self._codes(np.asarray(people))]

    def people_for(self, chance: float) -> int:
        """Return the least number of people whose key is kept with at least this chance."""
        wanted = Fraction(chance) * (1 << self.log2_total)
        return next(n for n, weight in enumerate(self.weights) if weight >= wanted)

    @cached_property
    def _sampler(self) -> TableSampler:
        total = 1 << self.log2_total
        return TableSampler([[total - weight, weight] for weight in self.weights], total)

    def flip(self, people: NDArray[Any], source: Source | None = None) -> NDArray[np.bool_]:
        """Draw for each key whether it is kept, from how many people have it."""
        return self._sampler.draw(self._codes(people), source) == 1

    def _codes(self, people: NDArray[Any]) -> NDArray[np.intp]:
        return np.clip(people, 0, len(self.weights) - 1).astype(np.intp)

    def describe(self) -> dict[str, Any]:
        """Return the coins as a certificate writes them."""
        return {
            "epsilon": as_text(self.epsilon),
            "delta": as_text(self.delta),
            "log2_total": self.log2_total,
            "coins": [f"{weight:x}" for weight in self.weights],
        }
