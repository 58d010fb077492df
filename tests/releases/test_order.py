"""The order of work, as the operating system sees it: what power loss must not reorder."""

import os
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from tests.releases.survey import PLAN, Survey


def events_of(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Release, and return what was synced, renamed and recorded, one after the other."""
    seen: list[str] = []
    real = {name: getattr(os, name) for name in ("fsync", "replace")}
    spend, finish = nw.Ledger.spend, nw.Ledger.finish

    def synced(number: int) -> None:
        real["fsync"](number)
        path = Path(os.readlink(f"/proc/self/fd/{number}"))
        seen.append(f"sync {'folder' if path == survey.folder else path.suffix or 'inside'}")

    def renamed(source: Any, target: Any) -> None:
        real["replace"](source, target)
        seen.append(f"name {Path(target).name}")

    def spent(*arguments: Any, **options: Any) -> Any:
        answer = spend(*arguments, **options)
        seen.append("debit")
        return answer

    def finished(*arguments: Any, **options: Any) -> Any:
        seen.append(f"mark {arguments[2]}")
        return finish(*arguments, **options)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    monkeypatch.setattr(nw.Ledger, "spend", spent)
    monkeypatch.setattr(nw.Ledger, "finish", finished)
    nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    return seen


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs: /proc, to name open files")
def test_files_are_on_disk_before_their_names_and_names_before_the_mark(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = events_of(survey, monkeypatch)
    names = ["private.recipe.json", "private.certificate.json", "private.parquet"]
    first, last = seen.index(f"name {names[0]}"), seen.index(f"name {names[-1]}")
    # The certificate before the debit; data and recipe after it, and before the first name.
    assert seen[:2] == ["sync .json", "debit"]
    assert seen[2:first].count("sync .json") == 1
    assert len(seen[2:first]) >= 2
    assert not any(one.startswith(("name", "mark")) for one in seen[:first])
    assert seen[first : last + 1] == [f"name {name}" for name in names]
    # Then the folder, the mark, and last the report.
    assert seen[last + 1 : last + 3] == ["sync folder", "mark released"]
    assert seen[-1] == "name private.report.html"
