"""Several questions together: exact without noise, as noisy as predicted, paid once."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import BudgetError, ParameterError
from noisewright.planning import plan_together
from noisewright.queries import Private
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.private import CHANGES
from noisewright.queries.together.ask import JointJob
from noisewright.sampling import SeededSource
from tests.queries.joint_plans import ROWS, UNITS, answers_of, plan, private, some
from tests.queries.random_plans import (
    Row,
)


def read_s(row: Row) -> str | None:
    return row["s"] if row["s"] in ("a", "b", "c") else None


@pytest.mark.parametrize("unit", UNITS)
def test_without_noise_answers_are_true_and_nulls_are_in_no_group(unit: str) -> None:
    planned = plan(some(private()), unit, 10**9)
    assert len(planned.tables) == 6
    by_s, by_both, whole, known, top, mean = answers_of(planned)
    s = Counter(map(read_s, ROWS))
    assert by_s.unbiased["count"].to_pylist() == pytest.approx([s["a"], s["b"], s["c"]])
    both = Counter((row["t"], read_s(row)) for row in ROWS)
    keys = [(t, label) for t in (False, True) for label in "abc"]
    table = by_both.unbiased
    assert list(zip(*(table[k].to_pylist() for k in "ts"), strict=True)) == keys
    assert table["n"].to_pylist() == pytest.approx([both[key] for key in keys])
    for name, values in (("bins [0.5, 1)", [0.5]), ("bins [1, 2]", [2, 7.25])):
        binned = Counter((row["t"], read_s(row)) for row in ROWS if row["y"] in values)
        assert table[name].to_pylist() == pytest.approx([binned[key] for key in keys])
    assert whole.unbiased["count"].to_pylist() == pytest.approx([60])
    dated = Counter(read_s(row) for row in ROWS if row["d"] is not None)
    assert known.unbiased["known"].to_pylist() == pytest.approx([dated[label] for label in "abc"])
    is_big = {None: False, **{x: x >= 0 for x in (-2, -1, 0, 3, 9)}}
    small = Counter(
        read_s(row)
        for row in ROWS
        if read_s(row) and is_big.get(row["x"], False) is False and row["x"] is not None
        if row["x"] == row["x"]
    )
    first = top.table.to_pylist()[0]
    assert first["best_1"] == max("abc", key=lambda label: small[label])
    assert first["best_1_count"] == pytest.approx(max(small.values()))
    assert mean.value == pytest.approx(
        private().agg(m=nw.col("x").mean()).release(epsilon=10**9).value
    )


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("unit", UNITS)
def test_answers_are_unbiased_with_the_errors_that_were_predicted(unit: str, change: Any) -> None:
    """120 runs, which tell a standard deviation that is off by half."""
    questions = some(private(change=change))[:4]
    planned, exact = plan(questions, unit, 4), answers_of(plan(questions, unit, 10**9))
    job = JointJob(planned, None)
    job.prove()
    runs = []
    for seed in range(120):
        job.source = SeededSource(seed)
        runs.append(job.draw(None))
    predicted = planned.predict(people=60)
    for place, question in enumerate(questions):
        for name in question.aggregates if place != 1 else ["n", "bins [1, 2]"]:
            truth = np.array(exact[place].unbiased[name])
            off = np.array([np.array(run[place].unbiased[name]) for run in runs]) - truth
            error = predicted[place][name]
            stated = np.array(runs[0][place].standard_errors[name])
            assert stated == pytest.approx(np.full(len(truth), error))
            assert np.sqrt((off**2).mean()) == pytest.approx(error, rel=0.3 / len(truth) ** 0.25)
            assert np.abs(off.mean(axis=0)).max() < 5 * error / 120**0.5
            ends = [run[place].intervals() for run in runs]
            inside = [
                (np.array(e[f"{name}_low"]) <= truth + 1e-9)
                & (truth - 1e-9 <= np.array(e[f"{name}_high"]))
                for e in ends
            ]
            assert np.mean(inside) > 0.9


@pytest.mark.parametrize("unit", UNITS)
def test_answers_agree(unit: str) -> None:
    a, b = ["x", "y"], ["u", "v", "w"]
    columns = {"a": nw.Column(a, other="y", null="x"), "b": nw.Column(b, other="u", null="u")}
    data = {"a": ["x", "y", None, "z"] * 25, "b": ["u", "w"] * 50}
    people = Private(data, columns=columns, ledger=None)
    questions = [people.group_by("a", "b").count(), people.group_by("b").count(), people.count()]
    both, b, whole = answers_of(plan(questions, unit, "1/2"))
    for each, precision in ((lambda answer: answer.unbiased, 1e-6), (lambda one: one.table, 0.5)):
        counts = np.array(each(both)["count"]).reshape(2, 3)
        assert counts.sum(axis=0) == pytest.approx(np.array(each(b)["count"]), abs=precision)
        assert counts.sum() == pytest.approx(each(whole)["count"][0].as_py(), abs=precision)
    assert min(both.table["count"].to_pylist()) >= 0


def test_all_tables_of_up_to_three_columns_of_adult() -> None:
    sizes = dict(zip("abcdefgh", [9, 16, 7, 15, 6, 5, 2, 2], strict=True))
    columns = {name: [str(k) for k in range(size)] for name, size in sizes.items()}
    people = Private(
        {name: ["0"] for name in sizes}, columns=columns, ledger=None, change="add or remove"
    )
    tables = [t for k in (1, 2, 3) for t in combinations(sizes, k)]
    planned = plan([people.group_by(*names).count() for names in tables], "rho")
    assert len(planned.tables) == 92
    assert planned.gain > 1.7
    assert "92 tables of counts are measured together" in planned.summary
    # The better one of ε and ρ is taken, as it is for one question.
    few = [people.group_by(*names).count() for names in tables[:2]]
    assert plan_together(few, epsilon=1, delta="1e-6").budget.unit == "epsilon"
    every = plan_together(planned.questions, epsilon=1, delta="1e-6")
    assert every.budget.unit == "rho"
    assert every.loss("total") == pytest.approx(planned.loss("total"))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("keys", [["s", "t"], ["s", "d", "t"], ["s"]])
def test_small_tables_are_not_worse_together_than_alone(keys: list[str], change: Any) -> None:
    """Alone, under replacement, their noise adds up to 0 over all cells; so it does together."""
    people = private(change=change)
    questions = [people.count(), *(people.group_by(key).count() for key in keys)]
    assert plan(questions, "epsilon").gain > 1


def test_one_debit_pays_for_all(tmp_path: Path) -> None:
    where = tmp_path / "budget.db"
    nw.Ledger.create(where).grant("people", epsilon=1)
    people = private(ledger=where, dataset="people")
    questions = some(people)
    found = nw.ask(questions, epsilon="3/4")
    assert len(found) == 6
    assert [answer.question for answer in found] == questions
    assert found[2].guarantee == found.guarantee
    assert {answer.entry for answer in found} == {found[0].entry}
    assert found[0].entry is not None
    assert {id(answer.certificate) for answer in found} == {id(found.certificate)}
    ledger = nw.Ledger.open(where)
    spent = [entry for entry in ledger.history() if entry.kind == "spend"]
    assert len(spent) == 1
    assert "count=count() by s; " in spent[0].what
    with pytest.raises(BudgetError):
        nw.ask(questions, epsilon="1/2")
    assert len(ledger.history()) == len(nw.Ledger.open(where).history())


def test_a_person_in_some_groups_only_is_asked_separately() -> None:
    people = private(person="person").limit(groups=2)
    planned = plan_together(
        [
            people.group_by("s").count(),
            people.group_by("t").count(),
            people.group_by("t").agg(n=nw.count_people()),
        ],
        epsilon=1,
    )
    assert planned.shared is None
    assert planned.gain == 1
    assert len(planned.own) == 3
    assert planned.certify().guarantee.epsilon.rational == 1
    assert "Nothing is shared" in planned.summary


def test_weights_divide_the_budget() -> None:
    people = private()
    questions = [people.agg(m=nw.col("x").mean()), people.group_by("s").agg(m=nw.col("y").mean())]
    planned = plan_together(questions, epsilon=1, weights=[3, 1])
    assert [one.amount for one in planned.own.values()] == [Fraction(3, 4), Fraction(1, 4)]
    counts = [people.group_by("s").count(), people.group_by("t", "d").count()]
    even, first = (
        plan_together(counts, epsilon=1, weights=weights).predict(people=60)
        for weights in (None, [10, 1])
    )
    assert first[0]["count"] < even[0]["count"]
    assert first[1]["count"] > even[1]["count"]
    worst = plan_together(counts, epsilon=1, goal="worst").predict(people=60)
    assert worst[0]["count"] < even[0]["count"]
    assert "nothing was spent" in repr(plan_together(counts, epsilon=1))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda people: {"questions": []}, "no questions"),
        (lambda people: {"questions": [people]}, "question 1"),
        (lambda people: {"questions": [people.count(), private().count()]}, "question 2 is about"),
        (
            lambda people: {"questions": [people.count(), people.filter(nw.col("t")).count()]},
            "other rows",
        ),
        (lambda people: {"weights": [1, 2]}, "2 weights were given for 1 question"),
        (lambda people: {"weights": [0]}, "a weight is 0"),
        (lambda people: {"goal": "best"}, "goal is 'best'"),
        (lambda people: {"epsilon": 0}, "above 0"),
    ],
)
def test_what_cannot_be_asked_together(change: Any, told: str) -> None:
    people = private()
    given: dict[str, Any] = {"questions": [people.count()], "epsilon": 1, **change(people)}
    with pytest.raises(ParameterError, match=told):
        nw.ask(given.pop("questions"), **given)


def test_rows_are_read_after_the_debit_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=1)
    seen: list[str] = []
    real = QueryMeasurement.compute

    def compute(self: QueryMeasurement) -> Any:
        seen.append(ledger.history()[-1].kind)
        return real(self)

    monkeypatch.setattr(QueryMeasurement, "compute", compute)
    questions = some(private(ledger=ledger, dataset="people"))
    with pytest.raises(BudgetError):
        nw.ask(questions, epsilon=2)
    plan_together(questions, epsilon=1).certify()
    assert seen == []
    nw.ask(questions, epsilon=1)
    assert set(seen) == {"spend"}


def test_answers_are_shown_with_how_much_was_gained() -> None:
    found = nw.ask(some(private()), epsilon=1)
    text = repr(found)
    assert "more answers" in text
    assert text.endswith(found.summary)
    assert f"{found.gain:.3g} times smaller" in found.summary
    assert found[:2] == found.answers[:2]
