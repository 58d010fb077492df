"""A certificate: its content, how it is sealed by digests, written, and proven again."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from noisewright import checker
from noisewright.errors import CertificateError
from noisewright.files import save_whole
from noisewright.given import of_kind
from noisewright.mechanisms import Guarantee
from noisewright.public import public, public_methods
from noisewright.version import __version__


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
        data = self.to_json().encode()
        return save_whole(path, data, what="the certificate", error=CertificateError)

    def __repr__(self) -> str:
        return f"<certificate: {self.guarantee} {self.unit}, digest {self.digest[:12]}…>"


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


def seal_proven(sections: dict[str, Any], guarantee: Guarantee, *, what: str) -> Certificate:
    """Return the certificate of these sections, which the stand-alone checker has proven.

    Ensures: CertificateError if it has not; `what` says of what the guarantee was to be proven.
    """
    made = seal(sections, guarantee)
    report = checker.check(made.document)
    if not report:
        found = "; ".join(f"{failure.part}: {failure.message}" for failure in report.failures[:3])
        raise CertificateError(
            f"{guarantee} is not proven for {what}. {found}. Nothing was spent or drawn."
        )
    return made


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _digest(section: Any) -> str:
    text = json.dumps(section, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


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
