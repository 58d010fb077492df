"""Who may come in: a token opens the door once, and a cookie keeps it open for that browser."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import final

_MOST_SESSIONS = 64


@final
class Doorkeeper:
    """Tokens that are used up, and the sessions that they opened; both live in memory only.

    `announce` is called with a new token once the last one was used, so that a second browser can
    be let in by whoever reads the terminal.
    """

    def __init__(self, *, announce: Callable[[str], None] | None = None) -> None:
        self._lock = threading.Lock()
        self._announce = announce
        self._sessions: list[str] = []
        self.token = secrets.token_urlsafe(32)

    def exchange(self, token: str) -> str | None:
        """Return a session for the token, which is worth nothing afterwards; None if it is not."""
        with self._lock:
            if not secrets.compare_digest(token.encode(), self.token.encode()):
                return None
            self.token = secrets.token_urlsafe(32)
            session = secrets.token_urlsafe(32)
            self._sessions = [*self._sessions, session][-_MOST_SESSIONS:]
            following = self.token
        if self._announce is not None:
            self._announce(following)
        return session

    def recognizes(self, session: str) -> bool:
        """Tell whether a session was opened here."""
        given = session.encode()
        # All are compared, so that the time says nothing about which of them is near.
        same = [secrets.compare_digest(given, one.encode()) for one in self._sessions]
        return True in same
