"""Permute-and-flip and noisy max: their tables against definitions, and their claims."""

import itertools
import math
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, ParameterError, TooLargeError
from tests.mechanisms.independent import EPSILONS, adjacent, is_private, rows_of
from tests.selection.exactly_by_hand import by_powers

QUALITIES = st.lists(st.integers(-4, 4), min_size=1, max_size=5)


def by_permutations(qualities: list[int], factor: float) -> list[float]:
    """Permute and flip as it is written: go through a random order until a coin comes up."""
    coins = [math.exp(factor * (q - max(qualities))) for q in qualities]
    found = [0.0] * len(coins)
    orders = list(itertools.permutations(range(len(coins))))
    for order in orders:
        left = 1.0
        for y in order:
            found[y] += left * coins[y] / len(orders)
            left *= 1 - coins[y]
    return found


def by_convolution(qualities: list[int], decay: float) -> list[float]:
    """Noisy max as it is written: every combination of noise, cut off far out."""
    top, far = max(qualities), math.ceil(40 / decay)
    found = [0.0] * len(qualities)
    for total in range(min(qualities), top + far):
        for y, q in enumerate(qualities):
            if total < q:
                continue
            chance = (1 - math.exp(-decay)) * math.exp(-decay * (total - q))
            for z, other in enumerate(qualities):
                if z != y:
                    reached = total - other + (0 if z < y else 1)
                    chance *= 1 - math.exp(-decay * reached) if reached > 0 else 0.0
            found[y] += chance
    return found


@settings(max_examples=40, deadline=None)
@given(QUALITIES, st.floats(0.01, 3))
def test_permute_and_flip_is_what_its_name_says(qualities: list[int], epsilon: float) -> None:
    choice = nw.select.permute_and_flip(
        range(len(qualities)), qualities, sensitivity=1, epsilon=epsilon
    )
    assert np.allclose(choice.probabilities, by_permutations(qualities, epsilon / 2), rtol=1e-9)


@settings(max_examples=25, deadline=None)
@given(QUALITIES, st.floats(0.1, 3))
def test_noisy_max_is_what_its_name_says(qualities: list[int], epsilon: float) -> None:
    choice = nw.select.noisy_max(range(len(qualities)), qualities, sensitivity=1, epsilon=epsilon)
    assert np.allclose(choice.probabilities, by_convolution(qualities, epsilon / 2), rtol=1e-9)


@settings(max_examples=40, deadline=None)
@example(1, 13, [[0, 0], [-1, 0]])
@example(1, 51, [[0, 0, 0], [0, 0, -1]])
@given(
    st.sampled_from([1, "0.1", "2.5"]),
    st.integers(1, 120),
    st.lists(st.lists(st.integers(-1, 1), min_size=3, max_size=3), min_size=2, max_size=3),
)
def test_tables_of_noisy_max_are_proven_where_ratios_are_just_allowed(
    step: Any, epsilon: int, qualities: list[list[int]]
) -> None:
    if all(row == qualities[0] for row in qualities):
        qualities = [[quality + 1 for quality in qualities[0]], *qualities]
    rows = [[quality * Fraction(step) for quality in row] for row in qualities]
    space = nw.Categories(range(len(rows)))
    table = nw.select.choice_table(
        space, rows, candidates=range(len(rows[0])), method="noisy_max", epsilon=epsilon, step=step
    )
    assert nw.verify(table, epsilon=epsilon)


MAKERS = [nw.exponential, nw.select.permute_and_flip, nw.select.noisy_max]


def method_of(maker: Any) -> Any:
    """The name of the same law, as a table takes it."""
    return maker.__name__


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
@pytest.mark.parametrize("epsilon", [30, 44, 45, 48, 51, 53, 54, 55, 60, 200])
def test_tables_are_proven_just_before_and_after_they_get_a_floor(
    maker: Callable[..., Any], epsilon: int
) -> None:
    rows = [[0, 0, 0], [0, 0, -1], [0, -1, -2]]
    table = nw.select.choice_table(
        nw.Counts(2), rows, candidates=range(3), method=method_of(maker), epsilon=epsilon
    )
    assert nw.verify(table, epsilon=epsilon)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
