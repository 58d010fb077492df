"""A studio in a folder of made-up people, on a free port of this machine."""

import csv
import random
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from noisewright.studio.app import StudioRooms, make_app
from noisewright.studio.doorkeeper import Doorkeeper
from noisewright.studio.folder import StudioFolder
from noisewright.studio.guard import Guard
from noisewright.studio.serving import _listen
from noisewright.studio.users import UserBook

DOCS = Path(__file__).parents[2] / "docs"
SECRET = "63.137"
"""A cell that occurs in the data, and must not occur in what a browser gets."""

TABLE = {"file": "survey.csv"}


def write_survey(folder: Path, people: int = 1500) -> None:
    draw = random.Random(7)
    rows = [
        f"{draw.choice(['nurse', 'baker', 'clerk'])},{draw.randint(18, 65)},{SECRET}"
        for _ in range(people)
    ]
    text = "job,hours,weight\n" + "\n".join(rows) + "\n"
    (folder / "survey.csv").write_text(text, encoding="utf-8")
    codes = "column,label,low,high,step,kind\njob,nurse\njob,baker\njob,clerk\nhours,,0,80,1\n"
    (folder / "codes.csv").write_text(codes + "weight,,,,,drop\n", encoding="utf-8")


def write_adult(folder: Path, people: int = 500) -> None:
    """Made-up people in the columns of Adult; the codebook leaves two columns open.

    Its grids are coarse, so that predictions are quick.
    """
    text = (DOCS / "examples" / "adult-codebook.csv").read_text(encoding="utf-8")
    for fine, coarse in (("100000,1", "100000,5000"), ("5000,1", "5000,500"), ("100,1", "100,5")):
        text = text.replace(f",0,{fine}\n", f",0,{coarse}\n")
    known: dict[str, list[str]] = {}
    for row in csv.DictReader(text.splitlines()):
        bounds = range(int(row["low"] or 0), int(row["high"] or 0) + 1, int(row["step"] or 1))
        cells = [row["label"]] if row["label"] else [str(value) for value in bounds]
        known.setdefault(row["column"], []).extend(cells)
    draw = random.Random(7)
    known["fnlwgt"] = [SECRET]
    rows = [[draw.choice(cells) for cells in known.values()] for _ in range(people)]
    lines = [",".join(row) for row in [list(known), *rows]]
    (folder / "adult.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith("sex,")]
    (folder / "codes.csv").write_text("".join(kept), encoding="utf-8")


@dataclass
class RunningStudio:
    """A server in a thread, and what a browser that was let in holds."""

    folder: Path
    rooms: StudioRooms
    doorkeeper: Doorkeeper
    origin: str

    @property
    def address(self) -> str:
        return f"{self.origin}/?token={self.doorkeeper.token}"

    def stranger(self, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.origin, headers=headers, trust_env=False, timeout=60)

    @contextmanager
    def browser(self) -> Generator[httpx.Client]:
        with self.stranger(origin=self.origin) as client:
            assert client.get(self.address).status_code == 200
            yield client

    @contextmanager
    def member(self, token: str) -> Generator[httpx.Client]:
        """A browser in which a user of a team handed in their token."""
        with self.stranger(origin=self.origin) as client:
            assert client.post("/enter", data={"token": token}).status_code == 200
            yield client

    def plan(self, client: httpx.Client, epsilon: str = "1") -> None:
        wanted = {"table": TABLE, "codebook": "codes.csv", "epsilon": epsilon}
        made = client.post("/api/plans", json={**wanted, "file": "plan.toml", "overwrite": True})
        assert made.status_code == 200, made.text

    def grant(self, client: httpx.Client, epsilon: str = "2", delta: str = "1e-6") -> None:
        client.post("/api/ledger")
        budget = {"dataset": "survey", "epsilon": epsilon, "delta": delta, "table": TABLE}
        assert client.post("/api/ledger/grants", json=budget).status_code == 200

    def explain(self, client: httpx.Client, **wanted: Any) -> httpx.Response:
        usual = {"kind": "ask", "table": TABLE, "plan": "plan.toml", "output": "answer.csv"}
        if wanted.get("kind", "ask") == "ask":
            usual |= {"epsilon": "0.5", "question": {"aggregates": [{"what": "count"}]}}
        return client.post("/api/explain", json=usual | wanted)

    def finish(self, client: httpx.Client, name: str, *, seconds: float = 90) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            job = client.get(f"/api/jobs/{name}").json()
            if job["state"] not in ("waiting", "running"):
                return job
            time.sleep(0.1)
        raise AssertionError(f"the job did not end within {seconds} s")


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[RunningStudio]:
    folder = tmp_path / "people"
    folder.mkdir()
    write_survey(folder)
    yield from run_studio(folder)


def run_studio(
    folder: Path,
    *,
    ledger: str | None = None,
    users: UserBook | None = None,
    database: str | None = None,
    **given: Any,
) -> Iterator[RunningStudio]:
    where = ledger or str(folder / "budget.db")
    rooms = StudioRooms.of(StudioFolder.at(folder, database=database), ledger=where)
    doorkeeper = Doorkeeper(users=users)
    app = Guard(make_app(rooms), doorkeeper=doorkeeper, most_bytes=1 << 20, **given)
    listener = _listen("127.0.0.1", 0)
    # Configuring logs would close streams of other handlers, which tests may have captured.
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    end = time.monotonic() + 30
    while not server.started and time.monotonic() < end:
        time.sleep(0.01)
    origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        yield RunningStudio(folder, rooms, doorkeeper, origin)
    finally:
        server.should_exit = True
        thread.join(30)
        rooms.desk.close()
        listener.close()
