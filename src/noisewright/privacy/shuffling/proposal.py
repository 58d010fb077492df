"""About how much a shuffled table gives away, in doubles: proposes, and never decides.

The same steps as in `sums`, with doubles for masses and no care for which way they are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.privacy.shuffling.laws import Atom

_HALVINGS = 18
_MOST_POINTS = 512
_LEAST = 1e-280

Doubles = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def in_doubles(laws: Sequence[Sequence[Atom]]) -> list[Doubles]:
    """Return u, v and the masses of each law as arrays."""
    arrays = (np.array([[float(x) for x in atom] for atom in law]) for law in laws)
    return [(array[:, 0], array[:, 1], array[:, 2]) for array in arrays]


@dataclass(frozen=True)
class _Points:
    """Masses at first · step, (first + 1) · step, and so on."""

    step: float
    first: int
    masses: NDArray[Any]

    def times(self, other: _Points, tail: float) -> _Points:
        masses = np.convolve(self.masses, other.masses)
        low = min(int(np.searchsorted(np.cumsum(masses), tail)), len(masses) - 1)
        high = len(masses) - int(np.searchsorted(np.cumsum(masses[::-1]), tail))
        kept = masses[low : max(high, low + 1)].copy()
        kept[0] += masses[:low].sum()
        summed = _Points(self.step, self.first + other.first + low, kept)
        while len(summed.masses) > _MOST_POINTS:
            summed = summed.coarsen()
        return summed

    def coarsen(self) -> _Points:
        start = self.first % 2
        padded = np.concatenate([np.zeros(start), self.masses])
        padded = np.concatenate([padded, np.zeros(len(padded) % 2 + 2)])
        even, odd = padded[::2], padded[1::2]
        masses = even + odd / 2
        masses[1:] += odd[:-1] / 2
        return _Points(2 * self.step, (self.first - start) // 2, masses)


def roughly_log_delta(laws: Sequence[Doubles], rows: int, epsilon: float, aim: float) -> float:
    """About ln δ at ε, for the worst law; `aim` is the ln δ that is of interest."""
    power = math.exp(epsilon)
    least = math.exp(max(aim, -600.0)) / 1000
    cores = [_core_of(u - power * v, mass, rows, least) for u, v, mass in laws]
    widest = max([float(np.abs(gain).max(initial=0)) for gain, _ in cores] + [1e-9])
    spread = max(math.sqrt(float((mass * gain**2).sum())) for gain, mass in cores)
    step = max(spread / 16, widest / 2048)
    one = _largest(cores, step)
    summed, copies = one, 1
    for bit in bin(rows)[3:]:
        copies *= 2
        summed = summed.times(summed, least * copies / rows)
        if bit == "1":
            copies += 1
            while one.step < summed.step:
                one = one.coarsen()
            summed = summed.times(one, least * copies / rows)
    values = (summed.first + np.arange(len(summed.masses))) * summed.step
    mean = float((np.maximum(values, 0) * summed.masses).sum()) / rows
    return math.log(max(mean, _LEAST))


def _core_of(
    gain: NDArray[Any], mass: NDArray[Any], rows: int, least: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Leave out large gains that are too rare to matter, and move up low ones."""
    order = np.argsort(gain)
    gain, mass = gain[order], mass[order]
    positive = float((np.maximum(gain, 0) * mass).sum())
    cost = np.cumsum((mass * (np.maximum(gain, 0) + rows * positive))[::-1])[::-1]
    moved = np.cumsum(np.maximum(-gain, 0) * mass)
    drift = abs(float((gain * mass).sum())) / (1 << 12)
    low = min(int(np.searchsorted(moved, drift)), max(len(gain) - 1, 0))
    gain = np.maximum(gain, gain[low])
    kept = (cost > least) | (gain <= 0)
    return gain[kept], mass[kept]


def _largest(cores: Sequence[tuple[NDArray[Any], NDArray[Any]]], step: float) -> _Points:
    """Put laws on one grid, and take the largest mean excess over each point."""
    places = [np.floor(gain / step).astype(int) for gain, _ in cores]
    first = min(0, *(int(place.min(initial=0)) for place in places)) - 1
    size = max(0, *(int(place.max(initial=0)) for place in places)) + 3 - first
    highest = np.zeros(size)
    for (gain, mass), place in zip(cores, places, strict=True):
        masses, part = np.zeros(size), gain / step - place
        np.add.at(masses, place - first, mass * (1 - part))
        np.add.at(masses, place - first + 1, mass * part)
        masses[-first] += max(1 - float(mass.sum()), 0.0)
        if len(cores) == 1:
            return _Points(step, first, masses)
        beyond = np.cumsum(masses[::-1])
        excess = np.concatenate([[0.0], np.cumsum(beyond)[:-1]])[::-1]
        highest = np.maximum(highest, excess)
    bends = highest[:-2] - 2 * highest[1:-1] + highest[2:]
    return _Points(step, first + 1, np.maximum(bends, 0))


def roughly_epsilon(laws: Sequence[Doubles], rows: int, log_delta: float, most: float) -> float:
    """About the ε at which δ is met, at most `most`."""
    low, high = 0.0, most
    if roughly_log_delta(laws, rows, most * 0.9999, log_delta) > log_delta:
        return most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2 if low > high / 2 else max(low * 1.5, high / 16)
        if roughly_log_delta(laws, rows, middle, log_delta) > log_delta:
            low = middle
        else:
            high = middle
    return high
