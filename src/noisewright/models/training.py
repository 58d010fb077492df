"""From what people pass to `fit` and `predict` to codes of declared columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from noisewright.errors import InputError
from noisewright.given import several
from noisewright.models.declarations import Domain, declared_columns, spaces_of
from noisewright.plans import Column, Plan
from noisewright.releases import Columns, Declared
from noisewright.spaces import Records, Space
from noisewright.tables import Codes, Field, Person, arrow, table_codes


@final
@dataclass(frozen=True)
class Reader:
    """Reads tables of declared columns; rows without names have the `features` in order.

    `columns` says how cells are read, where more than a space was declared, and `person` whose a
    row is that is learned from, where a person may have several.
    """

    domain: Records
    label: str | None
    columns: Mapping[str, Column] | None = None
    person: Person | None = None

    @classmethod
    def of(cls, domain: Domain, label: str | None) -> Reader:
        """Read a declaration; the label must be one of its columns."""
        columns = declared_columns(domain)
        records = Records(spaces_of(domain) if columns is None else _spaces(columns))
        names = [name for name, _ in records.columns]
        if label is not None and label not in names:
            raise InputError(
                f"the label {label!r} is not in the domain; it has {', '.join(names)}."
            )
        if len(names) < 2:
            raise InputError("a model needs two columns at least, of which one may be the label.")
        return cls(records, label, columns, domain.person if isinstance(domain, Plan) else None)

    @property
    def rows_per_person(self) -> int:
        """How many rows of one person count in a fit."""
        return 1 if self.person is None else self.person.rows

    @property
    def person_column(self) -> str | None:
        """The column that says whose a row is, if a person may have several."""
        return None if self.person is None else self.person.column

    @property
    def features(self) -> tuple[str, ...]:
        """The columns besides the label."""
        return tuple(name for name, _ in self.domain.columns if name != self.label)

    def space(self, name: str) -> Space:
        """Return the space of a column."""
        return dict(self.domain.columns)[name]

    def batches(self, X: Any, y: Any = None) -> Iterator[Codes]:
        """Yield codes of all columns; without y, the label is a column of X.

        Ensures: no more rows of a person than count.
        """
        names = [name for name, _ in self.domain.columns]
        whose = () if self.person is None else (self.person.column,)
        if y is None or self.label is None:
            if y is not None:
                raise InputError("y is given, but the model has no label. Say label= which it is.")
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
        wanted = [name for name, _ in self.domain.columns if name in given and name != but]
        if not wanted:
            names = ", ".join(name for name, _ in self.domain.columns)
            raise InputError(f"X has none of the columns that could tell something: {names}.")
        return self._read(table, wanted)

    def _batches(
        self, table: Any, names: list[str], person: Person | None = None
    ) -> Iterator[Codes]:
        if self.columns is None:
            fields = {name: Field.of(space) for name, space in self.domain.columns}
            return table_codes(table, fields, names)
        wanted = {name: self.columns[name] for name in names}
        inputs = names if person is None else [*names, person.column]
        columns = Columns.of(wanted, person=person)
        return Declared.of(_as_arrow(table, inputs), columns).batches(None)

    def _read(self, table: Any, names: list[str]) -> Codes:
        found = list(self._batches(table, names))
        nothing = np.empty(0, dtype=np.intp)
        return {name: np.concatenate([nothing, *(part[name] for part in found)]) for name in names}


def _as_sized(values: Any) -> Any:
    return values if hasattr(values, "__len__") else several(values, name="y", of="labels")


def _spaces(columns: Mapping[str, Column]) -> dict[str, Space]:
    return {name: column.space for name, column in columns.items()}


def _as_arrow(table: Any, names: Iterable[str]) -> Any:
    """Give a mapping of columns, or a list of records, the form that plans are read with."""
    if not isinstance(table, Mapping | list):
        return table
    columns = {name: _array(_column(table, name), name) for name in names}
    if len({len(column) for column in columns.values()}) > 1:
        raise InputError("the columns of the table have different lengths.")
    return arrow().table(columns)


def _array(values: Any, name: str) -> Any:
    if hasattr(values, "to_arrow"):
        return values.to_arrow()
    pa = arrow()
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        problem = InputError(f"column {name!r} holds values of several types.")
    # Raised here, outside of the handler: what Arrow says would show the value.
    raise problem


def _by_name(X: Any, names: Sequence[str]) -> Any:
    """Name the columns of an array or a list of rows; leave tables as they are."""
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
