"""The page of a synthetic table: what it is, what it promises, how good it is, what it cannot tell.

It loads nothing, runs nothing and is made of released facts only (see `synthesis_facts.py`).
"""

from __future__ import annotations

from noisewright.report.budget import budget
from noisewright.report.guarantee import (
    delta_text,
    epsilon_text,
    factor_text,
    not_protected,
    odds,
    promise,
)
from noisewright.report.inline_charts import why_no_charts
from noisewright.report.markup import (
    Markup,
    bullets,
    joined,
    label,
    paragraph,
    section,
    text,
)
from noisewright.report.numerals import percent, readable
from noisewright.report.release.advice import files_table
from noisewright.report.synthesis.advice import (
    columns_listed,
    glossary_of_synthesis,
    how_to_check_synthesis,
    how_to_use,
    known_and_not,
)
from noisewright.report.synthesis.counts import counted_sections
from noisewright.report.synthesis.errors import part_errors
from noisewright.report.synthesis.facts import SynthesisFacts
from noisewright.report.synthesis.links import column_links
from noisewright.report.synthesis.steps import step_bar
from noisewright.report.whole_page import alarm, whole_page

_SECTIONS = (
    ("guarantee", "The guarantee"),
    ("method", "How it was made"),
    ("errors", "How good it is"),
    ("known", "What it can tell, and what not"),
    ("counts", "What was counted"),
    ("budget", "The budget"),
    ("use", "Use the table properly"),
    ("check", "Check it"),
    ("files", "Files"),
    ("glossary", "Words used here"),
)

_METHODS = {
    "mst": "Each column was counted with noise. Then pairs of columns that go together were chosen "
    "in private, one after the other, so that they join all columns into a tree, and were counted "
    "with noise too. The rows were drawn from a model that fits these counts.",
    "mst on a graph": "Each column was counted with noise. Then pairs of columns that go together "
    "were chosen in private, so that they join all columns, and counted with noise; and then more "
    "pairs, of which these counts said least. The rows were drawn from a model that fits all "
    "counts, each weighted by its noise.",
    "mwem": "Each possible row got a weight, all the same at first. Then, round by round, what the "
    "weights answer worst was chosen in private and counted with noise, and the weights were "
    "changed until they fit. The rows were drawn by these weights.",
    "mwem on a graph": "Round by round, a table of the workload that was answered worst so far was "
    "chosen in private and counted with noise, and a model was changed until it fit. The rows were "
    "drawn from a model that fits all counts in the end, each weighted by its noise.",
    "blr": "Every possible small table was listed, with how far its answers are from the true ones "
    "at worst. One of them was drawn in private, good ones with far higher probability (the "
    "exponential mechanism).",
}
_ALL_COUNTED = {
    "mst": "Each column was counted with noise, and so was every pair of columns that the workload "
    "is about: nothing had to be chosen. The rows were drawn from a model that fits all counts, "
    "each weighted by its noise.",
    "mwem": "Every table and query of the workload was counted with noise: nothing had to be "
    "chosen. The rows were drawn from a model that fits these counts.",
}
"""Where declared sizes alone say what is counted."""

_LARGE = 3


def synthesis_page(facts: SynthesisFacts) -> str:
    """Return the page of a synthetic table as HTML: one file, no network, no scripts.

    Ensures: everything that came from outside is escaped; charts are left out when their libraries
    are not installed.
    """
    title = f"Synthetic table {facts.data or 'in memory'}"
    contents = {
        "guarantee": _guarantee(facts),
        "method": _method(facts),
        "errors": part_errors(facts),
        "known": known_and_not(facts),
        "counts": counted_sections(facts) if facts.counted else Markup(""),
        "budget": budget(
            facts.balance,
            facts.charged or facts.guarantee,
            accounted=facts.accounted,
            what="table",
        ),
        "use": how_to_use(facts),
        "check": how_to_check_synthesis(facts),
        "files": files_table(facts.files),
        "glossary": glossary_of_synthesis(),
    }
    shown = [(name, words) for name, words in _SECTIONS if contents[name]]
    body = [
        _head(facts, title, shown),
        *(section(name, text(words), [contents[name]]) for name, words in shown),
        _foot(facts),
    ]
    return whole_page(title, body, not_private=facts.not_private, version=facts.version)


