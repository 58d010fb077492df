"""Questions to tables of databases: the same numbers, and a budget by the name of the people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError

ROWS = pa.table(
    {"who": [1, 1, 2, 3], "sex": ["F", "F", "M", "F"], "hours": [20.0, 30.0, 99.0, None]}
)
COLUMNS = {"sex": ["F", "M"], "hours": nw.Interval(0, 60, step=1)}


def test_a_table_in_duckdb_is_asked_where_it_is(tmp_path: Path) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=9, person="who")
    with duckdb.connect() as database:
        database.register("visits", ROWS)
        options: dict[str, Any] = {"columns": COLUMNS, "ledger": ledger, "person": "who"}
        there = nw.Private(nw.DuckDB(database, "visits"), dataset="people", **options)
        here = nw.Private(ROWS, dataset="people", **options)
        asked = [
            table.limit(rows=2).group_by("sex").agg(n=nw.count(), m=nw.col("hours").mean())
            for table in (there, here)
        ]
        numbers = [one.asked.measurements[0].compute().tolist() for one in asked]
        assert numbers[0] == numbers[1]
        assert "SELECT" in asked[0].explain()
        assert asked[0].release(epsilon=4).entry is not None
        nameless = nw.Private(nw.DuckDB(database, "visits"), **options)
        with pytest.raises(ParameterError, match="dataset= is missing"):
            nameless.limit(rows=1).count().release(epsilon=1)
        other = nw.Private(
            ROWS.rename_columns(["who", "sex2", "hours2"]),
            columns={"sex2": ["F", "M"]},
            ledger=ledger,
            person="who",
            dataset="people",
        )
        with pytest.raises(InputError, match="different places"):
            there.join(other)
