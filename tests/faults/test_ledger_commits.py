"""A commit that fails at its very end: what the ledger says is what is on record."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import LedgerError, UnconfirmedError
from tests.faults.sqlite_calls import failing_folder_sync, failing_removal
from tests.ledger.crowd import TENTH

_CALLS: dict[str, Callable[[nw.Ledger], object]] = {
    "grant": lambda ledger: ledger.grant("survey", epsilon=1),
    "spend": lambda ledger: ledger.spend("survey", TENTH, what="x"),
    "released": lambda ledger: ledger.finish(2, "released"),
}


@pytest.fixture
def ledger(tmp_path: Path) -> nw.Ledger:
    made = nw.Ledger.create(tmp_path / "budget.db")
    made.grant("survey", epsilon=2)
    made.spend("survey", TENTH, what="before")
    return made


@pytest.mark.parametrize("kind", _CALLS)
@pytest.mark.parametrize("which", [1, 2, 3])
@pytest.mark.parametrize("fault", [failing_folder_sync, failing_removal])
def test_what_is_said_about_a_failed_commit_is_true(
    ledger: nw.Ledger, kind: str, which: int, fault: Callable[[int], Any]
) -> None:
    """SQLite commits by removing its journal, and syncs the folder afterwards.

    Before that it syncs the folder once for the journal, and takes no notice of a failure.
    """
    before = ledger.history()
    problem = None
    with fault(which) as asked:
        try:
            _CALLS[kind](ledger)
        except LedgerError as found:
            problem = found
    added = nw.Ledger.open(ledger.where).history()[len(before) :]
    said = str(problem)
    if (fault, which) == (failing_folder_sync, 2):
        assert isinstance(problem, UnconfirmedError)
        assert [entry.kind for entry in added] == [kind]
        assert f"recorded nevertheless: entry {added[0].sequence}" in said
        assert "Do not repeat it" in said
        assert "Nothing was recorded" not in said
    elif (fault, which) == (failing_removal, 1):
        assert type(problem) is LedgerError
        assert not added
        assert "Nothing was recorded" in said
    else:
        assert problem is None
        assert [entry.kind for entry in added] == [kind]
    assert asked


def test_the_last_sync_fails_and_the_commit_is_there(ledger: nw.Ledger) -> None:
    """The case that doubled grants: who obeyed "nothing was recorded, try again" granted twice."""
    with failing_folder_sync(2), pytest.raises(UnconfirmedError, match="entry 3"):
        ledger.grant("survey", epsilon=5)
    assert ledger.balance("survey").granted.epsilon.rational == 7


def test_a_mark_that_may_be_there_is_not_said_to_be_missing(ledger: nw.Ledger) -> None:
    spend = ledger.spend("survey", TENTH, what="a")
    with failing_folder_sync(2), pytest.raises(UnconfirmedError) as problem, spend:
        pass
    assert ledger.state(spend.sequence) == "released"
    assert "stays reserved" not in " ".join(problem.value.__notes__)


def test_where_nobody_can_look_nothing_is_claimed(
    ledger: nw.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:

    def broken(*_: object) -> None:
        raise LedgerError("the disk is gone")

    monkeypatch.setattr("noisewright.ledger.journal.with_tokens", broken)
    with failing_folder_sync(2), pytest.raises(UnconfirmedError, match="is not known") as problem:
        ledger.grant("survey", epsilon=1)
    assert "Nothing was recorded" not in str(problem.value)
