"""Numbers in an interval, on a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisewright.errors import ParameterError, SpaceError
from noisewright.exact import Number, as_text
from noisewright.spaces.grid import SNAP, as_written, grid_values, round_to_grid, steps_to
from noisewright.spaces.metric import Distance, Metric, simplest
from noisewright.spaces.neighbors import Neighbors, Within
from noisewright.spaces.space import Space
from noisewright.spaces.temporal import ADVICE, is_date

_LARGEST = 10**300
"""Bounds beyond it, and steps below its inverse, are no doubles, or nearly none."""


@dataclass(frozen=True)
class Interval(Space):
    """The numbers low, low + step, …, high. The bounds come from the caller, not the data.

    Neighbors are all pairs by default: one person's number may become any other. A number as
    `neighbors` is a sensitivity: the neighbors are the points at most that far apart.
    """

    low: Fraction
    high: Fraction
    step: Fraction = field(kw_only=True)
    neighbors: Neighbors = field(default="replace", kw_only=True)
    metric: Metric = field(default="absolute", kw_only=True)
    clamps: bool = field(default=False, init=False, repr=False, compare=False)
    rounds: bool = field(default=False, init=False, repr=False, compare=False)

    def __init__(
        self,
        low: Number,
        high: Number,
        *,
        step: Number,
        neighbors: Any = "replace",
        metric: Any = "absolute",
    ) -> None:
        for name, bound in (("low", low), ("high", high), ("step", step)):
            if is_date(bound):
                raise SpaceError(f"{name} is a {type(bound).__name__}. {ADVICE}")
        set_field = object.__setattr__
        set_field(self, "low", as_written(low, name="low"))
        set_field(self, "high", as_written(high, name="high"))
        set_field(self, "step", as_written(step, name="step"))
        if not self.low < self.high:
            raise SpaceError(f"Interval({low}, {high}): low must be below high.")
        if self.step <= 0:
            raise SpaceError(f"step is {step}; it must be positive.")
        largest = max(abs(self.low), abs(self.high), 1 / self.step)
        if largest > _LARGEST:
            raise SpaceError(
                "the bounds or the step of an Interval are beyond what doubles hold (1e300), as "
                "which its numbers are read and released. Use another unit."
            )
        if (self.high - self.low) % self.step:
            raise SpaceError(
                f"from {low} to {high} is not a whole number of steps of {step}. Change a bound "
                "or the step."
            )
        set_field(self, "clamps", False)
        set_field(self, "rounds", False)
        if isinstance(neighbors, (int, float, Fraction)) and not isinstance(neighbors, bool):
            neighbors = Within(self._steps_of(neighbors))
        self._read_relations(neighbors, metric, metrics=("absolute", "discrete"))

    def _steps_of(self, sensitivity: Number) -> int:
        """Return how many steps apart two numbers may be once they are rounded to the grid."""
        distance = as_written(sensitivity, name="the sensitivity")
        if distance <= 0:
            raise SpaceError(f"the sensitivity is {sensitivity}; it must be positive.")
        return math.ceil(distance / self.step)

    def within(self, sensitivity: Number) -> Interval:
        """Return the same points with neighbors at most `sensitivity` apart."""
        return self._replace(neighbors=Within(self._steps_of(sensitivity)))

    def reading(
        self,
        *,
        outside: Literal["error", "clamp"] | None = None,
        off_grid: Literal["error", "round"] | None = None,
    ) -> Interval:
        """Return the same space with another way to read values that are not points.

        Values beyond the bounds are errors or, with outside="clamp", moved to the nearer
        bound. Values between grid points are errors or, with off_grid="round", moved to the
        nearest point (the upper one in a tie). Both happen before any noise and are part of the
        question that is asked of the data. Infinite values lie beyond a bound; missing ones are
        always errors.
        """
        for name, given, words in (
            ("outside", outside, ("error", "clamp")),
            ("off_grid", off_grid, ("error", "round")),
        ):
            if given is not None and given not in words:
                raise ParameterError(
                    f"{name} is {given!r}; it must be {words[0]!r} or {words[1]!r}."
                )
        return self._replace(
            clamps=self.clamps if outside is None else outside == "clamp",
            rounds=self.rounds if off_grid is None else off_grid == "round",
        )

    def _replace(self, **fields: Any) -> Interval:
        neighbors = fields.pop("neighbors", self.neighbors)
        other = self._remade(neighbors)
        for name in ("clamps", "rounds"):
            object.__setattr__(other, name, fields.get(name, getattr(self, name)))
        return other

    def _remade(self, neighbors: Any) -> Interval:
        return Interval(
            self.low, self.high, step=self.step, neighbors=neighbors, metric=self.metric
        )

    def __repr__(self) -> str:
        relation = "" if self.neighbors == "replace" else f", neighbors={self.neighbors!r}"
        return f"Interval({self.low}, {self.high}, step={self.step}{relation})"

    @property
    def size(self) -> int:
        """How many grid points there are."""
        return int((self.high - self.low) / self.step) + 1

    @property
    def ordered(self) -> bool:
        """Numbers have an order."""
        return True

    @property
    def of_numbers(self) -> bool:
        """The points are numbers."""
        return True

    def point(self, code: int) -> Any:
        """Return the grid point with this code as a double."""
        if not 0 <= code < self.size:
            raise self.outside()
        return float(self.low + int(code) * self.step)

    def code(self, point: Any) -> int:
        """Return the code of a number on the grid, or of the point that it is read as."""
        if self.clamps and isinstance(point, (float, np.floating)) and np.isinf(point):
            return 0 if point < 0 else self.size - 1
        steps = steps_to(point, self.low, self.step)
        if steps is None:
            raise self.outside(why="it is not a finite number")
        if not self.rounds and not steps.on_grid and not self._is_clamped(steps.exact):
            raise self.outside(why="it is not on the grid; see Interval.nearest")
        if not -SNAP <= steps.exact <= self.size - 1 + SNAP and not self.clamps:
            raise self.outside()
        return min(max(steps.nearest, 0), self.size - 1)

    def _is_clamped(self, steps: Fraction) -> bool:
        return self.clamps and not 0 <= steps <= self.size - 1

    def encode(self, values: NDArray[Any]) -> NDArray[np.intp]:
        """Return the codes of many numbers at once."""
        if values.dtype.kind not in "iuf":
            return super().encode(values)
        numbers = values.astype(np.float64)
        if self.clamps:
            numbers = np.clip(numbers, float(self.low), float(self.high))
        finite = np.isfinite(numbers)
        if not finite.all():
            row = int(np.argmin(finite))
            raise self.outside(row=row, why="it is not a finite number")
        last = self.size - 1
        steps, nearest = round_to_grid(numbers, self.low, self.step)
        room = SNAP * np.maximum(1, np.abs(steps) * 1e-6)
        beyond = (steps < -room) | (steps > last + room)
        if beyond.any() and not self.clamps:
            raise self.outside(row=int(np.argmax(beyond)))
        off_grid = np.abs(steps - nearest) > room
        if off_grid.any() and not self.rounds:
            raise self.outside(row=int(np.argmax(off_grid)), why="it is not on the grid")
        return np.clip(nearest, 0, last).astype(np.intp)

    def nearest(self, values: ArrayLike) -> NDArray[np.float64]:
        """Round finite numbers inside the bounds to the grid."""
        numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
        outside = ~((numbers >= float(self.low)) & (numbers <= float(self.high)))
        if outside.any():
            raise self.outside(row=int(np.argmax(outside)))
        _, codes = round_to_grid(numbers, self.low, self.step)
        return self.decode(np.clip(codes, 0, self.size - 1).astype(np.intp))

    def decode(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return codes as numbers."""
        return self.numbers(codes)

    def numbers(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Return codes as numbers, whatever the points are shown as."""
        return grid_values(codes, self.low, self.step)

    def _advice(self) -> str:
        return (
            "Clamp the values to the bounds and round them to the grid, or let the space do it: "
            "Interval(…).reading(outside='clamp', off_grid='round')."
        )

    def _named_distance(self, a: int, b: int) -> Distance:
        return simplest(abs(a - b) * self.step) if self.metric == "absolute" else int(a != b)

    def _named_diameter(self) -> Distance:
        return simplest(self.high - self.low) if self.metric == "absolute" else 1

    def _named_separation(self) -> Distance:
        return simplest(self.step) if self.metric == "absolute" else 1

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        return {
            "kind": "grid",
            "low": as_text(self.low),
            "high": as_text(self.high),
            "step": as_text(self.step),
        }
