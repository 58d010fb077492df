"""The whole privacy curve of a finite mechanism, exactly.

For neighbors x, x' and E = e^ε the least δ is Σ_y max(0, P(y|x) − E · P(y|x')). In E it is
the upper envelope of the lines P − E·Q, one for each event with probabilities (Q, P) under
x' and x. Only events of the form {y : P(y|x)/P(y|x') ≥ t} matter: sorted by their ratio they
trace a concave curve of points (Q, P), and the maximum over all neighbors is the concave
hull of those curves. The hull's vertices are integers over the table's total; nothing is
rounded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate, pairwise

from noisewright.errors import InputError, TooLargeError
from noisewright.exact import Enclosure, Epsilon, Number, ScaledEpsilon, refined_ceiling
from noisewright.mechanisms import Mechanism, read_delta
from noisewright.privacy.subject import table_under_test
from noisewright.public import public, public_methods

Masses = Sequence[tuple[int, int]]
"""For each output its integer weight under x and under x'."""

Point = tuple[int, int]
"""An event: its weight Q under x' and P under x."""

_KEY_BITS = 128
_MOST_MASSES = 20_000_000


@public_methods
@dataclass(frozen=True)
class Profile:
    """δ as a function of ε: the vertices (Q, P) of a concave hull, over `total`.

    The first vertex has Q = 0, the last is (total, total); slopes fall strictly. A slope is
    the e^ε at which two events tie: the knots of the curve.
    """

    points: tuple[Point, ...]
    total: int

    def delta(self, epsilon: Number | Epsilon) -> float:
        """Return the smallest double that is at least the least δ at this ε."""
        exact = Epsilon.of(epsilon)
        return refined_ceiling(lambda bits: self.delta_enclosure(exact, bits))

    __call__ = delta

    def delta_enclosure(self, epsilon: Number | Epsilon, bits: int = 192) -> Enclosure:
        """Enclose the least δ at this ε; the enclosure is a point when δ is rational."""
        exact, bits = Epsilon.of(epsilon), int(bits)
        q, p = self.points[self._active(exact)]
        return delta_enclosure(exact, p, q, self.total, bits).or_more(0)

    def _active(self, epsilon: Epsilon) -> int:
        """Return the vertex whose line is highest at E = e^ε: the first with a slope ≤ E after."""

        def is_flat(place: int) -> bool:
            (q, p), (following_q, following_p) = self.points[place : place + 2]
            return epsilon.sign(following_p - p, following_q - q) <= 0

        return bisect_left(range(len(self.points) - 1), True, key=is_flat)

    def ratio(self, delta: Number = 0) -> Fraction | None:
        """Return e^ε for the least ε at this δ as an exact rational; None if none is finite.

        It is the slope of the tangent from (0, δ) to the hull. The edges of a hull meet the line
        Q = 0 higher and higher, so the point of contact is found by bisection.
        """
        exact = read_delta(delta)
        spare, unit = exact.numerator * self.total, exact.denominator
        if self.points[0][1] * unit > spare:
            return None

        def is_beyond(place: int) -> bool:
            (q, p), (next_q, next_p) = self.points[place : place + 2]
            return (next_p - p) * unit * q <= (p * unit - spare) * (next_q - q)

        q, p = self.points[1 + bisect_left(range(1, len(self.points) - 1), True, key=is_beyond)]
        return Fraction(max(p * unit - spare, q * unit), q * unit)

    def epsilon(self, delta: Number = 0) -> float:
        """Return the smallest double that is at least the least ε at this δ (inf if none)."""
        ratio = self.ratio(delta)
        return float("inf") if ratio is None else Epsilon.log(ratio).ceiling()

    @property
    def ratios(self) -> tuple[Fraction, ...]:
        """The finite slopes of the hull, from the steepest: the e^ε of the knots."""
        return tuple(Fraction(p2 - p1, q2 - q1) for (q1, p1), (q2, p2) in pairwise(self.points))

    @property
    def knots(self) -> tuple[float, ...]:
        """The ε ≥ 0 at which the curve bends, rising; beyond the last one δ is constant."""
        # Rounding leaves slopes that differ by less than a double shows; they are one knot.
        return tuple(sorted({Epsilon.log(slope).ceiling() for slope in self.ratios if slope >= 1}))

    def masses(self) -> list[tuple[int, int]]:
        """Return a pair of distributions with exactly this curve: it dominates the mechanism."""
        steps = [(p2 - p1, q2 - q1) for (q1, p1), (q2, p2) in pairwise(((0, 0), *self.points))]
        return [step for step in steps if step != (0, 0)]

    def __repr__(self) -> str:
        return (
            f"<privacy profile: epsilon={self.epsilon():.6g} at delta=0, "
            f"delta={self.delta(0):.6g} at epsilon=0, {len(self.knots)} knots>"
        )


