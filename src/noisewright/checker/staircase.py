"""Proof for staircase noise on a grid, which is given by its formula.

**Statement.** The noise is Z steps, P(Z = z) proportional to e^(−parameter L(|z|)), where the
stair of m steps is L(m) = (m + width − upper) // width (Geng and Viswanath 2014). For neighbors
at most t steps apart it is ε-private if ε ≥ parameter ⌈t / width⌉.

**Why.** Two inputs t steps apart see an output at distances that differ by at most t, and so on
stairs that differ by at most the number of widths that are begun in t. The constant of
proportionality is the same for all inputs. Moving outputs to the ends of the grid reveals no more
(see `grids.py`). A δ is not needed.
"""

from fractions import Fraction

from .claim import PrivacyClaim
from .document import read_fields
from .grids import read_grid
from .numbers import Number, read_number
from .report import Findings, fail, need

_PART = "mechanism"
_SHAPE = (
    "form: staircase, inputs: object, outputs: object, parameter: object, "
    "width: whole, upper: whole"
)


def prove_staircase(claim: PrivacyClaim) -> Findings:
    """Prove that ε is at least the parameter times the stairs between neighbors."""
    *_, section, width, upper = read_fields(claim.mechanism, _PART, _SHAPE)
    last, steps = read_grid(claim)
    parameter = read_number(section, _PART)
    need(0 < upper <= width <= last, _PART, "need 0 < upper <= width <= steps of the grid")
    stairs = -(-steps // width)
    if not (parameter and parameter > Number(Fraction(0)) and parameter.can_repeat(stairs)):
        fail(_PART, "need a parameter above 0 that is not absurdly large")
    cost = parameter.repeat(stairs)
    if not claim.covers(cost):
        fail("epsilon", f"needs {cost}; claimed is {claim.epsilon}")
    yield f"Inputs {steps} steps apart are {stairs} stairs apart at most: no more than epsilon."
