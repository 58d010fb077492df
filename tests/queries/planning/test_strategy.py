"""Plans: their errors against explicit matrices, their costs, and the answers they lead to."""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.queries.planning.attribute import Attribute
from noisewright.queries.planning.contrast_cost import Neighbors
from noisewright.queries.planning.measurements import ContrastMeasurement, CountMeasurement
from noisewright.queries.planning.plan_tables import plan_tables
from noisewright.queries.planning.question_parts import QuestionParts, TableQuestion
from noisewright.queries.planning.strategy import Strategy, count_change
from noisewright.sampling import SeededSource
from tests.queries.planning.dense import answer_rows, estimator, measured_rows

SIZES = {"a": 3, "b": 2, "c": 7}
QUESTIONS = [
    TableQuestion(("c", "a")),
    TableQuestion(("b",), 0.5),
    TableQuestion(("b", "c"), 2.0, ("cells", "prefixes")),
    TableQuestion(()),
]
NEIGHBORS = [
    Neighbors("add or remove", 2),
    Neighbors("replace"),
    Neighbors("replace", total_is_public=True),
    Neighbors("replace", each_row=True),
]
PLANS = [
    pytest.param(unit, neighbors, id=f"{unit}, {neighbors}")
    for unit in ("rho", "epsilon")
    for neighbors in NEIGHBORS
]


def planned(unit: Any, neighbors: Neighbors, budget: Fraction = Fraction(1, 50)) -> Strategy:
    return plan_tables(SIZES, QUESTIONS, budget=budget, unit=unit, neighbors=neighbors)


def counted(table: NDArray[Any], strategy: Strategy) -> dict[tuple[str, ...], NDArray[Any]]:
    names = tuple(axis.name for axis in strategy.asked.axes)
    return {
        wanted: table.sum(axis=tuple(k for k, name in enumerate(names) if name not in wanted))
        for wanted in strategy.tables
    }


def total_of(table: NDArray[Any], strategy: Strategy) -> int | None:
    return int(table.sum()) if strategy.neighbors.total_is_public else None


@pytest.mark.parametrize(("unit", "neighbors"), PLANS)
def test_errors_are_those_of_the_estimator(unit: str, neighbors: Neighbors) -> None:
    """Each answer is a weighted sum of noisy numbers; the noise has a known covariance."""
    strategy = planned(unit, neighbors)
    measured = measured_rows(strategy)
    total = 0 if neighbors.total_is_public else None
    for question, weights in zip(QUESTIONS, estimator(strategy, total=total), strict=True):
        variance, start = 0.0, 0
        for matrix, covariance in measured:
            own = weights[:, start : start + len(matrix)]
            variance = variance + np.einsum("ij,jk,ik->i", own, covariance, own)
            start += len(matrix)
        found = strategy.standard_errors(question).ravel()
        # Rounding adds less than a thousandth at these errors.
        np.testing.assert_allclose(found, np.sqrt(variance), rtol=2e-3, atol=1e-9)
    assert strategy.question_losses == pytest.approx(
        [float((strategy.standard_errors(q) ** 2).sum()) for q in QUESTIONS]
    )


@pytest.mark.parametrize(("unit", "neighbors"), PLANS)
def test_without_empty_cells_no_linear_estimate_is_better(unit: Any, neighbors: Neighbors) -> None:
    """Generalized least squares by matrices (Gauss and Markov) has the same errors."""
    sizes = {"a": 3, "b": 2, "c": 8}
    budget = Fraction(1, 50)
    strategy = plan_tables(sizes, QUESTIONS, budget=budget, unit=unit, neighbors=neighbors)
    information = np.zeros((48, 48))
    for matrix, covariance in measured_rows(strategy):
        noise = np.linalg.pinv(covariance, hermitian=True, rcond=1e-9)
        information += matrix.T @ noise @ matrix
    # What is not known without noise: everything, or everything but the total.
    unknown = np.eye(48) - (1 / 48 if neighbors.total_is_public else 0)
    inverse = np.linalg.pinv(unknown @ information @ unknown, hermitian=True, rcond=1e-9)
    for question in QUESTIONS:
        rows = answer_rows(strategy.asked.axes, question) @ unknown
        best = np.sqrt(np.einsum("ij,jk,ik->i", rows, inverse, rows))
        found = strategy.standard_errors(question).ravel()
        np.testing.assert_allclose(found, best, rtol=2e-3, atol=1e-9)


