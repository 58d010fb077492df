"""Proof for the geometric mechanism on counts 0 to n, which is given by its formula.

**Statement.** The mechanism adds noise Z to a count, P(Z = z) proportional to e^(−parameter |z|),
and moves results outside of 0..n to the nearest end. It is ε-private for counts one step apart,
or any two counts, if ε is at least the parameter, or n times the parameter.

**Why.** The probability of output i on input j is c(i) e^(−parameter |i − j|), where c(i) is the
same for all j: (1 − a) / (1 + a) inside and 1 / (1 + a) at both ends, with a = e^−parameter
(Ghosh, Roughgarden and Sundararajan 2009). For inputs `steps` apart, |i − j| differs by at most
`steps`, and the probability by a factor of at most e^(steps parameter). A δ is not needed.
"""

from typing import Any

from .claim import PrivacyClaim
from .document import read_fields
from .numbers import LONGEST_POWER, Number, read_number
from .points import read_points
from .report import Findings, fail, need

_PART = "mechanism"
_SHAPE = "form: geometric, inputs: object, outputs: object, parameter: object"


def prove_geometric(claim: PrivacyClaim) -> Findings:
    """Prove that ε is at least the parameter times the steps between neighbors."""
    _, inputs, outputs, parameter = read_fields(claim.mechanism, _PART, _SHAPE)
    n, parameter = len(read_points(inputs)) - 1, read_number(parameter, _PART)
    shapes = ("relation: adjacent", "relation: replace")
    (relation,) = read_fields(claim.neighbors, "neighbors", *shapes)
    steps = 1 if relation == "adjacent" else n
    cost = _cost_of(parameter, steps) if n > 0 and inputs == outputs and "n" in inputs else None
    message = "geometric needs the same counts 0..n, n > 0, and a finite parameter"
    need(cost, _PART, message)
    if not claim.covers(cost):
        fail("epsilon", f"needs {cost}; claimed is {claim.epsilon}")
    yield f"On inputs {steps} apart, P differs by a factor e^({steps} parameter) <= e^epsilon."


def _cost_of(parameter: Any, steps: int) -> Number | None:
    """Return the parameter times the steps; None if there is none, or it would take forever."""
    if parameter and steps * parameter.ratio.numerator.bit_length() < LONGEST_POWER:
        return parameter.repeat(steps)
    return None
