"""d-privacy: ε counts per unit of distance, so every two points have an e^(ε·d) of their own.

A mechanism is (ε, δ)-private under neighbors="metric" when P(A | x) ≤ e^(ε·d(x, z)) P(A | z) + δ
for every two points x, z and every event A (Chatzikokolakis–Andrés–Bordenabe–Palamidessi 2013,
with a δ). Everything is decided in integers; doubles only pass over pairs and outputs that are
far from mattering.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import (
    Enclosure,
    Epsilon,
    ScaledEpsilon,
    log_bounds,
    refined_ceiling,
    scale_epsilon,
)
from noisewright.mechanisms import Guarantee, Table
from noisewright.privacy.events import Event
from noisewright.privacy.profile import by_ratio, event_points, hull
from noisewright.spaces import Distance

_MARGIN = 2.0**-46
"""Relative error allowed to doubles made from integers and to a few operations on them."""

_TINY = 1e-280
"""Doubles below this may have lost bits; they are taken as 0 where that is the safe side."""

_BITS = 192


@dataclass(frozen=True)
class Needed:
    """The least ε for one pair is ln(ratio) / distance; None stands for infinity."""

    ratio: Fraction | None
    distance: Distance


def failing_event(table: Table, guarantee: Guarantee) -> Event | None:
    """Return an event that breaks the guarantee, None if there is none.

    It is the one with the largest P − e^(ε·d) Q − δ, to the precision of doubles among equals.
    """
    worst: Event | None = None
    most = 0.0
    pairs = table.space.direct_codes() if guarantee.delta == 0 else table.space.neighbor_codes()
    for event, allowed in _events(table, guarantee.epsilon, pairs):
        if event.exceeds(allowed, guarantee.delta):
            needed = float(event.delta_enclosure(allowed, _BITS).high)
            if worst is None or needed > most:
                worst, most = event, needed
    return worst


def delta_by_distance(table: Table, epsilon: Epsilon) -> float:
    """Return the least δ at this ε per unit of distance, rounded up to a double."""
    found = list(_events(table, epsilon, table.space.neighbor_codes()))
    # Each difference P − e^(ε·d) Q is irrational or known to a point, so this ends.
    return refined_ceiling(
        lambda bits: _largest(event.delta_enclosure(allowed, bits) for event, allowed in found)
    )


def _largest(known: Iterable[Enclosure]) -> Enclosure:
    """Enclose the largest of some numbers, or 0."""
    largest = Enclosure.point(0)
    for one in known:
        largest = Enclosure(max(largest.low, one.low), max(largest.high, one.high))
    return largest


def _events(
    table: Table, epsilon: Epsilon, pairs: NDArray[np.intp]
) -> Iterator[tuple[Event, ScaledEpsilon]]:
    """Yield the worst event of each pair, both ways, if it needs a δ at all.

    Ensures: the pair that needs the largest δ is among them; others that need less may not be.
    """
    weights = table.weights.tolist()
    least = 0.0
    for bound, a, b, allowed, doubtful in sorted(
        _sketches(table, epsilon, pairs), key=lambda one: -one[0]
    ):
        if bound < least:
            return
        over, under = weights[a], weights[b]
        members = [y for y in doubtful if allowed.sign(over[y], under[y]) > 0]
        if not members:
            continue
        event = Event(
            a,
            b,
            tuple(members),
            sum(over[y] for y in members),
            sum(under[y] for y in members),
            table.total,
        )
        # A little less than what this event needs: rounding must not end the search too soon.
        least = max(least, float(event.delta_enclosure(allowed, 64).low) * (1 - _MARGIN))
        yield event, allowed


def _sketches(
    table: Table, epsilon: Epsilon, pairs: NDArray[np.intp]
) -> Iterator[tuple[float, int, int, ScaledEpsilon, list[int]]]:
    """Yield for each pair, both ways, an upper bound on its δ and the outputs that may count."""
    matrix = table.matrix
    surely = np.where(matrix > _TINY, matrix, 0.0) * (1 - _MARGIN)
    for a, b in pairs.tolist():
        allowed = scale_epsilon(epsilon, table.space.neighbor_distance(a, b))
        # e^900 > 2^900: what is beyond needs no power, and may be too large for one.
        low = allowed.ratio_bounds(64)[0] if allowed.bounds(0)[0] < 900 else 1 << 964
        ratio = 2.0**900 if low >> 964 else low / 2.0**64
        for x, z in ((a, b), (b, a)):
            # A weight too small for a double still counts as an output to look at.
            gains = matrix[x] * (1 + _MARGIN) - ratio * surely[z]
            doubtful = np.flatnonzero((gains > 0) | (matrix[x] <= _TINY)).tolist()
            if doubtful:
                bound = float(np.maximum(gains, 0).sum()) * (1 + _MARGIN * len(gains)) + _TINY
                yield bound, x, z, allowed, doubtful


def least_by_distance(table: Table, delta: Fraction) -> list[Needed]:
    """Return for some pairs what ε they need; the one that needs the most is among them."""
    if delta == 0:
        return _widest(table)
    solved: dict[tuple[int, int], Needed] = {}
    pairs = table.space.neighbor_codes()
    epsilon = Epsilon()
    while True:
        # Solving the worst pair at one ε moves ε up, and no pair needs to be solved twice.
        rest = [
            (event, allowed)
            for event, allowed in _events(table, epsilon, pairs)
            if (event.input, event.neighbor) not in solved and event.exceeds(allowed, delta)
        ]
        if not rest:
            return list(solved.values()) or [Needed(Fraction(1), 1)]
        event, _ = max(rest, key=lambda one: float(one[0].delta_enclosure(one[1], 64).high))
        distance = table.space.neighbor_distance(event.input, event.neighbor)
        needed = Needed(_ratio_needed(table, event.input, event.neighbor, delta), distance)
        if needed.ratio is None:
            return [needed]
        solved[event.input, event.neighbor] = needed
        below = max((_exponent(one, _BITS)[0] for one in solved.values()), default=0)
        epsilon = Epsilon(rational=Fraction(below, 1 << _BITS))


def _ratio_needed(table: Table, x: int, z: int, delta: Fraction) -> Fraction | None:
    """Return the least E ≥ 1 with Σ max(0, P − E·Q) ≤ δ for one ordered pair."""
    rows = list(zip(table.weights[x].tolist(), table.weights[z].tolist(), strict=True))
    return hull(event_points(by_ratio(rows)), table.total).ratio(delta)


def _widest(table: Table) -> list[Needed]:
    found: list[Needed] = []
    weights = table.weights.tolist()
    for a, b in table.space.direct_codes().tolist():
        distance = table.space.neighbor_distance(a, b)
        most, least = 1, 1
        for one, other in zip(weights[a], weights[b], strict=True):
            p, q = max(one, other), min(one, other)
            if p and not q:
                return [Needed(None, distance)]
            if p * least > most * q:
                most, least = p, q
        found.append(Needed(Fraction(most, least), distance))
    return found or [Needed(Fraction(1), 1)]


def _exponent(needed: Needed, bits: int) -> tuple[int, int]:
    """Bound ln(ratio) / distance."""
    assert needed.ratio is not None
    low, high = log_bounds(needed.ratio, bits + 32)
    scale = Fraction(1, 1 << 32) / needed.distance
    return math.floor(low * scale), math.ceil(high * scale)


def ceiling_of(found: list[Needed]) -> float:
    """Return the smallest double that is at least the ε that all of them need."""
    if any(one.ratio is None for one in found):
        return math.inf
    # ln(r)/d is irrational unless r = 1, where it is known to be 0, so this ends.
    return refined_ceiling(
        lambda bits: _largest(Enclosure.over(_exponent(one, bits), bits) for one in found)
    )


def claim_of(found: list[Needed]) -> Epsilon | None:
    """Return the ε that all of them need: exact if the worst is at distance 1, or just above."""
    if any(one.ratio is None for one in found):
        return None
    ends = [_exponent(one, _BITS) for one in found]
    high = max(end[1] for end in ends)
    near = [one for one, end in zip(found, ends, strict=True) if end[1] >= high - 2]
    if all(one.distance == 1 and one.ratio == near[0].ratio for one in near):
        assert near[0].ratio is not None
        return Epsilon.log(near[0].ratio).brief()
    return Epsilon(rational=Fraction(high, 1 << _BITS))
