"""The exponential mechanism: better candidates are exponentially more likely.

P(y | x) ∝ e^(ε q(x, y) / (2Δ)), with Δ the largest change of the quality q between
neighbors (McSherry–Talwar 2007), per unit of distance with neighbors="metric". When quality only
grows with the data (monotonic), the factor 2 is not needed. A base measure μ multiplies each of
them, P(y | x) ∝ μ(y) e^(…) (Holohan–Leith–Mason 2016, Definition 2 and (4)), and costs nothing.

Base weights are rational, so they are whole numbers n_y after multiplying all by one number. A
choice with P(y) ∝ n_y e^(f q_y) is the plain one among n_y copies of each candidate, of which
the released answer does not say which copy it was. So whatever is proven for equal weights, its
rounding to integers too, holds for these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import gcd, lcm, log
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.exact import Doubles, Epsilon, Number
from noisewright.mechanisms import (
    Masses,
    Quality,
    by_level,
    enclosed_shares,
    mixed_weights,
    powers,
    read_candidates,
    read_values,
)
from noisewright.public import public
from noisewright.selection.choice_job import EXPONENTIAL
from noisewright.selection.one_dataset import Drawer, Law, Selection, Values, select
from noisewright.spaces import Space


@final
@dataclass(frozen=True)
class ExponentialLaw(Law):
    """P(y) ∝ e^(factor · quality), times how often y counts in a base measure."""

    copies: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """What it is called, and whether there is a base measure."""
        plain = EXPONENTIAL["by"]
        return plain if self.copies is None else f"{plain} with a base measure"

    def describe(self) -> Mapping[str, str]:
        """Say that it is this."""
        return EXPONENTIAL

    def weights(
        self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction
    ) -> tuple[int, ...]:
        """Return integers in proportion to the powers, private by construction; see `powers`."""
        weights, _, which = _weigh_levels(qualities, factor, epsilon, self.copies)
        each = (weights[level] for level in which.tolist())
        if self.copies is None:
            return tuple(each)
        return tuple(times * weight for times, weight in zip(self.copies, each, strict=True))

    def drawer(self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction) -> Drawer:
        """Draw by the integer weights: a level of quality, and one of its candidates.

        Among many qualities that are doubles, weights are worked out only if the draw is nearer
        to the end of a candidate than doubles can tell.
        """
        weigh = partial(self.weights, qualities, factor, epsilon)
        if self.copies is not None:
            each = sampling.GroupSampler(weigh(), [1] * len(qualities))
            return lambda source: each.draw(1, source)[0][0]
        near = enclosed_shares(qualities, factor) if isinstance(qualities, Doubles) else None
        if near is not None:
            return sampling.EnclosedSampler(*near, weigh).draw
        weights, sizes, which = _weigh_levels(qualities, factor, epsilon, None)
        sampler = sampling.GroupSampler(weights, sizes)
        places, starts = np.argsort(which, kind="stable"), np.cumsum([0, *sizes])

        def draw(source: sampling.Source | None) -> int:
            ((level, member),) = sampler.draw(1, source)
            return int(places[starts[level] + member])

        return draw

    def masses(self, factor: Fraction) -> Masses:
        """Return powers of e, whatever the factor."""
        return powers

    def logs(self, qualities: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
        """Return logarithms of probabilities in doubles."""
        found = factor * qualities
        if self.copies is not None:
            # Logarithms first: whole weights may be beyond the largest double.
            found = found + np.array([log(times) for times in self.copies])
        found -= found.max(axis=1, keepdims=True)
        return found - np.log(np.exp(found).sum(axis=1, keepdims=True))


def _weigh_levels(
    qualities: Sequence[Fraction],
    factor: Fraction,
    epsilon: Fraction,
    copies: Sequence[int] | None,
) -> tuple[list[int], list[int], NDArray[np.intp]]:
    """Return the weight and the number of candidates of each level, and who is on which."""
    levels, which = by_level(qualities)
    if copies is None:
        sizes: list[int] = np.bincount(which).tolist()
    else:
        sizes = [0] * len(levels)
        for level, times in zip(which.tolist(), copies, strict=True):
            sizes[level] += times
    return mixed_weights(levels, sizes, factor=factor, epsilon=epsilon), sizes, which


@public
def exponential(
    candidates: Space | Sequence[Any] | Any,
    quality: Quality,
    *,
    sensitivity: Number | None = None,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    monotonic: bool = False,
    quality_range: tuple[Number, Number] | None = None,
    base: Values | NDArray[Any] | None = None,
) -> Selection:
    """Return the exponential mechanism for one dataset, ready to `sample()`.

    Requires: epsilon > 0; candidates that were listed without looking at the data, since which
    ones there are is not protected; `quality`, one value per candidate, or a function of it;
    `sensitivity`, by how much one person can change any of them. monotonic=True says that a change
    moves all of them in one direction. Both are promises by the caller.
    Ensures: ε-private; P(y) ∝ e^(ε q/(2Δ)), e^(ε q/Δ) if monotonic (McSherry–Talwar 2007). With
    `quality_range=(low, high)`, the promise that no dataset has a quality outside of it, the factor
    is instead the largest at which ε still holds, which is at least that. `base` is the base
    measure μ, with P(y) ∝ μ(y) e^(…) (Holohan–Leith–Mason 2016, Definition 2): one weight of at
    least 0 per candidate, in any unit, known without the data. It costs nothing and is kept
    exactly; a weight of 0 means that the candidate never comes out.

    The mechanism as a table over all possible inputs is `nw.select.choice_table`.
    """
    law, places = read_law(candidates, quality, base)
    return select(
        law,
        candidates,
        quality,
        sensitivity=sensitivity,
        epsilon=epsilon,
        alpha=alpha,
        monotonic=monotonic,
        quality_range=quality_range,
        places=places,
    )


def read_law(
    candidates: Any, quality: Any, base: Any
) -> tuple[ExponentialLaw, tuple[int, ...] | None]:
    """Return the law with a base measure, and which candidates have a weight above 0 in it."""
    if base is None:
        return ExponentialLaw(), None
    given = candidates if isinstance(candidates, Space) else read_candidates(candidates, quality)
    unordered = isinstance(candidates, (set, frozenset))
    weights = read_base(base, read_candidates(candidates if unordered else given, base))
    places = tuple(place for place, weight in enumerate(weights) if weight)
    return ExponentialLaw(tuple(weights[place] for place in places)), places


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