@settings(max_examples=25, deadline=None)
@given(epsilon=EPSILONS, data=st.data())
def test_tables_keep_their_claim_and_are_the_law(
    maker: Callable[..., Any], epsilon: float, data: st.DataObject
) -> None:
    n, options = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    entry = st.integers(-6, 6)
    quality = [[data.draw(entry) for _ in range(options)] for _ in range(n + 1)]
    quality[0][0] = quality[1][0] + 1
    table = nw.select.choice_table(
        nw.Counts(n), quality, candidates=range(options), method=method_of(maker), epsilon=epsilon
    )
    rows = rows_of(table)
    assert {sum(row) for row in rows} == {table.total}
    assert is_private(rows, table.total, adjacent(n + 1), Fraction(epsilon))
    change = max(
        abs(a - b) for r, s in itertools.pairwise(quality) for a, b in zip(r, s, strict=True)
    )
    monotonic = not any(
        min(d) < 0 < max(d)
        for r, s in itertools.pairwise(quality)
        for d in [[a - b for a, b in zip(r, s, strict=True)]]
    )
    if maker is nw.select.noisy_max and epsilon / change < 0.01:
        return
    for x in range(n + 1):
        one = maker(
            range(options), quality[x], sensitivity=change, epsilon=epsilon, monotonic=monotonic
        )
        assert np.allclose(table.matrix[x], one.probabilities, rtol=1e-8, atol=2**-120)


@settings(max_examples=40)
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=12), st.floats(0.05, 5))
def test_permute_and_flip_is_never_worse(qualities: list[int], epsilon: float) -> None:
    names = range(len(qualities))
    one = nw.exponential(names, qualities, sensitivity=1, epsilon=epsilon)
    other = nw.select.permute_and_flip(names, qualities, sensitivity=1, epsilon=epsilon)
    assert other.expected_quality >= one.expected_quality - 1e-9


def test_a_finer_step_brings_noisy_max_to_permute_and_flip() -> None:
    def gap(step: str) -> float:
        fine = nw.select.noisy_max(["a", "b", "c"], [3, 2, 0], sensitivity=1, epsilon=1, step=step)
        limit = nw.select.permute_and_flip(["a", "b", "c"], [3, 2, 0], sensitivity=1, epsilon=1)
        return float(np.abs(fine.probabilities - limit.probabilities).max())

    assert gap("1/200") < 2e-3 < gap("1/4") < gap("1")


BAD: list[tuple[Callable[..., Any], dict[str, Any], type[Exception], str]] = [
    (
        nw.select.noisy_max,
        {"quality": ["0.5", 1]},
        InputError,
        "candidate 1 is not a whole number of",
    ),
    (nw.select.noisy_max, {"step": 0}, ParameterError, "step is 0; it must be positive"),
    (nw.select.permute_and_flip, {"sensitivity": 0}, ParameterError, "sensitivity is 0"),
    (nw.select.permute_and_flip, {"sensitivity": None}, ParameterError, "sensitivity is missing"),
    (nw.exponential, {"quality": [1, 2, 3]}, InputError, "3 values; there are 2 candidates"),
    (nw.exponential, {"quality": {"a": 1}}, InputError, "nothing about 1 of the candidates"),
    (
        nw.exponential,
        {"quality_range": (9, 0)},
        ParameterError,
        r"\(9, 0\); low must be below high",
    ),
    (
        nw.exponential,
        {"quality_range": (1,)},
        ParameterError,
        "must be two numbers",
    ),
    (nw.exponential, {"quality": divmod}, InputError, r"give one number per candidate, such as"),
    (nw.exponential, {"candidates": (), "quality": [1]}, InputError, "no candidates"),
    (nw.exponential, {"candidates": [], "quality": []}, InputError, "no candidates to choose from"),
    (nw.exponential, {"candidates": "ab"}, InputError, "candidates is a text"),
    (nw.exponential, {"candidates": {"a", "b"}}, InputError, "candidates is a set, whose order"),
    (nw.exponential, {"epsilon": 0}, ParameterError, "take one without looking at the data"),
    (
        nw.select.noisy_max,
        {"quality": {"a": 1, "b": 2, "c": 3, 1: 2}},
        InputError,
        "quality has 2 keys that are not candidates",
    ),
    (
        nw.select.permute_and_flip,
        {"quality": pd.Series({"a": 1, "c": 2})},
        InputError,
        "a Series whose index does not hold exactly the candidates",
    ),
    (
        nw.select.permute_and_flip,
        {"quality": pd.Series([1, 2], index=["a", "a"])},
        InputError,
        "a Series whose index does not hold exactly the candidates",
    ),
    (
        nw.exponential,
        {"candidates": [1, 0], "quality": pd.Series([1, 2])},
        InputError,
        "numbered 0, 1, 2, …, and so are the candidates, in another order",
    ),
    (
        nw.exponential,
        {"quality": lambda data, candidate: 1},
        InputError,
        r"give one number per candidate.* use nw\.select\.choice_table",
    ),
]


