"""How much noise a curve needs: from a claim to a mechanism."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisewright.curves.bases import Kernel
from noisewright.curves.coordinates import Coordinates, in_basis, of_kernel
from noisewright.curves.noise import CurveNoise
from noisewright.curves.sensitivity import BY_ROOT, CurveSensitivity, l1_sensitivity, l2_sensitivity
from noisewright.errors import ParameterError, SpaceError
from noisewright.exact import Epsilon, Number, exactly, show, sqrt_bounds
from noisewright.mechanisms import Guarantee
from noisewright.privacy import gaussian_ratio
from noisewright.public import public
from noisewright.spaces import Curves

_LATTICE = 22
"""Sensitivities are about 2^22 lattice units: rounding to the lattice costs 10^-6 of the noise."""

_EPSILON_BITS = 192


@public
def curve_noise(
    space: Curves,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    delta: Number = 0,
    basis: str = "values",
    coefficients: int | None = None,
    bound: Number | None = None,
) -> CurveNoise:
    """Return a mechanism that releases curves, or their mean, with exact whole-number noise.

    delta=0 gives discrete Laplace noise, delta > 0 normal noise with the exact (ε, δ). `basis`:
    "values" adds noise at each position, which gets its share of ε; "fourier", "bspline" and
    "bernstein" project each curve on `coefficients` numbers by a map that is fixed in advance,
    and add noise to those. Without `coefficients` there are about 2 · positions^(1/3).
    `bound` pulls the coordinates of each curve, measured from the middle of the bounds, to at
    most this Euclidean length, which lowers sensitivity and bends curves that are longer.

    Requires: neighbors="replace" in the space.
    Ensures: `claim` for replacing one curve by any other, proven in whole numbers.
    """
    _require_curves(space)
    claim = Guarantee(epsilon, delta, alpha=alpha)
    return _calibrate(space, in_basis(space, basis, coefficients), claim, _read_bound(bound))


@public
def gaussian_process(
    space: Curves,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    delta: Number,
    kernel: str = "gaussian",
    length: Number | None = None,
    coefficients: int | None = None,
    bound: Number | None = None,
) -> CurveNoise:
    """Return a mechanism whose noise is a path of a Gaussian process, for curves or their mean.

    Each curve is written in the first eigenfunctions of the kernel on the grid, and pulled to a
    norm of at most `bound` in the kernel's Hilbert space, around the middle of its bounds. Two
    curves are then at most 2 · bound apart in that norm, which is what decides the privacy of a
    path (Hall–Rinaldo–Wasserman 2013). Without `bound`, flat curves at the
    bounds of the space just fit; rougher curves are pulled in more. Without `length`, the
    kernel's is a fifth of the grid's.

    Requires: neighbors="replace" in the space; 0 < delta < 1; `kernel` "gaussian", "matern" or
    "exponential".
    Ensures: `claim` for replacing one curve by any other, with the exact (ε, δ) of normal noise.
    """
    _require_curves(space)
    claim = Guarantee(epsilon, delta, alpha=alpha)
    if not 0 < claim.delta < 1:
        raise ParameterError(
            f"delta is {show(claim.delta)}; a Gaussian process needs 0 < delta < 1. For delta=0 "
            "use curve_noise."
        )
    span = space.grid[-1] - space.grid[0] or Fraction(1)
    chosen = span / 5 if length is None else exactly(length, name="length")
    coordinates = of_kernel(space, Kernel(kernel, float(chosen)), coefficients)
    limit = _read_bound(bound)
    if limit is None:
        # The longer half of the bounds, so that flat curves at both of them fit.
        flat = coordinates.matrix.astype(object).sum(axis=1) * -(-space.steps // 2)
        square = sum(int(x) ** 2 for x in flat)
        limit = _in_curve_units(Fraction(sqrt_bounds(Fraction(square), 0)[1]), space, coordinates)
    return _calibrate(space, coordinates, claim, limit)


def _require_curves(space: Any) -> None:
    if not isinstance(space, Curves):
        raise SpaceError(f"noise for curves needs a Curves space; got {type(space).__name__}.")
    if space.neighbors != "replace":
        raise SpaceError(
            "noise for curves protects a change of one curve to any other; the space must have "
            "neighbors='replace'."
        )


def _read_bound(bound: Number | None) -> Fraction | None:
    if bound is None:
        return None
    read = exactly(bound, name="bound")
    if read <= 0:
        raise ParameterError(f"bound is {show(read)}; a length must be positive.")
    return read


def _in_curve_units(value: Fraction, space: Curves, coordinates: Coordinates) -> Fraction:
    return value * space.step / (1 << coordinates.log2_scale)


def _calibrate(
    space: Curves, coordinates: Coordinates, claim: Guarantee, bound: Fraction | None
) -> CurveNoise:
    length = l2_sensitivity(coordinates.matrix, space.steps, space.weights)
    length = _with_bound(length, space, coordinates, bound)
    gaussian = claim.delta > 0
    count = coordinates.count
    found = length if gaussian else _l1(length, space, coordinates, bound)
    # Values themselves are whole steps already; everything else is rounded to the lattice.
    shift = 0
    if not coordinates.is_identity or bound is not None:
        shift = max(0, int(found.value).bit_length() - _LATTICE)
    lost = 0 if shift == 0 else _root(count) if gaussian else count
    moved = found.value / (1 << shift) + lost
    scale = moved / _rate(claim)
    unit = _in_curve_units(Fraction(1 << shift), space, coordinates)
    return CurveNoise(
        space=space,
        coordinates=coordinates,
        noise="gaussian" if gaussian else "laplace",
        claim=claim,
        sensitivity=moved * unit,
        sensitivity_is_exact=found.exact,
        scale=scale * unit,
        unit=unit,
        shift=shift,
        bound=bound,
    )


def _with_bound(
    found: CurveSensitivity, space: Curves, coordinates: Coordinates, bound: Fraction | None
) -> CurveSensitivity:
    if bound is None:
        return found
    ball = 2 * bound * (1 << coordinates.log2_scale) / space.step
    # A pulled row is within 1 + √K of the nearest point of the ball, and going to the nearest
    # point brings no two rows further apart.
    free = found.value + 2 * (1 + _root(coordinates.count))
    if ball <= free:
        return CurveSensitivity(ball, False, "twice the bound")
    return CurveSensitivity(free, False, found.how)


def _l1(
    length: CurveSensitivity, space: Curves, coordinates: Coordinates, bound: Fraction | None
) -> CurveSensitivity:
    if bound is None:
        return l1_sensitivity(coordinates.matrix, space.steps, length)
    return CurveSensitivity(_root(coordinates.count) * length.value, False, BY_ROOT)


def _root(count: int) -> Fraction:
    return Fraction(sqrt_bounds(Fraction(count), 64)[1], 1 << 64)


def _rate(claim: Guarantee) -> Fraction:
    """Return what sensitivity is divided by: ε for Laplace noise, μ for normal noise."""
    if claim.delta > 0:
        return gaussian_ratio(claim.epsilon, claim.delta)
    if claim.epsilon.is_zero:
        raise ParameterError(
            "epsilon is 0 and delta is 0: no noise is enough. Give a larger epsilon, or delta > 0."
        )
    bits = _EPSILON_BITS
    while (low := claim.epsilon.bounds(bits)[0]) <= 1 << 64:
        bits *= 2
    return Fraction(low, 1 << bits)
