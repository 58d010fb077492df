"""Which numbers of reports were seen before: sorted runs, each at least twice as long as the next.

A batch is one more run, and runs are joined as in a counter to the base two: each number is moved
log₂(reports) times, however small the batches are.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]


class SeenNumbers:
    """A set of numbers that grows."""

    def __init__(self, runs: Iterable[Numbers] = ()) -> None:
        self._runs = [run for run in runs if run.size]

    def __len__(self) -> int:
        return sum(run.size for run in self._runs)

    def copy(self) -> SeenNumbers:
        """Return the same set, which grows by itself: runs are never changed."""
        return SeenNumbers(self._runs)

    def add(self, numbers: Numbers) -> NDArray[np.intp] | slice:
        """Return the places of those that are new, and remember them."""
        ordered = np.sort(numbers)
        if not self._has_repeated(ordered):
            self._append(ordered)
            return slice(None)
        new, places = np.unique(numbers, return_index=True)
        for run in self._runs:
            unknown = ~_are_in(new, run)
            new, places = new[unknown], places[unknown]
        self._append(new)
        return places

    def _has_repeated(self, ordered: Numbers) -> bool:
        twice = bool((ordered[1:] == ordered[:-1]).any())
        return twice or any(_are_in(ordered, run).any() for run in self._runs)

    def _append(self, run: Numbers) -> None:
        if run.size:
            self._runs.append(run)
        while len(self._runs) > 1 and self._runs[-2].size < 2 * self._runs[-1].size:
            joined = np.concatenate([self._runs.pop(), self._runs.pop()])
            joined.sort(kind="stable")  # which joins runs in one pass
            self._runs.append(joined)

    def shared_with(self, other: SeenNumbers) -> int:
        """Return how many numbers are in both."""
        pairs = ((mine, run) for mine in self._runs for run in other._runs)
        return sum(int(np.count_nonzero(_are_in(mine, run))) for mine, run in pairs)

    def join(self, other: SeenNumbers) -> None:
        """Add another set, with which nothing is shared."""
        for run in other._runs:
            self._append(run)

    def all(self) -> Numbers:
        """Return all numbers in one array."""
        if len(self._runs) > 1:
            joined = np.concatenate(self._runs)
            joined.sort(kind="stable")
            self._runs = [joined]
        return self._runs[0] if self._runs else np.empty(0, dtype=np.uint64)


def _are_in(numbers: Numbers, run: Numbers) -> NDArray[np.bool_]:
    at = np.searchsorted(run, numbers)
    at[at == run.size] = 0  # which is smaller than all of these
    return run[at] == numbers
