"""The k best: peeling by its definition, and what the rounds cost together."""

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import ParameterError
from noisewright.selection.top_k import composed_delta
from tests.mechanisms.independent import ratio_bounds

NAMES = ("a", "b", "c")


def sequences(qualities: list[int], *, epsilon: Fraction) -> dict[tuple[str, ...], float]:
    """The probability of each ordered pair of candidates, round by round."""
    found: dict[tuple[str, ...], float] = {}
    first = nw.permute_and_flip(NAMES, qualities, sensitivity=1, epsilon=epsilon)
    for one in NAMES:
        rest = [name for name in NAMES if name != one]
        left = [qualities[NAMES.index(name)] for name in rest]
        second = nw.permute_and_flip(rest, left, sensitivity=1, epsilon=epsilon)
        for other in rest:
            found[one, other] = first.probability(one) * second.probability(other)
    return found


def test_peeling_is_private_on_all_votes() -> None:
    """Three people vote for one of three; replacing a vote changes two counts by one."""
    votes = list(itertools.product(range(3), repeat=3))
    found = {
        vote: sequences([vote.count(y) for y in range(3)], epsilon=Fraction(1, 2)) for vote in votes
    }
    worst = max(
        found[a][pair] / found[b][pair]
        for a in votes
        for b in votes
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
        for pair in found[a]
    )
    low = Fraction(ratio_bounds(Fraction(1))[0], 2**2048)
    assert 2 < worst <= low


def test_rounds_add_up_without_delta() -> None:
    chosen = nw.top_k(NAMES, [5, 4, 0], k=2, sensitivity=1, epsilon=1)
    assert chosen.each == nw.Guarantee("1/2")
    assert chosen.factor == Fraction(1, 4)
    assert chosen.first().probability("a") == pytest.approx(
        nw.permute_and_flip(NAMES, [5, 4, 0], sensitivity=1, epsilon="1/2").probability("a")
    )


def test_what_is_drawn_is_different_and_good() -> None:
    qualities = [100 * y for y in range(20)]
    for method in ("permute_and_flip", "exponential"):
        best = nw.top_k(range(20), qualities, k=3, sensitivity=1, epsilon=6, method=method)
        assert best.sample(source=nw.SeededSource(7)) == (19, 18, 17)
        every = nw.top_k(range(20), [0] * 20, k=20, sensitivity=1, epsilon=1, method=method)
        assert sorted(every.sample(source=nw.SeededSource(7))) == list(range(20))


@pytest.mark.parametrize("rounds", [2, 5, 12])
def test_delta_of_the_rounds_is_that_of_optimal_composition(rounds: int) -> None:
    for point in nw.optimal_composition(nw.Guarantee("1/5"), times=rounds):
        found = composed_delta(Fraction(1, 5), rounds, point.epsilon)
        assert float(found) == pytest.approx(float(point.delta), abs=1e-40, rel=1e-12)


def many(**options: Any) -> nw.TopK:
    return nw.top_k(range(50), range(50), k=20, sensitivity=1, epsilon=1, **options)


def test_a_small_delta_buys_larger_rounds() -> None:
    plain, some = many(), many(delta="1e-6", method="permute_and_flip")
    each = some.each.epsilon.rational
    assert each > plain.each.epsilon.rational * Fraction(113, 100)
    delta = Fraction("1e-6")
    assert composed_delta(each, 20, nw.Epsilon.of(1)) <= delta
    assert composed_delta(each * (1 + Fraction(1, 10**9)), 20, nw.Epsilon.of(1)) > delta


def delta_of_rounds(each: float, rounds: int, epsilon: float, chance: float) -> float:
    """The exact δ of rounds with two outcomes whose losses lie `each` apart, in doubles."""
    # Under x' the outcomes have (q, 1 − q), under x they are tilted by e^each towards the first.
    top = chance * math.exp(each) / (chance * math.exp(each) + 1 - chance)
    gain, loss = math.log(top / chance), math.log((1 - top) / (1 - chance))
    return sum(
        math.comb(rounds, i)
        * top**i
        * (1 - top) ** (rounds - i)
        * max(0.0, -math.expm1(epsilon - i * gain - (rounds - i) * loss))
        for i in range(rounds + 1)
    )


def test_rounds_of_a_bounded_range_cost_less() -> None:
    some = many(delta="1e-6")
    assert some.law.name == "exponential mechanism"
    each = float(some.each.epsilon.rational)
    assert each > 1.4 * float(many(delta="1e-6", method="permute_and_flip").each.epsilon.rational)
    # The worst mechanisms of a bounded range have two outcomes; all of them, both ways.
    worst = max(
        delta_of_rounds(sign * each, 20, 1, chance / 200)
        for chance in range(1, 200)
        for sign in (1, -1)
    )
    assert 1e-8 < worst <= 1e-6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": 4}, "only 3 candidates"),
        ({"method": "guess"}, "method is 'guess'"),
        ({"sensitivity": 0}, "sensitivity is 0"),
        ({"epsilon": 0}, "epsilon is 0"),
    ],
)
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"k": 2, "sensitivity": 1, "epsilon": 1, **changes}
    with pytest.raises(ParameterError, match=message):
        nw.top_k(NAMES, [1, 2, 3], **given)
