"""The audit room: certificates, and matrices that somebody brings."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from noisewright import certificates, mechanisms, privacy, spaces
from noisewright.exact import Epsilon, show
from noisewright.studio.failures import RefusalError

_MOST_KNOTS = 200
_MOST_CELLS = 1 << 12
"""Of a matrix: its exact curve takes seconds beyond, and a server has other visitors."""

_ASSUMING = "Assuming: "


class MatrixAudit(BaseModel):
    """A matrix as text, and what to ask about it."""

    model_config = ConfigDict(extra="forbid")

    text: str
    neighbors: Literal["replace", "adjacent"] = "replace"
    epsilon: str | None = None
    delta: str = "0"


def check_text(text: str) -> dict[str, Any]:
    """Prove a certificate again with the stand-alone checker."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise RefusalError("that is not a certificate: certificates are JSON objects.")
    report = certificates.check(document)
    proved = [line for line in report.proved if not line.startswith(_ASSUMING)]
    return {
        "holds": report.holds,
        "proved": proved,
        "assuming": [
            line.removeprefix(_ASSUMING) for line in report.proved if line.startswith(_ASSUMING)
        ],
        "failures": [{"part": one.part, "message": one.message} for one in report.failures],
    }


def audit_matrix(request: MatrixAudit) -> dict[str, Any]:
    """Return the least ε of a matrix, who can be told from whom, and δ at some ε."""
    rows = mechanisms.read_matrix(request.text, where="the matrix")
    cells = sum(len(row) for row in rows)
    if cells > _MOST_CELLS:
        raise RefusalError(
            f"the matrix has {cells:,} cells; the studio takes {_MOST_CELLS:,} at most, such as 64 "
            "rows of 64. Use noisewright verify in a shell for larger ones."
        )
    space = spaces.Counts(len(rows) - 1, neighbors=request.neighbors)
    mechanism = mechanisms.from_matrix(space, rows)
    least = privacy.tight_epsilon(mechanism, delta=request.delta)
    is_bounded = least != float("inf")
    witness = verdict = None
    if request.epsilon:
        found = privacy.verify(mechanism, epsilon=request.epsilon, delta=request.delta)
        verdict, witness = str(found), found.witness
    elif is_bounded and least > 0:
        # Just below the least ε the promise fails, and the witness says for whom.
        witness = privacy.verify(
            mechanism, epsilon=least * (1 - 2**-20), delta=request.delta
        ).witness
    curve = privacy.profile(mechanism)
    top = least if is_bounded and least > 0 else 5.0
    return {
        "least_epsilon": least if is_bounded else None,
        "delta": request.delta,
        "unit": str(space.unit),
        "verdict": verdict,
        "witness": None
        if witness is None
        else {
            "input": str(witness.input),
            "neighbor": str(witness.neighbor),
            "event": [str(output) for output in witness.event],
            "probability": show(witness.p, 17),
            "probability_for_neighbor": show(witness.q, 17),
        },
        "knots": _knots(curve),
        "curve": [[top * step / 40, curve.delta(top * step / 40)] for step in range(41)],
    }


def _knots(curve: privacy.Profile) -> list[dict[str, Any]]:
    """Return the curve exactly: between knots, δ is linear in e^ε, and 0 after the last one.

    Every number is a rational: the knots are where the events that tell most apart change.
    """
    ratios = {Fraction(1)}
    for (q, p), (next_q, next_p) in pairwise(curve.points):
        ratios.add(max(Fraction(1), Fraction(next_p - p, next_q - q)))
    last = curve.ratio(0)
    ratios |= set() if last is None else {last}
    return [
        {
            "ratio": str(ratio),
            "epsilon": Epsilon.log(ratio).ceiling(),
            "delta": str(max(Fraction(p - ratio * q) / curve.total for q, p in curve.points)),
        }
        for ratio in sorted(ratios)[:_MOST_KNOTS]
    ]
