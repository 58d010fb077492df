"""Points that agree with what is public: none that is impossible, and those of a starting table.

Everything here sees noisy counts and public tables only, so it is post-processing, and floating
point is fine.

A starting table is trusted as far as noisy counts bear it out. If its shares q were right but for
sampling, the counts y of a table with noise σ would have E Σ (y − N q)² = φ N + σ² cells, where φ
is 1 plus N by the rows of the starting table; the further off it is, the larger is φ. The best
linear shrinkage of y − N q is then by N q / (N q + σ²/φ), which is what a fit with τ = 1/φ does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source, source_or_default
from noisewright.synthetic.by_points.points import WeightedPoints, draw_points, list_points
from noisewright.synthetic.deal_rows import round_at_random
from noisewright.synthetic.graphs.graph_model import GraphModel, cells_needed
from noisewright.synthetic.knowledge.prior import Prior, distinct
from noisewright.synthetic.knowledge.zeros import Zeros
from noisewright.synthetic.steps.measurement import Measurement

Array = NDArray[np.float64]

_MOST_IN_GRAPH = 1 << 18
"""Cells of a graph that knows zeros."""

_IMPOSSIBLE = -1e3
"""The logarithm of what an impossible cell is multiplied with: e^-1000 is 0 in doubles."""

_ROUNDS = 8
_REPAIRS = 64
"""How often points are drawn again, and moved, where most that are drawn are impossible."""

_FEW = 1 << 10
"""With fewer possible points, impossible ones are moved until they are possible."""


def model_points(
    graph: GraphModel, draws: int | None, zeros: Zeros | None, source: Source | None
) -> WeightedPoints:
    """Return the possible points that a model draws, or all where `draws` is None.

    Ensures: points of the model given that they are possible; where that is too rare to be drawn,
    points nearby.
    """
    if zeros is None:
        return list_points(graph) if draws is None else draw_points(graph, draws, source)
    if draws is None:
        return keep_possible(list_points(graph), zeros)
    restricted = _with_zeros(graph, zeros)
    found: list[WeightedPoints] = []
    for _ in range(_ROUNDS):
        drawn = draw_points(restricted, draws, source)
        is_good = zeros.are_possible(drawn.codes, drawn.logs.size)
        if is_good.any():
            found.append(_some(drawn, is_good))
        if sum(one.logs.size for one in found) >= min(draws, drawn.logs.size) // 2:
            break
    if sum(one.logs.size for one in found) < _FEW:
        found.append(_move(draw_points(restricted, draws, source), zeros, source))
    return join_points([(one, 1.0) for one in found])


def keep_possible(points: WeightedPoints, zeros: Zeros) -> WeightedPoints:
    """Return the possible ones among the points, of which there must be one."""
    return _some(points, zeros.are_possible(points.codes, points.logs.size))


def join_points(parts: Sequence[tuple[WeightedPoints, float]]) -> WeightedPoints:
    """Return the points of all parts, each part with its share in proportion to its weight."""
    if len(parts) == 1:
        return parts[0][0]
    sizes = parts[0][0].sizes
    codes = {
        name: np.concatenate([part.codes[name].astype(np.int64) for part, _ in parts])
        for name in sizes
    }
    shares = np.concatenate([weight * part.shares for part, weight in parts])
    points, sums = distinct(codes, shares)
    likely = sums > 0
    kept = {name: values[likely] for name, values in points.items()}
    logs = np.log(sums[likely])
    return WeightedPoints(sizes, kept, logs).reweigh(logs)


def prior_points(
    prior: Prior, like: WeightedPoints, zeros: Zeros | None, most: int, source: Source | None
) -> WeightedPoints | None:
    """Return the possible points of a starting table, at most about so many; None if there is none.

    Where it has more different rows, some are drawn in proportion to how often they occur.
    """
    codes, times = distinct(
        {name: prior.codes[name] for name in like.sizes}, prior.times.astype(np.float64)
    )
    if times.size > most:
        drawn = round_at_random(times / times.sum(), most, source_or_default(source))
        (kept,) = np.nonzero(drawn)
        codes = {name: values[kept] for name, values in codes.items()}
        times = drawn[kept].astype(np.float64)
    points = WeightedPoints(like.sizes, codes, np.log(times / times.sum()))
    if zeros is None:
        return points
    is_good = zeros.are_possible(codes, times.size)
    return _some(points, is_good) if is_good.any() else None


def spread_of_counts(points: WeightedPoints, seen: Sequence[Measurement]) -> float:
    """Return φ: how far noisy counts are from these points beyond their noise, by their size.

    Ensures: unbiased up to weights, if the noise of these counts did not make the points.
    """
    tables = points.tables(tuple(one.columns for one in seen))
    found, weights, guess = 0.0, 0.0, 1.0
    for _ in range(3):
        found, weights = 0.0, 0.0
        for one, shares in zip(seen, tables, strict=True):
            variance = one.noise.deviation**2
            gaps = one.counts - one.rows * one.of_table(shares)
            beyond = float((gaps * gaps).sum()) / one.rows - variance * gaps.size / one.rows
            spread = (2 * variance**2 * gaps.size / one.rows + 4 * variance * guess) / one.rows
            weight = 1 / (spread + guess * guess)
            found += weight * beyond
            weights += weight
        guess = max(found / weights, 1.0)
    # As large as it may well be, so that chance does not make the table look better than it is.
    return max(found / weights, 0.0) + weights**-0.5


def _with_zeros(graph: GraphModel, zeros: Zeros) -> GraphModel:
    """Return the model with impossible cells made so, as far as it stays small."""
    known = [names for names, _ in graph.potentials]
    more: list[tuple[tuple[str, ...], Array]] = []
    for names, cells in zeros.tables():
        away = tuple(place for place, name in enumerate(names) if name not in graph.sizes)
        kept = tuple(name for name in names if name in graph.sizes)
        left = cells.all(axis=away) if away else cells
        together = [*known, *(one for one, _ in more), kept]
        if kept and left.any() and cells_needed(graph.sizes, together) <= _MOST_IN_GRAPH:
            more.append((kept, np.where(left, _IMPOSSIBLE, 0.0)))
    return GraphModel(graph.sizes, (*graph.potentials, *more))


def _some(points: WeightedPoints, mask: NDArray[np.bool_]) -> WeightedPoints:
    codes = {name: values[mask] for name, values in points.codes.items()}
    logs = points.logs[mask]
    return WeightedPoints(points.sizes, codes, logs).reweigh(logs)


def _move(points: WeightedPoints, zeros: Zeros, source: Source | None) -> WeightedPoints:
    """Return points that were moved until they are possible: columns of a met zero are changed.

    A column gets the code that some other point has there. Where none of them becomes possible,
    there are those of one search.
    """
    bits = source_or_default(source)
    codes = {name: values.astype(np.int64) for name, values in points.codes.items()}
    size = points.logs.size
    is_good = zeros.are_possible(codes, size)
    about = [name for name in zeros.columns if name in codes]
    for _ in range(_REPAIRS):
        (bad,) = np.nonzero(~is_good)
        if not bad.size or not about:
            break
        chosen = bits.words(bad.size) % np.uint64(len(about))
        for place, name in enumerate(about):
            some = bad[chosen == place]
            donors = (bits.words(some.size) % np.uint64(size)).astype(np.int64)
            codes[name][some] = codes[name][donors]
        is_good = zeros.are_possible(codes, size)
    if is_good.any():
        return _some(WeightedPoints(points.sizes, codes, points.logs), is_good)
    left = zeros.narrow(zeros.whole)
    assert left is not None
    for name in about:
        allowed = np.flatnonzero([bool(held & left[name]) for held in zeros.held[name]])
        picked = (bits.words(size) % np.uint64(allowed.size)).astype(np.int64)
        codes[name] = allowed[picked]
    return _some(WeightedPoints(points.sizes, codes, points.logs), zeros.are_possible(codes, size))
