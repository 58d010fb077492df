"""Shares of tables of columns, of which some may have been released together.

Columns of one part are one axis, with one channel over their joint cells; parts were randomized
independently, so each has an axis of its own. Afterwards each column gets its axis back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from noisewright.estimation.channels.channel import Channel
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.questions.asked import axis_of
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import Axis, Estimate, map_arrays
from noisewright.estimation.shares.share_estimates import shares_from_counts


class JointShares:
    """How a table of private columns is estimated; `columns` is the order that it counts in."""

    def __init__(self, layout: TableLayout, columns: Sequence[str]) -> None:
        parts = sorted({layout.place(name) for name in columns})
        together = [
            tuple(name for name in layout.parts[place].columns if name in columns)
            for place in parts
        ]
        self.columns = tuple(name for names in together for name in names)
        self.channels: list[Channel] = [layout.channel(names) for names in together]
        self.axes = tuple(axis_of(layout.space(name), name) for name in self.columns)

    @property
    def cells(self) -> int:
        """How many shares the table has."""
        return math.prod(channel.inputs for channel in self.channels)

    def estimate(
        self,
        counts: NDArray[Any],
        sample: Sample,
        *,
        method: str = "unbiased",
        first: tuple[Channel, Axis] | None = None,
    ) -> Estimate:
        """Estimate the shares from the counts of released cells, one axis for each column.

        `first` is an independent column of another kind, whose axis comes before the others.
        """
        before = [] if first is None else [first]
        channels = [*(channel for channel, _ in before), *self.channels]
        axes = (*(axis for _, axis in before), *self.axes)
        found = shares_from_counts(
            counts.reshape([channel.outputs for channel in channels]),
            channels,
            tuple(Axis("cell", range(channel.inputs)) for channel in channels),
            sample,
            method=method,
        )
        shape = tuple(len(axis.labels) for axis in axes)
        return map_arrays(found, lambda array: array.reshape(shape), axes=axes)
