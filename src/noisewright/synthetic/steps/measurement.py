"""Counts with noise: what a synthesizer has seen of the data, and what may leave with the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import Axis, Estimate, axis_of
from noisewright.sampling import Source
from noisewright.spaces import Records, Space
from noisewright.synthetic.steps.joined_bins import JoinedBins, add_up
from noisewright.synthetic.steps.noise import Noise

Names = tuple[str, ...]
FARTHEST = 1 << 62
"""Noisy counts are moved to here if they are farther from 0."""


@final
@dataclass(frozen=True, eq=False)
class Measurement:
    """Counts by some columns, with exact integer noise on each; they may be negative.

    `query` names the one query that was counted, where it was not a whole marginal, and `cells`
    are those that it counts. `joined` maps each column that was counted in fewer bins than the
    domain has to these bins.
    """

    domain: Records
    columns: Names
    counts: NDArray[np.int64]
    noise: Noise
    rows: int
    query: str = ""
    cells: NDArray[np.bool_] | None = None
    joined: Mapping[str, JoinedBins] = field(default_factory=dict[str, JoinedBins])

    @property
    def name(self) -> str:
        """What was counted, in words."""
        return self.query or " × ".join(self.columns)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on each count."""
        return self.noise.deviation

    @property
    def estimate(self) -> Estimate:
        """The counts with standard errors and 95% intervals, about the rows of the table."""
        values = self.counts.astype(np.float64)
        values = values.reshape(()) if self.query else values
        half = self.noise.half_width
        return Estimate(
            what="count",
            axes=() if self.query else self._axes,
            values=values,
            standard_errors=np.full(values.shape, self.deviation),
            lows=values - half,
            highs=values + half,
            people=self.rows,
            about="people",
            method="unbiased",
            confidence=0.95,
        )

    @property
    def spaces(self) -> tuple[Space, ...]:
        """The values of its cells: one space for each column, with joined bins as labels."""
        known = self.domain.by_name
        return tuple(
            self.joined[name].space if name in self.joined else known[name] for name in self.columns
        )

    @property
    def _axes(self) -> tuple[Axis, ...]:
        return tuple(axis_of(s, name) for s, name in zip(self.spaces, self.columns, strict=True))

    def of_table(self, table: NDArray[Any]) -> NDArray[Any]:
        """Return the counts that a table by its columns, in all bins, would give without noise."""
        if self.cells is not None:
            return np.atleast_1d(table[self.cells].sum())
        return add_up(table, self.columns, self.joined)

    def __repr__(self) -> str:
        return f"<{self.counts.size:,} counts of {self.name}, deviation {self.deviation:.4g}>"


@final
@dataclass(frozen=True, eq=False)
class ModelDistance:
    """How far counts by some columns are from what a model expects, with exact integer noise.

    The distance is the sum of what the counts exceed the expected ones by, before noise.
    """

    columns: Names
    expected: NDArray[np.int64]
    distance: int
    noise: Noise


def number_counts(measurements: Sequence[Measurement]) -> list[tuple[int, int]]:
    """Return which count of the same table or query each is, and how many of it there are."""
    names = [(one.columns, one.query) for one in measurements]
    times, seen = Counter(names), Counter[tuple[Names, str]]()
    found: list[tuple[int, int]] = []
    for name in names:
        seen[name] += 1
        found.append((seen[name], times[name]))
    return found


def add_noise(counts: NDArray[Any], noise: Noise, source: Source | None) -> NDArray[np.int64]:
    """Add noise to counts."""
    drawn = noise.draw(counts.size, source).reshape(counts.shape)
    # Sums, and never noise alone, are moved to the ends of what 64 bits hold: noise at an end plus
    # a count would show the count.
    noisy = np.clip(counts.astype(drawn.dtype) + drawn, -FARTHEST, FARTHEST).astype(np.int64)
    noisy.setflags(write=False)
    return noisy
