"""The exponential mechanism: private as claimed, and never by an unchecked sensitivity."""

import pickle
from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon
from noisewright.selection import choice_table
from noisewright.spaces import Counts
from tests.mechanisms.independent import EPSILONS, adjacent, is_private, rows_of


@settings(max_examples=40)
@given(EPSILONS, st.integers(1, 8), st.integers(2, 5), st.data())
def test_it_keeps_its_claim(epsilon: float, n: int, options: int, data: st.DataObject) -> None:
    scale = data.draw(st.sampled_from([1, 7, 1000]))
    entry = st.integers(-scale, scale)
    quality = [[data.draw(entry) for _ in range(options)] for _ in range(n + 1)]
    quality[0][0] = quality[1][0] + 1
    table = choice_table(Counts(n), quality, candidates=range(options), epsilon=epsilon)
    rows = rows_of(table)
    assert {sum(row) for row in rows} == {table.total}
    assert min(map(min, rows)) > 0
    assert is_private(rows, table.total, adjacent(n + 1), Fraction(epsilon))


@settings(max_examples=30)
@given(EPSILONS, st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_a_monotonic_quality_needs_no_factor_of_two(epsilon: float, steps: list[int]) -> None:
    steps[0] += 1
    quality = [[x * step for step in steps] for x in range(4)]
    table = choice_table(Counts(3), quality, candidates=range(6), epsilon=epsilon, monotonic=True)
    exact = Fraction(epsilon)
    assert is_private(rows_of(table), table.total, adjacent(4), exact)
    assert table.matrix[1, 0] / table.matrix[1, 5] == pytest.approx(
        np.exp(epsilon * (steps[0] - steps[5]) / max(steps)), rel=1e-9
    )


def test_its_formula() -> None:
    table = choice_table(Counts(3), lambda x, y: -abs(x - y), epsilon=1.0)
    weights = np.exp(-0.5 * np.abs(np.subtract.outer(np.arange(4), np.arange(4))))
    ideal = weights / weights.sum(axis=1, keepdims=True)
    assert np.allclose(table.matrix, ideal, rtol=1e-14, atol=0)


def test_a_log_epsilon_is_a_number_like_any_other() -> None:
    table = choice_table(Counts(3), lambda x, y: -abs(x - y), epsilon=Epsilon.of(alpha="1/4"))
    assert table.matrix[0, 0] / table.matrix[0, 1] == pytest.approx(2, rel=1e-14)
    widest = max(
        Fraction(max(p, q), min(p, q))
        for a, b in adjacent(4)
        for p, q in zip(table.weights[a], table.weights[b], strict=True)
    )
    assert widest <= 4


def test_wide_qualities_are_no_obstacle() -> None:
    quality = [[0, 10**9], [1, 10**9]]
    table = choice_table(Counts(1), quality, candidates=["a", "b"], epsilon=1)
    assert table.weights.min() > 0
    assert is_private(rows_of(table), table.total, [(0, 1)], Fraction(1))


def quality(x: int, y: int) -> int:
    return -abs(x - y)


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"sensitivity": 0.5}, NotPrivateError, r"given as 0\.5, but .* changes by 1\. Give at least"),
    ({"sensitivity": -1}, NotPrivateError, "Give at least that, or leave it out"),
    ({"sensitivity": "wide"}, ParameterError, "sensitivity is 'wide'"),
    ({"monotonic": True}, NotPrivateError, "some qualities rise and others fall"),
    ({"epsilon": 0}, ParameterError, r"epsilon is 0.*Use nw\.uniform"),
    ({"epsilon": -1}, ParameterError, "epsilon is -1; it must be at least 0"),
    ({"quality": lambda x, y: 5}, ParameterError, "the same for all neighbors"),
    ({"quality": lambda x, y: float("nan")}, ParameterError, "a quality is nan"),
    ({"quality": lambda x, y: None}, ParameterError, "a quality is of type NoneType"),
    ({"quality": [[1, 2], [3, 4]]}, InputError, "a matrix of 4 rows and 4 columns"),
    ({"quality": 7}, InputError, r"a function of \(input, candidate\) or a matrix"),
    ({"quality": lambda candidate: 1}, InputError, "a function of one argument"),
]


