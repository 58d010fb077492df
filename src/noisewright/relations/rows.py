"""Which rows are counted: those of a table, filtered, limited for each person, or joined.

    Source   the rows of a table, each cell a whole number or null
    Filter   those for which a condition is true
    Limit    of each person at most so many: in all, or in each of at most so many groups
    Paired   each row of a person beside each row that the same person has in another table

Which of a person's rows a Limit keeps depends on the person, on these rows and on a salt, and on
nothing else; so nobody's rows displace another person's. It is the same choice in every engine.

    p        the prime 2^31 − 1
    s_i      numbers in 1 … p − 1 that follow from the salt
    h        the first 32 bits of MD5(salt + ":" + the person's cell as a text), mod p
    row      (h + Σ s_i (v_i − low_i + 1))² mod p, over the values v_i that are read (null: 0)
    group    (h + s_0 (cell + 1))² mod p, of the number of its cell

The square makes it another order for each person: of many people with the same rows, each of these
is kept of about as many. Groups with the smallest number are kept, and in each (or in all) the rows
with the smallest; ties go to the smaller cell, or to the smaller v_1, v_2 … with null first: equal
rows count alike.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias, final

from noisewright.relations.kinds import FieldGrid, grid_of
from noisewright.relations.nodes import Node
from noisewright.tables import Field

PRIME = (1 << 31) - 1


@final
@dataclass(frozen=True)
class SourceRows:
    """The rows of a table, where some engine has it.

    `fields` say what the columns hold by the names that nodes have for them, `stored` by what
    names the table has them. `person` is the column that identifies people; without it each row is
    a person.
    """

    table: Any
    fields: Mapping[str, Field]
    person: str | None = None
    stored: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def name(self) -> str:
        """What to call the table: the last part of its path, or its kind."""
        return os.path.basename(str(self.table.name)) or "table"

    def grid(self, name: str) -> FieldGrid:
        """Return what the cells of a column are as whole numbers."""
        return grid_of(self.fields[name])

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

    def factor(self, place: int) -> int:
        """Return the number s_i of the salt."""
        digest = hashlib.sha256(f"{self.salt}:{place}".encode()).digest()
        return 1 + int.from_bytes(digest[:8]) % (PRIME - 1)

    def person_number(self, text: str) -> int:
        """Return the number h of a person, given by a text."""
        return int(hashlib.md5(f"{self.salt}:{text}".encode()).hexdigest()[:8], 16) % PRIME


@final
@dataclass(frozen=True)
class Paired:
    """Each row of a person in one table beside each row that the same person has in another.

    Both have a person and different names of columns. Rows without a person are left out.
    """

    left: Rows
    right: Rows


Rows: TypeAlias = SourceRows | Filter | Limit | Paired


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


def needed_columns(rows: Rows, *nodes: Node) -> frozenset[str]:
    """Return the columns that are read for some nodes of these rows."""
    found = frozenset[str]().union(*(node.columns for node in nodes))
    if isinstance(rows, SourceRows):
        return found
    if isinstance(rows, Filter):
        return found | needed_columns(rows.rows, rows.condition)
    if isinstance(rows, Limit):
        return found | needed_columns(rows.rows, *rows.by, *rows.reads)
    return found | needed_columns(rows.left) | needed_columns(rows.right)
