"""Numbers behind the noise: bounds of its coins, and values beyond 64 bits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from noisewright.exact import Epsilon, Exp, Known, Logistic
from noisewright.sampling.gaussian import ExpMinus
from noisewright.sampling.geometric import DoublingDecay, Odds, assemble

ALPHAS = st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100), max_denominator=999)


@given(alpha=ALPHAS, doublings=st.integers(0, 6), bits=st.integers(1, 200))
def test_a_rational_decay_is_bounded_by_its_neighbors(
    alpha: Fraction, doublings: int, bits: int
) -> None:
    low, high = DoublingDecay(Epsilon.of(alpha=alpha), doublings).bounds(bits)
    assert low <= alpha ** (2**doublings) * 2**bits <= high
    assert high - low <= 1


@given(
    epsilon=st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=10**6),
    doublings=st.integers(0, 6),
    bits=st.integers(1, 200),
)
def test_an_exponential_decay_agrees_with_e(epsilon: Fraction, doublings: int, bits: int) -> None:
    low, high = DoublingDecay(Epsilon.of(epsilon), doublings).bounds(bits)
    fine = Exp(-epsilon * 2**doublings).bounds(bits + 60)
    assert low << 60 <= fine[1]
    assert fine[0] <= high << 60
    assert high - low <= 1


@given(q=st.fractions(min_value=0, max_value=1), doubled=st.integers(0, 1), bits=st.integers(1, 99))
def test_odds(q: Fraction, doubled: int, bits: int) -> None:
    low, high = Odds(Known(q), doubled).bounds(bits)
    assert low <= q / (1 + q) * 2 ** (doubled + bits) <= high
    assert high - low <= 2


def test_odds_of_an_exponential_are_logistic() -> None:
    odds = Odds(DoublingDecay(Epsilon.of("0.37"), 2)).bounds(100)
    logistic = Logistic(Fraction("1.48")).bounds(100)
    assert max(odds[0], logistic[0]) <= min(odds[1], logistic[1])


@pytest.mark.parametrize("size", [97, 10**6, 10**30])
def test_the_invisible_is_bounded_without_working_it_out(size: int) -> None:
    assert ExpMinus(Fraction(size)).bounds(64) == (0, 1)
    assert DoublingDecay(Epsilon.of(size), 0).bounds(64) == (0, 1)


def test_just_above_zero_is_still_bounded() -> None:
    """α = 1 − 10^-12 to the power 2^42 would have 10^14 digits."""
    low, high = DoublingDecay(Epsilon.of(alpha=1 - Fraction(1, 10**12)), 42).bounds(64)
    assert high - low <= 1
    assert 0.0122 < low / 2**64 < 0.0124


def test_values_are_put_together_digit_by_digit() -> None:
    groups = [np.array([0, 255, 3], dtype=np.uint8), np.array([0, 255, 1], dtype=np.uint8)]
    tail = np.array([0, 2, 5])
    small = assemble(groups, tail, digits=16)
    assert small.dtype == np.int64
    assert small.tolist() == [1, 65536 + 2 * 65536, 1 + 3 + 256 + 5 * 65536]


def test_values_beyond_int64_become_python_integers() -> None:
    groups = [np.array([255, 1], dtype=np.uint8)] * 13
    huge = assemble(groups, np.array([3, 1]), digits=104)
    ones = sum(256**i for i in range(13))
    assert huge.tolist() == [2**104 + 3 * 2**104, 1 + ones + 2**104]
    unlikely = assemble(groups[:6], np.array([1 << 20, 0]), digits=48)
    assert unlikely.dtype == object
    assert unlikely[0] == (1 << 48) + (1 << 68)
