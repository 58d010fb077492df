"""One entry of the ledger, and the hash that ties it to the entry before.

An entry's hash is the SHA-256 of its fields as JSON: keys sorted, no spaces, ASCII. The field
`previous` is the hash of the entry before (of the ledger's own description for the first), so
that a change anywhere changes every hash after it. `unit`, `claim` and `rho` are among the fields
where they are set: entries of a ledger from before there were any have the same form as ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import Any

from noisewright.errors import AlteredLedgerError, ParameterError
from noisewright.exact import exactly, show
from noisewright.ledger.totals import read_epsilon
from noisewright.mechanisms import Guarantee
from noisewright.privacy import ZeroConcentrated
from noisewright.public import public_methods

REGISTER, GRANT, SPEND, RELEASED, WASTED = "register", "grant", "spend", "released", "wasted"
CHECKPOINT = "checkpoint"
KINDS = (REGISTER, GRANT, SPEND, RELEASED, WASTED, CHECKPOINT)
RESERVED = "reserved"
"""The state of a spend that is neither released nor wasted yet."""


@public_methods
@dataclass(frozen=True)
class LedgerEntry:
    """One line of the ledger: a registration, a grant, a spend, or what became of a spend.

    `about` is the entry number of the spend that was released or wasted. `epsilon` and `delta`
    are exact, as text: '1/2' or 'ln(3/2)'. They are what was granted, or charged, for each person
    as `unit` defines it; `claim` is what was promised, and for whom. Both are JSON. Where `rho` is
    set, the account is in ρ and that is what adds up. What is spent on a part of the data, which
    `claim` then names, adds up in that part. A checkpoint says in `what` what all entries before it
    add up to.
    """

    sequence: int
    token: str
    kind: str
    dataset: str
    about: int | None
    epsilon: str | None
    delta: str | None
    what: str
    certificate: str | None
    fingerprint: str | None
    who: str
    at: str
    previous: str
    hash: str
    unit: str | None = None
    claim: str | None = None
    rho: str | None = None

    @property
    def guarantee(self) -> Guarantee:
        """What was granted or spent, as exact numbers; `rho` is not part of it."""
        return Guarantee(read_epsilon(self.epsilon or "0"), exactly(self.delta or "0"))

    @property
    def amount_text(self) -> str:
        """What was granted or spent, in words, in the currency of the account."""
        return str(self.guarantee) if self.rho is None else f"rho={show(exactly(self.rho))}"

    def as_row(self) -> dict[str, Any]:
        """Return the entry as a row of the database."""
        return asdict(self)

    def as_line(self) -> dict[str, Any]:
        """Return the fields that are hashed, and the hash: the entry's line in an export."""
        return _hashed_content(self.as_row())

    @classmethod
    def seal(cls, content: Mapping[str, Any]) -> LedgerEntry:
        """Return an entry with its hash."""
        return cls(**content, hash=digest_of(_hashed_content(content)))

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> LedgerEntry:
        """Read a row; refuse it when its content does not match its hash."""
        known = _hashed_content({name: value for name, value in row.items() if name in _NAMES})
        content = {name: value for name, value in known.items() if name != "hash"}
        if not set(known) >= _NAMES - _LATER or row["hash"] != digest_of(content):
            raise AlteredLedgerError(
                f"the content of entry {row.get('sequence')} does not match its hash",
                entry=row.get("sequence"),
            )
        return cls(**known)


_NAMES = {field.name for field in fields(LedgerEntry)}
_LATER = {"unit", "claim", "rho"}


def _hashed_content(row: Mapping[str, Any]) -> dict[str, Any]:
    return {k: value for k, value in row.items() if value is not None or k not in _LATER}


def digest_of(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of fields in their canonical form."""
    # What a database can hold beyond text and whole numbers is no entry of ours; it gets a form
    # all the same, so that it is reported as altered and not as a failure of this code.
    text = json.dumps(dict(content), sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read_amounts(entry: LedgerEntry) -> tuple[Guarantee, Fraction | None]:
    """Return the numbers of an entry whose hash is right; refuse what is no guarantee."""
    try:
        rho = None if entry.rho is None else ZeroConcentrated(entry.rho).rho
        return entry.guarantee, rho
    except ParameterError as problem:
        raise AlteredLedgerError(
            f"entry {entry.sequence} holds no guarantee: {problem}", entry=entry.sequence
        ) from problem


def plain_text(text: str, *, name: str, longest: int = 2_000, required: bool = False) -> str:
    """Return a text that every database stores as it is; refuse one that some would change."""
    if not isinstance(text, str):
        raise ParameterError(f"{name} is of type {type(text).__name__}; give a text.")
    if required and not text.strip():
        raise ParameterError(f"{name} is empty; write a few words for those who read it later.")
    if len(text) > longest:
        raise ParameterError(f"{name} has {len(text):,} characters; at most {longest:,} are kept.")
    bad = next((i for i, c in enumerate(text) if not c.isprintable() and c != "\n"), None)
    if bad is not None:
        raise ParameterError(
            f"{name} has a character at position {bad} that cannot be printed; leave it out."
        )
    return text


def certificate_digest(certificate: object) -> str | None:
    """Return the digest of a certificate, or of what was given as one."""
    if certificate is None:
        return None
    digest = getattr(certificate, "digest", certificate)
    text = digest.removeprefix("sha256:").lower() if isinstance(digest, str) else ""
    if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
        raise ParameterError(
            "certificate= is neither a certificate nor a digest of 64 hexadecimal digits."
        )
    return text
