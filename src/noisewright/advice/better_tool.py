"""Whether a plan is the wrong tool: said when another one would be five times better."""

from __future__ import annotations

from noisewright.advice.advise import DELTA, Declaration, advise_on
from noisewright.advice.predictions import errors_of_copy
from noisewright.advice.questions import usual_questions
from noisewright.advice.result import (
    name_of,
    score,
    show_errors,
    times_smaller,
)
from noisewright.exact import Epsilon
from noisewright.mechanisms import Guarantee
from noisewright.plans import Plan

_MUCH_BETTER = 5
_USUAL = Epsilon.of(1)
_QUICK = ("shares", "mean")
"""What is predicted by formulas: a release must not wait for simulations."""


def better_tool(plan: Plan, *, rows: int) -> str | None:
    """Say which tool would be much better than a private copy by this plan; None if none would.

    Other tools are compared at no more than ε = 1, however much the plan spends.
    """
    plan = plan.for_rows(rows)
    declared = Declaration.of(plan)
    if len(declared.single_valued) < len(declared.fields):
        return None  # A copy tells of sets and curves what the usual answers here leave out.
    usual = tuple(one for one in usual_questions(declared.fields) if one.kind in _QUICK)
    planned = errors_of_copy(plan, usual, rows)
    known = {one: error for one, error in planned.items() if error is not None}
    if not known:
        return None
    questions, own = tuple(known), tuple(known.values())
    whole = plan.guarantee
    others = Guarantee(
        whole.epsilon if whole.epsilon <= _USUAL else _USUAL, max(whole.delta, DELTA)
    )
    # Who makes a copy wants a table, not some numbers; and what shuffling is worth takes seconds
    # to prove for many columns.
    found = advise_on(declared, questions, others, rows, ("synthetic",))
    if found.recommended is None:
        return None
    theirs = found.errors[found.recommended]
    times = score(questions, own) / score(questions, theirs)
    if times < _MUCH_BETTER:
        return None
    # One kind of answer stands for all: the shares of all columns, or else the first mean.
    first = questions[0]
    places = [at for at, one in enumerate(questions) if one.kind == first.kind == "shares"] or [0]
    here, there = (show_errors(first, [errors[at] for at in places]) for errors in (own, theirs))
    what = "shares" if first.kind == "shares" else f"the {first}"
    unit = f" {first.unit}" if first.unit else ""
    named = name_of(found.recommended)
    return (
        f"{named[0].upper()}{named[1:]} would be about {times_smaller(times)} times more accurate "
        f"over the usual answers: at {found.guarantee}, {what} would be off by about "
        f"{there}{unit}, for example, instead of {here}{unit} here at {whole}."
    )
