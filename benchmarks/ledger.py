"""A ledger of 100,000 entries: opening it and spending, against verifying all of it.

    python -m benchmarks.ledger

The entries are made by the ledger's own code, and written at once. Verifying reads every entry,
which is what opening did before there were checkpoints.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import noisewright as nw
from benchmarks.measure import Result, report, seconds
from noisewright.ledger import store
from noisewright.ledger.book import Book
from noisewright.ledger.entries import CHECKPOINT, LedgerEntry
from noisewright.ledger.sql_tables import tables
from noisewright.ledger.store import catch_up

ENTRIES = 100_000
REQUIRED = 20
"""Times that opening is faster than verifying all."""

_TENTH = nw.accounting.Guarantee("1/10")


def filled(path: Path, entries: int) -> nw.Ledger:
    """Make a ledger of so many entries, or a few more: spends, each of them released."""
    ledger = nw.Ledger.create(path)
    ledger.grant("survey", epsilon=entries, person="patient", rows=3)
    spend = ledger.spend("survey", _TENTH, what="x", person="patient")
    spend.record_release()
    journal = ledger._journal  # pyright: ignore[reportPrivateUsage]
    first, second = (entry.as_row() for entry in ledger.history()[1:])

    def work(connection: Any) -> None:
        book = catch_up(connection, journal.book(), journal.description.first_hash, writing=True)
        while True:
            rows: list[dict[str, Any]] = []
            for _ in range(store.EVERY // 2 - 1):
                rows.append(_next(book, rows, first))
                rows.append(_next(book, rows, {**second, "about": rows[-1]["sequence"]}))
            if book.sequence >= entries:
                break
            after = book.extend(rows)
            told = {"kind": CHECKPOINT, "dataset": "", "unit": None, "about": None}
            rows.append(_next(book, rows, {**second, **told, "what": after.state()}))
            book = after.extend(rows[-1:])
            connection.execute(tables().entries.insert(), rows)
        # The worst case of opening: the next checkpoint is due.
        book = book.extend(rows)
        connection.execute(tables().entries.insert(), rows)
        connection.execute(
            tables().description.update().values(head_sequence=book.sequence, head_hash=book.hash)
        )

    database = journal._database  # pyright: ignore[reportPrivateUsage]
    database.write(work, recorded=lambda _: None)
    return ledger


def _next(book: Book, rows: list[dict[str, Any]], like: dict[str, Any]) -> dict[str, Any]:
    """Return the entry after these, like another one."""
    number, previous = book.sequence + len(rows) + 1, rows[-1]["hash"] if rows else book.hash
    content = {name: value for name, value in like.items() if name != "hash"}
    content |= {"sequence": number, "previous": previous, "token": f"{number:032x}"}
    return LedgerEntry.seal(content).as_row()


def run(*, entries: int = ENTRIES, repeats: int = 3) -> list[Result]:
    """Measure processor time; the ratio is that of verifying every entry over ours."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "budget.db"
        ledger = filled(path, entries)
        whole = seconds(ledger.verify, repeats=repeats)
        timed = {
            "open": lambda: nw.Ledger.open(path),
            "spend": lambda: ledger.spend("survey", _TENTH, what="x", person="patient"),
            "balance": lambda: ledger.balance("survey"),
        }
        spent = {name: seconds(work, repeats=repeats) for name, work in timed.items()}
    names = {name: f"{name}, of {entries:,} entries" for name in spent}
    return [
        Result("verify all of them", 1 / whole, 1.0, "itself"),
        *(
            Result(names[name], 1 / time, whole / time, "verifying all", REQUIRED)
            for name, time in spent.items()
        ),
    ]


if __name__ == "__main__":
    raise SystemExit(report(run()))
