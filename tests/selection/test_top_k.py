"""The k best: peeling by its definition, and what the rounds cost together."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError, TooLargeError
from noisewright.selection.top_k import composed_delta
from tests.mechanisms.independent import ratio_bounds
from tests.selection.exactly_by_hand import by_coins, by_powers

NAMES = ("a", "b", "c")


def sequences(qualities: list[int], *, epsilon: Fraction) -> dict[tuple[str, ...], float]:
    """The probability of each ordered pair of candidates, round by round."""
    found: dict[tuple[str, ...], float] = {}
    first = nw.select.permute_and_flip(NAMES, qualities, sensitivity=1, epsilon=epsilon)
    for one in NAMES:
        rest = [name for name in NAMES if name != one]
        left = [qualities[NAMES.index(name)] for name in rest]
        second = nw.select.permute_and_flip(rest, left, sensitivity=1, epsilon=epsilon)
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


VOTES = nw.Categories(NAMES) ** 3


def votes(ballot: tuple[str, ...], name: str) -> int:
    return ballot.count(name)


@pytest.mark.parametrize("method", ["permute_and_flip", "exponential"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_table_of_all_sequences(method: Any, k: int) -> None:
    """Round by round from the definition, and proven from its integers alone."""
    table = nw.select.choice_table(VOTES, votes, candidates=NAMES, k=k, epsilon=1, method=method)
    verdict = nw.verify(table, epsilon=1)
    assert verdict
    assert table.claim == nw.accounting.Guarantee(1)
    law = {"permute_and_flip": by_coins, "exponential": by_powers}[method]
    for ballot in [("a", "a", "a"), ("a", "b", "b"), ("c", "a", "b")]:
        for sequence in itertools.product(NAMES, repeat=k):
            left, chance = list(NAMES), Fraction(len(set(sequence)) == k)
            for name in sequence if chance else ():
                chances = law([Fraction(votes(ballot, one)) for one in left], Fraction(1, 2 * k))
                chance *= chances[left.index(name)]
                left.remove(name)
            assert float(table.probability(ballot, sequence)) == pytest.approx(chance, rel=1e-12)
    drawn = table.sample([("a", "b", "c")] * 50)
    assert all(len(set(sequence)) == k for sequence in drawn)


def test_a_table_of_one_round_is_the_choice_itself() -> None:
    table = nw.select.choice_table(
        VOTES, votes, candidates=NAMES, method="permute_and_flip", k=1, epsilon="1/2"
    )
    one = nw.select.choice_table(
        VOTES, votes, candidates=NAMES, method="permute_and_flip", epsilon="1/2"
    )
    assert (table.weights == one.weights).all()


def test_a_table_with_delta() -> None:
    plain = nw.select.choice_table(
        VOTES, votes, candidates=NAMES, k=3, epsilon=1, method="exponential"
    )
    some = nw.select.choice_table(
        VOTES, votes, candidates=NAMES, method="exponential", k=3, epsilon=1, delta="1/100"
    )
    assert nw.verify(some, epsilon=1, delta="1/100")
    assert nw.tight_epsilon(some) > nw.tight_epsilon(plain)


def test_a_monotonic_table_has_larger_rounds() -> None:
    """Approval votes of one person more or less: counts only rise."""
    people = nw.Counts(3)
    table = nw.select.choice_table(
        people,
        [[x, x, 0] for x in range(4)],
        candidates=NAMES,
        method="permute_and_flip",
        k=2,
        epsilon=1,
    )
    half = nw.select.choice_table(
        people,
        [[x, x, 0] for x in range(4)],
        candidates=NAMES,
        method="permute_and_flip",
        k=2,
        epsilon=1,
        monotonic=False,
    )
    assert nw.verify(table, epsilon=1)
    assert nw.tight_epsilon(table) > 1.5 * nw.tight_epsilon(half)


def test_one_dataset_needs_one_number_per_candidate() -> None:
    with pytest.raises(InputError, match="quality is of type function; for one dataset give one"):
        nw.select.top_k(NAMES, lambda data, name: 1, k=2, sensitivity=1, epsilon=1)


def test_one_dataset_may_have_a_function_of_the_candidate() -> None:
    chosen = nw.select.top_k(NAMES, lambda name: NAMES.index(name), k=2, sensitivity=1, epsilon=1)
    assert chosen.qualities == (0, 1, 2)


def test_a_table_has_its_limits() -> None:
    with pytest.raises(TooLargeError, match="fewer inputs, candidates or rounds"):
        nw.select.choice_table(
            nw.Counts(1),
            [list(range(30)), [1] * 30],
            candidates=range(30),
            method="permute_and_flip",
            k=6,
            epsilon=1,
        )
    near = nw.Counts(2, neighbors="metric")
    quality = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    assert nw.verify(
        nw.select.choice_table(
            near, quality, candidates=NAMES, method="permute_and_flip", k=2, epsilon=1
        ),
        epsilon=1,
    )
    with pytest.raises(ParameterError, match="use delta=0"):
        nw.select.choice_table(
            near, quality, candidates=NAMES, method="exponential", k=2, epsilon=1, delta="1/100"
        )


def test_rounds_add_up_without_delta() -> None:
    chosen = nw.select.top_k(NAMES, [5, 4, 0], k=2, sensitivity=1, epsilon=1)
    assert chosen.each == nw.accounting.Guarantee("1/2")
    assert chosen.factor == Fraction(1, 4)
    assert chosen.first().probability("a") == pytest.approx(
        nw.select.permute_and_flip(NAMES, [5, 4, 0], sensitivity=1, epsilon="1/2").probability("a")
    )


@pytest.mark.parametrize("delta", ["0", "1/1000"])
def test_a_tiny_epsilon_leaves_something_for_each_round(delta: str) -> None:
    chosen = nw.select.top_k(NAMES, [3, 2, 1], k=2, sensitivity=1, epsilon="1e-40", delta=delta)
    assert chosen.each.epsilon.rational >= Fraction("5e-41")
    assert len(set(chosen.sample())) == 2


def test_what_is_drawn_is_different_and_good() -> None:
    qualities = [100 * y for y in range(20)]
    for method in ("permute_and_flip", "exponential"):
        best = nw.select.top_k(range(20), qualities, k=3, sensitivity=1, epsilon=6, method=method)
        assert best.sample(source=nw.randomness.SeededSource(7)) == (19, 18, 17)
        every = nw.select.top_k(range(20), [0] * 20, k=20, sensitivity=1, epsilon=1, method=method)
        assert sorted(every.sample(source=nw.randomness.SeededSource(7))) == list(range(20))


@pytest.mark.parametrize("rounds", [2, 5, 12])
def test_delta_of_the_rounds_is_that_of_optimal_composition(rounds: int) -> None:
    for point in nw.accounting.optimal_composition(nw.accounting.Guarantee("1/5"), times=rounds):
        found = composed_delta(Fraction(1, 5), rounds, point.epsilon)
        assert float(found) == pytest.approx(float(point.delta), abs=1e-40, rel=1e-12)


def many(**options: Any) -> nw.results.TopK:
    return nw.select.top_k(range(50), range(50), k=20, sensitivity=1, epsilon=1, **options)


def test_a_small_delta_buys_larger_rounds() -> None:
    plain, some = many(), many(delta="1e-6", method="permute_and_flip")
    each = some.each.epsilon.rational
    assert each > plain.each.epsilon.rational * Fraction(113, 100)
    delta = Fraction("1e-6")
    assert composed_delta(each, 20, nw.accounting.Epsilon.of(1)) <= delta
    assert composed_delta(each * (1 + Fraction(1, 10**9)), 20, nw.accounting.Epsilon.of(1)) > delta


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
        ({"k": 4}, "more than there are candidates: 3"),
        ({"method": "guess"}, "method is 'guess'"),
        ({"sensitivity": 0}, "sensitivity is 0"),
        ({"sensitivity": None}, "sensitivity is missing"),
        ({"epsilon": 0}, "epsilon is 0"),
    ],
)
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"k": 2, "sensitivity": 1, "epsilon": 1, **changes}
    with pytest.raises(ParameterError, match=message):
        nw.select.top_k(NAMES, [1, 2, 3], **given)


@pytest.mark.parametrize("method", ["permute_and_flip", "exponential"])
def test_rounds_of_many_doubles_are_choices_among_those_left(method: str) -> None:
    """Bit for bit, and for coins also those of fractions, which go another way."""
    values = [float(value) for value in np.random.default_rng(3).random(320)]
    asked = nw.select.top_k(range(320), values, k=40, sensitivity="1/20", epsilon=40, method=method)
    drawn = asked.sample(source=nw.randomness.SeededSource(8))
    maker = nw.select.permute_and_flip if method == "permute_and_flip" else nw.exponential
    kinds = [float, Fraction] if method == "permute_and_flip" else [float]
    for kind in kinds:
        source, left, found = nw.randomness.SeededSource(8), list(range(320)), list[int]()
        for _ in range(40):
            qualities = [kind(values[place]) for place in left]
            one = maker(left, qualities, sensitivity="1/20", epsilon=1).sample(source=source)
            left.remove(one)
            found.append(one)
        assert drawn == tuple(found)
    # About the best, in about this order: not just any different ones.
    assert float(np.mean([values[place] for place in drawn])) > 0.75


@pytest.mark.parametrize("method", ["permute_and_flip", "exponential"])
def test_many_doubles_can_all_be_chosen(method: str) -> None:
    values = np.arange(300) / 7
    every = nw.select.top_k(
        range(300), values, k=300, sensitivity=1, epsilon=300 * 400, method=method
    )
    assert every.sample(source=nw.randomness.SeededSource(9)) == tuple(reversed(range(300)))
