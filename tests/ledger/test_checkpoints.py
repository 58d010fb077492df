"""A long ledger opens from its last checkpoint; what is left unread cannot change a budget."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import AlteredLedgerError
from noisewright.ledger.entries import LedgerEntry
from tests.ledger.crowd import TENTH
from tests.ledger.test_chain import insert, rows

ENTRIES, DESCRIPTION = "noisewright_entries", "noisewright_ledger"
EVERY = 5


@pytest.fixture
def path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """40 entries or so: two accounts, spends of each outcome, δ, logarithms and two units."""
    monkeypatch.setattr("noisewright.ledger.store.EVERY", EVERY)
    (folder / "survey.csv").write_text("a\n1\n", encoding="utf-8")
    ledger = nw.Ledger.create(folder / "budget.db")
    ledger.grant("survey", epsilon=9, delta="1e-3", data=folder / "survey.csv")
    ledger.grant("visits", epsilon=90, delta="1e-3", person="patient", rows=3)
    for number in range(12):
        with ledger.spend("survey", nw.accounting.Guarantee(alpha="9/10", delta="1e-9"), what="a"):
            pass
        spend = ledger.spend("visits", nw.accounting.Guarantee("1/7", "1e-8"), what="b")
        if number % 3:
            spend.record_waste()
    return folder / "budget.db"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of all entries that are read."""
    found: list[int] = []
    real = LedgerEntry.read.__func__  # pyright: ignore[reportFunctionMemberAccess]

    def noticed(cls: type[LedgerEntry], row: dict[str, Any]) -> LedgerEntry:
        found.append(row["sequence"])
        return real(cls, row)

    monkeypatch.setattr(LedgerEntry, "read", classmethod(noticed))
    return found


def test_opening_and_spending_read_the_end_only_and_know_the_same(
    path: Path, read: list[int]
) -> None:
    ledger = nw.Ledger.open(path)
    opened = ledger._journal._book
    assert opened is not None
    last = opened.sequence
    assert last > 40
    assert min(read) >= last - EVERY
    ledger.spend("survey", TENTH, what="more")
    assert min(read) >= last - EVERY
    assert ledger.verify() == ledger.head
    assert min(read) == 1
    from_the_start = nw.Ledger.open(path)._journal.verify(head=None)
    again = nw.Ledger.open(path)._journal.book()
    assert again == from_the_start
    assert again.checkpoint > 0
    assert ledger.find(path.parent / "survey.csv") == "survey"
    assert ledger.balance("visits").reserved == tuple(
        e.sequence
        for e in ledger.history("visits")
        if e.kind == "spend" and ledger.state(e.sequence) == "reserved"
    )


def test_an_old_spend_can_be_finished_and_its_state_is_known(path: Path) -> None:
    ledger = nw.Ledger.open(path)
    first = ledger.balance("visits").reserved[0]
    assert first < ledger._journal.book().checkpoint
    ledger.finish(first, "wasted")
    assert ledger.state(first) == "wasted"
    with pytest.raises(nw.errors.BudgetError, match="wasted already"):
        ledger.finish(first, "released")


def edited(path: Path, edit: Callable[[sqlite3.Connection], object]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for verb in ("update", "delete"):
            database.execute(f"DROP TRIGGER {ENTRIES}_no_{verb}")
        edit(database)


def test_edits_before_the_checkpoint_change_no_budget_and_verify_names_them(path: Path) -> None:
    ledger = nw.Ledger.open(path)
    before, early = ledger.balances(), f"3:{rows(path)[2]['hash']}"
    edited(path, lambda db: db.execute(f"UPDATE {ENTRIES} SET epsilon = '0' WHERE sequence = 4"))
    assert nw.Ledger.open(path).balances() == before
    reopened = nw.Ledger.open(path)
    for call in (
        reopened.verify,
        reopened.history,
        lambda: reopened.export(path.parent / "out.csv"),
        lambda: nw.Ledger.open(path, head=early),
    ):
        with pytest.raises(AlteredLedgerError) as problem:
            call()
        assert problem.value.entry == 4


def test_an_edited_or_removed_checkpoint_is_noticed_when_the_ledger_is_opened(path: Path) -> None:
    last = max(row["sequence"] for row in rows(path) if row["kind"] == "checkpoint")
    whole = path.read_bytes()
    for statement in (
        f"UPDATE {ENTRIES} SET what = replace(what, '/7', '/70') WHERE sequence = {last}",
        f"UPDATE {ENTRIES} SET kind = 'grant' WHERE sequence = {last}",
        f"DELETE FROM {ENTRIES} WHERE sequence = {last}",
    ):
        edited(path, lambda db, statement=statement: db.execute(statement))
        with pytest.raises(AlteredLedgerError) as problem:
            nw.Ledger.open(path)
        assert problem.value.entry == last
        path.write_bytes(whole)


def test_a_forged_checkpoint_is_noticed_by_verify_and_by_a_noted_head(path: Path) -> None:
    """Someone who works out all hashes from there on: the end of the chain fits."""
    head = nw.Ledger.open(path).head
    found = rows(path)
    last = max(row["sequence"] for row in found if row["kind"] == "checkpoint")
    previous = found[last - 2]["hash"]
    forged: list[LedgerEntry] = []
    for row in found[last - 1 :]:
        content = {k: v for k, v in row.items() if k != "hash"} | {"previous": previous}
        if row["sequence"] == last:
            content["what"] = row["what"].replace('["90","1/1000"]', '["9000","1/1000"]')
            assert content["what"] != row["what"]
        forged.append(LedgerEntry.seal(content))
        previous = forged[-1].hash

    def forge(database: sqlite3.Connection) -> None:
        database.execute(f"DELETE FROM {ENTRIES} WHERE sequence >= {last}")
        for entry in forged:
            insert(database, entry)
        database.execute(f"UPDATE {DESCRIPTION} SET head_hash = ?", (previous,))

    edited(path, forge)
    assert nw.Ledger.open(path).balance("visits").granted.epsilon.rational == 9000
    with pytest.raises(AlteredLedgerError, match="differs from the entries before it") as problem:
        nw.Ledger.open(path).verify()
    assert problem.value.entry == last
    with pytest.raises(AlteredLedgerError, match="rewritten"):
        nw.Ledger.open(path, head=head)
