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

Kind = Literal["frequencies", "mean", "distribution", "items", "words", "numbers", "rappor"]


@final
@dataclass(frozen=True, kw_only=True)
class KindOptions:
    """What is collected, and at which privacy loss."""

    epsilon: Annotated[
        str,
        typer.Option(help="The privacy loss of one report, e.g. 0.5 or 1/3.", show_default=False),
    ] = ""
    kind: Annotated[
        Kind,
        typer.Option(
            help="What to estimate: the frequencies of known values; the mean or the distribution "
            "of numbers; which items people have; heavy hitters among words or numbers that "
            "nobody listed; or texts with RAPPOR."
        ),
    ] = "frequencies"
    labels: Annotated[
        str | None, typer.Option(help="The possible values, separated by commas.")
    ] = None
    labels_file: Annotated[
        Path | None, typer.Option(help="A file with the possible values, one per line.")
    ] = None
    low: Annotated[str | None, typer.Option(help="Numbers: the lower bound.")] = None
    high: Annotated[str | None, typer.Option(help="Numbers: the upper bound.")] = None
    step: Annotated[str, typer.Option(help="Numbers: the step of the grid.")] = "1"
    method: Annotated[
        str | None, typer.Option(help="The randomizer.", show_default="the best one")
    ] = None
    largest: Annotated[
        int | None,
        typer.Option(
            help="Items: the size that sets are padded to; most people should have no more."
        ),
    ] = None
    bits: Annotated[
        int | None,
        typer.Option(
            help="Words: 8 per byte of UTF-8. Numbers: they are below 2^bits. RAPPOR: filter size."
        ),
    ] = None
    top: Annotated[int, typer.Option(help="Words and numbers: how many heavy hitters to find.")] = (
        32
    )
    hashes: Annotated[int, typer.Option(help="RAPPOR: how many hash functions.")] = 2
    cohorts: Annotated[
        int, typer.Option(help="RAPPOR: how many groups, each with its own hash functions.")
    ] = 8
    f: Annotated[str, typer.Option(help="RAPPOR: noise of the permanent randomized response.")] = (
        "1/2"
    )
    p: Annotated[
        str, typer.Option(help="RAPPOR: probability of a 1 where the permanent bit is 0.")
    ] = "1/2"
    q: Annotated[
        str, typer.Option(help="RAPPOR: probability of a 1 where the permanent bit is 1.")
    ] = "3/4"


def make_collection(options: KindOptions, people: int | None, name: str) -> local.Collection:
    """Return the collection that the options describe."""
    kind = options.kind
    if kind == "rappor":
        return _rappor(options, name)
    epsilon = number_option(options.epsilon or None, option="--epsilon")
    if epsilon is None:
        raise InputError("give --epsilon, the privacy loss of one report: 1 is common.")
    common: dict[str, Any] = {"epsilon": epsilon, "name": name}
    if options.method is not None:
        if kind not in ("frequencies", "mean"):
            raise InputError(f"--method is for frequencies and means, not for {kind}.")
        common["method"] = options.method
    if kind in ("words", "numbers"):
        bits = 64 if options.bits is None else options.bits
        common |= {"of": "text" if kind == "words" else "numbers"}
        return local.heavy_hitters(bits=bits, top=options.top, people=people, **common)
    if kind == "items":
        labels = _labels(options)
        if labels is None or options.largest is None:
            raise InputError("items need --labels or --labels-file, and --largest.")
        made = local.items(labels, largest=options.largest, **common)
        assert isinstance(made, local.ItemCollection)
        return made
    space: Any = _space(options)
    if kind == "mean":
        return local.mean(space, **common)
    if kind == "distribution":
        return local.distribution(space, **common)
    return local.frequencies(space, **common)


def _rappor(options: KindOptions, name: str) -> local.Collection:
    if options.epsilon:
        raise InputError(
            "RAPPOR takes no --epsilon: it follows from --f, --p, --q and --hashes, and `plan` "
            "prints it."
        )
    labels = _labels(options)
    chances: dict[str, Any] = {"f": options.f, "p": options.p, "q": options.q}
    if labels is not None:
        return local.rappor(candidates=labels, name=name, **chances).collection
    bits = 128 if options.bits is None else options.bits
    sizes: dict[str, Any] = {"bits": bits, "hashes": options.hashes, "cohorts": options.cohorts}
    return local.rappor(**sizes, name=name, **chances).collection


def _space(options: KindOptions) -> Space:
    """Return the possible values: labels, or numbers on a grid."""
    labels = _labels(options)
    numbers = options.low is not None or options.high is not None
    if (labels is not None) == numbers:
        raise InputError(
            "give the possible values: --labels or --labels-file for labels, or --low and --high "
            "(and --step) for numbers. Take them from the questionnaire, not from the data."
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
