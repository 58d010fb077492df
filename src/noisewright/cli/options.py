"""Options that several verbs have, and how what is typed for them is read."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import typer

from noisewright.errors import InputError, ParameterError
from noisewright.exact import exactly
from noisewright.meanings import DELTA

EpsilonOption = Annotated[str | None, typer.Option(help="How private, e.g. 0.5 or 1/3.")]
AlphaOption = Annotated[str | None, typer.Option(help="Instead of epsilon: e^-epsilon.")]
DeltaOption = Annotated[str, typer.Option(help=DELTA)]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def split_commas(text: str) -> list[str]:
    """Return what stands between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def number_option(text: str | None, *, option: str) -> Fraction | None:
    """Read a number that was typed for an option, exactly; nothing stays nothing."""
    if text is None:
        return None
    try:
        return exactly(text, name=option)
    except ParameterError:
        raise InputError(
            f"{option} is {text!r}; write a number, such as 1, 0.1, 1e-9 or 1/3."
        ) from None
