"""What a question does, in words: rows, what a person can change, noise, cost, and the SQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from noisewright.given import quantity
from noisewright.queries.measurements import QueryMeasurement, bound_of
from noisewright.relations import Filter, Limit, Node, Paired, Repeated, Rows, SourceRows

if TYPE_CHECKING:
    from noisewright.queries.question import Priced, Question


def explain(question: Question, priced: Priced | None) -> str:
    """Return the facts of each operator, and what the noise costs at a price if there is one."""
    lines = [f"Question: {question}", f"Guarantees are for {question.table.unit}.", ""]
    for place, one in enumerate(question.asked.measurements):
        lines += _measurement(question, priced, place, one)
    if priced is None:
        lines.append("Give epsilon= to see the noise, or call predict(epsilon=…, people=…).")
    else:
        lines.append(f"All together cost {priced.budget.guarantee} {question.guarantee_words}.")
    return "\n".join(lines)


def _measurement(
    question: Question, priced: Priced | None, place: int, one: QueryMeasurement
) -> Iterator[str]:
    yield f"Measurement {place + 1}: {one.what}"
    for words in _rows(one.rows, one.by):
        yield f"  {words}"
    yield f"  cells     {quantity(one.cells, 'group')}, {quantity(one.numbers, 'number')} each"
    d1, d2 = one.person_change(question.table.budget.change)
    yield f"  person    changes these numbers by at most {d1:,} in L1, {d2:,} in squared L2"
    if priced is not None:
        noise, amount = priced.noises[place], priced.amounts[place]
        yield f"  noise     {noise.describe()}"
        yield f"  part      {float(amount):.6g} of {priced.budget.unit}"
    yield f"  computed  {one.sql()}"
    yield ""


def _rows(rows: Rows, by: tuple[Node, ...]) -> Iterator[str]:
    if isinstance(rows, SourceRows):
        whose = "each row is a person"
        if rows.person is not None:
            whose = f"rows with the same {rows.person!r} are a person's, any number of them"
        yield f"table     {rows.name}: {whose}"
        return
    if isinstance(rows, Paired):
        yield from _rows(rows.left, by)
        yield from _rows(rows.right, by)
        yield f"pairs     rows of the same person{_bound(rows, by)}"
        return
    yield from _rows(rows.rows, by)
    if isinstance(rows, Filter):
        yield f"filter    {show(rows.condition)}{_bound(rows, by)}"
    elif isinstance(rows, Repeated):
        yield f"matches   up to {rows.times:,} public rows beside each row{_bound(rows, by)}"
    else:
        yield f"limit     {_limit(rows)}{_bound(rows, by)}"


def _limit(limit: Limit) -> str:
    each = f"at most {quantity(limit.rows_each, 'row')} of each person"
    groups = limit.groups
    return each if groups is None else f"{each} in each of at most {quantity(groups, 'group')}"


def _bound(rows: Rows, by: tuple[Node, ...]) -> str:
    found = bound_of(rows, by)
    if found is None:
        return " → a person may have any number of rows"
    if found.total == 1:
        return " → at most 1 row of a person"
    return f" → at most {found.rows:,} rows of a person in each of {found.groups:,} groups"


_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "less": "<", "at most": "<=", "equal": "="}


def show(node: Node) -> str:
    """Return a node as a formula of whole numbers."""
    parts: list[Any] = [show(argument) for argument in node.arguments]
    if node.operator == "column":
        return node.name
    if node.operator == "literal":
        return str(node.constants[0])
    if node.operator in _SIGNS:
        return f"({parts[0]} {_SIGNS[node.operator]} {parts[1]})"
    if node.operator in ("and", "or"):
        return f"({f' {node.operator} '.join(parts)})"
    if node.operator == "not":
        return f"not {parts[0]}"
    constants = [str(one) for one in node.constants[:8]] + ["…"] * (len(node.constants) > 8)
    return f"{node.operator.replace(' ', '_')}({', '.join([*parts, *constants])})"
