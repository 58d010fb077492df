"""`noisewright design`: the best mechanism for a kind of input, with its proof."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from noisewright.cli import design_curve
from noisewright.cli.design_answers import (
    DesignRequest,
    answer_design,
    answer_per_item,
    read_outputs,
)
from noisewright.cli.matrix_files import read_labels, read_rows, read_text, read_tree
from noisewright.cli.options import (
    AlphaOption,
    DeltaOption,
    EpsilonOption,
    JsonOption,
    split_commas,
)
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


class Relation(Enum):
    """Which inputs are neighbors."""

    REPLACE = "replace"
    ADJACENT = "adjacent"
    METRIC = "metric"


app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="rich")

LossOption = Annotated[
    str, typer.Option(help="What errors cost: L0 (any error), L1, L2, L0,d or distance.")
]
GoalOption = Annotated[str, typer.Option(help="'expected' over inputs, or the 'worst' input.")]
PriorOption = Annotated[
    str | None,
    typer.Option(help="Weights of the inputs, separated by commas; uniform if left out."),
]
PropertiesOption = Annotated[
    str, typer.Option(help="Codes such as CM,WH (RH RM CH CM F WH S OD U), or 'all'.")
]
MetricOption = Annotated[
    Path | None,
    typer.Option(help="A CSV matrix of the distances between the labels; all are 1 if left out."),
]
HierarchyOption = Annotated[
    Path | None,
    typer.Option(help="A JSON file of groups of labels, instead of a list of labels."),
]
ItemsOption = Annotated[
    Path | None, typer.Option(help="A file with one item per line, instead of a list of items.")
]
LargestOption = Annotated[
    int | None, typer.Option(help="How many items a set may have; no bound if left out.")
]
PerItemOption = Annotated[
    bool, typer.Option("--per-item", help="Randomize each item on its own, for many items.")
]
FrequencyOption = Annotated[
    str, typer.Option(help="With --per-item: the share of sets that hold a typical item.")
]
OutputsOption = Annotated[
    str | None,
    typer.Option(help="Release numbers LOW:HIGH, e.g. -4:12, not only those of the input."),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the certificate here.")
]
ChartOption = Annotated[
    Path | None, typer.Option(help="Write a heatmap here: .png, .svg, .html or .json.")
]
NeighborsOption = Annotated[
    Relation | None,
    typer.Option(
        help="Who is protected from whom: any two inputs ('replace'), inputs next to each other "
        "('adjacent'), or any two with epsilon per unit of their distance ('metric').",
        show_default=False,
    ),
]


@app.command(name="counts")
def counts(
    n: Annotated[int, typer.Argument(help="How many people are counted.", show_default=False)],
    epsilon: EpsilonOption = None,
    alpha: AlphaOption = None,
    delta: DeltaOption = "0",
    loss: LossOption = "L0",
    goal: GoalOption = "expected",
    prior: PriorOption = None,
    properties: PropertiesOption = "",
    neighbors: NeighborsOption = None,
    outputs: OutputsOption = None,
    output: OutputOption = None,
    chart: ChartOption = None,
    as_json: JsonOption = False,
) -> None:
    """Counts 0..n of a group of n people; neighbors differ by one."""
    import noisewright as nw

    request = DesignRequest(
        epsilon=epsilon,
        alpha=alpha,
        delta=delta,
        loss=loss,
        goal=goal,
        prior=prior,
        properties=properties,
        output=output,
        chart=chart,
        as_json=as_json,
        outputs=read_outputs(outputs),
    )
    answer_design(nw.Counts(n, **_relation(neighbors)), request)


@app.command(name="categories")
def categories(
    labels: Annotated[
        str | None, typer.Argument(help="Labels, separated by commas.", show_default=False)
    ] = None,
    hierarchy: HierarchyOption = None,
    metric: MetricOption = None,
    epsilon: EpsilonOption = None,
    alpha: AlphaOption = None,
    delta: DeltaOption = "0",
    loss: LossOption = "L0",
    goal: GoalOption = "expected",
    prior: PriorOption = None,
    properties: PropertiesOption = "",
    neighbors: NeighborsOption = None,
    output: OutputOption = None,
    chart: ChartOption = None,
    as_json: JsonOption = False,
) -> None:
    """One label out of a list or a hierarchy; every two labels are neighbors."""
    import noisewright as nw

    if (labels is None) == (hierarchy is None):
        raise InputError("give labels, separated by commas, or --hierarchy with a file of them.")
    if hierarchy is not None:
        if metric is not None:
            raise InputError("--hierarchy says how far labels are apart; leave --metric out.")
        space = nw.Categories.hierarchy(read_tree(hierarchy), **_relation(neighbors))
    else:
        distances = {} if metric is None else {"metric": read_rows(metric, read_text(metric))}
        space = nw.Categories(split_commas(labels or ""), **distances, **_relation(neighbors))
    request = DesignRequest(
        epsilon=epsilon,
        alpha=alpha,
        delta=delta,
        loss=loss,
        goal=goal,
        prior=prior,
        properties=properties,
        output=output,
        chart=chart,
        as_json=as_json,
    )
    answer_design(space, request)


@app.command(name="subsets")
def subsets(
    names: Annotated[
        str | None,
        typer.Argument(metavar="[ITEMS]", help="Items, separated by commas.", show_default=False),
    ] = None,
    items: ItemsOption = None,
    largest: LargestOption = None,
    per_item: PerItemOption = False,
    frequency: FrequencyOption = "0",
    epsilon: EpsilonOption = None,
    alpha: AlphaOption = None,
    delta: DeltaOption = "0",
    loss: LossOption = "distance",
    goal: GoalOption = "expected",
    prior: PriorOption = None,
    properties: PropertiesOption = "",
    neighbors: NeighborsOption = None,
    output: OutputOption = None,
    chart: ChartOption = None,
    as_json: JsonOption = False,
) -> None:
    """A set of items; every two sets are neighbors."""
    import noisewright as nw

    if (names is None) == (items is None):
        raise InputError("give items, separated by commas, or --items with a file of them.")
    named = split_commas(names or "") if items is None else read_labels(items)
    space = nw.Subsets(named, largest=largest, **_relation(neighbors))
    request = DesignRequest(
        epsilon=epsilon,
        alpha=alpha,
        delta=delta,
        loss=loss,
        goal=goal,
        prior=prior,
        properties=properties,
        output=output,
        chart=chart,
        as_json=as_json,
    )
    if per_item:
        answer_per_item(space, request, frequency=frequency)
    else:
        answer_design(space, request)


@app.command(name="interval")
def interval(
    low: Annotated[str, typer.Argument(help="The lower bound.", show_default=False)],
    high: Annotated[str, typer.Argument(help="The upper bound.", show_default=False)],
    step: Annotated[str, typer.Option(help="The step of the grid.")] = "1",
    epsilon: EpsilonOption = None,
    alpha: AlphaOption = None,
    delta: DeltaOption = "0",
    loss: LossOption = "distance",
    goal: GoalOption = "expected",
    prior: PriorOption = None,
    properties: PropertiesOption = "",
    neighbors: NeighborsOption = None,
    outputs: OutputsOption = None,
    output: OutputOption = None,
    chart: ChartOption = None,
    as_json: JsonOption = False,
) -> None:
    """Numbers on a grid; every two numbers are neighbors."""
    import noisewright as nw

    request = DesignRequest(
        epsilon=epsilon,
        alpha=alpha,
        delta=delta,
        loss=loss,
        goal=goal,
        prior=prior,
        properties=properties,
        output=output,
        chart=chart,
        as_json=as_json,
        outputs=read_outputs(outputs, step=step),
    )
    answer_design(nw.Interval(low, high, step=step, **_relation(neighbors)), request)


def _relation(neighbors: Relation | None) -> dict[str, Any]:
    return {} if neighbors is None else {"neighbors": neighbors.value}


app.command(name="curve", help=design_curve.HELP)(design_curve.curve)
