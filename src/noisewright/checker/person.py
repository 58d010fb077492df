"""Proof for all rows of one person, up to a number of them, which may all change at once.

**Statement.** Each row is randomized independently by the parent mechanism, which is (ε₁,
δ₁)-private for any change of its row. Then up to `rows` rows are (rows ε₁, rows δ₁)-private for
replacing all of them.

**Why.** Basic composition (Dwork, McSherry, Nissim and Smith 2006; Dwork and Roth 2014, Theorem
3.16): the independent parts of a product add up. A person with fewer rows costs no more.

**On trust.** That no person has more rows than `rows`, and that rows were randomized
independently.
"""

from collections.abc import Callable
from fractions import Fraction

from .claim import PrivacyClaim, read_epsilon_delta
from .document import read_fields
from .numbers import Number
from .report import Findings, fail, need

_SHAPE = "form: person, rows: whole, parent: object"


def prove_person(claim: PrivacyClaim, prove: Callable[[PrivacyClaim], Findings]) -> Findings:
    """Prove what one row costs, and that so many rows cost no more than is claimed."""
    _, rows, parent = read_fields(claim.mechanism, "mechanism", _SHAPE)
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    shape = "mechanism: object, neighbors: object, claims: object"
    inner, relation, claims = read_fields(parent, "mechanism", shape)
    read_fields(relation, "neighbors", "relation: replace")
    epsilon, delta = read_epsilon_delta(claims)
    need(rows > 0, "mechanism", "need at least one row")
    short = epsilon is None or epsilon.can_repeat(rows)
    need(short, "claims", "these are too many rows for the logarithm of so long a number")
    yield from prove(PrivacyClaim(inner, relation, epsilon, delta))
    cost, lost = epsilon and epsilon.repeat(rows), rows * delta
    if not claim.covers(cost):
        found = f"{rows} rows cost {cost or 'infinity'}; claimed is {claim.epsilon}"
        fail("epsilon", found)
    enough = min(lost, Fraction(1)) <= claim.delta
    need(enough, "delta", f"{rows} rows cost {Number(lost)}, more than that")
    yield f"Up to {rows} rows of a person are independent and cost {rows} times one row."
