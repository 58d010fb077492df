"""`noisewright design`: the best mechanism for a kind of input, with its proof."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from noisewright.cli.matrix_files import read_rows, read_text
from noisewright.cli.say import answer, say

HELP = """Find the mechanism with the least loss, and prove that nothing beats it.

Choose what the input is: counts, categories, subsets or interval.

\b
Examples:
  noisewright design counts 8 --epsilon 0.1 -o m.json --chart m.png
  noisewright design counts 20 --alpha 10/11 --loss L1 --goal worst
  noisewright design categories red,green,blue --epsilon 1 --delta 0.01
  noisewright design subsets tv,cars,books --epsilon 1 --goal worst
  noisewright design interval 0 1 --step 0.25 --epsilon 1
  noisewright design interval 0 1 --step 0.25 --epsilon 4 --neighbors metric
"""


class Relation(Enum):
    """Which inputs are neighbors."""

    REPLACE = "replace"
    ADJACENT = "adjacent"
    METRIC = "metric"


app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="rich")

EpsilonOption = Annotated[str | None, typer.Option(help="How private, e.g. 0.5 or 1/3.")]
AlphaOption = Annotated[str | None, typer.Option(help="Instead of epsilon: e^-epsilon.")]
DeltaOption = Annotated[str, typer.Option(help="The chance that epsilon may fail.")]
LossOption = Annotated[
    str, typer.Option(help="What errors cost: L0 (any error), L1, L2, L0,d or distance.")
]
GoalOption = Annotated[str, typer.Option(help="'expected' over inputs, or the 'worst' input.")]
PriorOption = Annotated[
    str | None,
    typer.Option(help="Weights of the inputs, separated by commas; uniform if left out."),
]
PropertiesOption = Annotated[
    str, typer.Option(help="Codes such as CM,WH (RH RM CH CM F WH S OD), or 'all'.")
]
MetricOption = Annotated[
    Path | None,
    typer.Option(help="A CSV matrix of the distances between the labels; all are 1 if left out."),
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
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


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
    output: OutputOption = None,
    chart: ChartOption = None,
    as_json: JsonOption = False,
) -> None:
    """Counts 0..n of a group of n people; neighbors differ by one."""
    import noisewright as nw

    _design(nw.Counts(n, **_relation(neighbors)), locals())


@app.command(name="categories")
def categories(
    labels: Annotated[str, typer.Argument(help="Labels, separated by commas.", show_default=False)],
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
    """One label out of a list; every two labels are neighbors."""
    import noisewright as nw

    distances = {} if metric is None else {"metric": read_rows(metric, read_text(metric))}
    _design(nw.Categories(_listed(labels), **distances, **_relation(neighbors)), locals())


@app.command(name="subsets")
def subsets(
    items: Annotated[str, typer.Argument(help="Items, separated by commas.", show_default=False)],
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

    _design(nw.Subsets(_listed(items), **_relation(neighbors)), locals())


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
    output: OutputOption = None,
    chart: ChartOption = None,
    as_json: JsonOption = False,
) -> None:
    """Numbers on a grid; every two numbers are neighbors."""
    import noisewright as nw

    _design(nw.Interval(low, high, step=step, **_relation(neighbors)), locals())


def _relation(neighbors: Relation | None) -> dict[str, Any]:
    return {} if neighbors is None else {"neighbors": neighbors.value}


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _design(space: Any, options: dict[str, Any]) -> None:
    import noisewright as nw

    prior = options["prior"]
    if options["chart"] is not None:
        # A wrong suffix or a huge picture should not be found out after a long solve.
        from noisewright.report import require_format, require_visible

        require_format(options["chart"])
        require_visible(space.size)
    with Console(stderr=True).status("Designing and proving …"):
        design = nw.design(
            space,
            epsilon=options["epsilon"],
            alpha=options["alpha"],
            delta=options["delta"],
            loss=options["loss"],
            goal=options["goal"],
            prior=None if prior is None else _listed(prior),
            properties=options["properties"],
        )
    written = _written(design, options["output"], options["chart"])
    if options["as_json"]:
        answer(
            {
                "loss": design.loss,
                "bound": design.bound,
                "gap": design.gap,
                "route": design.route,
                "properties": sorted(nw.properties(design.mechanism)),
                "matrix": design.mechanism.matrix.tolist(),
                **written,
            }
        )
        return
    _tell(design, written)


def _written(design: Any, output: Path | None, chart: Path | None) -> dict[str, str]:
    """Write what was asked for; each file appears whole or not at all."""
    import noisewright as nw

    written: dict[str, str] = {}
    if output is not None:
        nw.certify(design).save(output)
        written["certificate"] = str(output)
    if chart is not None:
        from noisewright.report import heatmap, save_chart

        save_chart(heatmap(design.mechanism), chart)
        written["chart"] = str(chart)
    return written


def _tell(design: Any, written: dict[str, str]) -> None:
    import noisewright as nw

    problem = design.problem
    held = ", ".join(sorted(nw.properties(design.mechanism))) or "none of the seven"
    kind = "expected" if problem.goal == "expected" else "worst-case"
    say(f"The {kind} {problem.loss.name} loss is {design.loss:.9g}.")
    say(
        f"No mechanism with {problem.guarantee} and what you asked for has a loss below "
        f"{design.bound:.9g}: proven, to within {design.gap:.1e}."
    )
    say(f"Properties it has: {held}.")
    say(f"Route: {design.route}.")
    if problem.space.size <= 12:
        say()
        for point, row in zip(problem.space.points, design.mechanism.matrix, strict=True):
            cells = "  ".join(f"{p:.3f}" for p in row)
            say(f"  {point!s:>12}  {cells}")
    for what, path in written.items():
        say(f"The {what} is in {path}.")
