"""Random questions to tiny tables, and all neighbors of these: what does one person change?

python -m tests.queries.random_plans 10000        as many plans as you like, with a new seed
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

import noisewright as nw
from noisewright.errors import ParameterError
from noisewright.queries import (
    Aggregate,
    Expression,
    Private,
    Public,
    Question,
    col,
    count,
    count_people,
)
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.private import CHANGES
from noisewright.relations import Filter, Limit, Paired, Repeated, Rows, SourceRows
from noisewright.tables import open_table

Row = dict[str, Any]
COLUMNS = {
    "x": nw.Interval(-2, 3, step=1),
    "y": nw.Interval(0, 2, step="1/2"),
    "s": nw.Categories(["a", "b", "c"]),
    "t": nw.Categories([False, True]),
    "d": nw.Dates("2020-02-27", "2020-03-02"),
}
_CELLS: dict[str, list[Any]] = {
    "x": [-2, -1, 0, 3, 9, None, float("nan"), float("-inf")],
    "y": [0, 0.5, 2, 7.25, None],
    "s": ["a", "b", "c", "z", "", None],
    "t": [False, True, None],
    "d": [*(np.datetime64("2020-02-27") + np.arange(5)).tolist(), None],
    "u": [0, 1, 2, None],
}
_SCHEMA = pa.schema(
    [
        ("person", pa.string()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("s", pa.string()),
        ("t", pa.bool_()),
        ("d", pa.date32()),
        ("id", pa.string()),
        ("u", pa.float64()),
    ]
)


def table_of(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def random_row(draw: random.Random, person: str) -> Row:
    cells = {name: draw.choice(cells) for name, cells in _CELLS.items()}
    return {"person": person, "id": person, **cells}


def random_number(draw: random.Random, depth: int = 2) -> Expression:
    if depth == 0 or draw.random() < 0.4:
        return col(draw.choice("xy"))
    a, b = random_number(draw, depth - 1), random_number(draw, depth - 1)
    return draw.choice(
        [
            lambda: a + b,
            lambda: a - b,
            lambda: a * b,
            lambda: a * draw.choice([-1, 2, 0.5]),
            lambda: a / draw.choice([2, -0.5]),
            lambda: a // draw.choice([1, 2, 0.5]),
            lambda: a % draw.choice([1, 2, 1.5]),
            lambda: a.clip(-1, draw.choice([0, 1.5])),
            lambda: a.fill_null(draw.choice([0, -7, 0.25])),
            lambda: col("d").dt.month() + 0,
            lambda: col("d") - col("d"),
        ]
    )()


def random_condition(draw: random.Random, depth: int = 2) -> Expression:
    number = random_number(draw, 1)
    if depth and draw.random() < 0.4:
        a, b = random_condition(draw, depth - 1), random_condition(draw, depth - 1)
        return draw.choice([lambda: a & b, lambda: a | b, lambda: ~a])()
    return draw.choice(
        [
            lambda: number >= draw.choice([-1, 0, 0.25, 1]),
            lambda: number < random_number(draw, 1),
            lambda: number == draw.choice([0, 1, 0.3]),
            lambda: col("s") == draw.choice("abc"),
            lambda: col("s") != draw.choice("abc"),
            lambda: col("s").is_in(["a", "c"]),
            lambda: col(draw.choice(["x", "s", "d"])).is_null(),
            lambda: col("t"),
            lambda: col("d") <= "2020-02-29",
        ]
    )()


def random_key(draw: random.Random) -> Expression:
    return draw.choice(
        [
            lambda: col("s"),
            lambda: col("t"),
            lambda: random_number(draw, 1).cut([0, 1]),
            lambda: random_condition(draw, 1),
            lambda: col("d").dt.weekday(),
            lambda: col("s").fill_null("b"),
            lambda: col("place"),
            lambda: col("u") >= 1,
        ]
    )()


def random_aggregate(draw: random.Random) -> Aggregate:
    number = random_number(draw)
    return draw.choice(
        [
            lambda: count(),
            lambda: count_people(),
            lambda: number.count(),
            lambda: number.sum(),
            lambda: number.mean(),
            lambda: number.var(),
            lambda: number.median(),
            lambda: number.histogram([-1, 0, 1.5]),
            lambda: random_condition(draw).share(),
            lambda: col("s").top(2),
            lambda: col("s").count_distinct(),
            lambda: number.count_distinct(),
            lambda: (col("size") + number).sum(),
            lambda: (col("u") * number).mean(),
        ]
    )()


_PUBLIC = Public({"s": ["a", "c"], "region": ["n", "m"], "weight": [0.5, 2]}, key="s")
_SEVERAL = Public(
    {"s": ["a", "c", "a", "a"], "place": ["n", "m", "o", "n"], "size": [0.5, 2, 7, None]},
    key="s",
    matches=3,
)


def _pairs(draw: random.Random, table: Private, change: Any) -> tuple[Private, bool]:
    """Join a table whose people have another name; tell whether it is limited."""
    columns = {"u": nw.Interval(0, 2, step=1)}
    other = Private(table_of([]), columns=columns, ledger=None, person="id", change=change)
    limited = draw.random() < 0.5
    return table.join(other.limit(rows=draw.choice([1, 2])) if limited else other), limited


def random_question(draw: random.Random) -> Question | None:
    """Return a question, or None where what was drawn makes no sense."""
    has_person, change = draw.random() < 0.6, draw.choice(CHANGES)
    person = "person" if has_person else None
    table: Private = Private(
        table_of([]), columns=COLUMNS, ledger=None, person=person, change=change
    )
    try:
        limited = False
        for _ in range(draw.randrange(4)):
            match draw.randrange(6):
                case 0:
                    table = table.filter(random_condition(draw))
                case 1:
                    name = draw.choice(["x", "z"])
                    table = table.with_columns(**{name: random_number(draw)})
                case 2 if not limited:
                    groups = draw.choice([None, 1, 2])
                    table = table.limit(rows=draw.choice([1, 2]), groups=groups)
                    limited = True
                case 3 if "region" not in table.columns:
                    table = table.join(_PUBLIC)
                case 4 if "place" not in table.columns:
                    table = table.join(_SEVERAL)
                case 5 if has_person and "u" not in table.columns:
                    table, bounded = _pairs(draw, table, change)
                    limited = limited and bounded
                case _:
                    pass
        if has_person and not limited:
            table = table.limit(rows=draw.choice([1, 2]))
        aggregates = {f"a{i}": random_aggregate(draw) for i in range(draw.randrange(1, 3))}
        keys = [random_key(draw) for _ in range(draw.randrange(3))]
        if keys:
            named: Any = {f"k{i}": key for i, key in enumerate(keys)}
            return table.group_by(**named).agg(**aggregates)
        return table.agg(**aggregates)
    except ParameterError:
        return None


def on_table(rows: Rows, data: pa.Table) -> Rows:
    """Return the same selection of other rows."""
    match rows:
        case SourceRows():
            return replace(rows, table=open_table(data))
        case Paired():
            return Paired(on_table(rows.left, data), on_table(rows.right, data))
        case Filter() | Limit() | Repeated():
            return replace(rows, rows=on_table(rows.rows, data))


def numbers_of(measurement: QueryMeasurement, rows: list[Row]) -> np.ndarray:
    return replace(measurement, rows=on_table(measurement.rows, table_of(rows))).compute()


def neighbors(draw: random.Random, rows: list[Row], question: Question) -> Iterator[list[Row]]:
    """Yield tables in which one person was removed, added or replaced."""
    budget = question.table.budget
    if budget.person is None:
        for place in range(len(rows)):
            others = rows[:place] + rows[place + 1 :]
            yield others if budget.change == "add or remove" else [*others, random_row(draw, "new")]
        return
    for person in {row["person"] for row in rows}:
        others = [row for row in rows if row["person"] != person]
        if budget.change == "add or remove":
            yield others
        else:
            yield [*others, *(random_row(draw, person) for _ in range(draw.randrange(4)))]


def largest_excess(question: Question, draw: random.Random, tables: int = 3) -> str | None:
    """Return what a person changed more than was claimed, in words; None if nothing was found."""
    change = question.table.budget.change
    for _ in range(tables):
        rows = [random_row(draw, draw.choice("pq")) for _ in range(draw.randrange(6))]
        for other in neighbors(draw, rows, question):
            for one in question.asked.measurements:
                gap = numbers_of(one, rows).astype(object) - numbers_of(one, other).astype(object)
                d1, d2 = int(np.abs(gap).sum()), int((gap * gap).sum())
                most = one.person_change(change)
                if d1 > most[0] or d2 > most[1]:
                    return f"{one.what} changed by {(d1, d2)}, above {most}; {rows} → {other}"
    return None


def search(plans: int, seed: int) -> int:
    """Search so many plans; raise at the first that is wrong, and return how many made sense."""
    draw, found = random.Random(seed), 0
    for _ in itertools.repeat(None):
        if found == plans:
            return found
        question = random_question(draw)
        if question is None:
            continue
        found += 1
        question.certify(epsilon=1)
        problem = largest_excess(question, draw)
        assert problem is None, f"{question}: {problem}"
    return found


if __name__ == "__main__":
    start = random.SystemRandom().randrange(10**9)
    print(f"{search(int(sys.argv[1]), start):,} plans of seed {start}: no change above the claim")
