"""An ε that cannot be meant: refused with words, or answered; soon either way."""

import contextlib
import time
from collections.abc import Callable
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import ParameterError

NUMBERS = nw.Interval(0, 10, step="0.5")
LABELS = nw.Categories(range(4))
COIN = nw.randomized_response(LABELS, epsilon=1)

CALLS: dict[str, Callable[[Any], Any]] = {
    "randomized response": lambda e: nw.randomized_response(LABELS, epsilon=e),
    "with a delta": lambda e: nw.randomized_response(LABELS, epsilon=e, delta="1e-6"),
    "geometric": lambda e: nw.geometric(nw.Counts(100), epsilon=e),
    "explicit fair": lambda e: nw.explicit_fair(nw.Counts(8), epsilon=e),
    "design": lambda e: nw.design(nw.Counts(8), epsilon=e),
    "verify": lambda e: nw.verify(COIN, epsilon=e),
    "tight delta": lambda e: nw.tight_delta(COIN, epsilon=e),
    "laplace": lambda e: repr(nw.laplace(NUMBERS, epsilon=e)),
    "laplace drawn": lambda e: nw.laplace(NUMBERS, epsilon=e).sample([1.0]),
    "laplace with a delta": lambda e: nw.laplace(NUMBERS, epsilon=e, delta="1e-9"),
    "staircase": lambda e: nw.staircase(NUMBERS, epsilon=e).sample([1.0]),
    "per item": lambda e: nw.per_item(nw.Subsets(["a", "b", "c"]), epsilon=e),
    "plan": lambda e: nw.Plan(
        {"a": nw.Column(["x", "y"]), "b": nw.Column(nw.Counts(20))}, epsilon=e
    ),
}


@pytest.mark.parametrize("epsilon", [5e-324, "1e-12", 300, 1e5, 1e6, 3e7, 1e8, "1e3000"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_it_ends_soon_with_an_answer_or_with_words(
    call: Callable[[Any], Any], epsilon: Any
) -> None:
    start = time.process_time()
    with contextlib.suppress(ParameterError):
        call(epsilon)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("epsilon", [1e5, 1e6, 1e8])
def test_a_plan_says_that_such_an_epsilon_promises_nothing(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="promises nothing"):
        nw.Plan({"a": nw.Column(["x", "y"])}, epsilon=epsilon)


@pytest.mark.parametrize("epsilon", [40, 200, 1000])
def test_laplace_is_proven_at_a_large_epsilon_with_a_delta(epsilon: int) -> None:
    made = nw.laplace(NUMBERS, epsilon=epsilon, delta="1e-6")
    assert nw.verify(made, epsilon=epsilon, delta="1e-6")


def test_what_is_far_apart_is_compared_without_its_power() -> None:
    """d-privacy promises little about points a million units apart, which is quickly checked."""
    far = [[0, 10**6], [10**6, 0]]
    space = nw.Categories(["a", "b"], neighbors="metric", metric=far)
    made = nw.from_matrix(space, [["3/4", "1/4"], ["1/4", "3/4"]])
    assert nw.verify(made, epsilon=1)
    assert not nw.verify(made, epsilon="1e-7")
