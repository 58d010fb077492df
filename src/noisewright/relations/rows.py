"""Which rows are counted: those of a table, filtered, limited for each person, or joined.

    Source   the rows of a table, each cell a whole number or null
    Filter   those for which a condition is true
    Limit    of each person at most so many: in all, or in each of at most so many groups
    Paired   each row of a person beside each row that the same person has in another table
    Repeated each row several times, as if beside each row of a small public table

Which of a person's rows a Limit keeps depends on the person, on these rows and on a salt, and on
nothing else; so nobody's rows displace another person's. It is the same choice in every engine.

    p        the prime 2^31 − 1
    s_i      numbers in 1 … p − 1 that follow from the salt
    h        s_P (person mod p) mod p if whole numbers identify people; of a text the first 32 bits
             of MD5(salt + ":" + text), mod p; 0 where nobody is named
    row      score(h + Σ s_i (v_i − low_i + 1)), over the values v_i that are read (null: 0)
    group    score(h + s_0 (cell + 1)), of the number of its cell
    score    (r² + s_S)² mod p of r

The squares make it another order for each person: of many people with the same rows, each of these
is kept of about as many. One square would not do: as r and −r have the same, some groups would be
kept a few percent more often than others. Groups with the smallest number are kept, and in each (or
in all) the rows with the smallest; ties go to the smaller cell, or to the smaller v_1, v_2 … with
null first: equal rows count alike.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeAlias, final

from noisewright.relations.kinds import FieldGrid, grid_of
from noisewright.relations.nodes import Node, column
from noisewright.tables import Field

PRIME = (1 << 31) - 1


@final
@dataclass(frozen=True)
class SourceRows:
    """The rows of a table, where some engine has it.

    `fields` say what the columns hold by the names that nodes have for them, `stored` by what
    names the table has them. `person` is the column that identifies people; without it each row is
    a person. Where it is `strict`, cells that their fields do not allow are null instead of being
    moved to the nearest point; only databases read cells so.
    """

    table: Any
    fields: Mapping[str, Field]
    person: str | None = None
    stored: Mapping[str, str] = field(default_factory=dict[str, str])
    strict: bool = False
    title: str = ""

    @property
    def name(self) -> str:
        """What to call the table: its title, the last part of its path, or its kind."""
        return self.title or os.path.basename(str(self.table.name)) or "table"

    def grid(self, name: str) -> FieldGrid:
        """Return what the cells of a column are as whole numbers."""
        found = grid_of(self.fields[name])
        return replace(found, nullable=True) if self.strict else found

    def column(self, name: str) -> Node:
        """Return a column as a node."""
        grid = self.grid(name)
        return column(name, *sorted((grid.first, grid.last)), nullable=grid.nullable)

    def name_in_table(self, name: str) -> str:
        """Return by what name the table has a column."""
        return self.stored.get(name, name)


@final
@dataclass(frozen=True)
class Filter:
    """The rows for which a condition is true: neither false nor null."""

    rows: Rows
    condition: Node


@final
@dataclass(frozen=True)
class Limit:
    """At most `rows_each` rows of each person: in all, or in each of at most `groups` groups.

    `by` says which group a row is in; rows whose group is null are left out. `reads` are the
    values that tell the rows of a person apart.
    """

    rows: Rows
    rows_each: int
    salt: str
    groups: int | None = None
    by: tuple[Node, ...] = ()
    reads: tuple[Node, ...] = ()

    def factor(self, place: int | str) -> int:
        """Return the number s_i of the salt."""
        digest = hashlib.sha256(f"{self.salt}:{place}".encode()).digest()
        return 1 + int.from_bytes(digest[:8]) % (PRIME - 1)

    def score(self, root: Any) -> Any:
        """Return the score of r in 0 … p − 1, or of many."""
        shifted = (root * root % PRIME + self.factor("S")) % PRIME
        return shifted * shifted % PRIME

    def person_number(self, person: Any) -> int:
        """Return the number h of a person."""
        if person is None:
            return 0
        if isinstance(person, int):
            return person * self.factor("P") % PRIME
        return int(hashlib.md5(f"{self.salt}:{person}".encode()).hexdigest()[:8], 16) % PRIME


@final
@dataclass(frozen=True)
class Paired:
    """Each row of a person in one table beside each row that the same person has in another.

    Both have a person and different names of columns. Rows without a person are left out.
    """

    left: Rows
    right: Rows


@final
@dataclass(frozen=True)
class Repeated:
    """Each row so many `times`, with the numbers from 0 on in one more column."""

    rows: Rows
    times: int
    name: str


Rows: TypeAlias = SourceRows | Filter | Limit | Paired | Repeated


def columns_in(rows: Rows) -> dict[str, Node]:
    """Return all columns that rows have, by their names."""
    if isinstance(rows, SourceRows):
        return {name: rows.column(name) for name in rows.fields}
    if isinstance(rows, Paired):
        return {**columns_in(rows.left), **columns_in(rows.right)}
    found = columns_in(rows.rows)
    if isinstance(rows, Repeated):
        found[rows.name] = column(rows.name, 0, rows.times - 1, nullable=False)
    return found


def filter_rows(rows: Rows, condition: Node) -> Rows:
    """Return the rows for which a condition is true: where it is read, before rows are joined."""
    if isinstance(rows, Paired):
        for side in ("left", "right"):
            inner: Rows = getattr(rows, side)
            if condition.columns <= columns_in(inner).keys():
                return replace(rows, **{side: filter_rows(inner, condition)})
    elif isinstance(rows, Repeated) and rows.name not in condition.columns:
        return replace(rows, rows=filter_rows(rows.rows, condition))
    elif isinstance(rows, Filter):
        inner = filter_rows(rows.rows, condition)
        if not isinstance(inner, Filter) or inner.rows is not rows.rows:
            return replace(rows, rows=inner)
    return Filter(rows, condition)


def sources(rows: Rows) -> tuple[SourceRows, ...]:
    """Return the tables that rows come from."""
    if isinstance(rows, SourceRows):
        return (rows,)
    if isinstance(rows, Paired):
        return sources(rows.left) + sources(rows.right)
    return sources(rows.rows)


@final
@dataclass(frozen=True)
class TallyRequest:
    """How many rows fall into each cell, and what some nodes add up to there.

    A cell is a value of each of the nodes in `by`; the cells are all combinations of all values in
    their ranges, the last node's value changing first. Rows with a null among these are in no
    cell. Nulls add nothing to `sums`.
    """

    rows: Rows
    by: tuple[Node, ...] = ()
    sums: tuple[Node, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each of the nodes in `by` has."""
        return tuple(node.high - node.low + 1 for node in self.by)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return prod(self.sizes)


