"""Coordinates of a curve: a fixed linear map in whole numbers, and functions to draw it again.

    v      the curve as whole steps from the middle of its bounds, one number per position
    A      a matrix of whole numbers, K × positions, fixed before any data are seen
    C      = A v, whole numbers; the coordinates are C · step / 2^p
    ψ_k    the functions; the curve is drawn again as middle + Σ_k (coordinate k) · ψ_k(t)

A is proposed in floating point and rounded to multiples of 2^-p; from then on the rounded
matrix is the definition, and C is computed without error. What is proven about sensitivity
is proven of this A. The ψ_k are evaluated in floating point: they only touch what was released.

For a basis, A projects on its span by least squares with the quadrature weights of the grid,
and the coordinates are those of an orthonormal basis of the span, so that the same noise in
each of them spreads evenly over all functions of the span. For a kernel, the functions are the
first eigenfunctions of the kernel on the grid, times the root of their eigenvalue: the length
of the vector of coordinates is then the norm of the kernel's Hilbert space, and equal noise in
each coordinate is a path of the Gaussian process (to K terms).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.curves.bases import (
    Bernstein,
    BSplines,
    Combined,
    Floats,
    Fourier,
    Functions,
    Hats,
    Kernel,
    KernelFunctions,
)
from noisewright.errors import ParameterError
from noisewright.given import one_of
from noisewright.spaces import Curves, whole_number

BASES = ("values", "fourier", "bspline", "bernstein")

_MOST_COORDINATES = 128
_FINEST = 30
"""Multiples of 2^-30 are far finer than any noise, and far coarser than how machines differ."""

_COARSEST = 20


@dataclass(frozen=True, eq=False)
class Coordinates:
    """A linear map in whole numbers, and the functions that invert it on its span."""

    name: str
    matrix: NDArray[Any]
    log2_scale: int
    functions: Functions

    def __post_init__(self) -> None:
        self.matrix.setflags(write=False)

    @property
    def count(self) -> int:
        """How many coordinates there are."""
        return self.matrix.shape[0]

    @property
    def is_identity(self) -> bool:
        """Whether the coordinates are the values themselves."""
        return self.name == "values"

    def of(self, steps: NDArray[Any]) -> NDArray[Any]:
        """Return C for each row of steps from the middle, exactly."""
        if self.is_identity:
            return steps
        return steps.astype(self.matrix.dtype) @ self.matrix.T


def default_count(positions: int) -> int:
    """Return how many coordinates there are unless the caller says: odd, about 2 · positions^(1/3).

    A rule for smooth curves that looks at no data: the more positions, the finer, but far fewer
    coordinates than positions, since each costs its share of privacy.
    """
    return min(positions, 2 * math.ceil(positions ** (1 / 3) - 1e-9) + 1)


def in_basis(space: Curves, basis: str, count: int | None) -> Coordinates:
    """Return orthonormal coordinates of the span of a basis; "values" for no basis."""
    basis = one_of(basis, ("values", *BASES), name="basis")
    if basis == "values":
        if count is not None:
            raise ParameterError(
                "coefficients= is for a basis; basis='values' has one number for each position."
            )
        size = len(space.grid)
        return Coordinates("values", np.eye(size, dtype=np.int64), 0, Hats(space.positions))
    positions, share = _grid(space)
    span = _span(basis, _read_count(count, space), positions)
    # Columns of `ortho` are the functions at the positions, orthonormal under the weights.
    ortho, upper = np.linalg.qr(np.sqrt(share)[:, None] * span.at(positions))
    # Libraries of linear algebra may differ in signs; the same curves need the same map anywhere.
    signs = np.where(np.diag(upper) < 0, -1.0, 1.0)
    ortho, upper = ortho * signs, signs[:, None] * upper
    pivots = np.abs(np.diag(upper))
    if pivots.min() < 1e-9 * pivots.max():
        raise ParameterError(
            f"{span.count} functions of the basis {basis!r} are not independent on this grid. Ask "
            "for fewer coefficients."
        )
    functions = Combined(span, np.linalg.inv(upper))
    return _round(
        f"{basis}, {span.count} coefficients", space, (ortho * np.sqrt(share)[:, None]).T, functions
    )


def from_matrix(space: Curves, basis: str, whole: NDArray[Any], log2_scale: int) -> Coordinates:
    """Return coordinates whose matrix is known, as `in_basis` has once made them.

    The matrix is taken as it is. The functions only draw what was released: they are the
    combinations of the basis that come nearest to inverting it on the grid.
    """
    if basis not in BASES[1:]:
        raise ParameterError(
            f"basis is {basis!r}; it must be one of {', '.join(map(repr, BASES[1:]))}."
        )
    positions, share = _grid(space)
    span = _span(basis, len(whole), positions)
    ortho = (whole.astype(np.float64) / 2.0**log2_scale / np.sqrt(share)).T
    combined = np.linalg.lstsq(np.sqrt(share)[:, None] * span.at(positions), ortho, rcond=None)[0]
    size = int(np.abs(whole).max()) * space.steps * len(space.grid)
    matrix = whole.astype(np.int64) if size.bit_length() <= 62 else whole
    name = f"{basis}, {span.count} coefficients"
    return Coordinates(name, matrix, log2_scale, Combined(span, combined.astype(np.float64)))


def of_kernel(space: Curves, kernel: Kernel, count: int | None) -> Coordinates:
    """Return coordinates whose length is the norm of the kernel's Hilbert space, to K terms."""
    positions, share = _grid(space)
    root = np.sqrt(share)
    values, vectors = np.linalg.eigh(root[:, None] * kernel.matrix(positions, positions) * root)
    wanted = _read_count(count, space)
    largest = np.argsort(values)[::-1][:wanted]
    size, vectors = values[largest], vectors[:, largest]
    if size.min() < 1e-10 * size.max():
        most = int(np.sum(values > 1e-10 * values.max()))
        raise ParameterError(
            f"a {kernel.name} kernel of length {kernel.length:g} has only {most} directions on "
            f"this grid that are larger than rounding; {wanted} were asked for. Ask for fewer "
            "coefficients or a shorter length."
        )
    name = f"{kernel.name} process of length {kernel.length:g}, {wanted} coefficients"
    functions = Combined(
        KernelFunctions(kernel, positions), root[:, None] * vectors / np.sqrt(size)
    )
    return _round(name, space, (root[:, None] * vectors / np.sqrt(size)).T, functions)


