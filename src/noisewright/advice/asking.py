"""The errors of answers to questions that are asked together, before any of them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from noisewright.advice.predictions import Errors
from noisewright.advice.questions import AdvisedQuestion
from noisewright.exact import Number
from noisewright.on_use import pa
from noisewright.queries import Private, Question, col, count, plan_together
from noisewright.spaces import Categories, Counts, Dates
from noisewright.tables import Field, Person

_ARROW_NAMES: dict[type, str] = {str: "string", bool: "bool_", int: "int64", date: "date32"}


def errors_of_asking(
    fields: Mapping[str, Field],
    person: Person | None,
    questions: Sequence[AdvisedQuestion],
    budget: tuple[Number, Number],
    rows: int,
) -> Errors:
    """Return the errors of answers to exactly these questions, asked together."""
    # Unlike pa.array, pa.nulls does not load pandas, which takes longer than the prediction.
    empty = {name: pa.nulls(0, _cell_type(field)) for name, field in fields.items()}
    if person is not None:
        empty[person.column] = pa.nulls(0, pa.string())
    table = Private(pa.table(empty), columns=dict(fields), person=person, ledger=None)
    asked: dict[AdvisedQuestion, Question] = {}
    for one in questions:
        if set(one.columns) <= set(fields):
            asked[one] = _as_query(table, one)
    if not asked:
        return dict.fromkeys(questions)
    epsilon, delta = budget
    together = plan_together(list(asked.values()), epsilon=epsilon, delta=delta)
    predicted = together.predict(people=rows)
    found = {
        one: made.standard_errors[0] / (rows if one.kind in ("shares", "pairs") else 1)
        for one, made in zip(asked, predicted, strict=True)
    }
    return {one: found.get(one) for one in questions}


def _as_query(table: Private, question: AdvisedQuestion) -> Question:
    name = question.columns[0]
    if question.kind == "mean":
        return table.agg(mean=col(name).mean())
    if question.kind == "median":
        return table.agg(median=col(name).median())
    free = next(word for word in ("n", "count", "rows") if word not in question.columns)
    return table.group_by(*question.columns).agg(**{free: count()})


def _cell_type(field: Field) -> Any:
    """Return a type of cells that such a column may have; a prediction needs no cell."""
    space = field.space
    if isinstance(space, Categories | Dates):
        point = space.point(0)
        known = _ARROW_NAMES.get(type(point))
        return pa.array([point]).type if known is None else getattr(pa, known)()
    return pa.int64() if isinstance(space, Counts) else pa.float64()
