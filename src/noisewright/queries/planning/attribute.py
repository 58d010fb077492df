"""One attribute, as a tree of blocks of its cells, and how questions weigh on the levels of it.

    n           cells
    b_1 … b_h   branching: level l divides each block of level l − 1 into b_l. Level 0 is one block
                of N = b_1 ⋯ b_h ≥ n cells. Those from n on are empty, whatever the data.
    s_l         cells in a block of level l; s_0 = N, s_h = 1
    P_l         the projection onto what is constant on the blocks of level l
    Q_l         P_l − P_(l−1), Q_0 = P_0: what level l adds

Without an order there is one level of n branches; the parts of a table are then those of an
analysis of variance (Xiao, He, Zhang, Kifer 2023, "ResidualPlanner"). With more levels they are
those of a tree, and for b = 2 the Haar wavelets (Xiao, Wang, Gehrke 2010, "Privelet").

Estimates of empty cells are not 0. Each is spread evenly over the true cells of the least block
that has any besides it: sums stay what they are, so that all tables agree. An answer with weights
v of the n cells thus has weights on all N: v, and for each empty cell the mean of v over these.

Let t be the first level that tells two rows apart. Then ⟨Q_l e_j, Q_l e_k⟩ s_l is 1 for l = 0,
1 − 1/b_l for 0 < l < t, −1/b_l for l = t, and 0 for l > t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import mul
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.given import brief, quantity, whole_number

Kind = Literal["cells", "prefixes", "ranges"]
Floats = NDArray[np.float64]

MOST_CELLS = 1 << 20
"""Of one table: contrasts of 2^40 rows still are whole numbers of 64 bits."""


@final
@dataclass(frozen=True)
class Attribute:
    """So many cells, divided level by level; without `branching`, at once."""

    name: str
    cells: int
    branching: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        whole_number(self.cells, name=f"the cells of {self.name}", least=1, most=MOST_CELLS)
        branching = self.branching or ((self.cells,) if self.cells > 1 else ())
        if any(b < 2 for b in branching) or math.prod(branching) < self.cells:
            raise ParameterError(
                f"the branching of {self.name} is {brief(branching)}; each number must be at least "
                f"2, and their product at least {quantity(self.cells, 'cell')}."
            )
        object.__setattr__(self, "branching", branching)

    @property
    def height(self) -> int:
        """The number of levels below all of it."""
        return len(self.branching)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """How many blocks each level has, from level 0 on; the last one is the padded size."""
        return tuple(accumulate(self.branching, mul, initial=1))

    @cached_property
    def block_sizes(self) -> tuple[int, ...]:
        """s_0 … s_h."""
        return tuple(self.widths[-1] // width for width in self.widths)

    def answers(self, kind: Kind) -> int:
        """Return how many answers a question of this kind has along the attribute."""
        return self.cells * (self.cells + 1) // 2 if kind == "ranges" else self.cells

    @cached_property
    def tails(self) -> tuple[tuple[int, int, int, int], ...]:
        """Runs of empty cells: the level, the first true cell they are spread over, from, to."""
        found: list[tuple[int, int, int, int]] = []
        done = self.cells
        for level in range(self.height, -1, -1):
            size = self.block_sizes[level]
            start = (self.cells - 1) // size * size
            if start + size > done:
                found.append((level, start, done, start + size))
                done = start + size
        return tuple(found)

    def spread(self, vectors: Floats) -> Floats:
        """Return |Q_l v|² / s_l, by vector (weights of the n cells) and level."""
        padded = np.zeros((len(vectors), self.widths[-1]))
        padded[:, : self.cells] = vectors
        for _, start, first, stop in self.tails:
            padded[:, first:stop] = vectors[:, start:].mean(axis=1, keepdims=True)
        squares = [
            (padded.reshape(len(vectors), -1, size).sum(axis=2) ** 2).sum(axis=1) / size
            for size in self.block_sizes
        ]
        return self._by_level(np.stack(squares, axis=1))

    def spreads_of(self, kind: Kind) -> Floats:
        """Return `spread` of each prefix, or of each cell; of one cell where all are alike."""
        if kind != "prefixes" and not self.tails:
            return self._by_level(np.array([[1 / size for size in self.block_sizes]]))
        place = np.arange(self.cells)

        def within(start: int, stop: int) -> Floats:
            """How many cells from start to stop each answer counts."""
            if kind == "prefixes":
                return np.clip(place + 1 - start, 0, stop - start).astype(np.float64)
            return ((start <= place) & (place < stop)).astype(np.float64)

        means = {
            level: within(start, self.cells) / (self.cells - start)
            for level, start, _, _ in self.tails
        }
        sizes = {level: stop - first for level, _, first, stop in self.tails}
        squares: list[Floats] = []
        for level, size in enumerate(self.block_sizes):
            # Blocks of true cells, the last block with any, and blocks of empty ones.
            start = (self.cells - 1) // size * size
            before = within(0, start)
            whole = before // size * size + (before % size) ** 2 / size
            last = within(start, self.cells)
            last += sum(sizes[t] * mean for t, mean in means.items() if t >= level)
            empty = sum(sizes[t] * mean**2 for t, mean in means.items() if t < level)
            squares.append(whole + last**2 / size + empty)
        return self._by_level(np.stack(squares, axis=1))

    def total_spread(self, kind: Kind) -> Floats:
        """Return the sum of `spread` over all answers of the kind, by level."""
        each = self.spreads_of("prefixes" if kind == "ranges" else kind)
        total: Floats = each.sum(axis=0) * (self.cells / len(each))
        if kind != "ranges":
            return total
        # A range is the difference of two of n + 1 prefixes, the empty one among them.
        added = np.arange(self.cells, 0, -1.0)
        return (self.cells + 1) * total - self.spread(added[None])[0]

    def _by_level(self, squares: Floats) -> Floats:
        """From |P_l v|² to |Q_l v|² / s_l."""
        return np.diff(squares, axis=1, prepend=0.0) / np.array(self.block_sizes)

    def products(self, level: int) -> tuple[int, ...]:
        """Return b_l ⟨Q_l e_j, Q_l e_k⟩ s_l for t = 1 … h, and for j = k; b_0 stands for 1."""
        if level == 0:
            return (1,) * (self.height + 1)
        branches = self.branching[level - 1]
        apart = (0,) * (level - 1) + (-1,)
        return apart + (branches - 1,) * (self.height + 1 - level)


def trees(cells: int) -> list[tuple[int, ...]]:
    """Return a branching for each number of levels, with few empty cells; the flat one first."""
    found: list[tuple[int, ...]] = [(cells,) if cells > 1 else ()]
    for height in range(2, max(cells - 1, 1).bit_length() + 1):
        branching = [max(2, math.ceil(cells ** (1 / height) - 1e-9))] * height
        for place in range(height):
            while branching[place] > 2:
                fewer = [*branching[:place], branching[place] - 1, *branching[place + 1 :]]
                if math.prod(fewer) < cells:
                    break
                branching = fewer
        found.append(tuple(branching))
    return found
