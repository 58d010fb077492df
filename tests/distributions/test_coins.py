"""bernoulli(p): P(true) = p."""

import math
from fractions import Fraction

import numpy as np
import pytest

from noisewright.exact import Computable, Epsilon, Exp, Logistic
from noisewright.sampling import bernoulli
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.geometric import DoublingDecay, Odds
from tests.distributions.alarm import Alarm
from tests.sampling.scripted import Scripted, word

COINS: list[tuple[Fraction | Computable, float]] = [
    (Fraction(1, 2), 0.5),
    (Fraction(1, 3), 1 / 3),
    (Fraction(9, 10), 0.9),
    (Fraction(1, 20), 0.05),
    (Fraction(3, 65536) + Fraction(1, 5), 3 / 65536 + 0.2),
    (Exp(Fraction(-1)), math.exp(-1)),
    (Logistic(Fraction(1, 10)), 1 / (1 + math.exp(0.1))),
]


@pytest.mark.parametrize(
    ("p", "value"), COINS, ids=lambda x: f"{x:.4g}" if type(x) is float else ""
)
def test_a_one_percent_change_of_p_is_rejected(
    alarm: Alarm, p: Fraction | Computable, value: float
) -> None:
    alarm.judge(lambda n: [bernoulli(p, n).sum()], [value], [[value * 1.01], [value * 0.99]])


def test_neighboring_flips_are_independent(alarm: Alarm) -> None:
    def draw(n: int) -> list[int]:
        flips = bernoulli(Fraction(1, 3), 2 * n)
        return [(flips[::2] & flips[1::2]).sum(), (flips[::2] ^ flips[1::2]).sum()]

    alarm.judge(draw, [1 / 9, 4 / 9], [[1 / 9 * 1.01, 4 / 9]])


@pytest.mark.parametrize("numerator", [0, 1, 2, 15, 16, 17, 5 << 16, 12345 * 16 + 7, (1 << 20) - 1])
def test_every_string_of_twenty_bits(numerator: int) -> None:
    """With p = j/2^20, exactly j of all 2^20 strings come up true."""
    coin = Coin(Fraction20(numerator))
    total = 0
    for last in range(16):
        source = Scripted([np.arange(1 << 16, dtype=np.uint16), word(last << 60)])
        total += int(coin.flip(1 << 16, source).sum())
    assert total == numerator


class Fraction20:
    """j/2^20, with bounds as loose as a computable number may have them."""

    def __init__(self, numerator: int) -> None:
        self._numerator = numerator

    def bounds(self, bits: int) -> tuple[int, int]:
        if bits >= 20:
            value = self._numerator << (bits - 20)
            return value, value
        value = self._numerator >> (20 - bits)
        return value, value + (self._numerator % (1 << (20 - bits)) != 0)


@pytest.mark.parametrize(
    "p",
    [Exp(Fraction(-1)), Logistic(Fraction(3)), Odds(DoublingDecay(Epsilon.of(alpha="0.99"), 5))],
)
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_flip_as_close_as_it_gets_is_settled_by_more_bits(p: Computable, depth: int) -> None:
    """U agrees with p in its first 16 + 64·depth bits; the next word decides."""
    bits = 16 + 64 * depth
    prefix = p.bounds(bits)[0]
    words = [prefix >> (64 * i) & (2**64 - 1) for i in reversed(range(depth))]
    truth = p.bounds(bits + 64)[0] - (prefix << 64)
    for last, expected in ((truth - 1, True), (truth + 1, False)):
        source = Scripted(
            [np.array([prefix >> (64 * depth)], dtype=np.uint16), *map(word, [*words, last])]
        )
        assert Coin(p).flip(1, source)[0] == expected
        source.assert_used_up()
