"""The page of a synthetic table: what it is, what it promises, how good it is, what it cannot tell.

It loads nothing, runs nothing and is made of released facts only (see `facts.py`).
"""

from __future__ import annotations

from noisewright.report.budget import view_budget
from noisewright.report.guarantee import Promise
from noisewright.report.numerals import percent, readable
from noisewright.report.release.facts import certificate_name
from noisewright.report.rendering import Advance, render_page
from noisewright.report.synthesis.counts import MOST_SECTIONS, view_counts
from noisewright.report.synthesis.error_tables import view_errors
from noisewright.report.synthesis.facts import SynthesisFacts
from noisewright.report.synthesis.links import picture_pairs, view_rounds, view_tree
from noisewright.report.synthesis.steps import view_steps

_SECTIONS = {
    "guarantee": "The guarantee",
    "method": "How it was made",
    "errors": "How good it is",
    "known": "What it can tell, and what not",
    "counts": "What was counted",
    "budget": "The budget",
    "use": "Use the table properly",
    "check": "Check it",
    "files": "Files",
    "glossary": "Words used here",
}


def synthesis_page(facts: SynthesisFacts, *, progress: Advance | None = None) -> str:
    """Return the page of a synthetic table as HTML: one file, no network, no scripts.

    `progress` is told how many of its parts are done.
    Ensures: everything that came from outside is escaped.
    """
    bound = facts.errors.bound
    views = {
        "steps": view_steps,
        "tree": view_tree,
        "rounds": view_rounds,
        "pairs": picture_pairs,
        "errors": view_errors,
        "counts": view_counts,
    }
    seen: dict[str, object] = {}
    for name, view in views.items():
        seen[name] = view(facts)
        if progress is not None:
            progress(len(seen), len(views) + 1)
    pairs = sum(pair <= set(facts.varying) for pair in facts.linked)
    page = render_page(
        "synthesis.html.jinja",
        made=facts.made,
        facts=facts,
        title=f"Synthetic table {facts.data or 'in memory'}",
        sections={
            name: words for name, words in _SECTIONS.items() if name != "counts" or facts.counted
        },
        promise=Promise(facts.guarantee),
        bound="" if bound is None else percent(min(bound, 1.0)),
        error=_error(facts),
        linked=pairs,
        possible=len(facts.varying) * (len(facts.varying) - 1) // 2,
        uncounted=[one.name for one in facts.counted[MOST_SECTIONS:]],
        budget=view_budget(facts.balance, facts.charged or facts.guarantee, what="table"),
        certificate=certificate_name(facts.files),
        **seen,
    )
    if progress is not None:
        progress(len(views) + 1, len(views) + 1)
    return page


def _error(facts: SynthesisFacts) -> tuple[str, str]:
    """Return the error for the head of the page, and what it is."""
    if facts.errors.bound is not None:
        return percent(min(facts.errors.bound, 1.0)), "at most, with probability 95%"
    expected, which = (
        facts.errors.expected_in_workload,
        "the parts of the workload that were counted",
    )
    if expected is None:
        expected, which = facts.errors.expected_of_counted, "all that was counted"
    error = "unknown" if expected is None else readable(expected)
    return error, f"expected by noise, of 2 at most, on average over {which}"
