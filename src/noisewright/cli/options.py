"""Options that several verbs have, and how their values are read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from noisewright.errors import InputError, ParameterError
from noisewright.exact import exactly
from noisewright.meanings import DELTA

EpsilonOption = Annotated[
    str | None, typer.Option(help="The privacy loss, e.g. 0.5 or 1/3; smaller is more private.")
]
AlphaOption = Annotated[str | None, typer.Option(help="Instead of epsilon: e^-epsilon.")]
DeltaOption = Annotated[str, typer.Option(help=DELTA)]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def group_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a keyword-only parameter that is a dataclass stand for options, one for each field.

    Their defaults are those of the parameter's default, or else of the dataclass.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    options: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if not is_dataclass(hints[name]):
            options.append(parameter.replace(annotation=hints[name]))
            continue
        groups[name] = hints[name]
        types = get_type_hints(hints[name], include_extras=True)
        usual = hints[name]() if parameter.default is parameter.empty else parameter.default
        options += [
            parameter.replace(name=f.name, default=getattr(usual, f.name), annotation=types[f.name])
            for f in fields(hints[name])
        ]

    @wraps(command)
    def run(**typed: Any) -> None:
        for name, group in groups.items():
            typed[name] = group(**{field.name: typed.pop(field.name) for field in fields(group)})
        command(**typed)

    run.__annotations__ = {option.name: option.annotation for option in options}
    vars(run)["__signature__"] = inspect.Signature(options)
    return run


def as_help(verb: Callable[..., None]) -> str:
    """Return the docstring of a verb for a terminal, which breaks lines; examples stay lines."""
    paragraphs = (inspect.getdoc(verb) or "").split("\n\n")
    return "\n\n".join(
        f"\b\n{text}" if text.startswith("Examples:") else text.replace("\n", " ")
        for text in paragraphs
    )


def split_commas(text: str) -> list[str]:
    """Return the parts between commas."""
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
