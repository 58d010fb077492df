"""`noisewright compare`: several mechanisms side by side."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as Grid

import noisewright as nw
from noisewright.cli.options import JsonOption
from noisewright.cli.say import answer
from noisewright.errors import InputError


def compare(
    certificates: Annotated[
        list[Path] | None, typer.Argument(help="Certificates to compare.", show_default=False)
    ] = None,
    counts: Annotated[
        int | None, typer.Option(help="Compare the named mechanisms for this many people.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="With --counts: the privacy loss.")] = None,
    alpha: Annotated[str | None, typer.Option(help="Instead of epsilon: e^-epsilon.")] = None,
    losses: Annotated[
        str, typer.Option(help="Losses, separated by spaces or commas.")
    ] = "L0 L1 L2",
    as_json: JsonOption = False,
) -> None:
    """Put mechanisms side by side: losses, honesty, privacy, properties.

    Give certificates, or --counts to compare the named mechanisms for counts: geometric (GM),
    explicit fair (EM), uniform (UM), and the best for L0 that is weakly honest and monotone
    (WH+RM+CM).

    Examples:
      noisewright compare a.json b.json
      noisewright compare --counts 8 --epsilon 0.1 --losses L0,L1,L2
    """
    if counts is not None:
        mechanisms = _named_mechanisms(counts, epsilon, alpha)
    elif certificates:
        mechanisms = {path.stem: nw.load(path) for path in certificates}
    else:
        raise InputError("give certificates to compare, or --counts N with --epsilon.")
    # The comma of L0,2 belongs to the name; every other one separates.
    wanted: list[str] = re.findall(r"L0,\d+|[^,\s]+", losses)
    rows = [_row(name, mechanism, wanted) for name, mechanism in mechanisms.items()]
    if as_json:
        answer({"mechanisms": rows})
        return
    # One column per mechanism: there are few of those and many measures.
    grid = Grid(show_edge=False, pad_edge=False)
    grid.add_column("")
    for row in rows:
        grid.add_column(row["mechanism"], justify="right")
    for measure in list(rows[0])[1:]:
        cells = [row[measure] for row in rows]
        grid.add_row(measure, *(f"{c:.6g}" if isinstance(c, float) else str(c) for c in cells))
    Console(highlight=False).print(grid)


def _named_mechanisms(counts: int, epsilon: str | None, alpha: str | None) -> dict[str, Any]:
    space = nw.Counts(counts)
    options: dict[str, Any] = {"epsilon": epsilon, "alpha": alpha}
    constrained = nw.design(space, properties={"WH", "RM", "CM"}, **options)
    return {
        "GM": nw.geometric(space, **options),
        "WH+RM+CM": constrained.mechanism,
        "EM": nw.explicit_fair(space, **options),
        "UM": nw.uniform(space),
    }


def _row(name: str, mechanism: Any, losses: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"mechanism": name, "epsilon": nw.tight_epsilon(mechanism)}
    for loss in losses:
        row[loss] = nw.loss(mechanism, loss)
        row[f"worst {loss}"] = nw.loss(mechanism, loss, goal="worst")
    row["properties"] = " ".join(sorted(nw.properties(mechanism)))
    return row
