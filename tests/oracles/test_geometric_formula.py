"""The geometric mechanism by formula: the same curve for every n, and that of its table."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.exact import Epsilon, ceiling_float
from noisewright.privacy import tight_ratio
from tests.oracles import brute_force

alphas = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)


def exact_rows(alpha: Fraction, n: int) -> list[list[Fraction]]:
    """The definition, in Fractions."""
    ends, inside = 1 / (1 + alpha), (1 - alpha) / (1 + alpha)
    return [
        [(ends if i in (0, n) else inside) * alpha ** abs(i - j) for i in range(n + 1)]
        for j in range(n + 1)
    ]


def exact_delta(rows: list[list[Fraction]], ratio: Fraction) -> Fraction:
    pairs = brute_force.both_ways(brute_force.relation("adjacent", len(rows)))
    return max(
        sum(
            (max(Fraction(0), p - ratio * q) for p, q in zip(rows[a], rows[b], strict=True)),
            Fraction(0),
        )
        for a, b in pairs
    )


@given(alphas, st.integers(1, 6), st.fractions(1, 20, max_denominator=20))
@settings(max_examples=100)
def test_delta_is_that_of_the_definition_whatever_n_is(
    alpha: Fraction, n: int, ratio: Fraction
) -> None:
    truth = exact_delta(exact_rows(alpha, n), ratio)
    assert truth == max(Fraction(0), (1 - ratio * alpha) / (1 + alpha))
    mechanism = nw.geometric(nw.Counts(n), alpha=alpha, table=False)
    epsilon = Epsilon.log(ratio)
    assert nw.tight_delta(mechanism, epsilon=epsilon) == ceiling_float(truth)
    assert nw.verify(mechanism, epsilon=epsilon, delta=truth)
    if truth:
        less = truth - Fraction(1, 10**40)
        verdict = nw.verify(mechanism, epsilon=epsilon, delta=less)
        assert not verdict
        assert nw.tight_epsilon(mechanism, delta=truth) == epsilon.ceiling()


@given(st.floats(1e-6, 20), st.floats(0, 25), st.floats(0, 1))
@settings(max_examples=100)
def test_a_large_formula_and_a_small_table_have_one_curve(
    parameter: float, epsilon: float, delta: float
) -> None:
    """The table rounds the formula by a relative 2^-56 of its epsilon at most."""
    formula = nw.geometric(nw.Counts(10**6), epsilon=parameter)
    table = nw.geometric(nw.Counts(5), epsilon=parameter)
    assert nw.tight_epsilon(formula) == parameter
    assert nw.tight_delta(formula, epsilon=epsilon) == pytest.approx(
        nw.tight_delta(table, epsilon=epsilon), abs=1e-14 + 1e-12 * parameter
    )
    least = nw.tight_epsilon(formula, delta=delta)
    assert nw.verify(formula, epsilon=least, delta=delta)
    if least > 0:
        assert not nw.verify(formula, epsilon=math.nextafter(least, 0), delta=delta)


@pytest.mark.parametrize("parameter", [1e-6, 133, 200, 800, 2000])
def test_extreme_parameters(parameter: float) -> None:
    mechanism = nw.geometric(nw.Counts(10**6), epsilon=parameter, table=False)
    assert nw.tight_epsilon(mechanism) == parameter
    assert nw.verify(mechanism, epsilon=parameter)
    assert not nw.verify(mechanism, epsilon=math.nextafter(parameter, 0))
    assert nw.tight_delta(mechanism, epsilon=parameter) == 0
    assert nw.tight_delta(mechanism, epsilon=0) == pytest.approx(math.tanh(parameter / 2))
    assert nw.tight_epsilon(mechanism, delta=1) == 0
    # e^ε = (1 − δ) e^parameter − δ
    expected = math.log1p(-0.1) + parameter if parameter > 1 else 0
    assert nw.tight_epsilon(mechanism, delta="0.1") == pytest.approx(expected)


def test_ties_of_rational_numbers_are_settled() -> None:
    """α = 1/3 at ε = ln 2 needs δ = 1/4, a double; at ε = 0, δ = 1/2. Both once went on forever."""
    mechanism = nw.geometric(nw.Counts(10), alpha="1/3", table=False)
    half = Epsilon.of(alpha="1/2")
    assert nw.tight_delta(mechanism, epsilon=half) == 0.25
    assert nw.verify(mechanism, epsilon=half, delta="1/4")
    assert not nw.verify(mechanism, epsilon=half, delta="0.2499999999999999999999999999999")
    assert nw.verify(mechanism, epsilon=0, delta="1/2")
    assert nw.tight_epsilon(mechanism, delta="1/2") == 0


def test_a_product_with_a_formula_adds_up_exactly_and_is_never_judged_by_a_rounded_table() -> None:
    column = nw.geometric(nw.Counts(3), epsilon="1/2", table=False)
    response = nw.randomized_response(nw.Categories(["a", "b", "c"]), alpha="1/4", table=False)
    both = nw.combine.product(count=column, answer=response)
    worst = tight_ratio(response)
    assert worst is not None
    expected = 1.5 + math.log(worst)
    assert nw.tight_epsilon(both) == pytest.approx(expected, rel=1e-15)
    assert nw.tight_epsilon(nw.combine.product(count=column)) == 1.5
    with pytest.raises(nw.errors.InputError, match="table=True"):
        nw.verify(nw.combine.product(count=column), epsilon=1)
    with pytest.raises(nw.errors.InputError, match="table=True"):
        nw.tight_delta(nw.combine.product(inner=nw.combine.product(count=column)), epsilon=1)
