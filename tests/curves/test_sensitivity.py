"""How far a curve can move its coordinates: never more than is claimed, and nearly as much."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from noisewright.curves import CurveNoise, curve_noise, gaussian_process
from noisewright.curves.noise import pull, rounded_off
from noisewright.curves.sensitivity import l1_sensitivity, l2_sensitivity, widest_signs
from noisewright.spaces import Curves

UNEVEN = [1, 1.25, 1.5, 1.75, 2, 3, 4, 5, 6, 7, 8, 8.5, 9, 9.5, 10, 12, 15, 18]

matrices = arrays(
    np.int64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.integers(-50, 50)
)


@given(matrices, st.integers(1, 5))
def test_it_is_exact_for_small_matrices(matrix: np.ndarray, steps: int) -> None:
    """Against all corners, in whole numbers."""
    weights = tuple([Fraction(1)] * matrix.shape[1])
    l2 = l2_sensitivity(matrix, steps, weights)
    l1 = l1_sensitivity(matrix, steps, l2)
    corners = list(product([-steps, steps], repeat=matrix.shape[1]))
    moved = [matrix.astype(object) @ np.array(corner, dtype=object) for corner in corners]
    assert l1.exact
    assert l2.exact
    assert l1.value == max(sum(abs(x) for x in row) for row in moved)
    longest = max(sum(x * x for x in row) for row in moved)
    assert longest <= l2.value**2 <= longest * (1 + Fraction(1, 2**50)) + Fraction(1, 2**50)


WIDE = [
    pytest.param(grid, basis, count, id=f"{len(grid)} positions, {basis}, {count}")
    for grid in (list(range(24)), UNEVEN, list(range(48)))
    for basis in ("fourier", "bspline", "bernstein")
    for count in (1, 4, 9, 17)
]


@pytest.mark.parametrize(("grid", "basis", "count"), WIDE)
def test_a_search_comes_close_and_never_above(grid: list[Any], basis: str, count: int) -> None:
    space = Curves(grid, low=-3, high=5)
    for delta, power, close in ((0, 1, 0.88), (1e-6, 2, 1 - 1e-5)):
        found = curve_noise(space, epsilon=1, delta=delta, basis=basis, coefficients=count)
        matrix = found.coordinates.matrix
        signs = widest_signs(matrix.astype(np.float64), power).astype(np.int64)
        steps = np.where(signs > 0, space.steps, 0)
        moved = length(found, np.stack([steps, space.steps - steps]), power)
        assert close * float(found.sensitivity) <= moved <= float(found.sensitivity)


def length(found: CurveNoise, steps: np.ndarray, power: int) -> float:
    """How far apart two curves are in the numbers that are released, in units of the curve."""
    first, second = rounded_off(found.exact(steps), found.shift).astype(object)
    apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
    total = sum(apart) if power == 1 else float(sum(x * x for x in apart)) ** 0.5
    return float(total) * float(found.unit)


MECHANISMS = [
    pytest.param({"basis": "values"}, id="values"),
    pytest.param({"basis": "fourier", "coefficients": 5}, id="fourier"),
    pytest.param({"basis": "bspline", "bound": "3/2"}, id="splines with a bound"),
    pytest.param({"basis": "values", "bound": 2}, id="values with a bound"),
    pytest.param({"kernel": "matern"}, id="process"),
    pytest.param({"kernel": "gaussian", "bound": 50}, id="process with a loose bound"),
]


@pytest.mark.parametrize("options", MECHANISMS)
@given(data=st.data())
def test_no_two_curves_are_further_apart(options: dict[str, Any], data: st.DataObject) -> None:
    """In the whole numbers that are released, rounding and pulling included."""
    space = Curves(range(10), low=-1, high=1, step="1/50")
    rows = data.draw(arrays(np.int64, (2, 10), elements=st.sampled_from([0, 1, 37, 50, 99, 100])))
    for delta, power in ((0, 1), (1e-6, 2)):
        if "kernel" in options and not delta:
            continue
        make: Any = gaussian_process if "kernel" in options else curve_noise
        found = make(space, epsilon=1, delta=delta, **options)
        assert length(found, rows, power) <= float(found.sensitivity) * (1 + 1e-12)


@given(
    arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 5)),
           elements=st.integers(-(2**60), 2**60)),
    st.integers(1, 2**61),
)  # fmt: skip
def test_rows_are_pulled_into_the_ball_exactly(rows: np.ndarray, bound: int) -> None:
    for before, after in zip(rows.tolist(), pull(rows, bound).tolist(), strict=True):
        assert sum(x * x for x in after) <= bound * bound
        if sum(x * x for x in before) <= bound * bound:
            assert after == before
        assert all(abs(a) <= abs(b) and a * b >= 0 for a, b in zip(after, before, strict=True))


def test_flat_curves_reach_the_sensitivity_of_a_basis() -> None:
    """Δ2 is the distance of two flat curves at the bounds, in the norm with total weight 1."""
    for basis in ("fourier", "bspline", "bernstein"):
        found = curve_noise(
            Curves(range(30), low=0, high=7), epsilon=1, delta=1e-9, basis=basis, coefficients=6
        )
        assert float(found.sensitivity) == pytest.approx(7, rel=1e-5)


def test_each_position_gets_its_share() -> None:
    found = curve_noise(Curves(range(20), low=0, high=3), epsilon=2)
    assert found.sensitivity == 60
    assert found.scale == 30
    assert found.sensitivity_is_exact
