"""Synthetic tables of people and of what belongs to each: patients and their visits.

Both tables become one with a row for each person: the person's own columns, how many rows belong to
them, and for the first, the second, … of these its columns once more, with "no row" where there is
none. Whoever is replaced changes one row of it, with all that belongs to them. So everything that
is proven of one table holds for both: no noise is multiplied by a number of rows, and how many rows
a person has is as private as the rest. Taking the synthetic rows apart again is post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import DataError, InputError, ParameterError, TooLargeError
from noisewright.exact import Number
from noisewright.given import brief, whole_number
from noisewright.mechanisms import Guarantee
from noisewright.on_use import pa, pc
from noisewright.plans import Column
from noisewright.public import public
from noisewright.relations import sql_table
from noisewright.releases.synthesis.declared import Columns
from noisewright.releases.synthesis.method import Method
from noisewright.releases.synthesis.result import Synthesis
from noisewright.releases.synthesize import synthesize
from noisewright.sampling import Source, source_or_default
from noisewright.spaces import Categories, Counts, Space
from noisewright.synthetic import Marginal, Workload
from noisewright.tables import Schema, open_table, outputs_for, repeatable, require_column_names
from noisewright.transaction import LedgerLike, Progress

_NONE = "no row"

_MOST_COLUMNS = 1 << 9
"""Of a person and of all rows that belong to them, side by side."""


@final
@dataclass(frozen=True, eq=False)
class LinkedSynthesis:
    """Two synthetic tables that belong together: `people`, and the rows `linked` to them.

    Both have the column that identifies people, with made-up numbers from 1 on. `synthesis` is the
    table with one row for each person that they come from: its guarantee is for all that belongs to
    one person, in both tables together, and its certificate, noisy counts and page are theirs.
    """

    people: Any
    linked: Any
    synthesis: Synthesis

    @property
    def guarantee(self) -> Guarantee:
        """What is promised to each person, about their row and all rows that belong to it."""
        return self.synthesis.guarantee

    @property
    def neighbors(self) -> str:
        """Which pairs of tables the guarantee compares, in words."""
        return (
            "one person's row and all rows linked to it replaced; the number of people is public, "
            "and how many rows each one has is not"
        )

    def __repr__(self) -> str:
        return (
            f"<{self.people.num_rows:,} synthetic people and {self.linked.num_rows:,} rows linked "
            f"to them, {self.guarantee}>"
        )


@public
def synthesize_linked(
    people: Any,
    linked: Any,
    *,
    person: str,
    columns: Any,
    linked_columns: Any,
    most: int,
    ledger: LedgerLike,
    epsilon: Number,
    delta: Number = 0,
    order: str | None = None,
    method: Method | Literal["mst", "mwem", "blr"] = "mst",
    dataset: str | None = None,
    progress: Progress | None = None,
    source: Source | None = None,
) -> LinkedSynthesis:
    """Make synthetic tables of people and of the rows that belong to each, and account for them.

    `person` is the column of both tables that identifies people. `columns` and `linked_columns`
    declare what the others hold, as in `synthesize`. Of the rows that belong to a person the first
    `most` count, by the declared column `order` or else as they are stored. All else is as in
    `synthesize`.

    Requires: each person has one row in `people`, and each row of `linked` belongs to one of them.
    Ensures: (ε, δ)-private for replacing one person: their row and all that belongs to it. The
    number of people is public; how many rows belong to each is not. Counted are pairs of a person's
    columns, of these with the number of rows and with each column of each row, of columns within a
    row, and of one column in successive rows.
    """
    for data in (people, linked):
        if sql_table(data) is not None:
            raise InputError(
                "linked tables are read from files or from memory. Of tables in a database, make a "
                "view with one row for each person, and give it to synthesize."
            )
    tables = LinkedTables(
        person,
        Columns.of(columns),
        Columns.of(linked_columns),
        whole_number(most, name="most", least=1),
    )
    tables.require_declared(order)
    wide = tables.join(repeatable(people), repeatable(linked), order, source)
    made = synthesize(
        wide,
        tables.wide_columns,
        ledger=ledger,
        epsilon=epsilon,
        delta=delta,
        workload=tables.workload,
        method=method,
        dataset=dataset,
        progress=progress,
        source=source,
    )
    return tables.take_apart(made, source)


@dataclass(eq=False)
class LinkedTables:
    """What both tables are declared to hold, and how they are one."""

    person: str
    own: Columns
    linked: Columns
    most: int

    def require_declared(self, order: Any) -> None:
        """Refuse names that do not fit together."""
        if not isinstance(self.person, str) or not self.person:
            raise ParameterError(f"person is {brief(self.person)}; it must be a column's name.")
        for columns in (self.own, self.linked):
            if self.person in columns.schema.fields:
                raise ParameterError(
                    f"the column {self.person!r} identifies people; it is not synthesized, since "
                    "it would name them. Leave it out of the declared columns."
                )
            if columns.schema.person is not None:
                raise ParameterError(
                    "a plan of linked tables has no person of its own; give person= and most=."
                )
        every = len(self.own.domain.columns) + self.most * len(self.linked.domain.columns)
        if every > _MOST_COLUMNS:
            raise TooLargeError(
                f"with most={self.most:,}, a person and their rows have {every:,} columns together "
                f"(at most {_MOST_COLUMNS:,}). Choose a smaller most, or declare fewer columns.",
                size=every,
            )
        if order is not None and order not in dict(self.linked.domain.columns):
            raise ParameterError(
                f"order is {brief(order)}, which is none of the declared columns of linked rows: "
                f"{', '.join(map(repr, self.linked.schema.fields))}."
            )

    @cached_property
    def number(self) -> str:
        """The name of the column that says how many rows a person has."""
        name = "linked rows"
        while name in self.own.schema.fields:
            name += "'"
        return name

    def _names(self, place: int) -> dict[str, str]:
        """The names that the columns of the row at a place have beside the person's."""
        return {name: f"row {place}: {name}" for name, _ in self.linked.domain.columns}

    @cached_property
    def wide_columns(self) -> dict[str, Any]:
        """What the columns of the table with one row for each person hold."""
        own: dict[str, Any] = {
            name: _without_columns(field) for name, field in self.own.schema.fields.items()
        }
        found = own | {self.number: Counts(self.most)}
        spaces = dict(self.linked.domain.columns)
        for place in range(1, self.most + 1):
            found |= {wide: _or_none(spaces[name]) for name, wide in self._names(place).items()}
        if len(found) < len(own) + 1 + self.most * len(spaces):
            raise ParameterError(
                "a column of the people has the name of one of a linked row, such as 'row 1: ward'."
                " Rename it."
            )
        return found

    @cached_property
    def workload(self) -> Workload:
        """The pairs of columns that are counted or chosen from."""
        domain = Columns.of(self.wide_columns).domain
        rows = [tuple(self._names(place).values()) for place in range(1, self.most + 1)]
        inner = {name for row in rows for name in row}
        own = [name for name, _ in domain.columns if name not in inner]
        pairs = list(combinations(own, 2))
        for row in rows:
            pairs += [(name, other) for name in own for other in row]
            pairs += combinations(row, 2)
        for row, later in pairwise(rows):
            pairs += zip(row, later, strict=True)
        return Workload(domain, tuple(Marginal(pair) for pair in pairs))

    def join(self, people: Any, linked: Any, order: str | None, source: Source | None) -> Any:
        """Return the table with one row for each person."""
        keys, table, _ = _read(people, self.own, self.person, "people", source)
        owners, self._like, codes = _read(linked, self.linked, self.person, "linked", source)
        if len(pc.call_function("unique", [keys])) < len(keys):
            raise DataError(
                f"a value of {self.person!r} is in more than one row of people; each person has "
                "one row there. Nothing was spent."
            )
        owners = owners.cast(keys.type) if pa.types.is_null(owners.type) else owners
        if keys.type != owners.type:
            raise InputError(
                f"the column {self.person!r} holds whole numbers in one of the tables and texts in "
                "the other. Convert one of them."
            )
        where = pc.call_function("index_in", [owners], pc.SetLookupOptions(keys))
        if where.null_count:
            row = int(np.argmax(where.is_null().to_numpy(zero_copy_only=False)))
            raise DataError(
                f"row {row + 1:,} of linked belongs to nobody: its {self.person!r} is not in "
                "people. Add the person or leave the row out. Nothing was spent.",
                row=row,
            )
        return self._beside(table, where.to_numpy(zero_copy_only=False), codes, order)

    def _beside(
        self, table: Any, owner: NDArray[Any], codes: Mapping[str, NDArray[Any]], order: str | None
    ) -> Any:
        people = table.num_rows
        sorted_by = [owner] if order is None else [codes[order], owner]
        rows = np.lexsort(sorted_by)
        owner = owner[rows]
        # The place of each row among those of its person, from 0 on.
        place = np.arange(owner.size) - np.searchsorted(owner, owner)
        held = np.minimum(np.bincount(owner, minlength=people), self.most)
        table = table.append_column(self.number, pa.array(held))
        for number in range(1, self.most + 1):
            here = place == number - 1
            for name, wide in self._names(number).items():
                made = np.zeros(people, dtype=np.int64)
                made[owner[here]] = codes[name][rows[here]].astype(np.int64) + 1
                space = self.wide_columns[wide]
                table = table.append_column(wide, outputs_for(space, pa.string()).array(made))
        return table

    def take_apart(self, made: Synthesis, source: Source | None) -> LinkedSynthesis:
        """Return both tables of the synthetic rows."""
        bits, table = source_or_default(source), made.table
        numbers = pa.array(np.arange(1, table.num_rows + 1))
        names = [name for name in table.column_names if name in self.own.schema.fields]
        people = table.select(names).add_column(0, self.person, numbers)
        held = table[self.number].to_numpy()
        owners: list[NDArray[Any]] = []
        found: dict[str, list[NDArray[Any]]] = {name: [] for name, _ in self.linked.domain.columns}
        spare: dict[str, NDArray[Any]] | None = None
        for place in range(1, self.most + 1):
            codes = {
                name: _codes(self.wide_columns[wide], table[wide])
                for name, wide in self._names(place).items()
            }
            owner = np.flatnonzero(held >= place)
            own = {name: one[owner] for name, one in codes.items()}
            spare = _fill(own, codes, spare, self.linked, bits)
            owners.append(owner)
            for name, one in own.items():
                found[name].append(one - 1)
        whole = np.concatenate(owners)
        rows = np.argsort(whole, kind="stable")
        codes = {name: np.concatenate(parts)[rows] for name, parts in found.items()}
        cells = self.linked.split.cells(codes, source)
        arrays = {self.person: pa.array(whole[rows] + 1)}
        for field in self._like.schema:
            space = self.linked.schema.fields[field.name].space
            maker = outputs_for(space, field.type)
            array = maker.array(cells[field.name])
            arrays[field.name] = array if array.type.equals(maker.type) else array.cast(maker.type)
        return LinkedSynthesis(people, pa.table(arrays), made)


