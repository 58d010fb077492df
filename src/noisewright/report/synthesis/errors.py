"""How far a synthetic table is off: what was expected before, beside what is found after."""

from __future__ import annotations

from collections.abc import Sequence

from noisewright.given import quantity
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
from noisewright.report.numerals import percent, readable
from noisewright.report.strips import StripScale, axis, expected_and_found
from noisewright.report.synthesis.facts import SynthesisFacts
from noisewright.synthetic import PartError, WorkloadErrors

_MOST_SHOWN, _MOST_FOLDED = 15, 300


def part_errors(facts: SynthesisFacts) -> Markup:
    """Say how far the table is off, on average and part by part; for BLR the bound."""
    errors = facts.errors
    if errors.bound is not None:
        return _bound(errors.bound)
    found = "unknown" if errors.found is None else readable(errors.found)
    noise = errors.expected_of_counted
    words = (
        "An error is the sum of |share − share| over the cells of a table of the workload: 0 if "
        "all shares agree, 2 if nothing does. Raw data are not used for either of these numbers."
    )
    facts_list = (
        '<dl class="facts">'
        f"<div><dt>expected before, whole workload</dt><dd>{readable(errors.expected)}<small>by "
        "noise alone, on average, if every part were counted; known before anything was spent"
        "</small></dd></div>"
        f"<div><dt>expected, of all that was counted</dt><dd>"
        f"{'unknown' if noise is None else readable(noise)}<small>by noise alone, on average "
        f"over {_how_many(errors)}</small></dd></div>"
        f"<div><dt>found after, of all that was counted</dt><dd>{found}<small>between the "
        "synthetic rows and the noisy counts that they come from, on average over the same"
        "</small></dd></div></dl>"
    )
    largest = sorted(errors.parts, key=lambda part: -part.expected)
    asked = [part for part in largest if part.in_workload and part.counted]
    besides = [part for part in largest if not part.in_workload]
    others = [part for part in largest if part.in_workload and not part.counted]
    return joined(
        [
            paragraph(text(words)),
            Markup(facts_list),
            Markup(
                '<ul class="key"><li><svg aria-hidden="true" viewBox="0 0 12 12"><circle '
                'class="dot" cx="6" cy="6" r="5"/></svg>expected by noise</li><li><svg '
                'aria-hidden="true" viewBox="0 0 12 12"><circle class="naive" cx="6" cy="6" r="4"/>'
                "</svg>found</li></ul>"
            ),
            _table(asked[:_MOST_SHOWN], "Parts of the workload that were counted by themselves")
            if asked
            else paragraph(text("No part of the workload was counted by itself.")),
            _more(asked[_MOST_SHOWN:], "More parts that were counted"),
            _more(besides, "Counts that the method makes besides"),
            _more(others, "Parts of the workload that were not counted by themselves"),
            paragraph(
                text(
                    "Of a part that was not counted, “expected” is what its noise would have been. "
                    "How far the rows are off there depends on the data, and is not known."
                ),
                kind="soft small",
            )
            if others
            else "",
            paragraph(
                text(
                    "“Found” can be larger than “expected”: where noise makes counts negative, the "
                    "rows cannot follow, and that is well. It measures how closely the rows follow "
                    "the noisy counts, not the truth."
                ),
                kind="soft small",
            ),
        ]
    )


def _how_many(errors: WorkloadErrors) -> str:
    """Say over what is averaged: parts of the workload, and what the method counts besides."""
    asked = [part for part in errors.parts if part.counted and part.in_workload]
    besides = [part for part in errors.parts if part.counted and not part.in_workload]
    return f"{quantity(len(asked), 'part')} of the workload" + (
        f" and {quantity(len(besides), 'count')} that the method makes besides" if besides else ""
    )


def _bound(bound: float) -> Markup:
    words = (
        f"No query of the workload is off by more than {percent(min(bound, 1.0))} of all rows, "
        "with probability 95%: this follows from a theorem (Blum, Ligett and Roth 2008), and was "
        "known before anything was drawn."
    )
    weak = (
        "A bound of 100% promises nothing: the table is too small, or the budget, for the theorem "
        "to help. The table may be good all the same; nobody can tell without the raw data."
        if bound >= 1
        else "As a rule the table is better than that. No noisy counts were made, so that there is "
        "nothing else to compare it with."
    )
    return joined(
        [
            Markup(f'<div class="promise">{paragraph(text(words))}</div>'),
            paragraph(text(weak)),
        ]
    )


def _table(parts: Sequence[PartError], caption: str) -> Markup:
    both = [number for part in parts for number in (part.expected, part.found or 0.0)]
    scale = StripScale.over(both)
    headings = (
        Heading(text("columns")),
        Heading(axis(scale, percent=False), kind="strip"),
        Heading(text("expected"), number=True),
        Heading(text("found"), number=True),
        Heading(text("cells"), number=True),
    )
    rows = [
        [
            label(part.name, longest=60),
            expected_and_found(scale, part.expected, part.found),
            text(readable(part.expected)),
            text(readable(part.found))
            if part.found is not None
            else Markup('<span class="soft">not counted</span>'),
            text(f"{part.queries:,}"),
        ]
        for part in parts
    ]
    return table(headings, rows, caption=text(caption), kind="names")


def _more(parts: Sequence[PartError], words: str) -> Markup:
    if not parts:
        return Markup("")
    shown = parts[:_MOST_FOLDED]
    left = len(parts) - len(shown)
    caption = words + (f"; {left:,} of them are not listed" if left else "")
    return folded(text(f"{words} ({len(parts):,})"), _table(shown, caption))
