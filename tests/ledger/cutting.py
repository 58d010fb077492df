"""Cutting a ledger's connection to PostgreSQL at chosen moments of its transactions."""

from collections.abc import Callable
from typing import Any

import psycopg
from sqlalchemy import event

import noisewright as nw

MOMENTS = ["before the insert", "after the insert", "at the commit", "after the commit"]


def direct(address: str) -> psycopg.Connection[Any]:
    return psycopg.connect(address, autocommit=True)


def cut(where: str, pid: int) -> None:
    with direct(where) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", [pid])


def cut_at(ledger: nw.Ledger, moment: str, where: str, times: int) -> Callable[[], int]:
    """Cut the ledger's connection at a moment of its transaction, this many times."""
    engine = ledger._journal._database.engine
    done = 0

    def strike(connection: Any) -> None:
        nonlocal done
        if done < times:
            done += 1
            cut(where, connection.connection.dbapi_connection.info.backend_pid)

    def on_statement(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("INSERT INTO noisewright_entries"):
            strike(connection)

    if moment == "before the insert":
        event.listen(engine, "before_cursor_execute", on_statement)
    elif moment == "after the insert":
        event.listen(engine, "after_cursor_execute", on_statement)
    elif moment == "at the commit":
        event.listen(engine, "commit", strike)
    else:
        commit = engine.dialect.do_commit

        def answer_lost(raw: Any) -> None:
            commit(raw)
            nonlocal done
            if done < times:
                done += 1
                cut(where, raw.dbapi_connection.info.backend_pid)
                raw.dbapi_connection.execute("SELECT 1")  # what it hears instead of "committed"

        engine.dialect.do_commit = answer_lost
    return lambda: done
