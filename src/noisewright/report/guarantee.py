"""What a guarantee means, in words for people who are in the data and people who read it.

e^ε    no result is more than e^ε times as likely with a person's data as with any other data
       in their place (plus δ); so odds between two stories about the person move by at most
       that factor, whoever holds them and whatever else they know about everybody else
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from noisewright.mechanisms import Guarantee
from noisewright.plans import delta_text, factor_text

_BELIEFS = (0.001, 0.01, 0.1, 0.5, 0.9)
_LARGE = 3


def epsilon_text(guarantee: Guarantee) -> str:
    """Return ε and δ, as a formula."""
    delta = f", δ = {delta_text(guarantee)}" if guarantee.delta else ""
    formula = f"ε = {guarantee.epsilon.in_digits()}{delta}"
    # No line ends inside of it, except between the two.
    return formula.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")


@dataclass(frozen=True)
class Promise:
    """A guarantee as a page tells it."""

    guarantee: Guarantee

    @property
    def factor(self) -> str:
        """e^ε, rounded up."""
        return factor_text(self.guarantee)

    @property
    def formula(self) -> str:
        """ε and δ."""
        return epsilon_text(self.guarantee)

    @property
    def delta(self) -> str:
        """δ, rounded up; nothing where it is 0."""
        return delta_text(self.guarantee) if self.guarantee.delta else ""

    @property
    def is_large(self) -> bool:
        """Whether a page says frankly that the factor is large."""
        return float(self.guarantee.epsilon) > _LARGE

    @property
    def best_guess(self) -> str:
        """How often the best guess between two possibilities is right, at most.

        For two that were equally likely before: (e^ε + δ) / (1 + e^ε).
        """
        epsilon = min(float(self.guarantee.epsilon), 700.0)
        best = 1 / (1 + math.exp(-epsilon)) + float(self.guarantee.delta) / (1 + math.exp(epsilon))
        return _percent(min(best, 1.0), up=True)

    @property
    def beliefs(self) -> list[tuple[str, str, str]]:
        """Beliefs about a person before, and by Bayes' rule the least and the largest after."""
        factor = math.exp(min(float(self.guarantee.epsilon), 700.0))
        return [
            (
                _percent(before),
                _percent(before / (before + (1 - before) * factor), up=False),
                _percent(before * factor / (before * factor + 1 - before), up=True),
            )
            for before in _BELIEFS
        ]


def _percent(share: float, *, up: bool | None = None) -> str:
    """Return a probability in percent; a bound is rounded away from the belief before it."""
    percent = 100 * share
    if up is None:
        return f"{percent:g}%"
    if up and percent > 99.99:
        return "over 99.99%"
    if not up and percent < 0.01:
        return "under 0.01%"
    digits = 2 if percent < 1 or percent > 99 else 1
    rounded = (math.ceil if up else math.floor)(percent * 10**digits) / 10**digits
    return f"{rounded:.{digits}f}%"
