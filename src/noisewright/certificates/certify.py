"""From a mechanism, or a design, to its certificate: what is claimed, and in which form."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from noisewright.certificates.certificate import Certificate, seal
from noisewright.errors import CertificateError, InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number
from noisewright.given import brief, several
from noisewright.mechanisms import (
    PAPER,
    Additive,
    ColumnProduct,
    CurveMechanism,
    Geometric,
    Guarantee,
    Laplace,
    Mechanism,
    PerItem,
    PersonMechanism,
    Response,
    SetFlips,
    SetMechanism,
    Staircase,
    Table,
    properties,
    read_delta,
)
from noisewright.privacy import (
    essential,
    parts_to_prove,
    prove,
    sets_within,
    tight_claim,
    tight_epsilon,
)
from noisewright.public import public
from noisewright.spaces import Rows


class Proven(Protocol):
    """A proof that no mechanism does better: dual values that the checker adds up again."""

    def describe(self) -> dict[str, Any]:
        """Return the proof as a certificate writes it."""
        ...

    def speaks_of(self, guarantee: Guarantee, properties: Iterable[str]) -> bool:
        """Tell whether it compares with mechanisms of this guarantee, and these properties."""
        ...


_LONGEST_POWER = 1 << 12
"""The checker raises r to whole distances below this."""

_FINE = 192

_FORMS = (Table, Geometric, Response, Laplace, Staircase, PerItem, SetFlips)
"""The mechanisms that the checker has a form for, besides products and curves."""


class Designed(Protocol):
    """Whatever carries a mechanism, as a design does; the room of designs lies above this one."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism to certify."""
        ...

    @property
    def proof(self) -> Proven | None:
        """The proof that nothing is better, if it can be written down."""
        ...


@public
def certify(
    mechanism: Mechanism | Designed,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number | None = None,
    alpha: Number | None = None,
    properties: Iterable[str] | None = None,
    optimality: bool = True,
) -> Certificate:
    """Prove the guarantee of a mechanism, or of a design's mechanism; return the certificate.

    The claim is the one given; else the one the mechanism was made for; else the least ε at
    the given δ (0 by default). `properties` are the structural codes to claim: by default all
    that hold. Of a design the certificate also claims that nothing is better than it, with the
    proof; `optimality=False` leaves that out, and so does another claim than the design's own.
    Ensures: everything claimed was checked in exact arithmetic; a false claim raises
    NotPrivateError with its witness.
    """
    proof = None
    if not isinstance(mechanism, Mechanism):
        proof = getattr(mechanism, "proof", None) if optimality else None
        mechanism = _mechanism_of(mechanism)
    guarantee = _writable(mechanism, _claim(mechanism, epsilon, delta, alpha))
    prove(mechanism, guarantee)
    _require_form(mechanism, guarantee)
    claims: dict[str, Any] = {
        **guarantee.describe(),
        "properties": _claimed_properties(mechanism, properties),
    }
    if proof is not None and proof.speaks_of(guarantee, claims["properties"]):
        claims["optimality"] = proof.describe()
    sections: dict[str, Any] = {
        "mechanism": mechanism.describe(),
        "neighbors": _neighbors_of(mechanism),
        "claims": claims,
    }
    return seal(sections, guarantee)


def _mechanism_of(design: Any) -> Mechanism:
    inner = getattr(design, "mechanism", None)
    if not isinstance(inner, Mechanism):
        if isinstance(getattr(type(design), "certificate", None), property | cached_property):
            raise InputError(
                f"this {type(design).__name__} already carries its proven certificate: use "
                ".certificate instead of calling certify()."
            )
        raise InputError(
            f"certify() takes a mechanism or a design; got {type(design).__name__}. Make a "
            "mechanism first, for example with nw.from_matrix(space, matrix)."
        )
    return inner


def _claim(
    mechanism: Mechanism,
    epsilon: Number | Epsilon | None,
    delta: Number | None,
    alpha: Number | None,
) -> Guarantee:
    if epsilon is not None or alpha is not None:
        return Guarantee(epsilon, delta or 0, alpha=alpha)
    claim = mechanism.claim
    if claim is not None and (delta is None or read_delta(delta) == claim.delta):
        return claim
    if isinstance(essential(mechanism), Geometric) and claim is not None:
        return Guarantee(claim.epsilon, delta or 0)
    if isinstance(essential(mechanism), Additive):
        return Guarantee(tight_epsilon(mechanism, delta=delta or 0), delta or 0)
    least = tight_claim(mechanism, delta=delta or 0)
    if least is None:
        raise NotPrivateError(
            f"no finite epsilon holds at delta={delta or 0}: some output is possible for one "
            "input and impossible for its neighbor. Give a larger delta=, or correct the zeros."
        )
    return Guarantee(least, delta or 0)


def _writable(mechanism: Mechanism, guarantee: Guarantee) -> Guarantee:
    """Return a claim that the checker can read: ε = ln(r) is not a number it raises to roots.

    Where distances are not whole, a rational just above it is claimed instead.
    """
    space = essential(mechanism).space
    if guarantee.epsilon.ratio is None or not space.by_distance:
        return guarantee
    pairs = space.neighbor_codes().tolist()
    distances = {Fraction(space.neighbor_distance(a, b)) for a, b in pairs}
    if all(d.denominator == 1 and d < _LONGEST_POWER for d in distances):
        return guarantee
    above = Fraction(guarantee.epsilon.bounds(_FINE)[1], 1 << _FINE)
    return Guarantee(Epsilon(rational=above), guarantee.delta)


def _claimed_properties(mechanism: Mechanism, codes: Iterable[str] | None) -> list[str]:
    if not isinstance(mechanism, Table):
        if codes:
            raise ParameterError("structural properties can only be claimed for tables.")
        return []
    # A certificate speaks of the seven of the paper, and of outputs that are the inputs.
    same = mechanism.outputs == mechanism.space
    held = properties(mechanism) & set(PAPER) if same else frozenset[str]()
    if codes is None:
        return sorted(held)
    wanted = [codes] if isinstance(codes, str) else several(codes, name="properties", of="codes")
    for code in wanted:
        if not isinstance(code, str) or code not in held:
            raise NotPrivateError(
                f"the mechanism does not have the property {brief(code)}; of those that a "
                f"certificate can claim ({', '.join(PAPER)}) it has "
                f"{', '.join(sorted(held)) or 'none'}."
            )
    return sorted(set(wanted))


def _neighbors_of(mechanism: Mechanism) -> dict[str, Any]:
    """Return the relation: a table over databases has no product form, so it lists its pairs."""
    space = mechanism.space
    if isinstance(mechanism, Table) and isinstance(space, Rows):
        return space.describe_listed_neighbors()
    return space.describe_neighbors()


def _require_form(mechanism: Mechanism, claim: Guarantee, *, where: str = "") -> None:
    """Refuse what the checker has no form for; a certificate nobody can check is none."""
    part = essential(mechanism)
    if isinstance(part, (ColumnProduct, PersonMechanism)):
        for name, inner, own in parts_to_prove(part):
            place = f"{where}{name}: " if isinstance(part, ColumnProduct) else where
            _require_form(inner, own or claim, where=place)
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
