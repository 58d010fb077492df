"""Shares of categories and joint tables from counts of released values.

    p̂ = ⊗Lᵀ q̂                          unbiased
    Var p̂_i = (E g_i² − p_i²) / n      about the population: noise and sampling
    Var p̂_i = (E g_i² − p_i) / n       about these people: E[g_i | x] = [x = i], so the noise alone
                                       leaves E Var(g_i | x) = E g_i² − p_i

These are the exact multinomial formulas. They depend on the true shares through E g_i² =
⊗(L∘L)ᵀ ⊗Pᵀ p (see `spread.py`), for which plausible shares are put in: unbiased ones may be far
outside of [0, 1].
Columns are randomized independently, so each matrix is applied along its own axis: none over all
cells is ever formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation.channels.channel import Channel, DenseChannel, ResponseChannel
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.intervals.plausible import plausible
from noisewright.estimation.intervals.simplex import project_to_simplex
from noisewright.estimation.intervals.spread import spread
from noisewright.estimation.result import Axis, Estimate
from noisewright.estimation.shares.likelihood import most_likely
from noisewright.given import brief

Array = NDArray[np.float64]

METHODS = ("unbiased", "likelihood", "projected")


def read_method(method: Any) -> str:
    """Read how shares are estimated."""
    if not isinstance(method, str) or method not in METHODS:
        raise ParameterError(
            f"method is {brief(method)}; it must be 'unbiased' (may leave [0, 1]), 'likelihood' "
            "(the most likely shares) or 'projected' (the shares nearest to the unbiased ones)."
        )
    return str(method)


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
    if sample.about == "people" and all(map(_is_exact, channels)):
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


def _is_exact(channel: Channel) -> bool:
    return isinstance(channel, ResponseChannel) and channel.other <= 0


def forgiving(channel: Channel) -> Channel:
    """Return a channel that answers what it can instead of refusing."""
    return replace(channel, forgiving=True) if isinstance(channel, DenseChannel) else channel


def _open_cells(channels: Sequence[Channel]) -> NDArray[np.bool_]:
    """Mark the cells whose share the released data leave open: any of its inputs is."""
    masks = (
        channel.open_inputs if isinstance(channel, DenseChannel) else np.zeros(channel.inputs, bool)
        for channel in channels
    )
    return reduce(np.logical_or.outer, masks)
