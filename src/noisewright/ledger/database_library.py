"""SQLAlchemy and the PostgreSQL driver, loaded when a ledger is opened."""

from __future__ import annotations

from typing import Any

from noisewright.errors import MissingPartError

_ADVICE = "which is not installed: pip install 'noisewright[ledger]'."


def load_sqlalchemy() -> Any:
    """Return the database library, or say how to install it."""
    try:
        import sqlalchemy
    except ImportError as problem:
        raise MissingPartError(f"a ledger is kept with SQLAlchemy, {_ADVICE}") from problem
    return sqlalchemy


def require_postgresql_driver() -> None:
    """Load the driver of PostgreSQL, or say how to install it."""
    try:
        import psycopg as psycopg
    except ImportError as problem:
        raise MissingPartError(
            f"a ledger on PostgreSQL is reached with psycopg, {_ADVICE}"
        ) from problem
