"""What went wrong with the database, in plain words, with what to do."""

from __future__ import annotations

from typing import Any

from noisewright.errors import LedgerError

NOTHING = "Nothing was recorded, so nothing may be released."
"""What to say of a transaction that failed before its commit: it left no trace."""

_SQLITE = {
    "SQLITE_BUSY": "is in use by another process, and was not released in time. {outcome} Try "
    "again; if it persists, look for a process that hangs while it holds the file",
    "SQLITE_LOCKED": "is in use by another connection. {outcome} Try again",
    "SQLITE_NOTADB": "is not a ledger: the file is not an SQLite database. Check the path",
    "SQLITE_CORRUPT": "is damaged: SQLite cannot read its pages. Keep a copy of the file, then "
    "restore a backup and compare its head with one that you noted",
    "SQLITE_FULL": "cannot grow: the disk is full. {outcome} Earlier entries are intact; free "
    "some space and try again",
    "SQLITE_READONLY": "may not be written by this user. {outcome} Ask for write permission on "
    "the file and on its folder, where SQLite keeps a journal",
    "SQLITE_PERM": "may not be opened by this user. Ask for read and write permission on the file",
    "SQLITE_AUTH": "may not be opened by this user. Ask for permission on the file",
    "SQLITE_CANTOPEN": "cannot be opened. Check that it exists, and that this user may read it and "
    "may write in its folder, where SQLite keeps a journal",
    "SQLITE_IOERR": "cannot be read or written: the disk reported an error, or is full. {outcome}"
    " Check the disk and its free space, then try again",
    "SQLITE_TOOBIG": "cannot hold a text of this length. {outcome} Shorten it",
}

_POSTGRESQL = {
    "08": "could not be reached: the connection was lost",
    "28": "refused the login. Check the user and the password in the URL",
    "3D": "has no such database. Create it, or check the name in the URL",
    "42501": "may not be used by this user. {outcome} Ask for SELECT and INSERT on the entries, "
    "and SELECT and UPDATE on the description",
    "42P01": "holds no ledger. Create one with Ledger.create, or check the URL",
    "55P03": "is in use by another session, and was not released in time. {outcome} Try again; "
    "if it persists, look for a session that is idle in a transaction",
    "53": "is out of room or connections. {outcome} Free some and try again",
    "25006": "is read-only. {outcome} Use the primary server, not a replica",
    "57P": "is shutting down or cut the connection",
    "57014": "canceled the statement. {outcome} Try again",
    "40": "could not order this among other sessions. {outcome} Try again",
    "XX": "reported damage. Ask whoever runs the server",
}


def is_passing(problem: Any) -> bool:
    """Tell whether a PostgreSQL server may answer when asked again: a cut line, a lost race."""
    code = _sqlstate(problem)
    return bool(getattr(problem, "connection_invalidated", False)) or code.startswith(
        ("08", "40", "57P")
    )


def in_plain_words(
    problem: Any, shown: str, *, outcome: str = NOTHING, kind: type[LedgerError] = LedgerError
) -> LedgerError:
    """Return the error for people, from one of SQLAlchemy's; `outcome` is what was recorded."""
    return kind(_words(problem, shown, outcome))


def _words(problem: Any, shown: str, outcome: str) -> str:
    original = getattr(problem, "orig", None)
    name = str(getattr(original, "sqlite_errorname", "") or "")
    if name:
        for start, sentence in _SQLITE.items():
            # Longer names are more particular kinds of the same: SQLITE_READONLY_DIRECTORY.
            if name == start or name.startswith(f"{start}_"):
                return _sentence(shown, sentence, outcome)
    code = _sqlstate(problem)
    for start, sentence in sorted(_POSTGRESQL.items(), key=lambda item: -len(item[0])):
        if code and code.startswith(start):
            return _sentence(shown, sentence, outcome)
    reason = (str(original or problem).strip().splitlines() or ["no reason given"])[0]
    if getattr(problem, "connection_invalidated", False) or _could_not_connect(original):
        return (
            f"the ledger {shown} could not be reached ({reason}). Check that the server runs and "
            f"that the user, host, port and name in the URL are right, then try again. {outcome}"
        )
    return f"the ledger {shown} could not be used ({reason}). {outcome}"


def _sentence(shown: str, sentence: str, outcome: str) -> str:
    words = f"the ledger {shown} {sentence.replace('{outcome}', outcome)}."
    # What was or may have been recorded is never left out, also where the fault is about reading.
    return words if outcome in words or outcome == NOTHING else f"{words} {outcome}"


def _sqlstate(problem: Any) -> str:
    return str(getattr(getattr(problem, "orig", None), "sqlstate", None) or "")


def _could_not_connect(original: Any) -> bool:
    return type(original).__name__ in ("OperationalError", "ConnectionTimeout") and not getattr(
        original, "sqlite_errorname", None
    )
