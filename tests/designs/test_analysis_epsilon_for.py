"""The smallest epsilon that reaches a target loss."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

import noisewright as nw
from noisewright.designs.analysis.epsilon_for import crossing

PROBLEMS: list[dict[str, Any]] = [
    {"loss": "L1", "target": "1/2"},
    {"loss": "L2", "target": "1/2", "prior": nw.priors.binomial(5, "0.2")},
    {"loss": "L1", "target": "1/2", "properties": "all"},
    {"loss": "L0", "target": "0.75", "properties": ("CM", "WH")},
    {"loss": "L0", "target": "0.3", "goal": "worst"},
    {"loss": "L0,1", "target": "0.2", "goal": "worst", "properties": "S"},
    {"loss": "L1", "target": "0.4", "delta": "1/50"},
    {"loss": "L0", "target": "1e-9"},
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_both_ends_are_proven(problem: dict[str, Any]) -> None:
    space = nw.Counts(5)
    answer = nw.planning.epsilon_for(space, **problem)
    asked = {key: value for key, value in problem.items() if key != "target"}
    assert answer.design.exact_loss <= Fraction(problem["target"])
    assert nw.verify(answer.design.mechanism, epsilon=answer.epsilon, delta=problem.get("delta", 0))
    below = nw.design(space, epsilon=answer.lower, **asked)
    assert below.exact_bound > Fraction(problem["target"])
    assert 0 < answer.lower < answer.epsilon <= answer.lower * (1 + 1.1e-6)


@pytest.mark.parametrize("n", [1, 4, 9])
@pytest.mark.parametrize("target", ["1/2", "1/10", "1/1000"])
def test_the_geometric_mechanism_inverted_by_hand(n: int, target: str) -> None:
    """L0 = n/(n+1) · 2α/(1+α), so α = t/(2−t) with t = (n+1)/n · target."""
    t = (n + 1) / n * float(Fraction(target))
    if t >= 1:
        assert nw.planning.epsilon_for(nw.Counts(n), target=target).epsilon == 0
        return
    answer = nw.planning.epsilon_for(nw.Counts(n), target=target, tolerance=1e-9)
    assert answer.epsilon == pytest.approx(math.log((2 - t) / t), rel=2e-9)
    assert answer.design.route.startswith("closed form")


def test_randomized_response_inverted_by_hand() -> None:
    """(1−δ) m / (e^ε + m) = 1/5 with m = 4: e^ε = 16, and 14 with δ = 1/10."""
    space = nw.Categories(["a", "b", "c", "d", "e"])
    assert nw.planning.epsilon_for(space, target="1/5").epsilon == pytest.approx(
        math.log(16), rel=1e-6
    )
    spared = nw.planning.epsilon_for(space, target="1/5", delta="1/10")
    assert spared.epsilon == pytest.approx(math.log(14), rel=1e-6)


def test_subsets_reach_the_known_optimum() -> None:
    """Three items at ε = 1: expected symmetric difference 1.153412 at best."""
    subsets = nw.Subsets(["tv", "cars", "books"])
    answer = nw.planning.epsilon_for(subsets, target="1.153412", loss="distance")
    assert answer.epsilon == pytest.approx(1, abs=2e-6)


def test_smaller_targets_and_more_properties_need_more() -> None:
    space = nw.Counts(6)
    needed = [
        nw.planning.epsilon_for(space, loss="L1", target=t).epsilon for t in (1.5, 1, 0.5, 0.1)
    ]
    assert needed == sorted(needed)
    asked = [(), "WH", "WH, CM", "all"]
    needed = [
        nw.planning.epsilon_for(space, loss="L1", target=1, properties=p).epsilon for p in asked
    ]
    assert needed == sorted(needed)


def test_a_constant_answer_may_be_enough() -> None:
    answer = nw.planning.epsilon_for(nw.Counts(8), loss="L1", target=3)
    assert answer.epsilon == answer.lower == 0
    assert answer.design.loss == pytest.approx(20 / 9)
    assert nw.tight_epsilon(answer.design.mechanism) == 0
    worst = nw.planning.epsilon_for(nw.Counts(8), loss="L1", target=4, goal="worst", properties="S")
    assert worst.epsilon == 0
    assert {"S", "RM"} <= nw.properties(worst.design.mechanism)
    spared = nw.planning.epsilon_for(nw.Counts(2), target="1/3", delta="2/3")
    assert spared.epsilon == 0


def test_uniform_answers_need_no_epsilon() -> None:
    answer = nw.planning.epsilon_for(nw.Counts(8), target=0.9, properties="WH")
    assert answer.epsilon == answer.lower == 0
    assert nw.planning.epsilon_for(nw.Counts(3), target=0.75, properties="all").epsilon == 0


def test_targets_that_no_epsilon_reaches_are_refused() -> None:
    for target in (0, -1):
        with pytest.raises(nw.errors.ParameterError, match="must be above 0"):
            nw.planning.epsilon_for(nw.Counts(3), target=target)
    with pytest.raises(nw.errors.ParameterError, match="must be at least 1"):
        nw.planning.epsilon_for(nw.Counts(1), target="1/2", loss=[[1, 2], [2, 1]], goal="worst")
    with pytest.raises(nw.errors.ParameterError, match="epsilon=32 loses"):
        nw.planning.epsilon_for(nw.Counts(3), target=1e-30)
    with pytest.raises(nw.errors.ParameterError, match="tolerance is 0"):
        nw.planning.epsilon_for(nw.Counts(3), target=0.1, tolerance=0)
    with pytest.raises(nw.errors.ParameterError, match="finite"):
        nw.planning.epsilon_for(nw.Counts(3), target=math.nan)


def test_the_answer_says_both_ends() -> None:
    text = str(nw.planning.epsilon_for(nw.Counts(8), loss="L1", target="1/2"))
    assert text.startswith("epsilon=1.2979")
    assert "reaches expected L1 0.5; epsilon=1.2979" in text
    assert text.endswith("does not.")


@given(st.floats(0.01, 20), st.floats(0.1, 5), st.sampled_from([1e-3, 1e-6, 1e-9]))
def test_the_crossing_is_bracketed(root: float, power: float, width: float) -> None:
    asked = list[float]()

    def function(x: float) -> float:
        asked.append(x)
        return root**power - x**power

    low, high = crossing(function, root / 3, root * 2, width=width)
    assert high - low <= width
    assert function(low) > 0 >= function(high)
    assert len(asked) <= 6 + max(0, math.ceil(math.log2(root * (5 / 3) / width)))
