"""Options of `noisewright collect plan`: which kind of collection, of which values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, final

import typer

import noisewright as nw
from noisewright import files, local
from noisewright.cli.options import number_option, split_commas
from noisewright.errors import InputError

if TYPE_CHECKING:
    from noisewright.spaces import Space

Kind = Literal["frequencies"]


@final
@dataclass(frozen=True, kw_only=True)
class KindOptions:
    """What is collected, and at which privacy loss."""

    epsilon: Annotated[
        str,
        typer.Option(help="The privacy loss of one report, e.g. 0.5 or 1/3.", show_default=False),
    ] = ""
    kind: Annotated[Kind, typer.Option(help="What you want to learn.")] = "frequencies"
    labels: Annotated[str | None, typer.Option(help="The possible values, joined by commas.")] = (
        None
    )
    labels_file: Annotated[
        Path | None, typer.Option(help="A file with one possible value a line.")
    ] = None
    low: Annotated[str | None, typer.Option(help="Of numbers: the smallest.")] = None
    high: Annotated[str | None, typer.Option(help="Of numbers: the largest.")] = None
    step: Annotated[str, typer.Option(help="Of numbers: the grid that they lie on.")] = "1"
    method: Annotated[
        str | None, typer.Option(help="How devices report.", show_default="the best one")
    ] = None


def make_collection(options: KindOptions, people: int | None, name: str) -> local.Collection:
    """Return the collection that the options describe."""
    epsilon = number_option(options.epsilon or None, option="--epsilon")
    if epsilon is None:
        raise InputError("say --epsilon, the privacy loss of one report: 1 is common.")
    common: dict[str, Any] = {"epsilon": epsilon, "name": name}
    if options.method is not None:
        common["method"] = options.method
    return local.frequencies(_space(options), **common)


def _space(options: KindOptions) -> Space:
    """Return the possible values: labels, or numbers on a grid."""
    labels = _labels(options)
    numbers = options.low is not None or options.high is not None
    if (labels is not None) == numbers:
        raise InputError(
            "say what values are possible: --labels or --labels-file for labels, or --low and "
            "--high (and --step) for numbers. Take them from the questionnaire, not from data."
        )
    if labels is not None:
        return nw.Categories(labels)
    if options.low is None or options.high is None:
        raise InputError("numbers need both --low and --high.")
    return nw.Interval(options.low, options.high, step=options.step)


def _labels(options: KindOptions) -> list[str] | None:
    if options.labels is not None and options.labels_file is not None:
        raise InputError("give --labels or --labels-file, not both.")
    if options.labels_file is not None:
        lines = files.read_text(options.labels_file, what="the labels").splitlines()
        return [line.strip() for line in lines if line.strip()]
    return None if options.labels is None else split_commas(options.labels)
