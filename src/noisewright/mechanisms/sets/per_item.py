"""Sets of many items: each item is kept or added on its own, by two coins.

    m      items
    s      the most items a set may have (m without a bound)
    p, q   P(released | in the set), P(released | not in the set); p > q

Replacing a set by another removes a items and adds b, with a, b ≤ s and a + b ≤ m. A removed item
changes a probability by at most the factor p/q, an added one by (1−q)/(1−p), and some output
attains all of them at once. So the least ε is A ln r + B ln r', where r ≥ r' are the two factors,
A = min(s, m) and B = min(s, m − A): with 2s ≤ m it is s · ln(p(1−q) / (q(1−p))).

Among all p, q with that ε the ones are taken that give the least variance of an item's estimated
frequency, (f p(1−p) + (1−f) q(1−q)) / (p−q)² for each set, at the frequency f that the caller
expects. For rare items and 2s ≤ m that is p = 1/2 (Wang–Blocki–Li–Jha 2017, optimized unary
encoding, with e^(ε/s) for e^ε); without a bound p = 1 − q is best at every f.

With δ > 0 the coins of a larger ε are taken, the largest at which δ(ε) is still within δ. It is
exact: how u of the module `coin_tails` is distributed says all about two sets, and sets that
differ in more items can only be told apart better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np

from noisewright import sampling
from noisewright.errors import ParameterError, SpaceError
from noisewright.exact import Bounds, Epsilon, Number, exactly, halve, log_bounds
from noisewright.given import brief, one_of
from noisewright.mechanisms.decay import bits_below_one, least, positive_epsilon
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.sets.set_mechanism import SetMechanism, Tail, about_delta, tails
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Subsets
from noisewright.tables import ItemSets, cut_sets

_SHORT = 20
"""p is a multiple of 2^-20: the variance is flat at its least, and short coins are quick."""

_STEEPEST = 600.0
"""Log ratios beyond this are as good as certain and would leave the range of doubles."""

_CERTAIN = 36.0
"""Log ratios beyond this change nothing that doubles can see: no larger ε is tried with a δ."""

_SMALLEST = 300
"""An ε below 2^-300 takes long to find coins for, and cannot be told from 0."""

_OUTSIDE = ("error", "sample")


@public
def per_item(
    space: Subsets,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    frequency: Number = 0,
    outside: str = "error",
) -> PerItem:
    """Return the mechanism that keeps or adds each item of a set on its own, for many items.

    Requires: `Subsets(items)` or `Subsets(items, largest=s)` with every two sets neighbors;
    epsilon > 0. `frequency` is the share of sets in which a typical item is expected (rare by
    default). A set with more than s items is an error, or with outside="sample" a random part
    of s items stands for it.
    Ensures: (ε, δ)-private, proven; without a δ the two probabilities have the least variance of
    estimated frequencies for that ε, up to rounding. The noise is that of a set that may change
    in 2s items, or in all without a bound: declare the bound if there is one. A small δ helps
    much when many items may change.
    Source: Wang–Blocki–Li–Jha 2017, optimized unary encoding, here for sets.
    """
    if not isinstance(space, Subsets):
        raise SpaceError(f"per_item() takes Subsets; got {brief(space)}.")
    if space.neighbors != "replace":
        raise SpaceError(
            "per_item() proves privacy when a whole set is replaced; this space has other "
            "neighbors. Leave neighbors= out."
        )
    instead = "Use nw.uniform(space) for few items."
    read = positive_epsilon(epsilon, alpha, instead=instead, bits=_SMALLEST)
    share = exactly(frequency, name="frequency")
    if not 0 <= share <= 1:
        raise ParameterError(f"frequency is {frequency}; a share of sets lies between 0 and 1.")
    outside = one_of(outside, _OUTSIDE, name="outside")
    claim = Guarantee(read, delta)
    if claim.delta == 1:
        raise ParameterError("delta is 1, which promises nothing; give a smaller one.")
    if claim.delta == 0:
        return PerItem(space, *_coins(space, read, float(share)), claim, outside)
    return _with_delta(space, claim, float(share), outside)


def _with_delta(space: Subsets, claim: Guarantee, frequency: float, outside: str) -> PerItem:
    """Return the mechanism of the largest ε' that is still (ε, δ)-private; doubles propose it."""
    pair = _exponents(space)

    def seems_private(larger: float) -> bool:
        p, q = _propose(larger, pair, frequency)
        worst = about_delta(*pair, 1 - q if p is None else p, q, claim.epsilon.floor())
        return worst <= float(claim.delta)

    low = high = claim.epsilon.floor()
    while seems_private(high) and high < _CERTAIN * sum(pair):
        low, high = high, 2 * high
    smallest = least(claim.epsilon)
    larger, shrink = Fraction(halve(low, high, seems_private, times=50)[0]), 40
    while True:
        # Each attempt gives up more, in case that doubles proposed too much.
        proposal = max(larger * (1 - Fraction(1, 1 << shrink)), smallest)
        coins = _coins(space, Epsilon(rational=proposal), frequency)
        made = PerItem(space, *coins, claim, outside)
        if proposal == smallest or made.within(claim):
            return made
        larger, shrink = (larger, shrink - 6) if shrink > 6 else (larger / 2, shrink)


