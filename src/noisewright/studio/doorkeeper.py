"""Who may come in: a token opens the door, and a cookie keeps it open for that browser.

Where one person has the studio to themselves, a token works once, and the terminal shows the next
one. A team has a list of users, each with a token of their own that works until it is renewed.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from noisewright.studio.users import StudioUser, UserBook, hash_of

_MOST_SESSIONS = 64
_MOST_TEAM_SESSIONS = 1024
_LONGEST = 12 * 3600.0
"""Seconds after which a user of a team gives their token again."""


@final
@dataclass(frozen=True)
class _Session:
    secret: str
    user: str | None
    begun: float
    token_hash: str = ""


@final
class Doorkeeper:
    """Tokens, and the sessions that they opened, which live in memory only.

    `announce` is called with a new token once the last one was used, so that a second browser can
    be let in by whoever reads the terminal. With `users`, only their tokens open the door.
    """

    def __init__(
        self,
        *,
        announce: Callable[[str], None] | None = None,
        users: UserBook | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lock = threading.Lock()
        self._announce = announce
        self._users = users
        self._clock = clock
        self._sessions: list[_Session] = []
        self.token = secrets.token_urlsafe(32)

    @property
    def has_team(self) -> bool:
        """Whether users come in with tokens of their own."""
        return self._users is not None

    def exchange(self, token: str) -> str | None:
        """Return a session for a token; None if it opens nothing. That of a terminal works once."""
        if self._users is not None:
            user = self._users.holder(token)
            return None if user is None else self._open(user.name, hash_of(token))
        with self._lock:
            if not secrets.compare_digest(token.encode(), self.token.encode()):
                return None
            following = self.token = secrets.token_urlsafe(32)
        session = self._open(None)
        if self._announce is not None:
            self._announce(following)
        return session

    def visitor(self, session: str) -> StudioUser | None:
        """Return who opened a session, with the rights that they have now; None if nobody did."""
        given = session.encode("utf-8", "replace")
        # All are compared, so that the time says nothing about which of them is near.
        same = [one for one in self._sessions if secrets.compare_digest(given, one.secret.encode())]
        if not same:
            return None
        if self._users is None:
            return StudioUser()
        found = same[0]
        if found.user is None or self._clock() - found.begun > _LONGEST:
            return None
        # Whoever took a token that was renewed since is out, with the sessions that it opened.
        holds = self._users.holds(found.user, found.token_hash)
        return self._users.find(found.user) if holds else None

    def holder(self, token: str) -> StudioUser | None:
        """Return the user of a team whose token this is, as a program presents it."""
        return None if self._users is None else self._users.holder(token)

    def dismiss(self, session: str) -> None:
        """Forget a session."""
        with self._lock:
            self._sessions = [one for one in self._sessions if one.secret != session]

    def _open(self, user: str | None, token_hash: str = "") -> str:
        session = secrets.token_urlsafe(32)
        most = _MOST_SESSIONS if self._users is None else _MOST_TEAM_SESSIONS
        with self._lock:
            kept = [*self._sessions, _Session(session, user, self._clock(), token_hash)]
            self._sessions = kept[-most:]
        return session
