"""`noisewright continual`: a running count, published step by step under one guarantee."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import noisewright as nw
from noisewright import ledger as books, queries, tables
from noisewright.cli.options import JsonOption, group_options
from noisewright.cli.paying import PayingOptions, paying_ledger, show_notes
from noisewright.cli.say import answer, say
from noisewright.errors import InputError
from noisewright.meanings import DELTA

HELP = """Publish a running count day by day, under one guarantee for all days together.

The file of a count is private: it holds counts without noise. What `add` and `show` print is not.

\b
Examples:
  noisewright continual predict --steps 365 --epsilon 1
  noisewright continual create cases.count --steps 365 --epsilon 1 --ledger budget.db \\
    --dataset clinic
  noisewright continual add cases.count 17 --label 2026-03-01
  noisewright continual show cases.count -o cases.csv
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="rich")

_Count = Annotated[
    Path, typer.Argument(metavar="file", help="The file of the count.", show_default=False)
]
_Steps = Annotated[int, typer.Option(help="How many steps will be published, such as days.")]
_Epsilon = Annotated[str, typer.Option(help="The privacy budget per person, for all steps.")]
_Delta = Annotated[str, typer.Option(help=DELTA)]
_Rows = Annotated[int, typer.Option(help="How often one person may be counted, in all steps.")]
_Person = Annotated[
    str | None, typer.Option(help="With --rows: the column that identifies people.")
]
_Change = Annotated[
    Literal["replace", "add or remove"],
    typer.Option(help="What epsilon is for: replacing one person, or adding or removing one."),
]


@app.command()
@group_options
def create(
    file: _Count,
    *,
    steps: _Steps,
    epsilon: _Epsilon,
    delta: _Delta = "0",
    rows: _Rows = 1,
    person: _Person = None,
    change: _Change = "replace",
    paying: PayingOptions,
    as_json: JsonOption = False,
) -> None:
    """Debit the budget for all steps, and write the file of the count."""
    if paying.overwrite:
        raise InputError("the file of a count is never replaced; leave out --overwrite.")
    with show_notes():
        made = nw.ContinualCount.create(
            file,
            steps=steps,
            epsilon=epsilon,
            delta=delta,
            person=_read_person(person, rows),
            change=change,
            ledger=paying_ledger(paying),
            dataset=paying.dataset,
            what=paying.what,
        )
    certificate = made.certificate
    if as_json:
        guarantee = books.plain_guarantee(made.guarantee)
        answer({"file": str(file), "steps": steps, "guarantee": guarantee, "entry": made.entry})
        return
    say(f"{file}: {steps:,} steps for {certificate.guarantee}, {certificate.unit}.")
    if made.entry is None:
        say("No budget was debited, because no ledger was given: nothing limits further releases.")


@app.command()
def add(
    file: _Count,
    count: Annotated[int, typer.Argument(help="The true count of the next step.")],
    step: Annotated[
        int | None, typer.Option(help="The number of the step; an error if it is not the next.")
    ] = None,
    label: Annotated[str, typer.Option(help="A text to publish with it, such as a date.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Publish the next step: its own count, and the total so far."""
    made = nw.ContinualCount.open(file).add(count, step=step, label=label)
    if as_json:
        answer(dict(vars(made)))
    else:
        say(_line(made))


@app.command()
def show(
    file: _Count,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write it: .csv, .parquet or .feather."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output if it exists.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show, or write to a file, what was published so far, with 95% intervals."""
    count = nw.ContinualCount.open(file)
    rows = count.table.to_pylist()
    if output is not None:
        count.save(output, overwrite=overwrite)
    if as_json:
        guarantee = books.plain_guarantee(count.guarantee)
        answer({"file": str(file), "steps": count.steps, "guarantee": guarantee, "rows": rows})
        return
    for row in rows if output is None else []:
        named = {name: row[name] for name in queries.PublishedStep.__match_args__}
        say(_line(queries.PublishedStep(**named)))
    certificate = count.certificate
    say(
        f"{count.published:,} of {count.steps:,} steps published; {certificate.guarantee} for all "
        f"of them together, {certificate.unit}."
    )


@app.command()
def predict(
    steps: _Steps,
    epsilon: _Epsilon,
    delta: _Delta = "0",
    rows: _Rows = 1,
    person: _Person = None,
    change: _Change = "replace",
    as_json: JsonOption = False,
) -> None:
    """Say how far totals will be off after each step; nothing is spent."""
    whose = _read_person(person, rows)
    options: dict[str, Any] = {"delta": delta, "person": whose, "change": change}
    found = nw.ContinualCount.predict(steps=steps, epsilon=epsilon, **options).to_pylist()
    if as_json:
        answer({"steps": found})
        return
    for row in found if steps <= 40 else found[:: -(-steps // 40)]:
        say(f"step {row['step']:>6,}: the total is within ±{row['within']:,.1f} (95%)")
    most = max(found, key=lambda row: row["within"])
    say(f"Largest: ±{most['within']:,.1f}, at step {most['step']:,}.")
    say("A total is a sum of a few noisy blocks of steps, so errors go up and down.")
    done = "replacing" if change == "replace" else "adding or removing"
    often = "once" if rows == 1 else f"{rows:,} times"
    say(
        f"All steps together have epsilon={epsilon}, delta={delta}, for {done} one person, who is "
        f"counted at most {often}."
    )


def _read_person(person: str | None, rows: int) -> tables.Person | None:
    if person is None and rows == 1:
        return None
    if person is None:
        raise InputError("with --rows say --person as well, the column that identifies people.")
    return nw.Person(person, rows=rows)


def _line(made: queries.PublishedStep) -> str:
    name = f"step {made.step:,}" + (f" ({made.label})" if made.label else "")
    return (
        f"{name}: {made.count:,} new; {made.total:,} in all, {made.total_low:,} to "
        f"{made.total_high:,} with 95%"
    )
