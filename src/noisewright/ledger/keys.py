"""The key of a ledger's fingerprints: kept in the ledger, or by the caller."""

from __future__ import annotations

import hmac
import secrets

from noisewright.errors import AlteredLedgerError, LedgerError, ParameterError

_SHORTEST = 16


def new_key() -> bytes:
    """Return a fresh key."""
    return secrets.token_bytes(32)


def read_key(key: bytes | str) -> bytes:
    """Read a key: bytes, or hexadecimal digits."""
    try:
        value = bytes.fromhex(key) if isinstance(key, str) else bytes(key)
    except (TypeError, ValueError) as problem:
        raise ParameterError("a ledger's key is bytes, or text of hexadecimal digits.") from problem
    if len(value) < _SHORTEST:
        raise ParameterError(
            f"the key has {len(value)} bytes; at least {_SHORTEST} are needed so that it cannot be "
            "guessed. Make one with secrets.token_bytes(32)."
        )
    return value


def key_check(key: bytes) -> str:
    """Return what a ledger keeps to recognize its key without holding it."""
    return hmac.new(key, b"noisewright ledger key 1", "sha256").hexdigest()


def require_same(key: bytes, check: str, shown: str) -> bytes:
    """Return the key if it is the one that the ledger was made with."""
    if not hmac.compare_digest(key_check(key).encode(), check.encode("utf-8", "replace")):
        raise LedgerError(
            f"this is not the key of the ledger {shown}: under another key the same data looks "
            "new. Give the key that the ledger was created with."
        )
    return key


def kept_key(key: str | None, check: str, shown: str) -> bytes | None:
    """Return the key that a ledger keeps, if it keeps one; refuse one that was edited."""
    try:
        return None if key is None else require_same(read_key(key), check, shown)
    except (LedgerError, ParameterError):
        raise AlteredLedgerError(
            f"the ledger {shown} was altered: its key is not the one it was made with. Restore it "
            "from a backup; under another key known data looks new."
        ) from None
