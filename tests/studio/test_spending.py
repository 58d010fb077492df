"""Whatever is clicked, killed or sent twice: a job is accounted for once, and none overspends."""

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.mechanisms import Guarantee
from noisewright.studio import jobs
from noisewright.studio.folder import StudioFolder
from noisewright.studio.jobs import JobShelf, hold, mark_of, read_job, settle, write_job
from tests.studio.conftest import SECRET, TABLE, RunningStudio, write_survey


def spends(studio: RunningStudio) -> list[Any]:
    book = nw.Ledger.open(studio.folder / "budget.db")
    return [entry for entry in book.history() if entry.kind == "spend"]


def test_a_question_is_explained_confirmed_and_answered_once(studio: RunningStudio) -> None:
    question = {"aggregates": [{"what": "count"}, {"what": "mean", "column": "hours"}]}
    question |= {"by": ["job"], "where": "hours >= 20"}
    with studio.browser() as client:
        studio.plan(client)
        studio.grant(client)
        explained = studio.explain(client, question=question).json()
        assert "At most epsilon=0.5 will be debited" in explained["budget"][0]
        assert "cannot be undone" in explained["forever"]
        assert explained["shell"].startswith("noisewright ask survey.csv --plan plan.toml")
        assert not spends(studio)
        yes = {"confirmation": explained["confirmation"]}
        names = {client.post("/api/jobs", json=yes).json()["id"] for _ in range(3)}
        assert len(names) == 1
        job = studio.finish(client, names.pop())
        assert job["state"] == "done", job["error"]
        assert len(job["result"]["answer"]) == 3
        assert job["result"]["entry"] == spends(studio)[0].sequence
        assert SECRET not in str(job)
        assert str(studio.folder) not in str(job)
        certificate = client.get(f"/api/jobs/{job['id']}/files/certificate")
        assert certificate.headers["content-disposition"].startswith("attachment")
        checked = client.post("/api/audit/certificate", json={"text": certificate.text}).json()
        assert checked["holds"]
        data = client.get(f"/api/jobs/{job['id']}/files/data").text
        assert data.startswith('"job",')
        assert client.post("/api/jobs", json=yes).json()["state"] == "done"
        assert len(client.get("/api/jobs").json()) == 1
    assert len(spends(studio)) == 1
    assert nw.Ledger.open(studio.folder / "budget.db").balance("survey").spent == Guarantee("1/2")


def test_a_synthetic_table_and_a_private_copy(studio: RunningStudio) -> None:
    with studio.browser() as client:
        studio.plan(client)
        wanted = {"kind": "synthesize", "epsilon": "1", "delta": "1e-9", "output": "made.csv"}
        first = studio.explain(client, **wanted, without_ledger=True).json()
        assert "No ledger is used" in first["budget"][0]
        copy = {"kind": "release", "output": "copy.csv", "without_ledger": True}
        second = studio.explain(client, **copy).json()
        assert "guesses the right one" in second["words"][0]
        for explained, files in (
            (first, {"data", "certificate", "synthesis", "report"}),
            (second, {"data", "certificate", "recipe", "report"}),
        ):
            yes = {"confirmation": explained["confirmation"]}
            job = studio.finish(client, client.post("/api/jobs", json=yes).json()["id"])
            assert job["state"] == "done", job["error"]
            assert set(job["result"]["files"]) == files
            report = client.get(f"/api/jobs/{job['id']}/files/report")
            assert report.headers["content-type"] == "application/octet-stream"


def test_what_exceeds_the_budget_is_refused_before_it_starts(studio: RunningStudio) -> None:
    with studio.browser() as client:
        studio.plan(client)
        answer = studio.explain(client)
        assert answer.status_code == 409
        assert "Create one" in answer.json()["error"]
        studio.grant(client, epsilon="0.4")
        answer = studio.explain(client)
        assert answer.status_code == 409
        assert "0.4" in answer.json()["error"]


