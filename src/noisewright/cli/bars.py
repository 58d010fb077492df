"""Bars that show how far a long step is."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from typing import Any


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
