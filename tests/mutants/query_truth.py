"""What a query costs, worked out anew: rows are made up, a person is changed, all is computed.

The certificate is carried out as it reads, row by row, on tables of a few people whose cells are at
the ends of the declared ranges, or null. The noise of two neighboring tables is then compared.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from random import Random
from typing import Any

from noisewright.checker.ranges import range_of, read_columns
from tests.mutants.steps_truth import gaussian
from tests.mutants.unit_truth import NOISE, UnjudgedError, UntrueError, decimal

Row = dict[str, Any]
WORDS = {
    ("replace", True): "for replacing the row of one person by any other",
    ("replace", False): "for replacing all rows of one person by any others",
    ("add or remove", True): "for adding or removing the row of one person",
    ("add or remove", False): "for adding or removing all rows of one person",
}
_TRIES = 40
_MOST = 10**5


def value(node: Any, row: Row) -> int | None:
    """The value of an expression for a row; None is null."""
    operator, *rest = node
    if operator == "column":
        return row[rest[0]]
    c = [int(one) for one in rest if isinstance(one, str)]
    given = [value(one, row) for one in rest if not isinstance(one, str)]
    match operator, given:
        case "literal", []:
            return c[0]
        case "is null", [a]:
            return int(a is None)
        case "fill", [a]:
            return c[0] if a is None else a
        case "choose", [a, b, d]:
            return b if a else d
        case "and", [a, b]:
            return 0 if 0 in (a, b) else None if None in (a, b) else 1
        case "or", [a, b]:
            return 1 if (a or b) else None if None in (a, b) else 0
        case _ if None in given:
            return None
        case _:
            return _known(operator, [one for one in given if one is not None], c)


def _known(operator: str, given: list[int], c: list[int]) -> int | None:
    a, *others = given
    b = others[0] if others else 0
    match operator:
        case "add":
            return a + b
        case "subtract":
            return a - b
        case "multiply":
            return a * b
        case "divide":
            return a // c[0]
        case "modulo":
            return a % c[0]
        case "clip":
            return min(max(a, c[0]), c[1])
        case "less":
            return int(a < b)
        case "at most":
            return int(a <= b)
        case "equal":
            return int(a == b)
        case "not":
            return 1 - a
        case "is in":
            return int(a in c)
        case "bins":
            return sum(edge <= a for edge in c)
        case "look up":
            pairs = list(zip(c[1::2], c[2::2], strict=True))
            place = a - c[0]
            return pairs[place][1] if 0 <= place < len(pairs) and pairs[place][0] else None
        case _:
            raise UntrueError(f"{operator} is no operator")


def kept(rows: Any, table: list[Row]) -> list[Row]:
    """The rows that are selected; each has the person it belongs to."""
    match rows["rows"]:
        case "table":
            if rows["person"]:
                return table
            return [{**row, "person": place} for place, row in enumerate(table)]
        case "filter":
            return [row for row in kept(rows["of"], table) if value(rows["condition"], row)]
        case "paired":
            left, right = (kept(rows[side], table) for side in ("left", "right"))
            pairs = [(a, b) for a in left for b in right if a["person"] == b["person"]]
            return [{**b, **a} for a, b in pairs]
        case "repeated":
            before = kept(rows["of"], table)
            return [{**row, rows["column"]: j} for row in before for j in range(rows["times"])]
        case _:
            return _limited(rows, kept(rows["of"], table))


def _limited(rows: Any, given: list[Row]) -> list[Row]:
    groups: dict[Any, dict[Any, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in given:
        cell = tuple(value(node, row) for node in rows.get("by", ()))
        if None not in cell:
            groups[row["person"]][cell].append(row)
    found: list[Row] = []
    for cells in groups.values():
        for cell in sorted(cells)[: rows.get("groups", 1)]:
            found += cells[cell][: rows["rows_each"]]
    return found


def numbers(measurement: Any, columns: Any, table: list[Row]) -> dict[Any, int]:
    """All numbers that get noise, those that are not 0; with the rest of balanced noise."""
    adds, found = measurement["adds"], defaultdict[Any, int](int)
    values: dict[Any, set[int]] = defaultdict(set)
    selected = kept(measurement["rows"], table)
    for row in selected:
        cell = tuple(value(node, row) for node in measurement["by"])
        if None in cell:
            continue
        if adds["kind"] == "rows":
            found[cell] += 1
            continue
        x = value(adds["of"], row)
        if adds["kind"] == "moments":
            low, high = span(adds["of"], columns)
            d = adds["degree"]
            if x is None and adds["gaps"] == "yes":
                found[cell, "gap"] += (high - low) ** d
            for j in range(d + 1):
                if x is not None:
                    found[cell, j] += math.comb(d, j) * (x - low) ** j * (high - x) ** (d - j)
        elif x is not None and adds["kind"] == "levels":
            for level in range(adds["levels"]):
                found[cell, level, x // 4**level] += 1
        elif x is not None:
            values[cell].add(x)
    found.update({cell: len(each) for cell, each in values.items()})
    if measurement["noise"]["kind"] == "balanced":
        found["rest"] = len(table) - sum(found.values())
    return found


def span(node: Any, columns: Any) -> tuple[int, int]:
    """The range of what is added up, which is part of what is computed.

    Values outside of it would be found out: sums of moments would be larger than is claimed.
    """
    return range_of(node, read_columns(columns), "expression")


def tables(draw: Random, columns: Any, people: bool) -> Iterator[tuple[list[Row], list[Row]]]:
    """Rows of others, and those of one person."""
    cells = {
        name: [int(low), int(high), (int(low) + int(high)) // 2, None]
        for name, (low, high) in columns.items()
    }
    every = [dict(zip(cells, row, strict=True)) for row in product(*cells.values())][:_MOST]

    def some(person: str, count: int) -> list[Row]:
        # Often the same row again and again: that is what adds up.
        one = draw.choice(every)
        picked = [one if draw.random() < 0.6 else draw.choice(every) for _ in range(count)]
        return [{**row, "person": person} for row in picked]

    for _ in range(_TRIES):
        others = some("q", draw.randrange(3))
        mine = some("p", draw.randrange(1, 6) if people else 1)
        yield others, mine


def require_query(document: Any, words: str, epsilon: Decimal, delta: Decimal) -> None:
    mechanism, change = document["mechanism"], document["neighbors"]["change"]
    people = list(_people(mechanism["measurements"]))
    each = not any(people)
    if WORDS[change, each] != words:
        raise UntrueError(f"the change is {change}, of {people}")
    columns = mechanism["columns"]
    if 4 ** len(columns) > _MOST:
        raise UnjudgedError("too many columns")
    cost = largest_loss(mechanism, change)
    if mechanism["unit"] == "epsilon":
        if cost > epsilon + NOISE:
            raise UntrueError(f"a change costs {cost}, not {epsilon}")
    elif gaussian(float(cost), float(epsilon)) > float(delta) * (1 + 1e-9) + 1e-15:
        raise UntrueError(f"rho {cost} needs a larger delta")


def largest_loss(mechanism: Any, change: str) -> Decimal:
    """The largest ε or ρ that was found for a person who is changed."""
    columns, several = mechanism["columns"], any(_people(mechanism["measurements"]))
    draw, cost = Random(str(mechanism)), Decimal(0)
    for others, mine in tables(draw, columns, several):
        _, other = next(tables(draw, columns, several))
        theirs = other if change == "replace" else []
        cost = max(cost, _loss(mechanism, others + mine, others + theirs))
    return cost


def _loss(mechanism: Any, table: list[Row], other: list[Row]) -> Decimal:
    total = Decimal(0)
    for one in mechanism["measurements"]:
        a, b = (numbers(one, mechanism["columns"], rows) for rows in (table, other))
        gaps = [a.get(key, 0) - b.get(key, 0) for key in {*a, *b}]
        noise = one["noise"]
        if noise["kind"] == "normal":
            spread = 2 * decimal(noise["deviation"]) ** 2
            total += sum((Decimal(gap) ** 2 for gap in gaps), Decimal(0)) / spread
        else:
            total += decimal(noise["decay"]) * sum(map(abs, gaps))
    return total


def _people(section: Any) -> Iterator[str]:
    if isinstance(section, list):
        for one in section:
            yield from _people(one)
    elif isinstance(section, dict):
        if section.get("rows") == "table":
            yield section["person"]
        for one in section.values():
            yield from _people(one)
