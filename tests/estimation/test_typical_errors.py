"""Simulated errors agree with the formulas, and need the estimates only.

All simulations have a fixed seed, so a run is the same each time. With R releases an error is known
to 1/√(2R); 5 such deviations are allowed to each of at most 100 numbers.
"""

import math

import numpy as np
import pytest

import noisewright as nw
from noisewright.estimation.typical_error import TypicalError, typical_error

ABOUT = ["people", "population"]


def _released(mechanism: nw.Mechanism, codes: list[int]) -> list[object]:
    drawn = mechanism.draw(np.array(codes), nw.randomness.SeededSource(7))
    return mechanism.outputs.decode(drawn).tolist()


def _agrees(found: TypicalError | None, errors: object, *, more: float = 0.0) -> None:
    assert found is not None
    ratio = found.errors / np.asarray(errors)
    assert np.abs(ratio - 1).max() <= 5 * found.precision + more


@pytest.mark.parametrize("about", ABOUT)
@pytest.mark.parametrize("size", [2, 7, 60])
def test_randomized_response(about: str, size: int) -> None:
    mechanism = nw.randomized_response(nw.Counts(size - 1), epsilon=2)
    codes = [min(place * place % 97, size - 1) for place in range(3000)]
    estimate = nw.estimate(_released(mechanism, codes), mechanism, about=about, of="shares")
    _agrees(typical_error(mechanism, estimate), estimate.standard_errors)


@pytest.mark.parametrize("about", ABOUT)
def test_a_table_that_is_no_response(about: str) -> None:
    mechanism = nw.geometric(nw.Counts(6), epsilon=1)
    estimate = nw.estimate(
        _released(mechanism, [place % 5 for place in range(4000)]), mechanism, about=about
    )
    _agrees(typical_error(mechanism, estimate), estimate.standard_errors)


@pytest.mark.parametrize("about", ABOUT)
def test_items_of_sets(about: str) -> None:
    space = nw.Subsets([f"item {place}" for place in range(12)], largest=3)
    mechanism = nw.per_item(space, epsilon=4)
    sets = [{f"item {place % 7}", f"item {place % 3}"} for place in range(2000)]
    estimate = nw.estimate(
        mechanism.sample(sets, source=nw.randomness.SeededSource(3)), mechanism, about=about
    )
    _agrees(typical_error(mechanism, estimate), estimate.standard_errors)


@pytest.mark.parametrize("about", ABOUT)
def test_the_mean_of_numbers_with_their_histogram(about: str) -> None:
    mechanism = nw.laplace(nw.Interval(0, 50, step=1), epsilon=2, form="truncated")
    released = _released(mechanism, [place % 51 for place in range(5000)])
    mean = nw.estimate(released, mechanism, of="mean", about=about)
    histogram = nw.estimate(released, mechanism, of="histogram", about=about)
    found = typical_error(mechanism, mean, histogram=histogram)
    # The histogram itself is rough, and the error depends on it a little.
    _agrees(found, mean.standard_error, more=0.15)
    assert typical_error(mechanism, mean) is None


def test_the_mean_on_a_fine_grid() -> None:
    mechanism = nw.laplace(nw.Interval(0, 10_000_000, step=1), epsilon=1)
    released = mechanism.sample(np.full(3000, 5_000_000), source=nw.randomness.SeededSource(4))
    mean = nw.estimate(released, mechanism, about="people")
    _agrees(typical_error(mechanism, mean), mean.standard_error)


def test_the_mean_of_curves() -> None:
    mechanism = nw.curves.curve_noise(nw.Curves(range(12), low=0, high=10, step="0.1"), epsilon=3)
    release = mechanism.sample(np.full((800, 12), 4.0), source=nw.randomness.SeededSource(5))
    mean = nw.estimate(release, about="people")
    _agrees(typical_error(mechanism, mean), mean.standard_errors)


def test_ten_million_rows_are_as_quick_as_few() -> None:
    """Counts are drawn, not rows; the errors shrink as they should."""
    mechanism = nw.randomized_response(nw.Categories(["a", "b", "c"]), epsilon=1)
    few = nw.estimate({"a": 500, "b": 300, "c": 200}, mechanism, about="people")
    many = nw.estimate({"a": 5_000_000, "b": 3_000_000, "c": 2_000_000}, mechanism, about="people")
    first, second = typical_error(mechanism, few), typical_error(mechanism, many)
    assert first is not None
    assert second is not None
    ratio = first.errors / second.errors / math.sqrt(10_000)
    assert np.abs(ratio - 1).max() < 5 * math.sqrt(2) * first.precision


def test_the_same_estimate_gives_the_same_simulation() -> None:
    mechanism = nw.randomized_response(nw.Counts(3), epsilon=1)
    estimate = nw.estimate([0, 1, 2, 3] * 100, mechanism, about="people")
    first, second = typical_error(mechanism, estimate), typical_error(mechanism, estimate)
    assert first is not None
    assert second is not None
    assert (first.errors == second.errors).all()
    other = typical_error(mechanism, estimate, seed="another")
    assert other is not None
    assert (first.errors != other.errors).any()


def test_a_wrong_formula_would_be_noticed() -> None:
    """Errors of half the ε are outside of what the comparison allows."""
    mechanism = nw.randomized_response(nw.Counts(6), epsilon=2)
    estimate = nw.estimate([0, 1, 2, 3, 4, 5, 6] * 300, mechanism, about="people")
    wrong = nw.estimate(
        [0, 1, 2, 3, 4, 5, 6] * 300, nw.randomized_response(nw.Counts(6), epsilon=1), about="people"
    )
    with pytest.raises(AssertionError):
        _agrees(typical_error(mechanism, estimate), wrong.standard_errors)
