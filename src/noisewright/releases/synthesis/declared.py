"""What the columns of a table to be synthesized hold: read from a plan, or from spaces."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.engines import (
    Kept,
    PersonKeys,
    PersonRows,
    ahead,
)
from noisewright.errors import InputError, SpaceError
from noisewright.mechanisms import read_delta
from noisewright.on_use import pa
from noisewright.plans import Column, Plan, read_columns, read_epsilon, settings_at
from noisewright.sampling import Source
from noisewright.spaces import Categories, Records, Space
from noisewright.synthetic import Bins, SplitColumns, TableInDatabase, Tallies, Workload, Zeros
from noisewright.tables import (
    Codes,
    Person,
    Schema,
    TableReader,
    open_table,
    outputs_for,
    require_column_names,
)
from noisewright.transaction import Progress


@final
@dataclass(frozen=True, eq=False)
class Columns:
    """What columns are declared to hold, and the budget of the plan that says so."""

    schema: Schema
    budget: tuple[Any, Any]
    notes_others: bool = False
    """Whether columns that nothing is said about are worth a note: nobody wrote others='drop'."""

    @cached_property
    def split(self) -> SplitColumns:
        """Which columns are split into several: sets of items, and curves."""
        return SplitColumns(self.schema.fields)

    @property
    def domain(self) -> Records:
        """The columns that are counted, with one value in a cell."""
        return self.split.domain

    @classmethod
    def of(cls, plan: Any, *, person: Person | None = None) -> Columns:
        """Read a plan, the path of one, or a mapping from names to spaces; no data is needed.

        `person` says for a mapping what a plan says by itself.
        """
        said = _read_declaration(plan)
        columns: Mapping[str, Any] = said["columns"]
        _require_possible(columns)
        schema = Schema(
            {name: how for name, how in read_columns(columns) if isinstance(how, Column)},
            said.get("person", person),
            dropped=tuple(name for name, how in columns.items() if how == "drop"),
            others=said.get("others", "error"),
            names=tuple(columns),
        )
        budget = (read_epsilon(said.get("epsilon")), read_delta(said.get("delta", 0)))
        return cls(schema, budget, notes_others=not isinstance(plan, Plan | str | os.PathLike))

    @property
    def names(self) -> list[str]:
        """The declared columns."""
        return [name for name, _ in self.domain.columns]

    def find_unnamed(self, names: Sequence[str]) -> list[str]:
        """Return the columns that nothing is said about."""
        known = {*self.schema.inputs, *self.schema.dropped}
        return [name for name in names if name not in known]

    def require_named(self, names: Sequence[str]) -> None:
        """Refuse columns that nothing is said about; no cell of a synthetic table can be kept."""
        schema = self.schema
        schema.require_present(names)
        unnamed = self.find_unnamed(names)
        if unnamed and schema.others == "error":
            raise InputError(
                f"the plan says nothing about {', '.join(map(repr, unnamed))}. Declare what these "
                "columns hold, give 'drop' for them (in a file use = \"drop\"), or others='drop' "
                "for all."
            )

    @property
    def rows_per_person(self) -> int:
        """How many rows of one person count."""
        return self.schema.rows_per_person

    def workload(self, wanted: Any) -> Workload:
        """Return the workload on the declared domain; without one all two-way marginals."""
        if wanted is None:
            return Workload.marginals(self.domain, ways=min(2, len(self.domain.columns)))
        if isinstance(wanted, int | list | tuple):
            return Workload.marginals(self.domain, ways=wanted)
        if isinstance(wanted, str | os.PathLike):
            return Workload.read(wanted, self.domain)
        if not isinstance(wanted, Workload):
            raise InputError(
                f"workload is a {type(wanted).__name__}; give a Workload, such as "
                "nw.workloads.Workload.marginals(domain, ways=2), the path of one, or a whole "
                "number k for all tables of k columns, or several such as [1, 2]."
            )
        if not wanted.queries:
            raise InputError("the workload has no queries, so there is nothing to answer.")
        known, given = dict(self.domain.columns), dict(wanted.domain.columns)
        for name, space in given.items():
            if name not in known:
                raise SpaceError(
                    f"the workload has a column {name!r}, which is not declared for the table; "
                    f"that has {', '.join(map(repr, known))}."
                )
            if not _same(known[name], space):
                raise SpaceError(
                    f"the workload's column {name!r} is {space!r}, but the table is declared with "
                    f"{known[name]!r}. Labels for empty or undeclared cells are part of a column."
                )
        return Workload(self.domain, wanted.parts)


@final
@dataclass(frozen=True, eq=False)
class Declared:
    """A table and what its columns are declared to hold."""

    columns: Columns
    reader: TableReader | TableInDatabase

    @classmethod
    def of(cls, data: Any, plan: Any) -> Declared:
        """Open a table; nothing but its names and types is looked at."""
        columns = plan if isinstance(plan, Columns) else Columns.of(plan)
        schema = columns.schema
        reader: TableReader | TableInDatabase | None = columns.split.open(data, schema.person)
        if reader is None:
            require_column_names(data, schema)
            reader = open_table(data, schema=schema)
        columns.require_named(reader.schema.names)
        schema.require_fit(reader.schema)
        if schema.person is not None and isinstance(reader, TableReader):
            kind = reader.schema.field(schema.person.column).type
            PersonKeys(schema.person.column).require_type(kind)
        return cls(columns, reader)

    @property
    def domain(self) -> Records:
        """The declared columns."""
        return self.columns.domain

    @property
    def declared(self) -> Schema:
        """How cells are read."""
        return self.columns.schema

    def notes(self) -> list[str]:
        """Name the columns of the table that are left out because nothing is said about them."""
        columns = self.columns
        left = columns.find_unnamed(self.reader.schema.names) if columns.notes_others else []
        if not left:
            return []
        more = f" and {len(left) - 10} more" if len(left) > 10 else ""
        listed = f"{', '.join(map(repr, left[:10]))}{more}"
        return [f"Left out, since not named: {listed}. Say 'drop' to leave them out on purpose."]

    def count_rows(self) -> int:
        """Return how many rows count, which is public; cells are checked only to tell whose."""
        if isinstance(self.reader, TableInDatabase):
            return self.reader.count_rows()
        if self.declared.person is not None:
            return sum(len(next(iter(codes.values()))) for codes in self.batches(None))
        if self.reader.rows is not None:
            return self.reader.rows
        first = next(name for name in self.reader.schema.names if name in self.declared.fields)
        return sum(batch.num_rows for batch in self.reader.batches([first]))

    @property
    def rows_per_person(self) -> int:
        """How many rows of one person count."""
        return self.columns.rows_per_person

    def tallies(
        self,
        grid: Bins,
        groupings: Sequence[tuple[str, ...]],
        progress: Progress | None,
        source: Source | None = None,
        zeros: Zeros | None = None,
    ) -> Tallies:
        """Count rows by these columns of the grid's wide domain, where the rows are.

        Ensures: as for `batches`; a database names the column of a bad cell alone. No row that
        counts meets one of the zeros.
        """
        if not isinstance(self.reader, TableInDatabase):
            rows: Iterator[Codes] = self.batches(progress, source)
            if zeros is not None:
                rows = zeros.require_unmet(rows, numbered=self.declared.person is None)
            return Tallies.of(grid.batches(rows), grid.wide, groupings)
        more = () if zeros is None else zeros.groupings
        wanted = tuple(dict.fromkeys((*groupings, *more)))
        found = self.reader.tallies(grid.wide, wanted, origins=grid.origins, source=source)
        if zeros is not None:
            zeros.require_none(found)
        if progress is not None:
            progress("check", found.rows, found.rows)
        return found

    @property
    def _rows(self) -> TableReader:
        """What reads the rows; those of a database stay there."""
        assert isinstance(self.reader, TableReader)
        return self.reader

    def batches(self, progress: Progress | None, source: Source | None = None) -> Generator[Codes]:
        """Yield the codes of the rows; raises with the column and the row of a bad cell.

        Ensures: every row is checked; of each person at most so many are yielded as the plan says.
        """
        ordered = [name for name in self.reader.schema.names if name in self.declared.inputs]
        mine = self._mine(source)
        rows = 0
        with closing(ahead(self._rows.batches(ordered, encoded=self.declared.labels))) as batches:
            for batch in batches:
                if batch.num_rows:
                    cells = self.declared.encode(batch, rows)
                    found = self.columns.split.codes(cells, source)
                    if mine is not None:
                        kept = mine(batch, rows)
                        found = {name: codes[kept] for name, codes in found.items()}
                    rows += batch.num_rows
                    yield found
                if progress is not None:
                    progress("check", rows, self._rows.rows)

    def _mine(self, source: Source | None) -> Callable[[Any, int], NDArray[np.bool_]] | None:
        """Return what tells which rows of a batch are among those of a person that count."""
        person = self.declared.person
        if person is None:
            return None
        keys, totals = PersonKeys(person.column), None

        def hashes(batch: Any, first_row: int) -> NDArray[np.uint64]:
            return keys.hashes(batch.column(person.column), first_row)

        if person.keep == "random":
            # A choice among all rows of a person needs their number: this column is read twice.
            totals, rows = PersonRows(), 0
            for batch in self._rows.batches([person.column]):
                totals.add(hashes(batch, rows))
                rows += batch.num_rows
        kept = Kept(person.rows, person.keep, totals, source)
        return lambda batch, first_row: kept.rows(hashes(batch, first_row))

    @property
    def schema(self) -> Any:
        """The names and types of the synthetic table, in the order of the input."""
        return pa.schema(
            [pa.field(n, maker.type, nullable=False) for n, maker in self._makers().items()]
        )

    def table(self, codes: Codes, source: Source | None = None) -> Any:
        """Return codes as a table; sets and curves are put together again."""
        cells = self.columns.split.cells(codes, source)
        arrays = [maker.array(cells[name]) for name, maker in self._makers().items()]
        schema = self.schema
        plain = [
            array if array.type.equals(field.type) else array.cast(field.type)
            for array, field in zip(arrays, schema, strict=True)
        ]
        return pa.Table.from_arrays(plain, schema=schema)

    def read_rows(self) -> Any:
        """Return all rows of the declared columns as they are stored."""
        names = [name for name in self.reader.schema.names if name in self.declared.fields]
        batches = list(self._rows.batches(names))
        return pa.Table.from_batches(batches) if batches else self.schema.empty_table()

    def _makers(self) -> dict[str, Any]:
        fields = self.declared.fields
        return {
            field.name: outputs_for(
                fields[field.name].space, getattr(field.type, "storage_type", field.type)
            )
            for field in self.reader.schema
            if field.name in fields
        }


def _read_declaration(plan: Any) -> dict[str, Any]:
    """Return what was declared, as Plan takes it; mechanisms are not made, nor are they used."""
    if isinstance(plan, Plan):
        names = ("epsilon", "delta", "others", "person")
        return {"columns": dict(plan.columns)} | {name: getattr(plan, name) for name in names}
    if isinstance(plan, str | os.PathLike):
        return settings_at(plan)
    if isinstance(plan, Records):
        plan = dict(plan.columns)
    if not isinstance(plan, Mapping):
        raise InputError(
            f"the columns are declared by a {type(plan).__name__}; give a Plan, the path of one, "
            "or a mapping from names to spaces, lists of labels or Columns."
        )
    columns: dict[str, Any] = {
        name: how if isinstance(how, Column) or how in ("drop", "public") else Column(how)
        for name, how in plan.items()
    }
    return {"columns": columns, "others": "drop"}


def _require_possible(columns: Mapping[str, Any]) -> None:
    public = next((name for name, how in columns.items() if how == "public"), None)
    if public is not None:
        raise InputError(
            f"the plan says 'public' for {public!r}, but synthetic rows belong to no real person, "
            f"so no cell can be kept. Declare what it can hold, as in {public!r}: Column(['north', "
            f"'south']), or 'drop'. In a plan's file, under [columns.\"{public}\"], write\n"
            '  space = "categories"\n  labels = ["north", "south"]\n'
            'in place of use = "public", or use = "drop".'
        )


def _same(one: Space, other: Space) -> bool:
    """Tell whether two spaces have the same points in the same order."""
    if isinstance(one, Categories):
        return isinstance(other, Categories) and one.labels == other.labels
    if type(one) is not type(other) or one.size != other.size:
        return False
    return one.point(0) == other.point(0) and one.point(one.size - 1) == other.point(one.size - 1)
