"""`noisewright release`: a private copy of a table, proven and accounted for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import noisewright as nw
from noisewright import advice, ledger as books, plans, releases
from noisewright.cli.advise import tell_better_tool
from noisewright.cli.input_files import DataArgument, TableOptions, given_table
from noisewright.cli.options import JsonOption, group_options
from noisewright.cli.paying import (
    PayingOptions,
    confirm_written,
    paying_ledger,
    show_cautions,
    show_notes,
    tell_cost,
    tell_notes,
)
from noisewright.cli.say import answer, bars, heading, say
from noisewright.given import quantity

_STEPS = {
    "check": "Checking rows",
    "draw": "Drawing noise",
    "page": "Drawing the report",
}
_BY_ROWS = ("check", "draw")


@group_options
def release(
    data: DataArgument,
    plan: Annotated[
        Path,
        typer.Option("--plan", "-p", help="What happens to each column: a plan in TOML."),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The private file: .parquet, .feather or .csv."),
    ],
    *,
    paying: PayingOptions,
    engine: Annotated[
        Literal["arrow", "spark"] | None,
        typer.Option(help="arrow (in this process) or spark.", show_default="arrow"),
    ] = None,
    reading: TableOptions,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    as_json: JsonOption = False,
) -> None:
    r"""Release a private copy of a table according to a plan, and account for it.

    Everything is checked before the budget is debited, and the budget is debited before any noise
    is drawn. If the plan shuffles rows and has a delta, its epsilon holds against whoever sees only
    the released rows, in an order that nobody knows. The certificate, the recipe for analysts and a
    report are written beside the private file.

    Examples:
      noisewright release survey.csv --plan plan.toml -o private.parquet --ledger budget.db
      noisewright release june.parquet --plan plan.toml -o private.parquet --ledger budget.db \
        --dataset survey                        (more data about people who have a budget)
      noisewright release survey.csv --plan plan.toml -o private.csv --without-ledger --json
    """
    book = paying_ledger(paying)
    table = given_table(data, reading)
    with show_notes():
        with bars(_STEPS, quiet=as_json, by_rows=_BY_ROWS) as progress, show_cautions() as cautions:
            made = nw.release(
                table,
                plan,
                out=nw.planning.Output(
                    output, what=paying.what, overwrite=paying.overwrite, report=False
                ),
                ledger=book,
                dataset=paying.dataset,
                engine=engine,
                progress=progress,
            )
        if not as_json:
            with confirm_written(made.path):
                _announce(made)
        if not no_report:
            page = releases.TargetFiles.at(made.files["data"]).report
            with bars(_STEPS, quiet=as_json) as progress:
                made = releases.with_report(made, page, progress)
    with confirm_written(made.path):
        if as_json:
            in_order = books.plain_guarantee(made.plan.guarantee_in_order)
            answer(
                {
                    **releases.plain_result(made),
                    "order": made.plan.order,
                    "guarantee_in_order": in_order,
                    "cautions": cautions,
                    "better_tool": advice.better_tool(made.plan, rows=made.rows),
                }
            )
        else:
            _tell(made)
            tell_better_tool(made.plan, plan, made.rows)


def _announce(made: releases.Release) -> None:
    """Say what was released, under which guarantee, and what it cost."""
    plan = made.plan
    if not made.is_private:
        say("NOT PRIVATE: the noise came from a seed, for tests. Do not publish this.", style="red")
    say(
        f"{made.path}: {made.rows:,} rows, {quantity(len(plan.private), 'column')} randomized"
        + (f", {len(plan.public)} public (released unchanged)" if plan.public else "")
        + (f", {len(plan.dropped)} dropped" if plan.dropped else "")
        + (". Columns that the plan does not name were dropped." if plan.others == "drop" else "."),
        style="bold green" if made.is_private else "",
    )
    rows = plan.rows_per_person
    whose = "with one row" if rows == 1 else f"with up to {rows} rows together"
    say(f"The privacy loss of each person is at most {made.guarantee}, {whose}. This is proven.")
    if plan.is_central:
        say(plans.central_words(plan))
    tell_cost(made)


def _tell(made: releases.Release) -> None:
    """Say what did not go smoothly, what lies beside the release, and what to do next."""
    tell_notes(made)
    heading("Beside it")
    words = {
        "certificate": "the proof; anyone can check it again",
        "recipe": "what an analyst needs to account for the noise",
        "report": "the release in plain words, with charts",
    }
    for kind, path in made.files.items():
        if kind in words:
            say(f"  {path}  {words[kind]}")
    heading("What next")
    say(f"  noisewright estimate {made.path}  (answers with intervals; do not just count)")
    say(f"  noisewright check {made.files['certificate']}")
