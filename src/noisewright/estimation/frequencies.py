"""Shares of categories and joint tables from counts of released values.

    p̂ = ⊗Lᵀ q̂                          unbiased
    Var p̂_i = (E g_i² − p_i²) / n      about the population: noise and sampling
    Var p̂_i = (E g_i² − p_i) / n       about these people: E[g_i | x] = [x = i], so the noise alone
                                       leaves E Var(g_i | x) = E g_i² − p_i

These are the exact multinomial formulas. They depend on the true shares through E g_i² =
⊗(L∘L)ᵀ ⊗Pᵀ p, for which plausible shares are put in: unbiased ones may be far outside of [0, 1].
Columns are randomized independently, so each matrix is applied along its own axis: none over all
cells is ever formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation.channels import (
    Channel,
    DenseChannel,
    ResponseChannel,
    joint_second_moments,
)
from noisewright.estimation.intervals import require_people, score_interval, with_half_a_row
from noisewright.estimation.likelihood import most_likely
from noisewright.estimation.plausible import plausible
from noisewright.estimation.result import About, Axis, Estimate
from noisewright.estimation.simplex import projected

Array = NDArray[np.float64]

METHODS = ("unbiased", "likelihood", "projected")


def read_method(method: Any) -> str:
    """Read how shares are estimated."""
    if method not in METHODS:
        raise ParameterError(
            f"method is {method!r}; it must be 'unbiased' (may leave [0, 1]), 'likelihood' (the "
            "most likely shares) or 'projected' (the shares nearest to the unbiased ones)."
        )
    return str(method)


@dataclass(frozen=True)
class Spread:
    """How much one row's contribution to each share varies, when the shares are `at`.

    `second` is E g_i²; `own` and `others` are E[g_i² | x] at x = i and on average elsewhere, so
    that second = own·p_i + others·(1 − p_i).
    """

    at: Array
    second: Array
    own: Array
    others: Array

    def variances(self, about: About) -> Array:
        """Return the variances of one row; those of the estimate are smaller by 1/n."""
        known = self.at**2 if about == "population" else self.at
        return np.maximum(self.second - known, 0.0)


def spread(shares: Array, channels: Sequence[Channel]) -> Spread:
    """Return the exact spread of the unbiased estimator at these shares of the inputs."""
    second = shares
    for axis, channel in enumerate(channels):
        second = channel.solve_squares(channel.push(second, axis), axis)
    own, least, most = joint_second_moments(channels)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = (second - own * shares) / (1 - shares)
    # Next to a share of one there are no others to average over.
    others = np.where(shares < 1 - 1e-6, np.clip(others, least, most), (least + most) / 2)
    return Spread(shares, second, own, others)


def shares_from_counts(
    counts: NDArray[Any],
    channels: Sequence[Channel],
    axes: tuple[Axis, ...],
    *,
    about: About,
    method: str,
    confidence: float,
) -> Estimate:
    """Estimate the shares of a table from the counts of its released cells."""
    people = int(counts.sum())
    require_people(people)
    observed = counts / people
    if method == "likelihood":
        channels = [_forgiving(channel) for channel in channels]
    values = observed
    for axis, channel in enumerate(channels):
        values = channel.solve(values, axis)
    found = spread(plausible(values, people, channels), channels)
    errors = np.sqrt(found.variances(about) / people)
    lows, highs = score_interval(values, found.own, found.others, people, about, confidence)
    if about == "people" and not all(map(_is_exact, channels)):
        lows, highs = with_half_a_row(lows, highs, errors, people)
    if method != "unbiased":
        if method == "projected":
            values = projected(values)
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
    return Estimate("share", axes, values, errors, lows, highs, people, about, method, confidence)


def _is_exact(channel: Channel) -> bool:
    return isinstance(channel, ResponseChannel) and channel.other <= 0


def _forgiving(channel: Channel) -> Channel:
    """Return a channel that answers what it can instead of refusing."""
    return replace(channel, forgiving=True) if isinstance(channel, DenseChannel) else channel


def _open_cells(channels: Sequence[Channel]) -> NDArray[np.bool_]:
    """Mark the cells whose share the released data leave open: any of its inputs is."""
    masks = (
        channel.open_inputs if isinstance(channel, DenseChannel) else np.zeros(channel.inputs, bool)
        for channel in channels
    )
    return reduce(np.logical_or.outer, masks)
