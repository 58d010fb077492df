"""Contrasts of tables: orthogonal, in whole numbers, and nothing is lost."""

import numpy as np
import pytest

from noisewright.queries.planning.attribute import Attribute, trees
from noisewright.queries.planning.contrasts import (
    from_contrasts,
    part_places,
    squared_norms,
    to_contrasts,
)
from tests.queries.planning.dense import contrast_rows, helmert

AXES = [
    Attribute("flat", 5),
    Attribute("one", 1),
    Attribute("full tree", 12, (2, 3, 2)),
    Attribute("tree with empty cells", 7, (3, 3)),
    Attribute("mostly empty", 9, (2, 2, 2, 2)),
]


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: axis.name)
def test_contrasts_are_orthogonal_and_have_the_stated_norms(axis: Attribute) -> None:
    rows = [row for level in range(axis.height + 1) for row in helmert(axis, level)]
    products = np.array(rows) @ np.array(rows).T
    assert np.count_nonzero(products - np.diag(np.diag(products))) == 0
    norms = [
        norm * axis.block_sizes[level]
        for level in range(axis.height + 1)
        for norm in squared_norms(axis, level).tolist()
    ]
    assert np.diag(products).tolist() == norms
    assert len(rows) == axis.widths[-1]


def test_a_part_of_the_coefficients_is_what_its_definition_says() -> None:
    axes = (AXES[0], AXES[3], AXES[2])
    table = np.random.default_rng(7).integers(-50, 50, size=(5, 7, 12))
    found = to_contrasts(table, axes)
    assert found.dtype == table.dtype
    for part in np.ndindex(2, 3, 4):
        expected = [int(np.dot(row, table.ravel())) for row, _ in contrast_rows(axes, part)]
        assert found[part_places(axes, part)].ravel().tolist() == expected


def test_back_again() -> None:
    axes = tuple(AXES)
    shape = [axis.cells for axis in axes]
    table = np.random.default_rng(8).integers(0, 50, size=shape)
    np.testing.assert_allclose(from_contrasts(to_contrasts(table, axes), axes), table, atol=1e-9)


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: axis.name)
def test_sums_are_kept_when_empty_cells_are_spread(axis: Attribute) -> None:
    coefficients = np.random.default_rng(9).normal(size=axis.widths[-1])
    assert from_contrasts(coefficients, (axis,)).sum() == pytest.approx(coefficients[0])


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: axis.name)
def test_spreads_are_squared_lengths(axis: Attribute) -> None:
    """|Q_l v|² / s_l from the contrasts themselves, for cells, prefixes and all ranges."""
    n = axis.cells
    ranges = [[start <= k < stop for k in range(n)] for start in range(n) for stop in range(n + 1)]
    vectors = {
        "cells": np.eye(n),
        "prefixes": np.tril(np.ones((n, n))),
        "ranges": np.array([each for each in ranges if any(each)], dtype=np.float64),
    }
    back = np.stack([from_contrasts(unit, (axis,)) for unit in np.eye(axis.widths[-1])])
    for kind, answers in vectors.items():
        weights = answers @ back.T  # of each coefficient in each answer
        for level in range(axis.height + 1):
            place = part_places((axis,), (level,))[0]
            # A contrast of m_r s_l squared length has the weight ⟨v, h⟩ / (m_r s_l).
            squares = weights[:, place] ** 2 * squared_norms(axis, level)
            found = axis.spread(answers)[:, level]
            np.testing.assert_allclose(found, squares.sum(axis=1), atol=1e-12)
        total = axis.spread(answers).sum(axis=0)
        np.testing.assert_allclose(axis.total_spread(kind), total, atol=1e-9)  # pyright: ignore[reportArgumentType]
        assert axis.answers(kind) == len(answers)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("cells", [1, 2, 3, 16, 17, 97, 1000])
def test_trees_have_room_for_all_cells_and_no_branch_too_many(cells: int) -> None:
    for branching in trees(cells):
        assert np.prod(branching, dtype=int) >= cells
        for place, branches in enumerate(branching):
            fewer = np.prod(branching, dtype=int) // branches * (branches - 1)
            assert branches == 2 or fewer < cells, (branching, place)
