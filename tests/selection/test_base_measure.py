"""Holohan–Leith–Mason 2016, Definition 2 and (4): P(y|x) = μ(y) e^(f q(x, y)) / C_x.

A base measure costs nothing: C_x/C_x' and e^(f q) change as without it.
"""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError

NAMES = ["a", "b", "c", "d"]
BASE = [1, 0, "5/2", 4]
QUALITIES = [3, 9, 1, 2]


def by_definition(qualities: list[Any], factor: float) -> list[float]:
    masses = [
        float(Fraction(mu)) * math.exp(factor * q) for mu, q in zip(BASE, qualities, strict=True)
    ]
    return [mass / sum(masses) for mass in masses]


def test_one_dataset_is_what_the_definition_says() -> None:
    choice = nw.exponential(NAMES, QUALITIES, sensitivity=1, epsilon=1, base=BASE)
    wanted = by_definition(QUALITIES, 0.5)
    assert choice.candidates == ("a", "c", "d")
    assert choice.probabilities == pytest.approx([wanted[0], *wanted[2:]], rel=1e-13)
    assert choice.best_quality == 3, "what never comes out is not the best that could"
    weights = choice.weights
    assert weights is not None
    shares = [weight / sum(weights) for weight in weights]
    assert shares == pytest.approx([wanted[0], *wanted[2:]], rel=1e-13)
    assert "base measure" in repr(choice)
    assert choice.sample() in {"a", "c", "d"}
    proof = choice.certificate
    assert nw.check(proof).holds


def test_weights_are_those_of_as_many_copies() -> None:
    """To the last integer: a weight of n is n candidates that nobody tells apart."""
    based = nw.exponential(NAMES, QUALITIES, sensitivity="1/3", epsilon="0.7", base=[2, 1, 3, 1])
    names = ["a", "a", "b", "c", "c", "c", "d"]
    qualities = [QUALITIES[NAMES.index(name)] for name in names]
    copied = nw.exponential(names, qualities, sensitivity="1/3", epsilon="0.7")
    assert based.weights is not None
    assert copied.weights is not None
    for name, weight in zip(NAMES, based.weights, strict=True):
        same = [w for w, one in zip(copied.weights, names, strict=True) if one == name]
        assert weight == sum(same)


def test_the_unit_of_the_weights_does_not_matter() -> None:
    many = [
        nw.exponential(NAMES, QUALITIES, sensitivity=1, epsilon=1, base=base).weights
        for base in (
            [1, 0, "2.5", 4],
            {"d": 8, "c": 5, "b": 0, "a": 2},
            np.array([0.5, 0, 1.25, 2]),
            {"a": 1, "b": 0, "c": Fraction(5, 2), "d": 4}.__getitem__,
        )
    ]
    assert all(weights == many[0] for weights in many)


def quality(x: int, y: int) -> int:
    return -abs(x - y)


@pytest.mark.parametrize("calibrated", [False, True])
@pytest.mark.parametrize("base", [[1, 2, 3, 4, 5], [0, 1, 0, 7, 1], ["1/3", 10**9, 1, 1, 0]])
def test_a_table_keeps_epsilon_and_the_definition(base: list[Any], calibrated: bool) -> None:
    space = nw.Counts(4)
    table = nw.select.choice_table(space, quality, epsilon=1, base=base, calibrated=calibrated)
    assert nw.verify(table, epsilon=1).holds
    assert nw.check(nw.certify(table)).holds
    if calibrated:
        plain = nw.select.choice_table(space, quality, epsilon=1, base=base)
        assert nw.tight_epsilon(table) == pytest.approx(1, abs=1e-6)
        assert nw.tight_epsilon(plain) < 1
        return
    for x, row in enumerate(table.weights.tolist()):
        masses = [
            Fraction(mu) * Fraction(math.exp(0.5 * quality(x, y))) for y, mu in enumerate(base)
        ]
        for weight, mass in zip(row, masses, strict=True):
            assert (weight == 0) == (mass == 0)
            assert weight / table.total == pytest.approx(float(mass / sum(masses)), rel=1e-12)
    drawn = table.sample([0, 1, 2, 3, 4] * 20)
    assert all(Fraction(base[y]) for y in drawn)


