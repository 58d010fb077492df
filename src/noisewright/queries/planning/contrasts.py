"""Tables as contrasts and back: orthogonal, in whole numbers, one axis after the other.

A block with the counts x_0 … x_(b−1) of its b branches has the contrasts (Helmert 1876)

    c_k = x_0 + … + x_(k−1) − k x_k,   k = 1 … b − 1,    |c_k as a vector|² = k (k + 1).

They are orthogonal to each other and to the sum S, which is what the level above sees. Back:

    x_j = S / b + Σ_(k > j) c_k / (k (k + 1)) − c_j / (j + 1),   the last one for j ≥ 1.

An axis of N cells becomes N coefficients: the sum, then the contrasts of level 1, of level 2, …;
those of level l have the places from b_1 ⋯ b_(l−1) to b_1 ⋯ b_l.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.planning.attribute import Attribute, Floats


def to_contrasts(table: NDArray[Any], axes: tuple[Attribute, ...]) -> NDArray[Any]:
    """Return the coefficients of a table whose axes have the cells of these attributes, in order.

    Ensures: whole numbers stay whole numbers.
    """
    out = table
    for place, axis in enumerate(axes):
        out = _along_axis(_forward, out, place, axis)
    return out


def from_contrasts(coefficients: NDArray[Any], axes: tuple[Attribute, ...]) -> Floats:
    """Return the table with these coefficients; its empty cells are spread over the others."""
    out = coefficients.astype(np.float64)
    for place, axis in enumerate(axes):
        out = _along_axis(_backward, out, place, axis)
    return out


def part_places(axes: tuple[Attribute, ...], levels: tuple[int, ...]) -> tuple[slice, ...]:
    """Return where the coefficients of a part are, which has a level of each axis."""
    return tuple(
        slice(axis.widths[level - 1] if level else 0, axis.widths[level])
        for axis, level in zip(axes, levels, strict=True)
    )


def squared_norms(axis: Attribute, level: int) -> NDArray[np.int64]:
    """Return k (k + 1) of each contrast of a level; 1 for level 0."""
    if level == 0:
        return np.ones(1, dtype=np.int64)
    k = np.arange(1, axis.branching[level - 1], dtype=np.int64)
    return np.tile(k * (k + 1), axis.widths[level - 1])


def _along_axis(change: Any, table: NDArray[Any], place: int, axis: Attribute) -> NDArray[Any]:
    return np.moveaxis(change(np.moveaxis(table, place, -1), axis), -1, place)


def _forward(table: NDArray[Any], axis: Attribute) -> NDArray[Any]:
    *others, cells = table.shape
    sums = np.zeros((*others, axis.widths[-1]), dtype=table.dtype)
    sums[..., :cells] = table
    out = np.empty_like(sums)
    for branches, width in zip(axis.branching[::-1], axis.widths[-2::-1], strict=True):
        blocks = sums.reshape(*others, width, branches)
        running = np.cumsum(blocks, axis=-1)
        k = np.arange(1, branches)
        found = running[..., :-1] - k * blocks[..., 1:]
        out[..., width : width * branches] = found.reshape(*others, -1)
        sums = running[..., -1]
    out[..., :1] = sums
    return out


def _backward(coefficients: Floats, axis: Attribute) -> Floats:
    *others, _ = coefficients.shape
    sums = coefficients[..., :1]
    for branches, width in zip(axis.branching, axis.widths, strict=False):
        found = coefficients[..., width : width * branches].reshape(*others, width, branches - 1)
        k = np.arange(1, branches)
        later = np.cumsum((found / (k * (k + 1)))[..., ::-1], axis=-1)[..., ::-1]
        blocks = np.empty((*others, width, branches))
        blocks[..., :] = sums[..., None] / branches
        blocks[..., :-1] += later
        blocks[..., 1:] -= found / (k + 1)
        sums = blocks.reshape(*others, -1)
    out = sums[..., : axis.cells].copy()
    for _, start, first, stop in axis.tails:
        mean = sums[..., first:stop].sum(axis=-1, keepdims=True) / (axis.cells - start)
        out[..., start:] += mean
    return out
