"""Find the values that many people have: from prefixes that were kept to longer ones.

The candidates of a level are the prefixes that were kept, with all next bits. As values are mixed,
a prefix has the share of one value, and hardly more; so all levels measure the same number, and
reports of short prefixes go on to count. Candidates are ordered by the mean of the level's own
share and of the share that levels before it found for their prefix, weighted by reports; what
leading siblings have is taken off the latter, as they explain it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisewright.local.hitters.level_shares import Floats, Hashes, LevelShares, largest
from noisewright.local.hitters.prefix_response import PrefixResponse
from noisewright.local.hitters.public_bits import Words

_FIRST = 16
"""Of the prefixes, so many are extended before all others."""
_LOOKED_AT = 1 << 17
"""Of all candidates, so many with the largest shares are looked at more closely."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Prefixes, the shares that all levels so far say they have, and how many reports say so."""

    prefixes: Words
    shares: Floats
    people: int


def search(
    randomizer: PrefixResponse, tally: NDArray[np.int64], *, keep: int, levels: int
) -> Candidates:
    """Return the `keep` best prefixes after so many levels."""
    known = Candidates(np.zeros(1, dtype=np.uint64), np.ones(1), 0)
    length = 0
    for number in range(levels):
        longer = randomizer.levels[number].length
        shares = LevelShares.of(randomizer, tally, number)
        known = extend(shares, known, step=longer - length, keep=keep)
        length = longer
    return known


def extend(level: LevelShares, known: Candidates, *, step: int, keep: int) -> Candidates:
    """Return the best prefixes that are `step` bits longer."""
    ends = np.arange(1 << step, dtype=np.uint64)
    longer = known.prefixes << np.uint64(step)
    before, after = level.hashes_of(longer), level.hashes_of(ends)
    some = _promising(level, before, after)
    rows, columns = np.divmod(some, ends.size)
    found, leaders = level.of_leaders(before[:, rows] ^ after[:, columns])
    people = known.people + level.people
    pooled = (
        _share_of_parent(known, rows, found, leaders) * known.people + found * level.people
    ) / people
    best = largest(pooled, keep)
    return Candidates(longer[rows[best]] | ends[columns[best]], pooled[best], people)


def _promising(level: LevelShares, before: Hashes, after: Hashes) -> NDArray[np.intp]:
    """Return the places of the candidates with the largest shares.

    What the leading candidates of the leading prefixes have is taken off for all others.
    """
    first = before[:, :_FIRST]
    if first.shape[1] < before.shape[1]:
        children = largest(level.of_pairs(first, after).reshape(-1), _LOOKED_AT >> 4)
        rows, columns = np.divmod(children, after.shape[1])
        hashes = first[:, rows] ^ after[:, columns]
        shares, leaders = level.of_leaders(hashes)
        rest = level.without(hashes[:, leaders], shares[leaders])
        others = largest(rest.of_pairs(before, after).reshape(-1), _LOOKED_AT)
        return np.union1d(children[leaders], others)
    return largest(level.of_pairs(before, after).reshape(-1), _LOOKED_AT)


def _share_of_parent(
    known: Candidates, rows: NDArray[np.intp], found: Floats, leaders: NDArray[np.intp]
) -> Floats:
    """Return what each candidate has from its prefix, without what leading siblings explain."""
    own = np.maximum(found[leaders], 0.0)
    explained = np.bincount(rows[leaders], weights=own, minlength=len(known.shares))
    inherited = (known.shares - explained)[rows]
    inherited[leaders] += own
    return inherited
