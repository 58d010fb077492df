"""Doubles pass over most pairs of a large table; they must never pass over the worst one.

Here the truth is plain: for each ordered pair the outputs with P > E·Q, all in Fractions.
"""

import random
from fractions import Fraction

import pytest

import noisewright as nw
from noisewright.exact import Epsilon
from noisewright.privacy.events import worst_event
from tests.oracles import brute_force
from tests.oracles.tables import table_of

SIZE = 30
BITS = 200
TOTAL = 1 << BITS


def worst_gain(rows: list[list[int]], pairs: brute_force.Pairs, ratio: Fraction) -> Fraction:
    scaled = [[q * ratio.numerator for q in row] for row in rows]
    plain = [[p * ratio.denominator for p in row] for row in rows]
    return max(
        Fraction(
            sum(p - q for p, q in zip(plain[a], scaled[b], strict=True) if p > q),
            ratio.denominator,
        )
        for a, b in brute_force.both_ways(pairs)
    )


def nearly_equal_rows(chance: random.Random, size: int) -> list[list[int]]:
    """Rotations of one row, each moved by a few units: all pairs tie to 50 digits."""
    cuts = sorted(chance.randrange(TOTAL) for _ in range(size - 1))
    first = [b - a for a, b in zip([0, *cuts], [*cuts, TOTAL], strict=True)]
    rows: list[list[int]] = []
    for shift in range(size):
        row = [*first[shift:], *first[:shift]]
        for _ in range(3):
            a, b = chance.sample(range(size), 2)
            step = chance.randrange(min(row[a], 1 << 20) + 1)
            row[a], row[b] = row[a] - step, row[b] + step
        rows.append(row)
    return rows


def close_calls(chance: random.Random, size: int, ratio: Fraction) -> list[list[int]]:
    """Each weight is a common one times E or 1, off by a unit: doubles see only ties."""
    unit = TOTAL // (size * (ratio.numerator + ratio.denominator)) // 2
    rows: list[list[int]] = []
    for _ in range(size):
        row = [
            unit * chance.choice([ratio.numerator, ratio.denominator]) + chance.choice([-1, 0, 1])
            for _ in range(size - 1)
        ]
        rows.append([*row, TOTAL - sum(row)])
    return rows


def assert_worst(rows: list[list[int]], kind: str, ratio: Fraction) -> None:
    pairs = brute_force.relation(kind, len(rows))
    table = table_of(rows, 1 << BITS, kind, pairs)
    found = worst_event(table, Epsilon.log(ratio))
    best = worst_gain(rows, pairs, ratio)
    assert found.p - ratio * found.q == best
    assert not best or (found.input, found.neighbor) in brute_force.both_ways(pairs)
    assert found.p == sum(rows[found.input][y] for y in found.outputs)
    assert found.q == sum(rows[found.neighbor][y] for y in found.outputs)
    delta = best / TOTAL
    assert nw.verify(table, epsilon=Epsilon.log(ratio), delta=delta)
    if delta:
        too_small = delta - Fraction(1, TOTAL * ratio.denominator)
        assert not nw.verify(table, epsilon=Epsilon.log(ratio), delta=too_small)


@pytest.mark.parametrize("kind", ["replace", "adjacent"])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(8, 7), Fraction(3), Fraction(10**6)])
def test_nearly_equal_pairs_are_told_apart(kind: str, ratio: Fraction) -> None:
    assert_worst(nearly_equal_rows(random.Random(), SIZE), kind, ratio)


@pytest.mark.parametrize("kind", ["replace", "adjacent"])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(8, 7), Fraction(3), Fraction(101, 100)])
def test_weights_a_unit_from_the_threshold_are_decided_in_integers(
    kind: str, ratio: Fraction
) -> None:
    assert_worst(close_calls(random.Random(), SIZE, ratio), kind, ratio)


def test_one_unit_more_in_one_of_many_equal_pairs_is_found() -> None:
    """Randomized response where one truth is one unit likelier: no double can see which."""
    chance = random.Random()
    other = TOTAL // 97
    rows = [[other] * SIZE for _ in range(SIZE)]
    for x in range(SIZE):
        rows[x][x] = TOTAL - (SIZE - 1) * other
    special, loser = chance.sample(range(SIZE), 2)
    rows[special][special] += 1
    rows[special][loser] -= 1
    for kind in ("replace", "adjacent"):
        assert_worst(rows, kind, Fraction(5, 2))
    table = table_of(rows, 1 << BITS, "replace", [])
    found = worst_event(table, Epsilon.log(Fraction(5, 2)))
    # The loser's own truth gains nothing, but its neighbor's chance of it fell: 5/2 units.
    assert (found.input, found.neighbor) == (loser, special)


@pytest.mark.parametrize("exponent", [30, 300, 620, 640, 800, 2000])
def test_an_epsilon_beyond_doubles_is_decided_in_integers(exponent: int) -> None:
    """Zeros and weights of one unit in 2^8000, at e^ε far above the largest double."""
    total = 1 << 8000
    rare = 1
    common = int(brute_force.e_to_the(Fraction(exponent), exponent)[0]) + 1
    rows = [[common, total - common], [rare, total - rare]]
    table = table_of(rows, 1 << 8000, "replace", [(0, 1)])
    verdict = nw.verify(table, epsilon=exponent)
    assert not verdict
    assert verdict.witness is not None
    assert verdict.witness.event == (0,)
    assert not nw.verify(table, epsilon=exponent, delta=Fraction(1, 1 << 8020))
    assert nw.verify(table, epsilon=exponent, delta=Fraction(1, total))
    assert nw.verify(table, epsilon=exponent + 1)
    rows = [[common - 1, total - common + 1], [rare, total - rare]]
    assert nw.verify(table_of(rows, 1 << 8000, "replace", [(0, 1)]), epsilon=exponent)
