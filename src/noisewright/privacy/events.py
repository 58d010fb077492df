"""The event that tells two neighbors apart best, at a given ε.

Exact throughout: whether an output belongs to the event is decided in integers. Doubles are
used only to pass over pairs and outputs that are far from mattering, with a margin that
covers their rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Enclosure, Epsilon, ScaledEpsilon
from noisewright.mechanisms import Response, Table
from noisewright.privacy.profile import delta_enclosure
from noisewright.spaces import Pairs

_MARGIN = 2.0**-48
"""Relative error allowed to doubles made from integers and to a few operations on them."""

_TINY = 1e-280
"""Doubles below this may have lost bits; they are never trusted."""

_CHUNK = 1 << 15
"""How many entries are looked at together: 256 KiB of doubles."""


@dataclass(frozen=True)
class Event:
    """A set of outputs with its integer weights under an input and its neighbor (codes)."""

    input: int
    neighbor: int
    outputs: tuple[int, ...]
    p: int
    q: int
    total: int

    def delta_enclosure(self, epsilon: Epsilon | ScaledEpsilon, bits: int) -> Enclosure:
        """Enclose P − e^ε Q, the δ that this event needs; in a point if it is rational."""
        return delta_enclosure(epsilon, self.p, self.q, self.total, bits)

    def exceeds(self, epsilon: Epsilon | ScaledEpsilon, delta: Fraction) -> bool:
        """Tell exactly whether P > e^ε Q + δ."""
        spare = delta * self.total
        scale = spare.denominator
        return epsilon.sign(self.p * scale - spare.numerator, self.q * scale) > 0

    def above(self, other: Event, epsilon: Epsilon) -> bool:
        """Tell exactly whether this event needs more δ than another of the same table."""
        return epsilon.sign(self.p - other.p, self.q - other.q) > 0


def worst_event(table: Table | Response, epsilon: Epsilon) -> Event:
    """Return the event with the largest P − e^ε Q over all neighbors, both directions."""
    if isinstance(table, Response):
        event = _truth(table)
        return event if epsilon.sign(event.p, event.q) > 0 else replace(event, outputs=(), p=0, q=0)
    pairs = _by_input(_both_ways(table.space.neighbor_codes()))
    if epsilon.ratio_bounds(0)[0] > 1 << 900:
        # Beyond the range of doubles: every output of every pair is looked at in integers.
        return _largest(table, pairs, epsilon, math.inf)
    ratio = epsilon.ratio_bounds(64)[0] / 2.0**64
    return _largest(table, _close_pairs(table, pairs, ratio), epsilon, ratio)


def _largest(table: Table, pairs: NDArray[np.intp], epsilon: Epsilon, ratio: float) -> Event:
    """Return the largest event of these pairs, passing over inputs that cannot surpass it.

    When all points are neighbors, an input against the least weight of each output bounds all
    its pairs. In symmetric tables the bound is reached, so one input settles all the others.
    """
    weights = table.weights.tolist()
    threshold = _threshold(table, ratio)
    above = _comparison(epsilon)
    least = [min(column) for column in zip(*weights, strict=True)]
    bounded = table.space.neighbors == "replace" and table.space.size > 2
    worst = Event(0, 0, (), 0, 0, table.total)
    for a, neighbors in _by_row(pairs):
        if bounded:
            over = weights[a]
            best = [y for y, q in enumerate(least) if over[y] > q and above(over[y], q)]
            p, q = sum([over[y] for y in best]), sum([least[y] for y in best])
            if epsilon.sign(p - worst.p, q - worst.q) <= 0:
                continue
        for event in _events_of(table, a, neighbors, threshold, weights, above):
            if event.above(worst, epsilon):
                worst = event
    return worst


def _close_pairs(table: Table, pairs: NDArray[np.intp], ratio: float) -> NDArray[np.intp]:
    """Return the ordered pairs whose float δ is as large as the largest, up to rounding."""
    scaled = ratio * table.matrix
    deltas = np.empty(len(pairs))
    for place, a, neighbors in _blocks(pairs, table):
        gains = table.matrix[a] - scaled[_span(neighbors)]
        deltas[place] = np.maximum(gains, 0, out=gains).sum(axis=1)
    # Terms are below 1 and e^ε in total, so this covers the difference of two rounded sums.
    error = (1 + ratio) * (table.outputs.size + 8) * 2.0**-50
    return pairs[deltas >= deltas.max(initial=0.0) - error]


def _comparison(epsilon: Epsilon) -> Callable[[int, int], bool]:
    """Return the exact test p > e^ε q for weights; all but near ties need one product."""
    bits = 128
    low, high = epsilon.ratio_bounds(bits)

    def above(p: int, q: int) -> bool:
        scaled = p << bits
        if scaled > high * q:
            return True
        return scaled > low * q and epsilon.sign(p, q) > 0

    return above


def _events_of(
    table: Table,
    a: int,
    neighbors: NDArray[np.intp],
    threshold: NDArray[np.float64],
    weights: list[list[int]],
    above: Callable[[int, int], bool],
) -> Iterator[Event]:
    """Yield the worst event of one input and each neighbor, without repeated probabilities."""
    over = weights[a]
    seen: set[tuple[int, int]] = set()
    most = max(1, _CHUNK // table.outputs.size)
    for start in range(0, len(neighbors), most):
        block = neighbors[start : start + most]
        doubts = np.flatnonzero(table.matrix[a] > threshold[_span(block)])
        rows, outputs = np.divmod(doubts, table.outputs.size)
        starts = np.searchsorted(rows, np.arange(len(block) + 1)).tolist()
        doubtful = outputs.tolist()
        for row, b in enumerate(block.tolist()):
            under = weights[b]
            members = [
                y
                for y in doubtful[starts[row] : starts[row + 1]]
                if over[y] > under[y] and above(over[y], under[y])
            ]
            p, q = sum([over[y] for y in members]), sum([under[y] for y in members])
            if (p, q) not in seen:
                seen.add((p, q))
                yield Event(a, b, tuple(members), p, q, table.total)


def _threshold(table: Table, ratio: float) -> NDArray[np.float64]:
    """Return what P(y | x) must exceed, as a double, for y to be worth an exact comparison."""
    if math.isinf(ratio):
        return np.full(table.matrix.shape, -1.0)
    # The weight itself must not be tiny: a large e^ε would hide that its double lost bits.
    return np.where(table.matrix > _TINY, ratio * table.matrix * (1 - _MARGIN), -1.0)


def _both_ways(pairs: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.concatenate([pairs, pairs[:, ::-1]])


def _by_input(pairs: NDArray[np.intp]) -> NDArray[np.intp]:
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _by_row(pairs: NDArray[np.intp]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield each input with its neighbors, from pairs that are sorted by input."""
    inputs, starts = np.unique(pairs[:, 0], return_index=True)
    yield from zip(inputs.tolist(), np.split(pairs[:, 1], starts)[1:], strict=True)


