"""What went wrong with the database, in plain words, with what to do."""

from __future__ import annotations

from typing import Any

from noisewright.errors import LedgerError

_NOTHING = "Nothing was recorded, so nothing may be released."

_SQLITE = {
    "SQLITE_BUSY": f"is in use by another process, and did not become free. {_NOTHING} Try again; "
    "if it stays so, look for a process that hangs while it holds the file",
    "SQLITE_LOCKED": f"is in use by another connection. {_NOTHING} Try again",
    "SQLITE_NOTADB": "is not a ledger: the file is no SQLite database. Check the path",
    "SQLITE_CORRUPT": "is damaged: SQLite cannot read its pages. Keep a copy of the file, then "
    "restore a backup and compare its head with one that you noted",
    "SQLITE_FULL": f"cannot grow: the disk is full. {_NOTHING} Earlier entries are intact; free "
    "some space and try again",
    "SQLITE_READONLY": f"may not be written by this user. {_NOTHING} Ask for write permission on "
    "the file and on its folder, where SQLite keeps a journal",
    "SQLITE_PERM": "may not be opened by this user. Ask for read and write permission on the file",
    "SQLITE_AUTH": "may not be opened by this user. Ask for permission on the file",
    "SQLITE_CANTOPEN": "cannot be opened. Check that it exists, and that this user may read it and "
    "may write in its folder, where SQLite keeps a journal",
    "SQLITE_IOERR": f"cannot be read or written: the disk reported an error, or is full. {_NOTHING}"
    " Check the disk and its free space, then try again",
    "SQLITE_TOOBIG": f"cannot hold a text of this length. {_NOTHING} Shorten it",
}

_POSTGRESQL = {
    "08": "could not be reached: the connection was lost",
    "28": "refused the login. Check the user and the password in the URL",
    "3D": "has no such database. Create it, or check the name in the URL",
    "42501": f"may not be used by this user. {_NOTHING} Ask for SELECT and INSERT on the entries, "
    "and SELECT and UPDATE on the description",
    "42P01": "holds no ledger. Create one with Ledger.create, or check the URL",
    "55P03": f"is in use by another session, and did not become free. {_NOTHING} Try again; if it "
    "stays so, look for a session that is idle in a transaction",
    "53": f"is out of room or connections. {_NOTHING} Free some and try again",
    "25006": f"is read-only. {_NOTHING} Use the primary server, not a replica",
    "57P": "is shutting down or cut the connection",
    "57014": f"canceled the statement. {_NOTHING} Try again",
    "40": f"could not order this among other sessions. {_NOTHING} Try again",
    "XX": "reported damage. Ask whoever runs the server",
}


def is_passing(problem: Any) -> bool:
    """Tell whether a PostgreSQL server may answer when asked again: a cut line, a lost race."""
    code = _sqlstate(problem)
    return bool(getattr(problem, "connection_invalidated", False)) or code.startswith(
        ("08", "40", "57P")
    )


def in_plain_words(problem: Any, shown: str) -> LedgerError:
    """Return the error for people, from one of SQLAlchemy's."""
    original = getattr(problem, "orig", None)
    name = str(getattr(original, "sqlite_errorname", "") or "")
    if name:
        for start, sentence in _SQLITE.items():
            # Longer names are more particular kinds of the same: SQLITE_READONLY_DIRECTORY.
            if name == start or name.startswith(f"{start}_"):
                return LedgerError(f"the ledger {shown} {sentence}.")
    code = _sqlstate(problem)
    for start, sentence in sorted(_POSTGRESQL.items(), key=lambda item: -len(item[0])):
        if code and code.startswith(start):
            return LedgerError(f"the ledger {shown} {sentence}.")
    reason = (str(original or problem).strip().splitlines() or ["no reason given"])[0]
    if getattr(problem, "connection_invalidated", False) or _could_not_connect(original):
        return LedgerError(
            f"the ledger {shown} could not be reached ({reason}). Check that the server runs and "
            "that the user, host, port and name in the URL are right, then try again. If a spend "
            "was under way, it is either recorded as reserved or not at all; nothing may be "
            "released for it."
        )
    return LedgerError(
        f"the ledger {shown} could not be used ({reason}). Nothing may be released until that "
        "works."
    )


def _sqlstate(problem: Any) -> str:
    return str(getattr(getattr(problem, "orig", None), "sqlstate", None) or "")


def _could_not_connect(original: Any) -> bool:
    return type(original).__name__ in ("OperationalError", "ConnectionTimeout") and not getattr(
        original, "sqlite_errorname", None
    )
