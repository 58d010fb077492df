"""Certificates: files that let anyone re-check a guarantee without trusting us.

A certificate holds the mechanism, the neighbors, the exact claims and digests of each part.
The room `checker` proves it again with nothing but the standard library.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from noisewright import checker
from noisewright.errors import CertificateError, InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number
from noisewright.files import write_whole
from noisewright.given import brief, of_kind, several
from noisewright.mechanisms import (
    PAPER,
    Additive,
    Geometric,
    Guarantee,
    Mechanism,
    Table,
    number,
    properties,
    read_delta,
)
from noisewright.privacy.proving import prove, require_form
from noisewright.privacy.subject import essential
from noisewright.privacy.tight import tight_claim, tight_epsilon
from noisewright.public import public, public_methods
from noisewright.spaces import Rows
from noisewright.version import __version__


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


@public_methods
@dataclass(frozen=True)
class Certificate:
    """A proven claim about a mechanism, or about many private steps, ready to be saved."""

    document: dict[str, Any]
    guarantee: Guarantee

    @cached_property
    def unit(self) -> checker.Unit:
        """What ε is counted for: which change of whose data; its text says it in words."""
        return checker.unit_of(self.document["mechanism"], self.document["neighbors"])

    @property
    def digest(self) -> str:
        """The SHA-256 of the certificate's content; publish it beside the file."""
        return self.document["digest"]

    @property
    def properties(self) -> tuple[str, ...]:
        """The codes of the structural properties that are claimed."""
        return tuple(self.document["claims"]["properties"])

    @property
    def bound(self) -> float | None:
        """What no mechanism's loss is below, if that is claimed; the checker proves it again."""
        optimality = self.document["claims"].get("optimality")
        return None if optimality is None else float(Fraction(optimality["bound"]))

    def to_json(self) -> str:
        """Return the certificate as JSON text."""
        text = json.dumps(self.document, indent=1, ensure_ascii=False) + "\n"
        # Labels may hold lone surrogates (from odd file names), which UTF-8 cannot write.
        return text if text.isascii() or _is_utf8(text) else json.dumps(self.document) + "\n"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the certificate; an existing file is replaced whole or not at all."""
        try:
            write_whole(path, self.to_json().encode())
        except OSError as problem:
            raise CertificateError(
                f"cannot write the certificate to {os.fspath(path)!r}: {problem.strerror}. Choose "
                "a folder that exists and that you may write to."
            ) from problem
        return Path(path)

    def __repr__(self) -> str:
        return f"<certificate: {self.guarantee} {self.unit}, digest {self.digest[:12]}…>"


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
    require_form(mechanism, guarantee)
    claims: dict[str, Any] = {
        "epsilon": number(guarantee.epsilon),
        "delta": str(guarantee.delta),
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


def seal(sections: dict[str, Any], guarantee: Guarantee) -> Certificate:
    """Return the certificate that consists of these sections: mechanism, neighbors and claims."""
    document: dict[str, Any] = {
        "format": "noisewright-certificate",
        "version": 1,
        **sections,
        "made_by": f"noisewright {__version__}",
        "digests": {name: _digest(section) for name, section in sections.items()},
    }
    document["digest"] = _digest(document)
    return Certificate(document, guarantee)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mechanism_of(design: Any) -> Mechanism:
    inner = getattr(design, "mechanism", None)
    if not isinstance(inner, Mechanism):
        if isinstance(getattr(type(design), "certificate", None), property | cached_property):
            raise InputError(
                f"this {type(design).__name__} has its certificate with it, proven: take "
                ".certificate instead of calling certify()."
            )
        raise InputError(
            f"certify() takes a mechanism or a design; got {type(design).__name__}. Make a "
            "mechanism first, for example with nw.from_matrix(space, matrix)."
        )
    return inner


def _digest(section: Any) -> str:
    text = json.dumps(section, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


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
            "input and impossible for its neighbor. Give a larger delta=, or mend the zeros."
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
            raise ParameterError("structural properties can be claimed for tables only.")
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


@public
def check(certificate: str | os.PathLike[str] | Certificate | dict[str, Any]) -> checker.Report:
    """Re-prove a certificate with the stand-alone checker; the report is true if all holds."""
    if isinstance(certificate, Certificate):
        return checker.check(json.loads(certificate.to_json()))
    if isinstance(certificate, dict):
        return checker.check(certificate)
    of_kind(
        certificate,
        (str, os.PathLike),
        name="certificate",
        such_as="a certificate, or the path of one",
    )
    return checker.check_file(os.fspath(certificate))
