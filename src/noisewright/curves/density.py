"""Kernel density estimates, released as a path of a Gaussian process.

    x_i      the numbers, on the grid of an Interval
    k        the Gaussian kernel with the bandwidth h, k(x, x) = 1
    f        = (1/n) Σ_i k(·, x_i) / (h √(2π)), the estimate
    t_j      knots, at most half a bandwidth apart
    Ψ(x)     = Λ^(-1/2) U' (k(t_1, x), …), where U Λ U' is the matrix k(t_i, t_j)

With the process's kernel equal to that of the estimate, replacing one number moves the sum of
k(·, x_i) by |k(·, x) − k(·, x')| = √(2 − 2 k(x, x')) ≤ √2 in the kernel's Hilbert space, however
many numbers and dimensions there are (Hall–Rinaldo–Wasserman 2013). Ψ(x) are the
coordinates of k(·, x) projected on the span of the knots, so they move by no more.

Here Ψ is a table: one row of whole numbers (multiples of 2^-20) for each point of the grid,
made in floating point and fixed before any data are seen. From then on the table is the
definition. Its sensitivity, the largest distance of two rows, is found exactly, over all pairs
of rows: no estimate of rounding is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisewright.curves.bases import Combined, Floats, Functions, Kernel, KernelFunctions
from noisewright.curves.curve_release import CurveRelease
from noisewright.errors import InputError, ParameterError, SpaceError, TooLargeError
from noisewright.exact import Epsilon, Number, exactly, show, sqrt_bounds
from noisewright.mechanisms import Guarantee
from noisewright.privacy import gaussian_ratio
from noisewright.public import public, public_methods
from noisewright.sampling import Source, rounded_normal
from noisewright.spaces import Interval

_BITS = 20
_MOST_POINTS = 1 << 13
_MOST_KNOTS = 512
_SMALLEST_DIRECTION = 1e-8
_REACH = 3
"""The density is drawn this many bandwidths beyond the bounds, where the estimate still is."""

_BLOCK = 1 << 10


@public_methods
@final
@dataclass(frozen=True, eq=False)
class DensityNoise:
    """A mechanism that releases a kernel density estimate of numbers in an interval.

    `claim` holds for replacing one number by any other. `sensitivity` is how far that moves the
    sum of the numbers' coordinates, exactly; at most √2 up to rounding. `scale` is the
    deviation of the noise in each coordinate of the sum.
    """

    space: Interval
    bandwidth: float
    claim: Guarantee
    table: NDArray[np.int64]
    functions: Functions
    sensitivity: Fraction
    scale: Fraction

    def __repr__(self) -> str:
        return f"<density of {self.space!r}, bandwidth {self.bandwidth:g}, {self.claim}>"

    def sample(
        self,
        values: Any,
        *,
        outside: Literal["error", "clamp"] = "error",
        source: Source | None = None,
    ) -> CurveRelease:
        """Release the density estimate of these numbers; how many they are is public.

        Numbers are rounded to the grid of the space. Numbers outside the bounds are an error
        unless outside="clamp"; NaN and infinities always are.
        """
        codes = self._codes(values, outside)
        if not codes.size:
            raise InputError("there are no numbers to take the density of; give at least one.")
        # Counts first: the sum is then one product of whole numbers, whatever their order.
        counts = np.bincount(codes, minlength=self.space.size).astype(object)
        summed = counts @ self.table.astype(object)
        noise = rounded_normal(self.lattice_scale, summed.size, source)
        return self._show(codes.size, (summed + noise.astype(object))[None, :])

    @property
    def lattice_scale(self) -> Fraction:
        """The deviation of the noise in the whole numbers of the table."""
        return self.scale * (1 << _BITS)

    def numbers(self, values: Any) -> NDArray[np.int64]:
        """Return the row of the table for each number, before they are added up."""
        return self.table[self._codes(values, "error")]

    def standard_error(self, positions: ArrayLike | None = None, *, rows: int) -> Floats:
        """Return the deviation of the noise at positions, for a density of `rows` numbers."""
        return self._show(rows, np.zeros((0, self.functions.count))).standard_error(positions)

    def covariance(self, positions: ArrayLike | None = None, *, rows: int) -> Floats:
        """Return the covariance of the noise at positions, for a density of `rows` numbers."""
        return self._show(rows, np.zeros((0, self.functions.count))).covariance(positions)

    def _codes(self, values: Any, outside: str) -> NDArray[np.intp]:
        if outside not in ("error", "clamp"):
            raise ParameterError(f"outside is {outside!r}; it must be 'error' or 'clamp'.")
        try:
            if hasattr(values, "to_numpy"):
                values = values.to_numpy()
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            numbers = None
        if numbers is None:
            raise InputError("the values are not numbers; give a list or column of them.")
        if numbers.ndim != 1:
            raise InputError(
                f"the values have {numbers.ndim} dimensions; give one list of numbers."
            )
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise self.space.outside(row=row, why="it is not a finite number")
        if outside == "clamp":
            numbers = np.clip(numbers, float(self.space.low), float(self.space.high))
        if not numbers.size:
            return np.empty(0, dtype=np.intp)
        return self.space.encode(self.space.nearest(numbers))

    def _show(self, rows: int, numbers: NDArray[Any]) -> CurveRelease:
        if rows < 1:
            raise InputError(f"rows is {rows}; a density needs at least one number.")
        height = Fraction(1 / (self.bandwidth * math.sqrt(2 * math.pi))) / rows
        reach = _REACH * self.bandwidth
        grid = np.linspace(float(self.space.low) - reach, float(self.space.high) + reach, 201)
        return CurveRelease(
            numbers=numbers,
            unit=height / (1 << _BITS),
            functions=self.functions,
            grid=grid,
            middle=0.0,
            bounds=(0.0, math.inf),
            noise="gaussian",
            scale=self.scale * height,
            claim=self.claim,
        )


@public
def kernel_density(
    space: Interval,
    *,
    bandwidth: Number,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    delta: Number,
) -> DensityNoise:
    """Return a mechanism that releases the kernel density estimate of numbers in an interval.

    The estimate uses a Gaussian kernel of the given bandwidth, which must not come from the
    data, and gets the path of a Gaussian process with the same kernel as noise. The release can
    be read at any position, any number of times.

    Requires: an Interval of at most 8,192 points with neighbors="replace"; 0 < delta < 1.
    Ensures: `claim` for replacing one number by any other, with the exact (ε, δ) of normal
    noise.
    Source: Hall–Rinaldo–Wasserman 2013.
    """
    if not isinstance(space, Interval) or space.neighbors != "replace":
        raise SpaceError(
            "a density needs an Interval with neighbors='replace': any number may become any other."
        )
    if space.size > _MOST_POINTS:
        raise TooLargeError(
            f"the interval has {space.size:,} points; a density takes at most {_MOST_POINTS:,}. "
            "Use a coarser step; a tenth of the bandwidth is fine enough.",
            size=space.size,
        )
    claim = Guarantee(epsilon, delta, alpha=alpha)
    if not 0 < claim.delta < 1:
        raise ParameterError(
            f"delta is {show(claim.delta)}; a Gaussian process needs 0 < delta < 1."
        )
    width = float(exactly(bandwidth, name="bandwidth"))
    functions = _functions(space, Kernel("gaussian", width))
    points = np.array([float(space.low + code * space.step) for code in range(space.size)])
    table = np.rint(functions.at(points) * 2.0**_BITS).astype(np.int64)
    table.setflags(write=False)
    square = largest_square(table)
    moved = Fraction(sqrt_bounds(Fraction(square), 64)[1], 1 << 64) / (1 << _BITS)
    scale = moved / gaussian_ratio(claim.epsilon, claim.delta)
    return DensityNoise(space, width, claim, table, functions, moved, scale)


def _functions(space: Interval, kernel: Kernel) -> Functions:
    """Return Ψ as functions of a position."""
    low, high = float(space.low), float(space.high)
    # One bandwidth beyond the bounds, so that estimates near them are drawn well outside, too.
    first, last = low - kernel.length, high + kernel.length
    if not math.isfinite(last - first):
        raise ParameterError(f"bandwidth is {kernel.length:g}; use one like the interval's width.")
    half = kernel.length / 2
    needed = (last - first) / half + 1 if half else math.inf
    if needed > _MOST_KNOTS:
        raise ParameterError(
            f"bandwidth is {kernel.length:g}, which needs {needed:,.0f} knots between {low:g} and "
            f"{high:g}; at most {_MOST_KNOTS} are used. Use a wider one."
        )
    knots = np.linspace(first, last, math.ceil((last - first) / half) + 1)
    sizes, vectors = np.linalg.eigh(kernel.matrix(knots, knots))
    kept = sizes > _SMALLEST_DIRECTION * sizes.max()
    return Combined(KernelFunctions(kernel, knots), vectors[:, kept] / np.sqrt(sizes[kept]))


def largest_square(table: NDArray[np.int64]) -> int:
    """Return the largest squared distance of two rows, exactly.

    Doubles hold every whole number below 2^53, and all sums here are below it.
    """
    rows = table.astype(np.float64)
    squares = (rows * rows).sum(axis=1)
    if squares.max(initial=0) >= 2**50:
        raise ParameterError("the rows of the table are too long to be compared exactly.")
    largest = 0
    for start in range(0, len(rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        apart = squares[part, None] + squares[None, :] - 2 * (rows[part] @ rows.T)
        largest = max(largest, int(apart.max()))
    return largest
