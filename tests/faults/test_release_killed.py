"""Releases that are killed: nothing is lost, nothing half is seen, nothing is released for free."""

import random
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from tests.faults.release_runs import Runs, release_runs
from tests.releases.survey import Survey, make_survey

KILLS = 50


@pytest.fixture(scope="module")
def runs() -> Generator[Runs]:
    with release_runs() as started:
        yield started


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return make_survey(tmp_path, rows=2_000, epsilon=1_000)


def asked(survey: Survey, name: str) -> dict[str, Any]:
    return {
        "data": survey.csv,
        "plan": survey.plan,
        "ledger": survey.ledger,
        "out": survey.folder / name,
        "what": name,
    }


def require_sound(survey: Survey, name: str = "*.parquet") -> list[str]:
    """Check all that must hold at any moment; return the names of the releases that are out."""
    ledger = nw.Ledger.open(survey.ledger)  # verifies every entry
    spends: dict[str, set[str]] = {}
    for entry in ledger.history():
        if entry.kind == "spend":
            spends.setdefault(entry.what, set()).add(ledger.state(entry.sequence))
    for path in survey.folder.glob(name):
        made = nw.Release.open(path)
        assert made.table.num_rows == made.rows == survey.rows
        assert nw.check(path.with_name(f"{path.stem}.certificate.json"))
        assert spends[path.name] & {"reserved", "released"}
    out = [path.name for path in survey.folder.glob("*.parquet")]
    # Said to be released means that it is there.
    assert {what for what, states in spends.items() if "released" in states} <= set(out)
    return out


@pytest.mark.slow
def test_killed_at_fifty_moments_of_its_run(survey: Survey, runs: Runs) -> None:
    """One moment in each fiftieth of the time that a whole run takes, and a little beyond."""
    warm = [runs.whole(**asked(survey, f"warm{i}.parquet")) for i in range(3)]
    assert {one["said"] for one in warm} == {"released"}
    seconds = min(one["seconds"] for one in warm)
    moments = [(i + random.random()) / KILLS * seconds * 1.1 for i in range(KILLS)]
    killed: list[str] = []
    for number, moment in enumerate(moments):
        name = f"private{number}.parquet"
        if runs.killed(moment, **asked(survey, name)):
            killed.append(name)
        require_sound(survey, name)
    assert len(killed) >= KILLS // 2
    out = require_sound(survey)
    assert len(survey.states()) >= len(out)
    # What a killed run has left stands in nobody's way, and is gone afterwards.
    for name in [name for name in killed if name not in out][::5]:
        assert runs.whole(**asked(survey, name))["said"] == "released"
        assert name in require_sound(survey, name)
    assert not list(survey.folder.glob(".noisewright*"))


def test_killed_before_each_step_that_touches_a_disk(survey: Survey, runs: Runs) -> None:
    """Syncs, renames, folders and commits of the ledger, one after the other, until none is left.

    After each kill a second run to the same name succeeds, unless the release was out already.
    """
    number, left_recipes = 1, 0
    while runs.step(number, **asked(survey, f"private{number}.parquet")):
        path = survey.folder / f"private{number}.parquet"
        out = require_sound(survey, path.name)
        left_recipes += path.with_name(f"{path.stem}.recipe.json").exists() and not path.exists()
        if path.name not in out:
            assert runs.whole(**asked(survey, path.name))["said"] == "released"
            assert not list(survey.folder.glob(".noisewright*"))
        number += 1
    assert number > 10
    assert left_recipes >= 1
    assert f"private{number}.parquet" in require_sound(survey)


def test_killed_while_it_replaces_a_release(survey: Survey, runs: Runs) -> None:
    """The old one or the new one, or a recipe that does not fit, which is said; never half."""
    assert runs.whole(**asked(survey, survey.out.name))["said"] == "released"
    old, number, mixed = survey.out.read_bytes(), 1, 0
    while runs.step(number, overwrite=True, **asked(survey, survey.out.name)):
        said = opened(survey.out)
        if said:
            assert "interrupted" in said
            assert survey.out.read_bytes() == old
            mixed += 1
            again = runs.whole(overwrite=True, **asked(survey, survey.out.name))
            assert again["said"] == "released"
        old = survey.out.read_bytes()
        number += 1
    assert mixed >= 1
    assert nw.Release.open(survey.out).rows == survey.rows


def opened(path: Path) -> str:
    try:
        nw.Release.open(path)
    except nw.errors.ReleaseError as problem:
        return str(problem)
    return ""