def test_two_browsers_never_overspend(studio: RunningStudio) -> None:
    """Both were told that there is enough; the ledger decides who was first."""
    with studio.browser() as one, studio.browser() as two:
        studio.plan(one)
        studio.grant(one, epsilon="0.8")
        confirmations = [
            studio.explain(client, output=f"answer{place}.csv").json()["confirmation"]
            for place, client in enumerate((one, two))
        ]
        started: list[str] = []

        def confirm(client: Any, name: str) -> None:
            job = client.post("/api/jobs", json={"confirmation": name}).json()
            started.append(job["id"])

        threads = [
            threading.Thread(target=confirm, args=pair)
            for pair in zip((one, two), confirmations, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ended = {job["state"]: job for job in (studio.finish(one, name) for name in started)}
    assert set(ended) == {"done", "failed"}
    assert ended["failed"]["error"].endswith("Nothing was debited.")
    assert len(spends(studio)) == 1


def test_a_killed_job_says_what_became_of_the_debit(studio: RunningStudio) -> None:
    write_survey(studio.folder, people=400_000)
    with studio.browser() as client:
        studio.plan(client)
        studio.grant(client)
        wanted = {"kind": "release", "output": "copy.csv"}
        yes = {"confirmation": studio.explain(client, **wanted).json()["confirmation"]}
        name = client.post("/api/jobs", json=yes).json()["id"]
        child = studio.rooms.jobs._children[name]
        while client.get(f"/api/jobs/{name}").json()["state"] == "waiting":
            time.sleep(0.05)
        os.kill(child.pid, signal.SIGKILL)
        child.wait(30)
        job = studio.finish(client, name)
        assert job["state"] == "interrupted"
        assert len(spends(studio)) <= 1
        words = "had reserved" if spends(studio) else "Nothing was debited"
        assert words in job["error"]
        # To confirm again does not start it again.
        assert client.post("/api/jobs", json=yes).json()["state"] == "interrupted"
    assert not (studio.folder / "copy.csv").exists()


def test_after_a_restart_the_ledger_says_how_a_job_ended(studio: RunningStudio) -> None:
    with studio.browser() as client:
        studio.plan(client)
        studio.grant(client)
        name = "0123456789abcdef" * 2
        path = studio.rooms.jobs._path(name)
        job: dict[str, Any] = {
            "id": name,
            "state": "running",
            "begun": "2026-01-01T00:00:00+00:00",
            "ledger": str(studio.folder / "budget.db"),
            "folder": str(studio.folder),
            "request": {"kind": "ask", "table": TABLE, "plan": "plan.toml", "output": "a.csv"},
            "code": {"shell": "", "python": ""},
            "progress": None,
            "result": None,
            "error": None,
        }
        assert "Nothing was debited" in settle(job)["error"]
        book = nw.Ledger.open(studio.folder / "budget.db")
        held = book.spend("survey", Guarantee("1/4"), what=f"ask a.csv ({mark_of(name)})")
        reserved = settle(job)
        assert "counts as spent" in reserved["error"]
        write_job(path, job)
        assert client.get(f"/api/jobs/{name}").json()["state"] == "interrupted"
        assert read_job(path)["entry"] == reserved["entry"]
        del held


def test_code_is_quoted(studio: RunningStudio) -> None:
    odd = "it's; rm -rf x.csv"
    with studio.browser() as client:
        studio.plan(client)
        made = studio.explain(client, output=odd, without_ledger=True).json()
    assert "'it'\"'\"'s; rm -rf x.csv'" in made["shell"]
    compile(made["python"], "code", "exec")


def test_a_job_that_is_late_cannot_begin_while_it_is_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process would spend after the page said that nothing was debited."""
    shelf, name = JobShelf(StudioFolder.at(tmp_path)), "a" * 32
    path = tmp_path / ".noisewright-studio" / "jobs" / f"{name}.json"
    begun = "2020-01-01T00:00:00+00:00"
    write_job(path, {"id": name, "state": "waiting", "begun": begun, "ledger": None})

    def settle_slowly(job: dict[str, Any], **given: Any) -> dict[str, Any]:
        with pytest.raises(BlockingIOError), hold(path):
            pass
        return settle(job, **given)

    monkeypatch.setattr(jobs, "settle", settle_slowly)
    with hold(path):
        assert shelf.read(name)["state"] == "waiting", "its process has the lock"
    assert shelf.read(name)["state"] == "interrupted"
