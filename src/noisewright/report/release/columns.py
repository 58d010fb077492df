"""The part of a page about one column: what was done to it, and what can be said about it now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import NoisewrightError
from noisewright.estimation import Estimate, TypicalError, expected_error, typical_error
from noisewright.mechanisms import Mechanism, marginal
from noisewright.plans import Part
from noisewright.report.guarantee import epsilon_text
from noisewright.report.markup import (
    Heading,
    Markup,
    bullets,
    definitions,
    joined,
    label,
    paragraph,
    table,
    text,
)
from noisewright.report.numerals import digits_for, number
from noisewright.report.release.estimates import estimate_block
from noisewright.report.release.facts import ReleaseFacts
from noisewright.report.release.pictures import picture
from noisewright.report.release.treatments import (
    how_cells_were_read,
    mechanism_name,
    space_words,
    survival_words,
    unit_of,
    what_happened,
)
from noisewright.spaces import Subsets

MOST_SECTIONS = 16
"""Columns that get a section of their own; the others share a table, so that a page stays small."""


@dataclass(frozen=True)
class Answered:
    """An estimate about a column, what released it, and what simulations say of its error."""

    name: str
    mechanism: Mechanism | CurveNoise
    estimate: Estimate
    typical: TypicalError | None


def answered(facts: ReleaseFacts, part: Part) -> Iterator[Answered]:
    """Yield the estimates about a part: of the whole, and of each of its columns."""
    for name in dict.fromkeys((part.name, *part.columns)):
        estimates = facts.estimates_of(name)
        mechanism = _mechanism_of(part, name)
        if mechanism is None:
            continue
        # Of numbers: which there are, for simulating their mean. The coarser the surer.
        shares = [e for e in estimates if e.what == "share" and len(e.axes) == 1]
        histogram = min(shares, key=lambda e: e.values.size, default=None)
        for estimate in estimates:
            yield Answered(
                name, mechanism, estimate, _simulated(mechanism, estimate, histogram, name)
            )


def _mechanism_of(part: Part, name: str) -> Mechanism | CurveNoise | None:
    if name == part.name:
        return part.mechanism
    try:
        return marginal(part.mechanism, name)
    except NoisewrightError:
        return None


def _simulated(
    mechanism: Mechanism | CurveNoise, estimate: Estimate, histogram: Estimate | None, name: str
) -> TypicalError | None:
    if estimate.method not in ("unbiased", "planned"):
        return None
    try:
        return typical_error(mechanism, estimate, histogram=histogram, seed=f"report of {name!r}")
    except (NoisewrightError, ValueError, MemoryError):
        return None


def expected(
    mechanism: Mechanism | CurveNoise, rows: int, like: Estimate | None
) -> tuple[str, str] | None:
    """Return the expected standard error by formula: what it is of, and the number.

    It is that of an answer like the given one, from even shares.
    """
    if rows < 1:
        return None
    whom = "people" if like is None or isinstance(mechanism, CurveNoise) else like.about
    of = "mean" if like is not None and like.what == "mean" else None
    try:
        planned: Any = expected_error(mechanism, people=rows, of=of, about=whom)
    except (NoisewrightError, NotImplementedError, MemoryError):
        return None
    errors = np.asarray(planned.standard_errors, dtype=np.float64)
    typical = float(np.sqrt(np.mean(errors**2)))
    if planned.what == "share":
        digits = digits_for([typical], percent=True)
        return "a share", number(typical, digits, percent=True)
    return f"the {planned.what}", number(typical, digits_for([typical]))


def column_section(
    facts: ReleaseFacts, part: Part, place: int, found: Sequence[Answered], *, charts: bool
) -> Markup:
    """Return the section about one part, with the estimates that were found about it."""
    name = f"column-{place + 1}"
    readings = how_cells_were_read(part)
    content: list[Markup] = [
        paragraph(what_happened(part)),
        Markup(
            '<div class="sides">'
            + joined(
                [
                    picture(
                        part.mechanism,
                        name=f"{name}-mechanism",
                        unit=unit_of(part.space),
                        charts=charts,
                    ),
                    "<div>",
                    definitions(_definitions(facts, part, found)),
                    bullets(readings) if readings else "",
                    "</div>",
                ]
            )
            + "</div>"
        ),
    ]
    for count, one in enumerate(found):
        content.append(
            estimate_block(
                one.estimate,
                one.typical,
                name=f"{name}-estimate-{count + 1}",
                about=_caption(one),
                charts=charts,
            )
        )
    if not found:
        content.append(paragraph(text("No estimate of this column is on this page."), kind="soft"))
    return Markup(
        f'<section class="column" id="{name}" aria-labelledby="{name}-title">\n'
        f'<h3 id="{name}-title">{label(part.name)}</h3>\n{joined(content)}\n</section>'
    )


def _caption(one: Answered) -> str:
    whom = "of the released rows" if one.estimate.about == "people" else "of the population"
    what = {"share": "shares", "quantile": "quantiles"}.get(one.estimate.what, one.estimate.what)
    how = {"likelihood": "Most likely", "projected": "Nearest possible"}
    return f"{how.get(one.estimate.method, 'Estimated')} {what} {whom}: {one.name}"


def _definitions(
    facts: ReleaseFacts, part: Part, found: Sequence[Answered]
) -> Iterator[tuple[Markup, Markup]]:
    yield text("mechanism"), text(f"{mechanism_name(part)}, {epsilon_text(part.guarantee)}")
    yield text("values"), text(space_words(part.space))
    what = "item survives" if isinstance(part.space, Subsets) else "true value survives"
    yield text(what), text(survival_words(part.mechanism))
    first = found[0] if found else None
    planned = expected(
        part.mechanism if first is None else first.mechanism,
        facts.rows,
        None if first is None else first.estimate,
    )
    if planned is not None:
        what, size = planned
        yield (
            text("expected standard error"),
            text(f"{size} of {what}, by formula, from {facts.rows:,} rows"),
        )
    simulated = next((one for one in found if one.typical is not None), None)
    if simulated is not None and simulated.typical is not None:
        size = float(np.sqrt(np.mean(simulated.typical.errors**2)))
        percent = simulated.estimate.what == "share"
        shown = number(size, digits_for([size], percent=percent), percent=percent)
        times = simulated.typical.releases
        yield (
            text("typical error"),
            text(f"{shown}, in {times:,} releases simulated from the estimates"),
        )


def compact_table(facts: ReleaseFacts, parts: Sequence[Part], first: int) -> Markup:
    """Return the columns that have no section of their own, one a row."""
    headings = (
        Heading(text("column")),
        Heading(text("mechanism"), kind="words"),
        Heading(text("values"), kind="words"),
        Heading(text("true value survives"), number=True),
        Heading(text("expected standard error"), number=True),
        Heading(text("largest estimates"), kind="words"),
    )
    rows: list[list[Markup]] = []
    for place, part in enumerate(parts):
        like = next((e for n in (part.name, *part.columns) for e in facts.estimates_of(n)), None)
        planned = expected(part.mechanism, facts.rows, like)
        rows.append(
            [
                Markup(f'<span id="column-{first + place + 1}">{label(part.name)}</span>'),
                text(mechanism_name(part)),
                text(space_words(part.space)),
                text(survival_words(part.mechanism)),
                text("" if planned is None else planned[1]),
                _largest(facts, part),
            ]
        )
    return table(headings, rows, caption=text(f"{len(parts):,} further columns, in brief"))


def _largest(facts: ReleaseFacts, part: Part) -> Markup:
    """Write the three largest estimates of a column in one line."""
    for name in (part.name, *part.columns):
        for estimate in facts.estimates_of(name):
            if estimate.withheld.any():
                return text("withheld: the noise hides them")
            percent = estimate.what == "share"
            if not estimate.axes:
                error = estimate.standard_error
                shown = number(estimate.value, digits_for([error]))
                return text(f"{estimate.what} {shown} ± {number(error, digits_for([error]))}")
            if len(estimate.axes) > 1 or not percent:
                continue
            top = estimate.top(3)
            digits = digits_for(top.standard_errors.tolist(), percent=True)
            return Markup(
                "; ".join(
                    f"{label(one, longest=24)} {number(value, digits, percent=True)}"
                    for one, value in zip(top.axes[0].labels, top.values.tolist(), strict=True)
                )
            )
    return Markup("")
