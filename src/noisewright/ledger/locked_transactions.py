"""One writer at a time, so that racing spends cannot both fit: SQLite or PostgreSQL, locked.

SQLite keeps its rollback journal (no write-ahead log), so that the ledger is one file that can be
copied, and syncs the file and its folder before a commit is reported: a spend that was reported
survives a loss of power. A writer takes the lock before it reads (BEGIN IMMEDIATE). On PostgreSQL
a writer first locks the one row of the description. Connections are not kept: a fork, a thread or
a server that restarts finds nothing stale.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from noisewright.errors import LedgerError, MissingPartError, ParameterError, UnconfirmedError
from noisewright.files import require_path
from noisewright.given import brief
from noisewright.ledger.database_errors import NOTHING, in_plain_words, is_passing
from noisewright.ledger.sql_tables import load_sqlalchemy

Answer = TypeVar("Answer")

_ATTEMPTS = 4
_WRITING = "noisewright_writing"

_FOUND = (
    "It was recorded nevertheless: {}. But it is not confirmed to be durable, so nothing "
    "may be released for it. Do not repeat it; `noisewright ledger history` shows it"
)
_NOT_KNOWN = (
    "Whether it was recorded is not known, so nothing may be released for it. Look with "
    "`noisewright ledger history` before you repeat it"
)


@dataclass(frozen=True)
class Database:
    """A place for a ledger; `shown` names it in messages, without a password.

    `address` opens it from another process; None if that would take a password along.
    """

    engine: Any
    shown: str
    path: Path | None
    patience: float
    address: str | None

    def read(self, work: Callable[[Any], Answer]) -> Answer:
        """Do some reading in one transaction."""
        return self._run(work)

    def write(
        self, work: Callable[[Any], Answer], *, recorded: Callable[[Any], str | None]
    ) -> Answer:
        """Do some writing in one transaction, alone.

        `work` may be called again when the connection was lost: it has to look whether it was
        already done, because the loss may have come after the commit. `recorded` looks into the
        database for what was written, and names it; None if nothing is there. It is asked when
        a commit failed in the end, because the failure may have come after the commit.
        """
        return self._run(work, recorded)

    def _run(
        self, work: Callable[[Any], Answer], recorded: Callable[[Any], str | None] | None = None
    ) -> Answer:
        sa = load_sqlalchemy()
        is_unclear = False
        for attempt in range(1, _ATTEMPTS + 1):
            is_committing = False
            try:
                with self.engine.connect() as connection:
                    connection.execution_options(**{_WRITING: recorded is not None})
                    with connection.begin():
                        answer = work(connection)
                        is_committing = recorded is not None
                    return answer
            except sa.exc.SQLAlchemyError as problem:
                is_unclear = is_unclear or is_committing
                # SQLite's faults do not pass by themselves; its patience is in the driver.
                if self.path is not None or attempt == _ATTEMPTS or not is_passing(problem):
                    raise self._in_words(problem, recorded if is_unclear else None) from problem
        raise AssertionError("the last attempt returns or raises")

    def _in_words(
        self, problem: Exception, recorded: Callable[[Any], str | None] | None
    ) -> LedgerError:
        """Return the error, which says what was recorded: looked up, if a commit is unclear.

        SQLite commits when it removes its journal, and then syncs the folder: a fault of that
        last step comes after the commit, and without the sync a loss of power may undo it.
        """
        outcome, kind = NOTHING, LedgerError
        if recorded is not None:
            try:
                found = self._run(recorded)
            except LedgerError:
                outcome, kind = _NOT_KNOWN, UnconfirmedError
            else:
                if found is not None:
                    outcome, kind = _FOUND.format(found), UnconfirmedError
        return in_plain_words(problem, self.shown, outcome=outcome, kind=kind)


def database_at(where: str | os.PathLike[str], *, patience: float) -> Database:
    """Return the database at a path or URL; nothing is opened yet."""
    if not isinstance(patience, int | float) or not patience >= 0:
        raise ParameterError(f"patience is {brief(patience)}; give the seconds to wait for a lock.")
    if isinstance(where, str) and "://" in where:
        return _at_url(where, patience)
    return _at_path(Path(where), patience)


def _at_url(address: str, patience: float) -> Database:
    sa = load_sqlalchemy()
    try:
        url = sa.make_url(address)
    except (sa.exc.ArgumentError, ValueError) as problem:
        raise LedgerError(
            "the ledger's URL cannot be read; write sqlite:///budget.db, or "
            "postgresql://user:password@host/database."
        ) from problem
    kind = url.get_backend_name()
    if kind == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise LedgerError(
                "a ledger in memory forgets what was spent; name a file: sqlite:///budget.db."
            )
        return _at_path(Path(url.database), patience)
    if kind not in ("postgresql", "postgres"):
        raise LedgerError(
            f"a ledger is kept in SQLite or PostgreSQL, not in {kind}; use a file name, or a URL "
            "such as postgresql://user@host/database."
        )
    try:
        import psycopg as psycopg
    except ImportError as problem:
        raise MissingPartError(
            "a ledger on PostgreSQL is reached with psycopg, which is not installed: pip install "
            "'noisewright[postgres]'."
        ) from problem
    url = url.set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args={"connect_timeout": 10})

    def begin(connection: Any) -> None:
        # A reader looks at the head and the entries as of one moment. A writer has to see what
        # the one before it committed while it waited for the lock.
        writing = connection.get_execution_options().get(_WRITING)
        level = "READ COMMITTED" if writing else "REPEATABLE READ"
        connection.exec_driver_sql(f"SET TRANSACTION ISOLATION LEVEL {level}")
        # A commit that the server could still lose would be a release for free.
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO on")
        connection.exec_driver_sql(f"SET LOCAL lock_timeout TO {max(1, int(patience * 1000))}")

    sa.event.listen(engine, "begin", begin)
    secret = [name for name in url.query if "password" in name.lower()]
    has_password = url.password is not None or bool(secret)
    named = url.set(drivername="postgresql").difference_update_query(secret)
    shown = named.render_as_string(hide_password=True)
    return Database(engine, shown, None, patience, None if has_password else address)


def _at_path(path: Path, patience: float) -> Database:
    sa = load_sqlalchemy()
    require_path(path)
    # Now, because the working folder may change later.
    address = os.path.abspath(path)
    file = f"file:{quote(os.fsencode(address))}?mode=rw"

    def connect() -> sqlite3.Connection:
        # mode=rw never creates a file: a mistyped name must not become a fresh budget.
        connection = sqlite3.connect(file, uri=True, timeout=patience, isolation_level=None)
        connection.text_factory = _decode
        connection.execute("PRAGMA synchronous = EXTRA")
        return connection

    def begin(connection: Any) -> None:
        writing = connection.get_execution_options().get(_WRITING)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    engine = sa.create_engine("sqlite://", creator=connect, poolclass=sa.pool.NullPool)
    sa.event.listen(engine, "begin", begin)
    return Database(engine, str(path), path, patience, address)


def _decode(text: bytes) -> str:
    # Bytes that are no text must reach the hash, which then names the entry they are in.
    return text.decode("utf-8", errors="surrogateescape")


def require_file(path: Path | None) -> None:
    """Refuse a path where there is no file."""
    if path is None or (path.is_file() and path.stat().st_size):
        return
    if path.is_dir():
        raise LedgerError(f"{path} is a folder; name the ledger's file in it.")
    missing = f"the file {path} is empty" if path.is_file() else f"there is no ledger at {path}"
    raise LedgerError(
        f"{missing}. Check the name; to start a new ledger, whose budgets are all 0: "
        f"Ledger.create({str(path)!r}), or `noisewright ledger create {path}`."
    )


@contextlib.contextmanager
def new_file(database: Database) -> Generator[Database]:
    """Give the place to create a ledger in, which appears under its name when it is complete.

    Several processes may try at once: the file is linked to its name, which fails where there is
    one, and never removed from there.
    """
    path = database.path
    if path is None or os.path.exists(path):  # False, too, where a folder may not be looked into
        # A server, an empty file, or a database of other tables; the transaction decides.
        yield database
        return
    temporary = path.parent / f".noisewright-{os.urandom(8).hex()}"
    try:
        # Readable by its owner only: the file holds the key of the fingerprints.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield replace(_at_path(temporary, database.patience), shown=database.shown)
        os.link(temporary, path)
    except FileExistsError as problem:
        raise already_there(database.shown) from problem
    except OSError as problem:
        raise LedgerError(
            f"cannot create a ledger at {path}: {problem.strerror}. Choose a folder that exists "
            "and that you may write to, on a disk that supports hard links."
        ) from problem
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def already_there(shown: str) -> LedgerError:
    """Return the error for someone who creates a ledger where there is one."""
    return LedgerError(
        f"there is already a ledger at {shown}. Grant budgets in it with noisewright "
        "ledger grant, or in Python open it with Ledger.open."
    )
