"""Estimates as tables whose rows draw their own intervals, for the page of a release.

Numbers are shown to the second digit of their standard errors: more would pretend, fewer would
hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from noisewright.curves import Band
from noisewright.estimation import Estimate, TypicalError
from noisewright.report.charts.curve_bands import curve_bands
from noisewright.report.inline_charts import figure
from noisewright.report.markup import (
    Heading,
    Markup,
    folded,
    joined,
    label,
    paragraph,
    table,
    text,
)
from noisewright.report.numerals import digits_for, number
from noisewright.report.strips import StripScale, axis, strip

MOST_ROWS = 30
"""Rows that are shown; more are folded away, up to `MOST_FOLDED`."""

MOST_FOLDED = 400


@dataclass(frozen=True)
class AnswerRow:
    """One answer with its error: what a row of the table shows."""

    name: Markup
    value: float
    error: float
    low: float
    high: float
    typical: float | None


def answers_of(estimate: Estimate, typical: TypicalError | None) -> list[AnswerRow]:
    """Return the answers of an estimate one after the other; labels of several axes are joined."""
    names = [
        Markup(" × ".join(str(_label(one)) for one in labels))
        for labels in product(*(axis.labels for axis in estimate.axes))
    ]
    errors: list[Any] = [None] * len(names)
    if typical is not None:
        errors = typical.errors.reshape(-1).tolist()
    columns = (estimate.values, estimate.standard_errors, *estimate.shown_intervals)
    listed = [column.reshape(-1).tolist() for column in columns]
    return [
        AnswerRow(name or text(estimate.what), value, error, low, high, simulated)
        for name, value, error, low, high, simulated in zip(names, *listed, errors, strict=True)
    ]


def _label(one: Any) -> Markup:
    if isinstance(one, tuple):
        parts: list[Any] = list(one)  # pyright: ignore[reportUnknownArgumentType]
        return Markup(", ".join(str(_label(part)) for part in parts))
    return label(f"{one:.6g}" if isinstance(one, float) else one)


def estimate_block(
    estimate: Estimate, typical: TypicalError | None, *, name: str, about: str, charts: bool
) -> Markup:
    """Return an estimate for a page: a table with strips, or a curve with its table folded away."""
    answers = answers_of(estimate, typical)
    is_curve = len(estimate.axes) == 1 and estimate.axes[0].name == "position"
    if is_curve and len(answers) > 1:
        drawn = _curve(estimate, name, about) if charts else Markup("")
        listed = interval_table(estimate, answers[:MOST_FOLDED], about=about, strips=True)
        return joined([drawn, folded(text("the curve as a table"), listed) if charts else listed])
    hidden = estimate.withheld.reshape(-1).tolist()
    if any(hidden):
        told = [answer for answer, hide in zip(answers, hidden, strict=True) if not hide]
        everything = interval_table(estimate, answers[:MOST_FOLDED], about=about, strips=True)
        return joined(
            [
                interval_table(estimate, told[:MOST_ROWS], about=about, strips=True)
                if told
                else "",
                paragraph(text(estimate.sentences[-1]), kind="soft"),
                folded(text("the numbers anyway"), everything),
            ]
        )
    if len(answers) <= MOST_ROWS + 10:
        return interval_table(estimate, answers, about=about, strips=True)
    largest = sorted(answers, key=lambda answer: -answer.value)[:MOST_ROWS]
    top = f"{about}: the {MOST_ROWS} largest of {len(answers):,}"
    rest = f"all {len(answers):,} in their order"
    if len(answers) > MOST_FOLDED:
        rest = f"the first {MOST_FOLDED:,} of {len(answers):,} in their order"
    return joined(
        [
            interval_table(estimate, largest, about=top, strips=True),
            folded(
                text(rest),
                interval_table(estimate, answers[:MOST_FOLDED], about=f"{about}: {rest}"),
            ),
        ]
    )


def interval_table(
    estimate: Estimate, answers: Sequence[AnswerRow], *, about: str, strips: bool = False
) -> Markup:
    """Return answers with their errors, one a row."""
    percent = estimate.what == "share"
    digits = digits_for([a.error for a in answers], percent=percent)
    shown = [typical for typical in (a.typical for a in answers) if typical is not None]
    first = " × ".join(str(label(one.name)) for one in estimate.axes) or "&nbsp;"
    level = f"{100 * estimate.confidence:.4g}% interval"
    if estimate.together:
        level += ", all together"
    scale = StripScale.over([n for a in answers for n in (a.low, a.high, a.value)], zero=percent)
    headings = [
        Heading(Markup(first)),
        *([Heading(axis(scale, percent=percent), kind="strip")] if strips else []),
        Heading(text(estimate.what), number=True),
        Heading(text("standard error"), number=True),
        Heading(text(level), number=True),
        *([Heading(text("typical error, simulated"), number=True)] if shown else []),
        *([Heading(text("rows"), number=True)] if percent else []),
    ]
    rows: list[list[Markup]] = []
    for answer in answers:
        low, high = (number(end, digits, percent=percent) for end in (answer.low, answer.high))
        cells = [
            answer.name,
            *([strip(scale, answer.value, answer.low, answer.high)] if strips else []),
            text(number(answer.value, digits, percent=percent)),
            text(number(answer.error, digits, percent=percent)),
            text(f"{low} to {high}"),
        ]
        if shown:
            missing = answer.typical is None
            cells.append(
                text("" if missing else number(answer.typical or 0, digits, percent=percent))
            )
        if percent:
            cells.append(text(number(estimate.people * answer.value, 0)))
        rows.append(cells)
    return table(headings, rows, caption=Markup(text(about)))


def _curve(estimate: Estimate, name: str, about: str) -> Markup:
    places = np.asarray(estimate.axes[0].labels, dtype=np.float64)
    band = Band(places, estimate.values, estimate.lows, estimate.highs, estimate.confidence)
    words = (
        f"The mean curve, with {100 * estimate.confidence:.4g}% intervals"
        f"{' for all positions together' if estimate.together else ' at each position'}."
    )

    def chart() -> Any:
        drawn = curve_bands({"estimated mean": band}, x_title="position", y_title="value")
        return drawn.properties(width=360, height=200)

    return figure(chart, name=name, about=f"{about}. {words}", caption=text(words))
