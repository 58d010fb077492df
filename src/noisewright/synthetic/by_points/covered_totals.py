"""Public totals in a fit by points, and in its rows: counts without noise, and points for each.

Everything here sees noisy counts and public tables only, so it is post-processing, and floating
point is fine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source
from noisewright.synthetic.by_points.points import WeightedPoints
from noisewright.synthetic.by_points.whole_rows import KeptCells
from noisewright.synthetic.knowledge.knowledge import PublicKnowledge
from noisewright.synthetic.knowledge.totals import Totals
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noisy_steps import NoisySteps

Names = tuple[str, ...]

_SHARPER = 8
"""How many times less noise a total has in a fit than the best counts; raking does the rest."""

_TRIED = 16
"""Points that are made for a cell without any."""


def exact_counts(
    known: PublicKnowledge, names: Names, singles: Sequence[Measurement]
) -> dict[Names, Measurement]:
    """Return the totals as counts with little noise, by their columns that vary, in order."""
    if known.totals is None:
        return {}
    best = min(singles, key=lambda one: one.noise.deviation)
    sharper = _SHARPER if best.noise.unit == "epsilon" else _SHARPER**2
    noise = replace(best.noise, amount=best.noise.amount * sharper, balanced_cells=None)
    found: dict[Names, Measurement] = {}
    for columns, counts in known.totals.tables:
        order = [columns.index(name) for name in names if name in columns]
        kept = tuple(columns[place] for place in order)
        away = [place for place in range(len(columns)) if place not in order]
        if kept:
            placed = counts.transpose(order + away).reshape([counts.shape[p] for p in order])
            found[kept] = replace(best, columns=kept, counts=placed, noise=noise)
    return found


def cover_totals(
    known: PublicKnowledge, points: WeightedPoints, steps: NoisySteps, rows: int
) -> tuple[WeightedPoints, KeptCells | None]:
    """Return points in the order of their cells, and the rows of each cell that keep all totals.

    Ensures: every cell with rows has possible points.
    """
    totals = known.totals
    if totals is None:
        return points, None
    places = totals.places(points.codes, points.logs.size)
    shares = np.bincount(places, weights=points.shares, minlength=totals.possible.size)
    wanted = rows * shares.astype(np.float64).reshape(totals.shape)
    cells = totals.nearest_or_any(wanted, steps.tallies.rows, rows).reshape(-1)
    empty = np.flatnonzero((cells > 0) & (np.bincount(places, minlength=cells.size) == 0))
    if empty.size:
        points = _with_more(points, known, totals, np.repeat(empty, _TRIED), steps.bits)
        places = totals.places(points.codes, points.logs.size)
    order = np.argsort(places, kind="stable")
    codes = {name: values[order] for name, values in points.codes.items()}
    placed = WeightedPoints(points.sizes, codes, points.logs[order])
    return placed, KeptCells(places[order], cells)


def _with_more(
    points: WeightedPoints,
    known: PublicKnowledge,
    totals: Totals,
    places: NDArray[np.int64],
    bits: Source,
) -> WeightedPoints:
    """Return the points, and for each of these cells one like another point but for the cell."""
    size = points.logs.size
    donors = (bits.words(places.size) % np.uint64(size)).astype(np.int64)
    made: dict[str, NDArray[Any]] = {n: codes[donors] for n, codes in points.codes.items()}
    fixed = dict(zip(totals.columns, np.unravel_index(places, totals.shape), strict=True))
    for name, codes in fixed.items():
        if name in made:
            made[name] = codes
    zeros = known.zeros
    if zeros is not None:
        for place in np.flatnonzero(~zeros.are_possible(made, places.size)).tolist():
            row = {name: int(codes[place]) for name, codes in fixed.items()}
            for name, code in _possible_codes(known, row, bits).items():
                if name in made:
                    made[name] = made[name].astype(np.int64)
                    made[name][place] = code
    codes = {n: np.concatenate([old.astype(np.int64), made[n]]) for n, old in points.codes.items()}
    # Within a cell that had none, weights are alike; in what proportion to others is not used.
    logs = np.append(points.logs, np.full(places.size, float(points.logs.min())))
    return WeightedPoints(points.sizes, codes, logs)


def _possible_codes(known: PublicKnowledge, row: Mapping[str, int], bits: Source) -> dict[str, int]:
    """Return codes of columns with zeros that are possible beside these of columns with totals."""
    zeros = known.zeros
    assert zeros is not None
    fixed = {name: zeros.held[name][code] for name, code in row.items() if name in zeros.held}
    left = zeros.narrow({**zeros.whole, **fixed})
    assert left is not None
    found: dict[str, int] = {}
    for name, held in zeros.held.items():
        if name not in row:
            allowed = [code for code, atoms in enumerate(held) if atoms & left[name]]
            found[name] = allowed[int(bits.words(1)[0]) % len(allowed)]
    return found
