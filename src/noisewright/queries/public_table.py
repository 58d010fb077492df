"""A public table that private rows can be joined with: few rows for each value of its key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from noisewright.errors import ParameterError
from noisewright.given import brief, of_kind, quantity, whole_number
from noisewright.public import public_methods
from noisewright.queries.binding import BoundExpression
from noisewright.relations import (
    Kind,
    Labels,
    Numbers,
    Truth,
    add,
    as_fraction,
    column,
    common_unit,
    literal,
    look_up,
    multiply,
)
from noisewright.tables import open_table

_MOST_ROWS = 1 << 16


@public_methods
@final
@dataclass(frozen=True, init=False, eq=False)
class Public:
    """A public table; `key` is the column by which it is joined.

    Each value of the key is in one row; or in at most `matches` rows, beside each of which a row of
    the private table then stands, so that a person changes up to as many times more.
    Its cells are used as they are: they must be everybody's knowledge, and in no way depend on
    private data.
    """

    key: str
    columns: Mapping[str, tuple[Any, ...]]
    matches: int

    def __init__(self, table: Any, *, key: str, matches: int = 1) -> None:
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
        if None in keys:
            raise ParameterError(
                f"the key {key!r} of a public table must have a value in each row."
            )
        whole_number(matches, name="matches", least=1)
        most = max(Counter(map(_identity, keys)).values(), default=0)
        if most > matches:
            raise ParameterError(
                f"a value of the key {key!r} is in {most:,} rows of the public table; at most "
                f"{quantity(matches, 'row')} may have it. If each private row shall stand beside "
                f"all of them, and count so often, say matches={most}."
            )
        for name, value in (("key", key), ("columns", columns), ("matches", matches)):
            object.__setattr__(self, name, value)

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


def match(table: Public, key: BoundExpression, name: str) -> tuple[int, dict[str, BoundExpression]]:
    """Return how many rows of the public table a value of the private key has at most, and columns.

    Where these are several, a column of this name says which of them is meant, from 0 on.
    """
    places: dict[int, list[int]] = {}
    for row, value in enumerate(table.columns[table.key]):
        place = _place_of(key, value)
        if place is not None:
            places.setdefault(place, []).append(row)
    if not places:
        raise ParameterError(
            f"no value that the private table declares for its key occurs in {table.key!r} of the "
            "public table."
        )
    times = max(map(len, places.values()))
    if times > table.matches:
        raise ParameterError(
            f"several values in {table.key!r} of the public table are one value of the private "
            f"table, which is in {times:,} rows; at most {quantity(table.matches, 'row')} may have "
            f"it. Say matches={times}, or correct the table."
        )
    low, node = key.node.low * times, key.node
    if times > 1:
        node = add(multiply(node, literal(times)), column(name, 0, times - 1, nullable=False))
    found: dict[str, BoundExpression] = {}
    for one in table.columns:
        kind, integers = _as_integers(table.columns[one], one)
        values: list[int | None] = []
        for place in range(key.node.low, key.node.high + 1):
            known = [integers[row] for row in places.get(place, ())]
            values += known + [None] * (times - len(known))
        found[one] = BoundExpression(kind, look_up(node, values, low))
    return times, found


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