@pytest.mark.parametrize(("changes", "error", "message"), BAD)
def test_bad_input(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {
        "quality": quality,
        "epsilon": 1.0,
        **changes,
    }
    with pytest.raises(error, match=message):
        choice_table(Counts(3), arguments.pop("quality"), **arguments)


def test_a_larger_sensitivity_is_more_private() -> None:
    usual = choice_table(Counts(3), quality, epsilon=1)
    assert usual == choice_table(Counts(3), quality, epsilon=1, sensitivity=1)
    flat = choice_table(Counts(3), quality, epsilon=1, sensitivity=10)
    assert flat.matrix[0, 0] < usual.matrix[0, 0]


@pytest.mark.parametrize(
    "choose",
    [nw.exponential, nw.select.permute_and_flip, nw.select.noisy_max],
    ids=lambda one: one.__name__,
)
def test_a_function_of_the_candidate_is_about_one_dataset(choose: Any) -> None:
    bids = [1, 1, 1, 3]

    def revenue(price: int) -> int:
        return price * sum(bid >= price for bid in bids)

    made = choose([1, 2, 3], revenue, sensitivity=3, epsilon=1)
    same = choose([1, 2, 3], [4, 2, 3], sensitivity=3, epsilon=1)
    assert made.probabilities.tolist() == same.probabilities.tolist()


def test_a_function_that_could_take_both_needs_the_inputs() -> None:
    with pytest.raises(InputError, match=r"use nw\.select\.choice_table"):
        nw.exponential([1, 2], lambda *points: points[-1], sensitivity=1, epsilon=1)
    top = nw.select.top_k([1, 2, 3], lambda candidate: -candidate, k=3, sensitivity=1, epsilon=1)
    assert sorted(top.sample()) == [1, 2, 3]


@pytest.mark.parametrize("kind", ["doubles", "whole numbers"])
def test_many_doubles_are_drawn_by_the_weights_that_are_shown(kind: str) -> None:
    """The same bits of u, and the running sums of the exact integers, give the same candidate."""
    rng = np.random.default_rng(11)
    qualities = rng.random(500) if kind == "doubles" else rng.integers(0, 9, 500)
    choice = nw.exponential(range(500), qualities.tolist(), sensitivity="0.2", epsilon=1)
    assert choice.qualities == tuple(map(Fraction, qualities.tolist()))
    assert choice.weights is not None
    ends = list(accumulate(choice.weights))
    seen: set[int] = set()
    for seed in range(300):
        unit = int(nw.randomness.SeededSource(seed).words(1)[0]) >> 11
        place = bisect_right(ends, unit * ends[-1] >> 53)
        assert choice.sample(source=nw.randomness.SeededSource(seed)) == place
        seen.add(place)
    assert len(seen) > 50


@pytest.mark.parametrize("maker", [nw.exponential, nw.select.permute_and_flip])
def test_many_doubles_can_be_pickled_and_show_the_same_chances(maker: Any) -> None:
    qualities = np.random.default_rng(12).random(300)
    choice = maker(range(300), qualities, sensitivity="0.2", epsilon=1)
    again = pickle.loads(pickle.dumps(choice))
    assert again.qualities == choice.qualities
    assert again.sample(source=nw.randomness.SeededSource(1)) == choice.sample(
        source=nw.randomness.SeededSource(1)
    )
    few = maker(range(300), list(map(Fraction, qualities.tolist())), sensitivity="0.2", epsilon=1)
    assert isinstance(few.qualities, tuple)
    assert few.probabilities.tolist() == choice.probabilities.tolist()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), None, "x"])
def test_a_quality_that_is_none_is_named_by_its_place_among_many(bad: Any) -> None:
    with pytest.raises(InputError, match="candidate 278 is not a finite number"):
        nw.exponential(range(300), [*[0.5] * 277, bad, *[0.5] * 22], sensitivity=1, epsilon=1)


@pytest.mark.parametrize(
    ("step", "on", "off"),
    [
        ("1", 2.0, 2.5),
        ("3/10", 1.5, 1.25),
        ("0.25", -0.75, 0.1),
        ("1/3", 7.0, 1 / 3),
        ("7/1180591620717411303424", 7.0 * 2**-70, 2.0**-70),
        (str(2**53 + 1), 0.0, 2.0**53),
    ],
)
def test_the_first_of_many_doubles_off_the_step_is_named(step: str, on: float, off: float) -> None:
    assert not (Fraction(on) / Fraction(step)) % 1
    assert (Fraction(off) / Fraction(step)) % 1
    values = np.full(300, on)
    values[::7] = 0
    nw.select.noisy_max(range(300), values, sensitivity=1, epsilon=1, step=step)
    values[[201, 250]] = off
    with pytest.raises(InputError, match="candidate 202 is not a whole number of steps"):
        nw.select.noisy_max(range(300), values, sensitivity=1, epsilon=1, step=step)
