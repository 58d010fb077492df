"""Small plans as explicit matrices: what is measured, as vectors over all records."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.planning.attribute import Attribute, Kind
from noisewright.queries.planning.measurements import ContrastMeasurement
from noisewright.queries.planning.question_parts import TableQuestion
from noisewright.queries.planning.strategy import Strategy

Matrix = NDArray[np.float64]


def helmert(axis: Attribute, level: int) -> list[list[int]]:
    """The contrasts of a level, each as weights of all N cells, from their definition."""
    size = axis.block_sizes[level]
    if level == 0:
        return [[1] * size]
    parent, branches, found = axis.block_sizes[level - 1], axis.branching[level - 1], []
    for block in range(axis.widths[level - 1]):
        for k in range(1, branches):
            row = [0] * axis.widths[-1]
            for place in range(parent):
                child = place // size
                row[block * parent + place] = 1 if child < k else -k if child == k else 0
            found.append(row)
    return found


def kron(vectors: Sequence[Sequence[int]]) -> list[int]:
    out = [1]
    for vector in vectors:
        out = [a * b for a in out for b in vector]
    return out


def contrast_rows(
    axes: Sequence[Attribute], part: Sequence[int]
) -> Iterator[tuple[list[int], int]]:
    """The contrasts of a part as weights of records that exist, and their m_r."""
    every = [helmert(axis, level) for axis, level in zip(axes, part, strict=True)]
    sizes = [axis.block_sizes[level] for axis, level in zip(axes, part, strict=True)]
    for rows in product(*every):
        cut = [row[: axis.cells] for row, axis in zip(rows, axes, strict=True)]
        norm = 1
        for row, size in zip(rows, sizes, strict=True):
            norm *= sum(weight * weight for weight in row) // size
        yield kron(cut), norm


def answer_rows(axes: Sequence[Attribute], question: TableQuestion) -> Matrix:
    """The answers of a question as weights of records."""
    kinds: Mapping[str, Kind] = dict(zip(question.attributes, question.kinds, strict=True))
    each: dict[str, Any] = {}
    for axis in axes:
        cells = np.eye(axis.cells)
        if axis.name not in kinds:
            each[axis.name] = np.ones((1, axis.cells))
        else:
            each[axis.name] = np.cumsum(cells, axis=0) if kinds[axis.name] == "prefixes" else cells
    # The answers have the question's order of attributes, the records that of the axes.
    out = np.ones((1, 1))
    shape: list[int] = []
    for axis in axes:
        out = np.kron(out, each[axis.name])
        shape.append(len(each[axis.name]))
    places = {axis.name: place for place, axis in enumerate(axes)}
    asked = [places[name] for name in question.attributes]
    others = [place for place in range(len(axes)) if place not in asked]
    whole = out.reshape(*shape, -1).transpose(*asked, *others, len(axes))
    return whole.reshape(-1, out.shape[1])


def measured_rows(strategy: Strategy) -> list[tuple[Matrix, Matrix]]:
    """For each measurement: its numbers as weights of records, and the covariance of its noise."""
    axes, found = strategy.asked.axes, []
    for m in strategy.measurements:
        if isinstance(m, ContrastMeasurement):
            rows = list(contrast_rows(axes, strategy.part_of(m)))
            matrix = np.array([row for row, _ in rows], dtype=np.float64)
            found.append((matrix, np.diag(m.deviations.ravel() ** 2)))
            continue
        blocks = []
        level = dict(zip(m.attributes, m.levels, strict=True))
        for axis in axes:
            size = axis.block_sizes[level.get(axis.name, 0)]
            count = -(-axis.cells // size)
            blocks.append(np.repeat(np.eye(count), size, axis=1)[:, : axis.cells])
        matrix = np.ones((1, 1))
        for block in blocks:
            matrix = np.kron(matrix, block)
        noise = np.eye(len(matrix)) * m.variance
        if m.noise.balanced_cells:
            noise -= m.variance / m.noise.balanced_cells
        found.append((matrix, noise))
    return found


def estimator(strategy: Strategy, *, total: int | None) -> list[Matrix]:
    """For each question: its unbiased answers as weights of all noisy numbers."""
    shapes = [len(matrix) for matrix, _ in measured_rows(strategy)]

    def answers(numbers: Matrix) -> list[Matrix]:
        parts = np.split(numbers, np.cumsum(shapes)[:-1])
        noisy: list[Any] = [
            p.reshape(m.shape) for p, m in zip(parts, strategy.measurements, strict=True)
        ]
        given = strategy.reconstruct(noisy, total=total, non_negative=False)
        return [answer.unbiased.ravel() for answer in given]

    start = answers(np.zeros(sum(shapes)))
    columns = [answers(unit) for unit in np.eye(sum(shapes))]
    return [
        np.stack([column[k] for column in columns], axis=1) - start[k][:, None]
        for k in range(len(start))
    ]
