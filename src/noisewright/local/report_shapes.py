"""Do reports look like those of honest devices? Exact or normal tests of what they have in common.

- No share is below 0: if nobody has a value, its support is binomial with q*.
- Nobody has the points of a projective space that are no values: their support is, too. (Where all
  points are values, the sum of all shares is 1 whatever is sent, and tells nothing.)
- The number of bits set in a unary report has a known mean and variance, and so has the number of
  values that a hash report supports a known mean.

A p-value is how likely honest devices look as odd or odder, at most. Several tests share it by
Bonferroni's inequality. That nothing is found proves nothing: fakes who draw like honest devices
with a value of their choice cannot be told from people who have it.
(Cao, Jia and Gong 2021, section 7, look at the same marks.)
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from noisewright.local.families.hashed import Hashed
from noisewright.local.families.projective import Projective
from noisewright.local.randomizer import BlockResponse
from noisewright.local.shares import binomial_tails
from noisewright.local.unary import UnaryEncoding

if TYPE_CHECKING:
    from noisewright.local.frequencies import FrequencyCollection

ODD = 1e-3
"""Shapes that honest devices have more rarely are worth a warning."""


def examine_shape(
    collection: FrequencyCollection, tally: NDArray[np.int64], people: int
) -> tuple[float, str]:
    """Return the p-value of all tests together, and what to say of it."""
    supports = collection.randomizer.supports(tally)
    found = [_low_shares(supports, people, collection.support.other)]
    found += _unused_points(collection, tally, people)
    found += _sum_of_shares(collection, tally, people)
    return _judge(found)


def examine_supports(supports: NDArray[np.int64], people: int, other: float) -> tuple[float, str]:
    """Return the p-value of the test that every protocol has: no share is below 0."""
    return _judge([_low_shares(supports, people, other)])


def _judge(found: list[tuple[float, str]]) -> tuple[float, str]:
    least, words = min(found)
    p_value = min(len(found) * least, 1.0)
    if p_value < ODD:
        return p_value, f"{words}: not all reports are honest, or of this collection."
    return p_value, "the reports look like those of honest devices, which proves nothing."


def _low_shares(supports: NDArray[np.int64], people: int, other: float) -> tuple[float, str]:
    """Test all supports from below: one of a value that people have is larger than without them."""
    tails = binomial_tails(people - supports, people, 1 - other)
    least = min(supports.size * float(tails.min()), 1.0)
    return least, "some shares are further below zero than noise explains"


def _unused_points(
    collection: FrequencyCollection, tally: NDArray[np.int64], people: int
) -> list[tuple[float, str]]:
    """Test the points of a projective space that are no values, from both sides."""
    made = collection.randomizer
    if not isinstance(made, BlockResponse) or not isinstance(made.family, Projective):
        return []
    family = made.family
    spare = family.outputs - family.values
    if not spare or family.work < family.q**family.t:
        return []
    every = replace(family, values=family.outputs)
    supports = every.supports(tally)[family.values :]
    other = collection.support.other
    above = binomial_tails(supports, people, other)
    below = binomial_tails(people - supports, people, 1 - other)
    least = min(2 * spare * float(min(above.min(), below.min())), 1.0)
    return [(least, "points that are no values have support, which noise does not explain")]


def _sum_of_shares(
    collection: FrequencyCollection, tally: NDArray[np.int64], people: int
) -> list[tuple[float, str]]:
    """Test the sum of all supports, which is the number of bits set, against its law."""
    made, support = collection.randomizer, collection.support
    k, p, q = made.size, support.own, support.other
    mean = p + (k - 1) * q
    if isinstance(made, UnaryEncoding):
        variance = p * (1 - p) + (k - 1) * q * (1 - q)
        words = "reports have more or fewer bits than noise explains"
    elif isinstance(made, BlockResponse) and isinstance(made.family, Hashed):
        # Only pairs of hashes are independent, so the spread is bounded: Bhatia and Davis 2000.
        variance = mean * (k - mean)
        words = "more or fewer hashes are hit than noise explains"
    else:
        return []
    off = abs(float(tally.sum()) - people * mean)
    return [(_bernstein(off, people * variance, float(k)), words)]


def _bernstein(off: float, variance: float, most: float) -> float:
    """Return a bound on P(|sum − mean| ≥ off) of independent terms, none further off than `most`.

    (Bernstein 1924.)
    """
    return min(2 * math.exp(-(off**2) / (2 * (variance + most * off / 3))), 1.0)
