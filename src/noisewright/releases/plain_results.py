"""Results of jobs as plain values, which JSON can hold."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from noisewright.ledger import plain_balance, plain_guarantee

if TYPE_CHECKING:
    from noisewright.queries import Answer
    from noisewright.releases.released import Release
    from noisewright.releases.synthesis.result import Synthesis


def plain_result(made: Release | Synthesis) -> dict[str, Any]:
    """Return what the results of all jobs that write tables have in common, as plain values."""
    return {
        "output": str(made.path),
        "rows": made.rows,
        "private": made.is_private,
        "files": {kind: str(path) for kind, path in made.files.items()},
        **plain_cost(made),
    }


def plain_cost(made: Release | Synthesis | Answer) -> dict[str, Any]:
    """Return the privacy loss and what the ledger recorded, as plain values."""
    return {
        "guarantee": plain_guarantee(made.guarantee),
        "accounted": made.is_accounted,
        "entry": made.entry,
        "charged": None if made.charged is None else plain_guarantee(made.charged),
        "balance": None if made.balance is None else plain_balance(made.balance),
        "certificate": made.certificate.digest,
        "notes": list(made.notes),
    }


def plain_answer(made: Answer, written: dict[str, str]) -> dict[str, Any]:
    """Return an answer with its intervals and what it cost, as plain values."""
    rows = [
        {name: cell.isoformat() if isinstance(cell, datetime.date) else cell for name, cell in row}
        for row in (row.items() for row in made.intervals().to_pylist())
    ]
    return {
        "question": str(made.question),
        "answer": rows,
        "confidence": 0.95,
        "change": made.question.table.budget.change,
        "unit": str(made.certificate.unit),
        "files": written,
        **plain_cost(made),
    }