@pytest.mark.parametrize(("unit", "neighbors"), PLANS)
def test_without_noise_all_answers_are_true(unit: str, neighbors: Neighbors) -> None:
    strategy = planned(unit, neighbors)
    table = np.random.default_rng(3).integers(0, 9, size=tuple(SIZES.values()))
    exact = [(matrix @ table.ravel()).astype(np.int64) for matrix, _ in measured_rows(strategy)]
    shaped = [
        numbers.reshape(m.shape) for numbers, m in zip(exact, strategy.measurements, strict=True)
    ]
    for non_negative in (True, False):
        answers = strategy.reconstruct(
            shaped, total=total_of(table, strategy), non_negative=non_negative
        )
        for question, answer in zip(QUESTIONS, answers, strict=True):
            truth = answer_rows(strategy.asked.axes, question) @ table.ravel()
            np.testing.assert_allclose(answer.values.ravel(), truth, atol=1e-6)
            np.testing.assert_allclose(answer.unbiased.ravel(), truth, atol=1e-6)


@pytest.mark.parametrize(("unit", "neighbors"), PLANS)
def test_what_is_measured_is_what_its_definition_says(unit: str, neighbors: Neighbors) -> None:
    """With a budget beyond all bounds no noise is left, and whole numbers are equal."""
    strategy = planned(unit, neighbors, Fraction(10**12))
    table = np.random.default_rng(5).integers(0, 10**6, size=tuple(SIZES.values()))
    noisy = strategy.measure(counted(table, strategy), SeededSource(0))
    for m, found, (matrix, _) in zip(
        strategy.measurements, noisy, measured_rows(strategy), strict=True
    ):
        assert found.shape == m.shape
        assert found.ravel().tolist() == (matrix @ table.ravel()).astype(np.int64).tolist()


@pytest.mark.parametrize(("unit", "neighbors"), PLANS)
def test_drawn_numbers_have_the_predicted_errors(unit: str, neighbors: Neighbors) -> None:
    """200 runs: a mean square of normal errors is off by these factors with chance below 1e-17."""
    strategy = planned(unit, neighbors, Fraction(1, 2))
    table = np.random.default_rng(4).integers(20, 60, size=tuple(SIZES.values()))
    tables, total = counted(table, strategy), total_of(table, strategy)
    found = [
        strategy.reconstruct(strategy.measure(tables, SeededSource(seed)), total=total)
        for seed in range(200)
    ]
    for place, question in enumerate(QUESTIONS):
        truth = (answer_rows(strategy.asked.axes, question) @ table.ravel()).reshape(
            found[0][place].unbiased.shape
        )
        errors = np.stack([answers[place].unbiased - truth for answers in found])
        predicted = strategy.standard_errors(question)
        squares = (errors**2).mean(axis=0)
        assert (squares <= 2.2 * predicted**2 + 1e-9).all()
        assert (squares >= predicted**2 / 3 - 1e-9).all()
        assert (np.abs(errors.mean(axis=0)) <= 8 * predicted / math.sqrt(200) + 1e-9).all()
        inside = np.mean(
            [(a[place].lows <= truth + 1e-6) & (truth - 1e-6 <= a[place].highs) for a in found]
        )
        assert inside > 0.91


@pytest.mark.parametrize(("unit", "neighbors"), PLANS)
def test_the_cost_is_the_budget(unit: str, neighbors: Neighbors) -> None:
    strategy = planned(unit, neighbors)
    assert strategy.budget * (1 - Fraction(1, 1 << 40)) <= strategy.cost <= strategy.budget
    assert sum(m.share for m in strategy.measurements) == 1


@pytest.mark.parametrize("neighbors", NEIGHBORS, ids=str)
def test_pure_costs_are_changes_times_decays(neighbors: Neighbors) -> None:
    """Neighboring tables of up to two rows each: the counts of all tables together, by hand."""
    strategy = planned("epsilon", neighbors, Fraction(1))
    rows = [np.eye(42)[place] for place in (0, 1, 7, 8, 14, 41)]
    rows = [neighbors.rows * row for row in rows]
    worst = 0.0
    for one in rows:
        for other in [0 * one] if neighbors.change == "add or remove" else rows:
            change = one - other
            parts = zip(strategy.measurements, measured_rows(strategy), strict=True)
            worst = max(
                worst,
                sum(
                    float(m.noise.scale) * np.abs(matrix @ change).sum()
                    for m, (matrix, _) in parts
                    if isinstance(m, CountMeasurement)
                ),
            )
    assert worst == pytest.approx(float(strategy.cost))
    assert count_change((0, 0), Neighbors("replace", 3)) == 3
    assert count_change((1, 0), Neighbors("replace", 3)) == 6
    assert count_change((1, 0), Neighbors("add or remove", 3)) == 3


