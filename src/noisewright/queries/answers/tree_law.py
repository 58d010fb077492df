"""The best estimate of running totals from a tree of noisy counts, its errors, and the best tree.

The best estimate of all counts from all noisy ones is that of least squares, weighted by variances:
once up the tree, where a count is averaged with the sum of those below it, and once down, where
what they still lack is divided among them by their variances (Hay, Rastogi, Miklau and Suciu 2010,
there for equal branching). The tree with the smallest errors of running totals is chosen from the
number of bins alone: noise has variance L² in units of that of one level (ε), or L (ρ).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.queries.answers.bin_tree import MOST_BINS, BinTree

Array = NDArray[np.float64]

_MOST_LEVELS = 6


@final
@dataclass(frozen=True)
class TreeLaw:
    """Second and fourth cumulants of the estimates up the tree, from those of one noisy count.

    `variances` and `fourths` have an array for each level, `shares` what weight a node's own
    noisy count has against the sum of those below it.
    """

    tree: BinTree
    variances: tuple[Array, ...]
    fourths: tuple[Array, ...]
    shares: tuple[Array, ...]

    def spread(self, at: float | None) -> tuple[Array, Array]:
        """Return both cumulants of the estimated F − at · n, for the running total F at each bin.

        With None they are those of F where the number of rows n is public.

        Below a node, F is `part` times the node's own count plus contrasts of the counts below it;
        these are taken as independent, as they are for normal noise.
        """
        bins, widths = self.tree.bins, self.tree.widths
        part, second, fourth = np.ones(bins), np.zeros(bins), np.zeros(bins)
        leaves = np.arange(bins)
        for level in range(len(widths) - 1, -1, -1):
            variance, tail = self.variances[level], self.fourths[level]
            node = leaves // widths[level]
            top = level == 0
            above = np.zeros(bins, dtype=np.int64) if top else leaves // widths[level - 1]
            before, total = _sums(variance, node, above, self._starts(level))
            tails, all_tails = _sums(tail, node, above, self._starts(level))
            own, kurtosis = variance[node], tail[node]
            mean = (before + part * own) / total if not (top and at is not None) else at
            after, tails_after = total - before - own, all_tails - tails - kurtosis
            inside = part - mean
            second += (1 - mean) ** 2 * before + inside**2 * own + mean**2 * after
            fourth += (1 - mean) ** 4 * tails + inside**4 * kurtosis + mean**4 * tails_after
            part = np.asarray(mean)
        return second, fourth

    def _starts(self, level: int) -> NDArray[np.int64]:
        widths = self.tree.widths
        wide = self.tree.sizes[0] if level == 0 else widths[level - 1] // widths[level]
        return np.arange(0, self.tree.sizes[level], wide)

    def estimate(self, numbers: NDArray[Any], people: Array | None) -> Array:
        """Return the estimated counts of bins from noisy counts of all nodes: (groups, bins)."""
        levels = [level.astype(np.float64) for level in self.tree.split(numbers)]
        up = [levels[-1]]
        for level in range(len(levels) - 2, -1, -1):
            below = np.add.reduceat(up[0], self._starts(level + 1), axis=-1)
            up.insert(0, below + self.shares[level] * (levels[level] - below))
        found = up[0]
        if people is not None:
            lack = (people - found.sum(axis=-1))[..., None]
            found = found + lack * self.variances[0] / self.variances[0].sum()
        for level in range(1, len(levels)):
            starts, variance = self._starts(level), self.variances[level]
            lack = found - np.add.reduceat(up[level], starts, axis=-1)
            each = lack / np.add.reduceat(variance, starts)
            node = np.arange(variance.size) // (
                self.tree.widths[level - 1] // self.tree.widths[level]
            )
            found = up[level] + each[..., node] * variance
        return found


def _sums(
    values: Array, node: NDArray[np.int64], above: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Return the sum over earlier nodes below the same node, and over all of these, bin by bin."""
    running = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.append(starts[1:], len(values))
    return running[node] - running[starts[above]], (running[ends] - running[starts])[above]


@lru_cache(maxsize=64)
def law_of_tree(tree: BinTree, variance: float, fourth: float) -> TreeLaw:
    """Return what estimates up the tree have, if each noisy count has these cumulants."""
    sizes, widths = tree.sizes, tree.widths
    variances, fourths = [np.full(sizes[-1], variance)], [np.full(sizes[-1], fourth)]
    shares: list[Array] = [np.ones(sizes[-1])]
    for level in range(len(widths) - 2, -1, -1):
        starts = np.arange(0, sizes[level + 1], widths[level] // widths[level + 1])
        below = np.add.reduceat(variances[0], starts)
        share = below / (below + variance)
        tails = np.add.reduceat(fourths[0], starts)
        variances.insert(0, share * variance)
        fourths.insert(0, share**4 * fourth + (1 - share) ** 4 * tails)
        shares.insert(0, share)
    return TreeLaw(tree, tuple(variances), tuple(fourths), tuple(shares))


@lru_cache(maxsize=64)
def tree_for(bins: int, unit: Literal["epsilon", "rho"] = "epsilon") -> BinTree:
    """Return the tree whose running totals have the smallest mean variance, at one price."""
    if not 1 <= bins <= MOST_BINS:
        raise ParameterError(
            f"a tree over {bins:,} bins was asked for; it takes 1 to {MOST_BINS:,}."
        )
    found: dict[BinTree, float] = {}
    for levels in range(1, _MOST_LEVELS + 1):
        branching = max(2, round(bins ** (1 / levels)))
        for wide in {branching, branching + 1}:
            widths = tuple(w for w in (wide**k for k in range(levels - 1, -1, -1)) if w < bins)
            tree = BinTree(bins, widths or (1,))
            price = len(tree.widths) ** (2 if unit == "epsilon" else 1)
            found[tree] = float(law_of_tree(tree, price, 0.0).spread(0.5)[0].mean())
    return min(found, key=lambda tree: (found[tree], len(tree.widths)))
