"""Tallies in DuckDB against plain SQL that keeps the same numbers of rows, without any promise."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import duckdb

from benchmarks.measure import Result
from benchmarks.peer_answers import processor_seconds
from noisewright.relations import DuckDB, Limit, Rows, TallyRequest, column, open_source, tally
from noisewright.spaces import Counts
from noisewright.tables import Field

_GROUPS = """WITH ranked AS (
    SELECT *, dense_rank() OVER (PARTITION BY person ORDER BY hash(person, cell)) AS place,
        row_number() OVER (PARTITION BY person, cell ORDER BY hash(v)) AS within FROM t
) SELECT cell, count(*), sum(v) FROM ranked WHERE place <= 3 AND within <= 1 GROUP BY cell"""
_ONE_AFTER_THE_OTHER = """WITH ranked AS (
    SELECT *, dense_rank() OVER (PARTITION BY person ORDER BY hash(person, cell)) AS place FROM t
), kept AS (
    SELECT *, row_number() OVER (PARTITION BY person, cell ORDER BY hash(v)) AS within
    FROM ranked WHERE place <= 3
) SELECT cell, count(*), sum(v) FROM kept WHERE within <= 1 GROUP BY cell"""
_ROWS = """WITH ranked AS (
    SELECT *, row_number() OVER (PARTITION BY person ORDER BY hash(cell, v)) AS place FROM t
) SELECT cell, count(*), sum(v) FROM ranked WHERE place <= 3 GROUP BY cell"""
_ALL = "SELECT cell, count(*), sum(v) FROM t GROUP BY cell"


def run(rows: int = 10_000_000, repeats: int = 3) -> list[Result]:
    """Ten rows for each person, in 101 groups; all threads count."""
    cell, v = column("cell", 0, 100, nullable=False), column("v", 0, 99, nullable=False)
    fields = {"cell": Field(Counts(100), null=0), "v": Field(Counts(99), null=0)}
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT hash(i)::HUGEINT % {max(rows // 10, 1)} AS person_number, "
            "person_number::BIGINT AS person, (hash(i + 7) % 101)::BIGINT AS cell, "
            f"(hash(i + 9) % 100)::BIGINT AS v FROM range({rows}) AS r(i)"
        )
        source = open_source(DuckDB(connection, "t"), fields, "person")
        selections: dict[str, tuple[Rows, str, float | None]] = {
            "all rows by group": (source, _ALL, None),
            "3 rows a person": (Limit(source, 3, "salt", reads=(cell, v)), _ROWS, 1 / 1.5),
            "3 groups a person": (
                Limit(source, 1, "salt", 3, (cell,), (cell, v)),
                _GROUPS,
                1 / 1.5,
            ),
            "3 groups a person, one after the other": (
                Limit(source, 1, "salt", 3, (cell,), (cell, v)),
                _ONE_AFTER_THE_OTHER,
                None,
            ),
        }
        results: list[Result] = []
        for name, (selected, plain, required) in selections.items():
            request = TallyRequest(selected, (cell,), (v,))
            ours, bare = _medians(
                lambda request=request: tally(request),
                lambda plain=plain: connection.execute(plain).fetchall(),
                repeats,
            )
            results.append(Result(name, rows / ours, bare / ours, "plain SQL", required))
    return results


def _medians(
    one: Callable[[], object], other: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Processor time of all threads, by turns, so that what else the machine does slows both."""
    pairs = [
        (processor_seconds(one, 1, warm=False), processor_seconds(other, 1, warm=False))
        for _ in range(repeats)
    ]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)