def _fill(
    own: dict[str, NDArray[Any]],
    codes: Mapping[str, NDArray[Any]],
    spare: dict[str, NDArray[Any]] | None,
    columns: Columns,
    bits: Source,
) -> dict[str, NDArray[Any]] | None:
    """Give rows of which a cell says "no row" all cells of another one at random, in place.

    Returns whole rows to take from, those of earlier places where there are none here.
    """
    held = np.stack([one > 0 for one in codes.values()]).all(axis=0)
    if held.any():
        spare = {name: one[held] for name, one in codes.items()}
    gaps = np.flatnonzero(~np.stack([one > 0 for one in own.values()]).all(axis=0))
    for name, space in columns.domain.columns:
        if spare is None:
            own[name][gaps] = 1 + _below(space.size, gaps.size, bits)
    if spare is not None:
        chosen = _below(len(next(iter(spare.values()))), gaps.size, bits)
        for name, one in own.items():
            one[gaps] = spare[name][chosen]
    return spare


def _below(most: int, count: int, bits: Source) -> NDArray[np.int64]:
    """Return numbers below `most`, all equally likely up to rounding."""
    part = (bits.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return np.minimum((part * most).astype(np.int64), most - 1)


def _read(
    data: Any, columns: Columns, person: str, what: str, source: Source | None
) -> tuple[Any, Any, dict[str, NDArray[Any]]]:
    """Return who each row belongs to, the declared columns as they are stored, and their codes."""
    given = columns.schema
    schema = Schema(given.fields, None, public=(person,), dropped=given.dropped, others="drop")
    require_column_names(data, schema)
    reader = open_table(data, schema=schema)
    schema.require_fit(reader.schema)
    names = [name for name in reader.schema.names if name in schema.inputs]
    batches = [batch for batch in reader.batches(names) if batch.num_rows]
    if not batches and what == "people":
        raise DataError("people has no rows; there is nothing to synthesize.")
    if not batches:
        # How many rows belong to somebody is private, and that may be none to anybody.
        made = pa.schema([reader.schema.field(name) for name in names]).empty_table()
        nobody = {name: np.zeros(0, dtype=np.int64) for name, _ in columns.domain.columns}
        return pa.array([], pa.null()), made.drop_columns(person), nobody
    table = pa.Table.from_batches(batches)
    rows, parts = 0, list[Mapping[str, NDArray[Any]]]()
    for batch in batches:
        parts.append(columns.split.codes(schema.encode(batch, rows), source))
        rows += batch.num_rows
    codes = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return _keys(table[person].combine_chunks(), person, what), table.drop_columns(person), codes


def _keys(keys: Any, person: str, what: str) -> Any:
    """Return who rows belong to, as long texts or as whole numbers of 64 bits."""
    kind = keys.type.value_type if pa.types.is_dictionary(keys.type) else keys.type
    is_whole = pa.types.is_integer(kind) and not pa.types.is_uint64(kind)
    if not is_whole and not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
        raise InputError(
            f"the column {person!r} of {what} has the type {keys.type}; people are identified by "
            "whole numbers of up to 64 bits with a sign, or by texts. Convert the column."
        )
    if keys.null_count:
        row = int(np.argmax(keys.is_null().to_numpy(zero_copy_only=False)))
        raise DataError(
            f"row {row + 1:,} of {what} has no {person!r}, so it is not known whose it is. Nothing "
            "was spent.",
            row=row,
        )
    return keys.cast(pa.int64() if is_whole else pa.large_string())


def _or_none(space: Space) -> Space:
    """Return the space of a cell of a row that may not be there: the first point says so."""
    if isinstance(space, Categories):
        labels = [_NONE, *map(str, space.labels)]
        if len(set(labels)) == len(labels):
            return Categories(labels)
    return Counts(space.size)


def _codes(space: Space, column: Any) -> NDArray[np.int64]:
    if isinstance(space, Counts):
        return column.to_numpy().astype(np.int64)
    coded = column.combine_chunks().dictionary_encode()
    places = np.array([space.code(label) for label in coded.dictionary.to_pylist()], dtype=np.int64)
    return places[coded.indices.to_numpy()]


def _without_columns(field: Any) -> Column:
    """Return a column of curves as it is once its parts are read as one."""
    made = object.__new__(Column)
    made.__dict__.update(field.__dict__)
    object.__setattr__(made, "columns", ())
    return made