def _grid(space: Curves) -> tuple[Floats, Floats]:
    """Return the positions and the share of the quadrature weight that each has."""
    weights = np.array([float(w) for w in space.weights])
    return space.positions, weights / weights.sum()


def _read_count(count: int | None, space: Curves) -> int:
    positions = len(space.grid)
    if count is None:
        return default_count(positions)
    read = whole_number(count, name="coefficients", least=1)
    most = min(positions, _MOST_COORDINATES)
    if read > most:
        raise ParameterError(
            f"coefficients is {read}; curves with {positions:,} positions have at most {most}. "
            "basis='values' gives each position its own number."
        )
    return read


def _span(basis: str, count: int, positions: Floats) -> Functions:
    start, length = float(positions[0]), float(positions[-1] - positions[0])
    if positions.size == 1:
        length = 1.0
    if basis == "fourier":
        # The first position after the grid is the first one again, as for hours of a day.
        return Fourier(count, start, length * positions.size / max(positions.size - 1, 1))
    if basis == "bernstein":
        return Bernstein(count, start, length)
    return BSplines(count, positions)


def _round(name: str, space: Curves, matrix: Floats, functions: Functions) -> Coordinates:
    """Round the matrix to multiples of 2^-p, so that A v fits into 64 bits or is exact anyway."""
    largest = math.ceil(float(np.abs(matrix).max())) + 1
    room = 62 - (space.steps * len(space.grid) * largest).bit_length()
    if room >= _COARSEST:
        bits = min(room, _FINEST)
        whole = np.rint(matrix * 2.0**bits).astype(np.int64)
        return Coordinates(name, whole, bits, functions)
    scaled = np.rint(matrix * 2.0**_FINEST)
    exact = np.array([[int(x) for x in row] for row in scaled.tolist()], dtype=object)
    return Coordinates(name, exact, _FINEST, functions)
