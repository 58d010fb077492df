"""From what people pass to `fit` and `predict` to codes of declared columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from noisewright.errors import InputError, SpaceError
from noisewright.plans import Column, Plan
from noisewright.spaces import Categories, Counts, Interval, Records, Space
from noisewright.synthetic.coded import Codes, coded_batches

Domain = Records | Plan | Mapping[str, Any]
"""Declared columns: `Records`, a mapping of spaces (or lists of labels), or a plan's columns."""


def read_domain(domain: Any, label: str | None) -> Records:
    """Return the declared columns; the label must be one of them."""
    if isinstance(domain, Plan):
        domain = _planned(domain)
    elif isinstance(domain, Mapping):
        domain = {name: _space(space) for name, space in domain.items()}
    if isinstance(domain, Mapping):
        domain = Records(domain)
    if not isinstance(domain, Records):
        raise SpaceError(
            f"domain is of type {type(domain).__name__}; give a mapping from each column to its "
            "space, Records, or a Plan. Spaces are declared, never read off the data."
        )
    for name, space in domain.columns:
        if not isinstance(space, Categories | Counts | Interval):
            raise SpaceError(
                f"the column {name!r} is {space!r}; a model takes Categories, Counts and Interval."
            )
    names = [name for name, _ in domain.columns]
    if label is not None and label not in names:
        raise InputError(f"the label {label!r} is not in the domain; it has {', '.join(names)}.")
    if len(names) < 2:
        raise InputError("a model needs two columns at least, of which one may be the label.")
    return domain


def _space(given: Any) -> Any:
    if isinstance(given, Space | str):
        return given
    return given.space if isinstance(given, Column) else Categories(given)


def _planned(plan: Plan) -> Mapping[str, Space]:
    found: dict[str, Space] = {}
    for name, column in plan.columns:
        if not isinstance(column, Column):
            continue
        if column.null is not None or column.other is not None:
            raise InputError(
                f"the plan has null= or other= for {name!r}, which models do not know. Replace "
                "empty and undeclared cells first, and declare what you put there."
            )
        found[name] = column.space
    return found


@final
@dataclass(frozen=True)
class Reader:
    """Reads tables of declared columns; rows without names have the `features` in order."""

    domain: Records
    label: str | None

    @property
    def features(self) -> tuple[str, ...]:
        """The columns besides the label."""
        return tuple(name for name, _ in self.domain.columns if name != self.label)

    def space(self, name: str) -> Space:
        """Return the space of a column."""
        return dict(self.domain.columns)[name]

    def batches(self, X: Any, y: Any = None) -> Iterator[Codes]:
        """Yield codes of all columns; without y, the label is a column of X."""
        names = [name for name, _ in self.domain.columns]
        if y is None or self.label is None:
            if y is not None:
                raise InputError("y is given, but the model has no label. Say label= which it is.")
            return coded_batches(_by_name(X, names), self.domain, names)
        columns = {name: _column(_by_name(X, self.features), name) for name in self.features}
        return coded_batches({**columns, self.label: y}, self.domain, names)

    def codes(self, X: Any) -> Codes:
        """Return the codes of the features of a whole table."""
        return self._read(_by_name(X, self.features), list(self.features))

    def known(self, X: Any, *, but: str | None = None) -> Codes:
        """Return the codes of the columns that a table has, all but this one."""
        table = _by_name(X, self.features)
        given = set(_names(table))
        wanted = [name for name, _ in self.domain.columns if name in given and name != but]
        if not wanted:
            names = ", ".join(name for name, _ in self.domain.columns)
            raise InputError(f"X has none of the columns that could tell something: {names}.")
        return self._read(table, wanted)

    def _read(self, table: Any, names: list[str]) -> Codes:
        found = list(coded_batches(table, self.domain, names))
        return {name: np.concatenate([batch[name] for batch in found]) for name in names}


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


def _names(table: Any) -> list[str]:
    if isinstance(table, list):
        return list(table[0]) if table else []
    if isinstance(table, Mapping):
        return list(table)
    # Arrow calls them column_names; data frames have columns that are names.
    return [str(name) for name in getattr(table, "column_names", None) or table.columns]


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
