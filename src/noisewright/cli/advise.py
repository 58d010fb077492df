"""`noisewright advise`: which tool fits a table, in predicted errors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import noisewright as nw
from noisewright import advice, ledger as books, plans
from noisewright.cli.input_files import TableOptions, given_table
from noisewright.cli.options import JsonOption, group_options, number_option
from noisewright.cli.say import answer, say
from noisewright.errors import InputError


@group_options
def advise(
    data: Annotated[
        Path | None,
        typer.Argument(help="The table; its names, types and number of rows are read."),
    ] = None,
    *,
    plan: Annotated[
        Path, typer.Option("--plan", "-p", help="What each column holds: a plan in TOML.")
    ],
    epsilon: Annotated[
        str, typer.Option("--epsilon", "-e", help="The privacy budget per person, for any tool.")
    ] = "1",
    delta: Annotated[
        str, typer.Option("--delta", "-d", help="What tools may use that need one.")
    ] = "1e-9",
    rows: Annotated[
        int | None,
        typer.Option(help="How many rows there are, if there is no table yet.", min=1),
    ] = None,
    question: Annotated[
        list[str] | None,
        typer.Option(
            "--question",
            "-q",
            help="What you want to know: shares, pairs, mean, median, items, curve, or shares:job, "
            "pairs:sex,job, mean:age. May be repeated.",
            show_default="what is usual for the columns",
        ),
    ] = None,
    reading: TableOptions,
    as_json: JsonOption = False,
) -> None:
    """Predict the errors of each tool side by side, and recommend one; costs nothing.

    The tools are a private copy of the rows, in kept order or shuffled, a synthetic table, and
    asked counts, all under one guarantee. No value is read, and nothing is drawn or spent.

    Examples:
      noisewright advise survey.csv --plan plan.toml --epsilon 1
      noisewright advise --plan plan.toml --rows 50000
      noisewright advise survey.csv -p plan.toml -q shares -q mean:age -q pairs:sex,job --json
    """
    if data is None and rows is None:
        raise InputError("give a table, or --rows, how many rows it has.")
    if data is not None and rows is not None:
        raise InputError("the table says how many rows there are; leave out --rows, or the table.")
    made = nw.advise(
        None if data is None else given_table(data, reading),
        plan,
        epsilon=number_option(epsilon, option="--epsilon") or 0,
        delta=number_option(delta, option="--delta"),
        rows=rows,
        questions=question or None,
    )
    if not as_json:
        for line in repr(made).splitlines():
            say(line, style="bold green" if line == made.verdict else "")
        return
    answer(
        {
            "rows": made.rows,
            "guarantee": books.plain_guarantee(made.guarantee),
            "rows_per_person": made.rows_per_person,
            "promise": made.promise,
            "errors": made.table.to_pylist(),
            "recommended": made.recommended,
            "why": made.why,
            "notes": list(made.notes),
        }
    )


def tell_better_tool(plan: plans.Plan, path: Path, rows: int) -> None:
    """Say in two lines that another tool would be five times better, if one would."""
    text = advice.better_tool(plan, rows=rows)
    if text is not None:
        say(text, style="yellow")
        say(f"Compare all tools: noisewright advise --plan {path} --rows {rows}", style="yellow")
