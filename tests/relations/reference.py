"""What engines must give, row by row in plain Python: slow, obvious, and with None for null.

It shares no code with the engines. A table is a list of rows, a row a mapping from the names of
columns to cells, and each cell is read by the declared field alone.
"""

import datetime
import hashlib
import math
import re
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

from noisewright.relations import (
    Filter,
    KeyRequest,
    Limit,
    Node,
    Paired,
    Repeated,
    SourceRows,
    TallyRequest,
)
from noisewright.spaces import Categories, Counts, Dates

P = 2**31 - 1
PERSON = object()
"""The name under which a row has its person."""

KEY = object()
"""The name under which a row has its key as it is, where the table has a column `key`."""

Row = dict[Any, Any]


# Cells


def read(field: Any, cell: Any) -> int | None:
    """What a cell counts as: a whole number, or null."""
    space = field.space
    of_texts = isinstance(space, Categories) and str in map(type, space.labels)
    if isinstance(cell, str) and not isinstance(space, Dates) and not of_texts:
        cell = in_text(cell)
    if isinstance(cell, float | Decimal) and cell != cell:
        cell = None
    if isinstance(space, Categories):
        return read_label(field, cell)
    place = None
    if isinstance(space, Dates):
        place = read_date(space, cell)
    elif isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        low, step = (0, 1) if isinstance(space, Counts) else (space.low, space.step)
        if isinstance(cell, int) or math.isfinite(cell):
            place = math.floor((Fraction(cell) - low) / step + Fraction(1, 2))
        else:
            place = -1 if cell < 0 else space.size
    if place is None:
        if field.null is None:
            return None
        place = space.code(field.null)
    place = min(max(place, 0), space.size - 1)
    if isinstance(space, Counts):
        return place
    if isinstance(space, Dates):
        return int(space.low) + place
    value = space.low + place * space.step
    unit = Fraction(
        math.gcd(
            space.low.numerator * space.step.denominator,
            space.step.numerator * space.low.denominator,
        ),
        space.low.denominator * space.step.denominator,
    )
    return int(value / unit)


def read_label(field: Any, cell: Any) -> int | None:
    labels = field.space.labels
    if cell is None:
        chosen = field.null
    elif any(is_same(label, cell) for label in labels):
        chosen = cell
    else:
        chosen = field.other
    if chosen is None:
        return None
    if all(isinstance(label, bool) for label in labels) and len(labels) == 2:
        return int(chosen)
    return next(place for place, label in enumerate(labels) if is_same(label, chosen))


def is_same(a: Any, b: Any) -> bool:
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def in_text(text: str) -> Any:
    """The number or truth value that a text states, or None."""
    text = text.strip().lower()
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", text):
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    return float(text) if text.lstrip("+-") in ("inf", "infinity") else None


def read_date(space: Dates, cell: Any) -> int | None:
    if isinstance(cell, str):
        try:
            cell = datetime.datetime.fromisoformat(cell.strip())
        except ValueError:
            return None
    if not isinstance(cell, datetime.date):
        return None
    if not isinstance(cell, datetime.datetime):
        cell = datetime.datetime(cell.year, cell.month, cell.day)
    if cell.tzinfo is not None:
        if space.zone is None:
            return None
        cell = cell.astimezone(ZoneInfo(space.zone)).replace(tzinfo=None)
    days = cell.toordinal() - datetime.date(1970, 1, 1).toordinal()
    steps = {
        "year": cell.year - 1970,
        "month": (cell.year - 1970) * 12 + cell.month - 1,
        "week": (days + 3) // 7,
        "day": days,
        "hour": days * 24 + cell.hour,
        "minute": (days * 24 + cell.hour) * 60 + cell.minute,
    }
    return steps[space.every] - int(space.low)


# Expressions


def value(node: Node, row: Row) -> int | None:
    """What an expression is for a row: in the range that the node states, and null if it may be."""
    found = _value(node, row)
    assert node.nullable if found is None else node.low <= found <= node.high
    return found


def _value(node: Node, row: Row) -> int | None:
    name, constants = node.operator, node.constants
    if name == "column":
        return row[node.name]
    if name == "literal":
        return constants[0]
    found = [value(argument, row) for argument in node.arguments]
    a = found[0]
    if name == "is null":
        return int(a is None)
    if name == "fill":
        return constants[0] if a is None else a
    if name == "choose":
        return found[1] if a == 1 else found[2]
    if name == "and":
        return 0 if 0 in found else None if None in found else 1
    if name == "or":
        return 1 if 1 in found else None if None in found else 0
    if None in found:
        return None
    assert a is not None
    b: Any = found[1] if len(found) == 2 else None
    match name:
        case "add":
            return a + b
        case "subtract":
            return a - b
        case "multiply":
            return a * b
        case "divide":
            return math.floor(Fraction(a, constants[0]))
        case "modulo":
            return a - constants[0] * math.floor(Fraction(a, constants[0]))
        case "clip":
            return min(max(a, constants[0]), constants[1])
        case "less":
            return int(a < b)
        case "at most":
            return int(a <= b)
        case "equal":
            return int(a == b)
        case "not":
            return int(a == 0)
        case "is in":
            return int(a in constants)
        case "bins":
            return sum(edge <= a for edge in constants)
        case "look up":
            pairs = [*zip(constants[1::2], constants[2::2], strict=True)]
            place = a - constants[0]
            known = 0 <= place < len(pairs) and pairs[place][0] == 1
            return pairs[place][1] if known else None
        case _:
            raise AssertionError(name)


