"""Numbers in an interval, on a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError, SpaceError
from noisewright.exact import Number, as_text, exactly
from noisewright.spaces.metric import Distance, Metric, simplest
from noisewright.spaces.neighbors import Neighbors
from noisewright.spaces.space import Space

SNAP = 1e-6
"""A double counts as a grid point within this fraction of a step (0.3 on a grid of 0.1)."""


@dataclass(frozen=True)
class Interval(Space):
    """The numbers low, low + step, …, high. The bounds come from the caller, not the data.

    Neighbors are all pairs by default: one person's number may become any other.
    """

    low: Fraction
    high: Fraction
    step: Fraction = field(kw_only=True)
    neighbors: Neighbors = field(default="replace", kw_only=True)
    metric: Metric = field(default="absolute", kw_only=True)

    def __init__(
        self,
        low: Number,
        high: Number,
        *,
        step: Number,
        neighbors: Any = "replace",
        metric: Any = "absolute",
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "low", as_written(low, name="low"))
        set_field(self, "high", as_written(high, name="high"))
        set_field(self, "step", as_written(step, name="step"))
        if not self.low < self.high:
            raise SpaceError(f"Interval({low}, {high}): low must be below high.")
        if self.step <= 0:
            raise SpaceError(f"step is {step}; it must be positive.")
        if (self.high - self.low) % self.step:
            raise SpaceError(
                f"from {low} to {high} is not a whole number of steps of {step}. Change a bound "
                "or the step."
            )
        self._read_relations(neighbors, metric, metrics=("absolute", "discrete"))

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

    def point(self, code: int) -> float:
        """Return the grid point with this code as a double."""
        if not 0 <= code < self.size:
            raise self.outside()
        return float(self.low + int(code) * self.step)

    def code(self, point: Any) -> int:
        """Return the code of a number on the grid."""
        try:
            if isinstance(point, str):
                raise ParameterError("a text is not a number")
            steps = (exactly(point, name="the value") - self.low) / self.step
        except ValueError:
            raise self.outside(why="it is not a finite number") from None
        nearest = round(steps)
        if abs(steps - nearest) > SNAP:
            raise self.outside(why="it is not on the grid; see Interval.nearest")
        if not 0 <= nearest < self.size:
            raise self.outside()
        return nearest

    def encode(self, values: NDArray[Any]) -> NDArray[np.intp]:
        """Return the codes of many numbers at once."""
        if values.dtype.kind not in "iuf":
            return super().encode(values)
        steps = (values.astype(np.float64) - float(self.low)) / float(self.step)
        nearest = np.rint(steps)
        with np.errstate(invalid="ignore"):
            off_grid = ~(np.abs(steps - nearest) <= SNAP * np.maximum(1, np.abs(steps) * 1e-6))
            outside = ~((nearest >= 0) & (nearest < self.size))
        for wrong, why in ((outside, ""), (off_grid, "it is not on the grid")):
            if wrong.any():
                raise self.outside(row=int(np.argmax(wrong)), why=why)
        return nearest.astype(np.intp)

    def nearest(self, values: Any) -> NDArray[np.float64]:
        """Round finite numbers inside the bounds to the grid."""
        numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
        outside = ~((numbers >= float(self.low)) & (numbers <= float(self.high)))
        if outside.any():
            raise self.outside(row=int(np.argmax(outside)))
        codes = np.rint((numbers - float(self.low)) / float(self.step)).astype(np.intp)
        return self.decode(codes)

    def decode(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Return codes as numbers."""
        scale = math.lcm(self.low.denominator, self.step.denominator)
        low, high, step = (int(value * scale) for value in (self.low, self.high, self.step))
        if max(scale, abs(low), abs(high), high - low) >> 53:
            return np.array([self.point(code) for code in codes.tolist()])
        # Both whole numbers are exact as doubles, so their quotient is rounded once, as `point` is.
        return (low + codes.astype(np.int64) * step) / scale

    def _advice(self) -> str:
        return "Clamp the values to the bounds and round them to the grid, or change the space."

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


def as_written(value: Number, *, name: str) -> Fraction:
    """Read a bound as the decimal that was typed: a grid from 0 to 1 by 0.1 has 11 points.

    Bounds are labels of the grid, not privacy parameters, so the double nearest to 0.1 need
    not be taken at its word here.
    """
    return exactly(repr(float(value)) if isinstance(value, float) else value, name=name)
