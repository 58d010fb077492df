"""Mean curves with bands, pointwise and all positions together."""

from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.numbers.mean_curves import factor_together, mean_curve

HOURS = list(range(24))
SPACE = nw.Curves(HOURS, low=0, high=10)


def days(people: int, random: Any) -> Any:
    """Curves with a peak whose height and hour differ from one to the next."""
    height = random.uniform(2, 6, (people, 1))
    hour = random.normal(18, 2, (people, 1))
    return np.clip(2 + height * np.exp(-(((np.arange(24) - hour) / 3) ** 2)), 0, 10)


@pytest.mark.parametrize("length", [0.5, 4, 50], ids=["rough", "smooth", "nearly straight"])
def test_the_factor_holds_at_all_positions_together(length: float) -> None:
    """20,000 normal curves, seeded: at most 5% leave the band, and not far fewer when smooth."""
    places = np.arange(60.0)
    correlation = np.exp(-(((places[:, None] - places) / length) ** 2) / 2)
    correlation = correlation + 1e-9 * np.eye(60)
    factor = factor_together(correlation, 0.95)
    root = np.linalg.cholesky(correlation)
    curves = np.random.default_rng(1).standard_normal((20_000, 60)) @ root.T
    left = float((np.abs(curves).max(axis=1) > factor * 1.0000001).mean())
    assert 0.03 <= left <= 0.055
    assert factor_together(4 * correlation, 0.95) == pytest.approx(factor)


def test_one_position_needs_no_more_than_the_normal_quantile() -> None:
    assert factor_together(np.ones((1, 1)), 0.95) == pytest.approx(1.959964, abs=1e-6)
    assert factor_together(np.ones((5, 5)), 0.95) == pytest.approx(1.959964, abs=1e-3)
    assert factor_together(np.zeros((2, 2)), 0.95) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("about", ["people", "population"])
def test_bands_cover(about: Any) -> None:
    """600 simulated sets of released curves, seeded, by their values and known noise."""
    random = np.random.default_rng(2)
    people = 200
    true = days(50_000, random).mean(axis=0)
    fixed = days(people, random)
    hours = np.arange(24.0)
    noise = 9 * np.exp(-((hours[:, None] - hours) ** 2) / 18) + 1e-9 * np.eye(24)
    root = np.linalg.cholesky(noise)
    pointwise = together = 0.0
    for _ in range(600):
        curves = fixed if about == "people" else days(people, random)
        released = curves + random.standard_normal((people, 24)) @ root.T
        target = fixed.mean(axis=0) if about == "people" else true
        sample = Sample(len(released), about)
        single = mean_curve(released, noise, hours, (0.0, 10.0), sample, together=False)
        both = mean_curve(released, noise, hours, (0.0, 10.0), sample, together=True)
        pointwise += ((single.lows <= target) & (target <= single.highs)).mean()
        together += ((both.lows <= target) & (target <= both.highs)).all()
    assert 0.93 <= pointwise / 600 <= 0.97
    assert 0.92 <= together / 600 <= 0.985


def test_the_mean_of_released_curves() -> None:
    random = np.random.default_rng(3)
    mechanism = nw.curves.curve_noise(SPACE, epsilon=5, basis="fourier", coefficients=5)
    truth = days(4_000, random)
    released = mechanism.sample(truth, source=nw.randomness.SeededSource(1))
    found = nw.estimate(released, mechanism, about="people", together=True)
    assert found.people == 4_000
    assert np.allclose(found.values, released.values.mean(axis=0))
    assert np.allclose(found.standard_errors, mechanism.standard_error() / np.sqrt(4_000))
    planned = nw.planning.expected_error(mechanism, people=4_000, about="people")
    assert np.allclose(planned.standard_errors, found.standard_errors)
    # What five coordinates can show of the true mean lies in the band.
    design = mechanism.coordinates.functions.at(np.arange(24.0))
    shown = mechanism.exact(SPACE.read(truth)).mean(axis=0) / (
        1 << mechanism.coordinates.log2_scale
    )
    target = 5 + (shown * float(SPACE.step)) @ design.T
    assert ((found.lows <= target) & (target <= found.highs)).all()
    wide = nw.estimate(released, at=[6, 12.5, 18])
    assert list(wide.axes[0].labels) == [6, 12.5, 18]
    narrow = nw.estimate(released, at=[6, 12.5, 18], about="people")
    assert (wide.standard_errors >= narrow.standard_errors * 0.9).all()
    assert "all together" in repr(found)


def test_one_release_of_a_mean_uses_its_own_band() -> None:
    mechanism = nw.curves.curve_noise(SPACE, epsilon=5, basis="fourier", coefficients=5)
    release = mechanism.mean(days(50, np.random.default_rng(4)))
    found = nw.estimate(release, about="people")
    band = release.band(level=0.95, simultaneous=False)
    assert np.allclose(found.lows, band.low)
    assert np.allclose(found.standard_errors, release.standard_error())
    with pytest.raises(ParameterError, match="about='people'"):
        nw.estimate(release)


def test_what_curves_cannot_answer() -> None:
    mechanism = nw.curves.curve_noise(SPACE, epsilon=5, basis="fourier", coefficients=5)
    released = mechanism.sample(days(3, np.random.default_rng(5)))
    with pytest.raises(InputError, match="mean"):
        nw.estimate(released, mechanism, of="quantiles")
    with pytest.raises(InputError, match="unbiased"):
        nw.estimate(released, mechanism, method="likelihood")
    with pytest.raises(InputError, match="about='people'"):
        nw.planning.expected_error(mechanism, people=3)
    with pytest.raises(InputError, match="covariance"):
        mean_curve(
            np.zeros((3, 2)),
            np.eye(3),
            np.arange(2.0),
            (0.0, 1.0),
            Sample(3, "people"),
            together=False,
        )


def test_shares_together_are_those_of_a_smaller_miss() -> None:
    response = nw.randomized_response(nw.Categories(["a", "b", "c", "d"]), epsilon=1)
    counts = {"a": 50, "b": 30, "c": 15, "d": 5}
    together = nw.estimate(counts, response, together=True)
    each = nw.estimate(counts, response, confidence=1 - 0.05 / 4)
    assert np.allclose(together.intervals, each.intervals)
    assert together.confidence == 0.95
    assert together.together