# Rows


def rows_of(rows: Any) -> list[Row]:
    """The rows that are counted. The table of a source is a list of rows with raw cells."""
    if isinstance(rows, SourceRows):
        return [read_row(rows, row, number) for number, row in enumerate(rows.table)]
    if isinstance(rows, Filter):
        return [row for row in rows_of(rows.rows) if value(rows.condition, row) == 1]
    if isinstance(rows, Limit):
        return limited(rows, rows_of(rows.rows))
    if isinstance(rows, Repeated):
        return [{**row, rows.name: j} for row in rows_of(rows.rows) for j in range(rows.times)]
    assert isinstance(rows, Paired)
    return [
        {**other, **one}
        for one, other in product(rows_of(rows.left), rows_of(rows.right))
        if None not in (one[PERSON], other[PERSON]) and str(one[PERSON]) == str(other[PERSON])
    ]


def people_by_key(request: KeyRequest) -> dict[Any, int]:
    """How many people have each value of a column that is not declared."""
    own: dict[Any, set[Any]] = {}
    for row in rows_of(request.rows):
        if row[KEY] is not None:
            own.setdefault(row[PERSON], set()).add(row[KEY])
    found: dict[Any, int] = {}
    limit = Limit(request.rows, 1, request.salt)
    for person, keys in own.items():
        h = person_number(limit, person)

        def score(key: Any, h: int = h) -> tuple[int, Any]:
            mark = int(hashlib.md5(str(key).encode()).hexdigest()[:8], 16)
            last = key.encode() if isinstance(key, str) else key
            return score_of(limit, h + salt_number(limit, 0) * (mark + 1)), last

        for key in sorted(keys, key=score)[: request.groups]:
            found[key] = found.get(key, 0) + 1
    return found


def read_row(source: SourceRows, row: Row, number: int) -> Row:
    found: Row = {KEY: row.get("key")}
    for name, field in source.fields.items():
        found[name] = read(field, row[source.stored.get(name, name)])
    if source.person is None:
        found[PERSON] = ("row", number)
    else:
        found[PERSON] = row[source.person]
    return found


def limited(limit: Limit, rows: list[Row]) -> list[Row]:
    kept: list[Row] = []
    for person in {row[PERSON] for row in rows}:
        own = [row for row in rows if row[PERSON] == person]
        h = person_number(limit, person)
        if limit.groups is None:
            kept += first_rows(limit, own, h)
            continue
        cells: dict[int, list[Row]] = {}
        for row in own:
            cell = cell_of(limit.by, row)
            if cell is not None:
                cells.setdefault(cell, []).append(row)

        def score(cell: int, h: int = h) -> tuple[int, int]:
            return score_of(limit, h + salt_number(limit, 0) * (cell + 1)), cell

        for cell in sorted(cells, key=score)[: limit.groups]:
            kept += first_rows(limit, cells[cell], h)
    return kept


def person_number(limit: Limit, person: Any) -> int:
    if isinstance(person, int):
        return person * salt_number(limit, "P") % P
    if isinstance(person, str):
        return int(hashlib.md5(f"{limit.salt}:{person}".encode()).hexdigest()[:8], 16) % P
    return 0


def first_rows(limit: Limit, rows: list[Row], h: int) -> list[Row]:
    def order(row: Row) -> tuple[int, ...]:
        keys: list[int] = []
        for node in limit.reads:
            found = value(node, row)
            keys.append(0 if found is None else found - node.low + 1)
        total = sum(salt_number(limit, i) * key for i, key in enumerate(keys, start=1))
        return (score_of(limit, h + total), *keys)

    return sorted(rows, key=order)[: limit.rows_each]


def score_of(limit: Limit, root: int) -> int:
    return (root**2 + salt_number(limit, "S")) ** 2 % P


def salt_number(limit: Limit, place: int | str) -> int:
    digest = hashlib.sha256(f"{limit.salt}:{place}".encode()).hexdigest()
    return 1 + int(digest[:16], 16) % (P - 1)


def cell_of(by: tuple[Node, ...], row: Row) -> int | None:
    found = [value(node, row) for node in by]
    if None in found:
        return None
    every = product(*(range(node.low, node.high + 1) for node in by))
    return next(place for place, values in enumerate(every) if list(values) == found)


def tally(request: TallyRequest) -> list[list[int]]:
    """The rows of each cell and the sums there."""
    total = [[0] * (1 + len(request.sums)) for _ in range(request.cells)]
    for row in rows_of(request.rows):
        cell = cell_of(request.by, row)
        if cell is not None:
            total[cell][0] += 1
            for place, node in enumerate(request.sums, start=1):
                total[cell][place] += value(node, row) or 0
    return total
