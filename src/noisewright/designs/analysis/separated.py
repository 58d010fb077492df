"""Inputs that are all far from each other: how far off a mechanism must be, wherever outputs lie.

Of m + 1 inputs at least κ apart, of which every two are (ε, δ)-indistinguishable, one has

    𝓔 ≥ (1 − δ) κ min(1/2, m / (m + e^ε)).

Proof. By the triangle inequality an output z has distances a_x + a_y ≥ κ from any two of them. Let
t be the largest of the densities of z and R the sum of the others; t belongs to one input, x. Pairs
(x, y) with weight p_y, or all pairs in balance if t ≤ R, show Σ p_x a_x ≥ κ min((t + R)/2, R). On
the event that t > cR, with c = e^ε/m, privacy of x against each y says ∫(t − cR)⁺ ≤ (m + 1) δ, and
min((t + R)/2, R) ≥ min(1/2, 1/(1 + c)) ((t + R) − (t − cR)⁺). Sum over outputs, ∫(t + R) = m + 1;
the worst input is not below the average. ∎

If all distances are κ it is attained: by randomized response while m ≤ e^ε, and beyond by a hub at
κ/2 of all inputs, which is the answer with probability 1 − δ. Theorem 7 of Holohan–Leith–Mason
2015 has m / (m + e^ε) for any m; a hub, which needs outputs outside, contradicts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from noisewright.spaces import Space

_MOST_SEARCHED = 1 << 10
"""Among at most this many points a set of them that lie far apart is searched for."""

_MOST_KEPT = 32


@dataclass(frozen=True)
class Separated:
    """Inputs of which every two are at least `apart`, and at most `hops` times ε lies between."""

    count: int
    apart: Fraction
    hops: Fraction | int

    def error(self, delta: Fraction, ratio: Fraction) -> Fraction:
        """Bound the error from below, for δ and an upper bound on e^ε, both of all hops."""
        others = self.count - 1
        share = min(Fraction(1, 2), Fraction(others) / (others + ratio))
        return max(Fraction(0), (1 - delta) * self.apart * share)


def separated_sets(space: Space, ratio: Fraction) -> Iterator[Separated]:
    """List sets of inputs that bound the error: all of them, and those that lie far apart.

    More than 1 + e^ε inputs add nothing, and lie closer. Where neighbors are listed one by one
    there is no set to offer here.
    """
    if space.size < 2 or not (space.by_distance or space.neighbors == "replace"):
        return
    far = Fraction(space.diameter) if space.by_distance else 1
    yield Separated(space.size, Fraction(space.separation), far)
    if space.separation == space.diameter or space.size > _MOST_SEARCHED:
        return
    yield from _farthest_first(space, ratio)


def _farthest_first(space: Space, ratio: Fraction) -> Iterator[Separated]:
    """Take the input that is farthest from those taken, again and again (Gonzalez 1985)."""
    from_zero = _distances_from(space, 0)
    taken = [max(range(space.size), key=from_zero)]
    gaps = list(map(_distances_from(space, taken[0]), range(space.size)))
    apart, widest = Fraction(space.diameter), Fraction(0)
    while len(taken) < min(_MOST_KEPT, 2 + ratio):
        code = max(range(space.size), key=gaps.__getitem__)
        if not gaps[code]:
            return
        distance = _distances_from(space, code)
        apart, widest = min(apart, gaps[code]), max(widest, *map(distance, taken))
        taken.append(code)
        gaps = [min(gap, distance(other)) for other, gap in enumerate(gaps)]
        yield Separated(len(taken), apart, widest if space.by_distance else 1)


def _distances_from(space: Space, code: int) -> Callable[[int], Fraction]:
    point = space.point(code)
    return lambda other: Fraction(space.distance(point, space.point(other)))
