"""All curves on a grid of positions: where a curve lands when noise has no bounds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NoReturn

from noisewright.errors import TooLargeError
from noisewright.spaces.metric import Metric
from noisewright.spaces.space import Space


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
