"""The law of noise on several cells together: by listing all cases, by moments, by draws."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from noisewright.synthetic import MARGINAL, Noise
from noisewright.synthetic.steps.sum_law import SumLaw, add_laws, sum_law


def noise_of(amount: object, unit: str, cells: int) -> Noise:
    return Noise(Fraction(amount), unit, MARGINAL).on(cells)  # type: ignore[arg-type]


def listed(decay: float, cells: int, added: int, *, most: int) -> np.ndarray:
    """The chances of −2·most … 2·most for some cells of noise that adds up to 0, case by case."""
    found = np.zeros(4 * most * added + 1)
    for case in product(range(-most, most + 1), repeat=cells - 1):
        last = -sum(case)
        weight = np.exp(-decay * (sum(map(abs, case)) + abs(last)))
        found[sum((*case, last)[:added]) + 2 * most * added] += weight
    return found / found.sum()


@pytest.mark.parametrize(("cells", "added"), [(2, 1), (3, 1), (3, 2), (4, 2)])
def test_noise_that_adds_up_to_zero_is_as_if_all_cases_were_listed(cells: int, added: int) -> None:
    law = sum_law(noise_of(3, "epsilon", cells), added)
    brute = listed(1.5, cells, added, most=12)
    middle, reach = brute.size // 2, min(law.reach, 6)
    ours = law.chances[law.reach - reach : law.reach + reach + 1]
    assert np.allclose(ours, brute[middle - reach : middle + reach + 1], atol=1e-6)


@pytest.mark.parametrize(
    ("amount", "unit", "cells", "added"),
    [
        ("1", "epsilon", 4, 2),
        ("1/100", "epsilon", 256, 100),
        ("1/1000", "epsilon", 1000, 999),
        ("50", "epsilon", 300, 7),
        ("1/2", "rho", 50, 7),
        ("1/1000000", "rho", 5, 5),
    ],
)
def test_laws_have_the_known_variance_and_are_no_wider_than_they_need_be(
    amount: str, unit: str, cells: int, added: int
) -> None:
    noise = noise_of(amount, unit, cells)
    law = sum_law(noise, added)
    assert law.chances.sum() == pytest.approx(1)
    assert law.deviation == pytest.approx(np.sqrt(noise.variance_of_sum(added)), rel=1e-3)
    widths = [law.half_width(miss) for miss in (0.3, 0.05, 0.001)]
    assert widths == sorted(widths)
    if law.step == 1:
        k = int(widths[1])
        inside = law.chances[law.reach - k : law.reach + k + 1].sum()
        assert inside >= 0.95
        assert k == 0 or inside - 2 * law.chances[law.reach + k] < 0.95


def test_one_cell_has_the_half_width_that_its_noise_says() -> None:
    for amount, unit, cells in (("1", "epsilon", 10), ("1", "epsilon", 400), ("1/3", "rho", 10)):
        noise = noise_of(amount, unit, cells)
        assert sum_law(noise, 1).half_width(0.05) == noise.half_width


def test_draws_are_within_half_widths_as_often_as_stated_and_not_of_other_noise() -> None:
    """3,000 draws of seven sums: each share is off by 5 deviations in one run of 250,000."""
    for amount, unit, cells, added in (
        ("1/10", "epsilon", 8, 3),
        ("1/10", "epsilon", 300, 50),
        ("1/100", "rho", 20, 5),
    ):
        noise = noise_of(amount, unit, cells)
        sums = np.array([noise.draw(cells, None)[:added].sum() for _ in range(3000)])
        for miss in (0.05, 0.3):
            share = np.mean(np.abs(sums) > sum_law(noise, added).half_width(miss))
            assert abs(share - miss) <= 5 * np.sqrt(miss / 3000) + 0.01
        narrow = sum_law(noise, max(added // 3, 1)).half_width(0.05)
        assert np.mean(np.abs(sums) > narrow) > 0.1


def test_weighted_sums_of_noises_are_never_too_narrow() -> None:
    one, two = noise_of("1/5", "epsilon", 6), noise_of("1/3", "epsilon", 400)
    parts = [(0.3, sum_law(one, 2)), (-0.7, sum_law(two, 9))]
    law, lack = add_laws(parts)
    half = law.half_width(0.05) + lack
    whole = np.sqrt(sum((weight * each.deviation) ** 2 for weight, each in parts))
    assert 1.9 * whole < half < 2.2 * whole
    assert law.deviation == pytest.approx(whole, rel=0.01)


def test_what_has_no_noise_has_no_width() -> None:
    noise = noise_of("1", "epsilon", 5)
    for law in (sum_law(noise, 0), sum_law(noise, 5), add_laws([])[0]):
        assert law.half_width(0.001) == 0
    assert isinstance(add_laws([(0.0, sum_law(noise, 2))])[0], SumLaw)
