"""The page of a release: one file that a manager, an analyst and an auditor can all read.

It loads nothing, runs nothing and is made of released facts only (see `facts.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from noisewright.report.budget import view_budget
from noisewright.report.guarantee import Promise, epsilon_text
from noisewright.report.release.columns import (
    MOST_SECTIONS,
    collect_answers,
    view_column,
    view_line,
)
from noisewright.report.release.facts import ReleaseFacts, certificate_name
from noisewright.report.release.plain_counts import find_plain_counts
from noisewright.report.release.treatments import mechanism_name, space_words
from noisewright.report.rendering import Advance, render_page

_SECTIONS = {
    "guarantee": "The guarantee",
    "columns": "What happened to each column",
    "estimates": "Column by column",
    "budget": "The budget",
    "check": "Check the certificate",
    "analyze": "Analyze the data properly",
    "files": "Files",
    "glossary": "Words used here",
}


@dataclass(frozen=True)
class ListedColumn:
    """A column of the plan in the list of all: what happened, and what it cost (if anything)."""

    name: str
    happened: str
    words: tuple[str, str]
    place: int = 0
    together: tuple[str, ...] = ()
    epsilon: str = ""
    share: str = ""


def release_page(facts: ReleaseFacts, *, progress: Advance | None = None) -> str:
    """Return the page of a release as HTML: one file, no network, no scripts.

    `progress` is told after each column how many of them are done.
    Ensures: everything that came from a plan is escaped.
    """
    plan = facts.plan
    shown, rest = plan.parts[:MOST_SECTIONS], plan.parts[MOST_SECTIONS:]
    found, sections = [], []
    for place, part in enumerate(shown, start=1):
        answers = list(collect_answers(facts, part))
        found += answers
        sections.append(view_column(facts, part, answers))
        if progress is not None:
            progress(place, len(shown) + 1)
    page = render_page(
        "release.html.jinja",
        made=facts.made,
        facts=facts,
        plan=plan,
        title=plan.title or f"Private release of {facts.data}",
        sections=_SECTIONS,
        promise=Promise(facts.guarantee),
        row_promise=epsilon_text(plan.row_guarantee),
        listed=_list_columns(facts),
        columns=sections,
        lines=[view_line(facts, part) for part in rest],
        budget=view_budget(facts.balance, facts.charged or facts.guarantee),
        certificate=certificate_name(facts.files) or "private.certificate.json",
        plain=find_plain_counts(found),
    )
    if progress is not None:
        progress(len(shown) + 1, len(shown) + 1)
    return page


def _list_columns(facts: ReleaseFacts) -> list[ListedColumn]:
    plan = facts.plan
    parts = {
        name: (part, place) for place, part in enumerate(plan.parts, 1) for name in part.columns
    }
    whole = float(plan.row_guarantee.epsilon)
    listed: list[ListedColumn] = []
    for name in dict.fromkeys((*(name for name, _ in plan.columns), *plan.dropped)):
        if name in parts:
            part, place = parts[name]
            epsilon = float(part.guarantee.epsilon.times(plan.rows_per_person))
            share = float(part.guarantee.epsilon) / whole if whole else 0.0
            column = dict(zip(part.columns, part.treatments, strict=True))[name]
            listed.append(
                ListedColumn(
                    name,
                    "randomized",
                    (mechanism_name(part), space_words(column.space)),
                    place,
                    tuple(other for other in part.columns if other != name),
                    f"{epsilon:.4g}",
                    f"{100 * share:.3g}%",
                )
            )
        elif name in plan.public:
            listed.append(ListedColumn(name, "public", ("released as it was", "")))
        else:
            is_person = plan.person is not None and name == plan.person.column
            words = "identifies people; not released" if is_person else "not released"
            listed.append(ListedColumn(name, "dropped", (words, "")))
    return listed