def _blocks(pairs: NDArray[np.intp], table: Table) -> Iterator[tuple[slice, int, NDArray[np.intp]]]:
    """Yield the pairs of one input after the other, in blocks that stay in the cache."""
    most = max(1, _CHUNK // table.outputs.size)
    start = 0
    for a, neighbors in _by_row(pairs):
        for first in range(0, len(neighbors), most):
            block = neighbors[first : first + most]
            yield slice(start + first, start + first + len(block)), a, block
        start += len(neighbors)


def _span(codes: NDArray[np.intp]) -> NDArray[np.intp] | slice:
    """Return consecutive codes as a slice, which takes a view where an array would copy."""
    first, last = int(codes[0]), int(codes[-1])
    return slice(first, last + 1) if last - first == len(codes) - 1 else codes


def _truth(response: Response) -> Event:
    """Return the event that tells any two points apart best: the truth itself."""
    truth, other, total = response.masses()
    relation = response.space.neighbors
    a, b = relation.pairs[0] if isinstance(relation, Pairs) else (0, 1)
    return Event(a, b, (a,), truth, other, total)


def widest_event(table: Table | Response, *, any_two: bool = False) -> Event | None:
    """Return a single output with the largest ratio P/Q over neighbors; None if all are equal.

    Its ratio is e^ε for the tight ε at δ = 0; q = 0 means that no ε is enough. `any_two` looks
    at every two inputs, neighbors or not.
    """
    if isinstance(table, Response):
        candidates = iter([_truth(table)])
    elif any_two or table.space.neighbors == "replace":
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
    rows_at_once = max(1, _CHUNK // table.outputs.size)
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
