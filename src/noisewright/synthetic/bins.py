"""Fine grids in bins: numbers are counted with others in intervals, and by themselves in points.

A grid of 100,000 points makes a pair of columns so large that noise drowns it. Such a column is
counted twice: with others in bins of equally many points, which the declared space alone decides,
and by itself point by point, under a name of its own. Rows are made in bins. Which point of its
bin a row gets then follows the noisy counts of the points, so that a spike, such as all who have
no capital gain, stays a spike. Where noise is small, points are counted once more together with a
column of few values, and a row's point then follows both its bin and its value there. Where a grid
has too many points even for that, all points of a bin are equally likely. This sees noisy counts
only: it is post-processing.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, cast, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.estimation import project_to_simplex
from noisewright.given import amount
from noisewright.sampling import Source, source_or_default
from noisewright.spaces import Categories, Counts, Interval, Records, Space, whole_number
from noisewright.synthetic.deal_rows import deal_values, round_at_random
from noisewright.synthetic.steps.joined_bins import JoinedBins
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.workloads.counting_queries import Marginal, Queries
from noisewright.synthetic.workloads.queries_in_bins import query_in_bins
from noisewright.synthetic.workloads.workload import Workload
from noisewright.tables import Codes

BINS = 32
_MOST_COUNTED = 1 << 17
"""Points of a column that is counted point by point."""

_MOST_VALUES, _MOST_TOGETHER, _MOST_IN_ALL = 8, 1 << 18, 1 << 22
"""Values of a column that points may be counted with, cells of one such table, and of all."""

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
    def partners(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """With which columns points may be counted once more, by the name the points have.

        Each is a pair of the column in bins and another one, of few values; those with the fewest
        come first, as far as there is room for all. Declared spaces alone decide it.
        """
        room = _MOST_IN_ALL
        sizes = {name: space.size for name, space in self.domain.columns}
        few = sorted(
            (name for name in sizes if 1 < sizes[name] <= _MOST_VALUES), key=lambda one: sizes[one]
        )
        found: dict[str, list[tuple[str, str]]] = {}
        for other in few:
            for name, points in self.points.items():
                cells = self.declared.by_name[name].size * sizes[other]
                if points in self.counted and name != other and cells <= min(_MOST_TOGETHER, room):
                    found.setdefault(points, []).append((name, other))
                    room -= cells
        return {points: tuple(pairs) for points, pairs in found.items()}

    @property
    def ordered(self) -> frozenset[str]:
        """The columns of numbers, or dates: neighboring bins of them may be joined."""
        spaces = self.declared.columns
        return frozenset(name for name, space in spaces if isinstance(space, Interval | Counts))

    def join(self, name: str, codes: tuple[int, ...]) -> JoinedBins:
        """Return neighboring bins of a column as joined ones, each from one of these codes on."""
        width = dict(self.widths).get(name, 1)
        starts = [code * width for code in codes]
        return JoinedBins(codes, _in_bins(self.declared.by_name[name], starts))

    @cached_property
    def domain(self) -> Records:
        """The declared columns, in bins where they are fine."""
        widths = dict(self.widths)
        return Records(
            {
                name: _in_bins(space, range(0, space.size, widths[name]))
                if name in widths
                else space
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

        Ensures: every code is a point of its row's bin. Given the bins, and the one column that its
        points were counted with, if any, points are independent of all other columns.
        """
        bits = source_or_default(source)
        noisy = {one.columns[0]: one for one in seen if len(one.columns) == 1}
        joint = {one.columns[0]: one for one in seen if len(one.columns) == 2}
        made: dict[str, NDArray[Any]] = {name: codes[name] for name, _ in self.declared.columns}
        sizes = {name: space.size for name, space in self.declared.columns}
        for name, width in self.widths:
            one, both = noisy.get(self.points[name]), joint.get(self.points[name])
            bins = codes[name].astype(np.int64)
            if one is None:
                starts = bins * width
                made[name] = starts + _uniform(np.minimum(width, sizes[name] - starts), bits)
            elif both is None:
                alone = one.counts[:, None].astype(np.float64)
                made[name] = _like(bins, np.zeros_like(bins), width, alone, one.rows, bits)
            else:
                values = codes[both.columns[1]].astype(np.int64)
                made[name] = _like(bins, values, width, _agree(both, one), one.rows, bits)
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
            "Stated errors refer to bins, and where bins are joined, to the joined ones."
        ]
        return said + self.even_words()

    def even_words(self) -> list[str]:
        """Say which columns have too many points to be counted one by one, and what to do."""
        even = [repr(name) for name, made in self.points.items() if made not in self.counted]
        if not even:
            return []
        said = f"Within a bin of {', '.join(even)} all points are equally likely: "
        if not self.most_counted:
            return [f"{said}this method does not count points one by one."]
        return [
            f"{said}grids of more than {self.most_counted:,} points are not counted point by "
            "point. A coarser step, so that there are no more points than that, would let spikes "
            "within bins show."
        ]


def _in_bins(space: Space, starts: Sequence[int]) -> Categories:
    """Return the bins of a grid that start at these points as labels: '17 to 19'."""
    ends = [(first, after - 1) for first, after in pairwise([*starts, space.size])]
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


def _agree(both: Measurement, alone: Measurement) -> NDArray[np.float64]:
    """Return counts of points by the values of another column, moved to what else is known of them.

    The sum over the values becomes the mean of itself and the counts of the points alone, weighted
    by their variances.
    """
    values = both.counts.shape[1]
    own, other = (one.noise.fit_deviation**2 for one in (both, alone))
    weight = own * values / max(own * values + other, 1e-12)
    gaps = weight * (alone.counts - both.counts.sum(axis=1))
    return both.counts + gaps[:, None] / values


def _like(
    bins: NDArray[np.int64],
    values: NDArray[np.int64],
    width: int,
    counts: NDArray[np.float64],
    people: int,
    bits: Source,
) -> NDArray[Any]:
    """Return a point of its bin for each row, as often as noisy counts of so many people say.

    `counts` has a row for each point, and a column for each value that rows may have elsewhere.
    """
    points, many = counts.shape
    groups = bins * many + values
    # In the order of the groups; the last bin may have fewer points than the others.
    padded = np.zeros((-(-points // width) * width, many))
    padded[:points] = counts
    in_groups = padded.reshape(-1, width, many).transpose(0, 2, 1).reshape(-1, width)
    times = np.zeros(in_groups.shape, dtype=np.int64)
    for group, rows in enumerate(np.bincount(groups).tolist()):
        if rows:
            size = min(width, points - group // many * width)
            # As many as the rows of this group stand for in the original.
            shares = project_to_simplex(in_groups[group, :size] * (bins.size / (rows * people)))
            times[group, :size] = round_at_random(shares, rows, bits)
    owners = np.repeat(np.arange(len(times)), width)
    codes = owners // many * width + np.tile(np.arange(width), len(times))
    return deal_values(codes, times.reshape(-1), bits, owners=owners, groups=groups)
