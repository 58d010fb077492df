"""How far a synthetic table is off, part by part of its workload: expected, and found.

    expected   known before: what noise alone does to a part that is counted by itself. Where bins
               are joined, known after, too: noisy counts decide it
    found      known after: between the synthetic rows and the noisy counts that they come from

Neither sees the data. What a model leaves out (links between columns that were not counted
together) is in neither: only a comparison with the raw data shows that, and it is not private.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.public import public_methods
from noisewright.spaces import Records
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import Noise
from noisewright.synthetic.tallies import Names, Tallies, shape_of, varying
from noisewright.synthetic.workloads.counting_queries import Marginal, Queries
from noisewright.synthetic.workloads.workload import Workload

_MOST_SHOWN = 12
_NORMAL_SIZE = math.sqrt(2 / math.pi)
"""The mean of |z| for a standard normal z."""


@final
@dataclass(frozen=True)
class PartError:
    """One part of a workload, or another count that was made: how far its shares are off.

    Errors are sums of |share − share| over its `queries`, the cells of a marginal for example,
    where they are 2 at most. `counted` says whether it is counted with noise by itself: None where
    that is chosen in private later. `found` is None where it was not counted, or not yet.
    `in_workload` is false for other counts that the method makes. For a pair that was counted in
    joined bins, `queries`, `expected` and `found` are about these, and `before` is the error that
    was expected over all its cells; otherwise it is None.
    """

    name: str
    columns: Names
    queries: int
    expected: float
    counted: bool | None
    found: float | None = None
    in_workload: bool = True
    before: float | None = None

    def __str__(self) -> str:
        after = "" if self.found is None else f", found {self.found:.3g}"
        return f"{self.name}: {self.queries:,} cells, expected {self.expected:.3g}{after}"


@public_methods
@final
@dataclass(frozen=True)
class WorkloadErrors:
    """Errors of all parts of a workload, in shares, before a table is made or after.

    `expected` is their mean error from noise alone if each were counted in all its cells; it is
    known beforehand. `expected_in_workload` is the mean over those that are counted.
    `expected_of_counted` is the mean over all that is counted, single columns that nobody asked for
    among them, and so is `found`, the mean distance between the rows and the noisy counts: None
    beforehand, and where nothing was counted. `bound`, for "blr" alone, is the error that no query
    exceeds with probability 95%; it has no parts. `to_choose` is how many of the parts that may be
    counted will be, before they are chosen, and `may_join` whether they may be counted in joined
    bins. `remarks` says what else is known before: that noise drowns the counts, for example.
    """

    method: str
    people: int
    parts: tuple[PartError, ...]
    bound: float | None = None
    to_choose: int = 0
    may_join: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def expected(self) -> float:
        """The mean over the parts of the workload; for "blr" the bound."""
        if self.bound is not None:
            return self.bound
        asked = [part for part in self.parts if part.in_workload]
        return float(np.mean([o.expected if o.before is None else o.before for o in asked]))

    @property
    def expected_in_workload(self) -> float | None:
        """The mean over the parts of the workload that were counted by themselves."""
        return _mean(one.expected for one in self.parts if one.counted and one.in_workload)

    @property
    def expected_of_counted(self) -> float | None:
        """The mean over all that was counted, to be compared with `found`."""
        return _mean(one.expected for one in self.parts if one.counted)

    @property
    def found(self) -> float | None:
        """The mean over all that was counted."""
        return _mean(one.found for one in self.parts if one.found is not None and one.counted)

    def worst(self, most: int = 5) -> tuple[PartError, ...]:
        """Return the parts of the workload with the largest expected errors."""
        asked = [part for part in self.parts if part.in_workload]
        return tuple(sorted(asked, key=lambda part: -part.expected)[:most])

    def compare(
        self, domain: Records, workload: Workload, rows: Tallies, seen: Seen
    ) -> WorkloadErrors:
        """Return the errors with what is found between synthetic rows and noisy counts."""
        return replace(
            self,
            to_choose=0,
            may_join=False,
            parts=tuple(_compare_parts(self, domain, workload, rows, seen)),
        )

    def __str__(self) -> str:
        rows = f"{self.people:,} rows"
        if self.bound is not None:
            words = (
                f"No query of the workload is off by more than {self.bound:.3g} of all {rows}, "
                "with probability 95%."
            )
            return "\n".join([words, *self.remarks])
        head = [
            f"Expected error by noise alone, with {rows} and method {self.method}: "
            f"{self.expected:.3g} on average, if every part were counted in all its cells.",
            "An error is the sum of |share - true share| over the cells of a marginal, 2 at most.",
        ]
        asked = sum(part.in_workload for part in self.parts)
        shown = self.worst(_MOST_SHOWN)
        width = max(len("worst parts"), *(len(part.name) for part in shown))
        said = {True: "yes", False: "no", None: "if chosen"}
        lines = [f"{'worst parts':<{width}}  {'cells':>9}  expected  counted together"]
        lines += [
            f"{part.name:<{width}}  {part.queries:>9,}  {part.expected:>8.3g}  {said[part.counted]}"
            for part in shown
        ]
        more = [f"and {asked - len(shown):,} more parts"] if asked > len(shown) else []
        return "\n".join([*head, *self._choice(), *lines, *more, MODEL_ERROR, *self.remarks])

    def _choice(self) -> list[str]:
        """Say how many parts will be counted of those that may be."""
        possible = sorted(part.expected for part in self.parts if part.counted is None)
        if not self.to_choose or self.to_choose >= len(possible):
            return []
        if self.may_join:
            return [
                f"Only {self.to_choose:,} of {len(possible):,} will be counted, selected "
                "privately. Neighboring bins of numbers may be joined for that: the error of a "
                "pair is then smaller, and refers to fewer cells."
            ]
        least = float(np.mean(possible[: self.to_choose]))
        return [
            f"Only {self.to_choose:,} of {len(possible):,} will be counted, selected privately; "
            f"those with much noise rarely are. Those with the least noise: {least:.3g} on average."
        ]


Seen = Sequence[Measurement]

MODEL_ERROR = (
    "Columns that are not counted together are not covered: the error of a model there depends on "
    "the data and cannot be predicted."
)


def _mean(errors: Iterable[float]) -> float | None:
    known = list(errors)
    return float(np.mean(known)) if known else None


def part_name(part: Queries, domain: Records) -> str:
    """Return what a part of a workload is about, in a few words."""
    names = " × ".join(part.columns)
    if isinstance(part, Marginal):
        return names
    labels = part.labels(domain)
    return labels[0] if len(labels) == 1 else f"{len(labels):,} queries about {names}"


def marginal_error(cells: int, noise: Noise, rows: int) -> float:
    """Return the mean L1 error of the shares of a table of known total and so many noisy cells."""
    return min(2.0, noise.mean_error(cells) / rows)


def noise_error(part: Queries, domain: Records, noise: Noise, rows: int) -> float:
    """Return the mean L1 error of a part that is computed from noisy counts of its columns.

    Their total is known. Noise of several cells that one query adds up is taken as normal.
    """
    if isinstance(part, Marginal):
        return marginal_error(part.count(domain), noise, rows)
    shape = shape_of(domain, part.columns)
    cells, whole = part.answers(np.ones(shape)), math.prod(shape)
    spreads = noise.on(whole).fit_deviation * np.sqrt(cells * (1 - cells / whole))
    sizes = np.where(cells <= 1, cells * noise.mean_error(whole) / whole, spreads * _NORMAL_SIZE)
    return float(np.minimum(1.0, sizes / rows).sum())


def _compare_parts(
    errors: WorkloadErrors, domain: Records, workload: Workload, rows: Tallies, seen: Seen
) -> list[PartError]:
    """Return the parts with what was found: those of the workload first, then other counts."""
    whole = {frozenset(one.columns): one for one in seen if one.cells is None}
    alone = {one.name: one for one in seen if one.cells is not None}
    asked = [part for part in errors.parts if part.in_workload]
    made: list[PartError] = []
    told: set[frozenset[str] | str] = set()
    for part, queries in zip(asked, workload.parts, strict=True):
        labels = queries.labels(domain) if 0 < part.queries <= len(alone) else []
        if labels and all(label in alone for label in labels):
            told.update(labels)
            found = sum(_distance(alone[label], rows) for label in labels)
            made.append(replace(part, counted=True, found=found))
            continue
        columns = part.columns
        if frozenset(columns) not in whole:
            columns = varying(domain, columns)
        one = whole.get(frozenset(columns))
        if one is None:
            # The number of rows is public: nobody is wrong about constants alone.
            known = replace(part, counted=True, found=0.0)
            made.append(replace(part, counted=False) if columns else known)
            continue
        if isinstance(queries, Marginal):
            told.add(frozenset(columns))
        if one.joined:
            made.append(_compare_joined(part, queries, one, rows))
            continue
        shape = shape_of(domain, part.columns)
        noisy, own = (
            _in_order(counts, one.columns, columns).reshape(shape) for counts in _both(one, rows)
        )
        gaps = queries.answers(own) / rows.rows - queries.answers(noisy) / one.rows
        most = 2.0 if isinstance(queries, Marginal) else float(gaps.size)
        made.append(replace(part, counted=True, found=min(most, float(np.abs(gaps).sum()))))
    for one in seen:
        if (frozenset(one.columns) if one.cells is None else one.name) in told:
            continue
        cells, found = one.counts.size, _distance(one, rows)
        noise = one.noise.mean_size if one.query else one.noise.mean_error(cells)
        expected = min(_most(one), noise / one.rows)
        made.append(
            PartError(one.name, one.columns, cells, expected, True, found, in_workload=False)
        )
    return made


def _compare_joined(
    part: PartError, queries: Queries, one: Measurement, rows: Tallies
) -> PartError:
    """Return a part that was counted in fewer bins: a marginal is about these, and less noisy.

    Other queries would need bins that were not counted.
    """
    if not isinstance(queries, Marginal):
        return replace(part, counted=False)
    return replace(
        part,
        queries=one.counts.size,
        expected=marginal_error(one.counts.size, one.noise, one.rows),
        counted=True,
        found=_distance(one, rows),
        before=part.expected,
    )


def _distance(one: Measurement, rows: Tallies) -> float:
    """Return the distance between noisy shares and those of the synthetic rows.

    Noisy shares need not be possible ones: the distance is cut off where that of those would end.
    """
    noisy, own = _both(one, rows)
    return min(_most(one), float(np.abs(own / rows.rows - noisy / one.rows).sum()))


def _most(one: Measurement) -> float:
    """Return the largest distance between two possible shares."""
    return 2.0 if one.cells is None else 1.0


def _both(one: Measurement, rows: Tallies) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return noisy counts, and those of the synthetic rows."""
    return one.counts, one.of_table(rows.counts[one.columns])


def _in_order(counts: NDArray[Any], given: Names, wanted: Names) -> NDArray[Any]:
    return counts.transpose([given.index(name) for name in wanted])
