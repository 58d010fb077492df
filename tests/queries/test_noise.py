"""The noise of a question: its law against sums over all draws, and draws against the law."""

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest

from noisewright.errors import ParameterError
from noisewright.queries.noise import CellNoise
from noisewright.sampling import SeededSource, simulation

LAWS: list[tuple[Literal["epsilon", "rho"], Fraction]] = [
    ("epsilon", Fraction(1, 30)),
    ("epsilon", Fraction(1)),
    ("epsilon", Fraction(10)),
    ("rho", Fraction(1, 3)),
    ("rho", Fraction(7)),
]


def chance(noise: CellNoise, z: int) -> float:
    """The probability of one draw, by its definition."""
    scale = float(noise.scale)
    if noise.unit == "rho":
        ends = [math.erf((z + half) / (scale * math.sqrt(2))) / 2 for half in (-0.5, 0.5)]
        return ends[1] - ends[0]
    return math.tanh(scale / 2) * math.exp(-scale * abs(z))


@pytest.mark.parametrize(("unit", "scale"), LAWS)
def test_the_law_is_what_its_definition_adds_up_to(
    unit: Literal["epsilon", "rho"], scale: Fraction
) -> None:
    noise = CellNoise(unit, scale)
    z = np.arange(-2000, 2001)
    law = np.array([chance(noise, int(one)) for one in z])
    variance = float(law @ z.astype(float) ** 2)
    assert noise.variance == pytest.approx(variance, rel=1e-9)
    fourth = float(law @ z.astype(float) ** 4) - 3 * variance**2
    assert noise.fourth_cumulant == pytest.approx(fourth, rel=1e-8, abs=1e-8)
    reach = len(noise.chances) // 2
    assert noise.chances == pytest.approx(law[2000 - reach : 2001 + reach], abs=1e-11)
    for confidence in (0.5, 0.9, 0.95, 0.999):
        k = noise.half_width(confidence)
        inside = [float(law[np.abs(z) <= width].sum()) for width in (k - 1, k)]
        assert inside[0] < confidence <= inside[1]


@pytest.mark.parametrize(
    "noise",
    [CellNoise("epsilon", Fraction(1, 5)), CellNoise("rho", Fraction(3))],
    ids=["geometric", "normal"],
)
def test_draws_have_the_law_and_not_that_of_a_scale_nearby(noise: CellNoise) -> None:
    """Of 200,000 draws of a fixed seed; and so have the doubles that predictions take."""
    nearby = CellNoise(noise.unit, noise.scale * Fraction(21, 20))
    require_law(noise.draw(200_000, SeededSource("cells")), noise, nearby)
    require_law(noise.imitate(200_000, simulation("cells")).astype(int), noise, nearby)


def require_law(drawn: Any, noise: CellNoise, nearby: CellNoise) -> None:
    for law, fits in ((noise, True), (nearby, False)):
        reach = len(law.chances) // 2
        seen = np.bincount(np.clip(drawn + reach, 0, 2 * reach), minlength=2 * reach + 1)
        expected = 200_000 * law.chances
        common = expected > 20
        distance = float(((seen - expected) ** 2)[common] @ (1 / expected[common]))
        cells = int(common.sum())
        assert (distance < cells + 5 * math.sqrt(2 * cells) + 12) is fits


def test_noise_that_adds_up_to_zero() -> None:
    noise = CellNoise("epsilon", Fraction(1, 2), balanced_cells=4)
    drawn = np.array([noise.draw(4, SeededSource(f"row {i}")) for i in range(1_500)])
    assert not drawn.sum(axis=1).any()
    assert float(drawn.var()) == pytest.approx(noise.variance, rel=0.15)
    k = noise.half_width(0.9)
    assert np.mean(np.abs(drawn) <= k) > 0.89 > np.mean(np.abs(drawn) <= k - 1)
    assert noise.variance < CellNoise("epsilon", Fraction(1, 2)).variance
    with pytest.raises(ParameterError, match="asked for 5"):
        noise.draw(5)
    with pytest.raises(ParameterError, match="not independent"):
        _ = noise.chances


def test_what_is_no_noise_is_refused() -> None:
    with pytest.raises(ParameterError, match="must be positive"):
        CellNoise("epsilon", Fraction(0))
    with pytest.raises(ParameterError, match="under epsilon only"):
        CellNoise("rho", Fraction(1), balanced_cells=3)
    with pytest.raises(ParameterError, match="one or more cells"):
        CellNoise("epsilon", Fraction(1), balanced_cells=0)


def test_noise_says_what_it_is() -> None:
    noise = CellNoise("epsilon", Fraction(1, 2), balanced_cells=12)
    assert noise.describe() == (
        "two-sided geometric noise of decay 0.5 that adds up to 0 over 12 cells"
    )
    assert CellNoise("rho", Fraction(5)).describe() == "rounded normal noise of deviation 5"
