"""Where numbers and curves land when noise has no bounds: outputs without end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import SpaceError, TooLargeError
from noisewright.exact import Number, as_text
from noisewright.spaces.grid import as_written, grid_values, steps_to
from noisewright.spaces.metric import Distance, Metric, simplest
from noisewright.spaces.space import Space, whole_codes


@dataclass(frozen=True)
class Lattice(Space):
    """The numbers origin + step · z for all integers z; the code of a number is its z.

    An output space only: it has no size, so it cannot be enumerated or tabulated.
    """

    step: Fraction
    origin: Fraction
    neighbors: Literal["replace"] = field(default="replace", init=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    metric: Metric = field(default="absolute", init=False, repr=False)

    def __init__(self, step: Number, origin: Number = 0) -> None:
        set_field = object.__setattr__
        set_field(self, "step", as_written(step, name="step"))
        set_field(self, "origin", as_written(origin, name="origin"))
        if self.step <= 0:
            raise SpaceError(f"step is {step}; it must be positive.")
        set_field(self, "neighbors", "replace")
        set_field(self, "metric", "absolute")

    def __repr__(self) -> str:
        return f"Lattice({self.step}, origin={self.origin})"

    @property
    def size(self) -> int:
        """Raise: there are infinitely many points."""
        raise TooLargeError(
            f"{self!r} has infinitely many points. Use form='truncated' or form='bounded' for "
            "outputs inside the interval.",
            size=sys.maxsize,
        )

    @property
    def ordered(self) -> bool:
        """Numbers have an order."""
        return True

    def point(self, code: int) -> float:
        """Return the number with this code as a double."""
        return float(self.origin + int(code) * self.step)

    def code(self, point: Any) -> int:
        """Return the code of a number on the lattice."""
        steps = steps_to(point, self.origin, self.step)
        if steps is None:
            raise self.outside(why="it is not a finite number")
        if not steps.on_grid:
            raise self.outside(why="it is not on the lattice")
        return steps.nearest

    def encode(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the codes of many numbers: Python integers, since they may be of any size."""
        codes = np.empty(len(values), dtype=object)
        for row, value in enumerate(values.tolist()):
            codes[row] = self.code(value)
        return codes

    def read_codes(self, codes: Any) -> NDArray[Any]:
        """Return codes as a one-dimensional array: all whole numbers are codes."""
        return whole_codes(codes)

    def decode(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Return codes as numbers, each rounded once to a double."""
        return grid_values(codes, self.origin, self.step)

    def _named_distance(self, a: int, b: int) -> Distance:
        return simplest(abs(a - b) * self.step)

    def _named_diameter(self) -> Distance:
        raise TooLargeError(f"{self!r} has no largest distance.", size=sys.maxsize)

    def _named_separation(self) -> Distance:
        return simplest(self.step)

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        return {"kind": "lattice", "origin": as_text(self.origin), "step": as_text(self.step)}


@dataclass(frozen=True)
class AnyCurves(Space):
    """Curves with any value at each position, as rows of doubles.

    An output space only: it has no size and its points have no codes.
    """

    grid: Sequence[Fraction]
    neighbors: Literal["replace"] = field(default="replace", init=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    metric: Metric = field(default="sup", init=False, repr=False)

    def __repr__(self) -> str:
        return f"AnyCurves({len(self.grid):,} positions)"

    @property
    def size(self) -> int:
        """Raise: there are infinitely many points."""
        raise self._endless()

    def point(self, code: int) -> NoReturn:
        """Raise: no code stands for a curve."""
        raise self._endless()

    def code(self, point: Any) -> NoReturn:
        """Raise: a curve has no code."""
        raise self._endless()

    def _endless(self) -> TooLargeError:
        return TooLargeError(
            f"{self!r} has infinitely many points, which are not listed and have no codes. Work "
            "with the curves themselves.",
            size=sys.maxsize,
        )

    def _named_distance(self, a: int, b: int) -> NoReturn:
        raise self._endless()

    def _named_diameter(self) -> NoReturn:
        raise self._endless()

    def _named_separation(self) -> NoReturn:
        raise self._endless()

    def describe(self) -> NoReturn:
        """Raise: there is no list of them."""
        raise self._endless()
