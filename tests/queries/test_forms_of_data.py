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


def test_a_plan_names_the_columns_of_a_file_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1, P1, x\n2, P2, y\n3, P3, y\n")
    (tmp_path / "plan.toml").write_text(
        'version = 1\nepsilon = 1\n[columns.a]\nspace = "counts"\nn = 9\n'
        '[columns.id]\nuse = "drop"\n[columns.b]\nspace = "categories"\nlabels = ["x", "y"]\n'
    )
    file = nw.CSV(tmp_path / "rows.csv", header=False)
    declared = {"a": nw.Counts(9), "id": "drop", "b": ["x", "y"]}
    for columns in (tmp_path / "plan.toml", nw.Plan.read(tmp_path / "plan.toml"), declared):
        people = nw.Private(file, columns=columns, ledger=None)
        answer = people.group_by("b").agg(total=nw.col("a").sum()).release(epsilon=10_000)
        assert answer.table.to_pydict() == {"b": ["x", "y"], "total": [1, 5]}


def test_answers_with_seeded_noise_are_marked() -> None:
    people = nw.Private(ROWS, columns=COLUMNS, ledger=None)
    question = people.group_by("s").agg(n=nw.count())
    public = nw.Public({"s": ["a", "b"], "people": [2, 1]}, key="s")
    groups = people.group_by(public).count(nw.col("x") > 1)

    def answers(source: Any) -> list[Any]:
        asked = nw.ask([question, question], epsilon=1, source=source)
        first = question.release(epsilon=1, source=source)
        return [*asked.answers, first, groups.release(epsilon=1, source=source)]

    for private, source in ((True, None), (False, nw.randomness.SeededSource(1))):
        for one in answers(source):
            assert one.is_private == private
            assert ("NOT PRIVATE (seeded noise)" in repr(one)) != private
            if isinstance(one, nw.queries.Answer):
                assert ("NOT PRIVATE (seeded noise)" in one._repr_html_()) != private
