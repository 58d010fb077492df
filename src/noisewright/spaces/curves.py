"""Curves: functional records, such as a day of a smart meter or a child's growth.

    t_1 < … < t_T   the positions, `grid`
    m               the number of steps from low to high
    w_j             the quadrature weights of the trapezoid rule: half the distance between the
                    positions before and after t_j, at the ends half the distance to the only
                    one next to it; a single position has weight 1

A curve has a value at each position. Its code is a number with one digit in base m + 1 for
each position.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError, SpaceError
from noisewright.exact import Number, sqrt_bounds
from noisewright.given import brief, several
from noisewright.spaces.curve_rows import RowError, read_rows
from noisewright.spaces.grid import as_written, steps_to
from noisewright.spaces.metric import Distance, Metric, simplest
from noisewright.spaces.neighbors import Neighbors
from noisewright.spaces.space import Space

DEFAULT_STEPS = 4096
"""Without `step=`, values lie on a grid of this many steps from low to high."""

_MOST_STEPS = 1 << 40
_ROOT_BITS = 64


@dataclass(frozen=True)
class Curves(Space):
    """Curves on a grid of positions, with values low, low + step, …, high.

    `norm` is the metric: "sup", the largest difference at any position, or "L2", the root of
    the integral of the squared difference by the trapezoid rule on the grid (rounded up to
    2^-64 steps where it is irrational). Without `step` there are 4,096 steps from low to high.
    Every two curves are neighbors: one person's curve may become any other.
    """

    grid: tuple[Fraction, ...]
    low: Fraction = field(kw_only=True)
    high: Fraction = field(kw_only=True)
    step: Fraction = field(kw_only=True)
    neighbors: Neighbors = field(default="replace", kw_only=True)
    metric: Metric = field(default="sup", kw_only=True)

    def __init__(
        self,
        grid: Iterable[Number],
        *,
        low: Number,
        high: Number,
        step: Number | None = None,
        norm: Any = "sup",
        neighbors: Any = "replace",
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "grid", _read_grid(grid))
        set_field(self, "low", as_written(low, name="low"))
        set_field(self, "high", as_written(high, name="high"))
        if not self.low < self.high:
            raise SpaceError(f"Curves with low={low} and high={high}: low must be below high.")
        if step is None:
            set_field(self, "step", (self.high - self.low) / DEFAULT_STEPS)
        else:
            set_field(self, "step", as_written(step, name="step"))
        if self.step <= 0:
            raise SpaceError(f"step is {brief(step)}; it must be positive.")
        if (self.high - self.low) % self.step:
            raise SpaceError(
                f"from {low} to {high} is not a whole number of steps of {step}. Change a bound "
                "or the step, or leave out step."
            )
        if self.steps > _MOST_STEPS:
            raise SpaceError(
                f"step is {step}, which makes {self.steps:,} steps; at most {_MOST_STEPS:,} are "
                "read from doubles. Use a coarser step."
            )
        if isinstance(neighbors, str) and neighbors == "metric":
            # Distances of curves may be rounded up, and the releases of curves promise one ε.
            raise SpaceError(
                "curves have no neighbors='metric'. Leave neighbors out: every two curves are then "
                "neighbors."
            )
        self._read_relations(neighbors, norm, metrics=("sup", "L2", "discrete"))

    def __repr__(self) -> str:
        first, last = float(self.grid[0]), float(self.grid[-1])
        where = f"{len(self.grid):,} positions from {first:.6g} to {last:.6g}"
        if len(self.grid) == 1:
            where = f"1 position at {first:.6g}"
        return (
            f"Curves({where}, low={self.low}, high={self.high}, step={self.step}, "
            f"norm={self.metric!r})"
        )

    @property
    def steps(self) -> int:
        """How many steps there are from low to high."""
        return int((self.high - self.low) / self.step)

    @property
    def norm(self) -> Metric:
        """The metric under the name that functions use for it."""
        return self.metric

    @property
    def size(self) -> int:
        """How many curves there are."""
        return (self.steps + 1) ** len(self.grid)

    @property
    def of_tuples(self) -> bool:
        """A curve is the tuple of its values."""
        return True

    @property
    def positions(self) -> NDArray[np.float64]:
        """The grid as doubles."""
        return np.array([float(t) for t in self.grid])

    @cached_property
    def weights(self) -> tuple[Fraction, ...]:
        """The weights of the trapezoid rule on the grid; one position has weight 1."""
        if len(self.grid) == 1:
            return (Fraction(1),)
        gaps = [b - a for a, b in pairwise(self.grid)]
        return tuple((a + b) / 2 for a, b in zip([Fraction(0), *gaps], [*gaps, 0], strict=True))

    def point(self, code: int) -> tuple[float, ...]:
        """Return the values of the curve with this code."""
        if not 0 <= code < self.size:
            raise self.outside()
        return tuple(float(self.low + digit * self.step) for digit in self.split(int(code)))

    def split(self, code: int) -> tuple[int, ...]:
        """Return the steps above low of a curve's code, position by position."""
        digits: list[int] = []
        for _ in self.grid:
            code, last = divmod(code, self.steps + 1)
            digits.append(last)
        return tuple(reversed(digits))

    def join(self, digits: Iterable[int]) -> int:
        """Return the code of a curve from its steps above low."""
        code = 0
        for digit in digits:
            code = code * (self.steps + 1) + int(digit)
        return code

    def code(self, point: Any) -> int:
        """Return the code of a curve whose values are on the grid of values."""
        if isinstance(point, (str, bytes)) or not isinstance(point, (Iterable, np.ndarray)):
            raise self.outside(why="it is not a sequence of numbers")
        values = list(np.atleast_1d(point) if isinstance(point, np.ndarray) else point)
        if len(values) != len(self.grid):
            raise self.outside(why=f"a curve has {len(self.grid):,} values")
        digits: list[int] = []
        for place, value in enumerate(values):
            steps = None if isinstance(value, bool) else steps_to(value, self.low, self.step)
            if steps is None:
                raise self.outside(why=f"position {place + 1} is not a finite number")
            if not steps.on_grid:
                why = f"position {place + 1} is not on the grid of values; see Curves.read"
                raise self.outside(why=why)
            if not 0 <= steps.nearest <= self.steps:
                raise self.outside(why=f"position {place + 1} is outside the bounds")
            digits.append(steps.nearest)
        return self.join(digits)

    def read(
        self, curves: Any, *, outside: Literal["error", "clamp"] = "error"
    ) -> NDArray[np.int64]:
        """Return curves as whole steps above low, one row for each curve.

        Accepts a two-dimensional array, a list of curves, an Arrow column of lists (of fixed size
        or not), or one curve. Values are rounded to the nearest step. Values outside the bounds
        are an error unless outside="clamp", infinite ones too; NaN always is.
        Ensures: whole numbers from 0 to `steps`, whatever was given.
        """
        if outside not in ("error", "clamp"):
            raise ParameterError(f"outside is {outside!r}; it must be 'error' or 'clamp'.")
        try:
            values = read_rows(curves, length=len(self.grid))
            _require(~np.isnan(values), "is not a number")
            if outside == "error":
                _require(np.isfinite(values), "is not a finite number")
                _require(values >= float(self.low), "is below low")
                _require(values <= float(self.high), "is above high")
        except RowError as problem:
            raise self.outside(row=problem.row, why=str(problem)) from problem
        with np.errstate(over="ignore"):
            steps = np.rint((values - float(self.low)) / float(self.step))
        return np.clip(steps, 0, self.steps).astype(np.int64)

    def values(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return curves given as steps above low as doubles."""
        return float(self.low) + steps.astype(np.float64) * float(self.step)

    def _advice(self) -> str:
        return "Widen the bounds, use outside='clamp' to move values to them, or drop the curve."

    def _named_distance(self, a: int, b: int) -> Distance:
        if self.metric == "discrete":
            return int(a != b)
        steps = [abs(x - y) for x, y in zip(self.split(a), self.split(b), strict=True)]
        if self.metric == "sup":
            return simplest(max(steps) * self.step)
        return self._root(sum(w * s * s for w, s in zip(self.weights, steps, strict=True)))

    def _root(self, square: Fraction | int) -> Distance:
        # Multiples of one unit, rounded up, still keep the triangle inequality.
        above = sqrt_bounds(Fraction(square), _ROOT_BITS)[1]
        return simplest(Fraction(above, 1 << _ROOT_BITS) * self.step)

    def _named_diameter(self) -> Distance:
        if self.metric == "discrete":
            return 1
        if self.metric == "sup":
            return simplest(self.high - self.low)
        return self._root(sum(self.weights) * self.steps**2)

    def _named_separation(self) -> Distance:
        if self.metric == "discrete":
            return 1
        return simplest(self.step) if self.metric == "sup" else self._root(min(self.weights))

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        return {"kind": "labels", "labels": [[str(v) for v in point] for point in self.points]}


def _read_grid(grid: Iterable[Number]) -> tuple[Fraction, ...]:
    if isinstance(grid, (str, bytes)) or not isinstance(grid, Iterable):
        raise SpaceError("grid must be the positions of the curves, as in Curves(range(24), …).")
    given = several(grid, name="grid", of="positions")
    read = tuple(
        as_written(float(t) if isinstance(t, np.floating) else t, name="a position") for t in given
    )
    if not read:
        raise SpaceError("the grid is empty; curves need at least one position.")
    for place, (a, b) in enumerate(pairwise(read)):
        if not a < b:
            raise SpaceError(
                f"positions must rise: position {place + 2} of the grid is {given[place + 1]}, "
                f"after {given[place]}."
            )
    return read


def _require(good: NDArray[np.bool_], why: str) -> None:
    if not good.all():
        row, place = np.argwhere(~good)[0].tolist()
        raise RowError(f"position {place + 1} {why}", row=row)
