"""Unknown keys: the best chances there are, kept keys and nothing of the others."""

import itertools
import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import ParameterError, TooLargeError
from noisewright.queries import KeyCoins, keys, select_keys
from noisewright.randomness import SeededSource
from tests.certificates.handmade import load_checker

checker = load_checker()

EPSILONS = st.fractions(Fraction(1, 10), 12, max_denominator=1000)
DELTAS = st.sampled_from([Fraction(1, 10**d) for d in (1, 2, 5, 6, 12, 30)]) | st.fractions(
    Fraction(1, 10**4), Fraction(99, 100), max_denominator=10**6
)
PRIVATE: list[tuple[str, str]] = [("1", "1/1000000"), ("1/10", "1/1000000"), ("3", "1/100")]


def closed_form(epsilon: Fraction, delta: Fraction, n: int) -> Fraction:
    """Desfontaines, Voss, Gipson and Mandayam 2022, Theorem 1, in 80 digits."""
    with localcontext(prec=80):
        e = Decimal(epsilon.numerator) / epsilon.denominator
        d = Decimal(delta.numerator) / delta.denominator
        grow = e.exp()
        first = 1 + math.floor(((grow + 2 * d - 1) / ((grow + 1) * d)).ln() / e)

        def rising(m: int) -> Decimal:
            return ((m * e).exp() - 1) / (grow - 1) * d

        if n <= first:
            return Fraction(rising(n))
        last = first + math.floor((1 + (grow - 1) / d * (1 - rising(first))).ln() / e)
        if n > last:
            return Fraction(1)
        shrink = (-(n - first) * e).exp()
        return Fraction((1 - shrink) * (1 + d / (grow - 1)) + shrink * rising(first))


