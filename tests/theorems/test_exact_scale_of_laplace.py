"""Holohan–Leith–Mason 2015, Example 5: Laplace noise on a bounded set is (ε, δ)-private if
b ≥ diam/(ε − ln(1−δ)). Sharpened: exactly if b ≥ diam/(ε − 2 ln(1−δ)); the printed b has the
smaller δ' = 1 − √(1−δ). On a grid the exact δ is a maximum over half lines.
"""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.exact import Epsilon
from noisewright.mechanisms import Laplace
from noisewright.mechanisms.noise.laplace_curve import laplace_delta, laplace_epsilon

alphas = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)
budgets = [(0.5, 0.1), (1, 0.01), (0.1, 0.3), (2, 1e-6), (0, 0.2)]


def clamped_rows(alpha: Fraction, n: int) -> list[list[Fraction]]:
    """Noise added to 0..n and clamped to it, from the definition."""
    ends, inside = 1 / (1 + alpha), (1 - alpha) / (1 + alpha)
    return [
        [(ends if i in (0, n) else inside) * alpha ** abs(i - j) for i in range(n + 1)]
        for j in range(n + 1)
    ]


def delta_of(p: list[Fraction], q: list[Fraction], ratio: Fraction) -> Fraction:
    return sum((max(Fraction(0), a - ratio * b) for a, b in zip(p, q, strict=True)), Fraction(0))


@given(alphas, st.integers(1, 7), st.integers(0, 3), st.fractions(1, 30, max_denominator=30))
@settings(max_examples=150)
def test_half_lines_decide_and_clamping_changes_nothing(
    alpha: Fraction, reach: int, more: int, ratio: Fraction
) -> None:
    rows = clamped_rows(alpha, reach + more)
    exact = laplace_delta(Epsilon.of(alpha=alpha), reach, Epsilon.log(ratio), 64)
    assert exact.low == exact.high
    truth = [delta_of(rows[j], rows[j + reach], ratio) for j in range(more + 1)]
    back = [delta_of(rows[j + reach], rows[j], ratio) for j in range(more + 1)]
    assert {*truth, *back} == {exact.low}
    if reach > 1:
        assert delta_of(rows[0], rows[reach - 1], ratio) <= exact.low


@given(st.fractions("1/50", 2), st.integers(1, 40), st.floats(0.001, 0.9))
@settings(max_examples=60)
def test_the_curve_and_its_inverse_agree(decay: Fraction, reach: int, delta: float) -> None:
    spare = Fraction(delta)
    found = laplace_epsilon(Epsilon(rational=decay), reach, spare, 256)
    assert found is not None
    above = laplace_delta(Epsilon(rational=decay), reach, Epsilon(rational=found.high), 256)
    assert above.low <= spare
    if found.low > Fraction(1, 10**9):
        less = Epsilon(rational=found.low - Fraction(1, 10**12))
        assert laplace_delta(Epsilon(rational=decay), reach, less, 256).low > spare


@pytest.mark.parametrize(("epsilon", "delta"), budgets)
@pytest.mark.parametrize("steps", [1, 2, 10, 1000])
def test_the_scale_is_the_smallest(epsilon: float, delta: float, steps: int) -> None:
    space = nw.Interval(0, 1, step=Fraction(1, steps))
    mechanism = nw.laplace(space, epsilon=epsilon, delta=delta)
    assert nw.verify(mechanism, epsilon=epsilon, delta=delta)
    assert nw.tight_delta(mechanism, epsilon=epsilon) == pytest.approx(delta, rel=1e-12)
    smaller = Epsilon(rational=mechanism.decay.rational * (1 + Fraction(1, 1 << 50)))
    assert not nw.verify(Laplace(space, smaller), epsilon=epsilon, delta=delta)
    with pytest.raises(nw.errors.ParameterError, match="not private"):
        Laplace(space, smaller, claim=nw.accounting.Guarantee(epsilon, delta))


@pytest.mark.parametrize(("epsilon", "delta"), budgets)
def test_a_fine_grid_has_the_scale_of_the_continuous_formula(epsilon: float, delta: float) -> None:
    space = nw.Interval(0, 1, step="1e-6")
    rules: list[tuple[Any, int]] = [("exact", 2), ("paper", 1)]
    for rule, factor in rules:
        continuous = 1 / (epsilon - factor * math.log1p(-delta))
        scale = nw.analysis.laplace_scale(1, epsilon=epsilon, delta=delta, rule=rule)
        assert scale == pytest.approx(continuous, rel=1e-14)
        mechanism = nw.laplace(space, epsilon=epsilon, delta=delta, scale=rule)
        assert mechanism.scale == pytest.approx(continuous, rel=1e-5)
    # What the printed scale really gives.
    printed = nw.laplace(space, epsilon=epsilon, delta=delta, scale="paper")
    assert nw.tight_delta(printed, epsilon=epsilon) == pytest.approx(
        1 - math.sqrt(1 - delta), rel=1e-4
    )


def test_golden() -> None:
    """diam = 1, ε = 0.5, δ = 0.1."""
    assert nw.analysis.laplace_scale(1, epsilon="1/2", delta="1/10") == pytest.approx(
        1.4070218214154266, abs=1e-9
    )


@pytest.mark.parametrize(("epsilon", "delta"), budgets)
@pytest.mark.parametrize("steps", [1, 7, 100, 10_000])
def test_the_mean_error_is_below_that_of_the_printed_scale(
    epsilon: float, delta: float, steps: int
) -> None:
    """diffprivlib adds continuous noise with sensitivity/(ε − ln(1−δ)), whose mean error is b."""
    mechanism = nw.laplace(nw.Interval(0, 1, step=Fraction(1, steps)), epsilon=epsilon, delta=delta)
    assert mechanism.mean_error < 1 / (epsilon - math.log1p(-delta))


def test_the_continuous_curve_by_quadrature() -> None:
    """δ(ε) of continuous noise with the exact b, summed over a fine partition."""
    epsilon, delta, pieces = 0.5, 0.1, 200_000
    b = nw.analysis.laplace_scale(1, epsilon=epsilon, delta=delta)
    width = 40 * b / pieces
    total = 0.0
    for piece in range(pieces):
        x = -20 * b + (piece + 0.5) * width
        p, q = math.exp(-abs(x) / b), math.exp(-abs(x - 1) / b)
        total += max(0.0, p - math.exp(epsilon) * q) * width / (2 * b)
    assert total == pytest.approx(delta, abs=1e-6)
