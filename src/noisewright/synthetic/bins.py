"""Fine grids in bins: numbers are counted with others in intervals, and by themselves in points.

A grid of 100,000 points makes a pair of columns so large that noise drowns it. Such a column is
counted twice: with others in bins of equally many points, which the declared space alone decides,
and by itself point by point, under a name of its own. Rows are made in bins. Which point of its
bin a row gets then follows the noisy counts of the points, so that a spike, such as all who have
no capital gain, stays a spike. Where a grid has too many points even for that, all points of a bin
are equally likely. This sees noisy counts only: it is post-processing.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.estimation import project_to_simplex
from noisewright.given import amount
from noisewright.sampling import Source, source_or_default
from noisewright.spaces import Categories, Counts, Interval, Records, Space, whole_number
from noisewright.synthetic.deal_rows import deal_values, round_at_random
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.workloads.counting_queries import Marginal, Queries
from noisewright.synthetic.workloads.queries_in_bins import query_in_bins
from noisewright.synthetic.workloads.workload import Workload
from noisewright.tables import Codes

BINS = 32
_MOST_COUNTED = 1 << 17
"""Points of a column that is counted point by point."""

_MOST_POINTS = 1 << 52
"""Beyond, doubles would no longer tell points apart."""


@final
@dataclass(frozen=True)
class Bins:
    """Which columns of a declared domain are counted in bins, and how many points each bin has.

    The last bin of a column may have fewer points than the others.
    """

    declared: Records
    widths: tuple[tuple[str, int], ...]
    most_counted: int = _MOST_COUNTED

    @classmethod
    def of(
        cls,
        declared: Records,
        bins: int | None,
        *,
        whole: Collection[str] = (),
        most_counted: int = _MOST_COUNTED,
    ) -> Bins:
        """Put each grid of more points than `bins` into at most so many bins of the same size.

        `bins=None` leaves all columns as they are, and those in `whole` are left in any case. Grids
        of more points than `most_counted` are not counted point by point.
        """
        if bins is None:
            return cls(declared, ())
        most = whole_number(bins, name="bins", least=2)
        found: list[tuple[str, int]] = []
        for name, space in declared.columns:
            if name in whole or not isinstance(space, Interval | Counts) or space.size <= most:
                continue
            if space.size > _MOST_POINTS:
                raise TooLargeError(
                    f"the column {name!r} has {amount(space.size)} points (at most "
                    f"{_MOST_POINTS:,}). Declare a coarser grid, or drop the column.",
                    size=space.size,
                )
            found.append((name, -(-space.size // most)))
        return cls(declared, tuple(found), most_counted)

    @cached_property
    def points(self) -> dict[str, str]:
        """The names that columns in bins have where they are counted point by point."""
        taken = {name for name, _ in self.declared.columns}
        found: dict[str, str] = {}
        for name, _ in self.widths:
            made = f"{name}, point by point"
            while made in taken:
                made += "'"
            taken.add(made)
            found[name] = made
        return found

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """Those of these names that a synthesizer counts."""
        spaces = dict(self.declared.columns)
        return tuple(
            made for name, made in self.points.items() if spaces[name].size <= self.most_counted
        )

    @cached_property
    def domain(self) -> Records:
        """The declared columns, in bins where they are fine."""
        widths = dict(self.widths)
        return Records(
            {
                name: _in_bins(space, widths[name]) if name in widths else space
                for name, space in self.declared.columns
            }
        )

    @cached_property
    def wide(self) -> Records:
        """The domain, and the columns in bins once more point by point."""
        spaces = dict(self.declared.columns)
        extra = {made: spaces[name] for name, made in self.points.items()}
        return Records({**dict(self.domain.columns), **extra})

    @cached_property
    def origins(self) -> dict[str, tuple[str, int]]:
        """Of which declared column each of the wide domain is, in bins of how many points."""
        widths = dict(self.widths)
        found = {name: (name, widths.get(name, 1)) for name, _ in self.declared.columns}
        return found | {made: (name, 1) for name, made in self.points.items()}

    def batches(self, batches: Iterable[Codes]) -> Iterator[Codes]:
        """Yield codes of declared columns as codes of the wide domain."""
        return (self.codes(batch) for batch in batches)

    def codes(self, codes: Codes) -> Codes:
        """Return codes of declared columns as codes of the wide domain."""
        if not self.widths:
            return codes
        found = {name: np.asarray(given, dtype=np.int64) for name, given in codes.items()}
        return {
            **found,
            **{name: found[name] // width for name, width in self.widths},
            **{made: found[name] for name, made in self.points.items()},
        }

    def workload(self, declared: Workload, *, by_points: bool = False) -> Workload:
        """Return a workload on the domain: marginals are in bins.

        Other queries about columns in bins are asked of whole bins, those that they have at least
        half of, or, with `by_points`, of points, on the wide domain.
        """
        grouped = dict(self.widths)

        def part(given: Queries) -> Queries:
            if isinstance(given, Marginal) or not any(name in grouped for name in given.columns):
                return given
            if not by_points:
                return query_in_bins(given, self.declared, grouped)
            names = tuple(self.points.get(name, name) for name in given.columns)
            return replace(cast(Any, given), columns=names)

        parts = tuple(part(given) for given in declared.parts)
        return Workload(self.wide if by_points else self.domain, parts)

    def spread(
        self, codes: Codes, seen: Sequence[Measurement], source: Source | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return codes of the declared columns for rows in bins: which point of its bin each has.

        Ensures: every code is a point of its row's bin. Given the bins, points are independent of
        all other columns.
        """
        bits = source_or_default(source)
        noisy = {one.columns[0]: one for one in seen if len(one.columns) == 1}
        made: dict[str, NDArray[Any]] = {name: codes[name] for name, _ in self.declared.columns}
        sizes = {name: space.size for name, space in self.declared.columns}
        for name, width in self.widths:
            one = noisy.get(self.points[name])
            if one is None:
                starts = made[name].astype(np.int64) * width
                made[name] = starts + _uniform(np.minimum(width, sizes[name] - starts), bits)
            else:
                made[name] = _like(made[name], width, one, bits)
        return made

    def words(self) -> list[str]:
        """Return what is said about bins, a sentence for each kind of column."""
        if not self.widths:
            return []
        sizes = {name: space.size for name, space in self.declared.columns}
        listed = ", ".join(
            f"{name!r} in {-(-sizes[name] // width)} bins of {width:,}"
            for name, width in self.widths
        )
        said = [
            f"Numbers on fine grids are counted with other columns in bins of points: {listed}. "
            "Stated errors are about bins."
        ]
        even = [repr(name) for name, made in self.points.items() if made not in self.counted]
        if even:
            said.append(
                f"Within a bin of {', '.join(even)} all points are equally likely, because they "
                "were not counted one by one."
            )
        return said


