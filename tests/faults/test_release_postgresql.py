"""Releases whose ledger is on a server that goes away: accounted for, or not released."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import LedgerError
from tests.ledger.cutting import MOMENTS, cut_at, direct
from tests.ledger.server import server
from tests.releases.survey import PLAN, Survey, make_survey


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    with server() as where:
        yield where


@pytest.fixture
def survey(address: str, tmp_path: Path) -> Survey:
    """A survey whose budget of 10 is on the server."""
    with direct(address) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    made = make_survey(tmp_path)
    made.ledger.unlink()
    nw.Ledger.create(address).grant("survey", epsilon=10, data=made.csv)
    return made


def states(address: str) -> list[str]:
    ledger = nw.Ledger.open(address)
    return [ledger.state(e.sequence) for e in ledger.history() if e.kind == "spend"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_connection_that_is_cut_once_releases_once(
    address: str, survey: Survey, moment: str
) -> None:
    ledger = nw.Ledger.open(address)
    count = cut_at(ledger, moment, address, 1)
    made = nw.release(
        survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=ledger
    )
    assert count() >= 1
    assert states(address) == ["released"]
    assert made.notes == ()
    assert nw.results.Release.open(survey.out).rows == 500


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_connection_that_is_always_cut_releases_nothing(
    address: str, survey: Survey, moment: str
) -> None:
    ledger = nw.Ledger.open(address)

    def go_away(step: str, *_: Any) -> None:
        if step == "check":
            cut_at(ledger, moment, address, 1000)

    with pytest.raises(LedgerError, match=r"cut the connection|could not be reached"):
        nw.release(survey.csv, PLAN, out=survey.out, ledger=ledger, progress=go_away)
    assert survey.names() == ["plan.toml", "survey.csv"]
    # The answer to a commit may be lost: then the spend is on record, and nothing was drawn.
    assert states(address) == (["reserved"] if moment == "after the commit" else [])


def test_a_server_that_is_gone_when_the_files_are_out_is_said_and_nothing_is_lost(
    address: str, survey: Survey
) -> None:
    ledger = nw.Ledger.open(address)

    def go_away(step: str, *_: Any) -> None:
        if step == "draw":
            cut_at(ledger, "before the insert", address, 1000)

    made = nw.release(
        survey.csv,
        PLAN,
        out=nw.planning.Output(survey.out, report=False),
        ledger=ledger,
        progress=go_away,
    )
    assert nw.results.Release.open(survey.out).rows == 500
    assert made.is_accounted
    assert made.balance is not None
    assert f"Entry {made.entry} could not be marked as released and stays reserved" in made.notes[0]
    assert "counts as spent" in made.notes[0]
    assert states(address) == ["reserved"]
    assert nw.Ledger.open(address).remaining("survey") == nw.accounting.Guarantee(8)


def test_a_server_that_is_gone_while_drawing_fails_leaves_a_reserved_spend(
    address: str, survey: Survey
) -> None:
    ledger = nw.Ledger.open(address)

    def go_away(step: str, *_: Any) -> None:
        if step == "draw":
            cut_at(ledger, "before the insert", address, 1000)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as problem:
        nw.release(survey.csv, PLAN, out=survey.out, ledger=ledger, progress=go_away)
    assert "could not be marked as wasted and stays reserved" in " ".join(problem.value.__notes__)
    assert states(address) == ["reserved"]
    assert survey.names() == ["plan.toml", "survey.csv"]
