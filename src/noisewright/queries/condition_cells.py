"""Which cells of declared columns a condition holds for; no row is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.queries.binding import bind_condition
from noisewright.queries.expressions import Expression
from noisewright.queries.private import Private
from noisewright.queries.sql_in import condition_from_sql
from noisewright.relations import Node, Values, evaluate, grid_of
from noisewright.spaces import Space
from noisewright.tables import Field

_MOST_CELLS = 1 << 22


def condition_cells(
    condition: str | Expression, table: Any, spaces: Mapping[str, Space]
) -> list[tuple[tuple[str, ...], NDArray[np.bool_]]]:
    """Return some sets of columns, and for each which of its cells are allowed, one axis a column.

    The condition, an expression or a text in SQL as after WHERE, holds where all of them are. No
    column is in two of the sets.
    """
    known = Private(table, columns=dict(spaces), ledger=None)
    if isinstance(condition, str):
        condition = condition_from_sql(known, condition)
    parts: list[tuple[frozenset[str], list[Node]]] = []
    for node in _conjuncts(bind_condition(condition, known.columns)):
        names, nodes = node.columns, [node]
        apart: list[tuple[frozenset[str], list[Node]]] = []
        for others, listed in parts:
            if others & names:
                names, nodes = names | others, [*listed, *nodes]
            else:
                apart.append((others, listed))
        parts = [*apart, (names, nodes)]
    return [_cells(tuple(n for n in spaces if n in names), nodes, spaces) for names, nodes in parts]


def _conjuncts(node: Node) -> list[Node]:
    if node.operator != "and":
        return [node]
    return [one for argument in node.arguments for one in _conjuncts(argument)]


def _cells(
    names: tuple[str, ...], nodes: list[Node], spaces: Mapping[str, Space]
) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    shape = tuple(spaces[name].size for name in names)
    size = prod(shape)
    if size > _MOST_CELLS:
        raise TooLargeError(
            f"the condition is about {size:,} cells of {', '.join(names)} at once (at most "
            f"{_MOST_CELLS:,}). Join conditions on single columns with AND instead.",
            size=size,
        )
    codes = np.unravel_index(np.arange(size), shape) if names else ()
    columns: dict[str, Values] = {}
    for name, code in zip(names, codes, strict=True):
        grid = grid_of(Field.of(spaces[name]))
        columns[name] = (grid.first + grid.stride * code.astype(np.int64), None)
    holds = np.ones(size, dtype=np.bool_)
    for node in nodes:
        values, missing = evaluate(node, columns, size)
        holds &= values != 0 if missing is None else (values != 0) & ~missing
    return names, holds.reshape(shape)
