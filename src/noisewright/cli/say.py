"""How the program speaks: sentences for people, JSON for machines, bars while a step is long."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text


def say(sentence: str = "", *, style: str = "") -> None:
    """Print one plain sentence."""
    # Made again each time, because a console keeps the stream that it first saw.
    Console(highlight=False, soft_wrap=True).print(Text(sentence, style=style))


def heading(text: str) -> None:
    """Print a heading with some air above it."""
    say()
    say(text, style="bold")


def align(rows: list[list[str]], *, left: int) -> list[str]:
    """Return the lines of a table; the cells of its first columns begin at the left."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines: list[str] = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def answer(values: dict[str, Any]) -> None:
    """Print an answer for machines: one JSON object, in ASCII, which any terminal can show."""
    print(json.dumps(values, indent=1))


def print_failure(message: str, *, as_json: bool) -> None:
    """Print why the program could not do its work: on the error stream, or as JSON."""
    if as_json:
        with contextlib.suppress(OSError):
            answer({"error": message})
            sys.stdout.flush()
            return
    # Where nothing can be printed, the exit code has to do.
    with contextlib.suppress(OSError):
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            Text("noisewright: ", style="bold red"), Text(message), sep=""
        )


@contextmanager
def bars(
    steps: Mapping[str, str], *, quiet: bool, by_rows: Collection[str] = ("check",)
) -> Generator[Any]:
    """Give a function that shows how far a step is; None without a terminal.

    `steps` says in words what each is; for those `by_rows` it also shows how many rows a second.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[shown]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(steps.get(step, step), total=total, shown="")
            task = tasks[step]
            speed = bars.tasks[task].speed
            share = f"{done / max(total, 1):.0%}" if total is not None else f"{done:,} rows"
            shown = share if total is not None or done else ""
            rate = f", {speed:,.0f} rows/s" if speed and step in by_rows else ""
            bars.update(task, completed=done, total=total, shown=shown + rate)

        yield show