def _head(facts: SynthesisFacts, title: str, sections: list[tuple[str, str]]) -> Markup:
    guarantee = facts.guarantee
    day, _, time = facts.made.strftime("%Y-%m-%d %H:%M %Z").strip().partition(" ")
    delta = f", δ = {delta_text(guarantee)}" if guarantee.delta else ""
    links = "".join(f'<li><a href="#{name}">{text(words)}</a></li>' for name, words in sections)
    bound = facts.errors.bound
    if bound is None:
        expected = facts.errors.expected_in_workload
        which = "the parts of the workload that were counted"
        if expected is None:
            expected, which = facts.errors.expected_of_counted, "all that was counted"
        error = "unknown" if expected is None else readable(expected)
        about = f"expected by noise, of 2 at most, on average over {which}"
    else:
        error, about = percent(min(bound, 1.0)), "at most, with probability 95%"
    return joined(
        [
            "<header>",
            '<p class="eyebrow">Differentially private synthetic table</p>',
            f"<h1>{label(title, longest=200)}</h1>",
            alarm(not_private=facts.not_private),
            f'<p class="lead">The {facts.rows:,} rows of {_named(facts)} belong '
            f"to nobody. They were made up so that counting them gives roughly what counting the "
            f"{facts.people:,} real ones would give.</p>",
            f"<p>Columns: {columns_listed(facts)}. Names, types and labels are those of the "
            "original; no row was copied from it.</p>",
            *(
                f'<div class="note">{paragraph(text(words))}</div>'
                for words in facts.errors.remarks
            ),
            '<dl class="facts">',
            f"<div><dt>privacy</dt><dd>{text(epsilon_text(guarantee).split(',')[0])}"
            f"<small>for each person{text(delta)}: a factor of at most "
            f"{text(factor_text(guarantee))}</small></dd></div>",
            f"<div><dt>rows</dt><dd>{facts.rows:,}<small>made from {facts.people:,}</small></dd>"
            "</div>",
            f"<div><dt>columns</dt><dd>{len(facts.names):,}<small>by {text(facts.method)}</small>"
            "</dd></div>",
            f"<div><dt>error</dt><dd>{error}<small>{about}</small></dd></div>",
            f"<div><dt>{'page made' if facts.made_again else 'made'}</dt><dd>{text(day)}<small>"
            f"{text(time)}, noisewright {text(facts.version)}</small></dd></div>",
            "</dl>",
            f'<nav aria-label="Sections of this page"><ul>{links}</ul></nav>',
            "</header>",
        ]
    )


def _named(facts: SynthesisFacts) -> Markup:
    return Markup(f"<code>{label(facts.data)}</code>" if facts.data else "this table")


def _guarantee(facts: SynthesisFacts) -> Markup:
    guarantee, rows = facts.guarantee, facts.rows_per_person
    if rows == 1:
        person = "A person is one row: who stands in several rows gives away that much more."
        items = ["The number of rows is public.", person]
    else:
        items = [
            "The number of rows is public.",
            f"At most {rows:,} rows of each person were counted, and the promise is for all of "
            f"them together. How many rows, up to {rows:,}, a person has is taken as public.",
        ]
    items.append("Names, types and possible values of the columns were declared, not read off.")
    strong = ""
    if float(guarantee.epsilon) > _LARGE:
        words = (
            f"A factor of {factor_text(guarantee)} is large. It bounds the worst case, for an "
            "attacker who knows all other rows and all that was released."
        )
        strong = f'<div class="note">{paragraph(text(words))}</div>'
    return joined(
        [
            alarm(not_private=facts.not_private),
            promise(guarantee, rows=rows),
            odds(guarantee),
            strong,
            "<h3>What the promise takes as known</h3>",
            bullets(text(words) for words in items),
            "<h3>What it does not protect</h3>",
            not_protected(),
        ]
    )


def _method(facts: SynthesisFacts) -> Markup:
    no_charts = why_no_charts()
    why = "" if no_charts is None else f"This page has tables only: {no_charts}"
    words = _METHODS.get(facts.how, f"The table was made by {facts.how}.")
    if not facts.chose:
        words = _ALL_COUNTED.get(facts.method, words)
    if len(facts.varying) < len(facts.names):
        words += (
            " Columns with one possible value have it in every row, and cost nothing: the number "
            "of rows is public."
        )
    return joined(
        [
            paragraph(text(words)),
            "<h3>How the budget was divided</h3>",
            step_bar(facts),
            column_links(facts, charts=no_charts is None),
            Markup(f'<div class="note">{paragraph(text(why))}</div>') if why else "",
        ]
    )


def _foot(facts: SynthesisFacts) -> Markup:
    made = facts.made.strftime("%Y-%m-%d %H:%M %Z").strip()
    return Markup(
        f"<footer><p>Made by noisewright {text(facts.version)} on {text(made)} from the synthetic "
        "rows and the noisy counts alone; it holds no raw data and loads nothing.</p></footer>"
    )
