"""SQL means here what it means in DuckDB: the same statements on the same rows, without noise."""

import math
from typing import Any

import duckdb
import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings

import noisewright as nw
from noisewright.queries import Answer
from noisewright.queries.readings import NoisyNumbers

COLUMNS = {
    "sex": ["F", "M"],
    "age": nw.Counts(20),
    "pay": nw.Interval(-3, 3, step="1/2"),
    "born": nw.Dates("1999-11-01", "2001-03-31"),
    "ok": [False, True],
}
ROWS = pa.table(
    {
        "sex": ["F", "M", "F", None, "M", "M", None, "F", "M", "F"],
        "age": [0, 20, 7, 7, None, 13, 2, None, 19, 7],
        "pay": [-3.0, 3.0, 0.5, -0.5, 1.0, None, None, 2.5, 0.0, -1.5],
        "born": pa.array(
            ["1999-11-01", "2000-02-29", "2000-12-31", None, "2001-01-01",
             "2001-03-31", "2000-02-29", "1999-12-31", None, "2000-06-15"]
        ).cast(pa.date32()),
        "ok": [True, False, None, True, None, False, True, True, False, None],
    }
)  # fmt: skip
PEOPLE = nw.Private(ROWS, columns=COLUMNS, ledger=None)


def in_duckdb(text: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        database.register("people", ROWS)
        return database.execute(text).fetchall()


def without_noise(text: str) -> list[tuple[Any, ...]]:
    question = PEOPLE.sql(text)
    priced = question.price(1)
    exact = tuple(
        NoisyNumbers(one, noise, one.compute().astype(object))
        for one, noise in zip(priced.measurements, priced.noises, strict=True)
    )
    answer = Answer(question, exact, question.certify(epsilon=1))
    return [tuple(row.values()) for row in answer.unbiased.to_pylist()]


def is_same(mine: Any, theirs: Any) -> bool:
    if mine is None or theirs is None or isinstance(mine, str):
        return mine == theirs
    return math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-9)


GROUPED = [
    "SELECT sex, COUNT(*), COUNT(age), SUM(pay), AVG(pay) FROM people GROUP BY sex",
    "SELECT sex, VAR_POP(pay), AVG(age * 2 - pay) FROM people WHERE ok IS NOT NULL GROUP BY 1",
    "SELECT sex, COUNT(DISTINCT age) FROM people GROUP BY sex",
    "SELECT CASE WHEN age < 7 THEN 'a' WHEN age < 14 THEN 'b' ELSE 'c' END AS k, COUNT(*) "
    "FROM people GROUP BY k",
    "SELECT CASE sex WHEN 'F' THEN 1 WHEN 'M' THEN 2 END AS k, SUM(age) FROM people GROUP BY k",
    "SELECT EXTRACT(YEAR FROM born) AS y, EXTRACT(MONTH FROM born) AS m, COUNT(*) FROM people "
    "GROUP BY y, m",
    "SELECT EXTRACT(ISODOW FROM born) AS d, COUNT(*) FROM people GROUP BY d",
    "SELECT age // 5 AS k, age % 3 AS m, COUNT(*) FROM people GROUP BY k, m",
    "SELECT ok, SUM(COALESCE(age, 3)), AVG(CASE WHEN pay > 0 THEN 1 ELSE 0 END) FROM people "
    "GROUP BY ok",
    "SELECT age >= 7 AS old, COUNT(*), SUM(IF(ok, pay, NULL)) FROM people GROUP BY old",
]


@pytest.mark.parametrize("text", GROUPED)
def test_groups_are_those_of_duckdb(text: str) -> None:
    keys = len(PEOPLE.sql(text).keys)
    theirs = {row[:keys]: row[keys:] for row in in_duckdb(text) if None not in row[:keys]}
    seen = 0
    for row in without_noise(text):
        key, values = row[:keys], row[keys:]
        if key not in theirs:
            assert all(value is None or abs(value) < 1e-9 for value in values), row
            continue
        seen += 1
        for mine, their in zip(values, theirs[key], strict=True):
            # A sum of nothing is null in SQL and 0 here.
            assert is_same(mine, 0 if their is None and mine == 0 else their), (row, theirs[key])
    assert seen == len(theirs)


NUMBERS = st.recursive(
    st.sampled_from(["age", "pay", "3", "0", "(-1)", "2.5", "COALESCE(pay, 0.5)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({' '.join(t)})"),
        inner.map(lambda one: f"(-{one})"),
        inner.map(lambda one: f"({one} / 2)"),
    ),
    max_leaves=4,
)
COMPARISONS = ["<", "<=", "=", "<>", ">", ">="]
CONDITIONS = st.recursive(
    st.one_of(
        st.sampled_from(
            ["ok", "sex = 'F'", "sex <> 'M'", "sex IN ('F')", "sex NOT IN ('M', 'F')", "NOT ok",
             "born >= DATE '2000-02-29'", "born < '2000-12-31'", "sex IS NULL", "ok IS NOT NULL",
             "age IN (7, 2, 40)", "age NOT BETWEEN 3 AND 12.5", "EXTRACT(MONTH FROM born) <= 2"]
        ),
        st.tuples(NUMBERS, st.sampled_from(COMPARISONS), NUMBERS).map(" ".join),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(" ".join),
        inner.map(lambda one: f"NOT ({one})"),
        st.tuples(inner, inner, inner).map(
            lambda t: f"CASE WHEN {t[0]} THEN {t[1]} ELSE {t[2]} END"
        ),
    ),
    max_leaves=5,
)  # fmt: skip


@given(CONDITIONS)
@settings(max_examples=150, deadline=None)
def test_conditions_hold_for_the_rows_of_duckdb(condition: str) -> None:
    text = f"SELECT COUNT(*) FROM people WHERE {condition}"
    assert without_noise(text) == in_duckdb(text), condition
