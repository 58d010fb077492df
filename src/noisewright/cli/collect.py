"""`noisewright collect`: collect from people whose devices randomize what they send."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import noisewright as nw
from noisewright import estimation, files, ledger as books, local, tables
from noisewright.cli.collections import KindOptions, make_collection
from noisewright.cli.input_files import DataArgument, TableOptions, given_table
from noisewright.cli.options import JsonOption, group_options
from noisewright.cli.say import align, answer, heading, say
from noisewright.cli.typed_values import read_cells, read_typed
from noisewright.errors import InputError

HELP = """Collect with local differential privacy: devices randomize their values before they send
them, so nobody has to trust you.

`plan` writes a specification, which devices and the server share. `report` does what a device does,
`simulate` does it for a whole table, and `estimate` turns reports into estimates.

\b
Examples:
  noisewright collect plan --labels red,green,blue --epsilon 1 --people 10000 -o colors.json
  noisewright collect report colors.json red --memo mine.memo
  noisewright collect simulate colors.json people.csv --column color -o reports.parquet
  noisewright collect estimate colors.json reports.parquet
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="rich")

_Specification = Annotated[
    Path,
    typer.Argument(metavar="specification", help="The file that `plan` wrote.", show_default=False),
]
_MOST_ROWS = 20


@app.command()
@group_options
def plan(
    *,
    kind: KindOptions,
    people: Annotated[
        int | None, typer.Option(help="How many people you expect; predicts the errors.")
    ] = None,
    name: Annotated[
        str, typer.Option(help="A name, to tell collections with the same settings apart.")
    ] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the specification.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Where to write the certificate of the guarantee.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that exist.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Choose the randomizer and predict the errors; nothing is collected yet."""
    made = make_collection(kind, people, name)
    for path in filter(None, (output, certificate)):
        _require_free(path, overwrite=overwrite)
    proven = made.certificate()
    if output is not None:
        made.save(output)
    if certificate is not None:
        proven.save(certificate)
    expected = None if people is None else made.plan(people=people)
    if as_json:
        answer(
            {
                "specification": made.specification,
                "digest": made.digest.hex(),
                "guarantee": books.plain_guarantee(made.guarantee),
                "why": getattr(made, "why", None),
                "expected": None if expected is None else str(expected),
            }
        )
        return
    say(f"{made.guarantee}, {proven.unit}; proven.", style="bold")
    if hasattr(made, "why"):
        say(getattr(made, "why"))  # noqa: B009 only kinds with a choice have a reason
    if expected is not None:
        say(str(expected))
    if output is None:
        say("Nothing was written; -o writes the specification for devices and the server.")
    else:
        say(f"{output}: the specification, digest {made.digest.hex()[:16]}…", style="bold green")


@app.command()
def report(
    specification: _Specification,
    value: Annotated[
        str,
        typer.Argument(
            help="The value of this person; a set as its items joined by ;.", show_default=False
        ),
    ],
    memo: Annotated[
        Path | None,
        typer.Option(
            help="A file that keeps the randomized answer to each value, to send it again."
        ),
    ] = None,
) -> None:
    """Print one report in hexadecimal: the bytes that a device sends."""
    collection = local.open_collection(specification)
    print(collection.client(memo=memo).report(read_typed(collection, value)).hex())


@app.command()
@group_options
def simulate(
    specification: _Specification,
    data: DataArgument,
    column: Annotated[
        str, typer.Option(help="The column that holds the values; sets are items joined by ;.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the reports: a .parquet file.")
    ],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output if it exists.")
    ] = False,
    *,
    table: TableOptions,
    as_json: JsonOption = False,
) -> None:
    """Randomize a column as devices would, one report per row, to try out a collection."""
    import numpy as np

    collection = local.open_collection(specification)
    _require_free(output, overwrite=overwrite)
    if output.suffix.lower() != ".parquet":
        raise InputError(f"{output} must end in .parquet: reports are bytes.")
    schema = _schema(collection, column)
    reader = tables.open_table(given_table(data, table), schema=schema)
    if column not in reader.schema.names:
        raise InputError(f"{data} has no column {column!r}; name one that it has.")
    payloads = [
        collection.reports(read_cells(collection, batch.column(column))).payload
        for batch in reader.batches([column])
    ]
    if not payloads:
        raise InputError(f"{data} has no rows.")
    reports = local.Reports(collection, np.concatenate(payloads))
    reports.save(output)
    if as_json:
        answer({"output": str(output), "reports": len(reports)})
    else:
        say(f"{output}: {len(reports):,} reports, {collection.guarantee} each.", style="bold green")


@app.command()
def estimate(
    specification: _Specification,
    reports: Annotated[
        list[Path],
        typer.Argument(
            help="Parquet files with a column `report`, or text files with one report per line, in "
            "hexadecimal.",
            show_default=False,
        ),
    ],
    state: Annotated[
        Path | None,
        typer.Option(help="Resume from this saved state if it exists, and save it afterwards."),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(
            help="people: error is the noise alone; population: sampling error, too.",
            show_default="people; population where a part of them was asked",
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="The confidence level of the intervals.")
    ] = 0.95,
    fakes: Annotated[
        float | None,
        typer.Option(help="Widen the intervals for this share of fake reports, e.g. 0.01."),
    ] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(help="RAPPOR: a file with the candidates to look for, one per line."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a .csv, .json, .parquet or .feather file."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output if it exists.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Estimate from reports, with standard errors and confidence intervals."""
    collection = local.open_collection(specification)
    if output is not None:
        _require_free(output, overwrite=overwrite)
    if candidates is not None and not isinstance(collection, local.RapporCollection):
        raise InputError("--candidates is for RAPPOR; this collection names its values itself.")
    known = state is not None and state.exists()
    server = collection.server(state if known else None)
    for path in reports:
        for piece in _pieces(path):
            server.add(piece)
    if state is not None:
        server.save(state)
    if candidates is not None:
        names = files.read_text(candidates, what="the candidates").splitlines()
        found = server.estimate(candidates=[name for name in names if name]).estimate
    elif fakes is None:
        whom = {} if about is None else {"about": about}
        found = server.estimate(confidence=confidence, **whom)
    else:
        found = server.robust(fakes=fakes, confidence=confidence).estimate
    answers = _as_estimates(found)
    if output is not None:
        answers.save(output)
    arrivals = server.arrivals
    if as_json:
        counts = {name: getattr(arrivals, name) for name in arrivals.__match_args__}
        guarantee = books.plain_guarantee(collection.guarantee)
        answer({"arrivals": counts, "guarantee": guarantee, **answers.document()})
        return
    say(f"{arrivals}; {collection.guarantee} for each person's report.", style="bold")
    if output is not None:
        tables_written = "1 table" if len(answers) == 1 else f"{len(answers):,} tables"
        say(f"{output}: {tables_written}.", style="bold green")
        return
    for name, one in answers.items():
        _tell(str(name), one)


def _as_estimates(found: Any) -> estimation.Estimates:
    """Return what a server answers as tables by name."""
    if isinstance(found, local.DistributionEstimate):
        parts: dict[Any, estimation.Estimate] = {
            "mean": found.mean,
            "quantiles": found.quantiles,
            "shares": found.shares,
        }
        return estimation.Estimates(parts)
    if isinstance(found, local.HeavyHitters):
        return estimation.Estimates({"value": _surely_there(found)})
    if isinstance(found, estimation.Estimate):
        return estimation.Estimates({found.axes[0].name if found.axes else found.what: found})
    return estimation.Estimates(found)


def _surely_there(found: local.HeavyHitters) -> estimation.Estimate:
    """Return the shares of the values that are told from noise."""
    one, sure = found.estimate, set(found.detected.labels)
    places = [place for place, value in enumerate(found.values) if value in sure]
    arrays = {
        name: getattr(one, name)[places] for name in ("values", "standard_errors", "lows", "highs")
    }
    axis = estimation.Axis(one.axes[0].name, [found.values[place] for place in places])
    left = len(found.values) - len(places)
    note = f"{left:,} more candidates cannot be told from noise, and are left out."
    return replace(one, axes=(axis,), **arrays, notes=(*one.notes, *([note] if left else [])))


def _tell(name: str, one: estimation.Estimate) -> None:
    heading(f"{one.what} by {name}" if one.axes else one.what)
    shown = one.top(_MOST_ROWS) if len(one.axes) == 1 and one.values.size > _MOST_ROWS else one
    columns = shown.columns()
    lows, highs = (end.reshape(-1).tolist() for end in shown.shown_intervals)
    labels = [str(label) for label in columns[shown.axes[0].name]] if shown.axes else [one.what]
    rows = [["", one.what, "± error", "interval"]]
    for place, label in enumerate(labels):
        value, error = shown.values.reshape(-1)[place], shown.standard_errors.reshape(-1)[place]
        rows.append(
            [label, f"{value:.4g}", f"{error:.2g}", f"{lows[place]:.4g} to {highs[place]:.4g}"]
        )
    for line in align(rows, left=1):
        say(line)
    if one.values.size > len(labels):
        say(f"  … {one.values.size - len(labels):,} more; -o writes all.")
    for note in one.sentences:
        say(note)


def _pieces(path: Path) -> Iterator[Any]:
    """Return the reports of a file: the path of a Parquet file, or lines of hexadecimal digits."""
    if path.suffix.lower() == ".parquet":
        yield path
        return
    for line in files.read_text(path, what="the reports", most=1 << 31).split():
        try:
            yield bytes.fromhex(line)
        except ValueError:
            yield b""  # counted as damaged


def _require_free(path: Path, *, overwrite: bool) -> None:
    if path.exists() and not overwrite:
        raise InputError(f"{path} exists already; name another file, or add --overwrite.")


def _schema(collection: nw.local.Collection, column: str) -> tables.Schema:
    space = getattr(collection, "space", None)
    if space is None:
        return tables.Schema({}, public=(column,), others="drop")
    return tables.Schema({column: tables.Field(space)}, others="drop")
