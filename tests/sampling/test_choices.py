"""One among several, bit by bit: every unit belongs to one member, and coins are what they say."""

from fractions import Fraction

import numpy as np
import pytest

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Exp
from noisewright.sampling import GroupSampler, SeededSource, first_heads, geometric_argmax
from tests.sampling.scripted import Scripted


def test_every_unit_belongs_to_one_member() -> None:
    """Bits for all units below the total, one after the other: each member has its weight."""
    sampler = GroupSampler([3, 1, 0, 2], [2, 0, 4, 5])
    assert sampler.total == 16
    bits = Scripted([(np.arange(16) << 28).astype(np.uint32)])
    drawn = sampler.draw(16, bits)
    bits.assert_used_up()
    found = {pair: drawn.count(pair) for pair in drawn}
    assert found == {(0, 0): 3, (0, 1): 3, **{(3, member): 2 for member in range(5)}}


@pytest.mark.parametrize(
    ("weights", "sizes"), [([], []), ([0, 3], [5, 0]), ([-1, 9], [1, 1]), ([1, 1], [-1, 2])]
)
def test_weights_that_say_nothing(weights: list[int], sizes: list[int]) -> None:
    with pytest.raises(ParameterError, match="integers of at least 0, and one of them positive"):
        GroupSampler(weights, sizes)


def test_a_certain_coin_always_comes_up() -> None:
    depths = np.array([1 << 62, 0, 40], dtype=np.int64)
    for seed in range(50):
        assert first_heads(depths, lambda place: Exp(Fraction(0)), SeededSource(seed)) == 1


def test_one_coin_must_be_certain() -> None:
    with pytest.raises(ParameterError, match="no coin came up"):
        first_heads(np.array([10**6, 10**6]), lambda place: Exp(Fraction(0)), SeededSource(1))


@pytest.mark.parametrize("offset", [0, 2**70])
def test_the_largest_sum_is_the_same_in_long_and_short_integers(offset: int) -> None:
    decay = Epsilon.of("1/3")
    values = [3, 9, 9, 1]
    drawn = [
        geometric_argmax([value + offset for value in values], decay, SeededSource(seed))
        for seed in range(60)
    ]
    short = [geometric_argmax(values, decay, SeededSource(seed)) for seed in range(60)]
    assert drawn == short
    assert len(set(drawn)) > 1