def _exponents(space: Subsets) -> tuple[int, int]:
    """Return A and B: how often the larger and the smaller of the two factors may count."""
    often = space.most
    return often, min(often, len(space.items) - often)


@final
@dataclass(frozen=True)
class PerItem(SetMechanism):
    """Each item of the set is released with probability keep / 2^k, any other with add / 2^k."""

    space: Subsets
    keep: int
    add: int
    log2_coin: int
    claim: Guarantee = field(compare=False)
    outside: str = "error"
    outputs: Subsets = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        total = 1 << self.log2_coin
        if not 0 < self.add < self.keep < total:
            raise ParameterError("per-item mechanisms need 0 < add < keep < 2^log2_coin.")
        object.__setattr__(self, "outputs", Subsets(self.space.items, metric=_plain(self.space)))

    @property
    def present(self) -> Fraction:
        """P(an item is released | it is in the set), exactly."""
        return Fraction(self.keep, 1 << self.log2_coin)

    @property
    def absent(self) -> Fraction:
        """P(an item is released | it is not in the set), exactly."""
        return Fraction(self.add, 1 << self.log2_coin)

    def tight_bounds(self, bits: int) -> Bounds:
        """Bound the least ε at δ = 0: low ≤ ε · 2^bits ≤ high."""
        return _cost(self.keep, self.add, 1 << self.log2_coin, _exponents(self.space), bits)

    def tight_ratio(self) -> Fraction:
        """Return e^ε of the least ε at δ = 0, exactly; long for many items."""
        often, seldom = _exponents(self.space)
        removed, added = _factors(self.keep, self.add, 1 << self.log2_coin)
        return max(removed, added) ** often * min(removed, added) ** seldom

    def tails(self, bits: int) -> Iterator[Tail]:
        """Bound the events that may tell two sets apart best at some ε, on both sets."""
        often, seldom = _exponents(self.space)
        pairs = [(often, seldom)]
        if often != seldom and self.keep + self.add != 1 << self.log2_coin:
            # All items differ; which of the two sets has how many of them matters.
            pairs = [(a, often + seldom - a) for a in range(seldom, often + 1)]
        for a, b in pairs:
            yield from tails(a, b, self.present, self.absent, bits)

    def worst_case(self) -> tuple[int, int, int]:
        """Return masks (x, x', y): no output tells two sets apart better than y does x from x'."""
        often, seldom = _exponents(self.space)
        removed, added = _factors(self.keep, self.add, 1 << self.log2_coin)
        first, second = (often, seldom) if removed >= added else (seldom, often)
        x = (1 << first) - 1
        return x, ((1 << second) - 1) << first, x

    def probability(self, mask: int, output: int) -> Fraction:
        """Return P(output | set) exactly, both given by their masks."""
        kept, size = (mask & output).bit_count(), mask.bit_count()
        new, others = (output & ~mask).bit_count(), len(self.space.items) - size
        p, q = self.present, self.absent
        return p**kept * (1 - p) ** (size - kept) * q**new * (1 - q) ** (others - new)

    @cached_property
    def _sampler(self) -> sampling.ItemCoins:
        return sampling.ItemCoins(len(self.space.items), self.keep, self.add, 1 << self.log2_coin)

    def _prepare(self, sets: ItemSets, source: sampling.Source | None) -> ItemSets:
        most = self.space.most
        above = sets.sizes > most
        if not above.any():
            return sets
        if self.outside == "error":
            row = int(np.argmax(above))
            raise self.space.outside(row=row, why=f"it has more than {most} items")
        return cut_sets(sets, most, source)

    def table(self) -> Table:
        """Return the mechanism as one table, for few items."""
        require_tabulable(self.space, self.outputs, instead="Sample sets instead.")
        total = 1 << self.log2_coin
        one = np.array([[total - self.add, self.add], [total - self.keep, self.keep]], dtype=object)
        weights = np.ones((1, 1), dtype=object)
        for _ in self.space.items:
            weights = np.kron(weights, one)
        rows = [self.space.mask(code) for code in range(self.space.size)]
        return Table(
            self.space,
            weights[rows],
            total=total ** len(self.space.items),
            outputs=self.outputs,
            claim=self.claim,
            name="per-item mechanism",
        )

    def __repr__(self) -> str:
        return (
            f"<per-item mechanism on {self.space!r}, {self.claim}: present "
            f"{float(self.present):.6g}, absent {float(self.absent):.6g}>"
        )

    def describe(self) -> dict[str, Any]:
        """Return the mechanism as a certificate writes it."""
        return {
            "form": "items",
            "items": list(self.space.items),
            "largest": self.space.most,
            "log2_total": self.log2_coin,
            "present": f"{self.keep:x}",
            "absent": f"{self.add:x}",
        }


