"""Expressions and aggregates in SQL, by an allow-list: what is not known here is refused."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

from noisewright.errors import NoisewrightError, ParameterError
from noisewright.queries.binding import BoundExpression, bind
from noisewright.queries.expressions import Aggregate, Expression, col, count, count_people
from noisewright.queries.sql_text import SqlNode, SqlText

POSSIBLE = (
    "Aggregates are COUNT(*), COUNT(x), COUNT(DISTINCT x), SUM, AVG, VAR_POP, STDDEV_POP, MEDIAN, "
    "QUANTILE(x, 0.25), PERCENTILE_DISC, MIN, MAX, HISTOGRAM(x, [0, 18, 65]) and "
    "APPROX_TOP_K(x, 5); expressions are made of columns, constants, + - * / // %, comparisons, "
    "AND, OR, NOT, IN, BETWEEN, IS NULL, CASE, COALESCE and EXTRACT(YEAR | MONTH | ISODOW FROM x)."
)
_BINARY = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "Div": "/",
    "IntDiv": "//",
    "Mod": "%",
    "LT": "<",
    "LTE": "<=",
    "GT": ">",
    "GTE": ">=",
    "EQ": "==",
    "NEQ": "!=",
    "And": "&",
    "Or": "|",
}
_AGGREGATES = {
    "Sum": "sum",
    "Avg": "mean",
    "VariancePop": "var",
    "StddevPop": "std",
    "Median": "median",
    "Min": "min",
    "Max": "max",
}
_SHARES = ("Quantile", "PercentileCont", "PercentileDisc")
_DATE_PARTS = {"YEAR": "year", "MONTH": "month", "ISODOW": "weekday"}
_DATE_FUNCTIONS = {"Year": "year", "Month": "month", "DayOfWeekIso": "weekday"}
_UNSAID = {
    "Variance": "in most databases this divides by n - 1. Write VAR_POP, which divides by n.",
    "Stddev": "in most databases this divides by n - 1. Write STDDEV_POP, which divides by n.",
    "StddevSamp": "this divides by n - 1. Write STDDEV_POP, which divides by n.",
    "Window": "windows (OVER) compare rows of different people; ask for groups with GROUP BY.",
    "Subquery": "subqueries are not supported; ask for one thing at a time, or compute columns "
    "with .with_columns in Python.",
    "Select": "subqueries are not supported; ask for one thing at a time.",
    "Exists": "subqueries are not supported; ask for one thing at a time.",
    "Rand": "random functions are not allowed: noise is added by noisewright, with a proof.",
    "Star": "* would show the rows themselves, which are private. Ask for aggregates such as "
    "COUNT(*) or AVG(x).",
    "Filter": "FILTER is not supported; write SUM(CASE WHEN … THEN 1 ELSE 0 END), or put the "
    "condition into WHERE.",
    "Cast": "types are those of the declared columns; CAST is for dates only, as in "
    "DATE '2020-01-31'.",
    "Distinct": "DISTINCT is only allowed in COUNT(DISTINCT x), with one x.",
    "Null": "nothing is equal to NULL; write x IS NULL.",
    "Like": "texts are labels here; list the ones you mean with IN ('…', '…').",
}
_MORE: dict[str, set[str]] = {
    "Div": {"typed", "safe"},
    "Count": {"big_int"},
    "Column": {"table"},
    "Literal": {"is_string"},
    "In": {"expressions"},
    "Between": {"low", "high"},
    "Coalesce": {"expressions"},
    "Case": {"ifs", "default"},
    "If": {"true", "false"},
    "Quantile": {"quantile"},
    "Distinct": {"expressions"},
    "Ordered": {"nulls_first"},
    "Order": {"expressions"},
    "Array": {"expressions", "value_constructor"},
    "Anonymous": {"expressions"},
    "Cast": {"to", "_type"},
    "Identifier": {"quoted"},
    "ApproxTopK": {"counters"},
}
"""Which parts of a node are read, besides `this` and `expression`; any other part is refused."""


@final
class SqlReader:
    """Reads the nodes of one text, for the columns of one table."""

    def __init__(
        self,
        text: SqlText,
        columns: Mapping[str, BoundExpression],
        person: str | None,
        names: set[str],
    ) -> None:
        self.text, self.columns, self.person, self.names = text, columns, person, names
        self._parts: list[tuple[SqlNode, Any]] = []

    def is_aggregate(self, node: SqlNode) -> bool:
        """Tell whether a part of SELECT asks something, rather than naming a key."""
        kinds = self.text.kinds
        whole = (kinds.AggFunc, kinds.WithinGroup, kinds.Filter, kinds.Window, kinds.Star)
        return isinstance(node, whole) or self._call_name(node) == "HISTOGRAM"

    def read(self, node: SqlNode) -> tuple[Expression, BoundExpression]:
        """Return the expression of a node, and what it means; errors point at the part at fault."""
        found = self._expression(node)
        try:
            return found, bind(found, self.columns)
        except NoisewrightError as problem:
            # Parts were read before what they are parts of: the first that fails is the smallest.
            for part, value in self._parts:
                if isinstance(value, Expression):
                    try:
                        bind(value, self.columns)
                    except NoisewrightError as cause:
                        raise self.text.error(str(cause), part) from None
            raise self.text.error(str(problem), node) from None

    def aggregate(self, node: SqlNode) -> Aggregate:
        """Return the aggregate of a node."""
        name = type(node).__name__
        self._require_parts(node)
        if name == "Count":
            return self._count(node)
        if name in _AGGREGATES:
            return getattr(self._operand(node.this), _AGGREGATES[name])()
        if name in _SHARES:
            shares = node.args.get("quantile") or node.args.get("expression")
            if shares is None:
                raise self.text.error(
                    f"add the expression, as in {node.sql_name()}(0.5) WITHIN GROUP (ORDER BY x).",
                    node,
                )
            return self._operand(node.this).quantiles(self._numbers(shares))
        if name == "WithinGroup" and type(node.this).__name__ in _SHARES:
            return self._within_group(node)
        if name == "ApproxTopK":
            most = node.expression
            if most is None:
                raise self.text.error("add how many, as in APPROX_TOP_K(x, 5).", node)
            return self._operand(node.this).top(self._numbers(most)[0])
        if self._call_name(node) == "HISTOGRAM" and len(node.expressions) == 2:
            of, edges = node.expressions
            return self._operand(of).histogram(self._constants(edges))
        raise self._refusal(node)

    def _count(self, node: SqlNode) -> Aggregate:
        of, kinds = node.this, self.text.kinds
        if isinstance(of, kinds.Star) or (isinstance(of, kinds.Literal) and of.is_number):
            return count()
        if of is None:
            raise self.text.error(
                "add what is counted: COUNT(*) counts rows, COUNT(x) known values.", node
            )
        if not isinstance(of, kinds.Distinct):
            return self._operand(of).count()
        self._require_parts(of)
        if len(of.expressions) != 1:
            raise self.text.error("COUNT(DISTINCT …) counts the values of one expression.", node)
        if self._is_person(of.expressions[0]):
            return count_people()
        return self._operand(of.expressions[0]).count_distinct()

    def _within_group(self, node: SqlNode) -> Aggregate:
        self._require_parts(node.this)
        self._require_parts(node.expression)
        ordered = node.expression.expressions
        if len(ordered) != 1 or ordered[0].args.get("desc"):
            raise self.text.error("order by one expression, from small to large.", node.expression)
        self._require_parts(ordered[0])
        return self._operand(ordered[0].this).quantiles(self._numbers(node.this.this))

    def _operand(self, node: SqlNode) -> Expression:
        found = self.read(node)[0]
        if not isinstance(found, Expression):
            raise self.text.error(
                "this is the same for all rows, so there is nothing to ask.", node
            )
        return found

    def _constants(self, node: SqlNode) -> list[Any]:
        """Return the constants of a list, or of one."""
        self._require_parts(node)
        parts = node.expressions if isinstance(node, self.text.kinds.Array) else [node]
        found = [self._expression(part) for part in parts]
        for part, value in zip(parts, found, strict=True):
            if isinstance(value, Expression) or value is None:
                raise self.text.error("constants are needed here.", part)
        return found

    def _numbers(self, node: SqlNode) -> list[Any]:
        found = self._constants(node)
        if not found or not all(isinstance(value, int | float) for value in found):
            raise self.text.error("a number is needed here.", node)
        return found

    def _call_name(self, node: SqlNode) -> str:
        """Return the name of a function that the parser has no kind for."""
        return str(node.this).upper() if isinstance(node, self.text.kinds.Anonymous) else ""

    def _refusal(self, node: SqlNode) -> ParameterError:
        said = _UNSAID.get(type(node).__name__)
        where: Any = node
        if isinstance(node, self.text.kinds.Window):
            where = self.text.find("OVER", after=self.text.place(node)[0])
        elif isinstance(node, self.text.kinds.Filter):
            where = self.text.find("FILTER", after=self.text.place(node)[0])
        return self.text.error(said or f"this cannot be asked. {POSSIBLE}", where)

    def _require_parts(self, node: SqlNode) -> None:
        """Refuse parts of a node that would not be read."""
        known = {"this", "expression"} | _MORE.get(type(node).__name__, set())
        for name, part in node.args.items():
            if part and name not in known:
                raise self._refusal(part if type(part).__name__ in _UNSAID else node)

    def _expression(self, node: SqlNode) -> Any:
        """Return an expression, or a constant as Python has it."""
        found = self._translate(node)
        self._parts.append((node, found))
        return found

    def _translate(self, node: SqlNode) -> Any:
        name = type(node).__name__
        if name != "Cast":
            self._require_parts(node)
        if name in _BINARY:
            return self._binary(node, _BINARY[name])
        if name in _DATE_FUNCTIONS:
            return Expression(_DATE_FUNCTIONS[name], (self._expression(node.this),))
        method = getattr(self, f"_read_{name.lower()}", None)
        if method is None:
            raise self._refusal(node)
        return method(node)

    def _read_column(self, node: SqlNode) -> Expression:
        table, name = node.args.get("table"), node.this
        if isinstance(name, self.text.kinds.Star):
            raise self._refusal(name)
        if table is not None and table.name.lower() not in self.names:
            raise self.text.error(f"{table.name!r} is not the table in FROM.", table)
        return col(self.name_of(name))

    def name_of(self, identifier: SqlNode) -> str:
        """Return the declared column that a name means: as it is, or in small and large letters."""
        self._require_parts(identifier)
        name = identifier.name
        if name in self.columns:
            return name
        alike = [one for one in self.columns if one.lower() == name.lower()]
        if len(alike) == 1 and not identifier.args.get("quoted"):
            return alike[0]
        if self.person is not None and name.lower() == self.person.lower():
            raise self.text.error(
                "this column identifies people; use it only in COUNT(DISTINCT …), which counts "
                "people.",
                identifier,
            )
        shown = ", ".join(
            one if one.isidentifier() else f'"{one}"' for one in list(self.columns)[:20]
        )
        raise self.text.error(
            f"there is no column {name!r}; the declared columns are {shown}.", identifier
        )

    def _is_person(self, node: SqlNode) -> bool:
        is_column = isinstance(node, self.text.kinds.Column)
        return is_column and self.person is not None and node.name.lower() == self.person.lower()

    def _read_literal(self, node: SqlNode) -> Any:
        if node.is_string:
            return str(node.this)
        try:
            number = Fraction(str(node.this).replace("_", ""))
        except ValueError:
            raise self.text.error("this is no number.", node) from None
        return int(number) if number.denominator == 1 else float(node.this.replace("_", ""))

    def _read_boolean(self, node: SqlNode) -> bool:
        return bool(node.this)

    def _read_paren(self, node: SqlNode) -> Any:
        return self._expression(node.this)

    def _read_neg(self, node: SqlNode) -> Any:
        of = self._expression(node.this)
        if isinstance(of, str | bool):
            raise self.text.error("- needs a number.", node)
        return -of

    def _read_not(self, node: SqlNode) -> Expression:
        return Expression("~", (self._expression(node.this),))

    def _binary(self, node: SqlNode, operator: str) -> Expression:
        left, right = self._expression(node.this), self._expression(node.expression)
        if operator in ("//", "%") and isinstance(left, Expression):
            whole = self.read(node.this)[1].node
            if whole.low < 0:
                raise self.text.error(
                    f"below 0, {operator} differs from database to database; add something to the "
                    "left side that makes it positive, or ask in Python, where it rounds down.",
                    node,
                )
        return Expression(operator, (left, right))

    def _read_is(self, node: SqlNode) -> Expression:
        if not isinstance(node.expression, self.text.kinds.Null):
            raise self.text.error("IS can be followed by NULL or NOT NULL only.", node)
        return Expression("is_null", (self._operand(node.this),))

    def _read_in(self, node: SqlNode) -> Expression:
        values = [value for one in node.expressions for value in self._constants(one)]
        return self._operand(node.this).is_in(values)

    def _read_between(self, node: SqlNode) -> Expression:
        low, high = (self._expression(node.args[end]) for end in ("low", "high"))
        return self._operand(node.this).is_between(low, high)

    def _read_coalesce(self, node: SqlNode) -> Expression:
        if len(node.expressions) != 1:
            raise self.text.error("COALESCE takes an expression and a constant.", node)
        return self._operand(node.this).fill_null(self._constants(node.expressions[0])[0])

    def _read_extract(self, node: SqlNode) -> Expression:
        part = str(node.this.name).upper()
        if part not in _DATE_PARTS:
            raise self.text.error(
                "EXTRACT takes YEAR, MONTH, or ISODOW, which is 1 for Monday.",
                self.text.find(part, after=0),
            )
        return Expression(_DATE_PARTS[part], (self._expression(node.expression),))

    def _read_cast(self, node: SqlNode) -> Any:
        date = node.this
        kinds = self.text.kinds
        is_date = isinstance(date, kinds.Literal) and node.to.is_type("date", "timestamp")
        if not is_date or not date.is_string:
            raise self._refusal(node)
        try:
            return (
                datetime.datetime.fromisoformat(date.this).isoformat(" ").removesuffix(" 00:00:00")
            )
        except ValueError:
            raise self.text.error("this is not a date; write DATE '2020-01-31'.", date) from None

    def _read_case(self, node: SqlNode) -> Expression:
        otherwise = node.args.get("default")
        found = None if otherwise is None else self._branch(otherwise)
        for one in reversed(node.args["ifs"]):
            condition = self._expression(one.this)
            if node.this is not None:
                condition = Expression("==", (self._expression(node.this), condition))
            found = Expression("when", (condition, self._branch(one.args["true"]), found))
        return found  # pyright: ignore[reportReturnType]

    def _read_if(self, node: SqlNode) -> Expression:
        ends = (node.args.get(name) for name in ("true", "false"))
        branches = (None if one is None else self._branch(one) for one in ends)
        return Expression("when", (self._expression(node.this), *branches))

    def _branch(self, node: SqlNode) -> Any:
        return None if isinstance(node, self.text.kinds.Null) else self._expression(node)
