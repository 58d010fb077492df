"""Profiles, histograms, RMSE and bias against sums written out with fractions."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st

import noisewright as nw
from noisewright.designs.losses.error_measures import (
    exact_bias_by_input,
    exact_error_histogram,
    numbers,
)
from noisewright.exact import ceiling_float
from noisewright.mechanisms import Table


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any table on small counts, private or not."""
    size = draw(st.integers(2, 5))
    weights = np.empty((size, size), dtype=object)
    for j in range(size):
        cuts = sorted(draw(st.integers(0, 256)) for _ in range(size - 1))
        weights[j] = [b - a for a, b in zip([0, *cuts], [*cuts, 256], strict=True)]
    return Table(nw.Counts(size - 1), weights, total=1 << 8)


def entries(table: Table):
    """(input, output, probability) for all entries."""
    for j, row in enumerate(table.weights.tolist()):
        for i, weight in enumerate(row):
            yield j, i, Fraction(weight, table.total)


@given(tables(), st.data())
def test_every_measure_is_the_sum_that_defines_it(table: Table, data: st.DataObject) -> None:
    n = table.space.size - 1
    shares = data.draw(st.lists(st.integers(0, 9), min_size=n + 1, max_size=n + 1))
    total = sum(shares) or 1
    prior = [Fraction(s, total) for s in shares] if sum(shares) else [Fraction(1, n + 1)] * (n + 1)
    parts = [(i - j, prior[j] * p) for j, i, p in entries(table)]

    histogram = exact_error_histogram(table, prior)
    assert sum(histogram.values()) == 1
    assert histogram == {e: sum(p for d, p in parts if d == e) for e in range(-n, n + 1)}
    assert nw.analysis.error_profile(table, prior) == {
        d: ceiling_float(sum((p for e, p in parts if abs(e) > d), Fraction(0)))
        for d in range(n + 1)
    }
    shift = sum(e * p for e, p in parts)
    bias = nw.analysis.bias(table, prior)
    assert abs(Fraction(bias)) >= abs(shift)
    assert bias == pytest.approx(float(shift), rel=1e-15)
    square = sum(e * e * p for e, p in parts)
    root = nw.analysis.rmse(table, prior)
    assert Fraction(root) ** 2 >= square
    assert root == 0 or Fraction(np.nextafter(root, 0)) ** 2 < square


@given(tables())
def test_the_profile_is_the_loss_beyond_d(table: Table) -> None:
    profile = nw.analysis.error_profile(table)
    assert {d: nw.loss(table, f"L0,{d}") for d in profile} == profile
    assert list(profile.values()) == sorted(profile.values(), reverse=True)
    assert list(profile.values())[-1] == 0


@given(tables())
def test_bias_by_input_averages_to_the_bias(table: Table) -> None:
    by_input = exact_bias_by_input(table)
    for j, shift in enumerate(by_input):
        assert shift == sum(((i - j) * p for k, i, p in entries(table) if k == j), Fraction(0))
        assert nw.analysis.bias(table, {j: 1}) == nw.analysis.bias_by_input(table)[j]
    assert nw.analysis.bias(table) == pytest.approx(float(sum(by_input)) / len(by_input), abs=1e-15)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
@pytest.mark.parametrize("alpha", ["1/2", "10/11"])
def test_the_rescaled_loss_of_the_geometric_mechanism(n: int, alpha: str) -> None:
    """Cormode–Kulkarni–Srivastava 2018: (n+1)/n · P(wrong) = 2α/(1+α) for GM, 1 for UM."""
    a = Fraction(alpha)
    wrong = nw.analysis.error_profile(nw.geometric(nw.Counts(n), alpha=alpha))[0]
    assert (n + 1) / n * wrong == pytest.approx(float(2 * a / (1 + a)), rel=1e-12)
    uniform = nw.analysis.error_profile(nw.uniform(nw.Counts(n)))[0]
    assert (n + 1) / n * uniform == pytest.approx(1, rel=1e-12)


def test_symmetric_mechanisms_have_no_bias_under_symmetric_inputs() -> None:
    fair = nw.explicit_fair(nw.Counts(6), epsilon=0.4)
    assert nw.analysis.bias(fair) == 0
    assert nw.analysis.bias(fair, nw.priors.binomial(6, "1/2")) == 0
    assert nw.analysis.bias(fair, nw.priors.binomial(6, "0.1")) > 0
    assert nw.analysis.bias(fair, nw.priors.binomial(6, "0.9")) < 0


@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_binomial_weights_are_exact(n: int) -> None:
    p = Fraction(3, 10)
    weights = nw.priors.binomial(n, "0.3")
    assert weights == tuple(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1))
    assert sum(weights) == 1


def test_empirical_weights_are_shares() -> None:
    space = nw.Counts(3)
    assert nw.priors.empirical(space, [0, 3, 3, 1]) == (
        Fraction(1, 4),
        Fraction(1, 4),
        0,
        Fraction(1, 2),
    )
    assert nw.priors.empirical(space, np.array([2, 2])) == (0, 0, 1, 0)
    letters = nw.Categories(["a", "b"])
    assert nw.priors.empirical(letters, ["b", "b", "a"]) == (Fraction(1, 3), Fraction(2, 3))
    mechanism = nw.geometric(space, epsilon=1)
    assert nw.analysis.rmse(mechanism, nw.priors.empirical(space, [2, 2])) == nw.analysis.rmse(
        mechanism, {2: 1}
    )


def test_grids_are_measured_in_their_own_units() -> None:
    grid = nw.Interval(0, "0.3", step="0.1")
    mechanism = nw.randomized_response(grid, epsilon=1)
    assert numbers(grid) == [0, Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)]
    assert list(nw.analysis.error_histogram(mechanism)) == [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]
    assert nw.analysis.bias(mechanism) == 0


def test_labels_have_a_profile_but_no_sign() -> None:
    colors = nw.Categories(["red", "green", "blue"])
    mechanism = nw.randomized_response(colors, epsilon=1)
    assert nw.analysis.error_profile(mechanism) == {0: nw.loss(mechanism, "L0"), 1: 0.0}
    for measure in (
        nw.analysis.error_histogram,
        nw.analysis.rmse,
        nw.analysis.bias,
        nw.analysis.bias_by_input,
    ):
        with pytest.raises(nw.errors.ParameterError, match="points that are numbers"):
            measure(mechanism)


def test_what_is_no_distribution_is_refused() -> None:
    mechanism = nw.geometric(nw.Counts(2), epsilon=1)
    with pytest.raises(nw.errors.ParameterError, match="sums to"):
        nw.analysis.rmse(mechanism, [1, 1, 1])
    with pytest.raises(nw.errors.ParameterError, match="3 weights"):
        nw.analysis.rmse(mechanism, nw.priors.binomial(4, "0.5"))
    with pytest.raises(nw.errors.ParameterError, match="between 0 and 1"):
        nw.priors.binomial(4, "1.5")
    with pytest.raises(nw.errors.ParameterError, match="n is -1"):
        nw.priors.binomial(-1, 0.5)
    with pytest.raises(nw.errors.ParameterError, match="no values"):
        nw.priors.empirical(nw.Counts(2), [])
    with pytest.raises(nw.errors.OutsideSpaceError):
        nw.priors.empirical(nw.Counts(2), [3])
