"""Whatever form rows have, they are asked about more than once, and a ledger recognizes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import noisewright as nw

COLUMNS: dict[str, Any] = {"s": ["a", "b"], "x": nw.Counts(9)}
ROWS: dict[str, list[Any]] = {"s": ["a", "b", "a"], "x": [1, None, 3]}
RECORDS = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
FORMS: dict[str, Callable[[], Any]] = {
    "records": lambda: RECORDS,
    "generator": lambda: iter(RECORDS),
    "columns": lambda: ROWS,
    "pandas": lambda: pd.DataFrame(ROWS),
    "polars": lambda: pl.DataFrame(ROWS),
    "lazy": lambda: pl.LazyFrame(ROWS),
    "arrow": lambda: pa.table(ROWS),
    "reader": lambda: pa.table(ROWS).to_reader(),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_asked_twice_and_pay_twice(form: str, tmp_path: Path) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=1000, rows=1)
    people = nw.Private(FORMS[form](), columns=COLUMNS, ledger=ledger, dataset="people")
    question = people.group_by("s").agg(n=nw.count(), m=nw.col("x").mean())
    # Noise other than 0 has a chance of e^-20.
    for _ in range(2):
        answer = question.release(epsilon=400)
        assert answer.table["n"].to_pylist() == [2, 1]
    assert ledger.balance("people").left.epsilon.rational == 200
