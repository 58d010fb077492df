"""Exact products: convolution, coprime bases, merging, against brute force."""

import math
from fractions import Fraction
from itertools import pairwise

from hypothesis import given, strategies as st

from noisewright.privacy.composition.exact_products import coprime_base, expanded_size, product
from noisewright.privacy.composition.grid_products import convolve
from noisewright.privacy.composition.pairs import Pair, frontier_of
from tests.composition.pairs_at_random import RATIOS, delta_of, pairs, product_by_brute_force

coefficients = st.lists(st.integers(0, 1 << 200), min_size=1, max_size=30)


@given(coefficients, coefficients)
def test_convolution_is_the_sum_of_products(left: list[int], right: list[int]) -> None:
    expected = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            expected[i + j] += a * b
    assert convolve(left, right) == expected


@given(coefficients)
def test_a_square_is_a_product(values: list[int]) -> None:
    assert convolve(values, values) == convolve(values, list(values))


def test_coefficients_fill_their_slots() -> None:
    """The largest coefficients there can be must not spill into their neighbors."""
    for bits in (1, 3, 10, 64, 333, 1000):
        full = [(1 << bits) - 1] * 17
        square = convolve(full, full)
        assert square[16] == 17 * full[0] ** 2
        assert square == square[::-1]


@given(st.lists(st.integers(1, 10**12), max_size=8))
def test_a_coprime_base_is_coprime_and_generates(numbers: list[int]) -> None:
    base = coprime_base(numbers)
    assert all(math.gcd(a, b) == 1 for i, a in enumerate(base) for b in base[:i])
    for number in numbers:
        for element in base:
            while number % element == 0:
                number //= element
        assert number == 1


@given(st.lists(st.tuples(pairs(), st.integers(0, 3)), max_size=2))
def test_products_are_exact(factors: list[tuple[Pair, int]]) -> None:
    atoms, total = product(factors)
    expected, expected_total = product_by_brute_force(factors)
    assert total == expected_total
    for ratio in [Fraction(1, 3), *RATIOS]:
        assert delta_of(atoms, total, ratio) == delta_of(expected, total, ratio)


@given(st.lists(st.tuples(pairs(), st.integers(0, 3)), max_size=2))
def test_atoms_of_a_product_are_merged_and_sorted(factors: list[tuple[Pair, int]]) -> None:
    atoms, total = product(factors)
    assert all(p > 0 for p, _ in atoms)
    ratios = [Fraction(p, q) for p, q in atoms if q]
    assert all(a > b for a, b in pairwise(ratios))
    assert all(q for _, q in atoms[1:])
    points, _ = frontier_of(atoms, total)
    assert not points or points[-1][1] == total


def test_ratios_that_are_powers_of_each_other_are_merged() -> None:
    """(4, 2, 1, 2, 4)/… has ratios 4, 1, 1/4: the 10th power has 21 of them, not 66."""
    pair = Pair.of([(4, 1), (2, 2), (1, 4)], 7)
    assert len(product([(pair, 10)])[0]) == 21


def test_binary_randomized_response_has_k_plus_one_atoms() -> None:
    pair = Pair.of([(714, 286), (286, 714)], 1000)
    assert len(product([(pair, 1000)])[0]) == 1001


def test_sizes_are_told_before_anything_is_expanded() -> None:
    pair = Pair.of([(1 << i, 1 << (39 - i)) for i in range(40)], (1 << 40) - 1)
    assert expanded_size([(pair, 10**9)]) is None
    assert expanded_size([(pair, 1)]) == 40
    assert expanded_size([]) == 1
