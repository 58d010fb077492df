"""Shares from reports that support values: unbiased, with intervals, and which are above zero.

A report supports the true value with probability p*, any other with q*. With C of n reports in
support of a value, f̂ = (C/n − q*) / (p* − q*) is unbiased. A report contributes
h = ([support] − q*) / (p* − q*), so that E h² is (p*(1−q*)² + (1−p*) q*²) / (p*−q*)² of those who
have the value and q*(1−q*) / (p*−q*)² of the others; intervals follow as for every other share (see
`estimation/intervals`).

If nobody has the value, C is binomial with q*, whatever the others have: this is an exact test for
each value, and Holm's step-down method (1979) makes it hold for all of them together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation import (
    Axis,
    Estimate,
    Sample,
    Spread,
    project_to_simplex,
    read_about,
    read_confidence,
)
from noisewright.given import one_of
from noisewright.local.randomizer import PureRandomizer

Array = NDArray[np.float64]
METHODS = ("unbiased", "projected")
_MOST_TERMS = 1 << 11


@dataclass(frozen=True)
class Support:
    """p* and q* of a protocol, as doubles, and what follows from them."""

    own: float
    other: float
    gap: float = 0.0
    """p* − q*, of which the difference of two doubles would keep a few digits at a small ε."""
    collisions: float = 0.0
    """What public hash functions add to E h² of the others: see `succinct/one_bit.py`."""

    def __post_init__(self) -> None:
        if not self.gap:
            object.__setattr__(self, "gap", self.own - self.other)

    @classmethod
    def of(cls, randomizer: PureRandomizer) -> Support:
        """Return those of a randomizer."""
        own, other = randomizer.own, randomizer.other
        return cls(float(own), float(other), float(own - other))

    def shares(self, supports: NDArray[Any], people: int) -> Array:
        """Return the unbiased shares."""
        return (supports / people - self.other) / self.gap

    def moments(self, power: int) -> tuple[float, float]:
        """Return E|h|^power of those who have a value, and of those who have not."""
        hit, miss = (1 - self.other) ** power, self.other**power
        own = self.own * hit + (1 - self.own) * miss
        other = self.other * hit + (1 - self.other) * miss
        return own / self.gap**power, other / self.gap**power

    def standard_error(self, share: float, people: int) -> float:
        """Return the standard error of a share of the people, from noise alone."""
        own, others = self.moments(2)
        others += self.collisions
        return math.sqrt(max(share * (own - 1) + (1 - share) * others, 0.0) / people)

    def spread(self, values: Array) -> Spread:
        """Return how much one report's contribution varies at these shares."""
        at = np.clip(values, 0.0, 1.0)
        own, others = self.moments(2)
        own3, others3 = self.moments(3)
        second = own * at + others * (1 - at)
        third = own3 * at + others3 * (1 - at)
        jumps, more = third / second, self.collisions
        ones = np.ones_like(at)
        return Spread(at, second + more * (1 - at), own * ones, (others + more) * ones, jumps)

    def without_collisions(self, supports: NDArray[Any], people: int) -> NDArray[Any]:
        """Return supports as near to their mean as if hash functions did not add to their noise."""
        if not self.collisions:
            return supports
        mean = people * self.other
        times = math.sqrt(1 + self.collisions / self.moments(2)[1])
        return np.floor(mean + (supports - mean) / times)


def estimate_shares(
    support: Support,
    supports: NDArray[Any],
    people: int,
    axis: Axis,
    *,
    about: str = "people",
    confidence: float = 0.95,
    method: str = "unbiased",
) -> Estimate:
    """Return the share of each value, with standard errors and intervals.

    Shares that are "projected" are the nearest ones that are not negative and sum to 1. They are
    not unbiased; their intervals are those of the unbiased shares, within 0 and 1.
    """
    sample = Sample(people, read_about(about), read_confidence(confidence))
    method = one_of(method, METHODS, name="method")
    values = support.shares(supports, people)
    errors, lows, highs = support.spread(values).answers(values, sample)
    notes = ()
    if method == "projected":
        values = project_to_simplex(values)
        lows, highs = (np.clip(end, 0.0, 1.0) for end in (lows, highs))
        lows, highs = np.minimum(lows, values), np.maximum(highs, values)
        notes = ("Projected shares are biased, and so are sums and trends of them.",)
    return sample.estimate(
        "share", (axis,), values, errors, lows, highs, method=method, notes=notes
    )


