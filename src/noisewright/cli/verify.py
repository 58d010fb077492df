"""`noisewright verify`: is this mechanism really (ε, δ)-private?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import noisewright as nw
from noisewright import mechanisms
from noisewright.cli.input_files import read_text
from noisewright.cli.options import JsonOption
from noisewright.cli.say import answer, say
from noisewright.errors import InputError
from noisewright.exact import show
from noisewright.meanings import DELTA

MatrixRelation = Literal["replace", "adjacent"]
"""Which inputs of a matrix are neighbors."""


def verify(
    mechanism: Annotated[
        Path,
        typer.Argument(
            help="A certificate, or a matrix of probabilities: one row per input, one column per "
            "output.",
            show_default=False,
        ),
    ],
    epsilon: Annotated[
        str | None,
        typer.Option("--epsilon", "-e", help="The epsilon to prove, e.g. 0.5 or 1/3."),
    ] = None,
    alpha: Annotated[str | None, typer.Option(help="Instead of epsilon: e^-epsilon.")] = None,
    delta: Annotated[str, typer.Option("--delta", "-d", help=f"The delta to prove. {DELTA}")] = "0",
    neighbors: Annotated[
        MatrixRelation | None,
        typer.Option(
            help="Of a matrix: any two inputs ('replace', the default), or inputs next to each "
            "other, as with counts ('adjacent').",
            show_default=False,
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", "-c", help="Write a certificate here if it holds."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Decide exactly whether a mechanism is private, or show why it is not.

    Without --epsilon it finds the least epsilon that holds. A matrix is text: rows of probabilities
    (0.25 or 1/4) or of whole weights, separated by commas, semicolons, tabs or spaces, or JSON
    rows.

    Exit codes: 0 it holds, 1 it does not, 2 the file cannot be used.

    Examples:
      noisewright verify matrix.csv
      noisewright verify matrix.csv --epsilon 1 --delta 1e-6
      noisewright verify counts.csv --neighbors adjacent --epsilon 0.5 --json
      noisewright verify matrix.csv --epsilon 2 --certificate m.json
    """
    subject = _read(mechanism, neighbors)
    least = nw.tight_epsilon(subject, delta=delta)
    asked = epsilon is not None or alpha is not None
    if not asked:
        holds, witness = least != float("inf"), None
        sentence = (
            f"The least epsilon at delta={delta} is {least!r}, {subject.space.unit}."
            if holds
            else f"No epsilon holds at delta={delta}: some output is possible for one input and "
            "impossible for its neighbor."
        )
    else:
        verdict = nw.verify(subject, epsilon=epsilon, alpha=alpha, delta=delta)
        holds, witness = verdict.holds, verdict.witness
        # Every digit is shown: rounded down, the number would not hold.
        sentence = f"{verdict} The least epsilon at this delta is {least!r}."
    if certificate is not None and holds:
        own = (epsilon, alpha) if asked else (None, None)
        nw.certify(subject, delta=delta, epsilon=own[0], alpha=own[1]).save(certificate)
    if as_json:
        answer(
            {
                "holds": holds,
                "unit": str(subject.space.unit),
                "epsilon": epsilon,
                "alpha": alpha,
                "delta": delta,
                "least_epsilon": least if least != float("inf") else None,
                "witness": None if witness is None else _plain(witness),
                "certificate": str(certificate) if certificate is not None and holds else None,
            }
        )
    else:
        say(sentence, style="green" if holds else "red")
        if certificate is not None:
            _tell_where(certificate, holds)
    raise typer.Exit(0 if holds else 1)


def _tell_where(certificate: Path, holds: bool) -> None:
    if holds:
        say(f"The certificate is in {certificate}.")
        say(f"Check it with: noisewright check {certificate}")
    else:
        say(f"No certificate was written to {certificate}.")


def _plain(witness: Any) -> dict[str, Any]:
    return {
        "input": str(witness.input),
        "neighbor": str(witness.neighbor),
        "event": [str(output) for output in witness.event],
        "probability": show(witness.p, 17),
        "probability_for_neighbor": show(witness.q, 17),
    }


def _read(path: Path, neighbors: MatrixRelation | None) -> Any:
    text = read_text(path)
    if text.lstrip().startswith("{"):
        if neighbors is not None:
            raise InputError(
                f"{path} is a certificate, which states its own neighbors; leave --neighbors out."
            )
        return nw.load(path)
    rows = mechanisms.read_matrix(text, where=str(path))
    return nw.from_matrix(nw.Counts(len(rows) - 1, neighbors=neighbors or "replace"), rows)