@final
@dataclass(frozen=True)
class KeyRequest:
    """How many people have each value of a column of texts or whole numbers that is not declared.

    `name` is the table's name of the column. A person counts for at most `groups` of their values:
    those of the smallest numbers as above, with the mark of a value for its cell, which depends on
    no other value; ties go to the smaller number, or to the text whose UTF-8 bytes come first.
    """

    rows: Rows
    name: str
    groups: int
    salt: str = "keys"

    @property
    def limit(self) -> Limit:
        """The limit by which a person's values are chosen."""
        return Limit(self.rows, 1, self.salt, self.groups)

    @staticmethod
    def mark(value: str | int) -> int:
        """Return the first 32 bits of the MD5 of a value as a text."""
        return int(hashlib.md5(str(value).encode()).hexdigest()[:8], 16)


def declare(rows: Rows, name: str, how: Field) -> Rows:
    """Return the same rows, of whose (first) table one more column is declared."""
    if isinstance(rows, SourceRows):
        return replace(rows, fields={**rows.fields, name: how})
    if isinstance(rows, Paired):
        return replace(rows, left=declare(rows.left, name, how))
    return replace(rows, rows=declare(rows.rows, name, how))


CountedTable: TypeAlias = tuple[Node, ...]
"""The nodes by whose values rows are counted."""


def needed_columns(rows: Rows, *nodes: Node) -> frozenset[str]:
    """Return the columns that are read for some nodes of these rows."""
    found = frozenset[str]().union(*(node.columns for node in nodes))
    if isinstance(rows, SourceRows):
        return found
    if isinstance(rows, Filter):
        return found | needed_columns(rows.rows, rows.condition)
    if isinstance(rows, Limit):
        return found | needed_columns(rows.rows, *rows.by, *rows.reads)
    if isinstance(rows, Repeated):
        return found | needed_columns(rows.rows)
    return found | needed_columns(rows.left) | needed_columns(rows.right)
