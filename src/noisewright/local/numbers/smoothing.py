"""Most likely shares of neighboring numbers: expectation maximization, with smoothing.

A step moves the shares towards those that make the reports likelier; between steps, neighbors are
averaged with weights 1/4, 1/2, 1/4, without which the shares of a fine grid follow the noise
(Li, Wang, Lopuhaä-Zwakenberg, Li and Škorić 2020, "Estimating numerical distributions under local
differential privacy"; Nychka 1990). It stops when the logarithm of the likelihood changes by less
than 1/1000 in a step, or by e^ε / 1000 without smoothing, as they suggest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisewright.local.numbers.window_channel import Array, WindowChannel

SMOOTHED_FROM = 64
"""Fewer numbers are not smoothed: neighbors may well differ there."""

_STOP = 1e-3
_MOST_STEPS = 10_000


def most_likely_shares(
    channel: WindowChannel, counts: NDArray[np.int64], *, smooth: bool, ratio: float
) -> Array:
    """Return the shares of codes that fit the counts of outputs; `ratio` is e^ε."""
    people = int(counts.sum())
    seen = counts > 0
    some = counts[seen].astype(np.float64)
    shares = np.full(channel.codes, 1 / channel.codes)
    likelihood, stop = -np.inf, _STOP * (1.0 if smooth else ratio)
    for _ in range(_MOST_STEPS):
        chances = channel.push(shares)
        before, likelihood = likelihood, float(some @ np.log(chances[seen]))
        if abs(likelihood - before) < stop:
            break
        shares = shares * channel.pull(counts / chances) / people
        if smooth:
            shares = _average(shares)
        shares /= shares.sum()
    return shares


def _average(shares: Array) -> Array:
    """Return shares averaged with their neighbors; at the ends with the one there is."""
    found = shares / 2
    found[1:] += shares[:-1] / 4
    found[:-1] += shares[1:] / 4
    found[[0, -1]] *= 4 / 3
    return found
