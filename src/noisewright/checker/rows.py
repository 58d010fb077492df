"""Proof for a table of many rows, each randomized by the same mechanism, of which one row changes.

**Statement.** `count` rows are randomized independently by the parent mechanism. If the parent is
(ε, δ)-private, so is the table of all outputs, for two tables that differ in one row. Without
"row" in the neighbors the row may become any other; with "row", only as the parent's neighbors
do.

**Why.** The rows that do not differ have the same distribution on both sides, and are independent
of the one that does: they can be drawn without knowing on which side one is (post-processing). So
what is proven here is the parent's claim, for the changes of a row that the neighbors name: for
*any* change, unless "row" repeats the parent's own relation.

**On trust.** That rows were randomized independently.
"""

from collections.abc import Callable
from dataclasses import replace

from .claim import PrivacyClaim
from .document import brief, read_fields
from .neighbors import RELATIONS
from .report import Findings, need

_SHAPES = ("relation: one row", "relation: one row, row: text")


def prove_rows(claim: PrivacyClaim, prove: Callable[[PrivacyClaim], Findings]) -> Findings:
    """Prove the claim for the parent."""
    shape = "form: rows, count: whole, parent: object"
    _, count, parent = read_fields(claim.mechanism, "mechanism", shape)
    _, *changes = read_fields(claim.neighbors, "neighbors", *_SHAPES)
    inner, relation = read_fields(parent, "mechanism", "mechanism: object, neighbors: object")
    need(count, "mechanism", "no rows")
    if changes:  # which change of a row it is, is said twice
        own = relation.get("row", relation.get("relation"))
        ok = changes[0] == own and own in ("adjacent", "pairs", "metric")
        message = f"found {brief(changes[0])} as the change of a row; need the "
        need(ok, "neighbors", f"{message}parent's relation: adjacent, pairs or metric")
    else:  # whatever the parent calls a neighbor, it is proven for any change
        read_fields(relation, "neighbors", *RELATIONS, *_SHAPES)
        relation = {"relation": "one row" if inner.get("form") == "rows" else "replace"}
        yield "Neighbors (one row): a row may become any other, so the parent must allow that."
    part = replace(claim, mechanism=inner, neighbors=relation)
    yield from prove(part)
    yield f"The {count} rows are independent, so all but the one that differs cancel."
