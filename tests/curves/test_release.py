"""What a released curve is, and what it knows."""

import math
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.curves.coordinates import default_count
from noisewright.curves.curve_release import laplace_reach
from noisewright.errors import InputError, OutsideSpaceError, ParameterError, SpaceError

SPACE = nw.Curves(range(24), low=0, high=10)
T = np.arange(24)
WAVE = 5 + 2 * np.sin(2 * np.pi * T / 24) + np.cos(4 * np.pi * T / 24)
LINE = 1 + T / 3

MAKERS: dict[str, Any] = {
    "values": lambda **k: nw.curves.curve_noise(SPACE, **k),
    "fourier": lambda **k: nw.curves.curve_noise(SPACE, basis="fourier", coefficients=7, **k),
    "bspline": lambda **k: nw.curves.curve_noise(SPACE, basis="bspline", coefficients=12, **k),
    "bernstein": lambda **k: nw.curves.curve_noise(SPACE, basis="bernstein", coefficients=10, **k),
    "process": lambda **k: nw.gaussian_process(SPACE, coefficients=12, bound=30, **k),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_without_noise_to_speak_of_the_curve_comes_back(name: str, delta: float) -> None:
    if name == "process" and not delta:
        return
    mechanism = MAKERS[name](epsilon=10**9, delta=delta)
    curve = LINE if name == "bernstein" else WAVE
    released = mechanism.sample(np.stack([curve, 10 - curve]))
    assert len(released) == 2
    left_out = 0.05 if name == "process" else 0.01
    assert np.abs(released.values - [curve, 10 - curve]).max() < left_out
    assert (
        np.abs(mechanism.mean([curve, curve, 0 * curve + 2]).values - (curve * 2 + 2) / 3).max()
        < left_out
    )


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("delta", [0, 1e-3])
def test_noise_has_the_deviation_that_is_told(name: str, delta: float) -> None:
    """4,000 curves of a seeded source: a fixed computation, not a statistical decision."""
    if name == "process" and not delta:
        return
    mechanism = MAKERS[name](epsilon=1, delta=delta)
    curves = np.tile(WAVE, (4000, 1))
    released = mechanism.sample(curves, source=nw.randomness.SeededSource(7))
    told = released.standard_error()
    assert np.allclose(told, mechanism.standard_error())
    assert released.values.std(axis=0) == pytest.approx(told, rel=0.08)
    covariance = mechanism.covariance([2, 3.5], rows=10)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(mechanism.standard_error([2, 3.5]) / 10)
    together = np.cov(released.at([2, 3.5]).T)
    assert together == pytest.approx(100 * covariance, abs=0.1 * float(told.max()) ** 2)
    mean = mechanism.mean(curves, source=nw.randomness.SeededSource(8))
    assert mean.standard_error() == pytest.approx(told / 4000)
    # Rounding to whole steps aside, the projected curve is within six deviations.
    true = mechanism.coordinates.functions.at(mean.grid) @ mechanism.coordinates.matrix.astype(
        float
    )
    flat = mean.middle + (true / 2**mechanism.coordinates.log2_scale) @ (WAVE - mean.middle)
    assert (np.abs(mean.values[0] - flat) < 6 * told / 4000 + 0.005).all()


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("delta", [0, 1e-3])
def test_bands_hold_the_curve_as_often_as_they_say(name: str, delta: float) -> None:
    """2,000 seeded releases at a level of 90%, which are held between 87% and 93% of the time."""
    if name == "process" and not delta:
        return
    mechanism = MAKERS[name](epsilon=1, delta=delta)
    released = mechanism.sample(np.tile(WAVE, (2000, 1)), source=nw.randomness.SeededSource(3))
    quiet = MAKERS[name](epsilon=10**9, delta=delta).sample(WAVE).values[0]
    for simultaneous in (True, False):
        band = released.band(level=0.9, simultaneous=simultaneous)
        reach = band.high - band.values
        inside = np.abs(released.values - quiet) <= reach
        held = inside.all(axis=1).mean() if simultaneous else inside.mean(axis=0).min()
        assert held >= 0.87
        if delta and not simultaneous:
            assert inside.mean(axis=0).max() <= 0.93


def test_a_release_is_read_anywhere_without_further_noise() -> None:
    released = MAKERS["fourier"](epsilon=1).sample([WAVE])
    fine = released.at(np.linspace(0, 23, 47))
    assert fine[0, ::2] == pytest.approx(released.values[0])
    assert (released.at([0.5]) == released.at([0.5])).all()
    assert released.at(np.linspace(0, 23, 99), clamp=True).max() <= 10
    with pytest.raises(InputError, match="from 0 to 23"):
        released.at([24])


def test_a_release_holds_nothing_but_what_was_released() -> None:
    """Every field is the same for another curve, except the numbers."""
    mechanism = MAKERS["fourier"](epsilon=1)
    one = mechanism.sample([WAVE], source=nw.randomness.SeededSource(1))
    other = mechanism.sample([LINE], source=nw.randomness.SeededSource(1))
    kept = {
        name: value
        for name, value in vars(one).items()
        if not np.array_equal(value, vars(other)[name])
    }
    assert set(kept) == {"numbers"}
    assert all(isinstance(int(x), int) for x in one.numbers.ravel())


def test_between_positions_values_are_joined_by_lines() -> None:
    released = MAKERS["values"](epsilon=1).sample([WAVE])
    left, right = released.values[0, 3:5]
    assert released.at([3.25])[0, 0] == pytest.approx(0.75 * left + 0.25 * right)


@pytest.mark.parametrize("epsilon", ["1e-12", 50, "1/3"])
@pytest.mark.parametrize("delta", [0, "1e-12", 0.999])
def test_any_epsilon_and_delta(epsilon: Any, delta: Any) -> None:
    mechanism = nw.curves.curve_noise(SPACE, epsilon=epsilon, delta=delta, basis="fourier")
    assert mechanism.claim == nw.accounting.Guarantee(epsilon, delta)
    assert np.isfinite(mechanism.sample(WAVE).values).all()


def test_epsilon_zero_needs_a_delta() -> None:
    with pytest.raises(ParameterError, match="no noise is enough"):
        nw.curves.curve_noise(SPACE, epsilon=0)
    assert nw.curves.curve_noise(SPACE, epsilon=0, delta=0.01).sample(WAVE).values.shape == (1, 24)
    assert nw.curves.curve_noise(SPACE, alpha="1/2").claim.epsilon == nw.accounting.Epsilon.of(
        alpha="1/2"
    )


def test_one_position_and_one_curve() -> None:
    space = nw.Curves([5], low=0, high=1)
    for basis in ("values", "fourier", "bspline", "bernstein"):
        mechanism = nw.curves.curve_noise(space, epsilon=1, basis=basis)
        assert float(mechanism.sensitivity) == pytest.approx(1, rel=1e-5)
        assert mechanism.sample([[0.5]]).values.shape == (1, 1)
    assert nw.gaussian_process(space, epsilon=1, delta=0.1).mean([[0.5]]).at([5]).shape == (1, 1)


def test_no_curves() -> None:
    mechanism = MAKERS["fourier"](epsilon=1)
    assert mechanism.sample([]).values.shape == (0, 24)
    with pytest.raises(InputError, match="at least one"):
        mechanism.mean([])
    with pytest.raises(InputError, match="at least one"):
        mechanism.standard_error(rows=0)
    with pytest.raises(InputError, match="row is 0; there are 0 curves"):
        mechanism.sample([]).band()


def test_a_wrong_curve_is_named_by_its_row() -> None:
    mechanism = MAKERS["fourier"](epsilon=1)
    with pytest.raises(OutsideSpaceError, match="row 2") as caught:
        mechanism.mean([WAVE, WAVE + 90])
    assert "9" not in str(caught.value).split("Curves(")[0]
    assert mechanism.mean([WAVE, WAVE + 90], outside="clamp").values.shape == (1, 24)


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "basis": (
        lambda: nw.curves.curve_noise(SPACE, epsilon=1, basis="wavelet"),
        ParameterError,
        "'values'",
    ),
    "negative": (lambda: nw.curves.curve_noise(SPACE, epsilon=-1), ParameterError, "at least 0"),
    "delta": (
        lambda: nw.curves.curve_noise(SPACE, epsilon=1, delta=1),
        ParameterError,
        "0 < delta < 1",
    ),
    "too many": (
        lambda: nw.curves.curve_noise(SPACE, epsilon=1, basis="fourier", coefficients=25),
        ParameterError,
        "at most 24",
    ),
    "coefficients of values": (
        lambda: nw.curves.curve_noise(SPACE, epsilon=1, coefficients=3),
        ParameterError,
        "is for a basis",
    ),
    "bound": (lambda: nw.curves.curve_noise(SPACE, epsilon=1, bound=0), ParameterError, "positive"),
    "space": (lambda: nw.curves.curve_noise(nw.Counts(3), epsilon=1), SpaceError, "Curves space"),  # pyright: ignore[reportArgumentType]
    "neighbors": (
        lambda: nw.curves.curve_noise(
            nw.Curves([0], low=0, high=2, step=1, neighbors=[((0,), (1,))]), epsilon=1
        ),
        SpaceError,
        "neighbors='replace'",
    ),
    "kernel": (
        lambda: nw.gaussian_process(SPACE, epsilon=1, delta=0.1, kernel="cubic"),
        ParameterError,
        "'matern'",
    ),
    "length": (
        lambda: nw.gaussian_process(SPACE, epsilon=1, delta=0.1, length=-1),
        ParameterError,
        "positive and finite",
    ),
    "process without delta": (
        lambda: nw.gaussian_process(SPACE, epsilon=1, delta=0),
        ParameterError,
        "use curve_noise",
    ),
    "a kernel that is too smooth": (
        lambda: nw.gaussian_process(SPACE, epsilon=1, delta=0.1, length=500, coefficients=20),
        ParameterError,
        "shorter length",
    ),
    "dependent functions": (
        lambda: nw.curves.curve_noise(
            nw.Curves([0, "1e-12", 1], low=0, high=1), epsilon=1, basis="fourier", coefficients=3
        ),
        ParameterError,
        "fewer coefficients",
    ),
    "level": (
        lambda: nw.curves.curve_noise(SPACE, epsilon=1).sample(WAVE).band(level=95),
        ParameterError,
        "between 0 and 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_used_is_said(name: str) -> None:
    make, error, words = WRONG[name]
    with pytest.raises(error, match=words):
        make()


def test_the_number_of_coefficients_looks_at_no_data() -> None:
    assert [default_count(n) for n in (1, 2, 8, 24, 27, 48, 365)] == [1, 2, 5, 7, 7, 9, 17]


def test_a_fine_step_is_computed_in_long_integers() -> None:
    space = nw.Curves(range(4), low=0, high=1, step=f"1/{2**39}")
    mechanism = nw.curves.curve_noise(space, epsilon=10**9, basis="fourier", coefficients=3)
    assert mechanism.coordinates.matrix.dtype == object
    assert mechanism.mean(np.full((3, 4), 0.25)).values == pytest.approx(np.full((1, 4), 0.25))


def test_it_says_what_it_is() -> None:
    mechanism = MAKERS["fourier"](epsilon=1)
    assert "fourier, 7 coefficients" in repr(mechanism)
    assert "1 curve with laplace noise in 7 coordinates" in repr(mechanism.sample(WAVE))
    assert math.isclose(
        mechanism.expected_error(rows=2), float(np.sqrt(7 * mechanism.variance)) / 2, rel_tol=1e-9
    )


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("missed", [0.5, 0.1, 0.01])
def test_laplace_limits_hold_for_whole_numbers(scale: float, missed: float) -> None:
    """Against the sums of two and of one discrete Laplace number, by their probabilities."""
    z = np.arange(-200, 201)
    decay = math.exp(-1 / scale)
    p = (1 - decay) / (1 + decay) * decay ** np.abs(z)
    alone = laplace_reach(np.array([[scale, 0.0]]), missed, unit=np.ones((1, 2)))[0]
    assert p[np.abs(z) > alone].sum() <= missed * (1 + 1e-9)
    both = laplace_reach(np.array([[scale, 2 * scale]]), missed, unit=np.array([[1.0, 2.0]]))[0]
    sums = np.abs(z[:, None] + 2 * z[None, :])
    assert np.multiply.outer(p, p)[sums > both].sum() <= missed * (1 + 1e-9)
