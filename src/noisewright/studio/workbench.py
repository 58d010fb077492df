"""The design and audit rooms: the best mechanism for a count, certificates, and matrices."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field as Given

from noisewright import certificates, designs, mechanisms, privacy, spaces
from noisewright.exact import show
from noisewright.studio.failures import RefusalError

MOST_PEOPLE = 20
_ASSUMING = "Assuming: "


class CountDesign(BaseModel):
    """A mechanism for a count of few people."""

    model_config = ConfigDict(extra="forbid")

    n: int = Given(ge=1, le=MOST_PEOPLE)
    epsilon: str
    loss: Literal["L0", "L1", "L2"] = "L0"
    goal: Literal["expected", "worst"] = "expected"
    properties: list[str] = Given(default_factory=list[str], max_length=12)


class MatrixAudit(BaseModel):
    """A matrix as text, and what to ask about it."""

    model_config = ConfigDict(extra="forbid")

    text: str
    neighbors: Literal["replace", "adjacent"] = "replace"
    epsilon: str | None = None
    delta: str = "0"


def find_design(request: CountDesign) -> dict[str, Any]:
    """Return the best mechanism, its proven bound, and what each property costs."""
    made = _design(request)
    prices = designs.price_of_properties(
        spaces.Counts(request.n),
        epsilon=request.epsilon,
        loss=request.loss,
        goal=request.goal,
        properties=set(request.properties),
    )
    has = mechanisms.properties(made.mechanism)
    return {
        "matrix": [[float(cell) for cell in row] for row in made.mechanism.matrix],
        "loss": made.loss,
        "bound": made.bound,
        "gap": made.gap,
        "route": made.route,
        "guarantee": str(made.problem.guarantee),
        "unit": str(made.problem.space.unit),
        "without": prices.none.loss,
        "prices": prices.rows(),
        "has": [code for code in designs.WORDS if code in has],
        "words": designs.WORDS,
    }


def certify_design(request: CountDesign) -> str:
    """Return the certificate of the best mechanism."""
    return certificates.certify(_design(request)).to_json()


def design_code(request: CountDesign) -> dict[str, str]:
    """Return the same as Python and shell code."""
    properties = ",".join(request.properties)
    shell = (
        f"noisewright design counts {request.n} --epsilon {request.epsilon} --loss {request.loss}"
    )
    shell += "" if request.goal == "expected" else f" --goal {request.goal}"
    shell += f" --properties {properties}" if properties else ""
    python = (
        f"nw.design(nw.Counts({request.n}), epsilon={request.epsilon!r}, loss={request.loss!r}, "
        f"goal={request.goal!r}, properties={set(request.properties) or '{}'!r})"
    )
    return {"shell": f"{shell} -o mechanism.json", "python": python}


def _design(request: CountDesign) -> Any:
    return designs.design(
        spaces.Counts(request.n),
        epsilon=request.epsilon,
        loss=request.loss,
        goal=request.goal,
        properties=set(request.properties),
    )


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
        "curve": [[top * step / 40, curve.delta(top * step / 40)] for step in range(41)],
    }
