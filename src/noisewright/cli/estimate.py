"""`noisewright estimate`: from a released file and its recipe to tables with errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noisewright.cli.amounts import plain_guarantee
from noisewright.cli.estimate_tables import table_lines
from noisewright.cli.say import answer, heading, say
from noisewright.errors import InputError

if TYPE_CHECKING:
    from noisewright.estimation import Estimates
    from noisewright.releases import Release

HELP = """Estimate from a released file what the data before the release were like.

The file and its recipe are all it takes. Each answer comes with its standard error and an \
interval. Without --of there are the usual answers about each column.

\b
Examples:
  noisewright estimate private.parquet
  noisewright estimate private.parquet --of job --of region,job -o tables.csv
  noisewright estimate private.parquet --of age --question quantiles --at 0.1,0.5,0.9
  noisewright estimate private.parquet --of pairs --about people --json
"""

_MOST_ROWS = 20


def estimate(
    released: Annotated[
        Path,
        typer.Argument(
            help="The released file; its recipe lies beside it or inside.", show_default=False
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
    confidence: Annotated[float, typer.Option(help="How often an interval holds.")] = 0.95,
    together: Annotated[
        bool, typer.Option("--together", help="All intervals of a table hold at once.")
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
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Estimate from a released file what the data before the release were like."""
    from noisewright.estimation import Estimate, Estimates
    from noisewright.releases import Release

    release = Release.open(released)
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
    assert not isinstance(found, Estimate)
    assert isinstance(found, Estimates)
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


def _about(release: Release) -> dict[str, Any]:
    return {
        "file": str(release.path),
        "rows": release.rows,
        "guarantee": plain_guarantee(release.guarantee),
        "private": release.is_private,
    }


def _tell(release: Release, found: Estimates, most: int | None) -> None:
    from noisewright.estimation import shown_key

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
        heading(shown_key(key))
        for line in table_lines(table, most):
            say(line)
    _tell_notes(found)


def _tell_notes(found: Estimates) -> None:
    if found.notes:
        say()
    for note in found.notes:
        say(note, style="yellow")
