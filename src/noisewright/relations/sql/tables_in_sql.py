"""How many rows there are by each of several sets of values, as one SQL query.

One reading of the rows serves all of them (GROUPING SETS), and all are of the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.relations.rows import CountedTable, Rows, needed_columns
from noisewright.relations.sql.dialects import Dialect
from noisewright.relations.sql.rows_in_sql import TallyWriter
from noisewright.relations.sql.terms import Term, alias, coalesce, expressions, whole


class TablesWriter(TallyWriter):
    """Writes the query of some tables, and reads what it returns."""

    def __init__(self, dialect: Dialect, rows: Rows, tables: Sequence[CountedTable]) -> None:
        super().__init__(dialect)
        self._wanted, self._tables = rows, tables
        self._nodes = list(dict.fromkeys(node for table in tables for node in table))

    def query_of_tables(self) -> Term:
        """Return the query: a column for each node, and how many rows.

        It is NULL where the node is not in the set that is counted. A value that is NULL itself is
        one less than the least, so that it can be told apart.
        """
        exp, nodes = expressions(), self._nodes
        part = self._rows(self._wanted, needed_columns(self._wanted, *nodes))
        writer = self._writer(part)
        values = [writer.number(node) for node in nodes]
        full = [
            coalesce(value, whole(node.low - 1)) if node.nullable else value
            for node, value in zip(nodes, values, strict=True)
        ]
        named = dict(zip(nodes, writer.name(*full, word="value"), strict=True))
        part = self._with_levels(part, writer)
        counted = alias(exp.Count(this=exp.Star()), "row_count")
        query = exp.select(*(term.copy() for term in named.values()), counted).from_(part.name)
        sets = [
            exp.Tuple(expressions=[named[node].copy() for node in table]) for table in self._tables
        ]
        query.set("group", exp.Group(expressions=[exp.GroupingSets(expressions=sets)]))
        return self._with_parts(query)

    def counts_in(self, found: Iterable[Sequence[Any]]) -> list[NDArray[np.int64]]:
        """Return the counts of each table, an axis for each node, from what the query returned."""
        by_set: dict[tuple[bool, ...], list[Sequence[Any]]] = {}
        for line in found:
            by_set.setdefault(tuple(value is not None for value in line[:-1]), []).append(line)
        made: list[NDArray[np.int64]] = []
        for table in self._tables:
            lines = by_set.get(tuple(node in table for node in self._nodes), [])
            cells = np.zeros(len(lines), dtype=np.int64)
            inside = np.ones(len(lines), dtype=np.bool_)
            sizes = [node.high - node.low + 1 for node in table]
            for node, size in zip(table, sizes, strict=True):
                place = self._nodes.index(node)
                values = np.array([line[place] for line in lines], dtype=np.int64) - node.low
                inside &= values >= 0
                cells = cells * size + values
            total = np.zeros(prod(sizes), dtype=np.int64)
            # Set, not added up: tables of the same nodes get each other's lines, too.
            total[cells[inside]] = np.array([line[-1] for line in lines], dtype=np.int64)[inside]
            made.append(total.reshape(sizes))
        return made
