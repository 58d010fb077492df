"""Proofs of a claim, part by part where a mechanism consists of parts."""

from __future__ import annotations

from noisewright.errors import NotPrivateError, ParameterError
from noisewright.mechanisms import (
    ColumnProduct,
    Geometric,
    Guarantee,
    Mechanism,
    PersonMechanism,
    Response,
    Staircase,
)
from noisewright.privacy.subject import essential, parts_to_prove
from noisewright.privacy.verification import verify


def prove(mechanism: Mechanism, guarantee: Guarantee) -> None:
    """Prove a guarantee, or raise NotPrivateError; parts are proven one by one and added up."""
    part = essential(mechanism)
    if isinstance(part, (ColumnProduct, PersonMechanism)):
        _prove_sum(part, guarantee)
        return
    pure = part.pure_epsilon(part.reach) if isinstance(part, (Geometric, Staircase)) else None
    if pure is not None and guarantee.delta and guarantee.epsilon < pure:
        raise ParameterError(
            f"a certificate of the formula {part!r} claims no smaller epsilon than its own, "
            "whatever delta is. To trade epsilon for delta, certify a table (table=True, or its "
            ".table())."
        )
    verdict = verify(part, epsilon=guarantee.epsilon, delta=guarantee.delta)
    if not verdict:
        raise NotPrivateError(
            f"{verdict} Claim a larger epsilon or delta (tight_epsilon tells the least).",
            witness=verdict.witness,
        )


def _prove_sum(whole: ColumnProduct | PersonMechanism, guarantee: Guarantee) -> None:
    """Prove each part for every change of its value; the sum is what is certified."""
    for name, mechanism, claim in parts_to_prove(whole):
        if claim is None:
            raise NotPrivateError(f"{name} has no finite epsilon between every two of its values.")
        # Otherwise the claim was found for any change, from the formula or from the integers.
        if mechanism.space.neighbors == "replace" or isinstance(mechanism, Response):
            prove(mechanism, claim)
    total = whole.claim
    if total is None or not (total.epsilon <= guarantee.epsilon and total.delta <= guarantee.delta):
        parts = "columns" if isinstance(whole, ColumnProduct) else f"{whole.count:,} rows"
        raise NotPrivateError(
            f"the {parts} together spend {total}, more than the {guarantee} that is claimed."
        )
