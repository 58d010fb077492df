"""A private table: what its columns hold, whose its rows are, and which budget pays for answers."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, final

from noisewright.errors import ParameterError
from noisewright.given import brief, one_of, whole_number
from noisewright.plans import Column, Plan, settings_at
from noisewright.public import public_methods
from noisewright.queries.binding import BoundExpression, Columns, bind, bind_condition
from noisewright.queries.expressions import Aggregate, Expression, col, count
from noisewright.queries.measurements import Change, bound_of
from noisewright.queries.public_table import Public, as_node
from noisewright.relations import (
    Filter,
    Limit,
    Paired,
    Rows,
    SourceRows,
    SqlTable,
    column,
    compare,
    grid_of,
    is_null,
    literal,
    negate,
    open_source,
    require_one_engine,
    sources,
)
from noisewright.spaces import Categories, Counts, Dates, Interval
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
    notes: tuple[str, ...] = field(default=())

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
        fields, declared = _read_declaration(columns)
        person = declared if person is None else person
        one_of(change, CHANGES, name="change")
        name = person.column if isinstance(person, Person) else person
        if name is not None and (not isinstance(name, str) or name in fields):
            raise ParameterError(
                f"person is {brief(name)}; it must name the column that identifies people, which "
                "is not among the columns that you ask about."
            )
        data = repeatable(data)
        source = open_source(data, fields, name)
        rows: Rows = source
        if isinstance(person, Person):
            rows = Limit(source, person.rows, _new_salt())
        path = os.fspath(data) if isinstance(data, str | os.PathLike) else None
        # A table of a database has no fingerprint: the ledger knows it by the name of its people.
        known = None if isinstance(source.table, SqlTable) else data
        budget = Budget(ledger, dataset, known, path, name, change)
        self._set(rows, _columns_of(source), budget)

    def _set(self, rows: Rows, columns: Mapping[str, BoundExpression], budget: Budget) -> None:
        for name, value in (("rows", rows), ("columns", columns), ("budget", budget)):
            object.__setattr__(self, name, value)

    def _with(self, rows: Rows, columns: Columns | None = None) -> Private:
        made = object.__new__(Private)
        made._set(rows, self.columns if columns is None else columns, self.budget)
        return made

    def filter(self, *conditions: Expression) -> Private:
        """Keep the rows for which all conditions are true; null is not true."""
        rows = self.rows
        for condition in conditions:
            rows = Filter(rows, bind_condition(condition, self.columns))
        return self._with(rows)

    def with_columns(self, **expressions: Any) -> Private:
        """Add columns that are computed of others, or give columns a new meaning."""
        new = {name: bind(value, self.columns) for name, value in expressions.items()}
        return self._with(self.rows, {**self.columns, **new})

    def limit(self, *, rows: int | None = None, groups: int | None = None) -> Private:
        """Keep at most so many rows of each person; which ones, depends on that person's rows only.

        With `groups`, a person counts in at most so many of the groups that are asked for later,
        with at most `rows` rows in each (1 if left out).
        """
        if rows is None and groups is None:
            raise ParameterError("say how many rows=, or how many groups=, count of each person.")
        each = whole_number(1 if rows is None else rows, name="rows", least=1)
        if groups is not None:
            whole_number(groups, name="groups", least=1)
        return self._with(Limit(self.rows, each, _new_salt(), groups))

    def join(self, other: Public | Private, *, on: str | None = None) -> Private:
        """Add the columns of a public table, or of another private table about the same people.

        A public table has one row for each value of its key: rows whose value of `on` it does not
        have are left out. Of another private table, each row stands beside each row of the same
        person; limit how many rows count, before or after.
        """
        if isinstance(other, Private):
            return self._pair(other, on)
        if not isinstance(other, Public):
            raise ParameterError(
                f"a {type(other).__name__} cannot be joined; give an nw.Public or an nw.Private."
            )
        key = bind(col(other.key if on is None else on), self.columns)
        new = {name: as_node(other, name, key) for name in other.names}
        for name in set(new) & set(self.columns):
            raise ParameterError(f"both tables have a column {name!r}; rename one of them.")
        known = as_node(other, other.key, key).node
        rows = Filter(self.rows, negate(is_null(known)))
        return self._with(rows, {**self.columns, **new})

    def _pair(self, other: Private, on: str | None) -> Private:
        mine, theirs = self.budget, other.budget
        if mine.person is None or theirs.person is None:
            raise ParameterError(
                "private tables are joined on the person: both need person=, the column that "
                "identifies people."
            )
        if on is not None and on != mine.person:
            raise ParameterError(
                f"private tables can be joined on the person only, which is {mine.person!r}."
            )
        if (mine.ledger, mine.dataset, mine.change) != (
            theirs.ledger,
            theirs.dataset,
            theirs.change,
        ):
            raise ParameterError(
                "the two tables are about the same people, so that one budget pays for both: give "
                "both the same ledger=, dataset= and change=."
            )
        if mine.ledger is not None and mine.dataset is None:
            raise ParameterError("name the dataset= whose budget pays for both tables.")
        for name in set(self.columns) & set(other.columns):
            raise ParameterError(f"both tables have a column {name!r}; rename one of them.")
        require_one_engine(Paired(self.rows, other.rows))
        made = object.__new__(Private)
        made._set(
            Paired(self.rows, other.rows),
            {**self.columns, **other.columns},
            replace(mine, data=None, path=None),
        )
        return made

    def with_field(self, name: str, how: Field) -> Private:
        """Return the table with one more column of the data declared."""
        from noisewright.queries.unknown_keys.finding import add_field

        grid = grid_of(how)
        node = column(name, grid.first, grid.last, nullable=grid.nullable)
        new = {**self.columns, name: BoundExpression(grid.kind, node)}
        return self._with(add_field(self.rows, name, how), new)

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
                    raise ParameterError("public groups stand alone in group_by.")
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
        from noisewright.ledger import Partition
        from noisewright.queries.asked import settle_limits

        if self.budget.part is not None:
            raise ParameterError("this is a part already; divide the whole table by both keys.")
        key = bind(col(by) if isinstance(by, str) else by, self.columns)
        if key.size > _MOST_PARTS:
            raise ParameterError(
                f"{by} has {key.size:,} values; at most {_MOST_PARTS:,} parts are possible. Cut it "
                "into fewer, for example with .cut(edges)."
            )
        # Were limits left to each question, a person could have one row here, and another there.
        declared = [bound.node for one in sources(self.rows) for bound in _columns_of(one).values()]
        divided = settle_limits(self.rows, (), declared)
        bound = bound_of(divided, ())
        partition = Partition(
            str(by),
            [str(point) for point in key.points],
            # Another table, or another limit, may have the same person in another part: only what
            # is divided here, and now, is one partition.
            of=_new_salt(),
            per_person=None if bound is None else bound.total,
        )
        parts: dict[Any, Private] = {}
        for place, point in enumerate(key.points, start=key.node.low):
            rows = Filter(divided, compare("equal", key.node, literal(place)))
            made = object.__new__(Private)
            part = partition.part(str(point))
            made._set(rows, self.columns, replace(self.budget, change="add or remove", part=part))
            parts[point] = made
        return parts

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


def _new_salt() -> str:
    return secrets.token_hex(8)


def _read_declaration(columns: Any) -> tuple[dict[str, Field], Person | None]:
    """Return the fields of a plan, of the path of one, or of a mapping; and the plan's person."""
    person = None
    if isinstance(columns, str | os.PathLike):
        said = settings_at(columns)
        columns, person = _askable(said["columns"]), said.get("person")
    elif isinstance(columns, Plan):
        columns, person = _askable(dict(columns.columns)), columns.person
    if not isinstance(columns, Mapping):
        raise ParameterError(
            f"columns is a {type(columns).__name__}; give a mapping such as {{'age': "
            "nw.Counts(100)}, a Plan, or the path of one."
        )
    fields: dict[str, Field] = {}
    for name, how in columns.items():
        if not isinstance(name, str) or not name:
            raise ParameterError(f"a column is called {brief(name)}; names are texts.")
        if isinstance(how, Field):
            fields[name] = how
        elif not isinstance(how, str):  # 'drop' and 'public' columns are not asked about
            fields[name] = Column(how)
    if not fields:
        raise ParameterError("no column is declared, so there is nothing to ask about.")
    return fields, person


def _askable(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a plan without sets and curves, which releases are for."""
    kinds = Categories | Counts | Dates | Interval
    return {
        name: how
        for name, how in columns.items()
        if isinstance(how, str) or isinstance(how.space, kinds)
    }


def _columns_of(source: SourceRows) -> dict[str, BoundExpression]:
    found: dict[str, BoundExpression] = {}
    for name in source.fields:
        grid = source.grid(name)
        ends = sorted((grid.first, grid.last))
        found[name] = BoundExpression(grid.kind, column(name, *ends, nullable=grid.nullable))
    return found
