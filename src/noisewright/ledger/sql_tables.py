"""The two tables of a ledger, and the triggers that keep people from editing it by accident."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from noisewright.errors import MissingPartError

VERSION = 3
"""The version of the tables and of the canonical form that is hashed.

1: entries had no unit and no claim, and the ledger's description no origin.
2: entries had no rho, and a unit no change.
"""

DESCRIPTION = "noisewright_ledger"
ENTRIES = "noisewright_entries"

_REFUSAL = "a ledger is append-only: entries are never changed or deleted"

_TRIGGERS = {
    "sqlite": [
        f"CREATE TRIGGER {ENTRIES}_no_{verb} BEFORE {verb.upper()} ON {ENTRIES} "
        f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        for verb in ("update", "delete")
    ],
    "postgresql": [
        f"CREATE OR REPLACE FUNCTION {ENTRIES}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$",
        f"CREATE TRIGGER {ENTRIES}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {ENTRIES} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {ENTRIES}_refuse()",
    ],
}


def load_sqlalchemy() -> Any:
    """Return the database library, or say how to install it."""
    try:
        import sqlalchemy
    except ImportError as problem:
        raise MissingPartError(
            "a ledger is kept with SQLAlchemy, which comes with noisewright and is missing here: "
            "pip install sqlalchemy."
        ) from problem
    return sqlalchemy


@dataclass(frozen=True)
class Tables:
    """The tables, as SQLAlchemy describes them."""

    description: Any
    entries: Any


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Return the tables of a ledger."""
    sa = load_sqlalchemy()
    everything = sa.MetaData()

    def text(name: str, **options: Any) -> Any:
        return sa.Column(name, sa.Text, **{"nullable": False, **options})

    description = sa.Table(
        DESCRIPTION,
        everything,
        # There is one row; on PostgreSQL, locking it is what makes spends wait for each other.
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, nullable=False),
        # The version that it was made with, which the first hash is about; an upgrade keeps it.
        sa.Column("origin", sa.Integer),
        text("identity"),
        text("created"),
        text("key", nullable=True),
        text("key_check"),
        sa.Column("head_sequence", sa.BigInteger, nullable=False),
        text("head_hash"),
    )
    entries = sa.Table(
        ENTRIES,
        everything,
        sa.Column(
            "sequence",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=False,
        ),
        text("token", unique=True),
        text("kind"),
        text("dataset"),
        sa.Column("about", sa.BigInteger),
        text("epsilon", nullable=True),
        text("delta", nullable=True),
        text("what"),
        text("certificate", nullable=True),
        text("fingerprint", nullable=True),
        text("who"),
        text("at"),
        text("previous"),
        text("hash"),
        text("unit", nullable=True),
        text("claim", nullable=True),
        text("rho", nullable=True),
    )
    return Tables(description, entries)


def create_tables(connection: Any) -> None:
    """Create the tables and triggers of a ledger, in the caller's transaction."""
    tables().description.metadata.create_all(connection, checkfirst=False)
    for statement in _TRIGGERS[connection.dialect.name]:
        connection.exec_driver_sql(statement)


def upgrade_tables(connection: Any) -> None:
    """Give older tables what they lack, in the caller's transaction, under its lock."""
    if connection.dialect.name == "postgresql":
        # Before any row is locked: two sessions that upgrade at once would wait for each other.
        connection.exec_driver_sql(f"LOCK TABLE {DESCRIPTION} IN ACCESS EXCLUSIVE MODE")
    ((version,),) = connection.exec_driver_sql(f"SELECT version FROM {DESCRIPTION}").all()
    if version >= VERSION:
        return
    if version == 1:
        connection.exec_driver_sql(f"ALTER TABLE {DESCRIPTION} ADD COLUMN origin INTEGER")
        connection.exec_driver_sql(f"UPDATE {DESCRIPTION} SET origin = 1")
    for name in ("unit", "claim", "rho") if version == 1 else ("rho",):
        connection.exec_driver_sql(f"ALTER TABLE {ENTRIES} ADD COLUMN {name} TEXT")
    connection.exec_driver_sql(f"UPDATE {DESCRIPTION} SET version = {VERSION}")
