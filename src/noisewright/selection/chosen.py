"""A private choice among candidates, for the data of one dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError
from noisewright.exact import Doubles, Epsilon, Number, exactly
from noisewright.mechanisms import Guarantee, Masses, by_level, least
from noisewright.public import public_methods
from noisewright.selection.certificate import QualitySensitivity, Step, certify_choice
from noisewright.selection.choice_job import PrivateChoice
from noisewright.spaces import counted

if TYPE_CHECKING:
    from noisewright.certificates import Certificate
    from noisewright.sampling import Source


Drawer = Callable[["Source | None"], int]


class Law(Protocol):
    """How qualities become probabilities: one way to choose in private.

    `factor` is what a unit of quality counts in the exponent.
    """

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def last_of_ties(self) -> Fraction:
        """By how much less quality a candidate could be, for being listed after its equals."""
        ...

    def describe(self) -> Mapping[str, str]:
        """Return what a certificate says about it: `by`, its name, and numbers as text."""
        ...

    @property
    def copies(self) -> Sequence[int] | None:
        """How often each candidate counts, as whole numbers; None if all count alike."""
        ...

    def least_share(self, candidates: int) -> int:
        """Return N: the rarest of equally good candidates has a probability of 1/N or more."""
        ...

    def check(self, qualities: Sequence[Sequence[Fraction]]) -> None:
        """Raise InputError for qualities that this law cannot take."""
        ...

    def weights(
        self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction
    ) -> tuple[int, ...] | None:
        """Return the integers that are drawn from; None where coins or noise are drawn."""
        ...

    def drawer(self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction) -> Drawer:
        """Return what draws the position of one candidate, exactly, from a source of bits."""
        ...

    def masses(self, factor: Fraction) -> Masses:
        """Return how a row of a table is worked out at this factor, not normalized."""
        ...

    def logs(self, qualities: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
        """Return logarithms of probabilities in doubles, one row per input: to propose with."""
        ...

    def depths(self, qualities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return d with e^(−factor·d) / candidates ≤ P(y) ≤ e^(−factor·d), whatever the factor."""
        ...


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

    def _certify(self) -> Certificate:
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

    def _prepare(self) -> Callable[[Source | None], Any]:
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
            raise OutsideSpaceError("that is none of the candidates.")
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
        among = counted(len(self.candidates), "candidate")
        return f"<{self.law.name} among {among}, {self.claim}>"


def rational_below(claim: Guarantee | Epsilon) -> Fraction:
    """Return ε as a rational; the log of a rational is rounded down, never to 0."""
    # By less than the rounding of a table costs anyway.
    epsilon = claim.epsilon if isinstance(claim, Guarantee) else claim
    if epsilon.ratio is None:
        return epsilon.rational
    return max(Fraction(epsilon.bounds(192)[0], 1 << 192), least(epsilon))


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
