"""A private choice among candidates, for the data of one dataset: the laws it may follow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import certificates, sampling
from noisewright.errors import InputError, OutsideSpaceError, ParameterError
from noisewright.exact import Doubles, Epsilon, Number, as_text, exactly
from noisewright.given import flag, quantity
from noisewright.mechanisms import (
    Guarantee,
    Masses,
    Quality,
    by_level,
    is_one_row,
    positive_epsilon,
    read_candidates,
    read_values,
)
from noisewright.public import public_methods
from noisewright.selection.calibration import factor_for_range
from noisewright.selection.choice_job import (
    PrivateChoice,
    QualitySensitivity,
    Step,
    certify_choice,
    rational_below,
)
from noisewright.spaces import Space

Drawer = Callable[["sampling.Source | None"], int]


class Law(ABC):
    """How qualities become probabilities: one way to choose in private.

    `factor` is what a unit of quality counts in the exponent.
    """

    copies: tuple[int, ...] | None = None
    """How often each candidate counts, as whole numbers; None if all count alike."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.describe()["by"]

    @property
    def last_of_ties(self) -> Fraction:
        """By how much less quality a candidate could be, for being listed after its equals."""
        return Fraction(0)

    @abstractmethod
    def describe(self) -> Mapping[str, str]:
        """Return what a certificate says about it: `by`, its name, and numbers as text."""

    def least_share(self, candidates: int) -> int:
        """Return N: the rarest of equally good candidates has a probability of 1/N or more."""
        return candidates if self.copies is None else -(-sum(self.copies) // min(self.copies))

    def check(self, qualities: Sequence[Sequence[Fraction]]) -> None:
        """Raise InputError for qualities that this law cannot take; most take all."""
        return

    def weights(
        self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction
    ) -> tuple[int, ...] | None:
        """Return the integers that are drawn from; None where coins or noise are drawn."""
        return None

    @abstractmethod
    def drawer(self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction) -> Drawer:
        """Return what draws the position of one candidate, exactly, from a source of bits."""

    @abstractmethod
    def masses(self, factor: Fraction) -> Masses:
        """Return how a row of a table is worked out at this factor, not normalized."""

    @abstractmethod
    def logs(self, qualities: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
        """Return logarithms of probabilities in doubles, one row per input: to propose with."""

    def depths(self, qualities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return d with e^(−factor·d) / candidates ≤ P(y) ≤ e^(−factor·d), whatever the factor."""
        return qualities.max(axis=1, keepdims=True) - qualities


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class Selection(PrivateChoice[Any]):
    """One dataset's candidates with their qualities, ready for one private choice.

    `sample()` draws it. Everything else here is about the private data and must not leave:
    `probabilities`, `expected_quality` and `chance_within` are for whoever holds the data, or
    for examples. `claim` is what one draw promises; every further draw costs it again.
    """

    candidates: tuple[Any, ...]
    qualities: Sequence[Fraction]
    factor: Fraction
    law: Law
    claim: Guarantee
    sensitivity: QualitySensitivity

    def _certify(self) -> certificates.Certificate:
        law, count = self.law.describe(), self.law.least_share(len(self.candidates))
        step = Step(self._words, law, self.factor, self.sensitivity, count)
        return certify_choice(step, rational_below(self.claim), self.claim)

    @property
    def _words(self) -> str:
        return f"a choice by {self.law.name}"

    @property
    def weights(self) -> tuple[int, ...] | None:
        """The integer weight of each candidate, from which the exponential mechanism draws.

        None for permute-and-flip and noisy max, which draw exact coins and exact noise.
        """
        return self.law.weights(self.qualities, self.factor, rational_below(self.claim))

    def _prepare(self) -> Callable[[sampling.Source | None], Any]:
        draw = self._drawer
        return lambda source: self.candidates[draw(source)]

    @cached_property
    def _drawer(self) -> Drawer:
        return self.law.drawer(self.qualities, self.factor, rational_below(self.claim))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each candidate as a double, for looking at."""
        below = np.array([below_best(self.qualities)])
        view = np.exp(self.law.logs(below, float(self.factor))[0])
        view.setflags(write=False)
        return view

    def probability(self, candidate: Any) -> float:
        """Return the probability that this candidate is chosen, wherever it is listed."""
        places = [place for place, one in enumerate(self.candidates) if _alike(one, candidate)]
        if not places:
            raise OutsideSpaceError("that is not one of the candidates.")
        return float(self.probabilities[places].sum())

    @property
    def best_quality(self) -> Fraction:
        """The quality of the best candidate (OPT)."""
        return max(self.qualities)

    @property
    def expected_quality(self) -> float:
        """The mean quality of what is chosen."""
        below = np.array(below_best(self.qualities))
        seen = self.probabilities > 0
        return as_double(self.best_quality) + float(self.probabilities[seen] @ below[seen])

    def chance_within(self, distance: Number) -> float:
        """Return the probability that what is chosen is within `distance` of the best."""
        least = self.best_quality - exactly(distance, name="distance")
        inside = [quality >= least for quality in self.qualities]
        return float(self.probabilities[np.array(inside)].sum())

    def __reduce__(self) -> tuple[Any, ...]:
        # What draws is made again where it is used.
        fields = (self.candidates, self.qualities, self.factor, self.law, self.claim)
        return Selection, (*fields, self.sensitivity)

    def __repr__(self) -> str:
        # Qualities belong to the data, so they are not shown.
        among = quantity(len(self.candidates), "candidate")
        return f"<{self.law.name} among {among}, {self.claim}>"


def below_best(qualities: Sequence[Fraction]) -> list[float]:
    """Return how much better than the best each quality is: doubles of at most 0."""
    if isinstance(qualities, Doubles):
        # The nearest double to the difference, as below.
        return (qualities.array - qualities.array.max()).tolist()
    levels, which = by_level(qualities)
    top = max(levels)
    below = [as_double(level - top) for level in levels]
    return [below[level] for level in which.tolist()]


def as_double(value: Fraction) -> float:
    """Return the nearest double; an infinite one beyond the largest."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _alike(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except ValueError:
        # Arrays are the same candidate only if they are the same array.
        return False


Values = Sequence[Number] | Mapping[Any, Number] | Callable[[Any], Number]
"""One quality for each candidate, or a function of it: a choice for one dataset."""


def select(
    law: Law,
    candidates: Space | Sequence[Any] | Any,
    quality: Quality,
    *,
    epsilon: Number | Epsilon | None,
    alpha: Number | None,
    sensitivity: Number | None,
    monotonic: bool,
    quality_range: tuple[Number, Number] | None = None,
    places: tuple[int, ...] | None = None,
) -> Selection:
    """Return the choice for one dataset by a law, with the usual factor ε / spread.

    With a range of all possible qualities, the factor is the largest that is private for them.
    `places` are the candidates that have a weight above 0 in a base measure; None if all count.
    """
    one_way = flag(monotonic, name="monotonic")
    listed = read_candidates(candidates, quality)
    if not is_one_row(quality):
        raise InputError(
            f"{law.name}: give one number per candidate, such as [quality(data, candidate) for "
            "candidate in candidates]. For a table over all possible inputs, with the quality as a "
            "function of (input, candidate) or a matrix, use nw.select.choice_table."
        )
    instead = "Any candidate is as good then: take one without looking at the data."
    claim = Guarantee(positive_epsilon(epsilon, alpha, instead=instead))
    change = read_change(sensitivity)
    values = read_values(quality, listed)
    if places is not None:
        listed = tuple(listed[place] for place in places)
        values = tuple(values[place] for place in places)
    law.check([values])
    known = QualitySensitivity(change, one_way)
    factor = rational_below(claim) / known.spread
    if quality_range is not None:
        known = replace(known, width=_range_width(values, quality_range))
        factor = factor_for_range(claim.epsilon, known, candidates=law.least_share(len(values)))
    return Selection(listed, values, factor, law, claim, known)


def read_change(sensitivity: Number | None) -> Fraction:
    """Read by how much one person can change a quality: above 0, and said by the caller."""
    if sensitivity is None:
        raise ParameterError(
            "sensitivity is missing: by how much can one person change the quality of a "
            "candidate? One dataset cannot show it. Where the quality of every possible input is "
            "known, nw.select.choice_table computes it."
        )
    change = exactly(sensitivity, name="sensitivity")
    if change <= 0:
        raise ParameterError(f"sensitivity is {sensitivity}; it must be positive.")
    return change


def _range_width(values: Sequence[Fraction], given: tuple[Number, Number]) -> Fraction:
    low, high = _read_range(given)
    if min(values) < low or max(values) > high:
        raise InputError(
            "a quality lies outside of quality_range. The range is a promise about every possible "
            "dataset: widen it, or clamp the quality."
        )
    if len(values) < 2:
        raise InputError("calibration needs at least two candidates.")
    return high - low


def _read_range(given: Any) -> tuple[Fraction, Fraction]:
    try:
        low, high = (exactly(end, name="quality_range") for end in given)
    except (TypeError, ValueError):
        raise ParameterError(
            "quality_range must be two numbers, (low, high), between which every possible quality "
            "of every candidate lies."
        ) from None
    if low >= high:
        raise ParameterError(
            f"quality_range is ({as_text(low)}, {as_text(high)}); low must be below high."
        )
    return low, high
