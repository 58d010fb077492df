"""Proof for randomized response: keep the input with some probability, else draw any point.

**Statement.** With probability keep / total the output is the input; else it is a uniform draw
among all points. This is (ε, δ)-private for any two inputs if P(x | x) − e^ε P(x | z) ≤ δ.

**Why.** With n points and r = keep / total, P(x | x) = r + (1 − r) / n and P(y | x) = (1 − r) / n
for any other y. Two inputs x and z differ in the probabilities of the outputs x and z only, and x
is the only output that is likelier on x: the sum over all outputs that decides (see `numbers.py`)
is this one term. All probabilities are taken times n total, which makes them whole numbers.
"""

from fractions import Fraction

from .claim import PrivacyClaim
from .document import read_fields
from .neighbors import read_pairs
from .numbers import Number, find_excess
from .points import TOTAL_FIELDS, read_points, read_total
from .report import Findings, fail, need

_PART = "mechanism"
_SHAPE = "form: response, inputs: object, outputs: object, keep: hex"


def prove_response(claim: PrivacyClaim) -> Findings:
    """Prove that the input itself is not too much likelier than on another input."""
    shapes = (f"{_SHAPE}, {field}" for field in TOTAL_FIELDS)
    _, inputs, outputs, keep, _ = read_fields(claim.mechanism, _PART, *shapes)
    size, keep, total = len(read_points(inputs)), int(keep, 16), read_total(claim.mechanism)
    ok = inputs == outputs and keep <= total and claim.neighbors.get("relation") != "metric"
    need(ok, _PART, "response needs outputs like the inputs, and keep <= total")
    read_pairs(claim.neighbors, size)
    other, whole = total - keep, size * total
    own = other + keep * size
    power = None
    if size > 1 and claim.epsilon is not None:
        power = find_excess([own], [other], claim.epsilon, claim.delta * whole)
    if power is not None:
        own, other = Number(Fraction(own, whole)), Number(Fraction(other, whole))
        part = "delta" if claim.delta else "epsilon"
        fail(part, f"P(x | x) = {own}, P(x | another) = {other}")
    yield "An output is likelier on its own input, by no more than epsilon and delta allow."
