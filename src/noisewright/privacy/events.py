"""The event that tells two neighbors apart best, at a given ε.

Exact throughout: whether an output belongs to the event is decided in integers. Doubles are
used only to pass over pairs and outputs that are far from mattering, with a margin that
covers their rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Enclosure, Epsilon
from noisewright.mechanisms import Table

_MARGIN = 2.0**-48
"""Relative error allowed to doubles made from integers and to a few operations on them."""

_TINY = 1e-280
"""Doubles below this may have lost bits; they are never trusted."""

_CHUNK = 1 << 18
"""How many entries are looked at together."""


@dataclass(frozen=True)
class Event:
    """A set of outputs with its integer weights under an input and its neighbor (codes)."""

    input: int
    neighbor: int
    outputs: tuple[int, ...]
    p: int
    q: int
    total: int

    def delta_enclosure(self, epsilon: Epsilon, bits: int) -> Enclosure:
        """Enclose P − e^ε Q, the δ that this event needs."""
        low, high = epsilon.ratio_bounds(bits)
        scale = self.total << bits
        return Enclosure(
            Fraction((self.p << bits) - high * self.q, scale),
            Fraction((self.p << bits) - low * self.q, scale),
        )

    def exceeds(self, epsilon: Epsilon, delta: Fraction) -> bool:
        """Tell exactly whether P > e^ε Q + δ."""
        spare = delta * self.total
        scale = spare.denominator
        return epsilon.sign(self.p * scale - spare.numerator, self.q * scale) > 0

    def above(self, other: Event, epsilon: Epsilon) -> bool:
        """Tell exactly whether this event needs more δ than another of the same table."""
        return epsilon.sign(self.p - other.p, self.q - other.q) > 0


def worst_event(table: Table, epsilon: Epsilon) -> Event:
    """Return the event with the largest P − e^ε Q over all neighbors, both directions."""
    pairs = _both_ways(table.space.neighbor_codes())
    if epsilon.ratio_bounds(0)[0] > 1 << 900:
        # Beyond the range of doubles: every output of every pair is looked at in integers.
        found = _exact_events(table, pairs, epsilon, math.inf)
    else:
        low, _ = epsilon.ratio_bounds(64)
        ratio = low / 2.0**64
        found = _exact_events(table, _close_pairs(table, pairs, ratio), epsilon, ratio)
    worst = Event(0, 0, (), 0, 0, table.total)
    for event in found:
        if event.above(worst, epsilon):
            worst = event
    return worst


def _close_pairs(table: Table, pairs: NDArray[np.intp], ratio: float) -> NDArray[np.intp]:
    """Return the ordered pairs whose float δ is as large as the largest, up to rounding."""
    deltas = np.empty(len(pairs))
    for chunk in _chunks(len(pairs), table):
        over, under = pairs[chunk].T
        gains = table.matrix[over] - ratio * table.matrix[under]
        deltas[chunk] = np.maximum(gains, 0, out=gains).sum(axis=1)
    # Terms are below 1 and e^ε in total, so this covers the difference of two rounded sums.
    error = (1 + ratio) * (table.outputs.size + 8) * 2.0**-50
    return pairs[deltas >= deltas.max(initial=0.0) - error]


def _exact_events(
    table: Table, pairs: NDArray[np.intp], epsilon: Epsilon, ratio: float
) -> Iterator[Event]:
    """Yield the worst event of each ordered pair, leaving out repeated probabilities."""
    weights = table.weights.tolist()
    seen: set[tuple[int, int]] = set()
    for chunk in _chunks(len(pairs), table):
        part = pairs[chunk]
        relevant, certain = _sorted_out(table, part, ratio)
        rows, outputs = np.nonzero(relevant)
        starts = np.searchsorted(rows, np.arange(len(part) + 1)).tolist()
        sure = certain[rows, outputs].tolist()
        listed = outputs.tolist()
        for row, (a, b) in enumerate(part.tolist()):
            over, under = weights[a], weights[b]
            members = [
                listed[k]
                for k in range(starts[row], starts[row + 1])
                if sure[k] or epsilon.sign(over[listed[k]], under[listed[k]]) > 0
            ]
            p, q = sum([over[y] for y in members]), sum([under[y] for y in members])
            if (p, q) not in seen:
                seen.add((p, q))
                yield Event(a, b, tuple(members), p, q, table.total)


def _sorted_out(
    table: Table, pairs: NDArray[np.intp], ratio: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which outputs may belong to the event of each pair, and which surely do."""
    if math.isinf(ratio):
        every = np.ones((len(pairs), table.outputs.size), dtype=bool)
        return every, np.zeros_like(every)
    over, under = table.matrix[pairs[:, 0]], ratio * table.matrix[pairs[:, 1]]
    trusted = (over > _TINY) & (under > _TINY)
    certain = trusted & (over > under * (1 + _MARGIN))
    return certain | ~trusted | (over > under * (1 - _MARGIN)), certain


def _chunks(count: int, table: Table) -> Iterator[slice]:
    rows_at_once = max(1, _CHUNK // table.outputs.size)
    for start in range(0, count, rows_at_once):
        yield slice(start, min(start + rows_at_once, count))


def _both_ways(pairs: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.concatenate([pairs, pairs[:, ::-1]])


def widest_event(table: Table) -> Event | None:
    """Return a single output with the largest ratio P/Q over neighbors; None if all are equal.

    Its ratio is e^ε for the tight ε at δ = 0; q = 0 means that no ε is enough.
    """
    if table.space.neighbors == "replace":
        candidates = _column_extremes(table)
    else:
        candidates = _pair_extremes(table)
    worst: Event | None = None
    for event in candidates:
        if event.p == event.q:
            continue
        if worst is None or event.p * worst.q > worst.p * event.q or (event.q == 0 < worst.q):
            worst = event
    return worst


def _column_extremes(table: Table) -> Iterator[Event]:
    """All points are neighbors: in each column only the largest and the least weight matter."""
    for y, column in enumerate(table.weights.T.tolist()):
        p, q = max(column), min(column)
        yield Event(column.index(p), column.index(q), (y,), p, q, table.total)


def _pair_extremes(table: Table) -> Iterator[Event]:
    pairs = table.space.neighbor_codes()
    rows_at_once = max(1, (_CHUNK >> 3) // table.outputs.size)
    for start in range(0, len(pairs), rows_at_once):
        chunk = _both_ways(pairs[start : start + rows_at_once])
        over, under = table.weights[chunk[:, 0]], table.weights[chunk[:, 1]]
        free = (under == 0) & (over > 0)
        if free.any():
            row, y = np.argwhere(free)[0].tolist()
            a, b = chunk[row].tolist()
            yield Event(a, b, (y,), int(over[row, y]), 0, table.total)
            continue
        # Long quotients pick the largest ratios; the caller compares those exactly.
        quotients = (over << 128) // np.where(under == 0, 1, under)
        distinct: dict[tuple[int, int], tuple[int, int]] = {}
        for row, y in np.argwhere(quotients == quotients.max()).tolist():
            distinct.setdefault((over[row, y], under[row, y]), (row, y))
        for (p, q), (row, y) in distinct.items():
            a, b = chunk[row].tolist()
            yield Event(a, b, (y,), p, q, table.total)
