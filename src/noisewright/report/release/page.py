"""The page of a release: one file that a manager, an analyst and an auditor can all read.

It loads nothing, runs nothing and is made of released facts only (see `facts.py`). Beside
the estimate that undoes the noise it says what a plain count of released values would say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import NoisewrightError
from noisewright.estimation import channel_of, coins_of
from noisewright.mechanisms import SetMechanism
from noisewright.plans import central_words
from noisewright.report.budget import view_budget
from noisewright.report.drawings.strips import Strip, StripScale
from noisewright.report.guarantee import Promise, epsilon_text
from noisewright.report.release.columns import (
    MOST_SECTIONS,
    KnownAnswer,
    collect_answers,
    view_column,
    view_line,
)
from noisewright.report.release.facts import ReleaseFacts, certificate_name
from noisewright.report.release.treatments import mechanism_name, space_words
from noisewright.report.rendering import Advance, render_page
from noisewright.report.texts import digits_for, number

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

_MOST_SHOWN = 6


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
        in_order=Promise(plan.guarantee_in_order),
        central=central_words(plan) if plan.is_central else "",
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
            epsilon = part.guarantee.epsilon.times(plan.rows_per_person)
            share = float(part.guarantee.epsilon) / whole if whole else 0.0
            column = dict(zip(part.columns, part.treatments, strict=True))[name]
            listed.append(
                ListedColumn(
                    name,
                    "randomized",
                    (mechanism_name(part), space_words(column.space)),
                    place,
                    tuple(other for other in part.columns if other != name),
                    epsilon.in_digits(),
                    f"{100 * share:.3g}%",
                )
            )
        elif name in plan.public:
            listed.append(ListedColumn(name, "public", ("released unchanged", "")))
        else:
            is_person = plan.person is not None and name == plan.person.column
            words = "identifies people; not released" if is_person else "not released"
            listed.append(ListedColumn(name, "dropped", (words, "")))
    return listed


@dataclass(frozen=True)
class PlainCounts:
    """The column in which a plain count errs most, and where; rows are names, strips, numbers."""

    column: str
    axis: str
    scale: StripScale
    rows: tuple[tuple[str, Strip, tuple[str, str]], ...]


def _plain_shares(one: KnownAnswer) -> list[float] | None:
    """Return the shares that a plain count of the released values would give; None if unknown.

    They follow from the unbiased estimate: it was made from them, by a map that can be undone.
    """
    estimate, mechanism = one.estimate, one.mechanism
    if estimate.what != "share" or len(estimate.axes) != 1 or estimate.method != "unbiased":
        return None
    if isinstance(mechanism, SetMechanism):
        coins = coins_of(mechanism)
        return (coins.absent + coins.gap * estimate.values).tolist()
    if isinstance(mechanism, CurveNoise) or estimate.values.size != mechanism.space.size:
        return None
    try:
        channel = channel_of(mechanism)
        if channel.outputs != channel.inputs:
            return None
        return channel.push(estimate.values, 0).tolist()
    except NoisewrightError:
        return None


def find_plain_counts(found: Sequence[KnownAnswer]) -> PlainCounts | None:
    """Return where a plain count would err most, with what it would say and what is estimated."""
    most, chosen = 0.0, None
    for one in found:
        plain = _plain_shares(one)
        if plain is None or one.estimate.withheld.any():
            continue
        apart = float(np.abs(np.asarray(plain) - one.estimate.values).max())
        if apart > most:
            most, chosen = apart, (one, plain)
    if chosen is None:
        return None
    one, plain = chosen
    values = one.estimate.values
    order = np.argsort(-np.abs(np.asarray(plain) - values), kind="stable")[:_MOST_SHOWN]
    places = sorted(order.tolist())
    scale = StripScale.over([*values[places].tolist(), *(plain[place] for place in places)])
    digits = min(digits_for(one.estimate.standard_errors[places].tolist(), percent=True), 2)
    axis = one.estimate.axes[0]
    return PlainCounts(
        one.name,
        str(axis.name),
        scale,
        tuple(
            (
                str(axis.labels[place]),
                scale.strip(float(values[place]), ring=plain[place]),
                (
                    number(plain[place], digits, percent=True),
                    number(float(values[place]), digits, percent=True),
                ),
            )
            for place in places
        ),
    )
