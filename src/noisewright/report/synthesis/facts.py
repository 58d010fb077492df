"""What the page of a synthetic table is told: facts, all of which may leave the building."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.report.release.facts import PageFacts
from noisewright.spaces import Categories, Records
from noisewright.synthetic import (
    DISTANCE,
    Measurement,
    Spend,
    WorkloadErrors,
    describe_method,
    number_counts,
)


@final
@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Noisy counts, and beside them what the synthetic rows count, as so many of the people.

    `found` is None where the rows cannot be counted in the same way. Of several counts of the same
    it is the `time`-th of `times`.
    """

    measurement: Measurement
    found: NDArray[np.float64] | None
    time: int = 1
    times: int = 1

    @property
    def name(self) -> str:
        """What was counted."""
        return self.measurement.name

    @property
    def which(self) -> str:
        """Which of several counts of the same it is, in words; empty if there is one."""
        return f"count {self.time} of {self.times}" if self.times > 1 else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """By which columns."""
        return self.measurement.columns

    @property
    def is_query(self) -> bool:
        """Whether one query was counted, and not a whole marginal."""
        return self.measurement.cells is not None

    @property
    def link(self) -> float | None:
        """How far two columns of the synthetic rows are from independent: 0 not at all, 1 most.

        It is the share of rows that would have to change.
        """
        if self.found is None or self.is_query or len(self.columns) != 2:
            return None
        joint = self.found / max(float(self.found.sum()), 1e-300)
        alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        return 0.5 * float(np.abs(joint - alone).sum())


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class SynthesisFacts(PageFacts):
    """A synthetic table, as far as its page tells of it.

    `counted` are the noisy counts that its rows come from; `data` is empty if it has no file.
    `columns` are those of the table where they differ from the columns that were counted: a set is
    counted in a column for each item, and a curve in one for each coefficient.
    """

    method: str
    domain: Records
    people: int
    rows_per_person: int
    spends: tuple[Spend, ...]
    counted: tuple[NoisyCounts, ...]
    errors: WorkloadErrors
    inference: str = "tree"
    limits: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def how(self) -> str:
        """How it was made, in a few words."""
        return describe_method(self.method, self.inference)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were counted."""
        return tuple(name for name, _ in self.domain.columns)

    @property
    def titles(self) -> tuple[str, ...]:
        """The columns of the table."""
        return self.columns or self.names

    @property
    def split_into(self) -> str:
        """What columns of the table were split into, in words; empty if none was."""
        spaces = [space for name, space in self.domain.columns if name not in self.titles]
        items = any(isinstance(space, Categories) for space in spaces)
        curves = any(not isinstance(space, Categories) for space in spaces)
        said = ["each item of a set"] * items + ["each coefficient of a curve"] * curves
        return " and ".join(said).capitalize()

    @property
    def varying(self) -> tuple[str, ...]:
        """The columns with more than one possible value: how others go with the rest is known."""
        return tuple(name for name, space in self.domain.columns if space.size > 1)

    @property
    def chose(self) -> bool:
        """Whether some of the steps decided what was counted, and not all of them are counts."""
        return not all(spend.is_count for spend in self.spends)

    @property
    def screened(self) -> bool:
        """Whether noisy distances decided which pairs were counted."""
        return any(spend.what.startswith(DISTANCE) for spend in self.spends)

    @cached_property
    def together(self) -> tuple[NoisyCounts, ...]:
        """What was counted about several columns at once, but for single points of a number.

        These have a name of their own, and their bins are counted with the same column.
        """
        names = set(self.names)
        return tuple(
            one for one in self.counted if len(one.columns) > 1 and names.issuperset(one.columns)
        )

    @cached_property
    def linked(self) -> frozenset[frozenset[str]]:
        """The pairs of columns that some count is about."""
        return frozenset(frozenset((a, b)) for one in self.together for a, b in _pairs(one.columns))


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]


def compare_counts(
    measurements: Sequence[Measurement], own: Mapping[tuple[str, ...], NDArray[Any]], rows: int
) -> tuple[NoisyCounts, ...]:
    """Return noisy counts beside those of so many synthetic rows, scaled to the people."""
    found: list[NoisyCounts] = []
    for one, (time, times) in zip(measurements, number_counts(measurements), strict=True):
        counts = own.get(one.columns)
        scaled = None if counts is None else one.of_table(counts) * (one.rows / max(rows, 1))
        found.append(NoisyCounts(one, scaled, time, times))
    return tuple(found)