def _plain(space: Subsets) -> str:
    """Return the metric if it has a name; a matrix has no meaning for other sets."""
    return space.metric if isinstance(space.metric, str) else "symmetric difference"


def _factors(keep: int, add: int, total: int) -> tuple[Fraction, Fraction]:
    """Return by what factor a removed and an added item may change a probability."""
    return Fraction(keep, add), Fraction(total - add, total - keep)


def _cost(keep: int, add: int, total: int, exponents: tuple[int, int], bits: int) -> Bounds:
    """Bound A ln r + B ln r' for the factors r ≥ r' of the two coins."""
    removed, added = _factors(keep, add, total)
    often, seldom = exponents
    high, low = log_bounds(max(removed, added), bits), log_bounds(min(removed, added), bits)
    return often * high[0] + seldom * low[0], often * high[1] + seldom * low[1]


def _coins(space: Subsets, epsilon: Epsilon, frequency: float) -> tuple[int, int, int]:
    """Return keep, add and log2 of their total: the float choice, then the least add that holds."""
    exponents = _exponents(space)
    p, q = _propose(epsilon.floor(), exponents, frequency)
    bits = 64 + math.ceil(-math.log2(q)) + bits_below_one(least(epsilon) / sum(exponents))
    bits = max(bits, _SHORT + 2)
    total = 1 << bits
    near = int(Fraction(q) * total)
    if p is None:
        # Both factors alike: one coin, turned around.
        add = _least(near, total // 2, lambda a: _proven(total - a, a, total, exponents, epsilon))
        return total - add, add, bits
    short = min(max(round(p * (1 << _SHORT)), 1), (1 << _SHORT) - 1)
    keep = short << (bits - _SHORT)
    add = _least(near, keep, lambda a: _proven(keep, a, total, exponents, epsilon))
    return keep, add, bits


def _least(near: int, above: int, holds: Callable[[int], bool]) -> int:
    """Return the least integer below `above` for which a property holds from there on."""
    width = max(near >> 40, 1)
    low, high = max(near - width, 0), min(near + width, above - 1)
    while low > 0 and holds(low):
        low //= 2
    while not holds(high):
        if high == above - 1:
            raise ParameterError("epsilon is too small to be told from 0 here; give a larger one.")
        low, high = high, min(2 * high, above - 1)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _proven(keep: int, add: int, total: int, exponents: tuple[int, int], epsilon: Epsilon) -> bool:
    """Tell whether the coins are ε-private, rounding towards no."""
    if add == 0:
        return False
    bits = 192 + total.bit_length()
    return _cost(keep, add, total, exponents, bits)[1] <= epsilon.bounds(bits)[0]


def _propose(
    epsilon: float, exponents: tuple[int, int], frequency: float
) -> tuple[float | None, float]:
    """Return p (None for 1 − q) and q with the least variance, in doubles.

    With a = ln(p/q) and b = ln((1−q)/(1−p)): A max(a, b) + B min(a, b) = ε.
    """
    often, seldom = exponents
    even = min(epsilon / (often + seldom), _STEEPEST)

    def coins(larger: float, *, first: bool) -> tuple[float, float]:
        smaller = max((epsilon - often * larger) / seldom, 0.0)
        a, b = (larger, smaller) if first else (smaller, larger)
        q = math.expm1(b) / math.expm1(a + b)
        return math.exp(a) * q, q

    def variance(p: float, q: float) -> float:
        if not 0 < q < p < 1:
            return math.inf
        return (frequency * p * (1 - p) + (1 - frequency) * q * (1 - q)) / (p - q) ** 2

    alike = 1 / (1 + math.exp(even))
    best, chosen = variance(1 - alike, alike), (None, alike)
    if seldom == 0:
        return chosen
    for first in (True, False):
        larger = _argmin(
            lambda x, first=first: variance(*coins(x, first=first)),
            even,
            min(epsilon / often, _STEEPEST),
        )
        p, q = coins(larger, first=first)
        if variance(p, q) < best * (1 - 1e-9):
            best, chosen = variance(p, q), (p, q)
    return chosen


def _argmin(function: Callable[[float], float], low: float, high: float) -> float:
    """Return about where a function is least: a grid, then thirds around its best point."""
    steps = 64
    grid = [low + (high - low) * step / steps for step in range(steps + 1)]
    at = min(range(steps + 1), key=lambda step: function(grid[step]))
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, steps)]
    for _ in range(100):
        third = (high - low) / 3
        if function(low + third) < function(high - third):
            high -= third
        else:
            low += third
    return (low + high) / 2
