"""A team: who may use a studio, what each of them may do, and the hashes of their tokens.

A token has 256 random bits, so that one round of SHA-256 is enough: nobody can try them all. The
file holds hashes only, and is read again when it changes: a user who is removed is out at once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from noisewright.errors import InputError
from noisewright.files import read_text, save_whole
from noisewright.given import one_of

RIGHTS = ("look", "spend", "grant")
"""What a user may do; each right includes those before it."""

_NEEDED = {
    "/api/draft": "look",
    "/api/advice": "look",
    "/api/explain": "look",
    "/api/design": "look",
    "/api/audit": "look",
    "/api/plans": "spend",
    "/api/jobs": "spend",
}
"""What it takes to write to an address, and to those below; to any other it takes the most."""

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._@ -]{0,62}[A-Za-z0-9])?")
_HASH = re.compile(r"[0-9a-f]{64}")
_REFUSALS = {
    "spend": "save plans or spend budget",
    "grant": "create a ledger or grant a budget",
}


@final
@dataclass(frozen=True)
class StudioUser:
    """Somebody who was let in; without a name where one person has the studio to themselves."""

    name: str | None = None
    may: str = "grant"

    def includes(self, right: str) -> bool:
        """Tell whether the user has a right."""
        return RIGHTS.index(right) <= RIGHTS.index(self.may)

    @property
    def author(self) -> str | None:
        """How the ledger names the user in entries; None leaves it to the operating system."""
        return None if self.name is None else f"{self.name} (studio user)"

    def refusal(self, path: str) -> str | None:
        """Say why the user may not write to an address; None if they may."""
        start = "/".join(path.split("/")[:3])
        right = _NEEDED.get(start, RIGHTS[-1])
        if self.includes(right):
            return None
        return (
            f"{self.name} may not {_REFUSALS.get(right, 'do that')} here, which needs the right "
            f"{right!r}. Ask whoever runs the studio."
        )


@final
class UserBook:
    """The users of a studio, in a file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._seen: tuple[int, int, int] | None = None
        self._users: dict[str, dict[str, str]] = {}

    def __len__(self) -> int:
        return len(self._read())

    def holder(self, token: str) -> StudioUser | None:
        """Return the user whose token this is."""
        given = hash_of(token)
        # All are compared, so that the time says nothing about which of them is near.
        same = [
            StudioUser(name, one["may"])
            for name, one in self._read().items()
            if secrets.compare_digest(given, one["token_sha256"])
        ]
        return same[0] if same else None

    def holds(self, name: str, token_hash: str) -> bool:
        """Tell whether a user still has the token of a hash."""
        found = self._read().get(name)
        return found is not None and secrets.compare_digest(token_hash, found["token_sha256"])

    def find(self, name: str) -> StudioUser | None:
        """Return a user with the rights that they have now."""
        found = self._read().get(name)
        return None if found is None else StudioUser(name, found["may"])

    def add(self, name: str, *, may: str = "spend") -> str:
        """Add a user, or renew the token of one, whose sessions end; return the token.

        The token is kept nowhere.
        """
        if not _NAME.fullmatch(name):
            raise InputError(
                f"the user name is {name!r}; write 1 to 64 letters, digits, spaces and . _ - @, "
                "and begin and end with a letter or a digit."
            )
        one_of(may, RIGHTS, name="may")
        token = secrets.token_urlsafe(32)
        self._write({**self._read(), name: {"may": may, "token_sha256": hash_of(token)}})
        return token

    def remove(self, name: str) -> None:
        """Remove a user, whose sessions end at once."""
        users = dict(self._read())
        if users.pop(name, None) is None:
            known = ", ".join(sorted(users)) or "nobody"
            raise InputError(f"there is no user {name!r} in {self._path.name}; it has {known}.")
        self._write(users)

    def _write(self, users: dict[str, dict[str, str]]) -> None:
        text = json.dumps({"version": 1, "users": users}, indent=2, sort_keys=True)
        save_whole(self._path, f"{text}\n".encode(), what="the list of users")
        self._path.chmod(0o600)

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            state = self._path.stat()
        except FileNotFoundError:
            self._seen, self._users = None, {}
            return self._users
        seen = (state.st_mtime_ns, state.st_size, state.st_ino)
        if seen != self._seen:
            self._users = _users_in(read_text(self._path, what="the list of users"), self._path)
            self._seen = seen
        return self._users


def hash_of(token: str) -> str:
    """Return what the file keeps of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _users_in(text: str, path: Path) -> dict[str, dict[str, str]]:
    problem = InputError(
        f"{path.name} is not a list of users of a studio. Make one with noisewright studio --user "
        'NAME, or write {"version": 1, "users": {NAME: {"may": "look", "spend" or "grant", '
        '"token_sha256": 64 hexadecimal digits}}}.'
    )
    try:
        document: Any = json.loads(text)
        users: dict[str, dict[str, str]] = document["users"]
        sound = document["version"] == 1 and all(
            _NAME.fullmatch(name)
            and set(one) == {"may", "token_sha256"}
            and one["may"] in RIGHTS
            and _HASH.fullmatch(one["token_sha256"])
            for name, one in users.items()
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise problem from None
    if not sound:
        raise problem
    return users
