"""`noisewright query`: how many people a condition holds for, from a synthetic table's counts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import noisewright as nw
from noisewright import ledger as books, releases
from noisewright.cli.options import JsonOption, split_commas
from noisewright.cli.say import align, answer, say
from noisewright.errors import InputError

_MOST_ROWS = 50


def query(
    synthetic: Annotated[
        Path,
        typer.Argument(help="A synthetic table, with the files beside it.", show_default=False),
    ],
    where: Annotated[
        str | None,
        typer.Option(help="Which rows to count: a condition, as in SQL.", show_default="all rows"),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Columns to group by, separated by commas.")
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="The confidence level of the intervals.")
    ] = 0.95,
    about: Annotated[
        Literal["people", "population"],
        typer.Option(
            help="people: those who were counted; population: the one they are a sample of, so "
            "that sampling error is included."
        ),
    ] = "people",
    together: Annotated[
        bool, typer.Option("--together", help="Make all intervals hold simultaneously.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Count people by a synthetic table, with a confidence interval that assumes no model.

    The answer comes from the noisy counts behind the table, and costs no further privacy. A query
    that was counted has the error of its noise; for any other, the interval is all that the noisy
    counts allow.

    Examples:
      noisewright query synthetic.parquet --where "age >= 30 AND job = 'cook'"
      noisewright query synthetic.parquet --by sex,job --together
      noisewright query synthetic.parquet --where "age < 18" --about population --json
    """
    if not synthetic.exists():
        raise InputError(f"there is no file {str(synthetic)!r}. Check the path.")
    if not releases.is_synthesis(synthetic):
        raise InputError(
            f"{str(synthetic)!r} has no .{releases.SYNTHESIS} beside it, which this needs. Keep "
            "the files of a synthetic table together. For a released copy: noisewright estimate."
        )
    made = nw.results.Synthesis.open(synthetic)
    found = made.query(
        where,
        by=() if by is None else split_commas(by),
        confidence=confidence,
        about=about,
        together=together,
    )
    if as_json:
        answer(
            {
                "file": str(made.path),
                "people": made.people,
                "guarantee": books.plain_guarantee(made.guarantee),
                "private": made.is_private,
                "about": found.about,
                "confidence": found.confidence,
                "together": found.together,
                "method": found.method,
                "answers": [
                    {name: None if cell != cell else cell for name, cell in row.items()}
                    for row in found.table().to_pylist()
                ],
                "notes": list(found.notes),
            }
        )
        return
    if not made.is_private:
        say("The noise came from a seed, for tests: this table is NOT PRIVATE.", style="red")
    whom = f"the {made.people:,} people who were counted"
    if about == "population":
        whom = f"the population that {whom} come from, in counts per {made.people:,}"
    say(
        f"{made.path}: about {whom}. Intervals hold with "
        f"{found.confidence:.4g} confidence{', simultaneously' if together else ''}."
    )
    lines = [
        [*("" if cell is None else str(cell) for cell in row[: len(found.axes)])]
        for row in zip(*found.labels(), strict=True)
    ] or [[]]
    numbers = zip(
        found.values.reshape(-1).tolist(),
        found.lows.reshape(-1).tolist(),
        found.highs.reshape(-1).tolist(),
        strict=True,
    )
    rows = [
        [*line, f"{value:,.0f}", f"{low:,.0f} to {high:,.0f}"]
        for line, (value, low, high) in zip(lines, numbers, strict=True)
    ]
    head = [*(axis.name for axis in found.axes), "count", "interval"]
    for line in align([head, *rows[:_MOST_ROWS]], left=len(found.axes)):
        say(line)
    if len(rows) > _MOST_ROWS:
        say(f"  … and {len(rows) - _MOST_ROWS:,} more; --json has all.")
    for note in found.notes:
        say(note, style="yellow")