@dataclass(frozen=True, eq=False)
class Detected:
    """The values whose share is above zero, all of them together with the stated confidence."""

    labels: list[Any]
    shares: Array
    p_values: Array
    confidence: float
    tested: int

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        head = (
            f"{len(self.labels):,} of {self.tested:,} values have a share above zero, all of "
            f"them together with confidence {self.confidence:.4g} (Holm)"
        )
        shown = [
            f"  {label!s:<24} {share:8.4%}   p = {p:.2g}"
            for label, share, p in zip(self.labels[:12], self.shares, self.p_values, strict=False)
        ]
        rest = [f"  … {len(self.labels) - 12:,} more"] if len(self.labels) > 12 else []
        return "\n".join([head, *shown, *rest])


def detect_shares(
    support: Support,
    supports: NDArray[Any],
    people: int,
    labels: Sequence[Any],
    *,
    confidence: float = 0.95,
    tested: int | None = None,
) -> Detected:
    """Return which shares are above zero, largest first, by Holm's step-down test.

    `tested` is how many values could have been detected, if that is more than are given.
    """
    confidence = read_confidence(confidence)
    plain = support.without_collisions(supports, people)
    tails = binomial_tails(plain, people, support.other)
    many = max(tested or 0, len(supports))
    order = np.argsort(tails, kind="stable")
    within = tails[order] * (many - np.arange(len(order))) <= 1 - confidence
    passed = order[: len(within) if within.all() else int(np.argmin(within))]
    values = support.shares(np.asarray(supports)[passed], people)
    by_share = np.argsort(-values, kind="stable")
    passed = passed[by_share]
    names = [labels[place] for place in passed.tolist()]
    return Detected(names, values[by_share], tails[passed], confidence, many)


def binomial_tails(counts: NDArray[Any], people: int, chance: float) -> Array:
    """Return P(C ≥ count) of a binomial C, or more; 1 up to a standard deviation above the mean.

    P(C = count) times 1 + r₁ + r₁ r₂ + …, with the quotients r of neighboring terms, which fall: so
    what comes after some thousand terms is at most a geometric series.
    """
    counts = np.asarray(counts, dtype=np.float64)
    tails = np.ones(counts.shape)
    mean = people * chance
    above = counts > mean + max(1.0, math.sqrt(mean * (1 - chance)))
    c = counts[above]
    if not c.size:
        return tails
    lgamma = np.vectorize(math.lgamma, otypes=[np.float64])
    log_first = (
        math.lgamma(people + 1)
        - lgamma(c + 1)
        - lgamma(people - c + 1)
        + c * math.log(chance)
        + (people - c) * math.log1p(-chance)
    )
    odds = chance / (1 - chance)
    total, term, place = np.ones_like(c), np.ones_like(c), c.copy()
    for _ in range(_MOST_TERMS):
        term = term * np.maximum(people - place, 0.0) / (place + 1) * odds
        place = place + 1
        total += term
        if float(term.max()) < 1e-17:
            break
    quotient = np.maximum(people - place, 0.0) / (place + 1) * odds
    total += term * quotient / (1 - quotient)
    # Logarithms of factorials are off by some 1e-16 of their size.
    slack = 1 + 1e-15 * people * max(math.log(people), 1.0)
    tails[above] = np.minimum(np.exp(log_first) * total * slack, 1.0)
    return tails


def require_people(people: Any) -> int:
    """Read a number of people."""
    if isinstance(people, bool) or not isinstance(people, int | np.integer) or people < 1:
        raise ParameterError(f"people is {people!r}; it must be a whole number of at least 1.")
    return int(people)
