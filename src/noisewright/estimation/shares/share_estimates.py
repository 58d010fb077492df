"""Shares of categories and joint tables from counts of released values.

    p̂ = ⊗Lᵀ q̂                          unbiased
    Var p̂_i = (E g_i² − p_i²) / n      about the population: noise and sampling
    Var p̂_i = (E g_i² − p_i) / n       about these people: E[g_i | x] = [x = i], so the noise alone
                                       leaves E Var(g_i | x) = E g_i² − p_i

These are the exact multinomial formulas. They depend on the true shares through E g_i² =
⊗(L∘L)ᵀ ⊗Pᵀ p (see `spread.py`), for which plausible shares are put in: unbiased ones may be far
outside of [0, 1].
Columns are randomized independently, so each matrix is applied along its own axis: none over all
cells is ever formed. Columns that were released together are one axis, with one channel over their
joint cells; afterwards each column gets its axis back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation.channels.channel import Channel, DenseChannel, ResponseChannel
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.intervals.spread import plausible, project_to_simplex, spread
from noisewright.estimation.questions.asked import axis_of
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.result import Axis, Estimate, map_arrays
from noisewright.estimation.shares.likelihood import most_likely

Array = NDArray[np.float64]


def shares_from_counts(
    counts: NDArray[Any],
    channels: Sequence[Channel],
    axes: tuple[Axis, ...],
    sample: Sample,
    *,
    method: str = "unbiased",
) -> Estimate:
    """Estimate the shares of a table from the counts of its released cells, the rows of a sample.

    Without noise the intervals are Wilson's (1927); see `intervals.py`.
    """
    people = sample.people
    observed = counts / people
    if method == "likelihood":
        channels = [forgiving(channel) for channel in channels]
    values = observed
    for axis, channel in enumerate(channels):
        values = channel.solve(values, axis)
    found = spread(plausible(values, people, channels), channels)
    exact = (isinstance(channel, ResponseChannel) and channel.other <= 0 for channel in channels)
    if sample.about == "people" and all(exact):
        found = replace(found, jumps=np.zeros_like(values))
    errors, lows, highs = found.answers(values, sample)
    if method != "unbiased":
        # No share is beyond 0 and 1, so that what is brought back to there is nearer to it.
        _, lows, highs = found.answers(np.clip(values, 0.0, 1.0), sample)
        if method == "projected":
            values = project_to_simplex(values)
        else:
            values = most_likely(observed, channels, people, start=values)
        # The constraint pulls the answer in; the interval keeps the coverage of the unbiased one.
        lows = np.minimum(np.clip(lows, 0.0, 1.0), values)
        highs = np.maximum(np.clip(highs, 0.0, 1.0), values)
        hidden = _open_cells(channels)
        errors, lows, highs = (
            np.where(hidden, unknown, known)
            for unknown, known in ((np.inf, errors), (0.0, lows), (1.0, highs))
        )
    return sample.estimate("share", axes, values, errors, lows, highs, method=method)


def forgiving(channel: Channel) -> Channel:
    """Return a channel that answers what it can instead of refusing."""
    if isinstance(channel, DenseChannel) and channel.open_inputs.any():
        return replace(channel, forgiving=True)
    return channel


def _open_cells(channels: Sequence[Channel]) -> NDArray[np.bool_]:
    """Mark the cells whose share the released data leave open: any of its inputs is."""
    masks = (
        channel.open_inputs if isinstance(channel, DenseChannel) else np.zeros(channel.inputs, bool)
        for channel in channels
    )
    return reduce(np.logical_or.outer, masks)


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
