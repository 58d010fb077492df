"""Proof for a record of several columns, each randomized by its own mechanism.

**Statement.** Column c is (ε_c, δ_c)-private for any change of its value, and columns are
randomized independently. Then the record is (Σ ε_c, Σ δ_c)-private for replacing all of it.

**Why.** Basic composition (Dwork, McSherry, Nissim and Smith 2006; Dwork and Roth 2014, Theorem
3.16): the independent parts of a product add up.

**On trust.** That columns were randomized independently.
"""

from collections.abc import Callable
from fractions import Fraction

from .claim import PrivacyClaim, read_epsilon_delta
from .document import canonical, read_fields
from .numbers import Number
from .report import Failure, Findings, fail, need

_SHAPE = "form: columns, columns: list"
_COLUMN = "name: text, mechanism: object, neighbors: object, claims: object"


def prove_columns(claim: PrivacyClaim, prove: Callable[[PrivacyClaim], Findings]) -> Findings:
    """Prove the claim of each column, and that they add up to no more than is claimed."""
    _, columns = read_fields(claim.mechanism, "mechanism", _SHAPE)
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    spent: Number | None = Number(Fraction(0))
    lost, names = Fraction(0), set[str]()
    for column in columns:
        name, inner, relation, claims = read_fields(column, "mechanism", _COLUMN)
        read_fields(relation, "neighbors", "relation: replace")
        epsilon, delta = read_epsilon_delta(claims)
        name = canonical(name)  # so that no control character reaches a terminal
        for item in prove(PrivacyClaim(inner, relation, epsilon, delta)):
            yield _name_column(name, item)
        spent = spent and epsilon and _add(spent, epsilon)
        lost, names = lost + delta, names | {name}
    need(0 < len(columns) == len(names), "mechanism", "need columns with different names")
    if not claim.covers(spent):
        total = spent or "infinity"
        fail("epsilon", f"the columns add up to {total}; claimed is {claim.epsilon}")
    if lost > claim.delta:
        fail("delta", f"the columns add up to {Number(lost)}; claimed is {claim.delta}")
    yield "Columns are independent: epsilons and deltas add up to no more than is claimed."


def _add(a: Number, b: Number) -> Number:
    return Number(a.value + b.value, a.ratio * b.ratio)


def _name_column(name: str, item: str | Failure) -> str | Failure:
    """Say of which column something was found."""
    if isinstance(item, Failure):
        return Failure(f"{name}: {item.part}", item.message)
    return f"{name}: {item}"
