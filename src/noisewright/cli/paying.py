"""Which ledger pays: the one that was named, or none if that was said explicitly."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

import noisewright as nw
from noisewright import releases
from noisewright.cli.ledger import KeyOption, WhoOption, read_key_file
from noisewright.cli.say import say
from noisewright.errors import InputError, PlanWarning

if TYPE_CHECKING:
    from noisewright.queries import Answer


@final
@dataclass(frozen=True, kw_only=True)
class PayingOptions:
    """Which budget pays for what is written, and what the ledger calls it."""

    ledger: Annotated[
        str | None, typer.Option(help="Where the budget is kept: a file, or a PostgreSQL URL.")
    ] = None
    without_ledger: Annotated[bool, typer.Option("--without-ledger", help="Debit no budget.")] = (
        False
    )
    dataset: Annotated[
        str | None,
        typer.Option(help="The budget to debit, if the ledger does not know the data yet."),
    ] = None
    what: Annotated[str, typer.Option(help="What the ledger calls it.")] = ""
    who: WhoOption = None
    key_file: KeyOption = None
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output if it exists.")
    ] = False


@contextmanager
def show_cautions() -> Generator[list[str]]:
    """Print cautions as soon as they are known; give the list of them."""
    said: list[str] = []

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        said.append(str(message))
        print(f"Caution: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", PlanWarning)
        warnings.showwarning = show
        yield said


@contextmanager
def confirm_written(path: object) -> Generator[None]:
    """Print about a finished release; if that fails, the error says that the release stands."""
    try:
        yield
        sys.stdout.flush()
    except OSError as problem:
        problem.add_note(f"{path} is complete and its cost is spent; do not make it again.")
        raise


def paying_ledger(options: PayingOptions) -> nw.Ledger | str | None:
    """Return the ledger, opened if that takes more than its name; None without one."""
    where, without = options.ledger, options.without_ledger
    if where is None and not without:
        raise InputError(
            "there is no budget to debit for this privacy loss. Pass --ledger budget.db "
            "(noisewright ledger create budget.db creates one), or --without-ledger."
        )
    if where is not None and without:
        raise InputError("--ledger and --without-ledger contradict each other; leave one out.")
    if without and options.dataset is not None:
        raise InputError("--dataset names a budget, but --without-ledger uses none; leave one out.")
    if where is None or (options.key_file is None and options.who is None):
        return where
    return nw.Ledger.open(where, key=read_key_file(options.key_file), who=options.who)


def tell_cost(made: releases.Release | releases.Synthesis | Answer) -> None:
    """Say what was debited from a ledger, and what is left."""
    if not made.is_accounted:
        say("No budget was debited, because no ledger was given: nothing limits further releases.")
    elif made.balance is None:
        say(f"Spent (entry {made.entry}): {made.charged}.")
    else:
        say(
            f"Spent for {made.balance.dataset!r} (entry {made.entry}): {made.charged}. Left: "
            f"{made.balance.left_text} of {made.balance.granted_text} ({made.balance.unit_text})."
        )


def tell_notes(made: releases.Release | releases.Synthesis | Answer) -> None:
    """Say what did not go smoothly."""
    for note in made.notes:
        say(f"Note: {note}", style="yellow")


@contextmanager
def show_notes() -> Generator[None]:
    """On an interruption, say what became of the debit."""
    try:
        yield
    except KeyboardInterrupt as problem:
        for note in getattr(problem, "__notes__", []):
            print(f"noisewright: {note}", file=sys.stderr)
        raise
