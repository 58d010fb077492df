"""`noisewright verify`: is this mechanism really (ε, δ)-private?"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from noisewright.cli.say import answer, say
from noisewright.errors import InputError
from noisewright.exact import shown


def verify(
    mechanism: Annotated[
        Path,
        typer.Argument(
            help="A certificate, or a matrix of probabilities (CSV, or JSON rows): one row per "
            "input, one column per output.",
            show_default=False,
        ),
    ],
    epsilon: Annotated[
        str | None, typer.Option(help="The epsilon to prove, e.g. 0.5 or 1/3.")
    ] = None,
    alpha: Annotated[str | None, typer.Option(help="Instead of epsilon: e^-epsilon.")] = None,
    delta: Annotated[str, typer.Option(help="The delta to prove.")] = "0",
    neighbors: Annotated[
        str,
        typer.Option(
            help="For a matrix: 'replace' (any two inputs) or 'adjacent' (inputs next to each "
            "other, as with counts)."
        ),
    ] = "replace",
    certificate: Annotated[
        Path | None, typer.Option(help="Write a certificate here if it holds.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Decide exactly whether a mechanism is private, or show why it is not.

    Without --epsilon it tells the least epsilon that holds. Exit codes: 0 it holds, 1 it does
    not, 2 the file cannot be used.

    Examples:
      noisewright verify matrix.csv --epsilon 1

      noisewright verify matrix.csv --neighbors adjacent --epsilon 0.5 --delta 1e-6 --json

      noisewright verify matrix.csv --epsilon 2 --certificate m.json
    """
    import noisewright as nw

    subject = _read(mechanism, neighbors)
    least = nw.tight_epsilon(subject, delta=delta)
    if epsilon is None and alpha is None:
        holds, witness = least != float("inf"), None
        sentence = (
            f"The least epsilon at delta={delta} is {least:.12g}."
            if holds
            else f"No epsilon holds at delta={delta}: some output is possible for one input and "
            "impossible for its neighbor."
        )
    else:
        verdict = nw.verify(subject, epsilon=epsilon, alpha=alpha, delta=delta)
        holds, witness = verdict.holds, verdict.witness
        sentence = f"{verdict} The least epsilon at this delta is {least:.12g}."
    if certificate is not None and holds:
        claim = {} if epsilon is None and alpha is None else {"epsilon": epsilon, "alpha": alpha}
        nw.certify(subject, delta=delta, **claim).save(certificate)
    if as_json:
        answer(
            {
                "holds": holds,
                "least_epsilon": least if least != float("inf") else None,
                "delta": delta,
                "witness": None if witness is None else _plain(witness),
                "certificate": str(certificate) if certificate is not None and holds else None,
            }
        )
    else:
        say(sentence, style="green" if holds else "red")
        if certificate is not None and holds:
            say(f"The certificate is in {certificate}.")
            say(f"Check it with: noisewright check {certificate}")
    raise typer.Exit(0 if holds else 1)


def _plain(witness: Any) -> dict[str, Any]:
    return {
        "input": str(witness.input),
        "neighbor": str(witness.neighbor),
        "event": [str(output) for output in witness.event],
        "probability": shown(witness.p, 17),
        "probability_for_neighbor": shown(witness.q, 17),
    }


def _read(path: Path, neighbors: str) -> Any:
    import noisewright as nw

    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise InputError(f"cannot read {path}: {problem.strerror}.") from problem
    except UnicodeDecodeError:
        raise InputError(
            f"{path} is not a text file; give a CSV matrix or a certificate."
        ) from None
    if not text.strip():
        raise InputError(f"{path} is empty; it needs one row of probabilities per input.")
    if text.lstrip().startswith("{"):
        return nw.load(path)
    rows = _json_rows(path, text) if text.lstrip().startswith("[") else _csv_rows(path, text)
    space = nw.Counts(len(rows) - 1, neighbors=neighbors) if len(rows) > 1 else None
    if space is None:
        raise InputError(f"{path} has one row; privacy compares at least two inputs.")
    return nw.from_matrix(space, rows)


def _json_rows(path: Path, text: str) -> list[list[Any]]:
    try:
        rows = json.loads(text, parse_float=str)
    except ValueError as problem:
        raise InputError(f"{path} is not valid JSON: {problem}.") from None
    return rows


def _csv_rows(path: Path, text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    separator = next((mark for mark in (",", ";", "\t") if mark in lines[0]), None)
    if separator is None:
        return [line.split() for line in lines]
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
