"""Events of reports, each with words for people and a count in columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisewright.privacy.audits.reports import ReportColumns

_SHOWN = 4


class ReportEvent(ABC):
    """Something that happens, or does not, in each report."""

    words: str
    simple: bool
    """Whether people see at once what it says."""

    @abstractmethod
    def happens(self, columns: ReportColumns) -> NDArray[np.bool_]:
        """Tell for each report whether it happens there."""

    def hits(self, columns: ReportColumns) -> int:
        """Count the reports in which it happens."""
        return int(np.count_nonzero(self.happens(columns)))


@dataclass(frozen=True, eq=False)
class AmongValues(ReportEvent):
    """A column has one of some values."""

    words: str
    column: str
    codes: NDArray[np.int64]

    @property
    def simple(self) -> bool:
        """Whether it is about a single value."""
        return self.codes.size == 1

    def happens(self, columns: ReportColumns) -> NDArray[np.bool_]:
        """Tell for each report whether it happens there."""
        return np.isin(columns.codes[self.column], self.codes)


@dataclass(frozen=True)
class BeyondThreshold(ReportEvent):
    """A number is at least, or at most, some threshold."""

    column: str
    threshold: float
    upwards: bool
    simple = True

    @property
    def words(self) -> str:
        """The event in words."""
        side = "at least" if self.upwards else "at most"
        return f"{self.column} is {side} {repr(self.threshold).removesuffix('.0')}"

    def happens(self, columns: ReportColumns) -> NDArray[np.bool_]:
        """Tell for each report whether it happens there."""
        numbers = columns.numbers[self.column]
        return numbers >= self.threshold if self.upwards else numbers <= self.threshold


@dataclass(frozen=True)
class BitPattern(ReportEvent):
    """Some bits have some values."""

    places: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def simple(self) -> bool:
        """Whether it is about a single bit."""
        return len(self.places) == 1

    @property
    def words(self) -> str:
        """The event in words, with bits counted from 0."""
        each = [f"bit {at} is {bit}" for at, bit in zip(self.places, self.values, strict=True)]
        return " and ".join(each)

    def happens(self, columns: ReportColumns) -> NDArray[np.bool_]:
        """Tell for each report whether it happens there."""
        assert columns.bits is not None
        return (columns.bits[:, list(self.places)] == np.array(self.values)).all(axis=1)


@dataclass(frozen=True, eq=False)
class BitScore(ReportEvent):
    """A sum of whole weights, one for each bit that is 1, is at least a threshold (naive Bayes).

    Requires: weights whose sizes add up to less than 2^24, so that the sum is exact in any order.
    """

    weights: NDArray[np.float64]
    threshold: float
    simple = False

    @property
    def words(self) -> str:
        """The event in words, with the bits that say the most."""
        order = np.argsort(-np.abs(self.weights))[:_SHOWN]
        most = ", ".join(f"{self.weights[at]:+.0f} for bit {at}" for at in order)
        more = ", …" if self.weights.size > _SHOWN else ""
        return f"the sum of weights of its ones ({most}{more}) is at least {self.threshold:.0f}"

    def scores(self, columns: ReportColumns) -> NDArray[np.float64]:
        """Return the sum of each report."""
        assert columns.bits is not None
        sums = (columns.bits == 1).astype(np.float32) @ self.weights.astype(np.float32)
        return sums.astype(np.float64)

    def happens(self, columns: ReportColumns) -> NDArray[np.bool_]:
        """Tell for each report whether it happens there."""
        return self.scores(columns) >= self.threshold