def test_deviations_are_large_enough_exactly() -> None:
    for precision in (Fraction(1, 3), Fraction(7, 10**9), Fraction(10**6, 7)):
        axes = (Attribute("a", 40), Attribute("b", 9, (3, 3)))
        m = ContrastMeasurement(axes, (1, 2), Fraction(1), precision)
        k = [k * (k + 1) for k in range(1, 40)]
        norms = np.multiply.outer(k, [2, 6] * 3)
        for deviation, norm in zip(m.deviations.flat, norms.flat, strict=True):
            assert Fraction(deviation) ** 2 >= int(norm) / precision
            assert Fraction(deviation) ** 2 <= int(norm) / precision * (1 + Fraction(1, 1 << 47))


@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    unit=st.sampled_from(["rho", "epsilon"]),
    neighbors=st.sampled_from(NEIGHBORS),
    goal=st.sampled_from(["total", "worst"]),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_asking_together_is_never_worse(
    sizes: list[int], unit: Any, neighbors: Neighbors, goal: Any, data: st.DataObject
) -> None:
    names = "abcd"[: len(sizes)]
    tables = [t for k in range(len(names) + 1) for t in combinations(names, k)]
    asked = data.draw(st.lists(st.sampled_from(tables), min_size=1, max_size=5, unique=True))
    kind: st.SearchStrategy[Any] = st.sampled_from(["cells", "cells", "prefixes", "ranges"])
    questions = [
        TableQuestion(t, data.draw(st.floats(0.1, 10)), tuple(data.draw(kind) for _ in t))
        for t in asked
    ]
    strategy = plan_tables(
        dict(zip(names, sizes, strict=True)),
        questions,
        budget=Fraction(1, 10),
        unit=unit,
        neighbors=neighbors,
        goal=goal,
    )
    assert strategy.cost <= strategy.budget
    if goal == "total":
        assert strategy.gain >= 1 - 2e-4
    else:
        worst = (strategy.question_losses / strategy.asked.answers * strategy.asked.weights).max()
        alone = np.array(strategy.alone) / strategy.asked.answers * strategy.asked.weights
        assert worst <= alone.max() * (1 + 1e-3)


def test_answers_agree_with_each_other() -> None:
    sizes = {"a": 4, "b": 7, "c": 3}
    questions = [
        TableQuestion(("a", "b"), 1.0, ("cells", "ranges")),
        TableQuestion(("c", "b")),
        TableQuestion(("a", "c")),
        TableQuestion(("b",), 1.0, ("prefixes",)),
        TableQuestion(()),
    ]
    table = np.random.default_rng(5).integers(0, 3, size=(4, 7, 3))
    for unit in ("rho", "epsilon"):
        strategy = plan_tables(
            sizes, questions, budget=Fraction(1, 10), unit=unit, neighbors=Neighbors("replace")
        )
        noisy = strategy.measure(counted(table, strategy), SeededSource(1))
        ab, cb, ac, b, whole = strategy.reconstruct(noisy)
        np.testing.assert_allclose(ab.unbiased.sum(axis=0), cb.unbiased.sum(axis=0))
        np.testing.assert_allclose(ab.unbiased.sum(axis=1), ac.unbiased.sum(axis=1))
        np.testing.assert_allclose(np.cumsum(ab.unbiased.sum(axis=0)), b.unbiased)
        assert whole.unbiased == pytest.approx(ac.unbiased.sum())
        for answer in (ab, cb, ac, b, whole):
            assert (answer.values >= 0).all()
            assert (answer.lows >= 0).all()
        for answer in (ab, cb, ac):
            assert answer.values.sum() == pytest.approx(max(0.0, float(whole.unbiased)))
        np.testing.assert_allclose(ab.values.sum(axis=0), cb.values.sum(axis=0), atol=0.5)


def test_answers_without_negative_counts_are_closer_where_tables_are_sparse() -> None:
    sizes = {"a": 12, "b": 10, "c": 8}
    questions = [TableQuestion(t) for t in combinations(sizes, 2)]
    rng = np.random.default_rng(6)
    table = (rng.random((12, 10, 8)) < 0.02) * rng.integers(1, 200, size=(12, 10, 8))
    strategy = plan_tables(
        sizes,
        questions,
        budget=Fraction(1, 100),
        unit="rho",
        neighbors=Neighbors("add or remove"),
    )
    answers = strategy.reconstruct(strategy.measure(counted(table, strategy), SeededSource(2)))
    truth = [table.sum(axis=2), table.sum(axis=1), table.sum(axis=0)]
    raw, kept = (
        math.sqrt(
            np.mean([np.mean((each(a) - t) ** 2) for a, t in zip(answers, truth, strict=True)])
        )
        for each in (lambda a: a.unbiased, lambda a: a.values)
    )
    assert kept < 0.8 * raw
    np.testing.assert_allclose(answers[0].values.sum(axis=0), answers[2].values.sum(axis=1), atol=1)


