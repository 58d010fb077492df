"""How far from the best: Theorem 2 of the survey, its corollary, and the inverse."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import ParameterError


@settings(max_examples=60)
@given(
    st.lists(st.integers(-30, 30), min_size=1, max_size=12),
    st.floats(0.05, 5),
    st.floats(0.001, 1),
)
def test_the_theorem_holds(qualities: list[int], epsilon: float, beta: float) -> None:
    best = qualities.count(max(qualities))
    makers: list[Any] = [nw.exponential, nw.select.permute_and_flip]
    for maker in makers:
        choice = maker(range(len(qualities)), qualities, sensitivity=1, epsilon=epsilon)
        for winners in (1, best):
            distance = nw.select.utility_bound(
                len(qualities), epsilon=epsilon, beta=beta, best=winners
            )
            far = sum(
                p
                for p, q in zip(choice.probabilities, qualities, strict=True)
                if q <= max(qualities) - distance
            )
            # At a distance of 0 the theorem says P(q ≤ best) ≤ 1.
            assert far <= beta * (1 + 1e-9)


def test_the_formula() -> None:
    bound = nw.select.utility_bound(100, epsilon=0.5, sensitivity=3, beta=0.01, best=4)
    assert bound == pytest.approx(2 * 3 / 0.5 * math.log(100 / (4 * 0.01)), rel=1e-14)
    half = nw.select.utility_bound(
        100, epsilon=0.5, sensitivity=3, beta=0.01, best=4, monotonic=True
    )
    assert half == pytest.approx(bound / 2, rel=1e-14)


@given(st.integers(1, 10**6), st.floats(0.001, 100), st.floats(1e-9, 1), st.floats(0.01, 10))
def test_the_inverse(candidates: int, within: float, beta: float, sensitivity: float) -> None:
    epsilon = nw.select.epsilon_for_utility(
        candidates, within=within, beta=beta, sensitivity=sensitivity
    )
    if epsilon > 0:
        back = nw.select.utility_bound(
            candidates, epsilon=epsilon, beta=beta, sensitivity=sensitivity
        )
        assert back <= within * (1 + 1e-15)
        assert back == pytest.approx(within, rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0}, "epsilon is 0"),
        ({"beta": 0}, "beta is 0"),
        ({"beta": 2}, "beta is 2"),
        ({"sensitivity": 0}, "sensitivity is 0"),
        ({"best": 11}, "more than there are candidates: 10"),
    ],
)
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"epsilon": 1, **changes}
    with pytest.raises(ParameterError, match=message):
        nw.select.utility_bound(10, **given)


def test_a_distance_must_be_positive() -> None:
    with pytest.raises(ParameterError, match="within is 0"):
        nw.select.epsilon_for_utility(10, within=0)


@pytest.mark.parametrize("epsilon", ["1e-80", "1e-300"])
def test_a_tiny_epsilon_promises_little(epsilon: str) -> None:
    bound = nw.select.utility_bound(10, epsilon=epsilon, beta=0.05)
    assert bound == pytest.approx(2 * math.log(200) / float(epsilon), rel=1e-14)


def test_an_alpha_next_to_one_promises_little() -> None:
    bound = nw.select.utility_bound(10, alpha=1 - Fraction(1, 10**90), beta=0.05)
    assert bound == pytest.approx(2 * math.log(200) * 1e90, rel=1e-12)
    choice = nw.exponential(["a", "b"], [1, 0], sensitivity=1, alpha=1 - Fraction(1, 10**90))
    assert choice.factor > 0
