"""A model that grows round by round: choose what it gets wrong, count that, fit again.

Only the choices and the counts see the data, through `NoisySteps`; all else is post-processing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, prod, sqrt
from statistics import median
from typing import TypeVar, final

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import project_to_simplex
from noisewright.given import quantity
from noisewright.synthetic.by_points.choose_cliques import (
    Joined,
    count_best,
    count_forest,
    score,
)
from noisewright.synthetic.by_points.joined_pairs import spread_out
from noisewright.synthetic.by_points.points import WeightedPoints
from noisewright.synthetic.by_points.screening import (
    allot,
    noise_in,
    part_above_noise,
    shrink,
)
from noisewright.synthetic.by_points.starting_points import StartingPoints
from noisewright.synthetic.by_points.tilted_points import PULL, PULL_OF_FEW, Tilt, tilt_points
from noisewright.synthetic.graphs.forest import spanning_forest
from noisewright.synthetic.graphs.graph_fit import ToldProgress, fit_or_simpler
from noisewright.synthetic.graphs.graph_model import GraphModel, cells_needed
from noisewright.synthetic.graphs.tree_model import fit_tree, pairs_of_a_forest
from noisewright.synthetic.steps.joined_bins import JoinedBins, add_up
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.steps.schedule import Comparing, Counting

Array = NDArray[np.float64]
Names = tuple[str, ...]
Kind = TypeVar("Kind", Comparing, Counting)

_MOST_IN_GRAPH = 1 << 14
"""Cells of the graph that points are drawn from."""

_REFITS = 8
_FEW_STEPS, _SOME_STEPS, _MANY_STEPS = 20, 60, 200
"""How often the model is fitted between rounds, and how long; before distances; at the end."""

_FEW_ROWS = 8
"""Where there are fewer rows for each cell of a usual pair, most cells are empty."""

_MOST_WORK = 1 << 31
"""Points times tables times steps."""

_LEAST = 1e-9
"""The share of a cell that looks empty: nothing is impossible in the model."""


@final
@dataclass(eq=False)
class ModelInRounds:
    """Noisy counts of columns and of some cliques of them, and the points that fit them.

    `known` are cliques that were counted without a choice, and `queries` single conditions.
    `joined` are bins that are counted as one where a clique is chosen. `chooses_few`: noise is so
    large that hardly more pairs are chosen than a tree has. `holds_unlinked`: pairs that look
    independent are held near the points more strongly.
    """

    steps: NoisySteps
    sizes: Mapping[str, int]
    weights: Mapping[Names, int]
    singles: Sequence[Measurement]
    known: Sequence[Measurement]
    start: StartingPoints
    queries: Sequence[Measurement] = ()
    joined: Joined = field(default_factory=dict[Names, dict[str, JoinedBins]])
    chooses_few: bool = False
    holds_unlinked: bool = False
    counted: list[Measurement] = field(init=False)
    _points: WeightedPoints | None = field(init=False, default=None)
    _tilt: Tilt | None = field(init=False, default=None)
    _note: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self.counted = [*self.singles, *self.known]

    @property
    def _shares(self) -> dict[str, Array]:
        """The shares of each column, from its own counts."""
        found: dict[str, Array] = {}
        for one in self.singles:
            near = np.maximum(project_to_simplex(one.counts / one.rows), _LEAST)
            found[one.columns[0]] = near / near.sum()
        return found

    def _cost(self, names: Names, shares: Array) -> int:
        """Return what noise is expected to add to a clique, by the step that will count it.

        It adds no more to a cell than the model expects there: what is below noise stays as it is.
        Where few are chosen, nearly all cells are below it, and those with fewer cells are better.
        """
        noise = self._step(1, Counting).noise(MARGINAL)
        expected = add_up(shares, names, self.joined.get(names, {})) * self.steps.tallies.rows
        if self.chooses_few:
            return round(noise.mean_sum(expected.size))
        return round(noise_in(expected, noise.on(expected.size).mean_size))

    def _step(self, place: int, kind: type[Kind]) -> Kind:
        """Return the step at this place, from the next one on, which is known to be of a kind."""
        found = self.steps.schedule.steps[len(self.steps.spends) + place]
        assert isinstance(found, kind)
        return found

    def _scores(self, cliques: Sequence[Names], shares: Sequence[Array]) -> dict[Names, int]:
        tallies = self.steps.tallies
        return {
            names: score(
                tallies,
                names,
                share,
                self._cost(names, share),
                self.weights[names],
                self.joined,
            )
            for names, share in zip(cliques, shares, strict=True)
        }

    def choose_pairs(self, candidates: Sequence[Names], times: int) -> None:
        """Choose so many pairs and count them: first some that close no cycle."""
        scores = self._scores(candidates, self._before(candidates))
        forest = count_forest(self.steps, scores, ceil(times * FOREST), self.joined)
        self.counted += forest
        self._choose(candidates, times - len(forest))

    def screen_pairs(self, pairs: Sequence[Names], first: int, more: int) -> None:
        """Count a tree of the most linked pairs, so many times in all, and then what it misses."""
        before = dict(zip(pairs, self._before(pairs), strict=True))
        apart = self._distances(before)
        linked = sorted(pairs, key=lambda names: -apart[names])
        self._count_apart(spanning_forest(linked), apart, before, first)
        tables = dict(zip(pairs, self._fit(_SOME_STEPS).tables(tuple(pairs)), strict=True))
        self._count_apart(pairs, self._distances(tables), tables, more)
        # The points that were drawn know the tree alone.
        self._points = self._tilt = None

    def _count_apart(
        self,
        pairs: Sequence[Names],
        apart: Mapping[Names, int],
        tables: Mapping[Names, Array],
        times: int,
    ) -> None:
        """Count some of the pairs, so many times in all, each as often as that is worth it.

        `apart` has their noisy distances from these shares, measured in the last steps.
        """
        compared, counting = self._step(-1, Comparing), self._step(0, Counting)
        size, rows = counting.noise(MARGINAL).mean_size, self.steps.tallies.rows
        # One table at a time: all of them again would take as much memory as they do.
        seen = [
            (noise_in(expected, size), part_above_noise(expected, size))
            for expected in (tables[names] * rows for names in pairs)
        ]
        noises, told = np.array(seen).T
        distances = np.array([apart[names] for names in pairs], dtype=np.float64)
        # A distance is half of that in L1, which the noise of a table is added up in.
        wrong = 2 * shrink(distances, compared.noise.deviation) * told
        counts = allot(wrong, noises, [self.weights[names] for names in pairs], times)
        for names, many in zip(pairs, counts, strict=True):
            self.counted += [self.steps.count(names) for _ in range(many)]

    def _distances(self, tables: Mapping[Names, Array]) -> dict[Names, int]:
        return {names: self.steps.distance(names, shares) for names, shares in tables.items()}

    def _before(self, pairs: Sequence[Names]) -> list[Array]:
        """Return what the columns alone say of these pairs, or a public starting table."""
        if self._first is not None:
            return self._first.tables(tuple(pairs))
        return self._independent(pairs)

    def _independent(self, pairs: Sequence[Names]) -> list[Array]:
        """Return the shares of these pairs if columns were independent."""
        shares = self._shares
        return [np.outer(shares[first], shares[second]) for first, second in pairs]

    def choose_larger(self, candidates: Sequence[Names], times: int) -> None:
        """Choose so many larger cliques and count them."""
        self._choose(candidates, times)

    def _choose(self, candidates: Sequence[Names], times: int) -> None:
        """Choose what the model gets wrong, and count it; fit again now and then."""
        left = times
        while left:
            model = self._fit(_FEW_STEPS)
            known = {one.columns for one in self.counted}
            open_ones = [names for names in candidates if names not in known] or list(candidates)
            shares = model.tables(tuple(open_ones))
            some = min(left, ceil(times / _REFITS))
            scores = self._scores(open_ones, shares)
            self.counted += count_best(self.steps, scores, some, self.joined)
            left -= some

    def _fit(self, steps: int, *, is_last: bool = False) -> WeightedPoints:
        """Fit the weights of the points to all that was counted, from where the last fit ended.

        Where that fails, the points keep the weights that they have: what was paid for is not lost.
        Ensures: what `progress` raises, to stop the work for example, is raised.
        """
        if self._points is None:
            self._points = self._start()
        known = self._points if self._tilt is None else self._tilt.points
        work = len(self.counted) * known.logs.size
        most = max(_FEW_STEPS // 2, min(steps, _MOST_WORK // work))
        told = ToldProgress(self.steps.progress if is_last else None)
        try:
            self._tilt = tilt_points(
                self._points,
                [*self.counted, *self.queries],
                steps=most,
                start=None if self._tilt is None else self._tilt.numbers,
                pull=self.start.pull(self._first, self.counted),
                hold=PULL_OF_FEW if self.chooses_few else PULL,
                holds_unlinked=self.holds_unlinked,
                progress=told,
            )
        except Exception as problem:
            if problem in told.raised:
                raise
            # Its message may be about counts; its name is enough.
            self._note = (
                f"Weights could not be fitted to all noisy counts ({type(problem).__name__}). The "
                "rows come from a simpler model instead."
            )
            return known
        return self._tilt.points

    def _start(self) -> WeightedPoints:
        """Return points of a graph of columns that fits what was counted so far, as it can.

        With a starting table its points are there, too: the more, the nearer it is to the counts.
        """
        return self.start.join(self._first, self.start.draw(self._graph()), self.counted)

    @property
    def _alone(self) -> GraphModel:
        """The columns as if they were independent."""
        return GraphModel(
            self.sizes, tuple(((name,), np.log(share)) for name, share in self._shares.items())
        )

    @cached_property
    def _first(self) -> WeightedPoints | None:
        """The points of a public starting table, if there is one."""
        return self.start.first(self._alone, self.singles)

    def _graph(self) -> GraphModel:
        """Return a graph of columns: the pairs that are most linked, while it stays small.

        Where most cells are empty, it starts from a tree whose tables are moved to the nearest that
        are possible, which leaves them empty; and else from independent columns.
        """
        alone = self._alone
        counts: dict[Names, list[Measurement]] = defaultdict(list)
        for one in self.counted:
            if len(one.columns) == 2:
                counts[one.columns].append(one)
        gains = {names: self._gain(of_pair) for names, of_pair in counts.items()}
        shares = self._shares
        taken: list[Names] = []
        for names in sorted(gains, key=lambda each: -gains[each]):
            small = cells_needed(self.sizes, [*taken, names]) <= _MOST_IN_GRAPH
            if gains[names] > 0 and small:
                taken.append(names)
        if not taken:
            return alone
        pairs = [spread_out(one, shares) for names in taken for one in counts[names]]
        simpler = fit_tree(self.singles, pairs_of_a_forest(pairs)) if self._has_few_rows else alone
        found, _ = fit_or_simpler(
            "graph",
            self.sizes,
            [*self.singles, *pairs],
            simpler,
            None,
            holds_unlinked=self.holds_unlinked,
        )
        return found if isinstance(found, GraphModel) else found.as_graph()

    @property
    def _has_few_rows(self) -> bool:
        cells = [self._cells(one.columns) for one in self.counted if len(one.columns) > 1]
        return bool(cells) and self.steps.tallies.rows < _FEW_ROWS * median(cells)

    def _gain(self, counts: Sequence[Measurement]) -> float:
        """Return how far noisy counts of a pair are from independence, less what noise adds."""
        (table,) = self._independent([counts[0].columns])
        mean = np.mean([one.counts for one in counts], axis=0)
        apart = np.abs(mean - counts[0].rows * counts[0].of_table(table)).sum()
        return float(apart) - counts[0].noise.mean_size * mean.size / sqrt(len(counts))

    def finish(self) -> tuple[WeightedPoints, tuple[str, ...]]:
        """Return the points with the weights that fit all counts best."""
        if self._has_few_rows:
            # Points drawn before a pair was counted are hardly ever in the few full cells of it.
            self._points = self._tilt = None
        found = self.start.rake(self._fit(_MANY_STEPS, is_last=True))
        notes = (self._note, self._joined_note)
        return found, tuple(note for note in notes if note)

    @property
    def _joined_note(self) -> str:
        """What is said about bins that were counted as one, if any were."""
        chosen = {one.columns: one.joined for one in self.counted if len(one.columns) == 2}
        some = [joined for joined in chosen.values() if joined]
        if not some:
            return ""
        names = sorted({name for joined in some for name in joined})
        return (
            f"In {len(some):,} of {quantity(len(chosen), 'pair')} that were counted, neighboring "
            f"bins or values with few rows were joined, that is, counted as one (of "
            f"{', '.join(map(repr, names))}), because each alone would be lost in noise. How the "
            "two columns are related within a joined bin is not known. Each column by itself was "
            "counted without joining."
        )

    def _cells(self, names: Names) -> int:
        return prod(self.sizes[name] for name in names)


FOREST = 0.5
"""Which part of the pairs is chosen at first, so that they close no cycle."""