def _in_bins(space: Space, width: int) -> Categories:
    """Return the bins of a grid as labels: '17 to 19'."""
    starts = range(0, space.size, width)
    ends = [(first, min(first + width, space.size) - 1) for first in starts]
    labels = [
        _word(space.point(first))
        if first == last
        else f"{_word(space.point(first))} to {_word(space.point(last))}"
        for first, last in ends
    ]
    if len(set(labels)) < len(labels):
        labels = [f"bin {place}" for place in range(1, len(labels) + 1)]
    return Categories(labels)


def _word(point: Any) -> str:
    if isinstance(point, datetime.date):
        return str(point)
    number = float(point)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _uniform(sizes: NDArray[np.int64], bits: Source) -> NDArray[np.int64]:
    """Return for each size a number below it, all equally likely up to rounding."""
    part = (bits.words(sizes.size) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return np.minimum((part * sizes).astype(np.int64), sizes - 1)


def _like(bins: NDArray[np.int64], width: int, one: Measurement, bits: Source) -> NDArray[Any]:
    """Return a point of its bin for each row, as often as the noisy counts of the points say."""
    times = np.zeros(one.counts.size, dtype=np.int64)
    for place, rows in enumerate(np.bincount(bins).tolist()):
        if rows:
            first = place * width
            counts = one.counts[first : first + width]
            # As many as the rows of this bin stand for in the original.
            total = rows * one.rows / bins.size
            shares = project_to_simplex(counts / total)
            times[first : first + width] = round_at_random(shares, rows, bits)
    points = np.arange(times.size)
    return deal_values(points, times, bits, owners=points // width, groups=bins)
