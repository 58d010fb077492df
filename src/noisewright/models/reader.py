"""From what people declare, and pass to `fit` and `predict`, to codes of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from noisewright.errors import InputError, SpaceError
from noisewright.given import several
from noisewright.plans import Column, Plan
from noisewright.relations import sql_table
from noisewright.releases import Columns, Declared
from noisewright.sampling import Source
from noisewright.spaces import Categories, Counts, Interval, Records, Space
from noisewright.synthetic import TableInDatabase, Tallies
from noisewright.tables import Codes, Field, Person, plain_columns, table_codes
from noisewright.transaction import Progress

Domain = Records | Plan | Mapping[str, Any]
"""Declared columns: `Records`, a plan, or a mapping to spaces, lists of labels or `Column`."""


@final
@dataclass(frozen=True)
class Reader:
    """Reads tables of declared columns; rows without names have the `features` in order.

    `fields` says how cells are read, and `person` identifies the person of each row that is learned
    from, where a person may have several.
    """

    fields: Mapping[str, Field]
    label: str | None
    person: Person | None = None

    @classmethod
    def of(cls, domain: Domain, label: str | None) -> Reader:
        """Read a declaration; the label must be one of its columns."""
        fields = _read_fields(domain)
        if label is not None and label not in fields:
            raise InputError(
                f"the label {label!r} is not in the domain; it has {', '.join(fields)}."
            )
        if len(fields) < 2:
            raise InputError("a model needs two columns at least, of which one may be the label.")
        return cls(fields, label, domain.person if isinstance(domain, Plan) else None)

    @cached_property
    def domain(self) -> Records:
        """The spaces of all columns."""
        return Records({name: field.space for name, field in self.fields.items()})

    @property
    def rows_per_person(self) -> int:
        """How many rows of one person count in a fit."""
        return 1 if self.person is None else self.person.rows

    @property
    def person_column(self) -> str | None:
        """The column that identifies people, if one may have several rows."""
        return None if self.person is None else self.person.column

    @property
    def features(self) -> tuple[str, ...]:
        """The columns besides the label."""
        return tuple(name for name in self.fields if name != self.label)

    def space(self, name: str) -> Space:
        """Return the space of a column."""
        return self.fields[name].space

    def count(
        self, X: Any, y: Any, groupings: Sequence[tuple[str, ...]]
    ) -> Callable[[Progress | None, Source | None], Tallies]:
        """Return what counts the rows of X by some columns, where they are."""
        known = TableInDatabase.of(X, self.fields, self.person)
        if known is None:
            batches = self.batches(X, y)
            return lambda progress, _: Tallies.of(_watch(batches, progress), self.domain, groupings)
        if y is not None:
            raise InputError(
                f"y is given besides {known.name}, which is counted where it is: the label must be "
                "one of its columns. Leave y out."
            )
        return lambda _, source: known.tallies(self.domain, groupings, source=source)

    def batches(self, X: Any, y: Any = None) -> Iterator[Codes]:
        """Yield codes of all columns; without y, the label is a column of X.

        Ensures: no more rows of a person than count.
        """
        names = list(self.fields)
        whose = () if self.person is None else (self.person.column,)
        if y is None or self.label is None:
            if y is not None:
                raise InputError(
                    "y is given, but the model has no label. Give label=, the name "
                    "of the column to predict."
                )
            if self.label is not None:
                _require_label(X, self.label, len(self.features))
            return self._batches(_by_name(X, names), names, self.person)
        table = _by_name(X, self.features)
        columns = {name: _as_sized(_column(table, name)) for name in (*self.features, *whose)}
        rows, labels = len(columns[self.features[0]]), _as_sized(y)
        if len(labels) != rows:
            raise InputError(
                f"X has {rows:,} rows and y {len(labels):,}; each row needs its label."
            )
        return self._batches({**columns, self.label: labels}, names, self.person)

    def codes(self, X: Any) -> Codes:
        """Return the codes of the features of a whole table."""
        return self._read(_by_name(X, self.features), list(self.features))

    def read_known(self, X: Any, *, but: str | None = None) -> Codes:
        """Return the codes of the columns that a table has, all but this one."""
        table = _by_name(X, self.features)
        given = set(_names(table))
        wanted = [name for name in self.fields if name in given and name != but]
        if not wanted:
            raise InputError(f"X has none of the columns of the model: {', '.join(self.fields)}.")
        return self._read(table, wanted)

    def _batches(self, table: Any, names: list[str], person: Person | None) -> Iterator[Codes]:
        if person is None:
            return table_codes(table, self.fields, names)
        columns = Columns.of(dict(self.fields), person=person)
        return Declared.of(plain_columns(table), columns).batches(None)

    def _read(self, table: Any, names: list[str]) -> Codes:
        found = list(self._batches(table, names, None))
        nothing = np.empty(0, dtype=np.intp)
        return {name: np.concatenate([nothing, *(part[name] for part in found)]) for name in names}


def _watch(batches: Iterator[Codes], progress: Progress | None) -> Iterator[Codes]:
    rows = 0
    for codes in batches:
        yield codes
        rows += len(next(iter(codes.values())))
        if progress is not None:
            progress("check", rows, None)


def _as_sized(values: Any) -> Any:
    return values if hasattr(values, "__len__") else several(values, name="y", of="labels")


def _read_fields(domain: Any) -> dict[str, Field]:
    """Return how the cells of each column are read."""
    if isinstance(domain, Plan):
        if domain.public:
            raise InputError(
                f"the plan has {', '.join(map(repr, domain.public))} as public, which a model "
                "cannot use. Declare a space for it, or 'drop'."
            )
        domain = {name: how for name, how in domain.columns if isinstance(how, Column)}
    elif isinstance(domain, Records):
        domain = dict(domain.columns)
    if not isinstance(domain, Mapping):
        raise SpaceError(
            f"domain is of type {type(domain).__name__}; give a mapping from each column to its "
            "space, Records, or a Plan. Spaces are declared, never read off the data."
        )
    return {name: _read_field(name, given) for name, given in domain.items()}


def _read_field(name: str, given: Any) -> Field:
    if not isinstance(given, Field | Space | str):
        given = Categories(given)
    space = given.space if isinstance(given, Field) else given
    if not isinstance(space, Categories | Counts | Interval):
        raise SpaceError(
            f"the column {name!r} is {space!r}; a model takes Categories, Counts and Interval."
        )
    return given if isinstance(given, Field) else Field.of(space)


def _by_name(X: Any, names: Sequence[str]) -> Any:
    """Name the columns of an array or a list of rows; leave tables as they are."""
    if sql_table(X) is not None:
        raise InputError(
            "X is a table of a database, and predictions are made row by row. Fetch the rows that "
            "you want predictions for, as an Arrow table or a frame."
        )
    if isinstance(X, np.ndarray) and X.ndim == 2:
        _require_width(X.shape[1], names)
        return {name: _plain(X[:, place]) for place, name in enumerate(names)}
    if isinstance(X, list) and X and isinstance(X[0], list | tuple):
        for row, record in enumerate(X, start=1):
            _require_width(len(record), names, row)
        return {name: [record[place] for record in X] for place, name in enumerate(names)}
    return X


def _require_label(X: Any, label: str, features: int) -> None:
    """Say that y is missing where nothing in X can be the label."""
    if isinstance(X, np.ndarray):
        is_missing = X.ndim == 2 and X.shape[1] == features
    elif isinstance(X, list) and X and isinstance(X[0], list | tuple):
        is_missing = len(X[0]) == features
    else:
        has_names = (
            isinstance(X, Mapping | list) or hasattr(X, "column_names") or hasattr(X, "columns")
        )
        is_missing = has_names and hasattr(X, "__len__") and len(X) > 0 and label not in _names(X)
    if is_missing:
        raise InputError(
            f"y is missing: X has no column for the label {label!r}. Give fit(X, y), or an X that "
            "has the label as a column."
        )


def _names(table: Any) -> list[str]:
    if isinstance(table, list):
        return list(table[0]) if table else []
    if isinstance(table, Mapping):
        return list(table)
    # Arrow calls them column_names; data frames have columns that are names.
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None:
        raise InputError(f"X is of type {type(table).__name__}; it must be a table with columns.")
    return [str(name) for name in names]


def _require_width(width: int, names: Sequence[str], row: int | None = None) -> None:
    if width != len(names):
        where = "X" if row is None else f"row {row:,} of X"
        raise InputError(
            f"{where} has {width} columns; the model takes {len(names)}: {', '.join(names)}."
        )


def _plain(values: Any) -> Any:
    """Give mixed arrays, whose columns hold one type each, that type back."""
    if values.dtype != object:
        return values
    listed = values.tolist()
    is_number = all(isinstance(v, int | float) and not isinstance(v, bool) for v in listed)
    return np.array(listed) if is_number and listed else listed


def _column(table: Any, name: str) -> Any:
    if isinstance(table, list):
        return [record[name] for record in table]
    try:
        return table[name]
    except (KeyError, ValueError, IndexError, TypeError) as problem:
        raise InputError(
            f"X has no column {name!r}. Give a mapping of columns, an Arrow table, a data frame, "
            "or rows with the features in the order of the domain."
        ) from problem
