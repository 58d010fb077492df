"""How likely candidates are where all are equally good: the base measure of Definition 2.

Weights are rational, so they are whole numbers n_y after multiplying all by one number. A
choice with P(y) ∝ n_y e^(f q_y) is the plain one among n_y copies of each candidate, of which
the released answer does not say which copy it was. So whatever is proven for equal weights, its
rounding to integers too, holds for these.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm
from typing import Any

from noisewright.errors import ParameterError
from noisewright.mechanisms import read_values

_LONGEST = 1 << 14
"""Whole weights of more bits are refused: they would come from denominators by the thousand."""


def read_base(base: Any, candidates: Sequence[Any]) -> tuple[int, ...]:
    """Return the weights as whole numbers without a common divisor.

    Requires: one weight for each candidate, of at least 0, and not all of them 0.
    """
    if callable(base):
        base = [base(candidate) for candidate in candidates]
    weights = tuple(read_values(base, candidates, what="base"))
    for place, weight in enumerate(weights):
        if weight < 0:
            raise ParameterError(
                f"the base weight of candidate {place + 1:,} is negative. A weight says how likely "
                "a candidate is where all are equally good: 0 leaves it out."
            )
    unit = 1
    for denominator in {weight.denominator for weight in weights}:
        unit = lcm(unit, denominator)
        if unit.bit_length() > _LONGEST:
            raise ParameterError(
                "the base weights have too many different denominators to be compared exactly. "
                "Give whole numbers, or decimals with a few digits as text."
            )
    whole = [weight.numerator * (unit // weight.denominator) for weight in weights]
    divisor = gcd(*whole)
    if not divisor:
        raise ParameterError("all base weights are 0, so there is nothing to choose from.")
    return tuple(weight // divisor for weight in whole)
