"""A public table that private rows can be joined with: one row for each value of its key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from noisewright.errors import ParameterError
from noisewright.given import brief, of_kind
from noisewright.public import public_methods
from noisewright.queries.binding import BoundExpression
from noisewright.relations import Kind, Labels, Numbers, Truth, as_fraction, common_unit, look_up
from noisewright.tables import open_table

_MOST_ROWS = 1 << 16


@public_methods
@final
@dataclass(frozen=True, init=False, eq=False)
class Public:
    """A public table; `key` is the column with a different value in each row.

    Its cells are used as they are: they must be everybody's knowledge, and in no way depend on
    private data.
    """

    key: str
    columns: Mapping[str, tuple[Any, ...]]

    def __init__(self, table: Any, *, key: str) -> None:
        columns = _read(table)
        of_kind(key, str, name="key", such_as="the name of a column")
        if key not in columns:
            raise ParameterError(
                f"the public table has no column {key!r}; it has {', '.join(map(repr, columns))}."
            )
        keys = columns[key]
        if len(keys) > _MOST_ROWS:
            raise ParameterError(
                f"the public table has {len(keys):,} rows; at most {_MOST_ROWS:,} can be joined."
            )
        if None in keys or len(set(map(_identity, keys))) < len(keys):
            raise ParameterError(
                f"the key {key!r} of a public table must have a different value in each row."
            )
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "columns", columns)

    @property
    def names(self) -> list[str]:
        """The columns apart from the key."""
        return [name for name in self.columns if name != self.key]

    def __repr__(self) -> str:
        return f"<public table with the columns {', '.join(self.columns)}, key {self.key!r}>"


def _identity(value: Any) -> tuple[type, Any]:
    return type(value), value


def _read(table: Any) -> dict[str, tuple[Any, ...]]:
    reader = open_table(table)
    names = list(reader.schema.names)
    found: dict[str, list[Any]] = {name: [] for name in names}
    for batch in reader.batches(names):
        for place, name in enumerate(names):
            found[name] += batch.column(place).to_pylist()
    return {name: tuple(values) for name, values in found.items()}


def as_node(table: Public, name: str, key: BoundExpression) -> BoundExpression:
    """Return a column of the public table, looked up by a key of the private one."""
    places: dict[int, int] = {}
    for row, value in enumerate(table.columns[table.key]):
        place = _place_of(key, value)
        if place is not None:
            places[place] = row
    kind, integers = _as_integers(table.columns[name], name)
    values = [
        integers[places[place]] if place in places else None
        for place in range(key.node.low, key.node.high + 1)
    ]
    if all(value is None for value in values):
        raise ParameterError(
            f"no value that the private table declares for its key occurs in {table.key!r} of the "
            "public table."
        )
    return BoundExpression(kind, look_up(key.node, values, key.node.low))


def _place_of(key: BoundExpression, value: Any) -> int | None:
    """Return the whole number of a public key, None if the private table does not declare it."""
    try:
        place = key.kind.integer(value)
    except ParameterError:
        return None
    return int(place) if place == int(place) and key.node.low <= place <= key.node.high else None


def _as_integers(values: tuple[Any, ...], name: str) -> tuple[Kind, list[int | None]]:
    known = [value for value in values if value is not None]
    kinds = {type(value) for value in known}
    if kinds == {bool}:
        return Truth(), [None if value is None else int(value) for value in values]
    if kinds <= {int, float} and known:
        numbers = [None if value is None else as_fraction(value) for value in values]
        unit = common_unit([number for number in numbers if number] or [as_fraction(1)])
        return Numbers(unit), [None if number is None else int(number / unit) for number in numbers]
    if kinds == {str}:
        labels = tuple(sorted(set(known)))
        places = {label: place for place, label in enumerate(labels)}
        return Labels(labels), [None if value is None else places[value] for value in values]
    raise ParameterError(
        f"the column {name!r} of the public table holds {brief(known[:1])}; texts, numbers and "
        "truth values can be joined."
    )
