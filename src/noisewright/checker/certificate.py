"""Checking a certificate: its digests, its claims, and the sentence that says what it promises.

A certificate has the sections `mechanism`, `neighbors` and `claims`, a digest of each, and a
digest of all. Digests prove nothing about privacy: they tell which section somebody changed by
mistake, and the last one is what people compare with a published value. The claims are proven
from the sections alone.
"""

import os
from fractions import Fraction
from typing import Any

from .claim import PrivacyClaim
from .document import brief, digest_of, read_fields, read_json
from .numbers import Number, read_number
from .proofs import prove
from .properties import PROPERTIES
from .report import Failure, NotProvenError, Report, need, report_of
from .units import unit_of

_FORMAT = "noisewright-certificate"
_VERSION = 1
_SHAPE = (
    f"format: {_FORMAT}, version: whole, claims: object, mechanism: object, neighbors: object, "
    "made_by: text, digests: object, digest: text"
)
_CLAIMS = "epsilon: object, delta: chance, properties: list"


def check(document: Any) -> Report:
    """Prove every claim of a certificate again. Nothing in the document makes this raise."""
    findings: list[str | Failure] = []
    try:
        _read_format(document)
        findings.extend(_changed_sections(document))
        claim = _read_claim(document)
        findings.extend(prove(claim))
        findings.append(f"What the certificate promises: {_promise_of(claim)}.")
    except NotProvenError as error:
        findings.append(error.failure)
    except Exception as error:  # whatever it is: what cannot be proven does not hold
        findings.append(Failure("format", f"wrong: {error}"))
    return report_of(findings)


def check_file(path: str | os.PathLike[str]) -> Report:
    """Prove every claim of a certificate in a file again."""
    try:
        document = read_json(path)
    except (NotProvenError, OSError, ValueError, RecursionError) as error:
        return report_of([Failure("format", f"cannot read {os.fspath(path)}: {error}")])
    return check(document)


def _read_format(document: Any) -> None:
    known = isinstance(document, dict) and document.get("format") == _FORMAT
    need(known, "format", f"found {brief(document)}, which is not a certificate")
    version = document.get("version")
    message = f"version is {brief(version)}, not {_VERSION}; get a newer checker"
    need(version == _VERSION, "format", message)
    read_fields(document, "format", _SHAPE)
    read_fields(document["digests"], "format", "mechanism: text, neighbors: text, claims: text")


def _changed_sections(document: dict[str, Any]) -> list[Failure]:
    everything = {field: value for field, value in document.items() if field != "digest"}
    sections = {name: (document[name], digest) for name, digest in document["digests"].items()}
    sections["digest"] = (everything, document["digest"])
    return [
        Failure(name, "changed after it was made: the digest differs")
        for name, (section, digest) in sections.items()
        if digest_of(section) != digest
    ]


def _read_claim(document: dict[str, Any]) -> PrivacyClaim:
    shapes = (_CLAIMS, f"{_CLAIMS}, optimality: object")
    epsilon, delta, codes, *optimality = read_fields(document["claims"], "claims", *shapes)
    number = read_number(epsilon, "claims")
    names = {str(code) for code in codes}
    ok = names <= PROPERTIES.keys() and len(names) == len(codes)
    need(ok, "claims", f"found properties {brief(codes)}; need different ones of the seven")
    return PrivacyClaim(
        document["mechanism"],
        document["neighbors"],
        number,
        Fraction(delta),
        tuple(codes),
        optimality[0] if optimality else None,
    )


def _promise_of(claim: PrivacyClaim) -> str:
    """Say in words what was proven; numbers are rounded up."""
    if claim.epsilon is None or claim.delta == 1:
        return "nothing"
    epsilon, delta = claim.epsilon.to_decimal(), Number(claim.delta).to_decimal()
    against = ""
    if claim.mechanism["form"] == "shuffled":
        against = ", against whoever sees only the published file, whose rows are in random order"
    return f"epsilon {epsilon}, delta {delta}, {unit_of(claim.mechanism, claim.neighbors)}{against}"
