"""How many cliques of columns are counted, and what each step gets of the whole: by public facts.

What decides is the error that noise makes in a usual pair of columns, if k of them are counted: the
median of the cells of all that are asked for, times the mean size of the noise, by the number of
rows. It grows as √k where parts of ρ add up, and as k where parts of ε do. So k is as large as
keeps it below a limit, but at least as many as a tree of the columns has. Where all pairs have
little noise, all are counted, and nothing is spent on choosing. In between, distances of all pairs
from a model decide which are counted, and how often (`screening.py`). The numbers are measured
(decision 0027).
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, prod, sqrt
from typing import NamedTuple, final

from noisewright.synthetic.by_points.asked_for import AskedFor
from noisewright.synthetic.graphs.forest import spanning_forest
from noisewright.synthetic.steps.noise import MARGINAL
from noisewright.synthetic.steps.run_budget import RunBudget

Names = tuple[str, ...]

ERROR_OF_ALL = {"rho": 0.2, "epsilon": 0.03}
ERROR_OF_CHOSEN = {"rho": 0.3, "epsilon": 0.15}
"""What noise may make of a usual pair, where all are counted, and where some are chosen."""

LEAST_SCREENED, _CELLS_OF_LEAST = 0.035, 32
"""Where noise makes less of a usual pair of so many cells, all are counted alike and none compared.
It grows as the root of the cells, most of which are small in a large pair."""

_CELLS_OF_ALL = {"rho": 16, "epsilon": 1}
ERROR_OF_SMALL = 0.02
"""Where a usual pair has fewer cells than that, all are counted if noise makes no more of it: a
distance costs as much as for larger ones, but each count tells less."""

_PAIRS_OF_COLUMN = {"rho": 4, "epsilon": 2}
_MOST_OF_PAIRS = 0.5
"""At most so many pairs are chosen for each column, and at most this part of all."""

_TREE = 0.35
"""Which part of the counts goes into a tree of the pairs that are most linked, at first."""

_MOST_OF_LARGER = 0.5
"""The largest part of the larger cliques that is chosen."""

LARGER_ERROR = 0.15
"""What noise may make of a usual clique of three columns and more."""

_SINGLES, _CHOICES, _CLIQUES, _POINTS, _PARTNERED, _DISTANCES = 2, 1, 7, 0.6, 0.6, 0.4
_SINGLES_OF_SOME, _SINGLES_OF_FEW = 3, 4
"""How the whole is divided: columns, choices, cliques, columns in bins point by point, the same
with another column, distances.

Where few pairs are counted, columns get more: most pairs then follow from them.
"""

_SINGLES_OF_ASKED = 5
"""What columns get more, in the same parts, if the workload is about single columns alone."""

_MOST_OF_CONDITIONS = 0.6
"""The largest part of all that conditions get that are counted by themselves."""

_POWER_OF_WORTH = 2 / 3
"""How parts grow with what the workload asks: Σ worth · noise is least so, for parts of ρ."""

_LARGER = 0.3
"""Which part of what goes into cliques goes into those of three columns and more."""

_POWER = 0.6
"""How parts of columns grow with their points. Those of pairs are alike.

