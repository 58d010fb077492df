"""The points that a fit starts from, with what is public about them: zeros, a table, totals.

Everything here sees noisy counts and public tables only, so it is post-processing, and floating
point is fine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import final

import numpy as np

from noisewright.sampling import Source
from noisewright.synthetic.by_points.known_points import (
    join_points,
    model_points,
    prior_points,
    spread_of_counts,
)
from noisewright.synthetic.by_points.points import WeightedPoints
from noisewright.synthetic.by_points.tilted_points import PULL, tilt_points
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.knowledge.knowledge import PublicKnowledge
from noisewright.synthetic.steps.measurement import Measurement

_MOST_EVERY = 1 << 16
"""Points of a domain that are all kept."""

_DRAWN, _FEWEST_DRAWN, _MOST_DRAWN = 4, 1 << 16, 1 << 17
"""Points that are drawn of a larger one: for each row, and in all."""

_SMOOTH = 0.01
"""Which part of a starting table is replaced by a model, so that nothing possible is ruled out."""

_LEAST_SPREAD = 0.25
"""A starting table is trusted as if it were nearer than this in no case."""

_STEPS = 200
"""How long the table is fitted to the counts of columns."""


@final
@dataclass(frozen=True, eq=False)
class StartingPoints:
    """Where the points of a model come from: so many rows over columns of these sizes."""

    sizes: Mapping[str, int]
    rows: int
    known: PublicKnowledge
    source: Source | None

    def draw(self, graph: GraphModel) -> WeightedPoints:
        """Return the possible points that a model draws, or all where there are few."""
        draws = min(max(_DRAWN * self.rows, _FEWEST_DRAWN), _MOST_DRAWN)
        is_small = prod(self.sizes.values()) <= _MOST_EVERY
        return model_points(graph, None if is_small else draws, self.known.zeros, self.source)

    def first(self, alone: GraphModel, singles: Sequence[Measurement]) -> WeightedPoints | None:
        """Return the points of the starting table, smoothed, fitted to the counts of columns.

        `alone` has the columns as if they were independent. None where there is no such table, or
        where zeros exclude all rows of it.
        """
        if self.known.prior is None:
            return None
        smooth = self.draw(alone)
        zeros = self.known.zeros
        given = prior_points(self.known.prior, smooth, zeros, _MOST_DRAWN, self.source)
        if given is None:
            return None
        start = join_points([(given, 1 - _SMOOTH), (smooth, _SMOOTH)])
        pull = 1 / max(spread_of_counts(start, singles), _LEAST_SPREAD)
        return tilt_points(start, singles, steps=_STEPS, pull=pull).points

    def join(
        self, first: WeightedPoints | None, drawn: WeightedPoints, counted: Sequence[Measurement]
    ) -> WeightedPoints:
        """Return the points of the starting table and of a model, by how near the table is.

        The nearer the table is to the counts, the less there is of the model; its part is small
        where the table is further off by as much as the usual fit allows for, and near 1 beyond.
        """
        if first is None:
            return self.rake(drawn)
        spread = self._spread(first, counted)
        times = 0.0 if spread is None else (spread * _usual_pull(counted)) ** 2
        part = max(_SMOOTH, times / (1 + times))
        return self.rake(join_points([(first, 1 - part), (drawn, part)]))

    def pull(self, first: WeightedPoints | None, counted: Sequence[Measurement]) -> float | None:
        """Return τ of a fit from these points; None for the usual one."""
        spread = None if first is None else self._spread(first, counted)
        return None if spread is None else max(1 / spread, _usual_pull(counted))

    def _spread(self, first: WeightedPoints, counted: Sequence[Measurement]) -> float | None:
        """Return how far the starting table is from the counts of cliques, if there are any."""
        cliques = [one for one in counted if len(one.columns) > 1]
        return max(spread_of_counts(first, cliques), _LEAST_SPREAD) if cliques else None

    def rake(self, points: WeightedPoints) -> WeightedPoints:
        """Return points with weights that have the public totals, as far as there are points."""
        totals = self.known.totals
        if totals is None:
            return points
        shares = totals.rake(totals.places(points.codes, points.logs.size), points.shares)
        return points.reweigh(np.log(shares))


def _usual_pull(counted: Sequence[Measurement]) -> float:
    return PULL / max(one.noise.fit_deviation for one in counted)