@public
def profile(mechanism: Mechanism) -> Profile:
    """Return the exact δ(ε) of a mechanism, the worst over all neighbors in both directions.

    Requires: a finite mechanism whose neighbors can be listed, and are not "metric".
    Source: Holohan–Leith–Mason 2016, Section 3, for the events that decide; Zhu–Dong–Wang 2022 for
    the pair of distributions that dominates them all (`Profile.masses`).
    """
    table = table_under_test(mechanism)
    if table.space.by_distance:
        raise InputError(
            "a profile is the delta of all neighbors at one epsilon; with neighbors='metric' each "
            "distance has its own. Ask tight_delta or tight_epsilon, or use neighbors='replace'."
        )
    pairs = table.space.neighbor_codes()
    work = len(pairs) * table.outputs.size
    if work > _MOST_MASSES:
        raise TooLargeError(
            f"the whole curve would need {work:,} comparisons (at most {_MOST_MASSES:,}). Ask "
            "tight_epsilon or tight_delta for single points of it.",
            size=work,
        )
    rows = table.weights.tolist()
    return profile_of_masses(
        (list(zip(rows[a], rows[b], strict=True)) for a, b in pairs.tolist()), table.total
    )


def profile_of_masses(pairs: Iterable[Masses], total: int) -> Profile:
    """Return the curve that is worst over several pairs of distributions, both directions."""
    vertices: set[Point] = set()
    for masses in pairs:
        events = event_points(by_ratio(masses))
        vertices.update(events)
        # The other direction: exchange the inputs and take the complement of the event.
        vertices.update((total - p, total - q) for q, p in events)
    return hull(vertices, total)


def event_points(masses: Iterable[tuple[int, int]]) -> list[Point]:
    """Add up masses, the largest ratio first: the points (Q, P) of the events that matter."""
    return [(q, p) for p, q in accumulate(masses, lambda a, b: (a[0] + b[0], a[1] + b[1]))]


def by_ratio(masses: Masses) -> list[tuple[int, int]]:
    """Sort by p/q, largest first, exactly; (0, 0) is left out."""
    certain = [mass for mass in masses if mass[1] == 0 and mass[0]]
    # A long quotient orders all but near ties, which are settled by cross-multiplication.
    keyed = [((p << _KEY_BITS) // q, p, q) for p, q in masses if q]
    keyed.sort(key=lambda item: item[0], reverse=True)
    ordered = certain
    start = 0
    while start < len(keyed):
        stop = start + 1
        while stop < len(keyed) and keyed[stop][0] == keyed[start][0]:
            stop += 1
        run = [(p, q) for _, p, q in keyed[start:stop]]
        ordered += run if len(run) == 1 else sorted(run, key=cmp_to_key(_larger_ratio_first))
        start = stop
    return ordered


def _larger_ratio_first(first: tuple[int, int], second: tuple[int, int]) -> int:
    difference = second[0] * first[1] - first[0] * second[1]
    return (difference > 0) - (difference < 0)


def hull(points: Iterable[Point], total: int) -> Profile:
    """Return the curve of the upper concave hull of points, (0, 0) and (total, total)."""
    kept: list[Point] = []
    for point in sorted({(0, 0), (total, total), *points}):
        if kept and kept[-1][0] == point[0]:
            kept.pop()
        while len(kept) > 1 and not _turns_down(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return Profile(tuple(kept), total)


def _turns_down(a: Point, b: Point, c: Point) -> bool:
    return (b[1] - a[1]) * (c[0] - b[0]) > (c[1] - b[1]) * (b[0] - a[0])


def delta_enclosure(
    epsilon: Epsilon | ScaledEpsilon, p: int, q: int, total: int, bits: int
) -> Enclosure:
    """Enclose (p − e^ε q) / total, the δ that an event needs; in a point if it is rational."""
    if epsilon.ratio is not None:
        return Enclosure.point((p - epsilon.ratio * q) / total)
    low, high = epsilon.ratio_bounds(bits)
    scale = total << bits
    return Enclosure(
        Fraction((p << bits) - high * q, scale), Fraction((p << bits) - low * q, scale)
    )