Noise alone would want 2/3 where parts of ρ add up: Σ cells · noise is then least. But most cells of
a large pair are small, and stay near the simpler model.
"""

_FINE = 1 << 20
"""Weights are whole numbers, so that parts are exact: in so many parts of the largest."""


@final
class StepParts(NamedTuple):
    """What each step gets of the whole: counts known before, and one of each other kind.

    Those that are not needed are 0.
    """

    known: dict[Names, Fraction]
    choice: Fraction
    pair: Fraction
    larger: Fraction
    point: Fraction
    query: Fraction
    distance: Fraction
    partnered: Fraction


@final
@dataclass(frozen=True, eq=False)
class Division:
    """The division of a budget among the counts of columns, pairs and larger cliques.

    `points` is how many columns are counted point by point besides, and `may_be_partnered` how many
    of them could be counted with another column once more; `rows` is public, and left out stands
    for very many. `asked` says what the workload asks for.
    """

    budget: RunBudget
    sizes: Mapping[str, int]
    singles: Names
    pairs: Sequence[Names]
    larger: Sequence[Names]
    points: int
    rows: int | None
    asked: AskedFor
    may_be_partnered: int = 0

    @cached_property
    def chosen_pairs(self) -> int:
        """How many pairs are chosen and counted, one by one, or 0 if all could be counted."""
        return 0 if self._affords_all else self._worth

    @property
    def chooses_few(self) -> bool:
        """Whether few more pairs are chosen than a tree has."""
        return 0 < 2 * self.chosen_pairs <= 3 * len(self.singles)

    @cached_property
    def counts_all_pairs(self) -> bool:
        """Whether all pairs are counted, so that there is nothing to choose."""
        return self._affords_all and not self.screens

    @cached_property
    def _affords_all(self) -> bool:
        """Whether all pairs could be counted."""
        every = len(self.pairs)
        if self._worth == every:
            return True
        unit = self.budget.unit
        is_small = self._usual_cells(self.pairs) < _CELLS_OF_ALL[unit]
        most = ERROR_OF_SMALL if is_small else ERROR_OF_ALL[unit]
        return self._how_many(self.pairs, most, Fraction(1)) == every

    @cached_property
    def screens(self) -> bool:
        """Whether noisy distances of all pairs decide which are counted, and how often.

        Where parts of ε add up, so many numbers would cost too much.
        """
        every = len(self.pairs)
        if self.budget.unit != "rho" or every <= len(self.singles) or not self._affords_all:
            return False
        return not (self.chosen_larger or self.counts_all_larger or self._has_little_noise)

    @cached_property
    def _has_little_noise(self) -> bool:
        """Whether all pairs can be counted with so little noise that nothing need be compared."""
        least = LEAST_SCREENED * sqrt(self._usual_cells(self.pairs) / _CELLS_OF_LEAST)
        return self._how_many(self.pairs, least, Fraction(1)) == len(self.pairs)

    @property
    def partnered(self) -> int:
        """How many columns are counted point by point with another column: where noise is small.

        Each value of the other column has noise in every point: with much of it, rows would follow
        noise.
        """
        is_good = bool(self.pairs) and self.counts_all_pairs and self._has_little_noise
        return self.may_be_partnered if is_good else 0

    @cached_property
    def edges(self) -> int:
        """How many pairs a tree of the columns has, or several trees that nothing connects."""
        return len(spanning_forest(self.pairs))

    @property
    def counts_of_edge(self) -> int:
        """How often each pair of the first tree is counted where pairs are screened."""
        return max(1, round(_TREE * len(self.pairs) / self.edges))

    @property
    def screened(self) -> tuple[int, int]:
        """How often pairs are counted after the first distances, and after the second."""
        if not self.screens:
            return 0, 0
        first = self.edges * self.counts_of_edge
        return first, len(self.pairs) - first

    @cached_property
    def _worth(self) -> int:
        unit, columns = self.budget.unit, len(self.singles)
        wanted = self._how_many(self.pairs, ERROR_OF_CHOSEN[unit], Fraction(1))
        most = min(_PAIRS_OF_COLUMN[unit] * columns, ceil(_MOST_OF_PAIRS * len(self.pairs)))
        return min(max(min(wanted, most), columns - 1), len(self.pairs))

    @cached_property
    def chosen_larger(self) -> int:
        """How many cliques of three columns and more are chosen and counted."""
        if not self._affords_all or self.counts_all_larger:
            return 0
        most = ceil(_MOST_OF_LARGER * len(self.larger))
        return min(self._how_many(self.larger, LARGER_ERROR, Fraction(_LARGER)), most)

    @cached_property
    def counts_all_larger(self) -> bool:
        """Whether all larger cliques are counted: they are few, and have little noise."""
        few = 0 < len(self.larger) <= len(self.pairs)
        if not few or not self._affords_all:
            return False
        return self._how_many(self.larger, LARGER_ERROR, Fraction(_LARGER)) == len(self.larger)

    @property
    def _part_of_conditions(self) -> float:
        return min(self.asked.part_of_conditions, _MOST_OF_CONDITIONS)

    def _how_many(self, cliques: Sequence[Names], most: float, part: Fraction) -> int:
        """Return how many of these are worth counting with a part of what cliques get.

        That is where noise makes at most such an error in a usual one.
        """
        if not cliques or self.rows is None:
            return len(cliques)
        whole = self.budget.total * part * _CLIQUES / (_SINGLES + _CHOICES + _CLIQUES)
        whole *= 1 - Fraction(self._part_of_conditions)
        usual = self._usual_cells(cliques)
        none, least = 0, len(cliques) + 1
        while least - none > 1:
            some = (none + least) // 2
            noise = self.budget.noise(whole / some, MARGINAL)
            if noise.mean_sum(usual) <= most * self.rows:
                none = some
            else:
                least = some
        return none

    def _usual_cells(self, cliques: Sequence[Names]) -> int:
        return round(statistics.median(self._cells(names) for names in cliques))

    @property
    def choices(self) -> int:
        """How many private choices there are."""
        return self.chosen_pairs + self.chosen_larger

    @cached_property
    def parts(self) -> StepParts:
        """What each step gets. Ensures: what all steps get adds up to the whole, exactly."""
        known = [(name,) for name in self.singles]
        pairs = list(self.pairs) if self.counts_all_pairs else []
        first = _SINGLES if self._affords_all else _SINGLES_OF_SOME
        if self.chooses_few:
            first = _SINGLES_OF_FEW
        every = list(self.larger) if self.counts_all_larger else []
        larger = _CLIQUES * _LARGER if self.chosen_larger or every else 0.0
        columns = first + _SINGLES_OF_ASKED * self.asked.part_of_columns
        conditions = len(self.asked.listed)
        part = self._part_of_conditions
        rest = columns + bool(self.choices) * _CHOICES + bool(self.pairs) * _CLIQUES
        counted_pairs = self.chosen_pairs or sum(self.screened)
        distances = 2 * len(self.pairs) if self.screens else 0
        weights = [
            *self._share(known, columns, _POWER),
            *self._share(pairs, _CLIQUES - larger, 0.0),
            *self._share(every, larger, 0.0),
            *self._split(self.choices, _CHOICES),
            *self._split(counted_pairs, _CLIQUES if counted_pairs else 0.0),
            *self._split(self.chosen_larger, larger),
            *self._split(self.points, _POINTS),
            *self._split(conditions, rest * part / (1 - part)),
            *self._split(distances, _DISTANCES),
            *self._split(self.partnered, _PARTNERED),
        ]
        amounts = iter(self.budget.divide([max(1, round(_FINE * one)) for one in weights]))
        counted = {names: next(amounts) for names in (*known, *pairs, *every)}

        def next_of(count: int) -> Fraction:
            return next(iter([next(amounts) for _ in range(count)]), Fraction(0))

        counts = (
            self.choices,
            counted_pairs,
            self.chosen_larger,
            self.points,
            conditions,
            distances,
            self.partnered,
        )
        return StepParts(counted, *map(next_of, counts))

    def _share(self, tables: Sequence[Names], weight: float, power: float) -> list[float]:
        """Return what each gets: more where there are more cells, or where more is asked."""
        asked = self.asked.worth(tables)
        sizes = [
            self._cells(names) ** power * worth**_POWER_OF_WORTH
            for names, worth in zip(tables, asked, strict=True)
        ]
        return [weight * size / sum(sizes) for size in sizes]

    def _split(self, count: int, weight: float) -> list[float]:
        return [weight / max(count, 1)] * count

    def _cells(self, names: Names) -> int:
        return prod(self.sizes[name] for name in names)
