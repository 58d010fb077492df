"""Privacy by its definition: every event of every ordered pair of neighbors, in Fractions.

Nothing here comes from the library but the numbers under test. e^ε enters as a pair of Fractions
that enclose it, so a comparison is decided or refined, never rounded.
"""

from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations

Rows = list[list[int]]
Pairs = list[tuple[int, int]]


@lru_cache
def e_to_the(x: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Enclose e^x for x ≥ 0 by the decimal module, whose exp is correctly rounded."""
    if x == 0:
        return Fraction(1), Fraction(1)
    ends: list[Fraction] = []
    for rounding, away in ((ROUND_FLOOR, Decimal.next_minus), (ROUND_CEILING, Decimal.next_plus)):
        context = Context(prec=digits + 10, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)
        end = context.exp(context.divide(Decimal(x.numerator), Decimal(x.denominator)))
        ends.append(Fraction(away(end, context)))
    return ends[0], ends[1]


def sign_of(p: Fraction, q: Fraction, epsilon: Fraction, spare: Fraction = Fraction(0)) -> int:
    """Return the sign of p − e^ε q − spare."""
    left = p - spare
    if q == 0 or epsilon == 0:
        return (left > q) - (left < q)
    digits = 50
    while True:
        low, high = e_to_the(epsilon, digits)
        if left > high * q:
            return 1
        if left < low * q:
            return -1
        digits *= 2


def both_ways(pairs: Pairs) -> Pairs:
    return [*pairs, *((b, a) for a, b in pairs)]


def relation(kind: str, size: int, chosen: Pairs = []) -> Pairs:  # noqa: B006
    if kind == "replace":
        return list(combinations(range(size), 2))
    if kind == "adjacent":
        return [(i, i + 1) for i in range(size - 1)]
    return chosen


def events(rows: Rows, pairs: Pairs) -> Iterator[tuple[int, int, tuple[int, ...], int, int]]:
    """Every ordered pair of neighbors with every set of outputs: (x, x', set, P, Q)."""
    outputs = range(len(rows[0]))
    for a, b in both_ways(pairs):
        for event in chain.from_iterable(combinations(outputs, k) for k in range(len(outputs) + 1)):
            yield a, b, event, sum(rows[a][y] for y in event), sum(rows[b][y] for y in event)


def lines(rows: Rows, pairs: Pairs) -> set[tuple[int, int]]:
    """The (P, Q) of all events; δ(E) is the largest P − E·Q over them."""
    return {(p, q) for _, _, _, p, q in events(rows, pairs)}


def holds(found: set[tuple[int, int]], total: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether no event breaks (ε, δ)."""
    return all(
        sign_of(Fraction(p, total), Fraction(q, total), epsilon, delta) <= 0 for p, q in found
    )


def holds_at_ratio(
    found: set[tuple[int, int]], total: int, ratio: Fraction, delta: Fraction
) -> bool:
    """Tell whether no event breaks (ln ratio, δ)."""
    return all(p <= ratio * q + delta * total for p, q in found)


def delta_at_ratio(found: set[tuple[int, int]], total: int, ratio: Fraction) -> Fraction:
    return max(Fraction(p - ratio * q) / total for p, q in found)


def tight_ratio(found: set[tuple[int, int]], total: int, delta: Fraction) -> Fraction | None:
    """The least E ≥ 1 with P ≤ E·Q + δ for all events; None if there is none."""
    spare = delta * total
    if any(p > spare and q == 0 for p, q in found):
        return None
    return max([Fraction(1), *((p - spare) / q for p, q in found if q and p > spare)])
