"""A tree over bins: counts of single bins, of runs of bins, of runs of these, and so on.

A row adds 1 to one count of each level. So the number of rows below a bin is the sum of a few
counts, where without the tree it would be that of all bins before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

BRANCHING = 16
"""How many runs of one level a run of the next one has: the best is between 8 and 20 or so."""


@final
@dataclass(frozen=True)
class BinTree:
    """Levels of runs over so many bins; `steps` says how many bins a run of each level has."""

    bins: int
    steps: tuple[int, ...]

    @classmethod
    def of(cls, bins: int) -> BinTree:
        """Return the tree over so many bins: its topmost level has a few runs."""
        steps = [1]
        while -(-bins // (steps[-1] * BRANCHING)) > 1:
            steps.append(steps[-1] * BRANCHING)
        return cls(bins, tuple(steps))

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many runs each level has; the last of them may be shorter."""
        return tuple(-(-self.bins // step) for step in self.steps)
