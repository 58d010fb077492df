"""Expressions that engines compute: whole numbers, with a range that is known beforehand.

A node has an operator, arguments and whole constants. Its value for a row lies in low … high or is
null, whatever the row holds; null means unknown, as in SQL. Ranges follow from those of the
columns, so that nothing overflows and what one row can add is known. The checker finds them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

from noisewright.errors import ParameterError

LARGEST = 1 << 62
"""Values of nodes are below this, so that every engine has room for them in 64 bits."""

Range = tuple[int, int]


@final
@dataclass(frozen=True)
class Node:
    """One expression. `name` is that of a column; constants are whole numbers."""

    operator: str
    arguments: tuple[Node, ...]
    constants: tuple[int, ...]
    low: int
    high: int
    nullable: bool
    name: str = ""

    @property
    def leaves(self) -> frozenset[Node]:
        """The columns that it reads, as nodes."""
        if self.operator == "column":
            return frozenset([self])
        return frozenset[Node]().union(*(argument.leaves for argument in self.arguments))

    @property
    def columns(self) -> frozenset[str]:
        """The names of the columns that it reads."""
        return frozenset(leaf.name for leaf in self.leaves)

    def describe(self) -> list[Any]:
        """Return the node as a certificate writes it."""
        if self.operator == "column":
            return ["column", self.name]
        numbers = map(str, self.constants)
        return [self.operator, *numbers, *(one.describe() for one in self.arguments)]


def column(name: str, low: int, high: int, *, nullable: bool) -> Node:
    """Return a column whose cells are whole numbers in a range, or null."""
    return _node("column", (), (), (low, high), nullable, name)


def literal(value: int) -> Node:
    """Return a whole number."""
    return _node("literal", (), (value,), (value, value), False)


def add(a: Node, b: Node) -> Node:
    """Return a + b."""
    return _of("add", (a, b), (a.low + b.low, a.high + b.high))


def subtract(a: Node, b: Node) -> Node:
    """Return a − b."""
    return _of("subtract", (a, b), (a.low - b.high, a.high - b.low))


def multiply(a: Node, b: Node) -> Node:
    """Return a · b."""
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return _of("multiply", (a, b), (min(ends), max(ends)))


def divide(a: Node, by: int) -> Node:
    """Return ⌊a / by⌋, by > 0."""
    return _of("divide", (a,), (a.low // by, a.high // by), _positive(by))


def modulo(a: Node, by: int) -> Node:
    """Return a − by ⌊a / by⌋, which is 0 … by − 1, by > 0."""
    same = a.low // by == a.high // by
    ends = (a.low % by, a.high % by) if same else (0, by - 1)
    return _of("modulo", (a,), ends, _positive(by))


def clip(a: Node, low: int, high: int) -> Node:
    """Return the nearest value in low … high."""
    if low > high:
        raise ParameterError(f"the lower bound {low} is above the upper bound {high}.")
    ends = (min(max(a.low, low), high), min(max(a.high, low), high))
    return _of("clip", (a,), ends, (low, high))


def compare(operator: str, a: Node, b: Node) -> Node:
    """Return whether a < b ("less"), a ≤ b ("at most") or a = b ("equal")."""
    return _of(operator, (a, b), (0, 1))


def both(a: Node, b: Node) -> Node:
    """Return a and b: false if one is false, null if it is not known."""
    return _of("and", (a, b), (0, 1))


def either(a: Node, b: Node) -> Node:
    """Return a or b: true if one is true, null if it is not known."""
    return _of("or", (a, b), (0, 1))


def negate(a: Node) -> Node:
    """Return not a."""
    return _of("not", (a,), (0, 1))


def is_null(a: Node) -> Node:
    """Return whether a is null."""
    return _node("is null", (a,), (), (0, 1), False)


def is_in(a: Node, values: Sequence[int]) -> Node:
    """Return whether a is one of these values."""
    return _of("is in", (a,), (0, 1), tuple(sorted(set(values))))


def fill(a: Node, value: int) -> Node:
    """Return a, or the value where a is null."""
    if not a.nullable:
        return a
    ends = (min(a.low, value), max(a.high, value))
    return _node("fill", (a,), (value,), ends, False)


def bins(a: Node, edges: Sequence[int]) -> Node:
    """Return how many of these rising edges are at most a."""
    if any(x >= y for x, y in pairwise(edges)):
        raise ParameterError("edges must rise.")
    ends = (sum(edge <= a.low for edge in edges), sum(edge <= a.high for edge in edges))
    return _of("bins", (a,), ends, tuple(edges))


def choose(condition: Node, a: Node, b: Node) -> Node:
    """Return a where the condition is true, and b where it is false or null."""
    ends = (min(a.low, b.low), max(a.high, b.high))
    return _node("choose", (condition, a, b), (), ends, a.nullable or b.nullable)


def look_up(a: Node, values: Sequence[int | None], first: int) -> Node:
    """Return the value at the place a − first of a public list; null where it has none."""
    known = [value for value in values if value is not None]
    if not known:
        raise ParameterError("the public table has no values to look up.")
    whole = [first]
    for value in values:
        # In pairs, so that a certificate holds whole numbers alone.
        whole += [0, 0] if value is None else [1, value]
    covers = first <= a.low and a.high < first + len(values) and None not in values
    ends = (min(known), max(known))
    return _node("look up", (a,), tuple(whole), ends, a.nullable or not covers)


def _positive(by: int) -> tuple[int]:
    if by <= 0:
        raise ParameterError(f"the divisor is {by}; it must be above 0.")
    return (by,)


def _of(
    operator: str, arguments: tuple[Node, ...], ends: Range, constants: tuple[int, ...] = ()
) -> Node:
    return _node(
        operator, arguments, constants, ends, any(argument.nullable for argument in arguments)
    )


def _node(
    operator: str,
    arguments: tuple[Node, ...],
    constants: tuple[int, ...],
    ends: Range,
    nullable: bool,
    name: str = "",
) -> Node:
    low, high = ends
    if max(abs(low), abs(high), *map(abs, constants), 0) >= LARGEST:
        raise ParameterError(
            "an expression has values that need more than 62 bits. Use a coarser grid, or smaller "
            "numbers."
        )
    return Node(operator, arguments, constants, low, high, nullable, name)
