"""The ledger room: balances, history, the chain; and grants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from noisewright import ledger
from noisewright.errors import AlteredLedgerError, LedgerError
from noisewright.ledger import Ledger, plain_balance
from noisewright.studio.declaring import TableChoice
from noisewright.studio.failures import RefusalError
from noisewright.studio.folder import StudioFolder, without_password

_MOST_ENTRIES = 1000


class GrantRequest(BaseModel):
    """A budget for the people of a table."""

    model_config = ConfigDict(extra="forbid")

    dataset: str
    epsilon: str
    delta: str = "0"
    table: TableChoice | None = None
    person: str | None = None
    rows: int | None = None
    why: str = ""


def exists(where: str) -> bool:
    """Tell whether there is a ledger."""
    if "://" not in where:
        return Path(where).exists()
    try:
        ledger.Ledger.open(where)
    except AlteredLedgerError:
        return True
    except LedgerError as problem:
        if "holds no ledger" in str(problem):
            return False
        raise
    return True


def open_ledger(where: str, *, who: str | None = None) -> Ledger:
    """Open the ledger, or say how to make one; entries are written in the name of `who`."""
    if not exists(where):
        raise RefusalError("there is no ledger yet. Create one in the room Ledger.", status=409)
    return ledger.Ledger.open(where, who=who)


def create_ledger(where: str, *, who: str | None = None) -> dict[str, Any]:
    """Create the ledger that the studio was started with."""
    if exists(where):
        raise RefusalError("there is a ledger already.", status=409)
    ledger.Ledger.create(where, who=who)
    return describe_ledger(where)


def grant(
    request: GrantRequest, where: str, folder: StudioFolder, *, who: str | None = None
) -> dict[str, Any]:
    """Add to a budget, and register the table with it."""
    if not request.dataset.strip():
        raise RefusalError(
            "the budget has no name. Name the people whose data it is for, such as survey-2026."
        )
    table = request.table
    # Rows of a database have no fingerprint: whoever spends names the budget.
    data = None if table is None or table.is_in_database else table.open(folder)
    open_ledger(where, who=who).grant(
        request.dataset,
        epsilon=request.epsilon or "0",
        delta=request.delta or "0",
        person=request.person or None,
        rows=request.rows,
        why=request.why,
        data=data,
    )
    return describe_ledger(where)


def describe_ledger(where: str) -> dict[str, Any]:
    """Return balances, entries and whether the chain holds."""
    name = Path(where).name if "://" not in where else without_password(where)
    if not exists(where):
        return {"name": name, "exists": False}
    try:
        book = ledger.Ledger.open(where)
        head = book.verify()
    except AlteredLedgerError as problem:
        return {"name": name, "exists": True, "holds": False, "message": str(problem)}
    entries = book.history()
    states = {one.sequence: "reserved" for one in entries if one.kind == "spend"}
    states |= {one.about: one.kind for one in entries if one.about is not None}
    return {
        "name": name,
        "exists": True,
        "holds": True,
        "head": head,
        "balances": [
            plain_balance(one) | {"left_text": one.left_text, "granted_text": one.granted_text}
            for one in book.balances()
        ],
        "entries": [
            {
                "number": one.sequence,
                "kind": one.kind,
                "dataset": one.dataset,
                "amount": one.amount_text if one.kind in ("grant", "spend") else "",
                "about": one.about,
                "what": one.what if one.kind != "checkpoint" else "",
                "who": one.who,
                "at": one.at,
                "state": states.get(one.sequence, ""),
                "certificate": one.certificate,
            }
            for one in entries[-_MOST_ENTRIES:]
        ],
    }
