"""Noise for curves: in the values, in a basis, or as a path of a Gaussian process.

    C      the coordinates of a curve, whole numbers (see `coordinates.py`)
    2^s    the lattice: C is rounded to multiples of it, so that noise numbers stay short
    N      whole-number noise in units of 2^s: discrete Laplace, or a normal number rounded

What is released is round(C / 2^s) + N, one whole number for each coordinate, drawn exactly.

Laplace: two curves move Σ_k |C_k| by at most Δ1, and the rounded numbers by at most
Δ1 / 2^s + K, since rounding moves a difference by less than 1. With scale b = that / ε the
probabilities of every output differ by a factor of at most e^ε. Normal: the rounded numbers
move by at most Δ2 / 2^s + √K (Minkowski). N is a normal number rounded, and the first part
is whole, so the release is a normal vector around whole numbers, rounded afterwards:
post-processing of a mechanism whose exact guarantee `privacy/formulas/gaussian.py` encloses.

A mean adds up C over the curves before it is rounded: one curve moves the sum as far as it
moves itself, so the noise is the same and the mean has 1/n of it. With `bound`, C of each
curve is first pulled into a ball by whole-number arithmetic: then two curves are at most
2 · bound apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisewright.curves.bases import Floats
from noisewright.curves.certificate import description, without_form
from noisewright.curves.coordinates import Coordinates
from noisewright.curves.curve_release import Band, CurveRelease, Noise, noise_variance
from noisewright.curves.sensitivity import CurveSensitivity, l1_sensitivity, l2_sensitivity
from noisewright.errors import InputError
from noisewright.exact import Epsilon
from noisewright.mechanisms import CurveMechanism, Guarantee
from noisewright.on_use import pa
from noisewright.privacy import gaussian_delta
from noisewright.sampling import Source, rounded_normal, two_sided_geometric
from noisewright.spaces import Curves, RowError, read_rows


@final
@dataclass(frozen=True, eq=False)
class CurveNoise(CurveMechanism):
    """A mechanism for curves: exact whole-number noise in fixed coordinates.

    A column of curves in a product of columns (`nw.combine.product(load=…)`) is released as rows of
    values.

    `claim` holds for replacing one curve by any other. `sensitivity` is how far that moves the
    coordinates, proven: Σ|·| for Laplace noise, the Euclidean length for Gaussian noise, in
    the units of the curves; `sensitivity_is_exact` says whether some two curves reach it. `scale`
    is that of the noise. `bound` is the length that coordinates are pulled to, or None.
    """

    space: Curves
    coordinates: Coordinates
    noise: Noise
    claim: Guarantee
    sensitivity: Fraction
    sensitivity_is_exact: bool
    scale: Fraction
    unit: Fraction
    shift: int
    bound: Fraction | None = None

    def __repr__(self) -> str:
        return (
            f"<{self.noise} noise for {len(self.space.grid):,} positions "
            f"({self.coordinates.name}), {self.claim}>"
        )

    def sample(
        self,
        inputs: Any,
        *,
        outside: Literal["error", "clamp"] = "error",
        source: Source | None = None,
    ) -> CurveRelease:
        """Release each curve, with noise of its own.

        Ensures: `claim` for each row, and so for the whole table when one row changes
        (Holohan–Leith–Mason 2015, Theorem 5).
        """
        drawn = self.sample_steps(self.space.read(inputs, outside=outside), source=source)
        return replace(drawn, clamps=outside == "clamp")

    def sample_steps(
        self, steps: NDArray[np.int64], *, source: Source | None = None
    ) -> CurveRelease:
        """Release curves that were read before, as `Curves.read` gives them."""
        return self._release(self.exact(steps), 1, source)

    def sample_column(self, column: Any, *, source: Source | None = None) -> Any:
        """Release a column of curves as rows of values on the grid.

        An Arrow column of lists comes back as one, everything else as an array with a row for
        each curve.
        """
        return _as_column(self.sample(column, source=source).values, column)

    def mean(
        self,
        curves: Any,
        *,
        outside: Literal["error", "clamp"] = "error",
        source: Source | None = None,
    ) -> CurveRelease:
        """Release the mean of the curves, with 1/n of the noise; n itself is public.

        Ensures: `claim` when one curve is replaced by any other.
        """
        steps = self.space.read(curves, outside=outside)
        if not len(steps):
            raise InputError("there are no curves to take the mean of; give at least one.")
        drawn = self._release(_sum_rows(self.exact(steps)), len(steps), source)
        return replace(drawn, clamps=outside == "clamp")

    def exact(self, steps: NDArray[np.int64]) -> NDArray[Any]:
        """Return C of each curve, given as whole steps above low, before rounding and noise."""
        found = self.coordinates.of(steps - self.space.steps // 2)
        if self.bound is None:
            return found
        return pull(found, self._exact_bound(self.bound))

    def _exact_bound(self, bound: Fraction) -> int:
        scaled = bound / self.space.step * (1 << self.coordinates.log2_scale)
        return scaled.numerator // scaled.denominator

    def _release(self, whole: NDArray[Any], rows: int, source: Source | None) -> CurveRelease:
        numbers = rounded_off(whole, self.shift)
        drawn = self._draw(numbers.size, source).reshape(numbers.shape)
        if numbers.dtype != np.int64 or drawn.dtype != np.int64:
            numbers, drawn = numbers.astype(object), drawn.astype(object)
        return self._shown_as(numbers + drawn, rows)

    @property
    def _middle(self) -> Fraction:
        return self.space.low + self.space.steps // 2 * self.space.step

    def _shown_as(self, numbers: NDArray[Any], rows: int) -> CurveRelease:
        return CurveRelease(
            numbers=numbers,
            unit=self.unit / rows,
            functions=self.coordinates.functions,
            grid=self.space.positions,
            middle=float(self._middle),
            bounds=(float(self.space.low), float(self.space.high)),
            noise=self.noise,
            scale=self.scale / rows,
            claim=self.claim,
        )

    def recover(self, values: Any) -> CurveRelease:
        """Return released curves from their values on the grid: whole numbers again.

        The numbers are those nearest to the least-squares coordinates of the values, which are
        exact but for the rounding of doubles. Takes what `Curves.read` takes.
        Raises: OutsideSpaceError when values are no released curve, beyond rounding.
        """
        functions = self.coordinates.functions
        drawn = functions.at(self.space.positions)
        try:
            read = read_rows(values, length=len(self.space.grid))
            moved = read - float(self._middle)
            whole = np.rint(moved @ np.linalg.pinv(drawn).T / float(self.unit))
            gap = np.abs(moved - float(self.unit) * whole @ drawn.T).max(axis=1, initial=0.0)
            nearly = 1e-3 * float(self.unit) * float(np.abs(drawn).max()) + 1e-12 * np.abs(
                read
            ).max(axis=1, initial=0.0)
            if not (gap <= nearly).all():
                row = int(np.argmin(gap <= nearly))
                raise RowError("its values are not those of a released curve", row=row)
        except RowError as problem:
            raise self.space.outside(row=problem.row, why=str(problem)) from problem
        return self._shown_as(_whole(whole), 1)

    def show(self, coordinates: ArrayLike) -> CurveRelease:
        """Return curves with these coordinates, a row each, as if they were released."""
        return self._shown_as(np.asarray(coordinates, dtype=np.float64) / float(self.unit), 1)

    def _draw(self, count: int, source: Source | None) -> NDArray[Any]:
        scale = self.scale / self.unit
        if self.noise == "gaussian":
            return rounded_normal(scale, count, source)
        return two_sided_geometric(Epsilon(rational=1 / scale), count, source)

    def covariance(self, positions: ArrayLike | None = None, *, rows: int = 1) -> Floats:
        """Return the covariance of the noise at positions, before any release.

        `rows` is the number of curves that a mean is taken over.
        """
        return self._show(rows).covariance(positions)

    def standard_error(self, positions: ArrayLike | None = None, *, rows: int = 1) -> Floats:
        """Return the deviation of the noise at positions, before any release."""
        return self._show(rows).standard_error(positions)

    def noise_band(
        self,
        positions: ArrayLike | None = None,
        *,
        level: float = 0.95,
        simultaneous: bool = True,
        rows: int = 1,
    ) -> Band:
        """Return the band around zero that holds the noise with probability of at least `level`."""
        planned = self._show(rows)
        where = planned.grid if positions is None else np.atleast_1d(np.asarray(positions, float))
        reach = planned.reach(where, level=level, simultaneous=simultaneous)
        return Band(where, np.zeros(where.size), -reach, reach, level)

    def expected_error(self, *, rows: int = 1) -> float:
        """Return the root mean square of the noise over the grid, by its quadrature weights."""
        weights = np.array([float(w) for w in self.space.weights])
        return float(np.sqrt(self.standard_error(rows=rows) ** 2 @ weights / weights.sum()))

    @property
    def moved(self) -> Fraction:
        """How far replacing a curve moves the released numbers, in whole numbers: a bound."""
        if self.noise == "gaussian" or self.bound is not None:
            return self.sensitivity / self.unit
        found = self.reach.value / (1 << self.shift)
        return found if self.shift == 0 else found + self.coordinates.count

    @cached_property
    def reach(self) -> CurveSensitivity:
        """How far replacing a curve moves C, as Σ|·|, proven anew from the whole numbers."""
        matrix, steps, weights = self.coordinates.matrix, self.space.steps, self.space.weights
        return l1_sensitivity(matrix, steps, l2_sensitivity(matrix, steps, weights))

    def measure(self) -> CurveNoise:
        """Return the same Laplace noise with its sensitivity found anew."""
        exact = self.reach.exact
        return replace(self, sensitivity=self.moved * self.unit, sensitivity_is_exact=exact)

    @property
    def decay(self) -> Fraction:
        """What one whole number more costs: Laplace noise of z has a weight of e^(−decay·|z|)."""
        return self.unit / self.scale

    def pure_epsilon(self) -> Epsilon | None:
        """Return an ε that holds at δ = 0 for every two curves; None for normal noise."""
        return None if self.noise == "gaussian" else Epsilon(rational=self.moved * self.decay)

    @property
    def is_tight(self) -> bool:
        """Whether no smaller ε than `pure_epsilon` holds: some two curves move that far."""
        plain = self.noise == "laplace" and self.bound is None and self.shift == 0
        return plain and self.reach.exact

    def within(self, guarantee: Guarantee) -> bool:
        """Tell whether a guarantee can be proven; False may mean that it cannot be decided."""
        pure = self.pure_epsilon()
        if pure is not None:
            return pure <= guarantee.epsilon
        ratio = self.sensitivity / self.scale
        return gaussian_delta(ratio=ratio, epsilon=guarantee.epsilon).high <= guarantee.delta

    def without_form(self) -> str | None:
        """Say why no certificate can be written; None if one can."""
        return without_form(self)

    def describe(self) -> dict[str, Any]:
        """Return the map in whole numbers and the noise as a certificate writes them."""
        return description(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CurveNoise) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    @cached_property
    def _parts(self) -> tuple[Any, ...]:
        matrix = tuple(map(tuple, self.coordinates.matrix.tolist()))
        numbers = (self.scale, self.unit, self.shift, self.bound)
        return self.space, matrix, self.coordinates.log2_scale, self.noise, *numbers

    @property
    def variance(self) -> float:
        """The variance of the noise in each coordinate of one curve."""
        return noise_variance(self.noise, self.scale, self.unit)

    def _show(self, rows: int) -> CurveRelease:
        if rows < 1:
            raise InputError(f"rows is {rows}; a mean needs at least one curve.")
        nothing = np.zeros((0, self.coordinates.count), dtype=np.int64)
        return self._shown_as(nothing, rows)


def _whole(numbers: Floats) -> NDArray[Any]:
    """Return doubles that are whole numbers as integers, of Python where they are long."""
    if np.abs(numbers).max(initial=0.0) < 2.0**62:
        return numbers.astype(np.int64)
    return np.array([[int(x) for x in row] for row in numbers.tolist()], dtype=object)


def rounded_off(whole: NDArray[Any], shift: int) -> NDArray[Any]:
    """Return whole / 2^shift to the nearest whole number, halves upwards."""
    return whole if shift == 0 else (whole + (1 << (shift - 1))) >> shift


def pull(whole: NDArray[Any], bound: int) -> NDArray[Any]:
    """Pull rows of whole numbers into the ball of radius `bound`; exact, towards zero.

    Ensures: Σ_k C_k² ≤ bound² for each row of the result.
    """
    floats = whole.astype(np.float64)
    # Doubles pass rows that are clearly inside; whole numbers decide the others.
    unclear = np.flatnonzero((floats * floats).sum(axis=1) > float(bound) ** 2 * (1 - 1e-9))
    result = whole.copy()
    for place in unclear.tolist():
        row = [int(x) for x in whole[place]]
        square = sum(x * x for x in row)
        if square > bound * bound:
            longer = isqrt(square) + 1
            result[place] = [abs(x) * bound // longer * (1 if x >= 0 else -1) for x in row]
    return result


def _sum_rows(whole: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of the rows as one row of Python integers, whatever their number."""
    if whole.dtype == object:
        return whole.sum(axis=0)[None, :]
    high, low = (whole >> 31).sum(axis=0), (whole & ((1 << 31) - 1)).sum(axis=0)
    return ((high.astype(object) << 31) + low.astype(object))[None, :]


def _as_column(values: Floats, given: Any) -> Any:
    """Return rows of values as an Arrow column of lists if one was given, else as they are."""
    if type(given).__module__.split(".")[0] != "pyarrow":
        return values
    kind = given.type
    flat = pa.array(np.ascontiguousarray(values).reshape(-1))
    if pa.types.is_fixed_size_list(kind):
        column = pa.FixedSizeListArray.from_arrays(flat, values.shape[1])
    else:
        offsets = np.arange(len(values) + 1) * values.shape[1]
        large = pa.types.is_large_list(kind)
        maker = pa.LargeListArray if large else pa.ListArray
        column = maker.from_arrays(pa.array(offsets.astype(np.int64 if large else np.int32)), flat)
    return pa.chunked_array([column]) if isinstance(given, pa.ChunkedArray) else column