@pytest.mark.parametrize(("unit", "least"), [("rho", 4.0), ("epsilon", 2.5)])
def test_ranges_are_asked_of_a_tree(unit: Any, least: float) -> None:
    """Half of 1,000 cells: a tree is many times better than the sum of 500 noisy counts."""
    half = {"age": np.arange(1000) < 500}
    errors: list[float] = []
    for kind in ("cells", "ranges"):
        question = TableQuestion(("age",), 1.0, (kind,))
        strategy = plan_tables(
            {"age": 1000},
            [question],
            budget=Fraction(1, 10),
            unit=unit,
            neighbors=Neighbors("add or remove"),
        )
        assert (strategy.asked.axes[0].height > 1) == (kind == "ranges")
        errors.append(strategy.standard_error_of(question, half))
    assert errors[0] > least * errors[1]


def test_the_error_of_a_range_is_that_of_a_difference_of_prefixes() -> None:
    prefixes, cells = (TableQuestion(("x",), 1.0, (kind,)) for kind in ("prefixes", "cells"))
    strategy = plan_tables(
        {"x": 11},
        [prefixes, cells],
        budget=Fraction(1, 10),
        unit="rho",
        neighbors=Neighbors("replace"),
    )
    errors = strategy.standard_errors(prefixes)
    assert strategy.standard_error_of(cells, {"x": np.arange(11) < 4}) == pytest.approx(errors[3])
    assert strategy.standard_error_of(cells, {}) == pytest.approx(errors[-1])
    own = strategy.standard_errors(cells)
    assert strategy.standard_error_of(prefixes, {"x": np.arange(11) == 5}) == pytest.approx(own[5])


def test_a_public_total_alone_needs_no_measurement() -> None:
    strategy = plan_tables(
        {"a": 3},
        [TableQuestion(())],
        budget=Fraction(1),
        unit="rho",
        neighbors=Neighbors("replace", total_is_public=True),
    )
    assert strategy.measurements == ()
    assert strategy.cost == 0
    assert strategy.reconstruct([], total=7)[0].values == 7


def test_worst_makes_the_worst_question_better() -> None:
    def worst(goal: Any) -> float:
        strategy = plan_tables(
            {"a": 2, "b": 30},
            [TableQuestion(("a",)), TableQuestion(("a", "b"))],
            budget=Fraction(1, 10),
            unit="rho",
            neighbors=Neighbors("add or remove"),
            goal=goal,
        )
        return float((strategy.question_losses / strategy.asked.answers).max())

    assert worst("worst") < 0.95 * worst("total")


def good(**changed: Any) -> dict[str, Any]:
    return {
        "sizes": {"a": 3},
        "questions": [TableQuestion(("a",))],
        "budget": Fraction(1),
        "unit": "rho",
        "neighbors": Neighbors("replace"),
        **changed,
    }


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"budget": Fraction(0)}, "above 0"),
        ({"unit": "delta"}, "unit is 'delta'"),
        ({"goal": "best"}, "goal is 'best'"),
        ({"questions": []}, "at least one"),
        ({"questions": [TableQuestion(("z",))]}, "'z', which is none of the attributes"),
        ({"sizes": {"a": 1 << 21}}, "the cells of a"),
        ({"budget": Fraction(1, 10**40)}, "larger budget"),
        ({"budget": Fraction(1, 10**400)}, "larger budget"),
    ],
)
def test_what_cannot_be_planned(wrong: Mapping[str, Any], told: str) -> None:
    plan_tables(**good())
    with pytest.raises(ParameterError, match=told):
        plan_tables(**good(**wrong))


def test_tables_have_a_most_number_of_cells() -> None:
    sizes = {"a": 2000, "b": 2000}
    with pytest.raises(ParameterError, match="4,000,000 cells"):
        plan_tables(**good(sizes=sizes, questions=[TableQuestion(("a", "b"))]))


@pytest.mark.parametrize(
    "arguments",
    [(("a", "a"),), (("a",), 0.0), (("a",), math.inf), (("a",), 1.0, ("all",))],
)
def test_questions_are_checked(arguments: Any) -> None:
    with pytest.raises(ParameterError):
        TableQuestion(*arguments)


def test_answers_need_every_measurement_and_the_total() -> None:
    strategy = plan_tables(**good())
    table = {("a",): np.array([1, 2, 3])}
    noisy = strategy.measure(table, SeededSource(0))
    with pytest.raises(ParameterError, match="measurements"):
        strategy.reconstruct(noisy[1:])
    with pytest.raises(ParameterError, match="public"):
        strategy.reconstruct(noisy, total=6)


def test_branching_has_room() -> None:
    with pytest.raises(ParameterError, match="branching"):
        Attribute("a", 9, (2, 4))
    with pytest.raises(ParameterError, match="branching"):
        Attribute("a", 2, (1, 2))
    assert QuestionParts((Attribute("a", 1),), (TableQuestion(("a",)),)).parts == ((0,),)
