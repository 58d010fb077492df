"""Estimates as tables whose rows draw their own intervals, for the page of a release.

Numbers are shown to the second digit of their standard errors: more would pretend, fewer would
hide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from noisewright.estimation import Estimate, TypicalError
from noisewright.report.drawings.strips import Strip, StripScale
from noisewright.report.release.pictures import Picture, picture_mean_curve, try_to_draw
from noisewright.report.texts import digits_for, number

MOST_ROWS = 30
"""Rows that are shown; more are folded away, up to `MOST_FOLDED`."""

MOST_FOLDED = 400


@dataclass(frozen=True)
class AnswerRow:
    """One answer with its error; its name has parts along each axis."""

    names: tuple[tuple[str, ...], ...]
    strip: Strip | None
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class IntervalTable:
    """Answers with their errors, one a row; `headings` are those of the numbers."""

    caption: str
    axes: tuple[str, ...]
    scale: StripScale | None
    percent: bool
    what: str
    headings: tuple[str, ...]
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True)
class EstimateBlock:
    """An estimate on a page: a picture, a table, a word about it, and what is folded away."""

    picture: Picture | None = None
    table: IntervalTable | None = None
    word: str = ""
    summary: str = ""
    folded: IntervalTable | None = None


@dataclass(frozen=True)
class _Answer:
    names: tuple[tuple[str, ...], ...]
    value: float
    error: float
    low: float
    high: float
    typical: float | None


def _answers_of(estimate: Estimate, typical: TypicalError | None) -> list[_Answer]:
    """Return the answers of an estimate one after the other."""
    names = [tuple(map(_names, labels)) for labels in product(*(a.labels for a in estimate.axes))]
    errors: list[Any] = [None] * len(names)
    if typical is not None:
        errors = typical.errors.reshape(-1).tolist()
    columns = (estimate.values, estimate.standard_errors, *estimate.shown_intervals)
    listed = [column.reshape(-1).tolist() for column in columns]
    return [_Answer(*answer) for answer in zip(names, *listed, errors, strict=True)]


def _names(one: Any) -> tuple[str, ...]:
    if isinstance(one, tuple):
        parts: list[Any] = list(one)  # pyright: ignore[reportUnknownArgumentType]
        return tuple(name for part in parts for name in _names(part))
    return (f"{one:.6g}" if isinstance(one, float) else str(one),)


def view_estimate(estimate: Estimate, typical: TypicalError | None, *, about: str) -> EstimateBlock:
    """Return an estimate for a page: a table with strips, or a curve with its table folded away."""
    answers = _answers_of(estimate, typical)

    def table(some: Sequence[_Answer], *, caption: str = about, strips: bool = True) -> Any:
        return _tabulate(estimate, some, caption=caption, strips=strips)

    is_curve = len(estimate.axes) == 1 and estimate.axes[0].name == "position"
    if is_curve and len(answers) > 1:
        return EstimateBlock(
            picture=try_to_draw(lambda: picture_mean_curve(estimate, about)),
            summary="the curve as a table",
            folded=table(answers[:MOST_FOLDED]),
        )
    hidden = estimate.withheld.reshape(-1).tolist()
    if any(hidden):
        told = [answer for answer, hide in zip(answers, hidden, strict=True) if not hide]
        return EstimateBlock(
            table=table(told[:MOST_ROWS]) if told else None,
            word=estimate.sentences[-1],
            summary="the numbers anyway",
            folded=table(answers[:MOST_FOLDED]),
        )
    if len(answers) <= MOST_ROWS + 10:
        return EstimateBlock(table=table(answers))
    largest = sorted(answers, key=lambda answer: -answer.value)[:MOST_ROWS]
    rest = f"all {len(answers):,} in their order"
    if len(answers) > MOST_FOLDED:
        rest = f"the first {MOST_FOLDED:,} of {len(answers):,} in their order"
    return EstimateBlock(
        table=table(largest, caption=f"{about}: the {MOST_ROWS} largest of {len(answers):,}"),
        summary=rest,
        folded=table(answers[:MOST_FOLDED], caption=f"{about}: {rest}", strips=False),
    )


def _tabulate(
    estimate: Estimate, answers: Sequence[_Answer], *, caption: str, strips: bool
) -> IntervalTable:
    percent = estimate.what == "share"
    digits = digits_for([a.error for a in answers], percent=percent)
    simulated = any(a.typical is not None for a in answers)
    scale = StripScale.over([n for a in answers for n in (a.low, a.high, a.value)], zero=percent)
    if estimate.dates is not None:
        scale = replace(scale, write=estimate.dates.show)

    def write(value: float) -> str:
        return number(value, digits, percent=percent)

    def place(value: float) -> str:
        if estimate.dates is None or not math.isfinite(value):
            return write(value)
        return estimate.dates.show(value)

    def numbers(answer: _Answer) -> tuple[str, ...]:
        interval = f"{place(answer.low)} to {place(answer.high)}"
        cells = [place(answer.value), write(answer.error), interval]
        if simulated:
            cells.append("" if answer.typical is None else write(answer.typical))
        if percent:
            cells.append(number(estimate.people * answer.value, 0))
        return tuple(cells)

    level = f"{100 * estimate.confidence:.4g}% interval"
    return IntervalTable(
        caption,
        tuple(str(axis.name) for axis in estimate.axes),
        scale if strips else None,
        percent,
        estimate.what,
        (
            estimate.what,
            "standard error",
            level + (", all together" if estimate.together else ""),
            *(["typical error, simulated"] if simulated else []),
            *(["rows"] if percent else []),
        ),
        tuple(
            AnswerRow(
                answer.names,
                scale.strip(answer.value, ends=(answer.low, answer.high)) if strips else None,
                numbers(answer),
            )
            for answer in answers
        ),
    )
