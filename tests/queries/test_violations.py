"""What went wrong in query layers elsewhere, and must not go wrong here."""

from __future__ import annotations

import copy
import pickle
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import NoisewrightError
from noisewright.queries import Question
from tests.queries.random_plans import on_table

COLUMNS: dict[str, Any] = {
    "x": nw.Interval(0, 10, step=1),
    "s": ["a", "b"],
    "d": nw.Dates("1920-01-01", "2026-12-31"),
}
ROWS = pa.table(
    {
        "x": [1.0, 2.0, 99.0, None, float("nan"), 5.4],
        "s": ["a", "b", "a", "z", None, "b"],
        "d": pa.array(["2020-02-29", "1930-05-01", None, "2025-01-01", "2025-01-02", "2025-01-03"]),
    }
)


def table(data: pa.Table = ROWS, **options: Any) -> nw.Private:
    given: dict[str, Any] = {"ledger": None, "change": "add or remove", **options}
    return nw.Private(data, columns=COLUMNS, **given)


def change_of(question: Question) -> int:
    (one,) = question.asked.measurements
    return one.person_change("add or remove")[0]


def numbers(question: Question, data: pa.Table) -> list[Any]:
    return [
        replace(one, rows=on_table(one.rows, data)).compute().tolist()
        for one in question.asked.measurements
    ]


def test_a_column_that_is_defined_again_has_new_bounds() -> None:
    x = nw.col("x")
    clipped = table().with_columns(x=x.clip(0, 1))
    assert change_of(clipped.agg(m=x.sum())) == 1
    grown = clipped.with_columns(x=x * 3 + nw.col("x") * x)
    assert change_of(grown.agg(m=x.sum())) == 4
    question = grown.agg(m=x.sum())
    with_one, without = (numbers(question, ROWS.slice(0, n)) for n in (1, 0))
    assert np.abs(np.subtract(with_one, without)).sum() == 4


def test_nothing_that_a_cell_holds_is_counted_without_noise() -> None:
    """Cuts, fills and remainders of odd cells make nulls; how many there are is private, too."""
    x = nw.col("x")
    with pytest.raises(NoisewrightError, match="by 0"):
        table().agg(n=(x % 0).sum())
    with pytest.raises(NoisewrightError, match="by 0"):
        table().agg(n=(x / 0).sum())
    for asked in (
        table().agg(n=x.is_null().sum()),
        table().group_by(k=x.cut([5])).agg(n=nw.count()),
        table().filter(x.is_null()).count(),
    ):
        assert all(noise.deviation > 0.5 for noise in asked.price(1).noises)
        gone = numbers(asked, ROWS.slice(0, 3))
        assert np.shape(gone) == np.shape(numbers(asked, ROWS))


def test_the_code_of_a_label_does_not_depend_on_other_rows() -> None:
    question = table().group_by("s").count()
    assert question.release(epsilon=1).table["s"].to_pylist() == ["a", "b"]
    assert numbers(question, ROWS.slice(1, 1)) == [[[0], [1]]]
    assert numbers(question, ROWS.slice(0, 0)) == [[[0], [0]]]


def test_sums_of_dates_and_of_wide_numbers_do_not_overflow() -> None:
    with pytest.raises(NoisewrightError, match="is not defined"):
        table().agg(n=nw.col("d").sum())
    wide = {"x": nw.Interval(0, 2**40, step=1)}
    data = pa.table({"x": [2**40] * 1000})
    people = nw.Private(data, columns=wide, ledger=None, change="add or remove")
    (sums,) = numbers(people.agg(m=nw.col("x").mean()), data)[0]
    assert sums == [0, 1000 * 2**40]
    with pytest.raises(NoisewrightError, match="62 bits"):
        people.agg(v=nw.col("x").var())


