"""Keys are kept with the chances that the certificate has."""

from fractions import Fraction

import numpy as np
import pytest

from noisewright.queries import KeyCoins
from tests.distributions.alarm import Alarm

PEOPLE = [1, 5, 9, 12, 14]


@pytest.mark.parametrize(("epsilon", "delta"), [("1/3", "1/100"), ("1", "1/1000")])
def test_other_parameters_are_rejected(alarm: Alarm, epsilon: str, delta: str) -> None:
    def chances(more: str, lost: str) -> list[float]:
        coins = KeyCoins(Fraction(epsilon) * Fraction(more), Fraction(delta) * Fraction(lost))
        return coins.chance(PEOPLE).tolist()

    coins = KeyCoins(Fraction(epsilon), Fraction(delta))

    def draw(n: int) -> list[int]:
        return coins.flip(np.repeat(PEOPLE, n)).reshape(len(PEOPLE), n).sum(axis=1).tolist()

    wrong = [chances("11/10", "1"), chances("9/10", "1"), chances("1", "5/4"), chances("1", "3/4")]
    alarm.judge(draw, chances("1", "1"), wrong, most=1 << 18)