@pytest.mark.parametrize(("maker", "changes", "error", "message"), BAD)
def test_bad_input(
    maker: Callable[..., Any], changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    given: dict[str, Any] = {
        "candidates": ["a", "b"],
        "quality": [1, 2],
        "sensitivity": 1,
        "epsilon": 1,
    }
    given |= changes
    with pytest.raises(error, match=message):
        maker(given.pop("candidates"), given.pop("quality"), **given)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
@pytest.mark.parametrize("gap", [10**9, 10**30, 10**400])
def test_qualities_may_lie_as_far_apart_as_they_like(maker: Callable[..., Any], gap: int) -> None:
    """An error here would tell something about the data."""
    choice = maker(["a", "b", "c"], [0, gap, 1], sensitivity=1, epsilon=1)
    assert choice.sample() == "b"
    assert choice.probability("b") == pytest.approx(1)
    assert choice.expected_quality == (float(gap) if gap < 10**300 else math.inf)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
@pytest.mark.parametrize("bad", [math.nan, math.inf, None, "row 7 is ill", 1j, True])
def test_a_quality_that_is_no_number_is_named_and_not_shown(
    maker: Callable[..., Any], bad: Any
) -> None:
    with pytest.raises(InputError, match="the quality of candidate 2 is not a finite") as caught:
        maker(["a", "b"], [1, bad], sensitivity=1, epsilon=1)
    assert str(bad) not in str(caught.value)
    assert caught.value.__cause__ is None


def test_candidates_of_any_kind() -> None:
    twice = nw.exponential(["a", "b", "a"], [1, 0, 1], sensitivity=1, epsilon=1)
    assert twice.probability("a") == pytest.approx(1 - twice.probability("b"))
    arrays = [np.array([1, 2]), np.array([3, 4])]
    chosen = nw.select.permute_and_flip(arrays, [5, 1], sensitivity=1, epsilon=1)
    assert chosen.probability(arrays[0]) > 0.8
    drawn = chosen.sample()
    assert any(drawn is one for one in arrays)
    with pytest.raises(OutsideSpaceError, match="not one of the candidates"):
        chosen.probability("a")
    with pytest.raises(InputError, match="cannot be keys of a mapping"):
        nw.exponential([[1], [2]], {1: 2}, sensitivity=1, epsilon=1)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_a_series_is_read_by_its_index(maker: Callable[..., Any]) -> None:
    votes = pd.Series({"c": 100, "a": 0, "b": 1})
    assert maker(["a", "b", "c"], votes, sensitivity=1, epsilon=1).qualities == (0, 1, 100)
    by_position = pd.Series([7, 2, 5])
    assert maker(["a", "b", "c"], by_position, sensitivity=1, epsilon=1).qualities == (7, 2, 5)
    numbers = pd.Series({2: 5, 0: 7, 1: 2})
    assert maker([1, 2, 0], numbers, sensitivity=1, epsilon=1).qualities == (2, 5, 7)


@pytest.mark.parametrize(
    "quality",
    [{"a": 5, "b": 1}, pd.Series({"b": 1, "a": 5}), lambda candidate: 5 if candidate == "a" else 1],
    ids=["mapping", "series", "function"],
)
def test_a_set_of_candidates_needs_qualities_by_candidate(quality: Any) -> None:
    made = nw.exponential({"a", "b"}, quality, sensitivity=1, epsilon=1)
    assert dict(zip(made.candidates, made.qualities, strict=True)) == {"a": 5, "b": 1}
    with pytest.raises(InputError, match="candidates is a set"):
        nw.select.top_k({"a", "b"}, pd.Series([5, 1]), k=1, sensitivity=1, epsilon=1)


def test_numbers_of_any_kind() -> None:
    forms: list[Any] = [
        [Fraction(1, 2), 3],
        ["0.5", "3"],
        [Decimal("0.5"), Decimal(3)],
        np.array([0.5, 3]),
        pd.Series([0.5, 3.0]),
        {"a": 0.5, "b": 3},
    ]
    made = [nw.exponential(["a", "b"], form, sensitivity=1, epsilon=1) for form in forms]
    assert len({choice.weights for choice in made}) == 1
    whole = [np.array([7, 2, 7]), [7, 2, 7], pd.Series([7, 2, 7]), np.array([7, 2, 7], np.uint8)]
    same = [nw.exponential(["a", "b", "c"], form, sensitivity=1, epsilon=1) for form in whole]
    assert {choice.qualities for choice in same} == {(7, 2, 7)}


@pytest.mark.parametrize("count", [129, 400])
def test_probabilities_among_many(count: int) -> None:
    """Above 128 candidates integrals are taken piece by piece; here they are worked out exactly."""
    qualities = [Fraction(17 * i % 97, 7) for i in range(count)]
    choice = nw.select.permute_and_flip(range(count), qualities, sensitivity=1, epsilon="1/2")
    exponents = [choice.factor * (q - choice.best_quality) for q in qualities]
    exact = choice.law.masses(choice.factor)(exponents, 200)
    assert choice.probabilities.tolist() == pytest.approx([m / 2**200 for m in exact], rel=1e-11)
    alike = nw.select.permute_and_flip(range(count), [0] * count, sensitivity=1, epsilon=1)
    assert alike.probabilities.tolist() == pytest.approx([1 / count] * count, rel=1e-12)


@pytest.mark.parametrize("step", ["1/3", "1", "7"])
def test_even_and_uneven_levels_have_the_same_powers(step: str) -> None:
    """Levels on a short grid are walked through; one far away makes each power its own."""
    even = [Fraction(step) * k for k in (5, 0, 3, 9, 3)]
    factor, far = Fraction(1, 7), Fraction(10**9, 3)
    near = nw.exponential(range(5), even, sensitivity="7/2", epsilon=1)
    wide = nw.exponential(range(6), [*even, even[3] - far], sensitivity="7/2", epsilon=1)
    assert near.factor == wide.factor == factor
    assert near.weights is not None
    assert wide.weights is not None
    for weights in (near.weights, wide.weights[:5]):
        for weight, chance in zip(weights, by_powers(even, factor), strict=True):
            assert abs(Fraction(weight, sum(weights)) / chance - 1) < Fraction(1, 2**50)


def test_levels_of_many_denominators() -> None:
    """Close together and without a common grid."""
    values = [Fraction(1, k) / 1000 for k in range(50, 60)]
    choice = nw.exponential(range(10), values, sensitivity="1/10000", epsilon=1)
    assert choice.weights is not None
    for weight, chance in zip(choice.weights, by_powers(values, Fraction(5000)), strict=True):
        assert abs(Fraction(weight, sum(choice.weights)) / chance - 1) < Fraction(1, 2**50)


def test_a_space_of_candidates_may_be_too_large() -> None:
    with pytest.raises(TooLargeError, match=r"at most 10,000,000\. Use a coarser grid"):
        nw.exponential(nw.Counts(10**12), {0: 1}, sensitivity=1, epsilon=1)


def test_a_hundred_thousand_candidates() -> None:
    numbers = np.random.default_rng(8).integers(0, 500, 100_000)
    numbers[777] = 700
    for maker in MAKERS:
        choice = maker(range(numbers.size), numbers, sensitivity=1, epsilon=1)
        assert choice.sample() == 777


def test_looking_at_noise_of_very_many_steps_is_refused() -> None:
    choice = nw.select.noisy_max(["a", "b"], [1, 2], sensitivity=1, epsilon=1, step="1/1000000")
    assert choice.sample() in ("a", "b")
    with pytest.raises(TooLargeError, match="Use a larger step"):
        _ = choice.probabilities


def test_a_choice_does_not_show_the_data() -> None:
    choice = nw.exponential(["a", "b"], [17, 2], sensitivity=1, epsilon=1)
    assert repr(choice) == "<exponential mechanism among 2 candidates, epsilon=1>"
    assert choice.chance_within(0) == pytest.approx(choice.probability("a"))
    assert choice.chance_within(15) == pytest.approx(1)


def test_any_python_values_are_candidates() -> None:
    models = [("tree", 3), ("tree", 4), None]
    choice = nw.select.permute_and_flip(
        models, np.array([0.5, 0.25, 0.0]), sensitivity=0.1, epsilon=1
    )
    assert choice.sample(source=nw.randomness.SeededSource(1)) in models


def test_the_integers_that_are_drawn_from() -> None:
    choice = nw.exponential(["a", "b", "c"], [4, 4, 1], sensitivity=1, epsilon=1)
    assert choice.weights is not None
    total = sum(choice.weights)
    assert np.allclose([w / total for w in choice.weights], choice.probabilities, rtol=1e-15)
    assert nw.select.permute_and_flip(["a", "b"], [4, 1], sensitivity=1, epsilon=1).weights is None


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_a_choice_travels(maker: Callable[..., Any]) -> None:
    choice = maker(["a", "b", "c"], [4, 3, 1], sensitivity=1, epsilon=1)
    drawn = choice.sample(source=nw.randomness.SeededSource(5))
    again = pickle.loads(pickle.dumps(choice))
    assert again.sample(source=nw.randomness.SeededSource(5)) == drawn
    assert again.claim == choice.claim


def test_the_best_is_found_among_doubles_whose_differences_are_none() -> None:
    # (5e-324 - 0) * 0.5 is 0 in doubles; a coin of the better one must not be above 1.
    qualities = np.full(300, -1000.0)
    qualities[:2] = 0, 5e-324
    choice = nw.select.permute_and_flip(range(300), qualities, sensitivity=1, epsilon=1)
    assert {choice.sample(source=nw.randomness.SeededSource(seed)) for seed in range(40)} == {0, 1}


def test_masked_qualities_are_refused_however_many() -> None:
    for many in (3, 300):
        hidden = np.ma.MaskedArray(np.arange(float(many)), mask=[True, *[False] * (many - 1)])
        with pytest.raises(InputError):
            nw.exponential(range(many), hidden, sensitivity=1, epsilon=1)
