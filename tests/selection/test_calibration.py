"""Calibration: the exact price of a factor, and never more than ε."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, ParameterError
from tests.mechanisms.independent import adjacent, is_private, rows_of


@settings(max_examples=25, deadline=None)
@given(st.floats(0.01, 5), st.data())
def test_a_calibrated_table_is_private_and_no_worse(epsilon: float, data: st.DataObject) -> None:
    n, options = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 4))
    quality = [[data.draw(st.integers(0, 5)) for _ in range(options)] for _ in range(n + 1)]
    quality[0] = [0] * (options - 1) + [1]
    quality[1] = [1] + [0] * (options - 1)
    space = nw.Counts(n)
    usual = nw.select.choice_table(space, quality, candidates=range(options), epsilon=epsilon)
    best = nw.select.choice_table(
        space, quality, candidates=range(options), epsilon=epsilon, calibrated=True
    )
    assert is_private(rows_of(best), best.total, adjacent(n + 1), Fraction(epsilon))
    assert nw.tight_epsilon(best) >= nw.tight_epsilon(usual) - 1e-9
    values = np.array(quality, dtype=float)
    assert ((best.matrix * values).sum(1) >= (usual.matrix * values).sum(1) - 1e-9).all()


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize(
    ("candidates", "width", "change"), [(2, 2, 1), (3, 2, 1), (3, 1, 1), (2, 3, 2)]
)
def test_the_worst_case_in_a_range(
    candidates: int, width: int, change: int, monotonic: bool
) -> None:
    """All datasets with whole qualities in the range, all neighbors: the closed form is exact."""
    vectors = list(itertools.product(range(width + 1), repeat=candidates))

    def near(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        moves = [x - y for x, y in zip(a, b, strict=True)]
        small = max(map(abs, moves)) <= change
        return small and not (monotonic and min(moves) < 0 < max(moves))

    labels = [str(i) for i in range(len(vectors))]
    pairs = [
        (labels[i], labels[j])
        for i, j in itertools.combinations(range(len(vectors)), 2)
        if near(vectors[i], vectors[j])
    ]
    space = nw.Categories(labels, neighbors=pairs)
    table = nw.select.choice_table(
        space, [list(v) for v in vectors], candidates=range(candidates), epsilon=1, calibrated=True
    )
    worst = vectors.index((0,) + (width,) * (candidates - 1))
    one = nw.exponential(
        range(candidates),
        vectors[worst],
        sensitivity=change,
        epsilon=1,
        monotonic=monotonic,
        quality_range=(0, width),
    )
    assert np.allclose(table.matrix[worst], one.probabilities, rtol=1e-7)
    assert one.factor > Fraction(1, (1 if monotonic else 2) * change)


def cost(qualities: Any, factor: float) -> float:
    """What a factor costs between two neighbors: powers, from their definition."""
    exponents = factor * np.array(qualities, dtype=float)
    logs = exponents - np.log(np.exp(exponents).sum(axis=1, keepdims=True))
    return float(np.abs(logs[0] - logs[1]).max())


@pytest.mark.parametrize("epsilon", ["0.35", "0.4", "0.5"])
def test_the_largest_factor_may_lie_above_factors_that_are_not_private(epsilon: str) -> None:
    """A thousand middling candidates: the cost rises to 0.42, falls to 0.33, and rises for good."""
    quality = [[0] + [-1] * 1000, [0] + [Fraction("-1.1")] * 1000]
    doubles = np.array(quality, dtype=float)
    costs = {f: cost(doubles, f) for f in np.linspace(0.5, 9, 426).tolist()}
    private = [f for f, spent in costs.items() if spent <= float(epsilon)]
    if epsilon != "0.5":
        assert max(spent for f, spent in costs.items() if f < private[-1]) > float(epsilon) + 0.01
    table = nw.select.choice_table(
        nw.Counts(1), quality, candidates=range(1001), epsilon=epsilon, calibrated=True
    )
    factor = float(np.log(table.matrix[0, 0] / table.matrix[0, 1]))
    assert private[-1] <= factor < private[-1] + 0.02
    assert nw.verify(table, epsilon=epsilon)
    assert nw.tight_epsilon(table) == pytest.approx(float(epsilon), rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.05, 3), st.data())
def test_no_larger_factor_is_private(epsilon: float, data: st.DataObject) -> None:
    """Looked for on a fine grid up to ten times as much, whatever the search did."""
    options = data.draw(st.integers(2, 12))
    quality = [[data.draw(st.integers(-4, 4)) for _ in range(options)] for _ in range(2)]
    quality[0][:2], quality[1][:2] = [1, 0], [0, 1]
    methods: list[Any] = ["exponential", "permute_and_flip"]
    for maker in methods:
        table = nw.select.choice_table(
            nw.Counts(1),
            quality,
            candidates=range(options),
            method=maker,
            epsilon=epsilon,
            calibrated=True,
        )
        assert nw.tight_epsilon(table) == pytest.approx(epsilon, rel=1e-9)
        if maker == "exponential":
            row = np.log(table.matrix[0])
            factor = float((row.max() - row.min()) / np.ptp(quality[0]))
            more = np.geomspace(1.001, 10, 400) * factor
            assert min(cost(quality, f) for f in more.tolist()) > epsilon


@pytest.mark.parametrize(("epsilon", "width"), [("1/10", 2), ("50", 2), ("1000", 1), ("1000", 2)])
@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("candidates", [2, 1000])
def test_all_of_the_budget_in_a_range(
    epsilon: str, width: int, monotonic: bool, candidates: int
) -> None:
    """The closed form in doubles: one rises from the bottom by 1, all others fall from the top."""
    one = nw.exponential(
        range(candidates),
        [0] * candidates,
        sensitivity=1,
        epsilon=epsilon,
        monotonic=monotonic,
        quality_range=(0, width),
    )
    factor, others = float(one.factor), candidates - 1
    fall = 0 if monotonic else 1
    before = -np.logaddexp(0, np.log(others) + factor * width)
    after = factor - np.logaddexp(factor, np.log(others) + factor * (width - fall))
    assert after - before == pytest.approx(float(Fraction(epsilon)), rel=1e-12)


@pytest.mark.parametrize("width", [10**6, 10**9, 10**40])
def test_a_very_wide_range(width: int) -> None:
    one = nw.exponential(["a", "b"], [0, 1], sensitivity=1, epsilon=1, quality_range=(0, width))
    assert one.factor == pytest.approx(0.5, rel=1e-12)
    assert one.factor <= Fraction(1, 2)


def test_a_wide_range_leaves_the_usual_factor() -> None:
    one = nw.exponential(["a", "b"], [0, 1], sensitivity=1, epsilon=1, quality_range=(0, 1000))
    assert float(one.factor) == pytest.approx(0.5, rel=1e-9)


def test_a_quality_outside_of_the_range_is_not_shown() -> None:
    with pytest.raises(InputError, match="outside of quality_range") as caught:
        nw.exponential(["a", "b"], [0, 777], sensitivity=1, epsilon=1, quality_range=(0, 10))
    assert "777" not in str(caught.value)


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-30", "1000"])
@pytest.mark.parametrize("method", ["exponential", "permute_and_flip"])
def test_any_epsilon(epsilon: str, method: Any) -> None:
    """Where doubles see nothing any more, it is at least the usual factor."""
    quality = [[0, 2, 1], [1, 1, 1], [2, 0, 1]]
    given: dict[str, Any] = {"candidates": range(3), "method": method, "epsilon": epsilon}
    usual = nw.select.choice_table(nw.Counts(2), quality, **given)
    best = nw.select.choice_table(nw.Counts(2), quality, calibrated=True, **given)
    assert nw.verify(best, epsilon=epsilon)
    assert nw.tight_epsilon(best) >= nw.tight_epsilon(usual) * (1 - 1e-9)


def test_qualities_of_very_many_digits() -> None:
    quality = [[0, 10**30], [1, 10**30]]
    best = nw.select.choice_table(
        nw.Counts(1), quality, candidates=["a", "b"], epsilon=1, calibrated=True
    )
    assert nw.verify(best, epsilon=1)


def test_where_nothing_is_at_stake() -> None:
    with pytest.raises(ParameterError, match="neighbors choose alike"):
        nw.select.choice_table(
            nw.Counts(1), [[1, 2], [2, 3]], candidates=["a", "b"], epsilon=1, calibrated=True
        )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=6),
    st.floats(0.01, 20),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_one_dataset_is_private_by_its_integers(
    qualities: list[int], epsilon: float, monotonic: bool, calibrated: bool, data: st.DataObject
) -> None:
    """What is drawn from, before and after one person, as exact fractions."""
    moves = st.integers(0, 1) if monotonic else st.integers(-1, 1)
    other = [min(6, max(0, q + data.draw(moves))) for q in qualities]
    options: dict[str, Any] = {"quality_range": (0, 6)} if calibrated else {}
    rows: list[list[Fraction]] = []
    for values in (qualities, other):
        choice = nw.exponential(
            range(len(values)),
            values,
            sensitivity=1,
            epsilon=epsilon,
            monotonic=monotonic,
            **options,
        )
        assert choice.weights is not None
        rows.append([Fraction(weight, sum(choice.weights)) for weight in choice.weights])
    worst = max(max(p / q, q / p) for p, q in zip(*rows, strict=True))
    assert nw.accounting.Epsilon.of(epsilon).sign(worst.numerator, worst.denominator) <= 0


@pytest.mark.parametrize("method", ["exponential", "permute_and_flip", "noisy_max"])
def test_slightly_more_than_calibrated_is_refuted(method: Any) -> None:
    quality = [[0, 2, 1], [1, 1, 1], [2, 0, 1]]
    more = nw.select.choice_table(
        nw.Counts(2), quality, candidates=range(3), method=method, epsilon=1.001, calibrated=True
    )
    assert nw.verify(more, epsilon=1.001)
    verdict = nw.verify(more, epsilon=1)
    assert not verdict
    assert verdict.witness is not None
