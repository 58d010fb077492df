"""A ledger from before accounts had a unit: it opens, and the first write upgrades it."""

import json
import math
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

import noisewright as nw
from noisewright.errors import AlteredLedgerError, OverBudgetError, UnitError
from noisewright.ledger.units import AccountUnit
from tests.ledger.old_ledgers import FIVE, SECOND, digest, write_old_ledger

HALF = nw.accounting.Guarantee("1/2")


@pytest.fixture
def old(folder: Path) -> tuple[Path, str]:
    with closing(sqlite3.connect(folder / "old.db", isolation_level=None)) as database:
        return folder / "old.db", write_old_ledger(database.execute, FIVE)


def test_it_is_read_as_it_is(old: tuple[Path, str]) -> None:
    path, head = old
    before = path.read_bytes()
    ledger = nw.Ledger.open(path, head=head)
    assert ledger.verify() == head
    balance = ledger.balance("survey")
    assert balance.unit is None
    assert "is not on record" in str(balance)
    assert float(balance.spent.epsilon) == pytest.approx(1 + math.log(2))
    assert balance.reserved == (5,)
    assert [entry.kind for entry in ledger.history()] == [entry["kind"] for entry in FIVE]
    assert path.read_bytes() == before


def test_a_spend_for_one_row_goes_on(old: tuple[Path, str]) -> None:
    """Whatever the earlier ones were about, it holds for one row as well."""
    path, head = old
    before = nw.Ledger.open(path)
    other = nw.Ledger.open(path)
    ledger = nw.Ledger.open(path)
    ledger.spend("survey", HALF, what="more")
    assert ledger.balance("survey").unit == AccountUnit()
    # Those that were open before the upgrade read on, and write.
    assert before.balance("survey").spent == ledger.balance("survey").spent
    other.finish(5, "wasted")
    assert nw.Ledger.open(path, head=head).verify() == ledger.head


def test_a_spend_for_a_person_asks_what_the_earlier_ones_were_about(old: tuple[Path, str]) -> None:
    ledger = nw.Ledger.open(old[0])
    with pytest.raises(UnitError, match=r"before accounts had a unit.*person='patient', rows=k"):
        ledger.spend("survey", HALF, what="x", person="patient")
    with pytest.raises(OverBudgetError, match=r"then epsilon=5\.07.*already spent"):
        ledger.grant("survey", person="patient", rows=3)
    ledger.grant("survey", epsilon=2, person="patient", rows=3)
    balance = ledger.balance("survey")
    # They may have been about one row: three times their epsilon, and delta by group privacy.
    assert float(balance.spent.epsilon) == pytest.approx(3 + 3 * math.log(2))
    assert float(balance.spent.delta) >= (1 + 2 + 4) * 1e-6
    assert float(balance.spent.delta) <= (1 + 2 + 4) * 1.1e-6
    ledger.spend("survey", HALF, what="x", person="patient")
    assert nw.Ledger.open(old[0]).verify() == ledger.head


def test_an_upgraded_ledger_is_still_one_chain(old: tuple[Path, str], folder: Path) -> None:
    path, head = old
    ledger = nw.Ledger.open(path)
    ledger.spend("survey", HALF, what="more")
    ledger.export(folder / "out.jsonl")
    first, *lines = map(json.loads, (folder / "out.jsonl").read_text("utf-8").splitlines())
    assert first["version"] == 1
    previous = digest(first)
    for line in lines:
        own = line.pop("hash")
        assert (line["previous"], digest(line)) == (previous, own)
        previous = own
    assert f"5:{lines[5]['previous']}" == head
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DROP TRIGGER noisewright_entries_no_update")
        database.execute("UPDATE noisewright_entries SET unit = NULL WHERE sequence = 6")
    with pytest.raises(AlteredLedgerError, match="entry 6"):
        nw.Ledger.open(path)


def test_an_entry_without_a_unit_is_not_added_to_an_account_that_has_one(
    old: tuple[Path, str], folder: Path
) -> None:
    path, _ = old
    nw.Ledger.open(path).grant("survey", epsilon=20, rows=3)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.row_factory = sqlite3.Row
        last = dict(database.execute("SELECT * FROM noisewright_entries").fetchall()[-1])
        entry = {k: v for k, v in last.items() if k not in ("hash", "claim", "unit")}
        entry |= {"sequence": 7, "token": "x", "kind": "spend", "epsilon": "1"}
        entry["previous"] = last["hash"]
        entry["hash"] = digest(entry)
        marks = ", ".join("?" * len(entry))
        database.execute(
            f"INSERT INTO noisewright_entries ({', '.join(entry)}) VALUES ({marks})",
            tuple(entry.values()),
        )
        database.execute(
            "UPDATE noisewright_ledger SET head_sequence = 7, head_hash = ?", (entry["hash"],)
        )
    with pytest.raises(AlteredLedgerError, match="entry 7"):
        nw.Ledger.open(path)


def test_version_two_is_read_as_it_is_and_upgraded_by_the_first_write(folder: Path) -> None:
    path = folder / "second.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        head = write_old_ledger(database.execute, SECOND, version=2)
    before = path.read_bytes()
    ledger = nw.Ledger.open(path, head=head)
    assert ledger.verify() == head
    balance = ledger.balance("survey")
    assert balance.spent == nw.accounting.Guarantee("5/2", "4e-6")
    assert balance.unit == AccountUnit("patient", 3)
    assert balance.reserved == (3,)
    assert path.read_bytes() == before
    other = nw.Ledger.open(path)
    ledger.grant("clinic", rho="1/2", rows=1, change="add or remove")
    ledger.spend("clinic", nw.accounting.Guarantee("1/2"), what="x", change="add or remove")
    other.spend("survey", HALF, what="x", person="patient", change="add or remove")
    assert other.balance("survey").spent.epsilon.rational == Fraction(7, 2)
    # Charged again from its promises: as much for a row, and a little more for the δ of a person.
    ledger.grant("survey", epsilon=9, person="patient", rows=4)
    assert other.balance("survey").spent.epsilon.rational == 4
    assert nw.Ledger.open(path, head=head).verify() == ledger.head
