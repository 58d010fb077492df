"""Which proof belongs to which form of mechanism.

All proofs are loaded here, so that a checker of which one is missing does not start at all.
"""

from collections.abc import Callable

from .blocks import prove_blocks, prove_padded
from .claim import PrivacyClaim
from .collection import prove_collection
from .columns import prove_columns
from .curve import prove_curve
from .document import brief
from .flips import prove_flips
from .geometric import prove_geometric
from .groups import prove_groups
from .items import prove_items
from .keys import prove_keys
from .laplace import prove_laplace
from .person import prove_person
from .query import prove_query
from .rappor import prove_rappor
from .report import Findings, fail, need
from .response import prove_response
from .rows import prove_rows
from .shuffled import prove_shuffled
from .staircase import prove_staircase
from .steps import prove_steps
from .table import prove_table

PROOFS: dict[str, Callable[[PrivacyClaim], Findings]] = {
    "table": prove_table,
    "geometric": prove_geometric,
    "response": prove_response,
    "noise": prove_laplace,
    "staircase": prove_staircase,
    "items": prove_items,
    "flips": prove_flips,
    "blocks": prove_blocks,
    "padded": prove_padded,
    "curve": prove_curve,
    "steps": prove_steps,
    "query": prove_query,
    "keys": prove_keys,
    "rappor": prove_rappor,
}
"""The proofs of mechanisms that stand for themselves."""

PROOFS_BY_PARTS: dict[
    str, Callable[[PrivacyClaim, Callable[[PrivacyClaim], Findings]], Findings]
] = {
    "rows": prove_rows,
    "person": prove_person,
    "columns": prove_columns,
    "collection": prove_collection,
    "groups": prove_groups,
    "shuffled": prove_shuffled,
}
"""The proofs of mechanisms that consist of others, which are proven first."""


def prove(claim: PrivacyClaim) -> Findings:
    """Return the proof of a claim, which yields what it finds, or raises NotProvenError."""
    form = claim.mechanism.get("form")
    plain = not claim.properties and claim.optimality is None
    able = form == "table" or form == "groups"  # which proves them of each of its tables
    need(able or plain, "claims", "only tables can claim properties")
    if isinstance(form, str) and form in PROOFS:
        return PROOFS[form](claim)
    if isinstance(form, str) and form in PROOFS_BY_PARTS:
        return PROOFS_BY_PARTS[form](claim, _prove_part)
    fail("mechanism", f"found the form {brief(form)}, which is not known")


def _prove_part(claim: PrivacyClaim) -> Findings:
    """Prove the claim of a part, for which "replace" means any change of all that it takes."""
    whole = claim.mechanism.get("form") == "shuffled"  # takes many rows, of which one changes
    need(not whole, "mechanism", "rows in random order are a file, and no part of anything else")
    return prove(claim)
