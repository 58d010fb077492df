"""Noise by look-up: its running sums, and every kind of bits that decide a draw."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from noisewright.exact import Epsilon, Known
from noisewright.sampling import clamped_geometric, two_sided_geometric
from noisewright.sampling.geometric import DoublingDecay
from noisewright.sampling.geometric_cells import GeometricCells, running_sums
from tests.sampling.scripted import Scripted, word

ALPHAS = st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100), max_denominator=999)


def exact_sums(a: Fraction, reach: int) -> list[Fraction]:
    """P(Z ≤ z) for z from −reach to reach − 1, by adding up the probabilities."""
    sums = [a**reach / (1 + a)]
    for z in range(-reach + 1, reach):
        sums.append(sums[-1] + (1 - a) / (1 + a) * a ** abs(z))
    return sums


@given(alpha=ALPHAS, reach=st.integers(0, 60), bits=st.integers(1, 200))
def test_running_sums_enclose_the_exact_ones(alpha: Fraction, reach: int, bits: int) -> None:
    lows, highs = running_sums(DoublingDecay(Epsilon.of(alpha=alpha), 0), reach, bits)
    assert lows == sorted(lows)
    assert highs == sorted(highs)
    sums = exact_sums(alpha, reach) if reach else []
    for low, exact, high in zip(lows, sums, highs, strict=True):
        assert low <= exact * 2**bits <= high
        assert high - low <= 2


@pytest.mark.parametrize("reach", [400, 4096])
def test_running_sums_stay_sharp_over_thousands_of_steps(reach: int) -> None:
    """Against the same sums with 100 more bits."""
    decay = DoublingDecay(Epsilon.of("0.005"), 0)
    lows, highs = running_sums(decay, reach, 64)
    fine_lows, fine_highs = running_sums(decay, reach, 164)
    for low, high, fine_low, fine_high in zip(lows, highs, fine_lows, fine_highs, strict=True):
        assert low << 100 <= fine_low <= fine_high <= high << 100
        assert high - low <= 2


def place_of(sums: list[Fraction], point: Fraction) -> int:
    return sum(each <= point for each in sums)


def scripts(prefix: int) -> Iterator[Any]:
    """The first 16 bits, then 48 in the upper part of a word whose lower part is not used."""
    yield np.array([prefix >> 48], dtype=np.uint16)
    yield word((prefix << 16 & (1 << 64) - 1) | 0xABCD)


@pytest.mark.parametrize("alpha", ["1/3", "2/3", "9/10", "997/1000"])
def test_each_word_next_to_a_running_sum_falls_on_its_side(alpha: str) -> None:
    a, reach = Fraction(alpha), 12
    cells, sums = GeometricCells(Known(a), reach), exact_sums(Fraction(alpha), 12)
    lows, highs = running_sums(Known(a), reach, 64)
    for low, high in zip(lows, highs, strict=True):
        for prefix in (low - 2, low - 1, high, high + 1):
            found = place_of(sums, Fraction(prefix, 1 << 64))
            # No running sum lies inside of what this prefix leaves open.
            assert found == place_of(sums, Fraction(2 * prefix + 1, 1 << 65))
            source = Scripted(scripts(prefix))
            assert cells.draw(1, source).tolist() == [found - reach]


@pytest.mark.parametrize("alpha", ["2/3", "9/10", "997/1000"])
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_a_word_on_a_running_sum_is_settled_by_further_bits(alpha: str, rounds: int) -> None:
    """U follows a running sum for 64 bits and more, and then leaves it upwards or downwards."""
    a, reach = Fraction(alpha), 12
    cells, sums = GeometricCells(Known(a), reach), exact_sums(Fraction(alpha), 12)
    for place, exact in enumerate(sums):
        bits = 64 * (1 + rounds)
        digits = int(exact * 2**bits)
        for point, expected in ((digits - 2, place), (digits + 2, place + 1)):
            assert place_of(sums, Fraction(point, 1 << bits)) == expected
            words = [point >> 64 * k & (1 << 64) - 1 for k in reversed(range(rounds))]
            source = Scripted([*scripts(point >> 64 * rounds), *(word(each) for each in words)])
            assert cells.draw(1, source).tolist() == [expected - reach]
            source.assert_used_up()


def test_bits_that_stay_on_a_running_sum_are_followed_until_they_leave_it() -> None:
    """At α = 1/3 a running sum is 1/4, and bounds of e^-ε never tell that it is."""
    decay = Epsilon.of(alpha="1/3")
    cells = GeometricCells(DoublingDecay(decay, 0), 5)
    low, high = (sums[4] for sums in running_sums(DoublingDecay(decay, 0), 5, 64))
    assert low < 1 << 62 < high
    zeros = [word(0)] * 5
    above = Scripted([*scripts(1 << 62), *zeros, word(5)])
    assert cells.draw(1, above).tolist() == [0]
    above.assert_used_up()
    ones = [word((1 << 64) - 1)] * 5
    below = Scripted([*scripts((1 << 62) - 1), *ones, word((1 << 64) - 5)])
    assert cells.draw(1, below).tolist() == [-1]
    below.assert_used_up()


@pytest.mark.parametrize("alpha", ["1/50", "1/3", "9/10", "199/200"])
@pytest.mark.parametrize("reach", [0, 1, 5, 300])
def test_all_first_cells_have_the_right_noise(alpha: str, reach: int) -> None:
    """Each of the 2^16 cells once: its middle, where 16 bits leave it open."""
    a = Fraction(alpha)
    sums = exact_sums(a, reach) if reach else []
    middle = 1 << 15

    class Middles(Scripted):
        def fill(self, buffer: Any) -> None:
            buffer[:] = np.arange(1 << 16) if buffer.dtype == np.uint16 else middle << 48

    drawn = GeometricCells(Known(a), reach).draw(1 << 16, Middles([]))
    # The middle of cell c is (2c + 1) / 2^17, from this cell on at a running sum or above it.
    firsts = [math.ceil((each * (1 << 17) - 1) / 2) for each in sums]
    expected = np.searchsorted(firsts, np.arange(1 << 16), side="right")
    assert drawn.tolist() == (expected - reach).tolist()


@pytest.mark.parametrize("epsilon", ["100", "1000", "1e30"])
def test_noise_that_is_nearly_never_there(epsilon: str) -> None:
    """Running sums within 2^-64 of 0 and of 1 fit into 64 bits."""
    decay = Epsilon.of(epsilon)
    cells = GeometricCells(DoublingDecay(decay, 0), 3)
    assert not cells.draw(1000, Scripted([np.arange(1, 1001, dtype=np.uint16)])).any()
    assert not clamped_geometric(decay, 3, 10**5).any()
    assert not two_sided_geometric(decay, 10**5).any()


def test_clamped_noise_has_room_for_a_code() -> None:
    for reach, size in ((4096, 5000), (4097, 5000), (4096, 10)):
        noise = clamped_geometric(Epsilon.of("1e-6"), reach, size)
        assert int(abs(noise).max()) == reach
        assert np.iinfo(noise.dtype).max >= 2 * reach
