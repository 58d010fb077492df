"""Asks what columns can hold, for a plan: one column at a time; Enter decides later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from noisewright.cli.say import say
from noisewright.errors import InputError, NoisewrightError
from noisewright.plans import CodebookEntry, Column, Draft, NamedType, Treatment, domain_of

_KINDS = {
    "c": "categories",
    "n": "numbers",
    "t": "dates",
    "s": "sets of items",
    "u": "curves",
    "d": "drop it",
    "p": "public",
}
_OFFERED = {
    "text": "cdp",
    "whole": "cndp",
    "number": "ncdp",
    "date": "tdp",
    "list of text": "sdp",
    "list of numbers": "udp",
}
"""The kinds that fit a type; cells of CSV are texts or numbers."""

_WHERE = "your answer"


def ask(draft: Draft) -> Draft:
    """Ask for the budget and for each open column; what is left out stays open."""
    if draft.missing:
        say(
            "Answer from what is known without the data: a questionnaire, a codebook, the law. "
            "Press Enter to decide later."
        )
    for proposal in draft.proposals:
        if proposal.treatment is None:
            treatment = _until_right(lambda field=proposal.field: _treatment(field))
            if treatment is not None:
                draft = draft.declare(proposal.field.name, treatment, "as you said")
    if draft.settings.get("epsilon") is None:
        draft = _until_right(lambda: _with_epsilon(draft))
    return draft


def _with_epsilon(draft: Draft) -> Draft:
    text = _prompt("epsilon, the privacy budget per person for all columns together")
    return draft.with_epsilon(text) if text else draft


def _until_right(ask: Callable[[], Any]) -> Any:
    while True:
        try:
            return ask()
        except NoisewrightError as problem:
            say(str(problem), style="red")


def _treatment(field: NamedType) -> Treatment | None:
    offered = _OFFERED.get(field.type, "cntdp")
    kinds = ", ".join(f"{letter} {_KINDS[letter]}" for letter in offered)
    shown = f"{field.name} ({field.written})" if field.written else field.name
    answer = _prompt(f"{shown}: {kinds}").lower()[:1]
    if answer == "d":
        return "drop"
    if answer == "p":
        return "public"
    if not answer:
        return None
    if answer not in offered:
        raise InputError(f"answer one of {', '.join(offered)}, or Enter to decide later.")
    entry = _entry(answer)
    domain = domain_of(entry, field)
    if domain is None:
        return None
    return Column(domain.space, null=domain.null, off_grid=domain.off_grid)


def _entry(kind: str) -> CodebookEntry:
    if kind in ("c", "s"):
        word = "labels" if kind == "c" else "items"
        listed = [one.strip() for one in _prompt(f"  its {word}, separated by commas").split(",")]
        labels = tuple(one for one in listed if one)
        if kind == "c":
            return CodebookEntry(_WHERE, "categories", labels)
        most = _prompt("  at most how many items in one set (Enter: no bound)")
        return CodebookEntry(
            _WHERE, "subsets", labels, largest=int(most) if most.isdigit() else None
        )
    if kind == "t":
        first = _prompt("  the first date, as in 1920-01-01") or None
        last = _prompt("  the last date") or None
        step = _prompt("  the step: day, week, month or year; hour or minute") or None
        return CodebookEntry(_WHERE, "dates", (), first, last, step)
    low = _prompt("  the lowest value") or None
    high = _prompt("  the highest value") or None
    if kind == "n":
        return CodebookEntry(
            _WHERE, "", (), low, high, _prompt("  the step (Enter: choose one)") or None
        )
    positions = _prompt("  at how many positions")
    return CodebookEntry(
        _WHERE, "curves", (), low, high, positions=int(positions) if positions.isdigit() else None
    )


def _prompt(text: str) -> str:
    answer: str = typer.prompt(text, default="", show_default=False)
    return answer.strip()
