"""A question in SQL: one SELECT of keys and aggregates, whose parts all are known here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from noisewright.errors import NoisewrightError
from noisewright.given import quantity
from noisewright.queries.binding import BoundExpression
from noisewright.queries.expressions import Aggregate, Expression
from noisewright.queries.private import Private
from noisewright.queries.question import Question
from noisewright.queries.sql_expressions import POSSIBLE, SqlReader
from noisewright.queries.sql_text import SqlNode, SqlText

_SUCH_AS = "SELECT sex, COUNT(*) FROM people GROUP BY sex"
_CLAUSES = {
    "with_": ("WITH", "WITH … names other queries; ask for one thing at a time."),
    "distinct": (
        "DISTINCT",
        "SELECT DISTINCT would show what is in the rows; ask for COUNT(DISTINCT x), or group by x: "
        "all declared values appear anyway.",
    ),
    "into": ("INTO", "answers are returned, not stored; save them with answer.save(…)."),
    "joins": (
        "JOIN",
        "only one table can be asked. Join it beforehand in Python: "
        "people.join(nw.Public(…)).sql(…).",
    ),
    "having": ("HAVING", "HAVING is not needed: filter the rows of the answer instead."),
    "qualify": ("QUALIFY", "windows compare rows of different people; ask for groups instead."),
    "windows": ("WINDOW", "windows compare rows of different people; ask for groups instead."),
    "limit": (
        "LIMIT",
        "all declared groups appear, so there is no LIMIT. The most frequent labels are "
        "APPROX_TOP_K(x, 5).",
    ),
    "offset": ("OFFSET", "all declared groups appear, so there is no OFFSET."),
}
_READ = {"expressions", "from_", "where", "group", "order"}


def question_from_sql(table: Private, text: str) -> Question:
    """Return the question that one SELECT asks of a table; refuse what is not allowed in it."""
    return _Statement(SqlText(text, such_as=_SUCH_AS), table).question()


def condition_from_sql(table: Private, text: str) -> Expression:
    """Return a condition in SQL, as after WHERE, as an expression."""
    read = SqlText(text, such_as="age >= 25")
    reader = SqlReader(read, table.columns, table.budget.person, set())
    tree = read.parse_condition()
    found = reader.read(tree)[0]
    table.filter(found)
    return found


@final
@dataclass
class _Statement:
    text: SqlText
    table: Private
    keys: dict[str, BoundExpression] = field(default_factory=dict[str, BoundExpression])
    asked: dict[str, Aggregate] = field(default_factory=dict[str, Aggregate])

    def question(self) -> Question:
        select = self.text.parse_select()
        self._require_clauses(select)
        names = self._table_names(select.args.get("from_"))
        self.reader = SqlReader(self.text, self.table.columns, self.table.budget.person, names)
        where = select.args.get("where")
        if where is not None:
            self.table = self._filter(where.this)
        parts = [self._unalias(one) for one in select.expressions]
        shapes = self._read_keys(select.args.get("group"), parts)
        places = self._read_parts(parts, shapes)
        self._require_order(select.args.get("order"), parts, shapes)
        return self._ask(places)

    def _require_clauses(self, select: SqlNode) -> None:
        for name, part in select.args.items():
            if not part or name in _READ:
                continue
            word, why = _CLAUSES.get(name, ("", f"this cannot be asked. {POSSIBLE}"))
            words = {"JOIN": ("JOIN", ","), "LIMIT": ("LIMIT", "FETCH")}.get(word, (word,))
            where = select.args["from_"] if name == "joins" and "from_" in select.args else None
            after = 0 if where is None else self.text.place(where)[1]
            raise self.text.error(why, self.text.find(*words, after=after))

    def _table_names(self, clause: SqlNode) -> set[str]:
        kinds = self.text.kinds
        if clause is None:
            raise self.text.error(
                "add FROM and a table, as in FROM people.", self.text.find("SELECT")
            )
        table = clause.this
        is_named = isinstance(table, kinds.Table) and isinstance(table.this, kinds.Identifier)
        extra = [
            part for name, part in table.args.items() if part and name not in ("this", "alias")
        ]
        extra += [table.args["alias"].args.get("columns")] if table.args.get("alias") else []
        if not is_named or any(extra):
            raise self.text.error("FROM takes the name of one table, such as people.", table)
        return {name.lower() for name in (table.name, table.alias) if name}

    def _filter(self, condition: SqlNode) -> Private:
        found = self.reader.read(condition)[0]
        try:
            return self.table.filter(found)
        except NoisewrightError as problem:
            raise self.text.error(str(problem), condition) from None

    def _unalias(self, part: SqlNode) -> tuple[SqlNode, str | None]:
        if isinstance(part, self.text.kinds.Alias):
            return part.this, part.alias
        return part, None

    def _read_keys(self, clause: SqlNode, parts: list[tuple[SqlNode, str | None]]) -> list[Any]:
        """Read GROUP BY; return the shapes of the keys, by which SELECT's own are known again."""
        shapes: list[Any] = []
        for one in () if clause is None else clause.expressions:
            node, name = self._meant(one, parts)
            if self.reader.is_aggregate(node):
                raise self.text.error("an aggregate cannot be a key to group by.", one)
            found, meaning = self.reader.read(node)
            if not isinstance(found, Expression):
                raise self.text.error("a key depends on the row; this does not.", one)
            name = name or self._name(node, found)
            if name in self.keys:
                raise self.text.error(f"{name!r} is a key already.", one)
            self.keys[name] = meaning
            shapes.append(_shape(found))
        extra = [] if clause is None else [n for n, part in clause.args.items() if part]
        if extra and extra != ["expressions"]:
            raise self.text.error(
                "GROUP BY takes columns, expressions and positions.", self.text.find("GROUP BY")
            )
        return shapes

    def _meant(
        self, one: SqlNode, parts: list[tuple[SqlNode, str | None]]
    ) -> tuple[SqlNode, str | None]:
        """Return what a part of GROUP BY means: a position, the name of a part, or itself."""
        kinds = self.text.kinds
        if isinstance(one, kinds.Literal) and one.is_number:
            place = int(one.this) if str(one.this).isdecimal() else 0
            if not 1 <= place <= len(parts):
                raise self.text.error(
                    f"SELECT has {quantity(len(parts), 'part')}; this is none of them.", one
                )
            return parts[place - 1]
        is_name = isinstance(one, kinds.Column) and not one.args.get("table")
        if is_name and one.name not in self.table.columns:
            for part in parts:
                if part[1] is not None and part[1].lower() == one.name.lower():
                    return part
        shape = one.unnest()
        for node, name in parts:
            if name is not None and node.unnest() == shape:
                return one, name
        return one, None

    def _name(self, node: SqlNode, found: Expression) -> str:
        return str(found.operands[0]) if found.operator == "column" else str(node.sql("duckdb"))

    def _read_parts(
        self, parts: list[tuple[SqlNode, str | None]], keys: list[Any]
    ) -> dict[str, SqlNode]:
        """Read SELECT: aggregates, and keys again. Return where each aggregate stands."""
        places: dict[str, SqlNode] = {}
        for node, alias in parts:
            if not self.reader.is_aggregate(node):
                self._require_key(node, keys)
                continue
            one = self._aggregate(node)
            name = alias or self._free_name(node, one, places)
            if name in self.asked or name in self.keys:
                raise self.text.error(f"{name!r} is already used; choose another name.", node)
            self.asked[name], places[name] = one, node
        if not places:
            raise self.text.error(
                f"nothing is asked about the rows; add COUNT(*), for example. {POSSIBLE}",
                self.text.find("SELECT"),
            )
        return places

    def _aggregate(self, node: SqlNode) -> Aggregate:
        try:
            return self.reader.aggregate(node)
        except NoisewrightError as problem:
            if "\n" in str(problem):
                raise
            raise self.text.error(str(problem), node) from None

    def _require_key(self, node: SqlNode, keys: list[Any]) -> None:
        if self._shape(node) not in keys:
            raise self.text.error(
                "this would show what is in the rows. Put it into GROUP BY, or into an aggregate "
                "such as AVG(…).",
                node,
            )

    def _free_name(self, node: SqlNode, one: Aggregate, taken: dict[str, SqlNode]) -> str:
        """Return the name of an aggregate that has none: avg_hours."""
        words = [self._typed_name(node)]
        if one.function in ("count_distinct", "count_people"):
            words.append("distinct")
        if one.of is not None and one.of.operator == "column":
            words.append(str(one.of.operands[0]))
        name = "_".join(words)
        again = [f"{name}_{place}" for place in range(2, len(taken) + 3)]
        return next(each for each in [name, *again] if each not in taken and each not in self.keys)

    def _typed_name(self, node: SqlNode) -> str:
        start, end = self.text.place(node.this if node.key == "withingroup" else node)
        return self.text.text[start:end].lower()

    def _require_order(
        self, clause: SqlNode, parts: list[tuple[SqlNode, str | None]], keys: list[Any]
    ) -> None:
        """Refuse an order that the answer does not have."""
        for place, one in enumerate(() if clause is None else clause.expressions):
            node, _ = self._meant(one.this, parts)
            is_next = not self.reader.is_aggregate(node) and place < len(keys)
            if one.args.get("desc") or not is_next or self._shape(node) != keys[place]:
                raise self.text.error(
                    "groups come sorted by their keys, in the order of GROUP BY; sort the answer "
                    "for any other order.",
                    one,
                )

    def _shape(self, node: SqlNode) -> Any:
        return _shape(self.reader.read(node)[0])

    def _ask(self, places: dict[str, SqlNode]) -> Question:
        try:
            return Question.of(self.table, self.keys, self.asked)
        except NoisewrightError as problem:
            for name, one in self.asked.items():
                try:
                    Question.of(self.table, self.keys, {name: one})
                except NoisewrightError as cause:
                    raise self.text.error(str(cause), places[name]) from None
            raise problem


def _shape(value: Any) -> Any:
    """Return an expression as plain values, which can be compared."""
    if isinstance(value, Expression):
        return value.operator, tuple(_shape(one) for one in value.operands)
    return type(value), value
