"""Grants, spends and outcomes: what is written, what is refused, and what the user is told."""

import os
import pickle
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import noisewright as nw
from noisewright.errors import (
    BudgetError,
    LedgerError,
    MissingPartError,
    OverBudgetError,
    ParameterError,
    UnknownDatasetError,
)
from noisewright.ledger.locked_transactions import database_at

HALF = nw.accounting.Guarantee("1/2")


@pytest.fixture
def ledger(folder: Path) -> nw.Ledger:
    ledger = nw.Ledger.create(folder / "budget.db", who="ann@agency")
    ledger.grant("survey", epsilon=2, delta="1e-6")
    return ledger


def fail_after(work: Callable[[], object], problem: Exception) -> None:
    work()
    raise problem


def test_a_spend_says_what_when_who_and_under_which_certificate(ledger: nw.Ledger) -> None:
    certificate = nw.certify(nw.geometric(nw.Counts(3), epsilon="1/2"))
    spend = ledger.spend("survey", HALF, what="counts by age", certificate=certificate)
    entry = ledger.history()[-1]
    assert entry == spend.entry
    assert (entry.kind, entry.dataset, entry.what) == ("spend", "survey", "counts by age")
    assert (entry.epsilon, entry.delta) == ("1/2", "0")
    assert entry.certificate == certificate.digest
    assert entry.who == "ann@agency"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", entry.at)
    other = ledger.spend(
        "survey", HALF, what="x", who="bob", certificate="SHA256:".lower() + "AB" * 32
    )
    assert (other.entry.who, other.entry.certificate) == ("bob", "ab" * 32)
    assert "@" in nw.Ledger.open(ledger.where).spend("survey", HALF, what="x").entry.who


