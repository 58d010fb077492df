"""How values of an open domain are reported: at once where they are few, else by prefixes.

**At once.** Up to 2^20 values go through projective response. Of the geometries whose variance is
within 10% of the least, the one with the smallest transform is taken.

**By prefixes.** With all n reports, a share has the standard error √(V / n), and of 2^bits values
that nobody has, the luckiest comes to √(2 ln 2 · bits) of them. So no plan finds shares much
below that; one that gives each level as much of the reports as it has of the bits comes near. Long
steps are better than short ones, as the true prefix then stands out from more of its siblings, and
the last levels need more than their share, as nothing after them corrects a wrong choice. The first
level has 18 bits, the next 13, 12, 11, …, at most; of 64 bits that makes five levels. A last group
reports whole values and takes no part in the search: it checks what was found.

Cohorts have hashes of 10 to 12 bits: with G cohorts, a value of share f adds an error of about
f / √(G 2^h) to others, until it is found and taken off.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from noisewright.exact import Epsilon
from noisewright.local.families.family import BlockFamily
from noisewright.local.families.points import PointBlocks
from noisewright.local.families.projective import Projective, points_in
from noisewright.local.hitters.prefix_response import PrefixLevel
from noisewright.local.randomizer import BlockResponse, block_response

AT_ONCE = 20
"""Up to so many bits all values are estimated at once."""
FIRST, STEPS = 18, (13, 12, 11, 10)
KEPT, CHECKED = 32, 8
"""Prefixes kept at each level, and values checked in the end, for each one wanted."""

_CHECK = 0.125
_LATE = 1.25
_NEAR_AT_ONCE, _NEAR_HASHED = 1.10, 1.03
_LARGEST_AT_ONCE = 1 << 25
_LARGEST_HASHED = 1 << 18
_MOST_HASH_BITS = 12
_TYPICAL = 1_000_000


def levels_for(bits: int) -> tuple[PrefixLevel, ...]:
    """Return the levels of a search, and the group that checks at the end."""
    lengths = [FIRST]
    while lengths[-1] < bits:
        step = STEPS[min(len(lengths) - 1, len(STEPS) - 1)]
        lengths.append(min(lengths[-1] + step, bits))
    steps = [after - before for before, after in zip([3, *lengths], lengths, strict=False)]
    steps[-1] = max(steps[-1], STEPS[-1])
    whole = sum(steps)
    weights = [max(1, round(1000 * step / whole)) for step in steps]
    weights[-1] = round(_LATE * weights[-1])
    check = round(_CHECK * sum(weights) / (1 - _CHECK))
    searched = [PrefixLevel(*pair) for pair in zip(lengths, weights, strict=True)]
    return (*searched, PrefixLevel(bits, check))


def cohorts_for(people: int | None, response: BlockResponse) -> int:
    """Return how many cohorts a level has: a power of two from 8 to 64."""
    wanted = (people or _TYPICAL) / (8 * response.size)
    return 1 << min(max(math.ceil(math.log2(max(wanted, 1))), 3), 6)


def response_at_once(values: int, epsilon: Epsilon) -> BlockResponse:
    """Return the response on all values."""
    made = [block_response(family, epsilon) for family in _geometries(values, _LARGEST_AT_ONCE)]
    if values <= 1 << 10:
        made.append(block_response(PointBlocks(values), epsilon))
    return _cheapest(made, _NEAR_AT_ONCE)


def response_on_hashes(epsilon: Epsilon) -> BlockResponse:
    """Return the response on hashes of at most 12 bits."""
    made: list[BlockResponse] = []
    for hash_bits in range(3, _MOST_HASH_BITS + 1):
        values = 1 << hash_bits
        made.append(block_response(PointBlocks(values), epsilon))
        if hash_bits >= 10:
            families = _geometries(values, _LARGEST_HASHED)
            made += [block_response(family, epsilon) for family in families]
    best = min(map(hashed_variance, made))
    near = [one for one in made if hashed_variance(one) <= _NEAR_HASHED * best]
    # More bits of a hash need fewer cohorts, and fewer look-ups.
    return min(near, key=lambda one: (-one.size, hashed_variance(one)))


def hashed_variance(response: BlockResponse) -> float:
    """Return n times the variance of a rare share if another value collides by chance."""
    chance = 1 / response.size
    own, other = float(response.own), float(response.other)
    other += (own - other) * chance
    return other * (1 - other) / (own - other) ** 2


def _cheapest(made: list[BlockResponse], near: float) -> BlockResponse:
    best = min(one.variance for one in made)
    close = [one for one in made if one.variance <= near * best]
    return min(close, key=lambda one: (_work(one.family), one.variance))


def _work(family: BlockFamily) -> int:
    return family.q**family.t if isinstance(family, Projective) else family.outputs


def _geometries(values: int, largest: int) -> Iterator[Projective]:
    for q in (2, 4, 8, 16, 32, 64, 128, 256):
        t = 2
        while points_in(q, t) < values:
            t += 1
        if q**t <= largest:
            yield Projective(values, q, t)
