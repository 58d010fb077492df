"""The same ledger on a real PostgreSQL server: races, and connections that are cut."""

import os
import pickle
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

import noisewright as nw
from noisewright.errors import AlteredLedgerError, LedgerError, OverBudgetError
from tests.ledger.crowd import TENTH, race
from tests.ledger.cutting import MOMENTS, cut_at, direct
from tests.ledger.old_ledgers import FIVE, SECOND, write_old_ledger
from tests.ledger.server import server


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    with server() as where:
        yield where


@pytest.fixture
def where(address: str) -> str:
    """A ledger with a budget of 2, in a fresh schema."""
    with direct(address) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    nw.Ledger.create(address).grant("survey", epsilon=2)
    return address


def test_a_ledger_on_a_server_is_like_one_in_a_file(where: str, tmp_path: Path) -> None:
    (tmp_path / "survey.csv").write_text("größe\n1\n", encoding="utf-8")
    ledger = nw.Ledger.open(where)
    ledger.grant("survey", epsilon=1, delta="1e-6", data=tmp_path / "survey.csv", why="größer")
    with ledger.spend(
        ledger.find(tmp_path / "survey.csv"), nw.accounting.Guarantee(alpha="1/3"), what="ä"
    ):
        pass
    ledger.spend("survey", TENTH, what="b")
    with pytest.raises(OverBudgetError, match=r"epsilon up to 1\.80138"):
        ledger.spend("survey", nw.accounting.Guarantee(2), what="c")
    again = nw.Ledger.open(where, head=ledger.head)
    assert again.history() == ledger.history()
    assert pickle.loads(pickle.dumps(again)).history() == ledger.history()
    assert again.balance("survey").reserved == (6,)
    with pytest.raises(LedgerError, match="already a ledger"):
        nw.Ledger.create(where)


@pytest.mark.parametrize("racers", [2, 8])
def test_racing_processes_spend_exactly_what_was_granted(where: str, racers: int) -> None:
    got = race(where, racers)
    ledger = nw.Ledger.open(where)
    spends = [entry.sequence for entry in ledger.history() if entry.kind == "spend"]
    assert len(spends) == 20
    assert sorted(number for mine in got for number in mine) == spends
    assert ledger.remaining("survey").epsilon.is_zero


def test_edits_are_refused_and_if_forced_noticed(where: str) -> None:
    ledger = nw.Ledger.open(where)
    ledger.spend("survey", TENTH, what="a")
    with direct(where) as connection:
        for statement in (
            "UPDATE noisewright_entries SET epsilon = '0' WHERE sequence = 2",
            "DELETE FROM noisewright_entries WHERE sequence = 2",
            "TRUNCATE noisewright_entries",
        ):
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                connection.execute(statement)
        connection.execute("ALTER TABLE noisewright_entries DISABLE TRIGGER USER")
        connection.execute("UPDATE noisewright_entries SET epsilon = '0' WHERE sequence = 2")
    with pytest.raises(AlteredLedgerError, match="entry 2") as problem:
        nw.Ledger.open(where)
    assert problem.value.entry == 2


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_connection_that_is_cut_spends_once(where: str, moment: str) -> None:
    """The work is done again; if it had been committed, it is found and not done twice."""
    ledger = nw.Ledger.open(where)
    count = cut_at(ledger, moment, where, 2)
    spend = ledger.spend("survey", TENTH, what="through thick and thin")
    assert count() >= (1 if moment == "after the commit" else 2)
    history = nw.Ledger.open(where).history()
    assert [entry.kind for entry in history] == ["grant", "spend"]
    assert history[-1] == spend.entry


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_connection_that_is_always_cut_is_given_up_plainly(where: str, moment: str) -> None:
    ledger = nw.Ledger.open(where)
    count = cut_at(ledger, moment, where, 1000)
    told = r"postgres.*(cut the connection|could not be reached)"
    with pytest.raises(LedgerError, match=told) as problem:
        ledger.spend("survey", TENTH, what="never")
    is_unclear = "commit" in moment
    # Four attempts; where a commit may have been made, four more to look for it.
    assert 2 <= count() <= (8 if is_unclear else 4)
    assert ("is not known" in str(problem.value)) == is_unclear
    # Nothing was returned, so nothing may be released; the record may hold a reserved spend.
    kinds = [entry.kind for entry in nw.Ledger.open(where).history()]
    assert kinds == (["grant", "spend"] if moment == "after the commit" else ["grant"])


@pytest.mark.parametrize("moment", ["at the commit", "after the commit"])
def test_after_the_last_attempt_the_record_is_asked(where: str, moment: str) -> None:
    ledger = nw.Ledger.open(where)
    cut_at(ledger, moment, where, 4)
    with pytest.raises(LedgerError) as problem:
        ledger.spend("survey", TENTH, what="x")
    recorded = len(nw.Ledger.open(where).history()) == 2
    assert recorded == (moment == "after the commit")
    assert ("recorded nevertheless: entry 2" in str(problem.value)) == recorded
    assert ("is not known" in str(problem.value)) is False


