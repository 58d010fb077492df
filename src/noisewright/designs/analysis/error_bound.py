"""How far off every private mechanism must be: lower bounds on the worst expected distance.

𝓔 is the expected distance between output and input, on the input where it is largest. For two
inputs u, v at distance d that must be hard to tell apart, no output is close to both, so

    𝓔 ≥ (1 − δ) d / (1 + e^ε).

Randomized response on two points attains it. Holohan–Leith–Mason 2015, Theorem 6 has half of
that; Markov's inequality loses the factor two. Inputs that are k neighbors apart are
(kε, δ (e^(kε) − 1)/(e^ε − 1))-private, so they give bounds too.

Theorem 7 of the same paper, 𝓔 ≥ (1 − δ) κm/(m + e^ε) for m + 1 points at least κ apart, needs
outputs that are points of the space: a hub halfway between all of them does better. What holds for
outputs anywhere is proven in `separated.py`.

On a line nothing is gained outside: move an output into the range, then at random to one of the
two points beside it, in proportion. No expected distance grows, so bounds for outputs in the space
hold for outputs anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noisewright.designs.analysis.separated import separated_sets
from noisewright.designs.design import design
from noisewright.errors import ParameterError, SpaceError, TooLargeError
from noisewright.exact import Epsilon, Number, floor_float
from noisewright.given import flag
from noisewright.mechanisms import Guarantee
from noisewright.public import public
from noisewright.spaces import Counts, DistanceMatrix, Interval, Rows, Space, require_space

TWO_POINTS = "two points"
THEOREM_7 = "separated points"
HUB = "separated points and a hub"
OPTIMUM = "optimum"

_SMALL_PROGRAM = 6000
"""With at most this many privacy constraints the optimum is worked out without being asked."""

_MOST_LISTED = 1 << 20
_MOST_WALKED = 256
_BITS = 192


@dataclass(frozen=True)
class Bound:
    """One lower bound, rounded down, for whom it holds, and who proved it."""

    name: str
    value: float
    holds: str
    source: str


@dataclass(frozen=True)
class ErrorBound:
    """Lower bounds on the worst expected distance of every (ε, δ)-private mechanism."""

    space: Space
    guarantee: Guarantee
    bounds: tuple[Bound, ...]

    @property
    def best(self) -> Bound:
        """The largest of the bounds."""
        return max(self.bounds, key=lambda bound: bound.value)

    @property
    def value(self) -> float:
        """The largest bound as a number: no mechanism errs less on its worst input."""
        return self.best.value

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        lines = [f"Every mechanism on {self.space!r} with {self.guarantee} has an input on which"]
        lines[0] += f" its expected distance is at least {self.value:.9g}."
        for bound in self.bounds:
            lines.append(f"  {bound.value:.9g}  {bound.name}: {bound.holds}. {bound.source}.")
        return "\n".join(lines)


@public
def error_bound(
    space: Space,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    outputs_inside: bool = True,
    optimum: bool | None = None,
) -> ErrorBound:
    """Return how far off every (ε, δ)-private mechanism must be on its worst input.

    Requires: a space with its metric and neighbors. `outputs_inside` says whether only
    mechanisms count whose outputs are points of the space; if not, the bound holds for outputs
    anywhere in a metric space around it. `optimum` asks for the exact optimum by design
    (by default when the space is small enough to be quick; for outputs anywhere only on a line,
    where they gain nothing).
    Ensures: proven, rounded down. The two-point bound (1−δ)·d/(1 + e^ε) always; where every two
    inputs are neighbors, or ε counts per unit of distance, (1−δ)·κ·min(1/2, m/(m + e^ε)) for
    m + 1 inputs at least κ apart; for outputs inside Theorem 7, (1−δ)·κ·m/(m + e^ε), and the
    optimum.
    Source: Holohan–Leith–Mason 2015, Theorems 6 (sharpened by a factor of two) and 7 (whose
    printed form needs outputs inside; for outputs anywhere see `designs/analysis/separated.py`).
    """
    require_space(space)
    if isinstance(space, Rows):
        raise SpaceError(
            f"{space!r} is a database; ask for the bound of one row, {space.row!r}. Rows are "
            "independent, and the distances of several rows add up."
        )
    guarantee = Guarantee(epsilon, delta, alpha=alpha)
    outputs_inside = flag(outputs_inside, name="outputs_inside")
    optimum = None if optimum is None else flag(optimum, name="optimum")
    on_a_line = isinstance(space, (Counts, Interval)) and space.metric == "absolute"
    inside = outputs_inside or on_a_line
    if optimum and not inside:
        raise ParameterError(
            "optimum=True with outputs_inside=False: the optimum is found among mechanisms whose "
            "outputs are points of the space, and others may do better. Leave "
            "optimum out, or bound mechanisms with outputs inside."
        )
    bounds = [_two_points(space, guarantee), *_hub(space, guarantee)]
    where = "outputs in the space" if outputs_inside else "outputs anywhere, since this is a line"
    if inside and space.neighbors == "replace" and space.size > 1:
        bounds.append(_theorem_7(space, guarantee, where))
    if inside and (optimum or (optimum is None and _is_small(space, guarantee))):
        found = design(
            space,
            epsilon=guarantee.epsilon,
            delta=guarantee.delta,
            loss="distance",
            goal="worst",
            tie_break=None,
        )
        holds = f"{where}; a mechanism reaches {found.loss:.9g}"
        bounds.append(Bound(OPTIMUM, found.bound, holds, f"Proven by design: {found.route}"))
    return ErrorBound(space, guarantee, tuple(bounds))


def _is_small(space: Space, guarantee: Guarantee) -> bool:
    if guarantee.epsilon.is_zero and guarantee.delta == 0:
        return False
    return space.size > 1 and 2 * space.pair_count * space.size <= _SMALL_PROGRAM


def _two_points(space: Space, guarantee: Guarantee) -> Bound:
    best, hops, far = Fraction(0), 1, Fraction(0)
    for count, distance in _candidates(space, guarantee):
        lost, ratio = _group_privacy(guarantee, count)
        # (1 − δ_k) d / (1 + e^(kε)), from below.
        value = (1 - lost) * distance / (1 + ratio)
        if value > best:
            best, hops, far = value, count, distance
    apart = "neighbors" if hops == 1 else f"inputs {_plain(hops)} neighbors apart"
    if space.by_distance:
        apart = "inputs"
    return Bound(
        TWO_POINTS,
        floor_float(best),
        f"outputs anywhere; {apart} at distance {_plain(far)}",
        "Holohan–Leith–Mason 2015, Theorem 6, without its factor 1/2",
    )


def _plain(value: Fraction | int) -> str:
    return f"{float(value):g}"


def _group_privacy(guarantee: Guarantee, hops: Fraction | int) -> tuple[Fraction, Fraction]:
    """Return δ_k and a bound on e^(kε) from above: what holds between inputs k hops apart."""
    if guarantee.epsilon.ratio is not None and hops != int(hops):
        # A fraction of ln(ratio) is no log of a rational; a larger ε is a smaller bound.
        _, high = guarantee.epsilon.bounds(_BITS)
        epsilon = Epsilon(rational=Fraction(high, 1 << _BITS) * hops)
    elif guarantee.epsilon.ratio is None:
        epsilon = Epsilon(rational=guarantee.epsilon.rational * hops)
    else:
        epsilon = guarantee.epsilon.times(int(hops))
    lost = guarantee.delta
    if lost and hops != 1 and hops == int(hops):
        lost *= _growth(guarantee.epsilon, int(hops))
    return lost, _ratio_above(epsilon)


def _ratio_above(epsilon: Epsilon) -> Fraction:
    return Fraction(epsilon.ratio_bounds(_BITS)[1], 1 << _BITS)


def _growth(epsilon: Epsilon, hops: int) -> Fraction:
    """Bound 1 + e^ε + … + e^((k−1)ε) from above."""
    step = _ratio_above(epsilon)
    total, power = Fraction(0), Fraction(1)
    for _ in range(hops):
        total += power
        power = Fraction(math.ceil(power * step * (1 << _BITS)), 1 << _BITS)
    return total


def _candidates(space: Space, guarantee: Guarantee) -> Iterator[tuple[Fraction | int, Fraction]]:
    """List how often ε counts between two inputs, and their distance; any of them bounds."""
    if space.size < 2:
        return
    if space.by_distance:
        yield from _by_distance(space)
    elif space.neighbors == "replace":
        yield 1, Fraction(space.diameter)
    elif space.metric == "absolute" and isinstance(space, (Counts, Interval)):
        yield from _along_a_line(space, guarantee)
    elif space.size <= _MOST_WALKED:
        yield from _by_hops(space)
    else:
        if space.pair_count > _MOST_LISTED:
            raise TooLargeError(
                f"{space!r} has {space.pair_count:,} pairs of neighbors, too many to look for the "
                f"farthest (at most {_MOST_LISTED:,}). Use neighbors='replace', whose diameter is "
                "known, or fewer points.",
                size=space.pair_count,
            )
        pairs = space.neighbor_codes().tolist()
        yield 1, max(_distance(space, a, b) for a, b in pairs)


def _distance(space: Space, a: int, b: int) -> Fraction:
    return Fraction(space.distance(space.point(a), space.point(b)))


def _by_distance(space: Space) -> Iterator[tuple[Fraction, Fraction]]:
    """Inputs at distance d are (εd, δ)-private, and d / (1 + e^(εd)) is largest somewhere."""
    if space.size <= _MOST_WALKED:
        codes = range(space.size)
        apart = {_distance(space, a, b) for a in codes for b in codes if a < b}
        yield from ((d, d) for d in sorted(apart))
        return
    yield Fraction(space.separation), Fraction(space.separation)
    yield Fraction(space.diameter), Fraction(space.diameter)


def _along_a_line(space: Counts | Interval, guarantee: Guarantee) -> Iterator[tuple[int, Fraction]]:
    """Inputs k · reach steps apart; doubles propose the best k, and any k bounds."""
    reach, last = space.reach, space.size - 1
    if isinstance(space.metric, DistanceMatrix):
        return
    most = min(-(-last // reach), 1 << 16)
    step = Fraction(space.step) if isinstance(space, Interval) else Fraction(1)
    hops = np.arange(1, most + 1, dtype=float)
    rate, delta = float(guarantee.epsilon), float(guarantee.delta)
    powers = np.exp(np.minimum(rate * hops, 700))
    grown = delta * (hops if rate == 0 else (powers - 1) / np.expm1(rate))
    values = (1 - grown) * np.minimum(hops * reach, last) / (1 + powers)
    for k in {1, int(np.argmax(values)) + 1}:
        yield k, min(k * reach, last) * step


def _by_hops(space: Space) -> Iterator[tuple[int, Fraction]]:
    """For each number of hops between neighbors, the farthest two inputs."""
    near: dict[int, list[int]] = {code: [] for code in range(space.size)}
    for a, b in space.neighbor_codes().tolist():
        near[a].append(b)
        near[b].append(a)
    farthest: dict[int, Fraction] = {}
    for start in range(space.size):
        hops = {start: 0}
        queue = [start]
        for here in queue:
            for there in near[here]:
                if there not in hops:
                    hops[there] = hops[here] + 1
                    queue.append(there)
        for there, count in hops.items():
            if count:
                far = _distance(space, start, there)
                farthest[count] = max(farthest.get(count, Fraction(0)), far)
    yield from sorted(farthest.items())


def _theorem_7(space: Space, guarantee: Guarantee, where: str) -> Bound:
    others = space.size - 1
    ratio = _ratio_above(guarantee.epsilon)
    least = Fraction(space.separation)
    value = (1 - guarantee.delta) * least * others / (others + ratio)
    return Bound(
        THEOREM_7,
        floor_float(value),
        f"{where}, all pairs neighbors, points at least {_plain(least)} apart",
        "Holohan–Leith–Mason 2015, Theorem 7",
    )


def _hub(space: Space, guarantee: Guarantee) -> Iterator[Bound]:
    found = [
        (one.error(*_group_privacy(guarantee, one.hops)), one)
        for one in separated_sets(space, _ratio_above(guarantee.epsilon))
    ]
    if found:
        value, one = max(found, key=lambda pair: pair[0])
        yield Bound(
            HUB,
            floor_float(value),
            f"outputs anywhere; {one.count:,} inputs at least {_plain(one.apart)} apart",
            "Holohan–Leith–Mason 2015, Theorem 7, with at most 1/2 for its m/(m + e^ε)",
        )
