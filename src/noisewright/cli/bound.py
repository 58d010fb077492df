"""`noisewright bound`: how far off every private mechanism must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, final

import typer

import noisewright as nw
from noisewright.cli.options import (
    AlphaOption,
    DeltaOption,
    EpsilonOption,
    JsonOption,
    group_options,
    split_commas,
)
from noisewright.cli.say import answer, say

HELP = """Find an error that every mechanism must have on its worst input.

Choose what the input is: counts, categories, subsets or interval.

\b
Examples:
  noisewright bound interval 0 100 --step 1 --epsilon 1
  noisewright bound categories red,green,blue --epsilon 1 --delta 0.01
  noisewright bound subsets tv,cars,books --epsilon 1 --json
  noisewright bound counts 8 --epsilon 0.5
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="rich")


@final
@dataclass(frozen=True, kw_only=True)
class BoundRequest:
    """The options that every bound has, whatever the space."""

    epsilon: EpsilonOption = None
    alpha: AlphaOption = None
    delta: DeltaOption = "0"
    anywhere: Annotated[
        bool,
        typer.Option("--anywhere", help="Outputs may be anywhere, not only in the space."),
    ] = False
    as_json: JsonOption = False


@app.command(name="counts")
@group_options
def counts(
    n: Annotated[int, typer.Argument(help="How many people are counted.", show_default=False)],
    *,
    request: BoundRequest,
) -> None:
    """Counts 0..n of a group of n people; neighbors differ by one."""
    _print_bound(nw.Counts(n), request)


@app.command(name="categories")
@group_options
def categories(
    labels: Annotated[str, typer.Argument(help="Labels, separated by commas.", show_default=False)],
    *,
    request: BoundRequest,
) -> None:
    """One label out of a list; every two labels are neighbors."""
    _print_bound(nw.Categories(split_commas(labels)), request)


@app.command(name="subsets")
@group_options
def subsets(
    items: Annotated[str, typer.Argument(help="Items, separated by commas.", show_default=False)],
    *,
    request: BoundRequest,
) -> None:
    """A set of items; every two sets are neighbors, and distance counts items that differ."""
    _print_bound(nw.Subsets(split_commas(items)), request)


@app.command(name="interval")
@group_options
def interval(
    low: Annotated[str, typer.Argument(help="The lower bound.", show_default=False)],
    high: Annotated[str, typer.Argument(help="The upper bound.", show_default=False)],
    step: Annotated[str, typer.Option(help="The step of the grid.")] = "1",
    sensitivity: Annotated[
        str | None,
        typer.Option(help="Neighbors are at most this far apart; all numbers if left out."),
    ] = None,
    *,
    request: BoundRequest,
) -> None:
    """Numbers on a grid; every two numbers are neighbors unless a sensitivity says less."""
    space = nw.Interval(low, high, step=step)
    if sensitivity is not None:
        space = space.within(sensitivity)
    _print_bound(space, request)


def _print_bound(space: Any, request: BoundRequest) -> None:
    found = nw.analysis.error_bound(
        space,
        epsilon=request.epsilon,
        alpha=request.alpha,
        delta=request.delta,
        outputs_inside=not request.anywhere,
    )
    if request.as_json:
        bounds = [
            {"name": b.name, "value": b.value, "holds": b.holds, "source": b.source}
            for b in found.bounds
        ]
        answer({"bound": found.value, "best": found.best.name, "bounds": bounds})
        return
    say(str(found))
