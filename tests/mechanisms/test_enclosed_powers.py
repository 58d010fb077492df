"""Running sums in doubles are as near to the exact weights as they say, and not much nearer."""

from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.exact import Doubles
from noisewright.mechanisms.quality.powers import enclosed_shares, mixed_weights

RNG = np.random.default_rng(7)
SHAPES: dict[str, NDArray[Any]] = {
    "spread": RNG.random(700),
    "in ascending order": np.sort(RNG.normal(size=500)),
    "all alike": np.full(300, 0.1),
    "whole numbers": RNG.integers(0, 40, 400).astype(float),
    "far from 0": 1e15 + RNG.random(300) * 1e3,
    "hardly different": 1 + RNG.integers(0, 99, 300) * 2.0**-52,
    "one far above": np.concatenate([[1e6], RNG.random(299)]),
    "many scales": 10.0 ** RNG.uniform(-300, 2, 400),
    "only one": np.array([0.3]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("factor", ["1/3", "50", "1/10000000", "12345.678"])
def test_the_exact_sums_are_enclosed(shape: str, factor: str) -> None:
    qualities, epsilon = Doubles(SHAPES[shape].copy()), Fraction(1)
    near = enclosed_shares(qualities, Fraction(factor))
    assert near is not None
    shares, error = near
    ones = [1] * len(qualities)
    weights = mixed_weights(qualities.exact, ones, factor=Fraction(factor), epsilon=epsilon)
    ends = list(accumulate(weights))
    for share, end in zip(shares.tolist(), ends, strict=True):
        assert abs(Fraction(share) - Fraction(end, ends[-1])) <= Fraction(error)
    assert error < 2**-40


def test_an_extreme_factor_is_left_to_exact_arithmetic() -> None:
    assert enclosed_shares(Doubles(np.array([0.1, 0.2])), Fraction(2) ** 501) is None
