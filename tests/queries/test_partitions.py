"""Parts of a table: who is in them, and what asking about several of them costs."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.queries import Question

COLUMNS: dict[str, Any] = {"s": ["a", "b", "c"], "x": nw.Counts(10), "y": nw.Counts(10)}
ONE_PERSON = pa.table(
    {"who": ["p"] * 3, "s": ["a", "b", "c"], "x": [3, 7, 5], "y": [1, 9, 4]},
)


def parts(**limits: int) -> dict[Any, nw.Private]:
    people = nw.Private(
        ONE_PERSON, columns=COLUMNS, ledger=None, person="who", change="add or remove"
    )
    return people.limit(**limits).partition("s")


def rows_in(question: Question) -> int:
    (one,) = question.asked.measurements
    return int(one.compute().sum())


@pytest.mark.parametrize("limits", [{"rows": 1}, {"groups": 1}, {"rows": 2}, {"groups": 2}])
def test_whatever_is_asked_a_person_is_in_no_more_parts_than_the_ledger_is_told(
    limits: dict[str, int],
) -> None:
    """Which rows count must not depend on the question, or each part could have another one."""
    x, y = nw.col("x"), nw.col("y")
    for _ in range(20):  # each with a salt of its own
        divided = parts(**limits)
        found: set[str] = set()
        for key, part in divided.items():
            asked = (
                part.count(),
                part.agg(m=x.mean()),
                part.group_by("y").count(),
                part.filter(y >= 0).agg(m=x.sum()),
                part.group_by(z=x + y).count(),
            )
            counted = {rows_in(question) > 0 for question in asked}
            assert len(counted) == 1
            found |= {key} if counted == {True} else set()
        told = divided["a"].budget.part
        assert told is not None
        assert len(found) == told.per_person == max(limits.values())


def test_parts_cost_what_the_largest_ones_cost(tmp_path: Path) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=10, person="who", change="add or remove")
    people = nw.Private(
        ONE_PERSON,
        columns=COLUMNS,
        ledger=ledger,
        dataset="people",
        person="who",
        change="add or remove",
    )
    divided = people.limit(rows=2).partition("s")
    for key, epsilon in (("a", 1), ("b", 2), ("c", 3)):
        divided[key].count().release(epsilon=epsilon)
    assert ledger.balance("people").left.epsilon.rational == Fraction(10 - 5)
