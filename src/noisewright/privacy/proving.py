"""What is proven before a certificate is written, and what certificates have a form for."""

from __future__ import annotations

from collections.abc import Iterator

from noisewright.errors import CertificateError, NotPrivateError, ParameterError
from noisewright.mechanisms import (
    ColumnProduct,
    CurveMechanism,
    Geometric,
    Guarantee,
    Laplace,
    Mechanism,
    PerItem,
    PersonRows,
    Response,
    SetFlips,
    SetMechanism,
    Staircase,
    Table,
    any_change,
)
from noisewright.privacy.formulas.sets import sets_within
from noisewright.privacy.subject import essential
from noisewright.privacy.verification import verify

_FORMS = (Table, Geometric, Response, Laplace, Staircase, PerItem, SetFlips)


def prove(mechanism: Mechanism, guarantee: Guarantee) -> None:
    """Prove a guarantee, or raise NotPrivateError; parts are proven one by one and added up."""
    part = essential(mechanism)
    if isinstance(part, (ColumnProduct, PersonRows)):
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


def _prove_sum(whole: ColumnProduct | PersonRows, guarantee: Guarantee) -> None:
    """Prove each part for every change of its value; the sum is what is certified."""
    for name, mechanism, claim in _parts(whole):
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


def _parts(
    whole: ColumnProduct | PersonRows,
) -> Iterator[tuple[str, Mechanism, Guarantee | None]]:
    """Return parts with a name for messages and with what each is to be proven for."""
    if isinstance(whole, PersonRows):
        yield "a row", whole.row, whole.row_claim
        return
    for name, mechanism in whole.columns:
        yield f"the column {name!r}", mechanism, any_change(mechanism)


def require_form(mechanism: Mechanism, claim: Guarantee, *, where: str = "") -> None:
    """Refuse what the checker has no form for; a certificate nobody can check is none."""
    part = essential(mechanism)
    if isinstance(part, (ColumnProduct, PersonRows)):
        for name, inner, own in _parts(part):
            place = f"{where}{name}: " if isinstance(part, ColumnProduct) else where
            require_form(inner, own or claim, where=place)
        return
    if isinstance(part, SetMechanism) and not sets_within(part, claim.epsilon):
        raise CertificateError(
            f"{where}certificates prove formulas on sets without a delta only; {part!r} needs one. "
            "If it is small certify its .table(); verify and tight_delta prove it from the formula."
        )
    if isinstance(part, CurveMechanism):
        why = part.without_form()
        if why is not None:
            raise CertificateError(
                f"{where}certificates have no form for curves with {why}; verify proves the claim."
            )
        return
    if not isinstance(part, _FORMS):
        raise CertificateError(
            f"{where}certificates have no form for {part!r} yet. If it is small certify its "
            ".table(); verify and tight_epsilon prove it from the formula."
        )
