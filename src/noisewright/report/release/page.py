"""The page of a release: one file that a manager, an analyst and an auditor can all read.

It loads nothing, runs nothing and is made of released facts only (see `facts.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from noisewright.plans import Part
from noisewright.report.budget import budget
from noisewright.report.characters import shorten
from noisewright.report.guarantee import (
    conditions,
    delta_text,
    epsilon_text,
    factor_text,
    how_strong,
    not_protected,
    odds,
    promise,
)
from noisewright.report.inline_charts import why_no_charts
from noisewright.report.markup import (
    Heading,
    Markup,
    bullets,
    joined,
    label,
    paragraph,
    section,
    table,
    text,
)
from noisewright.report.release.advice import files_table, glossary, how_to_analyze, how_to_check
from noisewright.report.release.columns import (
    MOST_SECTIONS,
    Answered,
    answered,
    column_section,
    compact_table,
)
from noisewright.report.release.facts import ReleaseFacts
from noisewright.report.release.treatments import mechanism_name, space_words
from noisewright.report.whole_page import alarm, whole_page

_SECTIONS = (
    ("guarantee", "The guarantee"),
    ("columns", "What happened to each column"),
    ("estimates", "Column by column"),
    ("budget", "The budget"),
    ("check", "Check the certificate"),
    ("analyze", "Analyze the data properly"),
    ("files", "Files"),
    ("glossary", "Words used here"),
)


def release_page(facts: ReleaseFacts) -> str:
    """Return the page of a release as HTML: one file, no network, no scripts.

    Ensures: everything that came from a plan is escaped; charts are left out, and the page says
    so, when their libraries are not installed.
    """
    no_charts = why_no_charts()
    title = facts.plan.title or f"Private release of {facts.data}"
    parts = facts.plan.parts
    found = [list(answered(facts, part)) for part in parts[:MOST_SECTIONS]]
    contents = {
        "guarantee": _guarantee(facts),
        "columns": _columns(facts),
        "estimates": _estimates(facts, parts, found, no_charts),
        "budget": budget(
            facts.balance, facts.charged or facts.guarantee, accounted=facts.accounted
        ),
        "check": how_to_check(facts),
        "analyze": how_to_analyze(facts, [one for each in found for one in each]),
        "files": files_table(facts.files),
        "glossary": glossary(),
    }
    body = [
        _head(facts, title),
        *(section(name, text(words), [contents[name]]) for name, words in _SECTIONS),
        _foot(facts),
    ]
    return whole_page(title, body, not_private=facts.not_private, version=facts.version)


def _head(facts: ReleaseFacts, title: str) -> Markup:
    plan, guarantee = facts.plan, facts.guarantee
    day, _, time = facts.made.strftime("%Y-%m-%d %H:%M %Z").strip().partition(" ")
    columns = len(plan.private)
    others = [
        f"{len(names)} {kind}"
        for kind, names in (("public", plan.public), ("dropped", plan.dropped))
        if names
    ]
    small = f"<small>{text(', '.join(others))}</small>" if others else ""
    whose = "for each person" if plan.person is None else "for each person, all rows"
    delta = f", δ = {delta_text(guarantee)}" if guarantee.delta else ""
    links = "".join(f'<li><a href="#{name}">{text(words)}</a></li>' for name, words in _SECTIONS)
    lead = text(facts.what) if facts.what else Markup("")
    return joined(
        [
            "<header>",
            '<p class="eyebrow">Differentially private release</p>',
            f"<h1>{label(title, longest=200)}</h1>",
            alarm(not_private=facts.not_private),
            f'<p class="lead">{lead}</p>' if lead else "",
            f"<p><code>{label(facts.data)}</code> holds randomized copies of {facts.rows:,} rows. "
            "A private value in it need not be the true one; what is true of many people can be "
            "estimated from it, with known errors.</p>",
            '<dl class="facts">',
            f"<div><dt>privacy</dt><dd>{text(epsilon_text(guarantee).split(',')[0])}"
            f"<small>{text(whose + delta)}: a factor of at most {text(factor_text(guarantee))}"
            "</small></dd></div>",
            f"<div><dt>rows</dt><dd>{facts.rows:,}<small>{_rows_words(facts)}</small></dd></div>",
            f"<div><dt>private columns</dt><dd>{columns:,}{small}</dd></div>",
            f"<div><dt>{'page made' if facts.made_again else 'made'}</dt><dd>{text(day)}<small>"
            f"{text(time)}, noisewright {text(facts.version)}</small></dd></div>",
            "</dl>",
            f'<nav aria-label="Sections of this page"><ul>{links}</ul></nav>',
            "</header>",
        ]
    )


def _rows_words(facts: ReleaseFacts) -> Markup:
    rows = facts.plan.rows_per_person
    if facts.plan.person is None:
        return text("one person each")
    return text(f"at most {rows:,} of a person")


def _guarantee(facts: ReleaseFacts) -> Markup:
    plan, guarantee = facts.plan, facts.guarantee
    return joined(
        [
            alarm(not_private=facts.not_private),
            promise(guarantee, rows=plan.rows_per_person),
            odds(guarantee),
            how_strong(guarantee),
            "<h3>What the promise takes as known</h3>",
            conditions(
                public=plan.public,
                person=None if plan.person is None else plan.person.column,
                rows=plan.rows_per_person,
                row_guarantee=plan.row_guarantee,
                shuffled=plan.order == "shuffled",
            ),
            "<h3>What it does not protect</h3>",
            not_protected(),
        ]
    )


def _columns(facts: ReleaseFacts) -> Markup:
    plan = facts.plan
    parts = {name: (part, place) for place, part in enumerate(plan.parts) for name in part.columns}
    whole = float(plan.row_guarantee.epsilon)
    headings = (
        Heading(text("column")),
        Heading(text("what happened")),
        Heading(text("mechanism"), kind="words"),
        Heading(text("values"), kind="words"),
        Heading(text("ε per person"), number=True),
        Heading(text("share of ε"), number=True),
    )
    rows: list[list[Markup]] = []
    nothing = Markup('<span class="soft">none</span>')
    for name in dict.fromkeys((*(name for name, _ in plan.columns), *plan.dropped)):
        if name in parts:
            part, place = parts[name]
            epsilon = part.guarantee.epsilon.times(plan.rows_per_person)
            together = f" with {text(' and '.join(n for n in part.columns if n != name))}"
            column = dict(zip(part.columns, part.treatments, strict=True))[name]
            share = float(part.guarantee.epsilon) / whole if whole else 0.0
            rows.append(
                [
                    Markup(f'<a href="#column-{place + 1}">{label(name)}</a>'),
                    Markup('<span class="tag private">randomized</span>'),
                    Markup(f"{text(mechanism_name(part))}{together if part.is_joint else ''}"),
                    text(space_words(column.space)),
                    Markup(f"{float(epsilon):.4g}{' together' if part.is_joint else ''}"),
                    text(f"{100 * share:.3g}%"),
                ]
            )
        elif name in plan.public:
            tag = Markup('<span class="tag public">public</span>')
            words = text("released as it was")
            rows.append([label(name), tag, words, text(""), nothing, nothing])
        else:
            person = plan.person is not None and name == plan.person.column
            words = text("says whose a row is; not released" if person else "not released")
            tag = Markup('<span class="tag">dropped</span>')
            rows.append([label(name), tag, words, text(""), nothing, nothing])
    caption = text(
        f"All columns of the plan: together {epsilon_text(facts.guarantee)} for a person"
    )
    unnamed = (
        paragraph(text("Columns of the input that are not listed here were dropped."))
        if plan.others == "drop"
        else Markup("")
    )
    return joined([table(headings, rows, caption=caption), unnamed])


def _estimates(
    facts: ReleaseFacts,
    parts: Sequence[Part],
    found: Sequence[Sequence[Answered]],
    no_charts: str | None,
) -> Markup:
    words = (
        "Estimates are made from the released file alone and cost no privacy. Their expected "
        "errors follow from formulas; typical errors are those of releases simulated as if the "
        "estimates were the truth."
    )
    why = "" if no_charts is None else f"This page has tables only: {no_charts}"
    shown = [
        column_section(facts, part, place, each, charts=no_charts is None)
        for place, (part, each) in enumerate(zip(parts, found, strict=False))
    ]
    rest = parts[MOST_SECTIONS:]
    return joined(
        [
            paragraph(text(words)),
            Markup(f'<div class="note">{paragraph(text(why))}</div>') if why else "",
            *shown,
            compact_table(facts, rest, MOST_SECTIONS) if rest else "",
            bullets(text(shorten(note, longest=240)) for note in facts.notes)
            if facts.notes
            else "",
        ]
    )


def _foot(facts: ReleaseFacts) -> Markup:
    made = facts.made.strftime("%Y-%m-%d %H:%M %Z").strip()
    return Markup(
        f"<footer><p>Made by noisewright {text(facts.version)} on {text(made)} from released data "
        "and the plan; it holds no raw data and loads nothing.</p></footer>"
    )
