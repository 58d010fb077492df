"""`noisewright synthesize`: a synthetic table that answers counting queries as the data does."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import noisewright as nw
from noisewright import releases, synthetic
from noisewright.cli.input_files import DataArgument, TableOptions, given_table
from noisewright.cli.knowledge import KnowledgeOptions
from noisewright.cli.options import JsonOption, group_options, number_option
from noisewright.cli.paying import (
    PayingOptions,
    confirm_written,
    paying_ledger,
    show_notes,
    tell_cost,
    tell_notes,
)
from noisewright.cli.say import answer, bars, heading, say
from noisewright.errors import InputError
from noisewright.exact import as_text
from noisewright.given import quantity
from noisewright.meanings import DELTA

_MOST_SAID = 5
_STEPS = {
    "check": "Counting rows",
    "draw": "Drawing noise",
    "fit": "Fitting",
    "page": "Drawing the report",
}


@group_options
def synthesize(
    data: DataArgument,
    plan: Annotated[
        Path, typer.Option("--plan", "-p", help="What each column holds: a plan in TOML.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The synthetic table: .parquet, .feather or .csv.",
            show_default="none with --predict",
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            "--epsilon",
            "-e",
            help="The privacy budget per person, for replacing their rows.",
            show_default="that of the plan",
        ),
    ] = None,
    delta: Annotated[
        str | None, typer.Option("--delta", "-d", help=DELTA, show_default="that of the plan")
    ] = None,
    method: Annotated[Literal["mst", "mwem", "blr"], typer.Option(help="How to make it.")] = "mst",
    workload: Annotated[
        Path | None,
        typer.Option(
            help="The counting queries to answer well, in TOML.",
            show_default="all pairs of columns",
        ),
    ] = None,
    ways: Annotated[
        str | None,
        typer.Option(
            help="Instead of a workload: all marginals of this many columns, or of several such as "
            "1,2."
        ),
    ] = None,
    inference: Annotated[
        Literal["points", "graph", "tree"], typer.Option(help="How counts are fitted.")
    ] = "points",
    rows: Annotated[
        int | None, typer.Option(help="Rows to make.", show_default="as many as the data has")
    ] = None,
    rounds: Annotated[int | None, typer.Option(help="Rounds of mwem.")] = None,
    bins: Annotated[
        int, typer.Option(help="Count numbers on finer grids in this many bins; 0 for no bins.")
    ] = 32,
    *,
    knowledge: KnowledgeOptions,
    paying: PayingOptions,
    reading: TableOptions,
    evaluate: Annotated[
        bool,
        typer.Option(
            "--evaluate", help="Compare with the raw data, in a file that is NOT for release."
        ),
    ] = False,
    tables: Annotated[
        int | None,
        typer.Option(
            help="Write this many further tables from the same noisy counts, at no further cost."
        ),
    ] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Also write the noisy counts as CSV.")
    ] = False,
    no_report: Annotated[bool, typer.Option("--no-report", help="Do not write a report.")] = False,
    predict: Annotated[
        bool,
        typer.Option(
            "--predict", help="Print the expected errors; make nothing and spend nothing."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    r"""Make a synthetic table: made-up rows with about the same counts as the real ones.

    The columns are declared by a plan; what it says about mechanisms is not used. Every row is
    checked before the budget is debited, once for the whole run, and the budget is debited before
    any noise is drawn. The noisy counts behind the table are written beside it as JSON.

    Examples:
      noisewright synthesize survey.csv -p plan.toml -o synthetic.parquet --ledger budget.db
      noisewright synthesize survey.csv -p plan.toml --predict       (how large errors will be)
      noisewright synthesize survey.csv -p plan.toml -o synthetic.csv --without-ledger --rows 1000
      noisewright synthesize survey.csv -p plan.toml -o synthetic.parquet --ledger budget.db \
        --epsilon 1 --delta 1e-9 --json         (each left out is that of the plan)
      noisewright synthesize survey.csv -p plan.toml -o synthetic.parquet --ledger budget.db \
        --workload queries.toml                 (what should be answered well; or --ways 3)
      noisewright synthesize survey.csv -p plan.toml -o synthetic.parquet --ledger budget.db \
        --zeros impossible.toml --prior last-year.parquet --totals regions.csv   (what is public)
      noisewright synthesize survey.csv -p plan.toml -o synthetic.parquet --ledger budget.db \
        --tables 10 --counts            (further tables and noisy counts, at no further cost)
    """
    if workload is not None and ways is not None:
        raise InputError(
            "--workload and --ways both say what to answer well; give only one of them."
        )
    asked = workload if ways is None else _ways(ways)
    spent = number_option(epsilon, option="--epsilon")
    slack = number_option(delta, option="--delta")
    if rounds is not None and method != "mwem":
        raise InputError("--rounds belongs to --method mwem. Leave it out.")
    how = nw.planning.Method(
        method, rows=rows, inference=inference, rounds=rounds, bins=bins or None
    )
    table = given_table(data, reading)
    if predict:
        columns = releases.Columns.of(plan)
        errors = nw.planning.predict_synthesis(
            plan,
            people=releases.Declared.of(table, columns).count_rows(),
            epsilon=spent,
            delta=slack,
            method=how,
            workload=asked,
            zeros=knowledge.zeros,
            prior=knowledge.prior,
            totals=knowledge.totals or None,
        )
        _tell_prediction(errors, as_json=as_json)
        return
    if output is None:
        raise InputError(
            "--output (-o) is missing: where should the table be written? With --predict nothing "
            "is made."
        )
    further = _further_files(output, tables, method, overwrite=paying.overwrite)
    book = paying_ledger(paying)
    with show_notes(), bars(_STEPS, quiet=as_json) as progress:
        made = nw.synthesize(
            table,
            plan,
            epsilon=spent,
            delta=slack,
            method=how,
            workload=asked,
            zeros=knowledge.zeros,
            prior=knowledge.prior,
            totals=knowledge.totals or None,
            out=nw.planning.Output(
                output,
                what=paying.what,
                overwrite=paying.overwrite,
                evaluation=evaluate,
                report=not no_report,
            ),
            ledger=book,
            dataset=paying.dataset,
            progress=progress,
        )
    if counts:
        made = replace(made, files={**made.files, "counts": made.save_counts(overwrite=True)})
    if further:
        made.tables(len(further)).save(output, overwrite=True)
    with confirm_written(made.path):
        if as_json:
            answer(_plain(made) | {"tables": [str(path) for path in further]})
        else:
            _tell(made, further)


def _further_files(output: Path, tables: int | None, method: str, *, overwrite: bool) -> list[Path]:
    """Return where further tables go; refuse, before anything is spent, what could not be made."""
    if tables is None:
        return []
    if tables < 1:
        raise InputError(f"--tables is {tables}; give how many further tables to make, such as 10.")
    if method != "mst":
        raise InputError("--tables belongs to --method mst, which counts every column.")
    found = releases.names_of_tables(output, tables)
    there = next((path for path in found if path.exists()), None)
    if there is not None and not overwrite:
        raise InputError(f"{str(there)!r} exists already. Choose another name, or --overwrite.")
    return found


def _ways(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--ways is {text!r}; give a whole number, or several such as 1,2."
        ) from None


def _tell(made: releases.Synthesis, further: list[Path]) -> None:
    """Say what was made, what it cost, how good it is, and what lies where."""
    say(
        f"{made.path}: {quantity(made.rows, 'synthetic row')} from {made.people:,}, "
        f"{quantity(made.table.num_columns, 'column')}, by {made.how}.",
        style="bold green",
    )
    parts = "epsilon" if made.spent.unit == "epsilon" else "rho (zero-concentrated privacy)"
    with_rows = "one row" if made.rows_per_person == 1 else f"up to {made.rows_per_person} rows"
    say(
        f"The privacy loss of each person is at most {made.guarantee}, with {with_rows} "
        f"(neighbors: {made.neighbors}). It is spent in {quantity(len(made.spends), 'step')}, "
        f"whose parts of {parts} add up exactly."
    )
    tell_cost(made)
    tell_notes(made)
    heading("How good it is")
    _tell_errors(made)
    heading("Beside it")
    say(f"  {made.files['certificate']}  the proof; check it with noisewright check")
    say(f"  {made.files['synthesis']}  the noisy counts behind it, with their errors")
    if "counts" in made.files:
        say(f"  {made.files['counts']}  the noisy counts as CSV")
    if further:
        say(f"  {further[0]} …  {quantity(len(further), 'further table')} from the same counts")
    if "report" in made.files:
        say(f"  {made.files['report']}  all of this in plain words, for any browser")
    if made.evaluation is not None:
        say(f"  {made.files['evaluation']}  NOT FOR RELEASE", style="red")
        say(f"  {made.evaluation}", style="red")


def _tell_errors(made: releases.Synthesis) -> None:
    if made.workload_error is None:
        say(
            f"  No query of the workload is off by more than {made.expected_error:.3g} of all "
            "rows, with probability 95%."
        )
        return
    say("  The error of a marginal is the sum of |share - true share| over its cells, 2 at most.")
    say(
        f"  Expected from noise alone: {made.expected_error:.3g} on average over the workload, if "
        "all of it were counted."
    )
    known = [part for part in made.errors.parts if part.counted]
    asked = sum(part.in_workload for part in known)
    say(
        f"  Measured between the synthetic rows and the noisy counts: {made.workload_error:.3g} "
        f"on average over the {len(known):,} counted parts ({asked:,} in the workload, "
        f"{len(known) - asked:,} others); {made.errors.expected_of_counted:.3g} was expected of "
        "the cells that were counted."
    )
    _tell_worst(made.errors)
    together = (one.name for one in made.measurements if len(one.columns) > 1 or one.query)
    pairs = [*dict.fromkeys(together)]
    shown = ", ".join(pairs[:12]) + (f" and {len(pairs) - 12} more" if len(pairs) > 12 else "")
    if pairs:
        say(
            f"  Counted together: {shown}. Relations between other columns are not known to be "
            "right."
        )


def _plain(made: releases.Synthesis) -> dict[str, Any]:
    evaluation = made.evaluation
    return releases.plain_result(made) | {
        "method": made.method,
        "inference": made.inference,
        "people": made.people,
        "spent": {"unit": made.spent.unit, "amount": as_text(made.spent.amount)},
        "noise": made.noise,
        "steps": len(made.spends),
        "rows_per_person": made.rows_per_person,
        "points_in_a_bin": dict(made.bins.widths),
        "measurements": [one.name for one in made.measurements],
        "expected_error": made.expected_error,
        "workload_error": made.workload_error,
        "errors": releases.plain_errors(made.errors),
        "evaluation_not_for_release": None if evaluation is None else asdict(evaluation.distance),
    }


def _tell_prediction(errors: synthetic.WorkloadErrors, *, as_json: bool) -> None:
    """Say how large errors will be, and that nothing was spent."""
    if as_json:
        answer(
            {
                "method": errors.method,
                "people": errors.people,
                "expected_error": errors.expected,
                "to_choose": errors.to_choose,
                "errors": releases.plain_errors(errors),
                "remarks": list(errors.remarks),
            }
        )
        return
    for line in str(errors).splitlines():
        say(line)
    say("Nothing was drawn, written or spent.", style="bold green")


def _tell_worst(errors: synthetic.WorkloadErrors) -> None:
    """Say which parts of the workload are off most, by what was expected."""
    worst = errors.worst(_MOST_SAID)
    if len(worst) < 2:
        return
    say("  Largest errors (expected; measured):")
    for part in worst:
        after = "not counted together" if part.found is None else f"{part.found:.3g}"
        say(f"    {part.name} ({part.queries:,} cells): {part.expected:.3g}; {after}")
