"""Which whole numbers an expression can have, for any row at all.

A column holds whole numbers in a declared range, or null: whoever computes the query reads cells
so. An expression is a list that starts with its operator; whole numbers in it are texts. The range
of each follows from the ranges of its parts, by the largest and the least value that the operator
can make of them. Null is unknown: it is in no range, adds nothing, and no row with a null is in a
group. So ranges need not know where nulls are, except for `fill`, which puts a value in their
place.
"""

from collections.abc import Callable
from typing import Any

from .document import brief, is_type
from .numbers import read_integer
from .report import fail, need

Range = tuple[int, int]
Columns = dict[str, Range]

_MOST_BITS = 2**12


def read_columns(section: Any) -> Columns:
    """Read the declared ranges of columns, by their names."""
    ok = is_type("object", section)
    need(ok, "columns", f"found {brief(section)}; need the range of each column")
    columns: Columns = {}
    for name, ends in section.items():
        ok = is_type("list", ends) and len(ends) == 2
        need(ok, "columns", f"found {brief(ends)}; need two ends")
        low, high = (read_integer(end, "columns") for end in ends)
        need(low <= high, "columns", f"found {brief(ends)}; need a range that is not empty")
        columns[name] = (low, high)
    return columns


def range_of(node: Any, columns: Columns, part: str) -> Range:
    """Return the range of an expression."""
    ok = is_type("list", node) and node and isinstance(node[0], str)
    if not ok:
        fail(part, f"found {brief(node)}; need an expression")
    operator, *rest = node
    if operator == "column":
        ok = len(rest) == 1 and isinstance(rest[0], str) and rest[0] in columns
        if not ok:
            fail(part, f"found {brief(node)}; need a column that is declared")
        return columns[rest[0]]
    numbers = [read_integer(one, part) for one in rest if isinstance(one, str)]
    parts = [range_of(one, columns, part) for one in rest if not isinstance(one, str)]
    if operator == "look up":
        found = _look_up(numbers, len(parts), part)
    else:
        if operator not in _OPERATORS:
            fail(part, f"found {brief(operator)}, which is not an operator")
        count, constants, rule = _OPERATORS[operator]
        ok = len(parts) == count and constants in (None, len(numbers))
        if not ok:
            fail(part, f"found {brief(node)}; {operator} needs other operands")
        found = rule(parts, numbers)
    ok = found[0] <= found[1] and max(map(int.bit_length, found)) <= _MOST_BITS
    if not ok:
        fail(part, f"found {brief(node)}, which has no range")
    return found


def _look_up(numbers: list[int], parts: int, part: str) -> Range:
    """A list of values, in pairs: 1 and a value, or 0 and 0 where there is none."""
    pairs = list(zip(numbers[1::2], numbers[2::2], strict=False))
    values = [value for known, value in pairs if known == 1]
    none = sum(pair == (0, 0) for pair in pairs)
    ok = parts == 1 and len(numbers) % 2 == 1 and values and len(values) + none == len(pairs)
    need(ok, part, "a list of values needs pairs, of which one is known at least")
    return min(values), max(values)


def _product(parts: list[Range]) -> Range:
    ends = [a * b for a in parts[0] for b in parts[1]]
    return min(ends), max(ends)


def _quotient(parts: list[Range], by: int) -> Range:
    need(by > 0, "expression", "a divisor must be above 0")
    return parts[0][0] // by, parts[0][1] // by


def _remainder(parts: list[Range], by: int) -> Range:
    (low, high) = parts[0]
    same = _quotient(parts, by)[0] == high // by
    return (low % by, high % by) if same else (0, by - 1)


def _clip(parts: list[Range], low: int, high: int) -> Range:
    need(low <= high, "expression", "the bounds of a clip must not be swapped")
    first, last = (min(max(end, low), high) for end in parts[0])
    return first, last


def _bins(parts: list[Range], edges: list[int]) -> Range:
    low, high = (sum(edge <= end for edge in edges) for end in parts[0])
    return low, high


def _hull(*ranges: Range) -> Range:
    return min(low for low, _ in ranges), max(high for _, high in ranges)


_TRUTH = (0, 1)


def _logic(parts: list[Range]) -> Range:
    ok = all(low >= 0 and high <= 1 for low, high in parts)
    need(ok, "expression", "truth is 0 or 1, and nothing else is combined")
    return _TRUTH


def _choice(parts: list[Range]) -> Range:
    _logic(parts[:1])
    return _hull(*parts[1:])


_OPERATORS: dict[str, tuple[int, int | None, Callable[[list[Range], list[int]], Range]]] = {
    "literal": (0, 1, lambda parts, c: (c[0], c[0])),
    "add": (2, 0, lambda parts, c: (parts[0][0] + parts[1][0], parts[0][1] + parts[1][1])),
    "subtract": (2, 0, lambda parts, c: (parts[0][0] - parts[1][1], parts[0][1] - parts[1][0])),
    "multiply": (2, 0, lambda parts, c: _product(parts)),
    "divide": (1, 1, lambda parts, c: _quotient(parts, c[0])),
    "modulo": (1, 1, lambda parts, c: _remainder(parts, c[0])),
    "clip": (1, 2, lambda parts, c: _clip(parts, c[0], c[1])),
    "less": (2, 0, lambda parts, c: _TRUTH),
    "at most": (2, 0, lambda parts, c: _TRUTH),
    "equal": (2, 0, lambda parts, c: _TRUTH),
    "and": (2, 0, lambda parts, c: _logic(parts)),
    "or": (2, 0, lambda parts, c: _logic(parts)),
    "not": (1, 0, lambda parts, c: _logic(parts)),
    "is null": (1, 0, lambda parts, c: _TRUTH),
    "is in": (1, None, lambda parts, c: _TRUTH),
    "fill": (1, 1, lambda parts, c: _hull(parts[0], (c[0], c[0]))),
    "bins": (1, None, lambda parts, c: _bins(parts, c)),
    "choose": (3, 0, lambda parts, c: _choice(parts)),
}
"""For each operator how many expressions and whole numbers it takes (None: any number of them), and
the range of its values."""
