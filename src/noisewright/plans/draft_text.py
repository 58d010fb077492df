"""A draft as TOML with remarks: what was proposed and why, and what somebody must still declare."""

from __future__ import annotations

from typing import Any

from noisewright.plans.draft import Draft, Proposal
from noisewright.plans.plan import Plan
from noisewright.plans.toml_writing import (
    TODO,
    column_lines,
    head_sections,
    key,
    text_of_sections,
)
from noisewright.plans.wanted import Wanted

_EXAMPLES: dict[str, str] = {
    "text": 'space = "categories" with labels = ["…", "…"], or use = "drop"',
    "whole": 'space = "counts" with n = 10, "interval" with low, high and step, or "categories"',
    "number": 'space = "interval" with low = 0, high = 100 and step = 1',
    "list of text": 'space = "subsets" with items = ["…", "…"] and largest = 3',
    "list of numbers": 'space = "curves" with grid = [0, 1, …], low = 0 and high = 5',
    "date": 'space = "dates" with low = "1920-01-01", high = "2026-12-31" and step = "month"',
    "": 'space = "categories" with labels, "interval" or "dates" with low, high and step, '
    '"subsets" with items, or use = "drop"',
}


def draft_text(draft: Draft, plan: Plan | None) -> str:
    """Return the text of a draft: that of its plan, if there is one already, with remarks."""
    lines = [
        f"# A draft{f' for {draft.source}' if draft.source else ''}, made from the names and types "
        "of its columns and from what was",
        "# declared; no value was read. Declare from what is known without the data: bounds and "
        "labels",
        "# that are read from the data reveal people.",
    ]
    if not draft.is_finished:
        lines.append(f"# Replace each {TODO} by your decision.")
    head = head_sections(_settings(draft, plan))
    head[0] = [line for given in head[0] for line in _lines_of(given, draft)]
    sections = [lines, *head]
    resolved = {} if plan is None else dict(plan.columns)
    for proposal in draft.proposals:
        sections.append(_column(proposal, resolved.get(proposal.field.name)))
    return text_of_sections(sections)


def _lines_of(line: str, draft: Draft) -> list[str]:
    """Return a setting with a remark above it where that decides what is promised to whom."""
    if line.startswith("order = ") and draft.order["order"] == "shuffled":
        return [
            "# Rows are shuffled and hide among each other: epsilon and delta are promised against",
            "# whoever sees only the released file. Whoever learns the order learns more.",
            '# With order = "kept" they are promised against everybody, and cost much more noise.',
            line,
        ]
    return [line]


def _settings(draft: Draft, plan: Plan | None) -> dict[str, Any]:
    given = dict(draft.settings) | draft.order
    epsilon, usual = given["epsilon"], "best" if given["estimates"] else "equal"
    return given | {
        "title": "",
        "epsilon": TODO if epsilon is None else epsilon,
        "shares": plan.shares if plan is not None else given["shares"] or usual,
        "estimates": [w if isinstance(w, Wanted) else Wanted(w) for w in given["estimates"]],
    }


def _column(proposal: Proposal, resolved: Any) -> list[str]:
    remark = _remark(proposal)
    above = [f"# {remark}"] if remark else []
    if proposal.treatment is not None:
        return [*above, *column_lines(proposal.field.name, resolved or proposal.treatment)]
    example = _EXAMPLES.get(proposal.field.type, _EXAMPLES[""])
    section = f"[columns.{key(proposal.field.name)}]"
    return [*above, section, f'space = "{TODO}"  # {example}']


def _remark(proposal: Proposal) -> str:
    said = [proposal.field.written, proposal.why]
    joined = "; ".join(part for part in said if part)
    # A remark ends with its line, whatever a type is called.
    return "".join(c if c.isprintable() else " " for c in joined)
