"""Rows again from the same noisy counts, as they might have been: each table with other noise.

Everything here sees noisy counts only, so it is post-processing, and costs no privacy.

Noise of the same law is added to the noisy counts once more, and the model is fitted to the sums as
it was to the counts. If a fit were linear and noise normal, these fits would be draws from what the
counts say about the table behind them, without prior knowledge (randomize, then optimize: Bardsley,
Solonen, Haario and Laine 2014). So tables made this way differ by as much as noise leaves open. A
synthetic table has no sampling error besides: its rows are rounded from the fit, not sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ReleaseError
from noisewright.sampling import Source
from noisewright.synthetic.bins import Bins
from noisewright.synthetic.by_points.covered_totals import cover_totals, exact_counts
from noisewright.synthetic.by_points.rounds import ModelInRounds
from noisewright.synthetic.by_points.starting_points import StartingPoints
from noisewright.synthetic.by_points.whole_rows import make_rows
from noisewright.synthetic.knowledge.knowledge import PublicKnowledge
from noisewright.synthetic.steps.measurement import Measurement, add_noise
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.tallies import Tallies, varying

_MOST_CELLS = 1 << 16
"""Of tables that rows are rounded for."""


def refit_rows(
    grid: Bins,
    measurements: Sequence[Measurement],
    rows: int,
    source: Source | None = None,
    known: PublicKnowledge | None = None,
) -> dict[str, NDArray[Any]]:
    """Return codes of the declared columns for so many rows, from counts with noise added again.

    `known` is what is public about the table: zeros never appear, and totals are kept.
    Requires: counts of each column that varies, by itself; or ReleaseError.
    """
    names = varying(grid.domain, tuple(name for name, _ in grid.domain.columns))
    require_columns(grid, measurements)
    about = known or PublicKnowledge()
    again = [replace(one, counts=add_noise(one.counts, one.noise, source)) for one in measurements]
    sizes = {name: grid.domain.by_name[name].size for name in names}
    codes: dict[str, NDArray[Any]] = {}
    if names:
        codes = _rows_of(grid, again, sizes, rows, source, about)
    every = {
        name: codes[name] if name in codes else np.zeros(rows, np.int64)
        for name, _ in grid.domain.columns
    }
    spread = grid.spread(every, again, source)
    return spread if about.zeros is None else about.zeros.keep_out(spread, source)


def _rows_of(
    grid: Bins,
    counted: Sequence[Measurement],
    sizes: dict[str, int],
    rows: int,
    source: Source | None,
    about: PublicKnowledge,
) -> dict[str, NDArray[Any]]:
    queries = [one for one in counted if one.cells is not None]
    whole = [one for one in counted if one.cells is None and set(one.columns) <= sizes.keys()]
    exact = exact_counts(about, tuple(sizes), [one for one in whole if len(one.columns) == 1])
    whole = [one for one in whole if one.columns not in exact] + list(exact.values())
    singles = [one for one in whole if len(one.columns) == 1]
    others = [one for one in whole if len(one.columns) > 1]
    # The fit takes no step that sees data, so that there is no schedule, and nothing to count.
    steps = NoisySteps(Tallies(grid.domain, counted[0].rows, {}), cast(Any, None), source)
    start = StartingPoints(sizes, counted[0].rows, about, source)
    points, _ = ModelInRounds(steps, sizes, {}, singles, others, start, queries).finish()
    tables = {
        one.columns: None
        for one in whole
        if prod(sizes[name] for name in one.columns) <= _MOST_CELLS
    }
    points, kept = cover_totals(about, points, steps, rows)
    return make_rows(points, rows, list(tables), source, kept)


def require_columns(grid: Bins, measurements: Sequence[Measurement]) -> None:
    """Refuse counts that have none of some column by itself."""
    alone = {one.columns[0] for one in measurements if len(one.columns) == 1 and one.cells is None}
    names = varying(grid.domain, tuple(name for name, _ in grid.domain.columns))
    missing = [name for name in names if name not in alone]
    if missing:
        raise ReleaseError(
            "several tables are drawn from noisy counts of every column, and this synthesis did "
            f"not count the column {missing[0]!r} by itself. method='mst' does."
        )
