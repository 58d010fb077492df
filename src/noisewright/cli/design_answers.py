"""What `noisewright design` answers: the mechanism that was found, in words or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, final

import typer
from rich.console import Console

import noisewright as nw
from noisewright import report
from noisewright.cli.options import (
    AlphaOption,
    DeltaOption,
    EpsilonOption,
    JsonOption,
    split_commas,
)
from noisewright.cli.say import answer, say
from noisewright.errors import InputError


@final
@dataclass(frozen=True, kw_only=True)
class DesignRequest:
    """The options that every design has, whatever its space."""

    epsilon: EpsilonOption = None
    alpha: AlphaOption = None
    delta: DeltaOption = "0"
    loss: Annotated[
        str, typer.Option(help="What errors cost: L0 (any error), L1, L2, L0,d or distance.")
    ] = "L0"
    goal: Annotated[str, typer.Option(help="'expected' over inputs, or the 'worst' input.")] = (
        "expected"
    )
    prior: Annotated[
        str | None,
        typer.Option(help="Weights of the inputs, separated by commas; uniform if left out."),
    ] = None
    properties: Annotated[
        str, typer.Option(help="Codes such as CM,WH (RH RM CH CM F WH S OD U), or 'all'.")
    ] = ""
    neighbors: Annotated[
        Literal["replace", "adjacent", "metric"] | None,
        typer.Option(
            help="Which inputs are neighbors: any two ('replace'), those next to each other "
            "('adjacent'), or any two with epsilon per unit of distance ('metric').",
            show_default=False,
        ),
    ] = None
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the certificate here.")
    ] = None
    chart: Annotated[
        Path | None, typer.Option(help="Write a heatmap here: .png, .svg, .html or .json.")
    ] = None
    as_json: JsonOption = False

    @property
    def relation(self) -> dict[str, Any]:
        """The relation of neighbors as an argument of a space; nothing if none was given."""
        return {} if self.neighbors is None else {"neighbors": self.neighbors}


def read_outputs(written: str | None, *, step: str = "1") -> Any:
    """Return the numbers LOW:HIGH that may be released, in steps; None if nothing was said."""
    if written is None:
        return None
    low, colon, high = written.partition(":")
    if not colon:
        raise InputError(f"--outputs is {written!r}; write LOW:HIGH, for example -4:12.")
    return nw.Interval(low.strip(), high.strip(), step=step)


def answer_design(space: Any, request: DesignRequest, *, outputs: Any = None) -> None:
    """Find the best mechanism for a space and say what was found."""
    prior = request.prior
    if request.chart is not None:
        # A wrong suffix or a huge picture should not be found out after a long solve.
        report.require_format(request.chart)
        report.require_visible(space.size)
    with Console(stderr=True).status("Designing and proving …"):
        design = nw.design(
            space,
            epsilon=request.epsilon,
            alpha=request.alpha,
            delta=request.delta,
            loss=request.loss,
            goal=request.goal,
            prior=None if prior is None else split_commas(prior),
            properties=request.properties,
            outputs=outputs,
        )
    written = _write_files(design, request.output, request.chart)
    if request.as_json:
        answer(
            {
                "loss": design.loss,
                "bound": design.bound,
                "gap": design.gap,
                "route": design.route,
                **_shape(design.mechanism),
                **written,
            }
        )
        return
    _tell(design, written)
    if prior is not None and design.problem.goal == "worst":
        say("The prior only breaks ties here, because the goal is the worst input.")


def _write_files(design: Any, output: Path | None, chart: Path | None) -> dict[str, str]:
    """Write what was asked for; each file appears whole or not at all."""
    written: dict[str, str] = {}
    if output is not None:
        nw.certify(design).save(output)
        written["certificate"] = str(output)
    if chart is not None:
        report.save_chart(report.heatmap(design.mechanism), chart)
        written["chart"] = str(chart)
    return written


def _tell(design: Any, written: dict[str, str]) -> None:
    problem = design.problem
    kind = "expected" if problem.goal == "expected" else "worst-case"
    say(f"Proven: {problem.guarantee} {problem.space.unit}.")
    say(f"The {kind} {problem.loss.name} loss is {design.loss:.9g}.")
    say(
        f"No mechanism with {problem.guarantee} and what you asked for has a loss below "
        f"{design.bound:.9g}: proven, to within {design.gap:.1e}."
    )
    shape = _shape(design.mechanism)
    if "properties" in shape:
        say(f"Properties it has: {', '.join(shape['properties']) or 'none'}.")
    else:
        _tell_coins(shape)
    say(f"Route: {design.route}.")
    if problem.space.size <= 12:
        say()
        labels = [_show(point) for point in problem.space.points]
        width = max(12, *map(len, labels))
        for label, row in zip(labels, design.mechanism.matrix, strict=True):
            cells = "  ".join(f"{p:.3f}" for p in row)
            say(f"  {label:>{width}}  {cells}")
    for what, path in written.items():
        say(f"The {what} is in {path}.")


def _show(point: Any) -> str:
    return (
        f"{{{', '.join(sorted(map(str, point)))}}}" if isinstance(point, frozenset) else str(point)
    )


def _shape(mechanism: Any) -> dict[str, Any]:
    """Return what can be shown: a matrix and its properties, or two probabilities of an item."""
    from noisewright.mechanisms import Table

    if isinstance(mechanism, Table):
        return {
            "properties": sorted(nw.properties(mechanism)),
            "matrix": mechanism.matrix.tolist(),
        }
    return {"present": float(mechanism.present), "absent": float(mechanism.absent)}


def _tell_coins(shape: dict[str, Any]) -> None:
    say(
        f"An item is released with probability {shape['present']:.6g} if it is in the set, and "
        f"with probability {shape['absent']:.6g} if not."
    )


def answer_per_item(space: Any, request: DesignRequest, *, frequency: str) -> None:
    """Choose the two probabilities of each item and say what they are."""
    unused = {
        "prior": request.prior is not None,
        "chart": request.chart is not None,
        "properties": bool(request.properties),
    }
    for option, given in unused.items():
        if given:
            raise InputError(f"--{option} has no effect with --per-item; leave it out.")
    mechanism = nw.per_item(
        space,
        epsilon=request.epsilon,
        delta=request.delta,
        alpha=request.alpha,
        frequency=frequency,
    )
    written = _write_files(mechanism, request.output, None)
    shape = _shape(mechanism)
    # Of one set, for an item that no set holds: what remains is a division by the sets.
    spread = (shape["absent"] * (1 - shape["absent"])) ** 0.5 / (shape["present"] - shape["absent"])
    if request.as_json:
        answer({**shape, "deviation": spread, **written})
        return
    say(f"Proven: {mechanism.claim} when any set replaces any other.")
    _tell_coins(shape)
    say(f"The share of a rare item, from n sets, has a standard deviation of {spread:.4g} / √n.")
    for what, path in written.items():
        say(f"The {what} is in {path}.")
