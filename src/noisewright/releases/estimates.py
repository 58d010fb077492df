"""Estimates from a released table and its plan; nothing else is needed."""

from __future__ import annotations

import os
from typing import Any

from noisewright.estimation import (
    Asked,
    answer_questions,
    read_questions,
)
from noisewright.plans import Plan, released_layout
from noisewright.tables import open_table


def estimates_of(
    plan: Plan,
    released: Any,
    of: Any = None,
    *,
    question: Any = None,
    at: Any = None,
    about: str = "population",
    method: str = "unbiased",
    confidence: float = 0.95,
    together: bool = False,
    show: str = "useful",
) -> Any:
    """Estimate what a table was like before it was released as the plan says.

    `of` is a column, a tuple of columns, a list of those, "columns" or nothing for the usual
    answers about each column, "pairs" for those about pairs of columns too. `question` is a word
    ("shares", "mean", "variance", "quantiles", "histogram", "items", "pairs"), several, or a
    mapping from columns to words; `at` goes with quantiles (levels), histograms (edges), pairs (the
    items) and curves (positions). The rest is as for `noisewright.estimate`.

    Ensures: one pass over the table, whatever is asked. One column or tuple asked for by itself
    gives an Estimate, else there are Estimates, a mapping from titles.
    """
    layout = released_layout(plan)
    asked = Asked.reading(about, method, confidence, together, show)
    questions, single = read_questions(layout, of, question, at)
    if isinstance(released, (str, os.PathLike)):
        released = open_table(released, schema=plan.schema, released=True)
    found = answer_questions(
        released, layout, questions, asked, rows_per_person=plan.rows_per_person
    )
    return next(iter(found.values())) if single else found
