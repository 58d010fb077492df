"""Releases that are killed: nothing is lost, nothing half is seen, nothing is released for free."""

import random
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.releases.files.staging import remove_stale
from tests.faults.release_runs import Runs, release_runs
from tests.releases.survey import Survey, make_survey

KILLS = 50


@pytest.fixture(scope="module")
def runs() -> Generator[Runs]:
    with release_runs() as started:
        yield started


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return make_survey(tmp_path, rows=300, epsilon=1_000)


def asked(survey: Survey, name: str) -> dict[str, Any]:
    return {
        "data": survey.csv,
        "plan": survey.plan,
        "ledger": survey.ledger,
        "out": survey.folder / name,
        "what": name,
    }


def require_sound(survey: Survey, *names: str) -> list[str]:
    """Check all that must hold at any moment; return which of the releases are out."""
    ledger = nw.Ledger.open(survey.ledger)  # verifies every entry
    spends: dict[str, set[str]] = {}
    for entry in ledger.history():
        if entry.kind == "spend":
            spends.setdefault(entry.what.partition(" (")[0], set()).add(
                ledger.state(entry.sequence)
            )
    out = [name for name in names if (survey.folder / name).exists()]
    for name in out:
        made = nw.results.Release.open(survey.folder / name)
        assert made.table.num_rows == made.rows == survey.rows
        assert set(made.files) == {"data", "certificate", "recipe"}
        assert spends[name] & {"reserved", "released"}
    # Said to be released means that it is there.
    assert {name for name in names if "released" in spends.get(name, ())} <= set(out)
    return out


@pytest.mark.slow
def test_killed_at_fifty_moments_of_its_run(survey: Survey, runs: Runs) -> None:
    """One moment in each fiftieth of the time that a whole run takes, and a little beyond."""
    warm = [runs.whole(**asked(survey, f"warm{i}.parquet")) for i in range(2)]
    assert {one["said"] for one in warm} == {"released"}
    seconds = min(one["seconds"] for one in warm)
    names = [f"private{number}.parquet" for number in range(KILLS)]
    killed: list[str] = []
    for number, name in enumerate(names):
        moment = (number + random.random()) / KILLS * seconds * 1.1
        if runs.killed(moment, **asked(survey, name)):
            killed.append(name)
        require_sound(survey, name)
    assert len(killed) >= KILLS // 2
    out = require_sound(survey, *names)
    assert len(survey.states()) >= len(out)
    assert nw.check(survey.folder / "warm0.certificate.json")
    # What a killed run has left stands in nobody's way, and is gone afterwards.
    for name in [name for name in killed if name not in out][::8]:
        assert runs.whole(**asked(survey, name))["said"] == "released"
        assert require_sound(survey, name) == [name]
    assert not list(survey.folder.glob(".noisewright*"))


def test_killed_before_each_step_that_touches_a_disk(survey: Survey, runs: Runs) -> None:
    """Syncs, renames, folders and commits of the ledger, one after the other, until none is left.

    A second run to the same name succeeds, unless the release was out already.
    """
    seen: list[tuple[str, ...]] = []
    while True:
        folder = survey.folder / str(len(seen) + 1)
        folder.mkdir()
        name = f"{folder.name}/private.parquet"
        is_killed = runs.step(len(seen) + 1, **asked(survey, name))
        is_out = bool(require_sound(survey, name))
        if not is_killed:
            break
        seen.append(tuple(sorted(path.suffix for path in folder.glob("private.*"))))
        if not is_out:
            assert runs.whole(**asked(survey, name))["said"] == "released"
            assert require_sound(survey, name) == [name]
        assert is_out or not list(folder.glob(".noisewright*"))
    assert is_out
    # Before anything is renamed, between the three names, and when all of them are there.
    json, data = ".json", ".parquet"
    stages = [(), (json,), (json, json), (json, json, data)]
    assert list(dict.fromkeys(seen)) == stages


def test_killed_while_it_replaces_a_release(survey: Survey, runs: Runs) -> None:
    """The old one or the new one, or a recipe that does not fit, which is said; never half."""
    assert runs.whole(**asked(survey, survey.out.name))["said"] == "released"
    old, number, mixed = survey.out.read_bytes(), 9, 0
    while runs.step(number, overwrite=True, **asked(survey, survey.out.name)):
        said = opened(survey.out)
        if said:
            assert "interrupted" in said
            assert survey.out.read_bytes() == old
            mixed += 1
            again = runs.whole(overwrite=True, **asked(survey, survey.out.name))
            assert again["said"] == "released"
        old = survey.out.read_bytes()
        # Otherwise the next run has more steps: it cleans up.
        remove_stale(survey.folder)
        number += 1
    assert mixed == 2
    assert nw.results.Release.open(survey.out).rows == survey.rows


def opened(path: Path) -> str:
    try:
        nw.results.Release.open(path)
    except nw.errors.ReleaseError as problem:
        return str(problem)
    return ""
