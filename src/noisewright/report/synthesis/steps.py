"""What each step of a synthesizer took of the whole: a bar by kinds of steps, and every step."""

from __future__ import annotations

from fractions import Fraction

from noisewright.report.budget import SWATCH
from noisewright.report.characters import shorten
from noisewright.report.markup import (
    Heading,
    Markup,
    attribute,
    folded,
    joined,
    label,
    paragraph,
    table,
    text,
)
from noisewright.report.synthesis.facts import SynthesisFacts

_MOST_STEPS = 200
_KINDS = {
    "choices": "choosing what to count",
    "columns": "counting single columns",
    "together": "counting columns together",
}


def step_bar(facts: SynthesisFacts) -> Markup:
    """Return how the whole was divided between steps."""
    whole = sum((spend.amount for spend in facts.spends), Fraction(0))
    unit = "ε" if facts.spends[0].unit == "epsilon" else "ρ"
    columns = {one.name: len(one.columns) for one in facts.counted}
    sums = dict.fromkeys(_KINDS, Fraction(0))
    for spend in facts.spends:
        sums[_kind(spend.what, columns)] += spend.amount
    at, drawn = 0.0, list[str]()
    used = {kind: float(part / whole) for kind, part in sums.items() if part}
    for kind, share in used.items():
        drawn.append(
            f'<rect class="{kind}" x="{100 * at:.3f}%" width="{100 * share:.3f}%" height="100%"/>'
        )
        at += share
    words = ", ".join(f"{_KINDS[kind]} {100 * share:.3g}%" for kind, share in used.items())
    key = "".join(
        f"<li>{SWATCH.format(kind)}{text(_KINDS[kind])} <b>{100 * share:.3g}%</b></li>"
        for kind, share in used.items()
    )
    if len(facts.spends) == 1:
        return paragraph(text(_unit_words(facts)))
    return joined(
        [
            paragraph(text(_unit_words(facts))),
            f'<figure class="budget"><svg role="img" aria-label="{attribute(words)}">'
            f'{"".join(drawn)}</svg>\n<ul class="key">{key}</ul></figure>',
            folded(text(f"All {len(facts.spends):,} steps"), _steps(facts, whole, unit)),
        ]
    )


def _kind(what: str, columns: dict[str, int]) -> str:
    name = what.removeprefix("counts of ")
    if name == what:
        return "choices"
    return "columns" if columns.get(name, 1) == 1 else "together"


def _unit_words(facts: SynthesisFacts) -> str:
    count = len(facts.spends)
    if count == 1 and facts.counted:
        return "All of the budget went into one step: counting one table."
    if count == 1:
        return "All of ε went into one private choice: that of the whole table."
    if facts.spends[0].unit == "epsilon":
        return (
            f"ε was divided between {count:,} steps. Their parts are fractions, and add up to the "
            "whole exactly."
        )
    return (
        f"From (ε, δ) follows how much ρ may be spent (zero-concentrated privacy, whose parts add "
        f"up too). It was divided between {count:,} steps; the parts are fractions, and add up to "
        "the whole exactly."
    )


def _steps(facts: SynthesisFacts, whole: Fraction, unit: str) -> Markup:
    headings = (
        Heading(text("step")),
        Heading(text(f"{unit}"), number=True),
        Heading(text("share"), number=True),
    )
    rows = [
        [
            label(shorten(spend.what, longest=120)),
            text(f"{float(spend.amount):.6g}"),
            text(f"{100 * float(spend.amount / whole):.3g}%"),
        ]
        for spend in facts.spends[:_MOST_STEPS]
    ]
    more = len(facts.spends) - _MOST_STEPS
    if more > 0:
        rows.append([text(f"and {more:,} more"), text(""), text("")])
    total = f"{float(whole):.6g}"
    return table(headings, rows, caption=text(f"Steps in their order; together {unit} = {total}"))
