"""Jobs that outlive the browser and the server: each is a process, and a file written whole.

A job is made from a confirmation, whose name it takes: to send the confirmation again gives the
same job and no second spend. The process holds a lock while it lives. Where the lock is free and
the file does not say how the job ended, the process was killed, and the ledger is asked what became
of the debit: every spend of a job names the job.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, final

from noisewright import ledger
from noisewright.errors import NoisewrightError
from noisewright.files import read_whole, write_whole
from noisewright.studio.failures import RefusalError
from noisewright.studio.folder import StudioFolder, without_password

_NAME = re.compile(r"[0-9a-f]{32}")
_STARTING = 20.0
"""Seconds that a process may take to begin."""

LEDGER, DATABASE = "NOISEWRIGHT_STUDIO_LEDGER", "NOISEWRIGHT_STUDIO_DATABASE"
"""The variables that tell a process the addresses of databases: files must hold no password."""

OPEN = ("waiting", "running")


@final
class JobShelf:
    """The files of all jobs of a folder."""

    def __init__(self, folder: StudioFolder, *, ledger: str | None = None) -> None:
        self._place = folder.state / "jobs"
        self._ledger, self._database = ledger, folder.database
        self._place.mkdir(mode=0o700, exist_ok=True)
        self._lock = threading.Lock()
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, content: dict[str, Any], *, ledger: str | None) -> dict[str, Any]:
        """Write the file of a job and start its process; an old name gives the old job."""
        path = self._path(name)
        given = {LEDGER: ledger, DATABASE: self._database}
        environment = {key: value for key, value in os.environ.items() if key not in given}
        environment |= {key: value for key, value in given.items() if value is not None}
        with self._lock:
            if path.exists():
                return self.read(name)
            job = {
                "id": name,
                "state": "waiting",
                "begun": now(),
                "ledger": None if ledger is None else without_password(ledger),
                "progress": None,
                "result": None,
                "error": None,
                **content,
            }
            write_job(path, job)
            self._children[name] = subprocess.Popen(
                [sys.executable, "-m", "noisewright.studio.work", str(path)],
                cwd=job["folder"],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # A signal to the server, as by Ctrl-C, does not end a release half way.
                start_new_session=True,
            )
        return self.read(name)

    def read(self, name: str) -> dict[str, Any]:
        """Return a job as it stands; one whose process was killed is settled first."""
        path = self._path(name)
        if not path.exists():
            raise RefusalError("there is no such job.", status=404)
        child = self._children.get(name)
        if child is not None and child.poll() is not None:
            self._children.pop(name, None)
        job = read_job(path)
        if job["state"] not in OPEN or may_be_starting(job):
            return job
        try:
            # With the lock, no process can begin, and spend, while the ledger is asked.
            with hold(path):
                job = read_job(path)
                if job["state"] in OPEN:
                    job = settle(job, ledger=self._ledger)
                    write_job(path, job)
        except BlockingIOError:
            job = read_job(path)
        return job

    def all(self) -> list[dict[str, Any]]:
        """Return all jobs, the latest first."""
        names = [path.stem for path in self._place.glob("*.json") if _NAME.fullmatch(path.stem)]
        found = [self.read(name) for name in names]
        return sorted(found, key=lambda job: job["begun"], reverse=True)

    def file(self, name: str, kind: str) -> Path:
        """Return a file that a finished job made."""
        result = self.read(name).get("result") or {}
        path = result.get("files", {}).get(kind)
        if path is None or "NOT-FOR-RELEASE" in path or not Path(path).is_file():
            raise RefusalError(f"the job made no file that is called {kind!r}.", status=404)
        return Path(path)

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise RefusalError("that is not the name of a job.", status=404)
        return self._place / f"{name}.json"


def now() -> str:
    """Return the time, as text."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_job(path: Path) -> dict[str, Any]:
    """Return what a file says of a job."""
    return json.loads(read_whole(path))


def write_job(path: Path, job: dict[str, Any]) -> None:
    """Write a job: whole, or not at all."""
    write_whole(path, json.dumps(job, default=str).encode())


@contextmanager
def hold(path: Path, *, wait: bool = False) -> Generator[None]:
    """Hold the lock of a job, which the operating system drops with the process."""
    number = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(number)


def may_be_starting(job: dict[str, Any]) -> bool:
    """Tell whether the process of a job may not have come to take its lock yet."""
    begun = datetime.fromisoformat(job["begun"]).timestamp()
    return job["state"] == "waiting" and time.time() - begun < _STARTING


def mark_of(name: str) -> str:
    """Return how the ledger calls a job, so that its spend is found again."""
    return f"studio job {name}"


def spend_of(job: dict[str, Any], where: str) -> tuple[Any, str] | None:
    """Return the entry that a job spent and its state, by the mark; None if it spent nothing."""
    book = ledger.Ledger.open(where)
    for entry in reversed(book.history()):
        if entry.kind == "spend" and mark_of(job["id"]) in entry.what:
            return entry, book.state(entry.sequence)
    return None


def settle(job: dict[str, Any], *, ledger: str | None = None) -> dict[str, Any]:
    """Return a job whose process was killed, with what became of its debit, in words.

    `ledger` is that of the studio, which knows the password if there is one.
    """
    if job["ledger"] is None:
        return job | {
            "state": "interrupted",
            "ended": now(),
            "error": "The work was interrupted. No ledger was used, so nothing was debited.",
        }
    entry = None
    try:
        known = ledger is not None and without_password(ledger) == job["ledger"]
        found = spend_of(job, ledger if known and ledger is not None else job["ledger"])
    except NoisewrightError as problem:
        words = f"Whether anything was debited is not known: {problem}"
    else:
        words = "Nothing was debited and nothing was drawn. You can start again."
        if found is not None:
            spent, state = found
            entry = spent.sequence
            words = {
                "released": f"Its result was published before that, and is accounted for in entry "
                f"{entry} of the ledger ({spent.amount_text}). Its files are in the folder.",
                "wasted": f"Entry {entry} of the ledger ({spent.amount_text}) is wasted: it "
                "remains spent, and nothing was published.",
            }.get(
                state,
                f"Entry {entry} of the ledger had reserved {spent.amount_text}, which counts as "
                "spent: nobody can tell what was drawn before. Nothing was published.",
            )
    result = job["result"]
    with contextlib.suppress(NoisewrightError, OSError):
        result = result or _files_there(job, entry)
    return job | {
        "state": "interrupted",
        "ended": now(),
        "error": f"The work was interrupted. {words}",
        "entry": entry,
        "result": result,
    }


def _files_there(job: dict[str, Any], entry: int | None) -> dict[str, Any] | None:
    """Return the files of a job that was killed after it had published them."""
    from noisewright.releases import TargetFiles

    target = TargetFiles.at(Path(job["folder"]) / job["request"]["output"])
    if entry is None or not target.data.is_file() or not target.certificate.is_file():
        return None
    kinds = {"data": target.data, "certificate": target.certificate, "report": target.report}
    return {"files": {kind: str(path) for kind, path in kinds.items() if path.is_file()}}
