"""A table as it is declared: what its columns hold, and which person each row belongs to."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, final

from noisewright.errors import InputError, ParameterError
from noisewright.given import brief, one_of, whole_number
from noisewright.spaces import ADVICE, Dates, Records
from noisewright.tables.cell_types import is_temporal
from noisewright.tables.cells import Cells
from noisewright.tables.codec import column_codes
from noisewright.tables.field import Field


@final
@dataclass(frozen=True, init=False)
class Person:
    """For tables in which a person may have several rows: which column identifies them.

    At most `rows` rows of each person are released: the first ones in the order of the table, or
    ones drawn at random. The column itself is not released.
    """

    column: str
    rows: int
    keep: Literal["first", "random"]

    def __init__(self, column: str, *, rows: int, keep: str = "random") -> None:
        if not isinstance(column, str) or not column:
            raise ParameterError(
                f"the person's column is {brief(column)}; it must be a column's name."
            )
        keep = one_of(keep, ("first", "random"), name="keep")
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "rows", whole_number(rows, name="rows", least=1))
        object.__setattr__(self, "keep", keep)


def read_person(person: Any, read: Iterable[str]) -> Person | None:
    """Return the declared person, whose column must not be among those that are `read`."""
    if person is not None and not isinstance(person, Person):
        raise ParameterError(
            f"person is a {type(person).__name__}; write Person('patient', rows=3)."
        )
    if person is not None and person.column in read:
        raise ParameterError(
            f"the column {person.column!r} identifies people; it is not released, since it would "
            "name them. Leave it out of columns."
        )
    return person


@final
@dataclass(frozen=True)
class Schema:
    """The fields of a table by name; `person` where a person may have several rows.

    `public` columns are read as they are and `dropped` ones not at all; `others` says whether
    columns that are not named are an error. `names` are all columns in order, for files that do not
    name them.
    """

    fields: Mapping[str, Field]
    person: Person | None = None
    public: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    others: Literal["error", "drop"] = "error"
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        read_person(self.person, (*self.fields, *self.public))

    @property
    def domain(self) -> Records:
        """The records that a row of the declared fields can be."""
        return Records({name: field.space for name, field in self.fields.items()})

    @cached_property
    def cells(self) -> dict[str, Cells]:
        """What reads the cells of each declared column."""
        return {name: field.cells for name, field in self.fields.items()}

    @property
    def rows_per_person(self) -> int:
        """How many rows of one person count."""
        return 1 if self.person is None else self.person.rows

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns that are read: declared, public, and the one that identifies people."""
        person = () if self.person is None else (self.person.column,)
        return (*self.fields, *self.public, *person)

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns of texts, which are best read as dictionaries."""
        return tuple(name for name, cells in self.cells.items() if cells.needs == "texts")

    def require_fit(self, given: Any) -> None:
        """Raise InputError unless an Arrow schema has the declared columns in types that fit."""
        self.require_named(given.names)
        for column in given:
            if column.name in self.fields:
                self._require_type(column)

    def require_present(self, names: Sequence[str]) -> None:
        """Raise InputError unless the columns that are read are there."""
        missing = [name for name in self.inputs if name not in names]
        if missing:
            # Columns of the table are not listed: without a header they would be a record. Where
            # most of those that are read are there, it has one.
            free = [name for name in names if name not in {*self.inputs, *self.dropped}]
            has_header = 2 * len(missing) < len(self.inputs)
            near = difflib.get_close_matches(missing[0], free, n=1) if has_header else []
            hint = f" Did you mean {near[0]!r} in place of {missing[0]!r}?" if near else ""
            raise InputError(
                f"the plan names {', '.join(map(repr, missing))}, which the table does not have."
                f"{hint} Correct the plan or rename the columns; a CSV file needs a header."
            )

    def require_named(self, names: Sequence[str]) -> None:
        """Raise InputError unless all that is read is there, and all that is there is named."""
        # First what is missing: with all names of the plan there, the others are names, too.
        self.require_present(names)
        known = {*self.inputs, *self.dropped}
        unnamed = [name for name in names if name not in known]
        if unnamed and self.others == "error":
            raise InputError(
                f"the plan says nothing about {', '.join(map(repr, unnamed))}. Declare what these "
                "columns hold, give 'drop' for them (in a file use = \"drop\"), or others='drop' "
                "for all."
            )

    def _require_type(self, column: Any) -> None:
        cells, kind = self.cells[column.name], stored_type(column.type)
        if is_temporal(kind) and not isinstance(self.fields[column.name].space, Dates):
            raise InputError(f"the column {column.name!r} has the type {column.type}. {ADVICE}")
        if not cells.accepts(kind):
            raise InputError(
                f"the column {column.name!r} has the type {column.type}; its space in the plan "
                f"takes {cells.needs}. Convert the column, or declare another space."
            )

    def encode(self, batch: Any, first_row: int = 0) -> dict[str, Any]:
        """Return the codes of the declared columns of a batch of Arrow columns.

        `first_row` is how many rows came before this batch. Raises OutsideSpaceError with the
        column and the row of a cell that the field does not allow.
        """
        return {name: self.codes(name, batch.column(name), first_row) for name in self.fields}

    def codes(self, name: str, column: Any, first_row: int = 0) -> Any:
        """Return the codes of one declared column, or of a piece of it."""
        return column_codes(self.cells[name], column, name=name, first_row=first_row)


def stored_type(kind: Any) -> Any:
    """Return the type in which an extension type is stored."""
    return getattr(kind, "storage_type", kind)


def stored_array(array: Any) -> Any:
    """Return an array in the type in which it is stored."""
    return getattr(array, "storage", array)
