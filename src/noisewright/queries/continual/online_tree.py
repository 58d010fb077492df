"""Running totals from a tree of noisy counts of which only the complete nodes are known yet.

After t steps the total is the sum of a few nodes that are complete: t // w_0 of the widest ones, of
what remains so many of the next, and so on. A complete node is estimated from its own noisy count
and those below it, weighted by their variances (Honaker 2015); nodes of different parents share no
noise, so that this is the best linear estimate from the nodes that are complete. Nothing uses a
step before it was published, so that later counts may depend on what was published before
(Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum 2010, there with branching 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.answers.bin_tree import BinTree

Array = NDArray[np.float64]
Places = NDArray[np.int64]

_MOST_LEVELS = 16


@final
@dataclass(frozen=True)
class OnlineTree:
    """What complete nodes of each level have: two cumulants, and the weight of their own count."""

    tree: BinTree
    variances: tuple[float, ...]
    fourths: tuple[float, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, tree: BinTree, variance: float, fourth: float) -> OnlineTree:
        """Return the law of estimates, if each noisy count has these cumulants."""
        variances, fourths, shares = [variance], [fourth], [1.0]
        for wide, narrow in reversed(list(zip(tree.widths, tree.widths[1:], strict=False))):
            below, tails = variances[0] * (wide // narrow), fourths[0] * (wide // narrow)
            share = below / (below + variance)
            variances.insert(0, share * variance)
            fourths.insert(0, share**4 * fourth + (1 - share) ** 4 * tails)
            shares.insert(0, share)
        return cls(tree, tuple(variances), tuple(fourths), tuple(shares))

    def spread(self, steps: Places) -> tuple[Array, Array]:
        """Return the variance and the fourth cumulant of the total after so many steps."""
        second, fourth = np.zeros(len(steps)), np.zeros(len(steps))
        for level, (first, last) in enumerate(self._runs(steps)):
            second += (last - first) * self.variances[level]
            fourth += (last - first) * self.fourths[level]
        return second, fourth

    def nodes(self, steps: Places) -> tuple[Places, NDArray[np.bool_]]:
        """Return how many nodes add up to each total, and whether all are counts of one step."""
        used = [last - first for first, last in self._runs(steps)]
        every = np.sum(used, axis=0)
        return every, every == used[-1]

    def totals(self, levels: list[NDArray[Any]], steps: Places) -> Array:
        """Return estimated totals, from the noisy counts of the complete nodes of each level."""
        known = levels[-1].astype(np.float64)
        sums = [np.concatenate([[0.0], np.cumsum(known)])]
        for level in range(len(levels) - 2, -1, -1):
            branching = self.tree.widths[level] // self.tree.widths[level + 1]
            own = levels[level].astype(np.float64)
            below = known[: len(own) * branching].reshape(-1, branching).sum(axis=1)
            known = below + self.shares[level] * (own - below)
            sums.insert(0, np.concatenate([[0.0], np.cumsum(known)]))
        found = np.zeros(len(steps))
        for running, (first, last) in zip(sums, self._runs(steps), strict=True):
            found += running[last] - running[first]
        return found

    def _runs(self, steps: Places) -> list[tuple[Places, Places]]:
        """Return for each level which nodes add up to the totals: from the first up to the last."""
        runs: list[tuple[Places, Places]] = []
        done = np.zeros_like(steps)
        for width in self.tree.widths:
            runs.append((done // width, steps // width))
            done = steps // width * width
        return runs


@lru_cache(maxsize=64)
def online_tree_for(steps: int, unit: Literal["epsilon", "rho"]) -> BinTree:
    """Return the tree whose totals have the smallest mean variance over all steps, at one price.

    Noise has variance L² in units of that of one level under ε, and L under ρ.
    """
    every = np.arange(1, steps + 1)
    found: dict[BinTree, float] = {}
    for levels in range(1, min(_MOST_LEVELS, steps.bit_length()) + 1):
        near = max(2, round(steps ** (1 / levels)))
        for branching in {max(2, near - 1), near, near + 1}:
            powers = (branching**k for k in range(levels - 1, -1, -1))
            tree = BinTree(steps, tuple(width for width in powers if width < steps) or (1,))
            price = len(tree.widths) ** (2 if unit == "epsilon" else 1)
            found[tree] = float(OnlineTree.of(tree, price, 0.0).spread(every)[0].mean())
    return min(found, key=lambda tree: (found[tree], len(tree.widths)))
