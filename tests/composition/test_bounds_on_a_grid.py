"""lower ≤ truth ≤ upper, for every grid however coarse, in exact arithmetic."""

from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given, settings, strategies as st

from noisewright.privacy.composition.brackets import bracket_products
from noisewright.privacy.composition.exact_products import product
from noisewright.privacy.composition.grid_products import (
    Dominating,
    lower_product,
    product_on_grid,
    upper_product,
)
from noisewright.privacy.composition.loss_grid import Grid, aligned_grid, fine_grid
from noisewright.privacy.composition.pairs import Frontier, Pair, frontier_of, highest
from tests.composition.pairs_at_random import RATIOS, delta_of, pairs

lists_of_factors = st.lists(st.tuples(pairs(), st.integers(1, 5)), min_size=1, max_size=2)


def delta_at(frontier: Frontier, ratio: Fraction) -> Fraction:
    points, total = frontier
    return max(Fraction(0), *(p - ratio * q for q, p in points)) / total


@given(lists_of_factors, st.sampled_from([3, 20, 200, 2000]))
def test_the_truth_lies_between_the_bounds(factors: list[tuple[Pair, int]], points: int) -> None:
    atoms, total = product(factors)
    grid, _ = fine_grid(factors, precision=1e-4, points=points)
    lower, upper = lower_product(factors, grid), upper_product(factors, grid)
    for ratio in RATIOS:
        truth = delta_of(atoms, total, ratio)
        assert delta_at(lower, ratio) <= truth <= delta_at(upper, ratio)


@given(lists_of_factors, st.fractions(Fraction(1025, 1024), 3, max_denominator=1024))
def test_any_base_will_do(factors: list[tuple[Pair, int]], base: Fraction) -> None:
    atoms, total = product(factors)
    grid = Grid.through(base)
    lower, upper = lower_product(factors, grid), upper_product(factors, grid)
    for ratio in RATIOS:
        truth = delta_of(atoms, total, ratio)
        assert delta_at(lower, ratio) <= truth <= delta_at(upper, ratio)


@given(lists_of_factors)
@settings(max_examples=30)
def test_bounds_are_as_close_as_asked(factors: list[tuple[Pair, int]]) -> None:
    found = bracket_products([factors], [factors], precision=1e-3, points=1 << 14)
    atoms, total = product(factors)
    truth = highest([frontier_of(atoms, total)])
    for delta in (Fraction(1, 4), Fraction(1, 1000), Fraction(1, 10**6)):
        low, exact, high = (c.ratio(delta) for c in (found.lower, truth, found.upper))
        if exact is None:
            assert high is None
            continue
        assert low is not None
        assert high is not None
        assert low <= exact <= high
        assert float(high / low) - 1 <= 0.05


def test_losses_that_share_a_step_are_bounded_to_rounding() -> None:
    """A geometric table's ratios are all near e^±0.1; rounding moves each a little."""
    one = 1 << 64
    more = int(one * 0.52497918747894)
    masses = [
        (more // 2, (one - more) // 2 + 9),
        (more - more // 2, one - more - (one - more) // 2 - 9),
        ((one - more) // 3, more // 3 - 5),
        (one - more - (one - more) // 3, more - more // 3 + 5),
    ]
    pair = Pair.of(masses, one)
    grid = aligned_grid([(pair, 100)], points=1 << 14)
    assert grid is not None
    assert grid.step == pytest.approx(0.1, rel=1e-9)
    for ratio in RATIOS:
        low = delta_at(lower_product([(pair, 100)], grid), ratio)
        high = delta_at(upper_product([(pair, 100)], grid), ratio)
        assert 0 <= high - low <= Fraction(1, 10**15)


def test_steps_that_do_not_divide_the_smallest_loss_are_found() -> None:
    """Losses 2 ln 2 and 3 ln 2 lie on the grid of ln 2."""
    total = 1 << 20
    a, b, c = 3 << 14, 5 << 12, 7 << 11
    masses = [(4 * a, a), (8 * b, b), (c, 8 * c)]
    rest_p, rest_q = (total - sum(m[i] for m in masses) for i in (0, 1))
    pair = Pair.of([*masses, (rest_p, 0), (0, rest_q)], total)
    grid = aligned_grid([(pair, 5)], points=1 << 12)
    assert grid is not None
    assert grid.step == pytest.approx(0.6931471805599453, rel=1e-12)


@given(pairs(), st.fractions(0, 1))
def test_the_tangent_is_the_least_epsilon(pair: Pair, delta: Fraction) -> None:
    curve = highest([frontier_of(pair.atoms, pair.total)])
    assert curve.ratio(delta) == curve.ratio(delta)


@pytest.mark.parametrize("first", [-700, -3, 0, 5, 10**6])
def test_powers_enclose(first: int) -> None:
    grid = Grid.through(Fraction(1001, 1000))
    base = Fraction(grid.numerator, 1 << 128)
    powers = grid.powers(first, first + 3)
    terms = list(zip(powers.low, powers.high, powers.exponents, strict=True))
    for index, (low, high, exponent) in enumerate(terms):
        assert (high - low) * 2**150 <= high
        if abs(first) < 10**4:
            exact = base ** -(first + index)
            assert low * Fraction(2) ** exponent <= exact <= high * Fraction(2) ** exponent


@given(pairs(), st.integers(1, 400), st.sampled_from([1.1, 1.01, 1.7]))
@settings(max_examples=30)
def test_no_mass_is_lost(pair: Pair, times: int, base: float) -> None:
    """Tails are moved, never forgotten: P of a dominating pair always sums to one."""
    put = partial(Dominating.of, grid=Grid.through(Fraction(base)))
    found = product_on_grid([(pair, times)], put)
    assert found is not None
    assert sum(found.masses) + found.away == 1 << found.bits
