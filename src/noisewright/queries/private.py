"""A private table: what its columns hold, whose its rows are, and which budget pays for answers."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

from noisewright.errors import ParameterError
from noisewright.given import brief, of_kind, one_of, whole_number
from noisewright.public import public_methods
from noisewright.queries.binding import BoundExpression, Columns, bind, bind_condition
from noisewright.queries.declaration import read_declaration
from noisewright.queries.expressions import Aggregate, Expression, col, count
from noisewright.queries.measurements import Change, bound_of
from noisewright.queries.public_table import Public
from noisewright.relations import (
    Limit,
    Rows,
    SourceRows,
    SqlTable,
    columns_in,
    declare,
    filter_rows,
    grid_of,
    open_source,
)
from noisewright.tables import Field, Person, repeatable

if TYPE_CHECKING:
    from noisewright.exact import Number
    from noisewright.ledger import DataPart
    from noisewright.queries.finding_bounds import FoundBounds
    from noisewright.queries.question import Question
    from noisewright.queries.unknown_keys.key_selection import UnknownKeys
    from noisewright.sampling import Source as Bits
    from noisewright.transaction import LedgerLike, Progress, Subject

_MOST_PARTS = 1 << 12

CHANGES: tuple[Change, ...] = ("replace", "add or remove")


@final
@dataclass(frozen=True)
class Budget:
    """Which budget pays for what is asked of a table, and how the ledger knows the data."""

    ledger: LedgerLike
    dataset: str | None
    data: Any = field(default=None, repr=False)
    path: str | None = None
    person: str | None = None
    change: Change = "replace"
    part: DataPart | None = None

    @property
    def subject(self) -> Subject:
        """Whose privacy is spent."""
        from noisewright.transaction import Subject

        return Subject(self.data, self.path, self.person, change=self.change, part=self.part)


@public_methods
@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Private:
    """A private table, of which nothing is read until something is released.

    `data` is a path, a frame or anything else that `release` takes, or a table in DuckDB,
    PostgreSQL or Spark. `columns` declares what columns hold: a mapping from names to spaces, lists
    of labels or Columns, a Plan, or the path of one. What a cell holds beyond that does not fail:
    numbers are clamped to their bounds and rounded to their grid, and other cells are null unless
    the column says what they count as.

    `person` names the column that identifies people, where they may have several rows; then say
    with `limit` how many of these count. Left out, each row is a person. `change` is what a
    guarantee is about: "replace", replacing all rows of one person by any others, where the number
    of people is public; or "add or remove". The `ledger` (a Ledger, its path or URL; None debits
    nothing) pays for each answer, from the budget of `dataset`.
    """

    rows: Rows
    columns: Mapping[str, BoundExpression]
    budget: Budget

    def __init__(
        self,
        data: Any,
        *,
        columns: Any,
        ledger: LedgerLike,
        person: str | Person | None = None,
        change: Change = "replace",
        dataset: str | None = None,
    ) -> None:
        fields, declared, names = read_declaration(columns)
        person = declared if person is None else person
        one_of(change, CHANGES, name="change")
        name = person.column if isinstance(person, Person) else person
        if name is not None and (not isinstance(name, str) or name in fields):
            raise ParameterError(
                f"person is {brief(name)}; it must name the column that identifies people, which "
                "is not one of the columns that you ask about."
            )
        data = repeatable(data)
        source = open_source(data, fields, name, names=names)
        rows: Rows = source
        if isinstance(person, Person):
            rows = Limit(source, person.rows, new_salt())
        path = os.fspath(data) if isinstance(data, str | os.PathLike) else None
        # A table of a database has no fingerprint: the ledger knows it by the name of its people.
        known = None if isinstance(source.table, SqlTable) else data
        budget = Budget(ledger, dataset, known, path, name, change)
        _set(self, rows, _columns_of(source), budget)

    def filter(self, *conditions: Expression) -> Private:
        """Keep the rows for which all conditions are true; null is not true."""
        rows = self.rows
        for condition in conditions:
            rows = filter_rows(rows, bind_condition(condition, self.columns))
        return derive(self, rows)

    def with_columns(self, **expressions: Any) -> Private:
        """Add columns that are computed of others, or give columns a new meaning."""
        new = {name: bind(value, self.columns) for name, value in expressions.items()}
        return derive(self, self.rows, {**self.columns, **new})

    def limit(self, *, rows: int | None = None, groups: int | None = None) -> Private:
        """Keep at most so many rows of each person; which ones, depends on that person's rows only.

        With `groups`, a person counts in at most so many of the groups that are asked for later,
        with at most `rows` rows in each (1 if left out).
        """
        if rows is None and groups is None:
            raise ParameterError(
                "give rows= or groups=: how many rows or groups of each person count."
            )
        each = whole_number(1 if rows is None else rows, name="rows", least=1)
        if groups is not None:
            whole_number(groups, name="groups", least=1)
        bound = bound_of(self.rows, ())
        if self.budget.person is None and bound is not None and bound.total > 1:
            raise ParameterError(
                "each row is a person, and several rows of a public table may stand beside it. "
                "Which of them count can be limited only if a column identifies people, person=."
            )
        return derive(self, Limit(self.rows, each, new_salt(), groups))

    def join(self, other: Public | Private, *, on: str | None = None) -> Private:
        """Add the columns of a public table, or of another private table about the same people.

        Each row stands beside each row of the public table with the same key; rows whose value of
        `on` it does not have are left out. Of another private table, each row stands beside each
        row of the same person, whatever their columns are called; limit how many rows count,
        before or after. Where that is after only, at most 256 rows of a person in each table are
        paired, or as many as the limit if that is more.
        """
        from noisewright.queries.joins import join_private, join_public

        if isinstance(other, Private):
            return join_private(self, other, on)
        of_kind(other, Public, name="other", such_as="an nw.Public or an nw.Private")
        return join_public(self, other, on)

    def with_field(self, name: str, how: Field) -> Private:
        """Return the table with one more column of the data declared."""
        rows = declare(self.rows, name, how)
        new = BoundExpression(grid_of(how).kind, columns_in(rows)[name])
        return derive(self, rows, {**self.columns, name: new})

    def find_bounds(
        self,
        column: str,
        *,
        epsilon: Number,
        delta: Number = 0,
        step: Number = 1,
        progress: Progress | None = None,
        source: Bits | None = None,
    ) -> FoundBounds:
        """Spend on bounds for a column of numbers of which nobody declared any.

        Rows are counted in bins between powers of two times `step`, with noise; the bounds are
        those of the bins with clearly more rows than noise alone would give. Declare the column
        with `.space` in another nw.Private; the few rows beyond are clamped.
        Ensures: (ε, δ)-private for the change that the table says, paid for as any answer is.
        """
        from noisewright.queries.finding_bounds import find_bounds

        options: dict[str, Any] = {"progress": progress, "source": source}
        return find_bounds(self, column, epsilon=epsilon, delta=delta, step=step, **options)

    def group_by(
        self, *keys: str | Expression | Public, unknown: UnknownKeys | None = None, **named: Any
    ) -> Any:
        """Ask about each group of rows with the same keys: columns, or expressions by name.

        All values that the keys are declared to have appear in the answer, in order, also those of
        no row. Rows whose key is null are in no group. With `unknown=nw.keys(delta=…)`, the one key
        is a column of texts or whole numbers that is not declared; values that enough people share
        are found first. An nw.Public in place of keys stands for public groups, see `count` there.
        """
        from noisewright.queries.question import GroupBy

        if unknown is not None:
            from noisewright.queries.unknown_keys.finding import UnknownGroups

            if len(keys) != 1 or named or not isinstance(keys[0], str):
                raise ParameterError("unknown= takes the name of one column.")
            return UnknownGroups(self, keys[0], unknown)
        found: dict[str, BoundExpression] = {}
        for key in keys:
            if isinstance(key, Public):
                if len(keys) > 1 or named:
                    raise ParameterError(
                        "public groups cannot be combined with other keys in group_by."
                    )
                return GroupBy(self, {}, public=key)
            found[str(key)] = bind(col(key) if isinstance(key, str) else key, self.columns)
        found |= {name: bind(value, self.columns) for name, value in named.items()}
        if not found:
            raise ParameterError("no keys were given; without groups, write .agg(…) alone.")
        return GroupBy(self, found)

    def partition(self, by: str | Expression) -> dict[Any, Private]:
        """Divide the rows into disjoint parts, by the values that `by` is declared to have.

        Each part is a private table of its own, by its value. What is asked of different parts
        costs a person no more than what is asked of one of them (parallel composition: McSherry
        2009, Theorem 4), and the ledger accounts for it so. Guarantees about a part are for adding
        or removing one person's rows there; a budget for replacing is charged for both. Parts of
        another call are another partition, whose cost adds up. Which rows a limit keeps is settled
        here, for all parts. Parts are not divided again.
        """
        from noisewright.queries.parts import divide

        return divide(self, by)

    def agg(self, **aggregates: Aggregate) -> Question:
        """Ask about all rows: counts, sums, means, quantiles …, each by a name of your choice."""
        from noisewright.queries.question import Question

        return Question.of(self, {}, aggregates)

    def sql(self, text: str) -> Question:
        """Ask in SQL: one SELECT of keys and aggregates, FROM any name, WHERE and GROUP BY.

        What cannot be asked is refused with an error that points at the word. Names with other
        signs than letters need quotes: "native-country".
        """
        from noisewright.queries.sql_in import question_from_sql

        return question_from_sql(self, text)

    def count(self) -> Question:
        """Ask how many rows there are."""
        return self.agg(count=count())

    def __reduce__(self) -> Any:
        raise TypeError("tables and answers hold private rows; save answers with .save(path).")

    def __repr__(self) -> str:
        names = ", ".join(self.columns)
        return f"<private table with the columns {names}; guarantees are for {self.unit}>"

    @property
    def unit(self) -> str:
        """What a guarantee is about, in words."""
        verb = "replacing" if self.budget.change == "replace" else "adding or removing"
        whose = "one row" if self.budget.person is None else "all rows of one person"
        return f"{verb} {whose}"


def new_salt() -> str:
    """Return a salt for limits and partitions."""
    return secrets.token_hex(8)


def derive(
    table: Private,
    rows: Rows,
    columns: Columns | None = None,
    *,
    budget: Budget | None = None,
) -> Private:
    """Return a private table with other rows, and with other columns or another budget if given."""
    made = object.__new__(Private)
    _set(made, rows, table.columns if columns is None else columns, budget or table.budget)
    return made


def _set(table: Private, rows: Rows, columns: Columns, budget: Budget) -> None:
    for name, value in (("rows", rows), ("columns", columns), ("budget", budget)):
        object.__setattr__(table, name, value)


def _columns_of(source: SourceRows) -> dict[str, BoundExpression]:
    return {
        name: BoundExpression(source.grid(name).kind, source.column(name)) for name in source.fields
    }
