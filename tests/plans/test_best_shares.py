"""Shares of ε with the least error: against every choice on a grid, and against equal shares."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.plans.best_shares import UNITS, Objective, Term, best_shares
from noisewright.plans.error_curves import ErrorCurve, kept_by_response, response_error


def response_curve(inputs: int, epsilon: float) -> ErrorCurve:
    return ErrorCurve.from_samples(
        lambda e: response_error(inputs, kept_by_response(inputs, e, 0)),
        low=epsilon / UNITS,
        high=epsilon,
        samples=120,
    )


@st.composite
def objectives(draw: st.DrawFn, most: int = 5) -> Objective:
    parts = draw(st.integers(1, most))
    epsilon = draw(st.sampled_from([0.01, 0.5, 2.0, 8.0, 40.0]))
    curves = [response_curve(draw(st.integers(2, 80)), epsilon) for _ in range(parts)]
    weights = st.floats(0.01, 10)
    terms = [Term(draw(weights), ((i, curves[i]),)) for i in range(parts)]
    for i, j in itertools.combinations(range(parts), 2):
        if draw(st.booleans()):
            terms.append(Term(draw(weights), ((i, curves[i]), (j, curves[j]))))
    return Objective(parts, epsilon, tuple(terms))


def value(objective: Objective, shares: tuple[Fraction, ...]) -> float:
    return objective.value([float(share) for share in shares])


@settings(max_examples=60, deadline=None)
@given(objectives())
def test_shares_sum_to_one_exactly_and_are_never_worse_than_equal_ones(
    objective: Objective,
) -> None:
    shares = best_shares(objective)
    assert sum(shares) == 1
    assert all(share > 0 for share in shares)
    equal = (Fraction(1, objective.parts),) * objective.parts
    assert shares == equal or all(UNITS % share.denominator == 0 for share in shares)
    assert value(objective, shares) <= value(objective, equal)
    assert best_shares(objective) == shares


@settings(max_examples=15, deadline=None)
@given(objectives(most=3))
def test_no_choice_on_a_grid_is_better(objective: Objective) -> None:
    found = value(objective, best_shares(objective))
    steps = 40
    for counts in itertools.product(range(1, steps), repeat=objective.parts - 1):
        last = steps - sum(counts)
        if last > 0:
            on_grid = objective.value([count / steps for count in (*counts, last)])
            assert found <= on_grid * (1 + 1e-6)


def test_alike_columns_get_alike_shares() -> None:
    curve = response_curve(5, 1.0)
    terms = tuple(Term(1.0, ((i, curve),)) for i in range(3))
    assert best_shares(Objective(3, 1.0, terms)) == (Fraction(1, 3),) * 3


def test_errors_that_fall_with_the_square_give_cube_roots() -> None:
    """Minimizing Σ w_i / s_i² gives s_i in proportion to the cube root of w_i."""
    square = ErrorCurve.from_samples(lambda e: 1 / e**2, low=1e-4, high=1.0, samples=3)
    terms = (Term(1.0, ((0, square),)), Term(8.0, ((1, square),)), Term(27.0, ((2, square),)))
    shares = best_shares(Objective(3, 1.0, terms))
    assert [round(float(share) * 6, 3) for share in shares] == [1, 2, 3]


@pytest.mark.parametrize("delta", [0, 0.01])
@pytest.mark.parametrize("epsilon", [1e-5, 0.3, 1, 6])
@pytest.mark.parametrize("inputs", [2, 7, 40])
def test_the_closed_form_is_what_estimation_plans(
    inputs: int, epsilon: float, delta: float
) -> None:
    mechanism = nw.randomized_response(nw.Categories(range(inputs)), epsilon=epsilon, delta=delta)
    planned = nw.planning.expected_error(mechanism, people=1, about="people").standard_errors
    kept = kept_by_response(inputs, epsilon, delta)
    formula = response_error(inputs, kept) - 1 / inputs
    assert formula == pytest.approx(float(np.mean(planned**2)), rel=1e-6)


def test_a_curve_meets_its_samples_and_falls() -> None:
    def error(epsilon: float) -> float:
        return 1 / math.expm1(epsilon) ** 2

    curve = ErrorCurve.from_samples(error, low=1e-3, high=10, samples=40)
    places = np.exp(np.linspace(math.log(1e-3), math.log(10), 1000)).tolist()
    heights = [curve.at(place) for place in places]
    assert all(a[0] > b[0] for a, b in itertools.pairwise(heights))
    for place, (height, slope) in zip(places, heights, strict=True):
        assert height == pytest.approx(math.log(error(place)), abs=0.02)
        assert slope == pytest.approx(-2 * place / -math.expm1(-place), rel=0.1)
