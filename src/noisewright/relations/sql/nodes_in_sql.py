"""Nodes as SQL: whole numbers of 64 bits, conditions where truth values are meant, NULL for null.

A value that is needed several times gets a name in a query of its own, so that texts grow no
faster than expressions do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

from noisewright.relations.nodes import LARGEST, Node
from noisewright.relations.sql.dialects import Dialect
from noisewright.relations.sql.terms import (
    Term,
    among,
    case,
    cast,
    clamp,
    coalesce,
    column,
    is_null,
    join,
    negation,
    null,
    steps,
    whole,
)

_ARITHMETIC = {"add": "Add", "subtract": "Sub", "multiply": "Mul"}
_COMPARISONS = {"less": "LT", "at most": "LTE", "equal": "EQ"}
_LOGIC = {"and": "And", "or": "Or"}


class Leveled(NamedTuple):
    """A term, and how many queries must come before the one in which it can be written."""

    term: Term
    level: int


class NodeWriter:
    """Writes nodes over the columns of one query; `levels` are the values that have names there.

    The values of levels[i] can be written once those of the levels before have been.
    """

    def __init__(
        self, dialect: Dialect, columns: Mapping[str, str], make_name: Callable[[str], str]
    ) -> None:
        self.levels: list[list[tuple[Term, str]]] = []
        self._dialect = dialect
        self._columns = columns
        self._make_name = make_name
        self._known: dict[Node, Leveled] = {}

    def number(self, node: Node) -> Term:
        """Return a node as a number, in the last of the queries."""
        return self._number(node).term

    def condition(self, node: Node) -> Term:
        """Return a node as a condition, in the last of the queries."""
        return self._condition(node).term

    def name(self, *terms: Term, word: str) -> list[Term]:
        """Return terms of the last query by names, from one more query on."""
        level = len(self.levels)
        return [self._name(Leveled(term, level), word).term for term in terms]

    def _name(self, found: Leveled, word: str) -> Leveled:
        while len(self.levels) <= found.level:
            self.levels.append([])
        name = self._make_name(word)
        self.levels[found.level].append((found.term, name))
        return Leveled(column(name), found.level + 1)

    def _repeatable(self, node: Node) -> Leveled:
        """Return a number that is short to write: a column, or one that has a name."""
        if node.operator == "column":
            return self._number(node)
        if node not in self._known:
            self._known[node] = self._name(self._number(node), "value")
        return self._known[node]

    def _number(self, node: Node) -> Leveled:
        if node in self._known:
            term, level = self._known[node]
            return Leveled(term.copy(), level)
        if node.operator == "column":
            return Leveled(column(self._columns[node.name]), 0)
        if node.operator == "literal":
            return Leveled(cast(whole(node.constants[0]), "BIGINT"), 0)
        if node.operator in ("divide", "modulo"):
            return self._division(node)
        if node.operator in ("clip", "bins", "look up"):
            return self._by_cases(node)
        if node.operator in _ARITHMETIC:
            (a, one), (b, other) = map(self._number, node.arguments)
            return Leveled(join(_ARITHMETIC[node.operator], a, b), max(one, other))
        if node.operator == "fill":
            found = self._number(node.arguments[0])
            return found._replace(term=coalesce(found.term, whole(node.constants[0])))
        if node.operator == "choose":
            condition = self._condition(node.arguments[0])
            (a, one), (b, other) = map(self._number, node.arguments[1:])
            chosen = case((condition.term, a), otherwise=b)
            return Leveled(chosen, max(condition.level, one, other))
        found = self._condition(node)
        return found._replace(term=self._dialect.integer(found.term))

    def _condition(self, node: Node) -> Leveled:
        if node.operator in _COMPARISONS:
            (a, one), (b, other) = map(self._number, node.arguments)
            return Leveled(join(_COMPARISONS[node.operator], a, b), max(one, other))
        if node.operator in _LOGIC:
            (a, one), (b, other) = map(self._condition, node.arguments)
            return Leveled(join(_LOGIC[node.operator], a, b), max(one, other))
        if node.operator == "not":
            found = self._condition(node.arguments[0])
            return found._replace(term=negation(found.term))
        if node.operator == "is null":
            found = self._number(node.arguments[0])
            return found._replace(term=is_null(found.term))
        if node.operator == "is in":
            found = self._number(node.arguments[0])
            # Nothing is in an empty list, which SQL cannot write: below all that a value can be.
            values = node.constants or (-LARGEST,)
            return found._replace(term=among(found.term, values))
        found = self._number(node)
        return found._replace(term=join("NEQ", found.term, whole(0)))

    def _division(self, node: Node) -> Leveled:
        """Divide what is not negative: SQL rounds quotients of other numbers towards 0."""
        inner, by = node.arguments[0], node.constants[0]
        ahead = max(-(inner.low // by), 0)
        if inner.high + ahead * by >= 1 << 63:
            return self._large_division(node)
        a, level = self._number(inner)
        shifted = join("Add", a, whole(ahead * by)) if ahead else a
        if node.operator == "modulo":
            return Leveled(join("Mod", shifted, whole(by)), level)
        quotient = self._dialect.quotient(shifted, by)
        return Leveled(join("Sub", quotient, whole(ahead)) if ahead else quotient, level)

    def _large_division(self, node: Node) -> Leveled:
        """Divide by a number so large that there are few quotients."""
        inner, by = node.arguments[0], node.constants[0]
        a, level = self._repeatable(inner)
        quotients = range(inner.low // by, inner.high // by + 1)
        edges = [quotient * by for quotient in quotients[1:]]
        if node.operator == "divide":
            leaves = [whole(quotient) for quotient in quotients]
        else:
            leaves = [join("Sub", a.copy(), whole(quotient * by)) for quotient in quotients]
        return Leveled(self._unless_null(inner, a, steps(a, edges, leaves)), level)

    def _by_cases(self, node: Node) -> Leveled:
        inner, constants = node.arguments[0], node.constants
        a, level = self._repeatable(inner)
        if node.operator == "clip":
            found = clamp(a, *constants)
        elif node.operator == "bins":
            found = steps(a, constants, [whole(place) for place in range(len(constants) + 1)])
        else:
            found = _looked_up(a, constants)
        return Leveled(self._unless_null(inner, a, found), level)

    def _unless_null(self, inner: Node, a: Term, found: Term) -> Term:
        if inner.nullable:
            found = case((is_null(a.copy()), null()), otherwise=found)
        # Small numbers alone would be of 32 bits.
        return cast(found, "BIGINT")


def _looked_up(a: Term, constants: tuple[int, ...]) -> Term:
    first, pairs = constants[0], list(zip(constants[1::2], constants[2::2], strict=True))
    listed = [None, *(value if known else None for known, value in pairs), None]
    # Only where the value changes: a list of long runs is short.
    changes = [place for place, (x, y) in enumerate(pairwise(listed)) if x != y]
    values = [None, *(listed[place + 1] for place in changes)]
    leaves = [null() if value is None else whole(value) for value in values]
    return steps(a, [first + place for place in changes], leaves)
