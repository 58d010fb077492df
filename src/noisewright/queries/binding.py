"""What an expression means for a table: its kind, and the node that engines compute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

from noisewright.errors import ParameterError
from noisewright.given import brief
from noisewright.queries.calendar import month_node, weekday_node, year_node
from noisewright.queries.expressions import Expression
from noisewright.relations import (
    Kind,
    Labels,
    Node,
    Numbers,
    Truth,
    add,
    as_fraction,
    bins,
    both,
    choose,
    clip,
    common_unit,
    compare,
    divide,
    either,
    fill,
    is_in,
    is_null,
    literal,
    look_up,
    modulo,
    multiply,
    negate,
    subtract,
)

_MOST_BINS = 1 << 16


@final
@dataclass(frozen=True)
class BoundExpression:
    """An expression that met a table: the kind of its values, and how they are computed."""

    kind: Kind
    node: Node

    @property
    def size(self) -> int:
        """How many values it can have, apart from null."""
        return self.node.high - self.node.low + 1

    @property
    def points(self) -> list[Any]:
        """The values it can have, in order."""
        return [self.kind.value(one) for one in range(self.node.low, self.node.high + 1)]


Columns = Mapping[str, BoundExpression]


def bind(expression: Any, columns: Columns) -> BoundExpression:
    """Return what an expression, the name of a column or a constant means for these columns."""
    if not isinstance(expression, Expression):
        return _constant(expression)
    operator, operands = expression.operator, expression.operands
    if operator == "column":
        return _column(operands[0], columns)
    if operator in ("is_in", "fill_null", "cut", "clip"):
        return _METHODS[operator](bind(operands[0], columns), *operands[1:])
    if operator == "when":
        return _when(bind_condition(operands[0], columns), operands[1], operands[2], columns)
    if operator in _COMPARISONS:
        return _compare(operator, *_pair(operands, columns))
    found = [bind(operand, columns) for operand in operands]
    if operator in ("&", "|", "~"):
        return _logic(operator, found)
    if operator == "is_null":
        return BoundExpression(Truth(), is_null(found[0].node))
    if operator in _PARTS:
        return _date_part(operator, found[0])
    return _arithmetic(operator, *found)


def bind_condition(expression: Any, columns: Columns) -> Node:
    """Return the node of a condition."""
    found = bind(expression, columns)
    if not isinstance(found.kind, Truth):
        raise ParameterError(
            f"{expression} is not a condition: it holds {_words(found.kind)}. Compare it with "
            "something, as in nw.col('age') >= 25, or age >= 25 in SQL."
        )
    return found.node


def _column(name: str, columns: Columns) -> BoundExpression:
    if name not in columns:
        shown = ", ".join(map(repr, list(columns)[:20]))
        raise ParameterError(f"there is no column {name!r}; the declared columns are {shown}.")
    return columns[name]


def _constant(value: Any) -> BoundExpression:
    if isinstance(value, bool):
        return BoundExpression(Truth(), literal(int(value)))
    number = as_fraction(value)
    return _of_number(number)


def _of_number(number: Fraction) -> BoundExpression:
    unit = Fraction(1, number.denominator)
    return BoundExpression(Numbers(unit), literal(int(number / unit)))


def _words(kind: Kind) -> str:
    match kind:
        case Labels():
            return "labels"
        case Truth():
            return "truth values"
        case Numbers(dates=None):
            return "numbers"
        case _:
            return "dates"


def _number(bound: BoundExpression, operator: str) -> BoundExpression:
    """Return a bound as numbers; truth counts as 0 and 1."""
    if isinstance(bound.kind, Truth):
        return BoundExpression(Numbers(), bound.node)
    if not isinstance(bound.kind, Numbers):
        raise ParameterError(f"{operator} needs numbers, but got {_words(bound.kind)}.")
    return bound


def _scale(bound: BoundExpression, unit: Fraction) -> Node:
    """Return the node in another unit, of which its own is a whole multiple."""
    assert isinstance(bound.kind, Numbers)
    factor = bound.kind.unit / unit
    assert factor.denominator == 1
    return bound.node if factor == 1 else multiply(bound.node, literal(int(factor)))


def _align(a: BoundExpression, b: BoundExpression, operator: str) -> tuple[Node, Node, Numbers]:
    a, b = _number(a, operator), _number(b, operator)
    assert isinstance(a.kind, Numbers)
    assert isinstance(b.kind, Numbers)
    unit = common_unit([a.kind.unit, b.kind.unit])
    return _scale(a, unit), _scale(b, unit), Numbers(unit)


def _require_no_dates(operator: str, *bounds: BoundExpression) -> None:
    if any(isinstance(one.kind, Numbers) and one.kind.dates is not None for one in bounds):
        raise ParameterError(
            f"{operator} is not defined for dates; subtract one date from another, or take a "
            "part: .dt.year()."
        )


def _arithmetic(operator: str, a: BoundExpression, b: BoundExpression) -> BoundExpression:
    a, b = _number(a, operator), _number(b, operator)
    assert isinstance(a.kind, Numbers)
    assert isinstance(b.kind, Numbers)
    dates = (a.kind.dates, b.kind.dates)
    if operator == "-" and None not in dates:
        if dates[0] is not None and dates[1] is not None and dates[0].every != dates[1].every:
            raise ParameterError("dates of different steps cannot be subtracted.")
    else:
        _require_no_dates(operator, a, b)
    if operator == "+" or operator == "-":
        left, right, kind = _align(a, b, operator)
        return BoundExpression(kind, (add if operator == "+" else subtract)(left, right))
    if operator == "*":
        return _multiply(a, b)
    # Only constants divide: anything else could be 0 for some row.
    if b.node.operator != "literal":
        raise ParameterError(f"{operator} needs a number on its right side, not another column.")
    divisor = b.kind.unit * b.node.constants[0]
    if divisor == 0:
        raise ParameterError(f"{operator} by 0.")
    if operator == "/":
        return _multiply(a, _of_number(1 / divisor))
    if divisor < 0:
        raise ParameterError(f"{operator} needs a divisor above 0, but got {divisor}.")
    if operator == "//":
        ratio = a.kind.unit / divisor
        raised = multiply(a.node, literal(ratio.numerator))
        return BoundExpression(Numbers(), divide(raised, ratio.denominator))
    unit = common_unit([a.kind.unit, divisor])
    return BoundExpression(Numbers(unit), modulo(_scale(a, unit), int(divisor / unit)))


def _multiply(a: BoundExpression, b: BoundExpression) -> BoundExpression:
    assert isinstance(a.kind, Numbers)
    assert isinstance(b.kind, Numbers)
    for one, other in ((a, b), (b, a)):
        if other.node.operator == "literal" and other.node.constants[0]:
            # A factor changes the unit, and the whole numbers only in their sign.
            assert isinstance(one.kind, Numbers)
            assert isinstance(other.kind, Numbers)
            factor = other.kind.unit * other.node.constants[0]
            node = one.node if factor > 0 else multiply(one.node, literal(-1))
            return BoundExpression(Numbers(one.kind.unit * abs(factor)), node)
    return BoundExpression(Numbers(a.kind.unit * b.kind.unit), multiply(a.node, b.node))


def _pair(operands: tuple[Any, ...], columns: Columns) -> tuple[BoundExpression, BoundExpression]:
    """Return both sides of a comparison; a constant is read as what the other side holds."""
    a, b = operands
    if not isinstance(a, Expression) and isinstance(b, Expression):
        right = bind(b, columns)
        return _as_kind(a, right), right
    left = bind(a, columns)
    return left, bind(b, columns) if isinstance(b, Expression) else _as_kind(b, left)


def _as_kind(value: Any, other: BoundExpression) -> BoundExpression:
    kind = other.kind
    if value is None:
        raise ParameterError("nothing is equal to null; use .is_null().")
    if isinstance(kind, Numbers) and kind.dates is None:
        return _constant(value)
    return BoundExpression(kind, literal(int(kind.integer(value))))


def _compare(operator: str, a: BoundExpression, b: BoundExpression) -> BoundExpression:
    numbers = isinstance(a.kind, Numbers) and isinstance(b.kind, Numbers)
    if numbers and (a.kind.dates is None) == (b.kind.dates is None):  # pyright: ignore[reportAttributeAccessIssue]
        left, right = _comparable(a, b, operator)
    elif type(a.kind) is type(b.kind) and (a.kind == b.kind):
        if operator not in ("==", "!="):
            raise ParameterError(f"{_words(a.kind)} have no order; compare them with == or is_in.")
        left, right = a.node, b.node
    else:
        raise ParameterError(
            f"{_words(a.kind)} cannot be compared with {_words(b.kind)} by {operator}."
        )
    if operator in (">", ">="):
        left, right = right, left
    name = {"<": "less", ">": "less", "<=": "at most", ">=": "at most"}.get(operator, "equal")
    found = compare(name, left, right)
    return BoundExpression(Truth(), negate(found) if operator == "!=" else found)


def _comparable(a: BoundExpression, b: BoundExpression, operator: str) -> tuple[Node, Node]:
    """Return nodes that compare as the numbers do; constants stay small where they can."""
    for one, other, swapped in ((a, b, False), (b, a, True)):
        assert isinstance(one.kind, Numbers)
        assert isinstance(other.kind, Numbers)
        if other.node.operator == "literal":
            place = other.kind.unit * other.node.constants[0] / one.kind.unit
            # k < t holds for whole k if and only if k < ⌈t⌉, and k ≤ t if and only if k ≤ ⌊t⌋.
            below = (operator in ("<", ">=")) != swapped
            whole = math.ceil(place) if below else math.floor(place)
            if operator in ("==", "!=") and place.denominator != 1:
                whole = one.node.low - 1
            whole = min(max(whole, one.node.low - 1), one.node.high + 1)
            return (literal(whole), one.node) if swapped else (one.node, literal(whole))
    left, right, _ = _align(a, b, operator)
    return left, right


def _logic(operator: str, found: list[BoundExpression]) -> BoundExpression:
    for one in found:
        if not isinstance(one.kind, Truth):
            raise ParameterError(
                f"{operator} combines conditions, but got {_words(one.kind)}. Put each comparison "
                "in parentheses: (a > 1) & (b < 2)."
            )
    nodes = [one.node for one in found]
    if operator == "~":
        return BoundExpression(Truth(), negate(nodes[0]))
    return BoundExpression(Truth(), (both if operator == "&" else either)(*nodes))


def _is_in(a: BoundExpression, values: tuple[Any, ...]) -> BoundExpression:
    places: set[int] = set()
    for value in values:
        place = Fraction(a.kind.integer(value))
        if place.denominator == 1 and a.node.low <= place <= a.node.high:
            places.add(int(place))
    if not places:
        places = {a.node.low - 1}
    return BoundExpression(Truth(), is_in(a.node, sorted(places)))


def _fill_null(a: BoundExpression, value: Any) -> BoundExpression:
    if isinstance(a.kind, Numbers) and a.kind.dates is None:
        number = as_fraction(value)
        unit = common_unit([a.kind.unit, number]) if number else a.kind.unit
        return BoundExpression(Numbers(unit), fill(_scale(a, unit), int(number / unit)))
    return BoundExpression(a.kind, fill(a.node, int(a.kind.integer(value))))


def _clip(a: BoundExpression, low: Any, high: Any) -> BoundExpression:
    a = _number(a, "clip")
    assert isinstance(a.kind, Numbers)
    if a.kind.dates is not None:
        return BoundExpression(
            a.kind, clip(a.node, *(int(a.kind.integer(end)) for end in (low, high)))
        )
    ends = [as_fraction(low), as_fraction(high)]
    unit = common_unit([a.kind.unit, *(end for end in ends if end)])
    return BoundExpression(Numbers(unit), clip(_scale(a, unit), *(int(end / unit) for end in ends)))


def _cut(
    a: BoundExpression, edges: tuple[Any, ...], labels: tuple[str, ...] | None
) -> BoundExpression:
    places = cut_places(a, edges)
    if labels is None:
        shown = [_shown_edge(a, edge) for edge in edges]
        middle = [f"[{x}, {y})" for x, y in pairwise(shown)]
        labels = (f"< {shown[0]}", *middle, f"≥ {shown[-1]}")
    if len(labels) != len(edges) + 1 or len(set(labels)) < len(labels):
        raise ParameterError(
            f"{len(labels)} labels for {len(edges)} edges; there must be one more than edges, and "
            "all different."
        )
    return BoundExpression(Labels(tuple(labels)), bins(a.node, places))


def cut_places(a: BoundExpression, edges: tuple[Any, ...]) -> list[int]:
    """Return edges in whole units: a value is at least an edge if it is at least that."""
    a = _number(a, "cut")
    if not 0 < len(edges) <= _MOST_BINS:
        raise ParameterError(f"{len(edges):,} edges were given; it must be 1 to {_MOST_BINS:,}.")
    places = [math.ceil(a.kind.integer(edge)) for edge in edges]
    if any(x >= y for x, y in pairwise(places)):
        raise ParameterError("edges must rise, by at least one step of the grid each.")
    return places


def _shown_edge(a: BoundExpression, edge: Any) -> str:
    return brief(edge) if isinstance(edge, int | float) else str(edge)


def _when(condition: Node, then: Any, otherwise: Any, columns: Columns) -> BoundExpression:
    """Return one value where a condition is true, else another; None is null."""
    if then is None and otherwise is None:
        raise ParameterError("both branches are null; give one a value.")
    ends = [_branch(one, columns) for one in (then, otherwise)]
    a, b = (_null_like(ends[1 - place]) if one is None else one for place, one in enumerate(ends))
    kind, nodes = _one_kind(a, b)
    return BoundExpression(kind, choose(condition, *nodes))


def _branch(value: Any, columns: Columns) -> BoundExpression | None:
    if isinstance(value, str):
        return BoundExpression(Labels((value,)), literal(0))
    return None if value is None else bind(value, columns)


def _null_like(other: BoundExpression | None) -> BoundExpression:
    assert other is not None
    # The null of a list with no value at the place where it is looked up.
    return BoundExpression(other.kind, look_up(literal(0), [None, other.node.low], 0))


def _one_kind(a: BoundExpression, b: BoundExpression) -> tuple[Kind, tuple[Node, Node]]:
    if a.kind == b.kind:
        return a.kind, (a.node, b.node)
    if isinstance(a.kind, Labels) and isinstance(b.kind, Labels):
        labels = a.kind.labels + tuple(one for one in b.kind.labels if one not in a.kind.labels)
        kind = Labels(labels)
        places = [kind.integer(one) for one in b.kind.labels]
        return kind, (a.node, look_up(b.node, places, 0))
    if {type(a.kind), type(b.kind)} <= {Numbers, Truth}:
        _require_no_dates("a choice", a, b)
        left, right, numbers = _align(a, b, "a choice")
        return numbers, (left, right)
    raise ParameterError(f"one branch holds {_words(a.kind)}, the other {_words(b.kind)}.")


def _date_part(operator: str, a: BoundExpression) -> BoundExpression:
    dates = a.kind.dates if isinstance(a.kind, Numbers) else None
    if dates is None:
        raise ParameterError(f".dt.{operator}() needs dates, but got {_words(a.kind)}.")
    return BoundExpression(Numbers(), _PARTS[operator](a.node, dates))


_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_METHODS: dict[str, Any] = {"is_in": _is_in, "fill_null": _fill_null, "clip": _clip, "cut": _cut}
_PARTS: dict[str, Any] = {"year": year_node, "month": month_node, "weekday": weekday_node}
