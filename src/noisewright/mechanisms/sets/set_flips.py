"""Sets with a random set of items flipped, more often few than many.

    m     items
    j     how many items are flipped: the size of the symmetric difference of input and output
    v_j   the weight of each answer that differs from the truth in j items, out of 2^k

P(y | x) = v_j / 2^k with j = |x △ y|, so Σ C(m, j) v_j = 2^k. When any set may replace any other, x
and x' can lie at any two distances from y, so the least ε is ln(max v / min v): m + 1 integers
prove what a table of 4^m would.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any, final

import numpy as np

from noisewright import sampling
from noisewright.errors import ParameterError, SpaceError, TooLargeError
from noisewright.mechanisms.decay import bits_below_one, least, self_proof_failed
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.sets.set_mechanism import SetMechanism, Tail
from noisewright.mechanisms.table import Table
from noisewright.spaces import Subsets

_MOST_ITEMS_WITH_DELTA = 300


@final
@dataclass(frozen=True)
class SetFlips(SetMechanism):
    """Each answer that differs from the truth in j items has probability levels[j] / 2^k."""

    space: Subsets
    levels: tuple[int, ...]
    log2_levels: int
    claim: Guarantee = field(compare=False)
    outputs: Subsets = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.space.largest is not None or self.space.neighbors != "replace":
            raise SpaceError("flips need all subsets, every two of them neighbors.")
        if len(self.levels) != len(self.space.items) + 1 or min(self.levels) <= 0:
            raise ParameterError("flips need one positive level for each number of flipped items.")
        if sum(self.shells) != 1 << self.log2_levels:
            raise ParameterError("the levels of all answers must sum to exactly 2^log2_levels.")
        object.__setattr__(self, "outputs", self.space)

    @cached_property
    def shells(self) -> tuple[int, ...]:
        """The weight of flipping j items, for each j: C(m, j) times its level."""
        items = len(self.space.items)
        return tuple(comb(items, j) * level for j, level in enumerate(self.levels))

    def flipped_together(self, count: int) -> Fraction:
        """Return the probability that so many given items are all flipped, exactly."""
        rest = len(self.space.items) - count
        weight = sum(comb(rest, j) * self.levels[j + count] for j in range(rest + 1))
        return Fraction(weight, 1 << self.log2_levels)

    @cached_property
    def absent(self) -> Fraction:
        """P(an item is released | it is not in the set), exactly."""
        return self.flipped_together(1)

    @property
    def present(self) -> Fraction:
        """P(an item is released | it is in the set), exactly."""
        return 1 - self.absent

    def tight_ratio(self) -> Fraction:
        """Return e^ε of the least ε at δ = 0, exactly."""
        return Fraction(max(self.levels), min(self.levels))

    def tails(self, bits: int) -> Iterator[Tail]:
        """Bound the events that may tell two sets apart best at some ε, on both sets.

        Two sets that differ in d items; an answer that differs from the first in i of those and
        in k of the others is at the distances i + k and d − i + k.
        """
        items = len(self.space.items)
        if items > _MOST_ITEMS_WITH_DELTA:
            raise TooLargeError(
                f"delta above 0 takes {items:,}³ steps here (at most {_MOST_ITEMS_WITH_DELTA}³). "
                "Ask at delta=0.",
                size=items**3,
            )
        shift = self.log2_levels - bits
        for apart in range(1, items + 1):
            inside = [comb(apart, i) for i in range(apart + 1)]
            outside = [comb(items - apart, k) for k in range(items - apart + 1)]
            often: dict[tuple[int, int], int] = {}
            for i, near in enumerate(inside):
                for k, far in enumerate(outside):
                    key = (self.levels[i + k], self.levels[apart - i + k])
                    often[key] = often.get(key, 0) + near * far
            p = q = 0
            for first, second in sorted(often, key=lambda key: Fraction(key[1], key[0])):
                count = often[first, second]
                p, q = p + count * first, q + count * second
                yield *_shift(p, shift), *_shift(q, shift)

    def worst_case(self) -> tuple[int, int, int]:
        """Return masks (x, x', y): no output tells two sets apart better than y does x from x'."""
        near, far = self.levels.index(max(self.levels)), self.levels.index(min(self.levels))
        return (1 << near) - 1, (1 << far) - 1, 0

    def probability(self, mask: int, output: int) -> Fraction:
        """Return P(output | set) exactly, both given by their masks."""
        return Fraction(self.levels[(mask ^ output).bit_count()], 1 << self.log2_levels)

    @cached_property
    def _sampler(self) -> sampling.FlippedSets:
        return sampling.FlippedSets(len(self.space.items), self.shells, 1 << self.log2_levels)

    def table(self) -> Table:
        """Return the mechanism as one table, for few items."""
        require_tabulable(self.space, self.space, instead="Sample sets instead.")
        row = np.array([self.levels[y.bit_count()] for y in range(self.space.size)], dtype=object)
        codes = np.arange(self.space.size)
        weights, total = row[codes[:, None] ^ codes], 1 << self.log2_levels
        return Table(self.space, weights, total=total, claim=self.claim, name="flipped sets")

    def __repr__(self) -> str:
        return (
            f"<flipped sets on {self.space!r}, {self.claim}: present {float(self.present):.6g}, "
            f"absent {float(self.absent):.6g}>"
        )

    def describe(self) -> dict[str, Any]:
        """Return the mechanism as a certificate writes it."""
        return {
            "form": "flips",
            "items": list(self.space.items),
            "log2_total": self.log2_levels,
            "levels": [f"{level:x}" for level in self.levels],
        }


def two_levels(space: Subsets, claim: Guarantee, likely: Collection[int]) -> SetFlips:
    """Return the mechanism in which answers at some distances are e^ε times as likely as others.

    With a δ it tells the truth with probability δ, and does that otherwise.
    Requires: epsilon > 0, delta < 1; `likely`, some of the distances 0..m, not all of them and
    not both of 0 and m; with a δ, 0 among them.
    Ensures: (ε, δ)-private, proven; the levels are as far apart as integers allow. Only the truth
    may be more than e^ε times as likely as another level, and by no more than δ in all.
    """
    items = len(space.items)
    counts = [comb(items, j) for j in range(items + 1)]
    near = frozenset(likely)
    often = sum(counts[j] for j in near)
    seldom = (1 << items) - often
    epsilon = claim.epsilon
    bits = 66 + 2 * items + epsilon.ratio_bounds(0)[1].bit_length() + bits_below_one(least(epsilon))
    bits += bits_below_one(1 - claim.delta)
    truth = int(claim.delta * (1 << bits))
    rest = (1 << bits) - truth
    scale = bits + 64
    low_ratio, high_ratio = epsilon.ratio_bounds(scale)
    low = (rest << scale) // (high_ratio * often + (seldom << scale))
    high = (low_ratio * low) >> scale
    levels = [high if j in near else low for j in range(items + 1)]
    # There is one answer with nothing and one with everything flipped: what rounding left over,
    # far below a level, goes to an unlikely one of them.
    spare = rest - often * high - seldom * low
    alone = items if items not in near else 0
    levels[alone] += spare
    levels[0] += truth
    if alone in near or spare < 0 or not _proven(levels, bits, claim):
        raise self_proof_failed("of its levels", epsilon)
    return SetFlips(space, tuple(levels), bits, claim)


def _proven(levels: list[int], bits: int, claim: Guarantee) -> bool:
    """Tell whether all levels but the first are within e^ε, and the first within δ more."""
    lowest = min(levels)
    spare = claim.delta * (1 << bits)
    scale = spare.denominator
    if claim.epsilon.sign(levels[0] * scale - spare.numerator, lowest * scale) > 0:
        return False
    return claim.epsilon.sign(max(levels[1:]), lowest) <= 0


def _shift(value: int, by: int) -> tuple[int, int]:
    """Divide by 2^by, rounded down and up."""
    return (value >> by, -(-value >> by)) if by >= 0 else (value << -by, value << -by)