def test_variance_changes_by_what_is_claimed() -> None:
    question = table().agg(v=nw.col("x").var())
    claimed, draw = change_of(question), random.Random(5)
    largest = 0
    for _ in range(200):
        rows = [draw.randint(-1, 11) for _ in range(draw.randint(1, 5))]
        data = pa.table({"x": pa.array(rows, pa.float64()), "s": ["a"] * len(rows)})
        data = data.append_column("d", pa.nulls(len(rows), pa.string()))
        a, b = (np.array(numbers(question, d), dtype=object) for d in (data, data.slice(1)))
        largest = max(largest, int(np.abs(a - b).sum()))
    assert largest == claimed == 100


def test_what_cannot_be_asked_is_refused_before_the_debit(tmp_path: Path) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=1, rows=1, change="add or remove")
    people = table(ledger=ledger, dataset="people")
    for ask in (
        lambda: people.agg(m=nw.col("s").mean()).release(epsilon=1),
        lambda: people.agg(m=nw.col("nobody").mean()).release(epsilon=1),
        lambda: people.filter(nw.col("x")).count().release(epsilon=1),
        lambda: people.count().release(epsilon=0),
        lambda: people.count().release(epsilon=-1),
        lambda: people.count().release(epsilon=2),
        lambda: people.agg(h=nw.col("x").histogram([3, 1])).release(epsilon=1),
    ):
        with pytest.raises(NoisewrightError):
            ask()
    assert ledger.balance("people").left.epsilon.rational == 1


def test_a_mean_costs_its_epsilon_once(tmp_path: Path) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=3, rows=1, change="add or remove")
    people = table(ledger=ledger, dataset="people")
    x = nw.col("x")
    answer = people.agg(n=nw.count(), m=x.mean(), v=x.var(), s=x.sum()).release(epsilon=1)
    assert answer.guarantee.epsilon.rational == 1
    assert ledger.balance("people").left.epsilon.rational == 2


def test_sums_do_not_depend_on_the_order_of_rows() -> None:
    grid = {"x": nw.Interval(0, 1, step=Fraction(1, 2**30))}
    values = np.random.default_rng(3).random(4_000)
    data = pa.table({"x": values})
    people = nw.Private(data, columns=grid, ledger=None)
    question = people.agg(m=nw.col("x").mean())
    order = np.random.default_rng(4).permutation(len(values))
    assert numbers(question, data) == numbers(question, data.take(order))


def test_neither_a_picture_nor_a_copy_of_a_table_or_an_answer_holds_rows() -> None:
    secret = ROWS.set_column(1, "s", pa.array(["a", "SECRET", "b", "a", "b", "a"]))
    people = table(secret)
    answer = people.group_by("s").count().release(epsilon=1)
    for one in (people, people.budget, people.rows, answer, answer.question, answer.question.asked):
        assert "SECRET" not in repr(one)
    for one in (people, answer, answer.question):
        with pytest.raises(TypeError, match="private rows"):
            pickle.dumps(one)
        with pytest.raises(TypeError, match="private rows"):
            copy.deepcopy(one)


@pytest.mark.parametrize("limits", [{"rows": 3}, {"groups": 3}, {"groups": 3, "rows": 2}])
def test_people_count_in_each_of_their_groups(limits: dict[str, int]) -> None:
    """A limit of three rows is none of one group."""
    who = [i // 3 for i in range(300)]
    data = pa.table({"who": who, "s": ["a", "b", "c"] * 100})
    people = nw.Private(data, columns={"s": ["a", "b", "c"]}, ledger=None, person="who")
    asked = people.limit(**limits).group_by("s").agg(n=nw.count_people())
    (one,) = asked.asked.measurements
    assert one.compute().tolist() == [[100], [100], [100]]
    assert one.person_change("add or remove") == (3, 3)


def test_an_answer_says_that_some_rows_may_be_in_no_group() -> None:
    said = "Rows whose s is empty or not declared are in no group."
    assert said in table().group_by("s").count().release(epsilon=1).notes
    filled = table().group_by(s=nw.col("s").fill_null("a")).count().release(epsilon=1)
    assert filled.notes == ()
