"""`noisewright design`: the best mechanism for a kind of input, with its proof."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import noisewright as nw
from noisewright import mechanisms
from noisewright.cli.design_answers import (
    DesignRequest,
    answer_design,
    answer_per_item,
    read_outputs,
)
from noisewright.cli.design_curve import curve
from noisewright.cli.input_files import read_labels, read_text, read_tree
from noisewright.cli.options import as_help, group_options, split_commas
from noisewright.errors import InputError

HELP = """Find the mechanism with the least loss, and prove that nothing beats it.

Choose what the input is: counts, categories, subsets, interval or curve.

\b
Examples:
  noisewright design counts 8 --epsilon 0.1 -o m.json --chart m.png
  noisewright design counts 20 --alpha 10/11 --loss L1 --goal worst
  noisewright design categories red,green,blue --epsilon 1 --delta 0.01
  noisewright design categories --hierarchy food.json --loss distance --epsilon 1
  noisewright design subsets tv,cars,books --epsilon 1 --goal worst
  noisewright design subsets --items articles.txt --largest 10 --per-item --epsilon 5
  noisewright design interval 0 1 --step 0.25 --epsilon 1
  noisewright design interval 0 1 --step 0.25 --epsilon 4 --neighbors metric
  noisewright design counts 8 --epsilon 1 --loss L2 --properties U --outputs -4:12
  noisewright design curve 24 --low 0 --high 9 --epsilon 1 --basis fourier
"""


app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="rich")

OutputsOption = Annotated[
    str | None,
    typer.Option(help="Release numbers LOW:HIGH, e.g. -4:12, not only those of the input."),
]

_BY_DISTANCE = DesignRequest(loss="distance")


@app.command(name="counts")
@group_options
def counts(
    n: Annotated[int, typer.Argument(help="How many people are counted.", show_default=False)],
    *,
    outputs: OutputsOption = None,
    request: DesignRequest,
) -> None:
    """Counts 0..n of a group of n people; neighbors differ by one."""
    space = nw.Counts(n, **request.relation)
    answer_design(space, request, outputs=read_outputs(outputs))


@app.command(name="categories")
@group_options
def categories(
    labels: Annotated[
        str | None, typer.Argument(help="Labels, separated by commas.", show_default=False)
    ] = None,
    hierarchy: Annotated[
        Path | None,
        typer.Option(help="A JSON file of groups of labels, instead of a list of labels."),
    ] = None,
    metric: Annotated[
        Path | None,
        typer.Option(
            help="A CSV matrix of the distances between the labels; all are 1 if left out."
        ),
    ] = None,
    *,
    request: DesignRequest,
) -> None:
    """One label out of a list or a hierarchy; every two labels are neighbors."""
    if (labels is None) == (hierarchy is None):
        raise InputError("give labels, separated by commas, or --hierarchy with a file of them.")
    if hierarchy is not None:
        if metric is not None:
            raise InputError("--hierarchy says how far labels are apart; leave --metric out.")
        space = nw.Categories.hierarchy(read_tree(hierarchy), **request.relation)
    else:
        distances = {} if metric is None else {"metric": _distances(metric)}
        space = nw.Categories(split_commas(labels or ""), **distances, **request.relation)
    answer_design(space, request)


def _distances(path: Path) -> list[list[Any]]:
    return mechanisms.read_matrix(read_text(path), where=str(path))


@app.command(name="subsets")
@group_options
def subsets(
    names: Annotated[
        str | None,
        typer.Argument(metavar="[ITEMS]", help="Items, separated by commas.", show_default=False),
    ] = None,
    items: Annotated[
        Path | None, typer.Option(help="A file with one item per line, instead of a list of items.")
    ] = None,
    largest: Annotated[
        int | None, typer.Option(help="How many items a set may have; no bound if left out.")
    ] = None,
    per_item: Annotated[
        bool, typer.Option("--per-item", help="Randomize each item on its own, for many items.")
    ] = False,
    frequency: Annotated[
        str, typer.Option(help="With --per-item: the share of sets that hold a typical item.")
    ] = "0",
    *,
    request: DesignRequest = _BY_DISTANCE,
) -> None:
    """A set of items; every two sets are neighbors."""
    if (names is None) == (items is None):
        raise InputError("give items, separated by commas, or --items with a file of them.")
    named = split_commas(names or "") if items is None else read_labels(items)
    space = nw.Subsets(named, largest=largest, **request.relation)
    if per_item:
        answer_per_item(space, request, frequency=frequency)
    else:
        answer_design(space, request)


@app.command(name="interval")
@group_options
def interval(
    low: Annotated[str, typer.Argument(help="The lower bound.", show_default=False)],
    high: Annotated[str, typer.Argument(help="The upper bound.", show_default=False)],
    step: Annotated[str, typer.Option(help="The step of the grid.")] = "1",
    *,
    outputs: OutputsOption = None,
    request: DesignRequest = _BY_DISTANCE,
) -> None:
    """Numbers on a grid; every two numbers are neighbors."""
    space = nw.Interval(low, high, step=step, **request.relation)
    answer_design(space, request, outputs=read_outputs(outputs, step=step))


app.command("curve", help=as_help(curve))(curve)
