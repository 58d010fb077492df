"""Questions of all kinds to one small table with nulls, and plans of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import noisewright as nw
from noisewright.queries import JointPlan, Private, Question
from noisewright.queries.together.ask import JointJob
from noisewright.queries.together.joint_plan import plan_within
from noisewright.sampling import SeededSource
from noisewright.synthetic import RunBudget
from tests.queries.random_plans import (
    COLUMNS,
    random_row,
    table_of,
)

UNITS = ["epsilon", "rho"]
DRAW = random.Random(11)
ROWS = [random_row(DRAW, "abcdefgh"[place % 8]) for place in range(60)]


def private(*, ledger: Any = None, **options: Any) -> Private:
    return Private(table_of(ROWS), columns=COLUMNS, ledger=ledger, **options)


def some(people: Private) -> list[Question]:
    """Counts of all kinds, with keys and columns that are null in some rows, and a mean."""
    return [
        people.group_by("s").count(),
        people.group_by("t", "s").agg(n=nw.count(), bins=nw.col("y").histogram([0.5, 1, 2])),
        people.count(),
        people.group_by("s").agg(known=nw.col("d").count()),
        people.group_by(big=nw.col("x") >= 0).agg(best=nw.col("s").top(2)),
        people.agg(mean=nw.col("x").mean()),
    ]


def plan(questions: Sequence[Question], unit: str, budget: Any = 1) -> JointPlan:
    """Return the plan under ε or ρ, whichever would be better."""
    weights = (Fraction(1),) * len(questions)
    whole = RunBudget.of(budget, 0 if unit == "epsilon" else Fraction(1, 10**6))
    return plan_within(tuple(questions), weights, whole, "total")


def answers_of(planned: JointPlan, seed: int = 0) -> Any:
    job = JointJob(planned, SeededSource(seed))
    job.prove()
    return job.draw(None)