@given(EPSILONS, DELTAS)
def test_chances_are_the_optimal_ones_rounded_down(epsilon: Fraction, delta: Fraction) -> None:
    coins = KeyCoins(epsilon, delta)
    total, last = 1 << coins.log2_total, len(coins.weights) - 1
    assert (coins.weights[0], coins.weights[last]) == (0, total)
    for n in {1, 2, *range(1, last, last // 9 + 1), last - 1, last} & {*range(1, last + 1)}:
        best, found = closed_form(epsilon, delta, n), Fraction(coins.weights[n], total)
        assert best * (1 - Fraction(1, 2**50)) <= found <= best * (1 + Fraction(1, 10**70))
    assert coins.weights == sorted(coins.weights)


@settings(max_examples=40)
@given(EPSILONS, DELTAS)
def test_a_slightly_higher_chance_would_not_be_private(epsilon: Fraction, delta: Fraction) -> None:
    """Each chance that is not 1 is the largest that the one before it allows, but for rounding."""
    section: dict[str, Any] = {"groups": 1, **KeyCoins(epsilon, delta).describe()}
    cost = checker.keys.cost_of_keys
    assert cost(section, "add or remove", "keys") == (epsilon, delta)
    weights = [int(coin, 16) for coin in section["coins"]]
    for n in {1, len(weights) // 2, len(weights) - 2} - {0}:
        more = weights[n] + (weights[n] >> 40) + 2
        if more > 1 << section["log2_total"]:
            continue
        coins = [f"{w:x}" for w in (*weights[:n], more, *weights[n + 1 :])]
        with pytest.raises(checker.report.NotProvenError, match=f"coins of {n - 1} and {n}|coins"):
            cost({**section, "coins": coins}, "add or remove", "keys")


@pytest.mark.parametrize(("epsilon", "half"), [("1", 14), ("1/10", 109)])
def test_half_of_the_keys_of_so_many_people_are_kept(epsilon: str, half: int) -> None:
    """109 people at ε = 1/10, where a threshold on Laplace noise needs 132."""
    coins = select_keys(epsilon=epsilon, delta="1e-6").coins
    assert coins.people_for(0.5) == half
    assert coins.chance([half - 1])[0] < 0.5 <= coins.chance([half])[0]
    assert coins.chance([0, 10**9]).tolist() == [0, 1]


@pytest.mark.parametrize("change", ["add or remove", "replace"])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1/10"), ("2", "1/20")])
def test_all_small_tables_and_all_their_neighbors(
    change: Any, groups: int, epsilon: str, delta: str
) -> None:
    """Sets of kept keys of up to three people with up to `groups` of three keys each."""
    selection = select_keys(epsilon=epsilon, delta=delta, groups=groups, change=change)
    total = 1 << selection.coins.log2_total
    chances = [Fraction(weight, total) for weight in selection.coins.weights]
    power = Fraction(selection.guarantee.epsilon.ratio_bounds(192)[0], 1 << 192)
    names = "abc"
    people = [s for size in range(groups + 1) for s in itertools.combinations(names, size)]

    def law(table: tuple[tuple[str, ...], ...]) -> list[Fraction | int]:
        counts = Counter(name for person in table for name in person)
        coins = [chances[min(counts[name], len(chances) - 1)] for name in names]
        return [
            math.prod(p if kept else 1 - p for p, kept in zip(coins, output, strict=True))
            for output in itertools.product((False, True), repeat=len(names))
        ]

    others = [(), *itertools.combinations_with_replacement(people, 2)]
    sides = [()] if change == "add or remove" else [(person,) for person in people]
    for rest, person, other in itertools.product(others, people, sides):
        x, z = law((*rest, person)), law((*rest, *other))
        for p, q in ((x, z), (z, x)):
            excess = sum(max(Fraction(0), a - power * b) for a, b in zip(p, q, strict=True))
            assert excess <= selection.delta


def test_kept_keys_are_sorted_and_nothing_else_is_shown() -> None:
    selection = select_keys(epsilon=1, delta="1e-6")
    counts: dict[Any, int] = {"b": 900, "a": 10**30, "c": 0, "rare": -4, 7: 500, 10: 500, 2.5: 600}
    counts |= {("x", 2): 400, ("x", 10): 400, None: 800, float("nan"): 700}
    kept = selection.keep(counts)
    assert kept[:7] == [2.5, 7, 10, "a", "b", ("x", 2), ("x", 10)]
    assert len(kept) == 9
    assert selection.keep({}) == []
    assert selection.keep(dict.fromkeys(range(1000), 0)) == []


def test_what_is_kept_does_not_depend_on_the_order_of_the_data() -> None:
    selection = select_keys(epsilon=1, delta="1e-6")
    counts = {f"key {n}": 10 + n % 8 for n in range(300)}
    one = selection.keep(counts, SeededSource("same"))
    other = selection.keep(dict(reversed(counts.items())), SeededSource("same"))
    assert one == other
    assert 0 < len(one) < 300


@pytest.mark.parametrize(("epsilon", "delta"), PRIVATE)
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("change", ["replace", "add or remove"])
def test_the_certificate_holds_what_is_drawn_from(
    epsilon: str, delta: str, groups: int, change: Any
) -> None:
    selection = select_keys(epsilon=epsilon, delta=delta, groups=groups, change=change)
    document = selection.certificate.document
    section = document["mechanism"]["selection"]
    assert [int(coin, 16) for coin in section["coins"]] == selection.coins.weights
    times = groups * (2 if change == "replace" else 1)
    assert Fraction(section["epsilon"]) * times == Fraction(epsilon)
    assert Fraction(section["delta"]) * times == Fraction(delta)
    report = nw.check(selection.certificate)
    assert report
    word = "replacing" if change == "replace" else "adding or removing"
    assert f"for {word} all rows of one person" in report.proved[-1]


def test_a_request_takes_its_share_of_epsilon() -> None:
    selection = keys(delta="1e-6", share="1/4").select(Fraction(2), groups=2, change="replace")
    assert (selection.epsilon, selection.delta) == (Fraction(1, 2), Fraction(1, 10**6))
    assert selection.coins == KeyCoins(Fraction(1, 8), Fraction(1, 4 * 10**6))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: keys(delta=0), "delta is 0"),
        (lambda: keys(delta=1), "delta is 1"),
        (lambda: keys(delta="1e-6", share=1), "share is 1"),
        (lambda: select_keys(epsilon=0, delta="1e-6"), "epsilon above 0"),
        (lambda: select_keys(epsilon=1, delta=0), "delta between 0 and 1"),
        (lambda: select_keys(epsilon=1, delta="1e-6", groups=0), "groups is 0"),
        (lambda: select_keys(epsilon=1, delta="1e-6", change="swap"), "change is 'swap'"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_what_cannot_be_is_refused(call: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call()


def test_too_little_privacy_budget_is_refused_before_anything_is_spent() -> None:
    with pytest.raises(TooLargeError, match="larger epsilon or delta"):
        select_keys(epsilon="1e-6", delta="1e-9")


def test_counts_beyond_the_last_coin_are_kept_for_certain() -> None:
    coins = KeyCoins(Fraction(1), Fraction(1, 100))
    many = np.full(1000, len(coins.weights) - 1)
    assert coins.flip(many).all()
    assert not coins.flip(np.zeros(1000, dtype=int)).any()
