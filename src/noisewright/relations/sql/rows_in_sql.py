"""A tally as one SQL query, whose parts have names.

Rows are limited by window functions, by the rule that `rows.py` states. The query returns the
number of each cell that has rows, how many, and the sums.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from noisewright.on_use import pa
from noisewright.relations.nodes import LARGEST, Node
from noisewright.relations.rows import (
    PRIME,
    Filter,
    Limit,
    Paired,
    Repeated,
    Rows,
    SourceRows,
    TallyRequest,
    needed_columns,
)
from noisewright.relations.sql.cells_in_sql import CellWriter
from noisewright.relations.sql.dialects import Dialect
from noisewright.relations.sql.nodes_in_sql import NodeWriter
from noisewright.relations.sql.terms import (
    Term,
    alias,
    both,
    cast,
    coalesce,
    column,
    expressions,
    is_null,
    join,
    negation,
    stored_column,
    table_of,
    text,
    whole,
)
from noisewright.tables import is_text


class SqlPart(NamedTuple):
    """A named part of the query: by what names it has columns, and the type of the person's."""

    name: str
    columns: dict[str, str]
    person: Any = None


class TallyWriter:
    """Writes one tally."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._parts: list[tuple[str, Term]] = []
        self._count = 0

    def query(self, tally: TallyRequest) -> Term:
        """Return the query."""
        exp = expressions()
        needed = needed_columns(tally.rows, *tally.by, *tally.sums)
        part = self._rows(tally.rows, needed)
        writer = self._writer(part)
        cell = self._cell(writer, tally.by)
        sums = [writer.number(node) for node in tally.sums]
        if tally.by:
            [cell] = writer.name(cell, word="cell")
        part = self._with_levels(part, writer)
        added = [exp.Sum(this=self._dialect.wide(term)) for term in sums]
        names = [f"sum_{place}" for place in range(1, len(sums) + 1)]
        counted = [exp.Count(this=exp.Star()), *added]
        found = [
            alias(term, name) for term, name in zip(counted, ["row_count", *names], strict=True)
        ]
        query = exp.select(*([alias(cell, "cell")] if tally.by else []), *found).from_(part.name)
        if tally.by:
            query = query.where(negation(is_null(cell.copy()))).group_by(cell.copy())
        return self._with_parts(query)

    def _with_parts(self, query: Term) -> Term:
        # A copy for each part would take time in the square of their number.
        for name, inner in self._parts:
            query = query.with_(name, as_=inner.copy(), copy=False)
        return query

    def raw_columns(self, source: SourceRows) -> dict[str, Term]:
        """Return what is taken of a table besides numbers, by its name here: nothing."""
        return {}

    def _name(self, word: str) -> str:
        """Return a name that is used nowhere else; only plain letters of a word are in it."""
        self._count += 1
        plain = re.sub("[^a-z0-9]+", "_", word.lower()).strip("_")[:24]
        return f"{plain or 'column'}_{self._count}"

    def _add(self, query: Term, columns: dict[str, str], person: Any, word: str) -> SqlPart:
        name = self._name(word)
        self._parts.append((name, query))
        return SqlPart(name, columns, person)

    def _writer(self, part: SqlPart) -> NodeWriter:
        return NodeWriter(self._dialect, part.columns, self._name)

    def _with_levels(self, part: SqlPart, writer: NodeWriter) -> SqlPart:
        """Return the part with the values that the writer has names for."""
        exp = expressions()
        for level in writer.levels:
            more = [alias(term, name) for term, name in level]
            query = exp.select(exp.Star(), *more).from_(part.name)
            part = self._add(query, part.columns, part.person, "values")
        return part

    def _columns_of(self, part: SqlPart) -> list[Term]:
        """Return the columns of a part and its person, and none of the values named on the way."""
        names = list(part.columns.values())
        if part.person is not None:
            names.append("person")
        return [column(name) for name in names] or [alias(whole(1), "something")]

    def _cell(self, writer: NodeWriter, by: Sequence[Node]) -> Term:
        """Return the number of the cell: NULL if one of the values is."""
        found: Term = None
        for node in by:
            value = writer.number(node)
            place = join("Sub", value, whole(node.low)) if node.low else value
            size = whole(node.high - node.low + 1)
            found = place if found is None else join("Add", join("Mul", found, size), place)
        return whole(0) if found is None else found

    def _rows(self, rows: Rows, needed: frozenset[str]) -> SqlPart:
        if isinstance(rows, SourceRows):
            return self._source(rows, needed)
        if isinstance(rows, Filter):
            part = self._rows(rows.rows, needed)
            writer = self._writer(part)
            condition = writer.condition(rows.condition)
            part = self._with_levels(part, writer)
            query = expressions().select(*self._columns_of(part)).from_(part.name).where(condition)
            return self._add(query, part.columns, part.person, "filtered")
        if isinstance(rows, Paired):
            return self._pair(self._rows(rows.left, needed), self._rows(rows.right, needed))
        part = self._rows(rows.rows, needed)
        return self._repeat(rows, part) if isinstance(rows, Repeated) else self._limit(rows, part)

    def _source(self, source: SourceRows, needed: frozenset[str]) -> SqlPart:
        exp = expressions()
        writer = CellWriter(self._dialect, self._name, strict=source.strict)
        columns: dict[str, str] = {}
        terms: list[Term] = []
        for name, field in source.fields.items():
            if name in needed:
                stored = source.name_in_table(name)
                columns[name] = self._name(name)
                kind = source.table.schema.field(stored).type
                number = cast(writer.number(field, stored_column(stored), kind), "BIGINT")
                terms.append(alias(number, columns[name]))
        for name, term in self.raw_columns(source).items():
            columns[name] = name
            terms.append(alias(term, name))
        person = None
        if source.person is not None:
            person = source.table.schema.field(source.person).type
            who = stored_column(source.person)
            is_whole = pa.types.is_integer(person)
            terms.append(alias(who if is_whole else self._dialect.exact(who), "person"))
        query = exp.select(*(terms or [alias(whole(1), "something")])).from_(source.table.term())
        for table, condition in writer.joined:
            query = query.join(table, on=condition, join_type="left")
        return self._add(query, columns, person, "coded")

    def _pair(self, left: SqlPart, right: SqlPart) -> SqlPart:
        exp = expressions()
        names = [column(name, left.name) for name in left.columns.values()]
        names += [column(name, right.name) for name in right.columns.values()]
        sides = [column("person", part.name) for part in (left, right)]
        if is_text(left.person) != is_text(right.person):
            sides = [cast(side, "TEXT") for side in sides]
        query = exp.select(*names, column("person", left.name)).from_(left.name)
        query = query.join(exp.to_table(right.name), on=join("EQ", *sides))
        return self._add(query, {**left.columns, **right.columns}, left.person, "paired")

    def _repeat(self, rows: Repeated, part: SqlPart) -> SqlPart:
        name, table = self._name(rows.name), self._name("times")
        places = table_of(table, [name], [[whole(place)] for place in range(rows.times)])
        place = alias(cast(column(name, table), "BIGINT"), name)
        query = expressions().select(*self._columns_of(part), place).from_(part.name)
        query = query.join(places, join_type="cross")
        return self._add(query, {**part.columns, rows.name: name}, part.person, "repeated")

    def _limit(self, limit: Limit, part: SqlPart) -> SqlPart:
        within = [column("person")]
        number: Term = None
        if limit.groups is not None:
            part, cell, number = self._limit_groups(limit, part)
            within.append(cell)
        if part.person is None:
            return part
        writer = self._writer(part)
        if number is None:
            [number] = writer.name(self._person_number(limit, part), word="number")
        keys = writer.name(*(self._key(writer, node) for node in limit.reads), word="key")
        score = self._score(limit, writer, self._row_root(limit, number, keys))
        sizes = [node.high - node.low + 2 for node in limit.reads]
        order = writer.name(*_pack([score, *keys], sizes), word="order")
        [rank] = writer.name(self._rank("RowNumber", within, order), word="row_rank")
        part = self._with_levels(part, writer)
        query = expressions().select(*self._columns_of(part)).from_(part.name)
        query = query.where(self._at_most(rank, limit.rows_each))
        return self._add(query, part.columns, part.person, "limited")

    def _limit_groups(self, limit: Limit, part: SqlPart) -> tuple[SqlPart, Term, Term]:
        """Return the rows in the groups that count, and the numbers of the group and the person.

        First of all, so that fewer rows are left to be ranked.
        """
        writer = self._writer(part)
        [cell] = writer.name(self._cell(writer, limit.by), word="cell")
        conditions = [negation(is_null(cell))]
        number: Term = None
        if part.person is not None:
            assert limit.groups is not None
            [number] = writer.name(self._person_number(limit, part), word="number")
            score = self._score(limit, writer, self._group_root(limit, number, cell))
            cells = prod(node.high - node.low + 1 for node in limit.by)
            order = writer.name(*_pack([score, cell], [cells]), word="order")
            ranked = self._rank("DenseRank", [column("person")], order)
            [rank] = writer.name(ranked, word="group_rank")
            conditions.append(self._at_most(rank, limit.groups))
        part = self._with_levels(part, writer)
        more = [cell.copy(), *([] if number is None else [number.copy()])]
        kept = [*self._columns_of(part), *more]
        query = expressions().select(*kept).from_(part.name).where(both(*conditions))
        return self._add(query, part.columns, part.person, "in_groups"), cell.copy(), number

    def _rank(self, function: str, within: list[Term], order: list[Term]) -> Term:
        exp = expressions()
        ordered = [exp.Ordered(this=term.copy(), nulls_first=False) for term in order]
        return exp.Window(
            this=getattr(exp, function)(),
            partition_by=[term.copy() for term in within],
            order=exp.Order(expressions=ordered),
        )

    def _at_most(self, rank: Term, most: int) -> Term:
        """DuckDB takes ≤ for a hint, keeps as much room for every person, and is slower."""
        return expressions().Between(this=rank, low=whole(1), high=whole(most))

    def _person_number(self, limit: Limit, part: SqlPart) -> Term:
        person = column("person")
        if is_text(part.person):
            words = join("DPipe", text(f"{limit.salt}:"), cast(person, "TEXT"))
            digest = self._dialect.digest(words)
            return coalesce(join("Mod", digest, whole(PRIME)), whole(0))
        # The rest is within 31 bits, of either sign; the cell need not be within 64.
        rest = cast(join("Mod", person, whole(PRIME)), "BIGINT")
        place = join("Mod", join("Add", rest, whole(PRIME)), whole(PRIME))
        moved = join("Mul", place, whole(limit.factor("P")))
        return coalesce(join("Mod", moved, whole(PRIME)), whole(0))

    def _group_root(self, limit: Limit, number: Term, cell: Term) -> Term:
        place = join("Mod", join("Add", cell, whole(1)), whole(PRIME))
        moved = join("Mul", place, whole(limit.factor(0)))
        return join("Mod", join("Add", number.copy(), moved), whole(PRIME))

    def _score(self, limit: Limit, writer: NodeWriter, a: Term) -> Term:
        [root] = writer.name(a, word="root")
        square = join("Mod", join("Mul", root, root.copy()), whole(PRIME))
        shifted = join("Mod", join("Add", square, whole(limit.factor("S"))), whole(PRIME))
        [next_root] = writer.name(shifted, word="root")
        square = join("Mod", join("Mul", next_root, next_root.copy()), whole(PRIME))
        [score] = writer.name(square, word="score")
        return score

    def _key(self, writer: NodeWriter, node: Node) -> Term:
        """Return the place of a value in its range, from 1 on; 0 for null."""
        place = writer.number(node)
        if node.low != 1:
            place = join("Sub", place, whole(node.low - 1))
        return coalesce(place, whole(0)) if node.nullable else place

    def _row_root(self, limit: Limit, number: Term, keys: list[Term]) -> Term:
        found: Term = number.copy()
        for place, key in enumerate(keys, start=1):
            part = join("Mul", join("Mod", key.copy(), whole(PRIME)), whole(limit.factor(place)))
            found = join("Mod", join("Add", found, part), whole(PRIME))
        return found


def _pack(order: list[Term], sizes: list[int]) -> list[Term]:
    """Return a score and numbers of known sizes as one number, which is quicker to sort by."""
    if PRIME * prod(sizes) >= LARGEST:
        return order
    found = order[0]
    for term, size in zip(order[1:], sizes, strict=True):
        found = join("Add", join("Mul", found, whole(size)), term.copy())
    return [found]
