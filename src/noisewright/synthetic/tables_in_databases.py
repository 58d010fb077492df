"""Tables that a database counts: nothing but how many rows fall into each cell leaves it.

Cells are read as strictly as those of files: one that its field does not allow is an error, which
names the column, and no row, since rows have no numbers there. All counts are taken by one query,
so that they are of the same rows, and before anything is spent: no cell can make a step fail that
was paid for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import DataError, InputError, OutsideSpaceError
from noisewright.on_use import pa
from noisewright.relations import (
    ItemField,
    Limit,
    Node,
    PlaceField,
    Rows,
    SourceRows,
    SqlTable,
    add,
    choose,
    column,
    divide,
    is_null,
    literal,
    multiply,
    sql_table,
    subtract,
)
from noisewright.sampling import Source, source_or_default
from noisewright.spaces import Categories, Dates, Interval, Records
from noisewright.synthetic.tallies import Names, Tallies, require_cells
from noisewright.tables import Field, Person

_TOGETHER = 16
"""Columns that are checked by one expression."""


@final
@dataclass(frozen=True)
class WeightedCode:
    """A code from several fields of one grid: ⌊(constant + Σ weight · code) / divisor⌋ < size."""

    weights: Mapping[str, int]
    constant: int
    divisor: int
    size: int


Origins = Mapping[str, tuple[str, int]]
"""Of which declared column each column of a domain is, and how many of its points are one there."""


@final
@dataclass(frozen=True, eq=False)
class TableInDatabase:
    """A table of DuckDB, PostgreSQL or Spark, what its columns hold, and whose rows they are."""

    table: SqlTable
    fields: Mapping[str, Field]
    person: Person | None = None
    stored: Mapping[str, str] = field(default_factory=dict[str, str])
    weighted: Mapping[str, WeightedCode] = field(default_factory=dict[str, WeightedCode])
    joined: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    @classmethod
    def of(
        cls,
        data: Any,
        fields: Mapping[str, Field],
        person: Person | None = None,
        *,
        stored: Mapping[str, str] | None = None,
        weighted: Mapping[str, WeightedCode] | None = None,
        joined: Mapping[str, Sequence[str]] | None = None,
    ) -> TableInDatabase | None:
        """Return the table if a database has it; nothing but names and types is looked at.

        `stored` says by what names the table has fields, `weighted` which columns of a domain are
        computed from several fields, and `joined` which columns of the table are one curve.
        """
        table = sql_table(data)
        if table is None:
            return None
        if person is not None and person.keep == "first":
            raise InputError(
                f"keep='first' counts the first rows of each person, but rows of {table.name} have "
                "no order. Let keep='random' choose among them, or read the table from a file."
            )
        made = cls(table, fields, person, stored or {}, weighted or {}, joined or {})
        table.require_types(made._all_rows)
        return made

    @property
    def name(self) -> str:
        """What to call it."""
        return self.table.name

    @property
    def schema(self) -> Any:
        """The names and types of its columns, as Arrow has them; several may be one curve."""
        first = {names[0]: curve for curve, names in self.joined.items()}
        parts = {name for names in self.joined.values() for name in names}
        return pa.schema(
            [
                pa.field(first[one.name], pa.list_(pa.float64())) if one.name in first else one
                for one in self.table.schema
                if one.name in first or one.name not in parts
            ]
        )

    def tallies(
        self,
        domain: Records,
        groupings: Sequence[Names],
        *,
        origins: Origins | None = None,
        source: Source | None = None,
    ) -> Tallies:
        """Count rows by these columns of a domain, which are declared ones or come from them.

        Ensures: every cell is checked; of each person at most so many rows are counted as was
        declared. Rows that name nobody are all one person's.
        """
        for names in groupings:
            require_cells(domain, names)
        known = origins or {name: (name, 1) for name in self.fields}
        wanted = [tuple(self._code(*known[name]) for name in names) for names in groupings]
        checks = [(self._first_gap(part),) for part in self._parts]
        if self.person is not None:
            self._require_allowed(self.table.count_tables(self._all_rows, checks))
        counts = self.table.count_tables(self._counted_rows(source), [*checks, *wanted])
        self._require_allowed(counts[: len(checks)])
        rows = int(counts[0].sum())
        if any(int(table.sum()) != rows for table in counts):
            raise DataError(
                f"{self.table.name} was changed while it was being counted. Nothing was spent. "
                "Give a copy that nobody writes to."
            )
        return Tallies(domain, rows, dict(zip(groupings, counts[len(checks) :], strict=True)))

    def count_rows(self) -> int:
        """Return how many rows count."""
        [found] = self.table.count_tables(self._counted_rows(None), [()])
        return int(found)

    @property
    def _all_rows(self) -> SourceRows:
        whose = None if self.person is None else self.person.column
        return SourceRows(self.table, self.fields, whose, self.stored, strict=True)

    def _counted_rows(self, source: Source | None) -> Rows:
        if self.person is None:
            return self._all_rows
        salt = f"{int(source_or_default(source).words(1)[0]):016x}"
        reads = tuple(self._column(name) for name in self.fields)
        return Limit(self._all_rows, self.person.rows, salt, reads=reads)

    def _column(self, name: str) -> Node:
        grid = self._all_rows.grid(name)
        return column(name, *sorted((grid.first, grid.last)), nullable=True)

    def _code(self, name: str, width: int) -> Node:
        """Return the place of a cell among the points, or among bins of so many of them."""
        if name in self.weighted:
            return self._sum(self.weighted[name], width)
        grid, cell = self._all_rows.grid(name), self._column(name)
        if grid.stride < 0:
            cell = subtract(literal(grid.first), cell)
        elif grid.first and grid.stride * width > 1:
            cell = subtract(cell, literal(grid.first))
        return divide(cell, grid.stride * width) if grid.stride * width > 1 else cell

    def _sum(self, code: WeightedCode, width: int) -> Node:
        """Return ⌊(constant + Σ weight · steps) / (divisor · width)⌋, in whole numbers."""
        grids = [self._all_rows.grid(name) for name in code.weights]
        stride = grids[0].stride
        constant = code.constant * stride
        constant -= sum(w * g.first for w, g in zip(code.weights.values(), grids, strict=True))
        found = literal(constant)
        for name, weight in code.weights.items():
            found = add(found, multiply(literal(weight), self._column(name)))
        made = divide(found, code.divisor * stride * width)
        return replace(made, low=0, high=(code.size - 1) // width)

    @property
    def _parts(self) -> list[list[str]]:
        # Of a set one field says whether a cell is allowed.
        names = [
            name
            for name, one in self.fields.items()
            if not isinstance(one, ItemField) or one.checks
        ]
        places = [*range(0, len(names), _TOGETHER), len(names)]
        return [names[start:end] for start, end in pairwise(places)]

    def _first_gap(self, names: Sequence[str]) -> Node:
        """Return which column is the first whose cell is not allowed, from 1 on; 0 if none is."""
        found = literal(0)
        for place, name in reversed(list(enumerate(names, start=1))):
            found = choose(is_null(self._column(name)), literal(place), found)
        return found

    def _require_allowed(self, checks: Sequence[NDArray[np.int64]]) -> None:
        for names, counts in zip(self._parts, checks, strict=True):
            wrong = np.flatnonzero(counts[1:])
            if wrong.size:
                name = names[int(wrong[0])]
                raise OutsideSpaceError(
                    f"the column {self._name_in_table(name)!r} of {self.table.name} holds cells "
                    f"that are {self._remedy(name)}",
                    why="is not allowed",
                )

    def _name_in_table(self, name: str) -> str:
        return self.stored.get(name, name)

    def _remedy(self, name: str) -> str:
        known = self.fields[name]
        if isinstance(known, ItemField):
            return (
                f"no sets of at most {known.sets.most:,} of the {len(known.sets.items):,} declared "
                "items. Correct them, or declare with nw.Column what they count as: null=… for "
                "empty ones, other=… for undeclared items."
            )
        space = known.whole.space if isinstance(known, PlaceField) else known.space
        if isinstance(known, PlaceField):
            return f"no curves of {space!r}. Correct them, or declare outside='clamp'."
        known, rules = f"no points of {space!r}", "outside='clamp' for those beyond the bounds"
        if isinstance(space, Categories):
            known = f"none of its {space.size:,} declared labels"
            rules = "other=… for undeclared ones"
        elif isinstance(space, Interval) and not isinstance(space, Dates):
            rules = f"{rules}, off_grid='round' for those between grid points"
        return (
            f"{known}. Correct them, or declare with nw.Column what they count as: null=… for "
            f"empty ones, {rules}."
        )
