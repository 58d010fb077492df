"""What estimates from a release will be worth, before there is one: expected standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from noisewright.curves import CurveNoise
from noisewright.errors import InputError
from noisewright.estimation import (
    Estimate,
    Estimates,
    LayoutPart,
    ReleasedQuestion,
    TableLayout,
    default_questions,
    expected_error,
    readings,
    readings_of,
    widen_for_rows,
)
from noisewright.mechanisms import Mechanism, SetMechanism, marginal
from noisewright.plans.column import Column
from noisewright.plans.plan import Plan
from noisewright.spaces import Curves

_PLANNED = ("shares", "mean", "items")


def released_layout(plan: Plan) -> TableLayout:
    """Return how the columns of a plan's releases come about."""
    released = {*plan.private, *plan.public}
    order = tuple(name for name, _ in plan.columns if name in released)
    readings = {
        name: column_readings(column)
        for part in plan.parts
        for name, column in zip(part.columns, part.treatments, strict=True)
    }
    parts = tuple(LayoutPart(part.columns, part.mechanism) for part in plan.parts)
    return TableLayout(parts, plan.public, order, readings, _rows_left_out(plan))


def column_readings(column: Column) -> tuple[str, ...]:
    """Say what cells of a column counted as that are no points of its space, as was declared."""
    said = readings(
        column.space,
        null=column.null,
        other=column.other,
        clamps=column.outside == "clamp",
        rounds=column.off_grid == "round" or isinstance(column.space, Curves),
        cuts=column.outside == "sample",
    )
    own = readings_of(column.mechanism) if isinstance(column.mechanism, Mechanism) else ()
    return tuple(dict.fromkeys((*said, *own)))


def _rows_left_out(plan: Plan) -> tuple[str, ...]:
    if plan.person is None:
        return ()
    most, which = plan.person.rows, plan.person.keep
    how = "the first ones" if which == "first" else "drawn at random"
    return (
        f"Of each person at most {most:,} row{'s' * (most > 1)} were released, {how}: answers are "
        "about these rows, and no error accounts for rows that were left out.",
    )


def predictions(plan: Plan, people: int, shares: Any, about: str, confidence: float) -> Estimates:
    """Return the expected errors of the usual estimates about each private column."""
    guesses = _read_guesses(plan, shares)
    layout = released_layout(plan)
    found = {
        question.key: _predict(plan, layout, question, people, guesses, about, confidence)
        for question in default_questions(layout)
        if question.word in _PLANNED and layout.kind(question.columns[0]) != "public"
    }
    return Estimates(found)


def _read_guesses(plan: Plan, shares: Any) -> Mapping[str, Any]:
    if shares is None or shares == "worst":
        # A curve has no shares: how far its values spread does not touch the noise.
        flat = [n for n in plan.private if shares is None or _has_shares(plan, n)]
        return dict.fromkeys(flat, shares)
    if not isinstance(shares, Mapping):
        raise InputError(
            "shares are given by column, as in {'job': {'nurse': 0.3, …}}, or 'worst'."
        )
    unknown = [name for name in shares if name not in plan.private]
    if unknown:
        raise InputError(
            f"shares name {unknown[0]!r}; the private columns are "
            f"{', '.join(map(repr, plan.private))}."
        )
    return shares


def _has_shares(plan: Plan, name: str) -> bool:
    part = next(part for part in plan.parts if name in part.columns)
    return not isinstance(part.mechanism, CurveNoise)


def _predict(
    plan: Plan,
    layout: TableLayout,
    question: ReleasedQuestion,
    people: int,
    guesses: Mapping[str, Any],
    about: str,
    confidence: float,
) -> Estimate:
    (name,) = question.columns
    part = layout.part(name)
    whole = part.mechanism
    mechanism = whole if len(part.columns) == 1 else marginal(whole, name)
    word = question.word
    if word == "items" and not isinstance(mechanism, SetMechanism):
        word = "shares"

    def plan_error(whom: str) -> Estimate:
        found = expected_error(
            mechanism,
            people=people,
            of=word,
            shares=guesses.get(name),
            about=whom,
            confidence=confidence,
        )
        axes = tuple(replace(axis, name=name) for axis in found.axes)
        return found if isinstance(mechanism, CurveNoise) else replace(found, axes=axes)

    if isinstance(mechanism, CurveNoise):
        note = "Noise alone: how much curves differ is not known in advance."
        return replace(plan_error("people"), notes=(note,))
    if about == "people" or plan.rows_per_person == 1:
        return plan_error(about)
    return widen_for_rows(plan_error(about), plan_error("people"), plan.rows_per_person)
