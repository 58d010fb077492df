"""Points of a domain that stand for all of it: every point, or many that a model draws.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

A model of columns that was fitted to some noisy counts says which points are likely. What else was
counted, however many columns it links, then only changes the weights of these points
(`tilted_points.py`): that takes as long as there are points and tables, while a junction tree of
many linked columns would have as many cells as the whole domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source
from noisewright.synthetic.by_points.blocks import BlockedTables
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.knowledge.prior import distinct

Array = NDArray[np.float64]
Names = tuple[str, ...]


@final
@dataclass(frozen=True, eq=False)
class WeightedPoints:
    """Different points, each with a code in every column, and the logarithms of their shares.

    The shares add up to 1.
    """

    sizes: Mapping[str, int]
    codes: Mapping[str, NDArray[Any]]
    logs: Array

    @cached_property
    def shares(self) -> Array:
        """The share of each point."""
        return np.exp(self.logs)

    def reweigh(self, logs: Array) -> WeightedPoints:
        """Return the same points with shares in proportion to these logarithms' powers."""
        top = float(logs.max())
        return replace(self, logs=logs - (top + np.log(np.exp(logs - top).sum())))

    def tables(self, wanted: tuple[Names, ...]) -> list[Array]:
        """Return the shares of the cells of these tables."""
        return BlockedTables(self.sizes, self.codes, wanted).sums(self.shares)


def list_points(model: GraphModel) -> WeightedPoints:
    """Return all points of the domain with the shares that the model gives them."""
    names, shape = list(model.sizes), tuple(model.sizes.values())
    places = np.unravel_index(np.arange(prod(shape)), shape)
    codes = {
        name: place.astype(np.min_scalar_type(model.sizes[name] - 1))
        for name, place in zip(names, places, strict=True)
    }
    tables = tuple(columns for columns, _ in model.potentials)
    logs = BlockedTables(model.sizes, codes, tables).spread([v for _, v in model.potentials])
    return WeightedPoints(model.sizes, codes, logs).reweigh(logs)


def draw_points(model: GraphModel, draws: int, source: Source | None) -> WeightedPoints:
    """Return the different ones among so many draws of a model, each with its share of them."""
    different, times = distinct(model.draw(draws, source), np.ones(draws))
    return WeightedPoints(model.sizes, different, np.log(times / draws))
