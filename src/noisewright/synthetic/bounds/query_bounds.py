"""An interval for a counting query from noisy counts, whatever the links between columns are.

If the query is a sum of cells that were counted together, their noise is all that it can be off by.
Otherwise what was counted bounds it: of all tables of n rows those are kept whose sums lie within
the intervals of what was counted, all of these at once, and the query is between its least and its
largest answer on them. That is a linear program over the atoms of the query (for two conditions the
bounds of Fréchet 1935). No model is believed in: three columns whose pairs were counted may be
linked in any way that the pairs allow.

A pair of columns may have been compared with a model, too: no set of its cells differs from what
the model expects by more than the distance between them.

What may be missed is divided between all sums that are used. If some of what was counted had been
chosen in private, the parts are those of all that might have been: they must not depend on noise.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import MissingPartError
from noisewright.synthetic.bounds.counted_sums import (
    KnownSum,
    half_width,
    known_sums,
    split_by_joined,
    stages_of_counts,
)
from noisewright.synthetic.bounds.question import ClassedQuery, Mask
from noisewright.synthetic.steps.measurement import Measurement, ModelDistance
from noisewright.synthetic.steps.run_budget import Spend

Array = NDArray[np.float64]

_OWN_SHARE, _CHOSEN_SHARE = 0.9, 0.5
"""Which part of what may be missed goes to counts of the query itself, where other counts bound it
too: if it is certain that it was counted, and if a choice decided it."""

_COMPARED_SHARE = 0.2
"""Which part goes to the distance from a model, where the columns of the query were compared."""

_MOST_ATOMS, _MOST_SUMS = 1 << 10, 1 << 9
"""Of a linear program. Larger queries are bounded by what holds them, or is held by them."""

_WIDENED = 1.25
"""By how much intervals are widened, again and again, when no table is within all of them."""

_ROUNDING = 1e-6
"""What a linear program may lack, as a share of the rows."""


@final
@dataclass(frozen=True)
class QueryBound:
    """What noisy counts say about a counting query.

    `value` and `standard_error` are there if it was counted, as a sum of cells, and other counts do
    not say more; `low` and `high` are whole numbers of rows, and hold the truth with the confidence
    that was asked for. `is_vacuous` if they are all that is possible; `is_counted` if the query was
    counted, however noisy that is.
    """

    low: float
    high: float
    value: float | None = None
    standard_error: float | None = None
    is_vacuous: bool = False
    is_counted: bool = False


def bound_query(
    query: ClassedQuery,
    measurements: Sequence[Measurement],
    spends: Sequence[Spend],
    origins: Mapping[str, tuple[str, int]],
    *,
    rows: int,
    miss: float,
    comparisons: Sequence[ModelDistance] = (),
    mixes: bool = False,
    may_join: Collection[str] = (),
) -> QueryBound:
    """Return bounds on how many of the counted rows a query counts.

    `mixes` says that each choice was between tables of any size and single queries; `may_join` are
    the columns whose bins may be joined where a pair is chosen, whether they were or not.

    Requires: `measurements` in the order of their steps in `spends`; a query that was not chosen
    by looking at their noise.
    Ensures: the true count is within `low` and `high` with probability 1 − miss or more, over the
    noise and the private choices, for every table of so many rows.
    """
    target = query.counts.reshape(-1)
    if target.all() or not target.any():
        known = float(rows if target.all() else 0)
        return QueryBound(known, known, known, 0.0, is_counted=True)
    low, high = 0.0, float(rows)
    compared = [one for one in comparisons if {*one.columns} == {*query.columns}]
    if compared:
        # Which columns are compared is public, and so is which part of what may be missed that is.
        low, high = _from_model(query, compared[-1], origins, rows, _COMPARED_SHARE * miss)
        miss *= 1 - _COMPARED_SHARE
    problem = _Problem(query, measurements, spends, origins, rows, miss, mixes, may_join)
    below, above = problem.ends()
    if max(low, below) <= min(high, above):
        low, high = max(low, below), min(high, above)
    elif problem.own is not None:
        low, high = below, above
    own = problem.own
    value, error = (None, None) if own is None else own.estimate()
    low, high = math.ceil(low - _slack(rows)), math.floor(high + _slack(rows))
    if low > high:
        # Only noise beyond its margins does that; whole numbers may have crossed by rounding.
        low = high = round((low + high) / 2)
    low, high = min(max(low, 0), rows), max(min(high, rows), 0)
    if value is not None and problem.target[-1]:
        value = rows - value
    if error is not None and error > max(high - low, 1) / 2:
        # Other counts say more than its own: that it was counted, too, says nothing any more.
        value = error = None
    is_vacuous = low == 0 and high == rows
    return QueryBound(low, high, value, error, is_vacuous, own is not None)


def _from_model(
    query: ClassedQuery,
    compared: ModelDistance,
    origins: Mapping[str, tuple[str, int]],
    rows: int,
    miss: float,
) -> tuple[float, float]:
    """Return bounds by how far a model is from the counts of both columns of a query."""
    held: list[NDArray[np.int64]] = []
    for name in compared.columns:
        own, width = query.classes[query.place[name]], origins[name][1]
        bins = np.arange(own.size) // width
        classes = np.zeros((int(bins[-1]) + 1, int(own.max()) + 1), dtype=np.int64)
        classes[bins, own] = 1
        held.append(classes)
    first, second = held
    order = [query.place[name] for name in compared.columns]
    counts = query.counts.transpose(order)
    touched = first @ counts @ second.T > 0
    inside = first @ ~counts @ second.T == 0
    # P(z < −reach) is half of what lies outside of both ends.
    reach = half_width(((1.0, compared.noise, 1),), min(2 * miss, 1.0))
    more = max(compared.distance + reach, 0.0)
    expected = compared.expected.astype(np.float64)
    fewer = more + float(expected.sum()) - rows
    return (
        max(0.0, float(expected[inside].sum()) - fewer),
        min(float(rows), float(expected[touched].sum()) + more),
    )


def _slack(rows: int) -> float:
    return _ROUNDING * rows + 1e-6


@final
@dataclass(frozen=True, eq=False)
class _Problem:
    query: ClassedQuery
    measurements: Sequence[Measurement]
    spends: Sequence[Spend]
    origins: Mapping[str, tuple[str, int]]
    rows: int
    miss: float
    mixes: bool
    may_join: Collection[str]

    @cached_property
    def _finer(self) -> ClassedQuery:
        return split_by_joined(self.query, self.measurements, self.origins)

    @property
    def target(self) -> Mask:
        """The atoms that count, of the query split by joined bins."""
        return self._finer.counts.reshape(-1)

    @cached_property
    def _sums(self) -> tuple[KnownSum | None, list[KnownSum]]:
        """What was counted of the query itself, and of other sums of atoms."""
        found = known_sums(self.query, self._finer, self.measurements, self.spends, self.origins)
        wanted = ~self.target if self.target[-1] else self.target
        own = found.pop(wanted.tobytes(), None)
        return own, list(found.values())

    @property
    def own(self) -> KnownSum | None:
        """What was counted of the query itself, or of all that it does not count."""
        return self._sums[0]

    @property
    def _has_choices(self) -> bool:
        return any(stages_of_counts(self.spends))

    @property
    def _widest(self) -> int:
        """The most columns that could have been counted together, whatever was chosen.

        The list of steps decides whether a choice is between pairs or between larger cliques. How
        large these are, and all of it where choices mix, depends on what was chosen: then as many
        as the query has.
        """
        measured = max((len(one.columns) for one in self.measurements), default=0)
        depends = self._has_choices and (self.mixes or measured > 2)
        return max(measured, len(self.query.columns)) if depends else measured

    def ends(self) -> tuple[float, float]:
        """Return the lowest and the highest answer."""
        own, few = self.own, self.query.atoms <= 2
        may_follow = self._has_choices
        if own is None:
            may_be_own = may_follow and len(self.query.columns) <= self._widest and not few
            share = _CHOSEN_SHARE if may_be_own else 0.0
        else:
            share = _OWN_SHARE if own.is_scheduled or not may_follow else _CHOSEN_SHARE
            # One condition is bounded by nothing else that would be narrower.
            share = 1.0 if few else share
        low, high = 0.0, float(self.rows)
        if own is not None:
            below, above = own.interval(self.miss * share, others_may_follow=may_follow)
            if self.target[-1]:
                below, above = self.rows - above, self.rows - below
            low, high = max(low, below), min(high, above)
        if share < 1:
            below, above = self._from_others(self.miss * (1 - share), by_program=own is None)
            if max(low, below) <= min(high, above) or own is None:
                low, high = max(low, below), min(high, above)
        return low, high

    def _from_others(self, miss: float, *, by_program: bool) -> tuple[float, float]:
        _, sums = self._sums
        if not sums:
            return 0.0, float(self.rows)
        each = miss / (self._possible_sums() if self._has_choices else len(sums))
        ends = np.array([one.interval(each, others_may_follow=self._has_choices) for one in sums])
        masks = np.stack([one.atoms for one in sums])
        if by_program and masks.shape[1] <= _MOST_ATOMS and len(sums) <= _MOST_SUMS:
            return _solve(self.target, masks, ends, self.rows)
        return self._by_inclusion(masks, ends)

    def _possible_sums(self) -> int:
        """Return how many sums there could be, whatever is chosen: no fewer than there are.

        Of one column these are its groups of classes, point by point and in bins. Together columns
        are counted in bins alone. Conditions that were counted by themselves are one sum each.
        Where bins may be joined, groups in joined bins are unions of finer groups, and any two of
        these are apart or one holds the other: of m classes there are fewer than 2m. A pair has
        one way to join its bins; a group is a class without the bins that are cut, or one of the
        cut ones, which hold two classes or more. A pair of both columns of the query also tells of
        all cells in it, and of all that touch it.
        """
        query, ways = self.query, (False, True)
        widths = [
            {width for own, width in self.origins.values() if own == name} for name in query.columns
        ]
        found = sum(self.mixes or one.cells is not None for one in self.measurements)
        sizes: list[list[int]] = []
        for axis, known in enumerate(widths):
            every = [
                query.components(axis, width, is_coarse=how) for width in known for how in ways
            ]
            groups = len({group.tobytes() for _, groups in every for group in groups})
            sizes.append(
                [len(query.components(axis, max(known), is_coarse=how)[1]) for how in ways]
            )
            if query.columns[axis] in self.may_join:
                classes = query.counts.shape[axis]
                groups = sum(2 * len(query.components(axis, 1, is_coarse=how)[1]) for how in ways)
                sizes[axis][0] = classes + classes // 2
            found += groups
        for many in range(2, min(self._widest, len(sizes)) + 1):
            for some in combinations(sizes, many):
                fine, coarse = (math.prod(one[how] for one in some) for how in ways)
                found += fine + (coarse if coarse < fine else 0)
        if len(query.columns) == 2 and not {*query.columns}.isdisjoint(self.may_join):
            found += 2 * len(ways)
        return found

    def _by_inclusion(self, masks: Mask, ends: Array) -> tuple[float, float]:
        """Return bounds by sums that hold the query, and that it holds."""
        low, high = 0.0, float(self.rows)
        every = np.concatenate([masks, ~masks])
        lows = np.concatenate([ends[:, 0], self.rows - ends[:, 1]])
        highs = np.concatenate([ends[:, 1], self.rows - ends[:, 0]])
        holds = ~(self.target & ~every).any(axis=1)
        within = ~(every & ~self.target).any(axis=1)
        return (
            float(max(low, lows[within].max(initial=low))),
            float(min(high, highs[holds].min(initial=high))),
        )


def _solve(target: Mask, masks: Mask, ends: Array, rows: int) -> tuple[float, float]:
    """Return the least and the largest answer over tables whose sums lie within their ends."""
    try:
        from scipy.optimize import linprog
    except ImportError as problem:
        raise MissingPartError(
            "a query that was not counted is bounded by a linear program of SciPy, which comes "
            "with noisewright and is missing here: pip install scipy."
        ) from problem
    sums = masks.astype(np.float64)
    middle, half = ends.mean(axis=1) / rows, (ends[:, 1] - ends[:, 0]) / (2 * rows)
    # Sums that only repeat what is possible make the program larger and nothing narrower.
    tells = (middle - half > 0) | (middle + half < 1)
    sums, middle, half = sums[tells], middle[tells], half[tells]
    found: list[float] = []
    while len(found) < 2:
        sign = 1.0 if not found else -1.0
        solved: Any = linprog(
            sign * target.astype(np.float64),
            A_ub=np.concatenate([sums, -sums]),
            b_ub=np.concatenate([middle + half, half - middle]),
            A_eq=np.ones((1, target.size)),
            b_eq=np.ones(1),
            bounds=(0, 1),
            method="highs",
        )
        if solved.status == 0:
            found.append(sign * float(solved.fun))
        elif solved.status == 2 and half.max() < 4:
            # No table fits: some noise is beyond its margin, which is what may be missed.
            half, found = half * _WIDENED + 1e-6, []
        else:
            return 0.0, float(rows)
    return rows * found[0], rows * found[1]