def test_a_spend_while_someone_reads_is_no_alarm(where: str) -> None:
    """Committed between the reader's look at the head and its look at the entries."""
    reader, writer = nw.Ledger.open(where), nw.Ledger.open(where)
    spends: list[nw.results.Reservation] = []

    def spend(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "FROM noisewright_ledger" in statement:
            spends.append(writer.spend("survey", TENTH, what="meanwhile"))

    event.listen(reader._journal._database.engine, "after_cursor_execute", spend)
    before = writer.head
    assert reader.verify() == before
    assert len(spends) == 1
    reader.remaining("survey")
    assert (
        reader.remaining("survey").epsilon.rational
        == nw.accounting.Guarantee("1.8").epsilon.rational
    )


def test_a_session_that_holds_the_lock_is_waited_for_then_refused(where: str) -> None:
    ledger = nw.Ledger.open(where, patience=0.3)
    with psycopg.connect(where) as other:
        other.execute("SELECT * FROM noisewright_ledger FOR UPDATE")
        with pytest.raises(LedgerError, match=r"in use by another session.*Nothing was recorded"):
            ledger.spend("survey", TENTH, what="x")
        assert ledger.remaining("survey").epsilon.rational == 2
        patient = nw.Ledger.open(where, patience=30)
        waiting = threading.Timer(0.2, other.rollback)
        waiting.start()
        patient.spend("survey", TENTH, what="x")
        waiting.join()


def test_rights_versions_and_servers_that_are_not_there(where: str) -> None:
    with direct(where) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA public TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    reader = nw.Ledger.open(where.replace("steward@", "reader@"))
    assert reader.remaining("survey").epsilon.rational == 2
    with pytest.raises(LedgerError, match="may not be used by this user"):
        reader.spend("survey", TENTH, what="x")
    with direct(where) as connection:
        connection.execute("UPDATE noisewright_ledger SET version = 7")
    with pytest.raises(LedgerError, match="newer noisewright"):
        nw.Ledger.open(where)
    with pytest.raises(LedgerError, match=r'reached .*"nothing" does not exist'):
        nw.Ledger.open(where.replace("/postgres?", "/nothing?"))
    with pytest.raises(LedgerError, match="could not be reached") as problem:
        nw.Ledger.open("postgresql://ann:secret@/x?host=/nowhere")
    assert "secret" not in str(problem.value)
    with direct(where) as connection:
        connection.execute("DROP TABLE noisewright_ledger")
    with pytest.raises(LedgerError, match="holds no ledger"):
        nw.Ledger.open(where)


def test_a_fork_has_its_own_connections(where: str) -> None:
    ledger = nw.Ledger.open(where)
    ledger.spend("survey", TENTH, what="parent")
    child = os.fork()
    if not child:
        code = 1
        try:
            ledger.spend("survey", TENTH, what="child")
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    ledger.spend("survey", TENTH, what="parent")
    assert [entry.what for entry in ledger.history()] == ["", "parent", "child", "parent"]


@pytest.mark.parametrize(("version", "entries"), [(1, FIVE), (2, SECOND)], ids=["one", "two"])
def test_a_ledger_of_an_earlier_version_is_upgraded_by_its_owner(
    address: str, version: int, entries: list[dict[str, Any]]
) -> None:
    with direct(address) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        head = write_old_ledger(connection.execute, entries, mark="%s", version=version)
        connection.execute("DROP ROLE IF EXISTS spender")
        connection.execute("CREATE ROLE spender LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA public TO spender")
        connection.execute("GRANT SELECT, INSERT ON noisewright_entries TO spender")
        connection.execute("GRANT SELECT, UPDATE ON noisewright_ledger TO spender")
    spender = nw.Ledger.open(address.replace("steward@", "spender@"), head=head)
    with pytest.raises(LedgerError, match="Nothing was recorded") as problem:
        spender.spend("survey", TENTH, what="x")
    assert "have the owner make one grant" in problem.value.__notes__[0]
    assert nw.Ledger.open(address, head=head).head == head
    old = [nw.Ledger.open(address) for _ in range(4)]
    threads = [
        threading.Thread(target=ledger.spend, args=("survey", TENTH), kwargs={"what": "x"})
        for ledger in old
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spender.spend("survey", TENTH, what="x")
    ledger = nw.Ledger.open(address, head=head)
    assert ledger.verify() == spender.head
    assert len(ledger.history()) == 10
    ledger.grant("panel", rho=1, rows=1, change="add or remove")
    for key in ("a", "b"):
        part = nw.accounting.Partition("letter", ["a", "b"]).part(key)
        spender.spend("panel", TENTH, what="x", change="add or remove", part=part)
    assert nw.Ledger.open(address, head=head).balance("panel").left_text == "rho=0.995"
