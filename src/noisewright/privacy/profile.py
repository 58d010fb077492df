"""The whole privacy curve of a finite mechanism, exactly.

For neighbors x, x' and E = e^ε the least δ is Σ_y max(0, P(y|x) − E · P(y|x')). In E it is
the upper envelope of the lines P − E·Q, one for each event with probabilities (Q, P) under
x' and x. Only events of the form {y : P(y|x)/P(y|x') ≥ t} matter: sorted by their ratio they
trace a concave curve of points (Q, P), and the maximum over all neighbors is the concave
hull of those curves. The hull's vertices are integers over the table's total; nothing is
rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

from noisewright.errors import InputError, TooLargeError
from noisewright.exact import Enclosure, Epsilon, Number, ceiling_float
from noisewright.mechanisms import Mechanism, read_delta
from noisewright.privacy.subject import table_under_test
from noisewright.public import public, public_methods

Masses = Sequence[tuple[int, int]]
"""For each output its integer weight under x and under x'."""

_KEY_BITS = 128
_MOST_MASSES = 20_000_000


@public_methods
@dataclass(frozen=True)
class Profile:
    """δ as a function of ε: the vertices (Q, P) of a concave hull, over `total`.

    The first vertex has Q = 0, the last is (total, total); slopes fall strictly. A slope is
    the e^ε at which two events tie: the knots of the curve.
    """

    points: tuple[tuple[int, int], ...]
    total: int

    def delta(self, epsilon: Number | Epsilon) -> float:
        """Return the smallest double that is at least the least δ at this ε."""
        exact = Epsilon.of(epsilon)
        bits = 192
        while True:
            enclosure = self.delta_enclosure(exact, bits)
            upper = ceiling_float(enclosure.high)
            if upper == ceiling_float(enclosure.low):
                return upper
            bits *= 2

    __call__ = delta

    def delta_enclosure(self, epsilon: Number | Epsilon, bits: int = 192) -> Enclosure:
        """Enclose the least δ at this ε; the enclosure is a point when δ is rational."""
        exact, bits = Epsilon.of(epsilon), int(bits)
        q, p = self.points[self._active(exact)]
        if exact.ratio is not None:
            return Enclosure.point(max(Fraction(0), (p - exact.ratio * q) / self.total))
        low, high = exact.ratio_bounds(bits)
        scale = self.total << bits
        return Enclosure(
            max(Fraction(0), Fraction((p << bits) - high * q, scale)),
            max(Fraction(0), Fraction((p << bits) - low * q, scale)),
        )

    def _active(self, epsilon: Epsilon) -> int:
        """Return the vertex whose line is highest at E = e^ε: the first with a slope ≤ E after."""
        low, high = 0, len(self.points) - 1
        while low < high:
            middle = (low + high) // 2
            (q, p), (following_q, following_p) = self.points[middle : middle + 2]
            if epsilon.sign(following_p - p, following_q - q) > 0:
                low = middle + 1
            else:
                high = middle
        return low

    def ratio(self, delta: Number = 0) -> Fraction | None:
        """Return e^ε for the least ε at this δ as an exact rational; None if none is finite."""
        spare = read_delta(delta) * self.total
        worst = Fraction(1)
        for q, p in self.points:
            if p <= spare:
                continue
            if q == 0:
                return None
            worst = max(worst, (p - spare) / q)
        return worst

    def epsilon(self, delta: Number = 0) -> float:
        """Return the smallest double that is at least the least ε at this δ (inf if none)."""
        ratio = self.ratio(delta)
        return float("inf") if ratio is None else Epsilon.log(ratio).ceiling()

    @property
    def ratios(self) -> tuple[Fraction, ...]:
        """The finite slopes of the hull, from the steepest: the e^ε of the knots."""
        return tuple(
            Fraction(p2 - p1, q2 - q1)
            for (q1, p1), (q2, p2) in zip(self.points, self.points[1:], strict=False)
        )

    @property
    def knots(self) -> tuple[float, ...]:
        """The ε ≥ 0 at which the curve bends, rising; beyond the last one δ is constant."""
        # Rounding leaves slopes that differ by less than a double shows; they are one knot.
        return tuple(sorted({Epsilon.log(slope).ceiling() for slope in self.ratios if slope >= 1}))

    def masses(self) -> list[tuple[int, int]]:
        """Return a pair of distributions with exactly this curve: it dominates the mechanism."""
        previous = (0, 0)
        listed: list[tuple[int, int]] = []
        for q, p in self.points:
            step = (p - previous[1], q - previous[0])
            if step != (0, 0):
                listed.append(step)
            previous = (q, p)
        return listed

    def __repr__(self) -> str:
        return (
            f"<privacy profile: epsilon={self.epsilon():.6g} at delta=0, "
            f"delta={self.delta(0):.6g} at epsilon=0, {len(self.knots)} knots>"
        )


@public
def profile(mechanism: Mechanism) -> Profile:
    """Return the exact δ(ε) of a mechanism, the worst over all neighbors in both directions.

    Requires: a finite mechanism whose neighbors can be listed, and are not "metric".
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
    vertices: set[tuple[int, int]] = {(0, 0), (total, total)}
    for masses in pairs:
        for q, p in _curve(masses):
            vertices.add((q, p))
            # The other direction: exchange the inputs and take the complement of the event.
            vertices.add((total - p, total - q))
    return Profile(tuple(_hull(vertices)), total)


def _curve(masses: Masses) -> list[tuple[int, int]]:
    """Return the points (Q, P) of the events with the largest ratios first."""
    points: list[tuple[int, int]] = []
    q = p = 0
    for mass_p, mass_q in _by_ratio(masses):
        p += mass_p
        q += mass_q
        points.append((q, p))
    return points


def _by_ratio(masses: Masses) -> list[tuple[int, int]]:
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


def _hull(vertices: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the upper concave hull from the highest point at Q = 0 to the last point."""
    hull: list[tuple[int, int]] = []
    for point in sorted(vertices, key=lambda vertex: (vertex[0], vertex[1])):
        if hull and hull[-1][0] == point[0]:
            hull.pop()
        while len(hull) > 1 and not _turns_down(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _turns_down(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    return (b[1] - a[1]) * (c[0] - b[0]) > (c[1] - b[1]) * (b[0] - a[0])