def test_without_a_base_nothing_changes() -> None:
    space = nw.Counts(4)
    plain = nw.select.choice_table(space, quality, epsilon=1)
    same = nw.select.choice_table(space, quality, epsilon=1, base=[7] * 5)
    assert plain.weights.tolist() == same.weights.tolist()


@pytest.mark.parametrize("base", [[1, 5], [7, 2], [1, 1]])
@pytest.mark.parametrize("monotonic", [False, True])
def test_a_range_of_qualities_is_proven_for_the_rarest(base: list[int], monotonic: bool) -> None:
    """Every two datasets whose qualities differ by 1 at most, from 0 to 3, by their integers."""

    def weights(qualities: tuple[int, ...]) -> tuple[int, ...]:
        choice = nw.exponential(
            ["a", "b"],
            list(qualities),
            sensitivity=1,
            epsilon=1,
            quality_range=(0, 3),
            monotonic=monotonic,
            base=base,
        )
        assert float(choice.factor) > (1 if monotonic else 0.5)
        assert nw.check(choice.certificate).holds
        assert choice.weights is not None
        return choice.weights

    known = {q: weights(q) for q in itertools.product(range(4), repeat=2)}
    worst = 0.0
    for (q, w), (r, v) in itertools.permutations(known.items(), 2):
        moves = [a - b for a, b in zip(q, r, strict=True)]
        if max(map(abs, moves)) > 1 or (monotonic and max(moves) > 0 > min(moves)):
            continue
        for p, o in zip(w, v, strict=True):
            worst = max(worst, math.log(Fraction(p, sum(w)) / Fraction(o, sum(v))))
    assert worst <= 1
    # For the rarest candidate of weight 1 or equal ones the formula is sharp.
    assert worst > 0.8


def test_the_utility_theorem_counts_weights() -> None:
    base, qualities = [6, 1, 3, 2], [0, 5, 2, 5]
    choice = nw.exponential(NAMES, qualities, sensitivity=1, epsilon=2, base=base)
    for beta in (0.5, 0.1, 0.01):
        far = nw.select.utility_bound(sum(base), epsilon=2, beta=beta, best=3)
        assert 1 - choice.chance_within(far) <= beta
        few = nw.select.utility_bound(4, epsilon=2, beta=beta, best=2)
        assert few < far, "to count candidates would promise more than holds"


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ([1, -1, 2, 3], "candidate 2 is negative"),
        ([0, 0, 0, 0], "all base weights are 0"),
        ([1, 2, 3], "base has 3 values"),
        ([1, 2, 3, math.nan], "base of candidate 4"),
        ({"a": 1, "b": 2, "c": 3}, "base says nothing about 1"),
        (3, "base is of type int"),
        ([1, "1/3", 2, math.inf], "base of candidate 4"),
        ("4321", "base is of type str"),
    ],
)
def test_what_is_no_base_measure(base: Any, words: str) -> None:
    with pytest.raises((InputError, ParameterError), match=words):
        nw.exponential(NAMES, QUALITIES, sensitivity=1, epsilon=1, base=base)


def test_an_order_is_needed_for_a_list_of_weights() -> None:
    with pytest.raises(InputError, match="set"):
        nw.exponential({"a", "b"}, {"a": 1, "b": 2}, sensitivity=1, epsilon=1, base=[1, 2])
    by_name = nw.exponential(
        {"a", "b"}, {"a": 1, "b": 1}, sensitivity=1, epsilon=1, base={"a": 3, "b": 1}
    )
    assert by_name.probability("a") == pytest.approx(3 / 4)
