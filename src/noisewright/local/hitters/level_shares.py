"""The shares of prefixes at one level, from counts of hashes.

**Scores.** With n_c reports in cohort c, C_c of them in support of a hash v, the share of people
whose hash is v is estimated by (C_c / n_c − q*) / (p* − q*). F(x), the mean of these at the hashes
of x, weighted by n_c, is the share of x, plus that of every other value times the share w of the
cohorts in which the two collide, which is 2^−h on average.

**Least squares.** The collisions among the leading candidates are known. With the rest of the
people spread evenly, Σ_y (w(x, y) − 2^−h) f_y = F(x) − 2^−h for each x among them. The solution is
taken off the tables, and all others are scored again. This is done for a few leaders, then more, so
that what collides with a large value is not taken for a leader.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.local.hitters.prefix_response import PrefixResponse
from noisewright.local.hitters.public_bits import LinearHashes, Words
from noisewright.local.shares import Support

Floats = NDArray[np.float64]
Hashes = NDArray[np.uint16]

_TOGETHER = 1 << 15
"""So many pairs are scored together, in the cache."""
_LEADERS = (8, 32, 128)
_CLEAR = 4.5
"""Leaders are at least so many standard errors above zero."""


def hash_support(randomizer: PrefixResponse) -> Support:
    """Return p* and q* of hashes: another value has the same hash with probability 2^−h."""
    response = randomizer.response
    chance = 1 / response.size
    own, other = float(response.own), float(response.other)
    return Support(own, other * (1 - chance) + own * chance)


@dataclass(frozen=True, eq=False)
class LevelShares:
    """What each hash has in each cohort, times the cohort's share of the level's reports."""

    people: int
    error: float
    """The standard error of the share of a rare prefix."""
    chance: float
    weights: Floats
    tables: NDArray[np.float32]
    functions: range
    hashes: LinearHashes

    @classmethod
    def of(cls, randomizer: PrefixResponse, tally: NDArray[np.int64], level: int) -> LevelShares:
        """Read the counts of one level."""
        counts = randomizer.counts(tally, level)
        each = counts.sum(axis=1)
        people = max(int(each.sum()), 1)
        response = randomizer.response
        own, other = float(response.own), float(response.other)
        supports = np.stack([response.supports(row) for row in counts])
        tables = (supports - other * each[:, None]) / (people * (own - other))
        return cls(
            people,
            hash_support(randomizer).standard_error(0.0, people),
            1 / response.size,
            each / people,
            tables.astype(np.float32),
            randomizer.functions(level),
            randomizer.hashes,
        )

    def hashes_of(self, prefixes: Words) -> Hashes:
        """Return the hashes of prefixes, a row for each cohort."""
        return self.hashes.every(prefixes, self.functions)

    def of_pairs(self, before: Hashes, after: Hashes) -> NDArray[np.float32]:
        """Return the shares of all first parts (rows) with all second parts (columns)."""
        found = np.zeros((before.shape[1], after.shape[1]), dtype=np.float32)
        step = max(1, _TOGETHER // after.shape[1])
        for start in range(0, len(found), step):
            some = found[start : start + step]
            hashes = np.empty(some.shape, dtype=np.uint16)
            shares = np.empty_like(some)
            for table, left, right in zip(self.tables, before, after, strict=True):
                np.bitwise_xor(left[start : start + step, None], right, out=hashes)
                np.take(table, hashes, out=shares, mode="clip")
                some += shares
        return self._share(found)

    def of_hashes(self, hashes: Hashes) -> Floats:
        """Return the shares of prefixes with these hashes."""
        found = np.zeros(hashes.shape[1])
        for table, row in zip(self.tables, hashes, strict=True):
            found += table.take(row)
        return self._share(found)

    def _share(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Take the collisions that are expected off scores."""
        scores -= scores.dtype.type(self.chance)
        scores /= scores.dtype.type(1 - self.chance)
        return scores

    def solve(self, hashes: Hashes) -> Floats:
        """Return the shares of some prefixes, with all collisions among them accounted for."""
        collisions = np.zeros((hashes.shape[1],) * 2)
        for weight, row in zip(self.weights, hashes, strict=True):
            collisions += weight * (row[:, None] == row)
        matrix = (collisions - self.chance) / (1 - self.chance)
        found = np.linalg.lstsq(matrix, self.of_hashes(hashes), rcond=1e-6)[0]
        return found.astype(np.float64)

    def without(self, hashes: Hashes, shares: Floats) -> LevelShares:
        """Return what is left when prefixes with these hashes and shares are taken off."""
        tables = self.tables.copy()
        rest = float(shares.sum()) * self.chance
        for weight, row, table in zip(self.weights, hashes, tables, strict=True):
            np.subtract.at(table, row, (weight * shares).astype(np.float32))
            table += np.float32(weight * rest)
        return replace(self, tables=tables)

    def of_leaders(self, hashes: Hashes) -> tuple[Floats, NDArray[np.intp]]:
        """Return the shares of prefixes with these hashes, and the places of the leading ones.

        Leaders have the shares of least squares; others those that leaders leave.
        """
        found, leaders = self.of_hashes(hashes), np.empty(0, dtype=np.intp)
        for most in _LEADERS:
            some = largest(found, most)
            some = np.union1d(some[found[some] > _CLEAR * self.error], leaders)
            if some.size == leaders.size:
                break
            leaders = some
            own = self.solve(hashes[:, leaders])
            found = self.without(hashes[:, leaders], own).of_hashes(hashes)
            found[leaders] = own
        return found, leaders


def largest(values: NDArray[Any], count: int) -> NDArray[np.intp]:
    """Return the places of the largest values, in descending order."""
    if count < values.size:
        places = np.argpartition(values, values.size - count)[-count:]
    else:
        places = np.arange(values.size)
    return places[np.argsort(-values[places], kind="stable")]