def test_a_pickled_ledger_is_opened_again(
    folder: Path, ledger: nw.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    pickled = pickle.dumps(nw.Ledger.open("budget.db", who="bob@agency", patience=3))
    assert ledger._key is not None
    assert ledger._key not in pickled
    os.chdir("/")
    again: nw.Ledger = pickle.loads(pickled)
    assert again.spend("survey", HALF, what="elsewhere").entry.who == "bob@agency"
    assert ledger.history() == again.history()
    (folder / "budget.db").unlink()
    with pytest.raises(LedgerError, match="there is no ledger at"):
        pickle.loads(pickled)


def test_a_key_that_the_caller_keeps_is_not_pickled(folder: Path) -> None:
    mine = nw.Ledger.create(folder / "own.db", key=bytes(range(32)))
    with pytest.raises(LedgerError, match="a key must not be pickled"):
        pickle.dumps(mine)
    without = nw.Ledger.open(folder / "own.db")
    assert pickle.loads(pickle.dumps(without)).head == mine.head


@pytest.mark.parametrize(
    ("address", "again"),
    [
        ("postgresql://ann:secret@host/budget", None),
        ("postgresql://ann@host/budget?sslpassword=secret", None),
        ("postgresql://ann@host/budget", "postgresql://ann@host/budget"),
    ],
    ids=["password", "password of a key", "no password"],
)
def test_an_address_with_a_password_is_not_passed_on(address: str, again: str | None) -> None:
    assert database_at(address, patience=1).address == again


def test_a_block_ends_released_or_wasted_and_is_never_refunded(ledger: nw.Ledger) -> None:
    with ledger.spend("survey", HALF, what="a") as spend:
        assert ledger.state(spend.sequence) == "reserved"
        assert ledger.remaining("survey").epsilon.rational == 1.5
    assert ledger.state(spend.sequence) == "released"
    secret = "row 7 is Mr. Brown"
    with (
        pytest.raises(ValueError, match="Brown"),
        ledger.spend("survey", HALF, what="b") as spend,
    ):
        raise ValueError(secret)
    assert ledger.state(spend.sequence) == "wasted"
    assert ledger.remaining("survey").epsilon.rational == 1
    assert ledger.history()[-1].what == "ValueError"
    assert not any(secret in str(entry) for entry in ledger.history())


def test_the_outcome_can_be_said_inside_the_block(ledger: nw.Ledger) -> None:
    with ledger.spend("survey", HALF, what="a") as spend:
        spend.record_waste("the disk was full")
    assert ledger.state(spend.sequence) == "wasted"
    spend = ledger.spend("survey", HALF, what="b")
    with pytest.raises(RuntimeError), spend:
        fail_after(lambda: spend.record_release("private.parquet"), RuntimeError())
    assert ledger.state(spend.sequence) == "released"
    with pytest.raises(BudgetError, match="released already; that is final"):
        spend.record_waste()
    with pytest.raises(BudgetError, match="entry 1 is not a spend"):
        ledger.finish(1, "released")
    with pytest.raises(ParameterError, match="'released' or 'wasted'"):
        ledger.finish(2, "refunded")


def test_a_database_that_is_gone_at_the_end_leaves_the_spend_reserved(
    ledger: nw.Ledger, folder: Path
) -> None:
    path = Path(ledger.where)
    with (
        pytest.raises(LedgerError) as problem,
        ledger.spend("survey", HALF, what="a") as spend,
    ):
        path.rename(folder / "away.db")
    assert "accounted for" in problem.value.__notes__[0]
    assert nw.Ledger.open(folder / "away.db").state(spend.sequence) == "reserved"
    (folder / "away.db").rename(path)
    spend = ledger.spend("survey", HALF, what="b")
    with pytest.raises(KeyError) as other, spend:
        fail_after(lambda: path.rename(folder / "away.db"), KeyError())
    assert (
        f"Entry {spend.sequence} could not be marked as wasted and stays reserved"
        in other.value.__notes__[0]
    )


def test_over_budget_nothing_is_recorded(ledger: nw.Ledger) -> None:
    head = ledger.head
    with pytest.raises(OverBudgetError) as refused:
        ledger.spend("survey", nw.accounting.Guarantee("2.01"), what="x")
    assert ledger.head == head
    assert refused.value.left == ledger.remaining("survey") == nw.accounting.Guarantee(2, "1e-6")
    assert refused.value.asked == nw.accounting.Guarantee("2.01")
    assert "left are epsilon=2, delta=1e-6" in str(refused.value)
    ledger.spend("survey", nw.accounting.Guarantee(2, "1e-6"), what="all of it")
    with pytest.raises(OverBudgetError, match=r"What fits: nothing that costs epsilon\."):
        ledger.spend("survey", nw.accounting.Guarantee("1e-300"), what="a drop more")
    ledger.spend("survey", nw.accounting.Guarantee(0), what="what costs nothing")
    ledger.grant("survey", epsilon="1/100", why="the board agreed")
    ledger.spend("survey", nw.accounting.Guarantee("1/100"), what="the rest")


def test_names_are_not_guessed(ledger: nw.Ledger) -> None:
    with pytest.raises(UnknownDatasetError, match="no budget for 'surveys'; it knows 'survey'"):
        ledger.spend("surveys", HALF, what="x")
    with pytest.raises(UnknownDatasetError):
        ledger.remaining("surveys")
    with pytest.raises(UnknownDatasetError):
        ledger.history("surveys")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda b: b.grant("survey"), "nothing is granted"),
        (lambda b: b.grant("survey", epsilon=-1), "at least 0"),
        (lambda b: b.grant("survey", delta=2), "between 0 and 1"),
        (lambda b: b.grant("survey", epsilon=nw.accounting.Epsilon.of(alpha="1/2")), "rational"),
        (lambda b: b.grant("", epsilon=1), "name is empty"),
        (lambda b: b.grant("a\0b", epsilon=1), "position 1"),
        (lambda b: b.grant("n" * 201, epsilon=1), "at most 200"),
        (lambda b: b.grant("x", epsilon=1, why="\ud800"), "position 0"),
        (lambda b: b.spend("survey", 0.5, what="x"), "a spend is a Guarantee"),
        (lambda b: b.spend("survey", HALF, what=" "), "what is empty"),
        (lambda b: b.spend("survey", HALF, what="x", certificate="abc"), "64 hexadecimal"),
        (lambda b: b.spend("survey", HALF, what="x", who=""), "who is empty"),
        (lambda b: b.verify(head="12"), "a head looks like"),
        (lambda b: b.export("x.xlsx"), "'jsonl' or 'csv'"),
        (lambda b: b.find(3), "give a path"),
        (lambda b: nw.results.Fingerprint("abc"), "64 hexadecimal"),
        (lambda b: nw.Ledger.open(b.where, patience=-1), "seconds to wait"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_what_cannot_be_recorded_is_refused(ledger: nw.Ledger, call, words: str) -> None:
    head = ledger.head
    with pytest.raises(ValueError, match=words):
        call(ledger)
    assert ledger.head == head


def test_no_budget_exceeds_a_delta_of_one(ledger: nw.Ledger) -> None:
    ledger.grant("survey", delta="0.9")
    with pytest.raises(BudgetError, match="promises nothing"):
        ledger.grant("survey", delta="0.1")
    assert ledger.balance("survey").granted.delta == nw.accounting.Guarantee(0, "0.900001").delta


def test_data_draws_on_one_budget(ledger: nw.Ledger, folder: Path) -> None:
    (folder / "may.csv").write_text("a\n1\n", encoding="utf-8")
    (folder / "june.csv").write_text("a\n2\n", encoding="utf-8")
    with pytest.raises(UnknownDatasetError, match=r"does not know this data.*it knows 'survey'"):
        ledger.find(folder / "may.csv")
    ledger.register("survey", folder / "may.csv")
    ledger.grant("survey", epsilon=1, data=folder / "june.csv")
    assert ledger.find(folder / "may.csv") == ledger.find(str(folder / "june.csv")) == "survey"
    head = ledger.head
    ledger.register("survey", folder / "may.csv")
    assert ledger.head == head
    with pytest.raises(BudgetError, match="draws on the budget of 'survey' already"):
        ledger.grant("fresh", epsilon=9, data=folder / "may.csv")
    assert [balance.dataset for balance in ledger.balances()] == ["survey"]
    with pytest.raises(LedgerError, match=r"cannot read .*july\.csv"):
        ledger.find(folder / "july.csv")


def test_a_key_that_the_ledger_does_not_keep(folder: Path) -> None:
    (folder / "may.csv").write_text("a\n1\n", encoding="utf-8")
    key = bytes(range(32))
    ledger = nw.Ledger.create(folder / "b.db", key=key)
    assert key not in (folder / "b.db").read_bytes()
    assert key.hex().encode() not in (folder / "b.db").read_bytes()
    ledger.grant("survey", epsilon=1, data=folder / "may.csv")
    without = nw.Ledger.open(folder / "b.db")
    without.spend("survey", HALF, what="needs no key")
    with pytest.raises(LedgerError, match="open it with key="):
        without.find(folder / "may.csv")
    assert nw.Ledger.open(folder / "b.db", key=key.hex()).find(folder / "may.csv") == "survey"
    with pytest.raises(LedgerError, match="not the key of the ledger"):
        nw.Ledger.open(folder / "b.db", key=bytes(32))
    for bad in (b"short", "zz", "abc"):
        with pytest.raises(ParameterError):
            nw.Ledger.open(folder / "b.db", key=bad)


@pytest.mark.parametrize(
    ("missing", "where", "command"),
    [
        ("sqlalchemy", "budget.db", "pip install sqlalchemy"),
        ("psycopg", "postgresql://host/x", r"pip install 'noisewright\[postgres\]'"),
    ],
)
def test_a_missing_library_is_named_with_the_way_to_get_it(
    missing: str, where: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingPartError, match=command):
        nw.Ledger.open(where)


def test_room_can_be_asked_for_without_a_record(ledger: nw.Ledger) -> None:
    ledger.require_room("survey", nw.accounting.Guarantee(2, "1e-6"))
    with pytest.raises(OverBudgetError, match="What fits: epsilon up to 2 ") as problem:
        ledger.require_room("survey", nw.accounting.Guarantee("2.1"))
    assert problem.value.left == ledger.remaining("survey")
    with pytest.raises(UnknownDatasetError):
        ledger.require_room("servey", HALF)
    assert [entry.kind for entry in ledger.history()] == ["grant"]


def test_a_large_grant_is_compared_at_once(folder: Path) -> None:
    ledger = nw.Ledger.create(folder / "large.db")
    ledger.grant("people", epsilon=10**7)
    third = nw.accounting.Guarantee(nw.accounting.Epsilon.log(Fraction(4, 3)))
    with ledger.spend("people", third, what="a little"):
        pass
    with ledger.spend(
        "people", nw.accounting.Guarantee(Fraction(1, 10**160)), what="nearly nothing"
    ):
        pass
    assert not ledger.balance("people").reserved
    with (
        pytest.raises(OverBudgetError),
        ledger.spend("people", nw.accounting.Guarantee(10**7), what="all of it"),
    ):
        pytest.fail("more than is left was spent")
