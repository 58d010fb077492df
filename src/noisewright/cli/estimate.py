"""`noisewright estimate`: from a released file and its recipe to tables with errors."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from noisewright import estimation, ledger as books, releases
from noisewright.cli.options import JsonOption
from noisewright.cli.say import align, answer, heading, say
from noisewright.errors import InputError

_MOST_ROWS = 20
_MOST_WIDE = 32
"""Labels are cut after so many letters."""


def estimate(
    released: Annotated[
        Path,
        typer.Argument(
            help="The released file; its recipe is beside it or inside it.", show_default=False
        ),
    ],
    of: Annotated[
        list[str] | None,
        typer.Option(
            help="A column, or columns joined by commas for a table of them; can be repeated. "
            "Or 'pairs' for all pairs.",
            show_default="each column",
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            help="shares, mean, variance, quantiles or histogram; of sets items or pairs.",
            show_default="the usual one",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            help="Levels of quantiles, edges of a histogram, positions of a curve, or items whose "
            "pairs are wanted; joined by commas."
        ),
    ] = None,
    about: Annotated[
        str,
        typer.Option(
            help="population: both noise and sampling are counted as error; people: only noise, "
            "for answers about the people in the file."
        ),
    ] = "population",
    confidence: Annotated[
        float, typer.Option(help="How often an interval covers the truth.")
    ] = 0.95,
    together: Annotated[
        bool, typer.Option("--together", help="Make all intervals of a table hold at once.")
    ] = False,
    method: Annotated[
        str, typer.Option(help="unbiased; or likelihood or projected, which stay in 0% to 100%.")
    ] = "unbiased",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the tables to a .csv, .json, .parquet or .feather file, with a row for "
            "each answer.",
        ),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help=f"Print all rows, not the {_MOST_ROWS} largest.")
    ] = False,
    show: Annotated[
        str,
        typer.Option(
            help="useful: withhold answers whose standard error is larger than half of the "
            "possible range, because they say nothing; all: show them too."
        ),
    ] = "useful",
    as_json: JsonOption = False,
) -> None:
    """Estimate from a released file what the original data were like.

    You need only the file and its recipe. Each answer comes with its standard error and an
    interval. Without --of you get the usual answers about each column.

    Examples:
      noisewright estimate private.parquet
      noisewright estimate private.parquet --of job --of region,job -o tables.csv
      noisewright estimate private.parquet --of age --question quantiles --at 0.1,0.5,0.9
      noisewright estimate private.parquet --of pairs --about people --json
    """
    release = releases.Release.open(released)
    names = [*release.plan.private, *release.plan.public]
    tables = None if of is None else [_columns(text, names) for text in of]
    asked = tables[0] if tables in (["pairs"], ["columns"]) else tables
    found = release.estimate(
        asked,
        question=question,
        at=None if at is None else _split(at),
        about=about,
        confidence=confidence,
        method=method,
        together=together,
        show=show,
    )
    assert isinstance(found, estimation.Estimates)
    if output is not None:
        found.save(output)
    if as_json:
        answer({**_about(release), **found.document()})
    elif output is not None:
        _tell_notes(found)
        rows = sum(table.values.size for table in found.values())
        say(f"{output}: {len(found):,} tables with {rows:,} answers in all.", style="bold green")
    else:
        _tell(release, found, None if show_all else _MOST_ROWS)


def _columns(text: str, names: list[str]) -> Any:
    """Read a table: a column by its whole name, or several joined by commas."""
    if text in names or "," not in text:
        return text
    return tuple(part.strip() for part in text.split(","))


def _split(text: str) -> list[Any]:
    parts = [part.strip() for part in text.split(",")]
    try:
        return [float(part) for part in parts]
    except ValueError:
        return parts


def _about(release: releases.Release) -> dict[str, Any]:
    return {
        "file": str(release.path),
        "rows": release.rows,
        "guarantee": books.plain_guarantee(release.guarantee),
        "private": release.is_private,
    }


def _tell(release: releases.Release, found: estimation.Estimates, most: int | None) -> None:
    some = next(iter(found.values()), None)
    if some is None:
        _tell_notes(found)
        raise InputError("none of the columns has an answer that can be shown.")
    if not release.is_private:
        say("The noise came from a seed, for tests: this release is NOT PRIVATE.", style="red")
    say(f"{release.path}: {release.rows:,} rows, {release.guarantee} for each person.")
    whom = {
        "people": "They are about the people in the file, with their cells as the plan reads "
        "them: noise is counted as error, sampling is not.",
        "population": "They are about the population that these people were sampled from: noise "
        "and sampling are both counted as error.",
    }
    at_once = ", all of one table at once" if some.together else ""
    say(f"Intervals hold with {some.confidence:.4g} confidence{at_once}. {whom[some.about]}")
    for key, table in found.items():
        heading(estimation.shown_key(key))
        for line in _table_lines(table, most):
            say(line)
    _tell_notes(found)


def _tell_notes(found: estimation.Estimates) -> None:
    if found.notes:
        say()
    for note in found.notes:
        say(note, style="yellow")


def _table_lines(found: estimation.Estimate, most: int | None) -> list[str]:
    """Return a table of answers as lines; of many only the largest, with a note.

    Shares are shown as percent and as numbers of people, other answers as they are.
    """
    hidden = found.withheld.reshape(-1).tolist()
    order = [place for place, hide in enumerate(hidden) if not hide]
    size = len(order)
    if not order:
        return [f"  {note}" for note in found.sentences]
    cut = most is not None and size > most
    values = found.values.reshape(-1).tolist()
    if cut and found.what in ("share", "count"):
        order.sort(key=lambda place: (math.isnan(values[place]), -values[place]))
    order = order[:most] if cut else order
    cells = _share_cells(found, order) if found.what == "share" else _number_cells(found, order)
    labels = found.labels()
    head = [axis.name for axis in found.axes]
    rows = [
        [*(_label(column[place]) for column in labels), *shown]
        for place, shown in zip(order, cells[1:], strict=True)
    ]
    lines = align([[*head, *cells[0]], *rows], left=len(head))
    if cut:
        kind = "largest" if found.what in ("share", "count") else "first"
        lines.append(f"  … and {size - len(order):,} more; these are the {kind}. --all shows all.")
    outside = [place for place in order if not 0 <= values[place] <= 1]
    if outside and found.what == "share" and found.method == "unbiased":
        lines.append(
            "  Shares below 0% or above 100% come from noise; intervals show only what is possible."
            " --method projected gives no such shares."
        )
    if found.method not in ("unbiased", "exact"):
        lines.append(f"  By method {found.method}.")
    return [*lines, *(f"  {note}" for note in found.sentences)]


def _share_cells(found: estimation.Estimate, order: list[int]) -> list[list[str]]:
    import numpy as np

    behind = np.broadcast_to(found.behind, found.values.shape).reshape(-1).tolist()
    flat = [
        array.reshape(-1).tolist()
        for array in (found.values, found.standard_errors, *found.shown_intervals)
    ]
    digits = _digits([100 * flat[1][place] for place in order], least=1)
    rows = [["share", "error", "interval", "people", "interval"]]
    for place in order:
        value, error, low, high = (100 * column[place] for column in flat)
        people = [behind[place] * number / 100 for number in (value, low, high)]
        rows.append(
            [
                f"{_number(value, digits)}%",
                f"{_number(error, digits)}",
                f"{_number(low, digits)}% to {_number(high, digits)}%",
                _number(people[0], 0),
                f"{_number(people[1], 0)} to {_number(people[2], 0)}",
            ]
        )
    return rows


def _number_cells(found: estimation.Estimate, order: list[int]) -> list[list[str]]:
    flat = [
        array.reshape(-1).tolist()
        for array in (found.values, found.standard_errors, *found.shown_intervals)
    ]
    digits = _digits([flat[1][place] for place in order], least=0)
    if found.what == "quantile":
        # Quantiles are points of the space, and shown as such.
        digits = max(_decimals(flat[column][place]) for column in (0, 2, 3) for place in order)
    unit = "" if found.dates is None else f" ({found.dates.every}s)"
    rows = [[found.what, f"error{unit}", "interval"]]
    for place in order:
        value, error, low, high = (_number(column[place], digits) for column in flat)
        if found.dates is not None:
            ends = (flat[column][place] for column in (0, 2, 3))
            value, low, high = (
                found.dates.show(one) if math.isfinite(one) else "unknown" for one in ends
            )
        rows.append([value, error, f"{low} to {high}"])
    return rows


def _digits(errors: list[float], *, least: int) -> int:
    """Return how many decimals show two digits of the smallest error."""
    known = [error for error in errors if math.isfinite(error) and error > 0]
    if not known:
        return max(least, 2)
    return min(max(1 - math.floor(math.log10(min(known))), least), 6)


def _decimals(value: float) -> int:
    """Return how many decimals a point of a grid needs, up to six."""
    return next(
        (d for d in range(6) if abs(round(value, d) - value) < 1e-9 * max(1, abs(value))), 6
    )


def _number(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return "unknown"
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.,") else text


def _label(label: Any) -> str:
    text = "(empty)" if label is None else f"{label:g}" if type(label) is float else str(label)
    return text if len(text) <= _MOST_WIDE else text[: _MOST_WIDE - 1] + "…"
