"""How far two answers must be apart before noise alone no longer explains it.

Two answers with a standard error of σ each, whose errors are as good as normal and independent,
differ by d with an error of σ√2. A test that calls at most 1 − c of equal pairs different (two
sides, confidence c) finds a true difference d with power p where

    d = (z_((1 + c)/2) + z_p) · σ √2        3.96 σ for 95% confidence and 80% power

Shares of one question add up to 1, so that the errors of two of k are correlated by as much as
−1/(k − 1): then σ √(2k/(k − 1)) takes the place of σ√2, which is no less in any case.

Source: Lehmann and Romano 2005, section 3.2 (power of the normal test).
"""

from __future__ import annotations

import math
from statistics import NormalDist

from noisewright.advice.questions import AdvisedQuestion
from noisewright.errors import ParameterError
from noisewright.estimation import read_confidence
from noisewright.given import brief


def read_power(power: float) -> float:
    """Read how often a difference is to be found: a number from 0.5 to below 1."""
    is_number = isinstance(power, int | float) and not isinstance(power, bool)
    if not is_number or not 0.5 <= power < 1:
        raise ParameterError(
            f"power is {brief(power)}; it must be at least 0.5 and below 1: how often a difference "
            "of that size is found. 0.8 is common."
        )
    return float(power)


def detectable_difference(
    question: AdvisedQuestion, error: float | None, *, confidence: float, power: float
) -> float | None:
    """Return the least detectable difference of two answers to a question, in its own unit.

    Two shares of one question, or else two means, medians or items with this error each.
    Ensures: None if no possible difference is detectable.
    """
    if error is None:
        return None
    normal = NormalDist()
    times = normal.inv_cdf((1 + read_confidence(confidence)) / 2) + normal.inv_cdf(
        read_power(power)
    )
    together = question.kind in ("shares", "pairs") and question.cells > 1
    apart = question.cells / (question.cells - 1) if together else 1.0
    found = times * math.sqrt(2 * apart) * error
    return found if found <= question.range else None
