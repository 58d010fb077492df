"""`noisewright studio` as somebody starts it."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import noisewright as nw
from noisewright.studio.folder import StudioFolder
from noisewright.studio.jobs import OPEN, JobShelf
from noisewright.studio.serving import _listen
from tests.studio.conftest import write_survey

PROGRAM = Path(sys.executable).parent / "noisewright"


@pytest.fixture
def started(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    write_survey(tmp_path)
    command = [str(PROGRAM), "studio", "survey.csv", "--port", "0", "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(2)]
        address = next(line for line in lines if "token" in line)
        yield server, address.strip()
        server.kill()


def test_the_address_stands_alone_on_its_line_and_opens_the_studio(
    started: tuple[subprocess.Popen[str], str],
) -> None:
    server, address = started
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", address)
    origin = address.partition("/?")[0]
    with httpx.Client(base_url=origin, trust_env=False, timeout=60) as client:
        assert client.get(address).status_code == 200
        state = client.get("/api/state").json()
        assert state["data"] == "survey.csv"
        port = int(origin.rpartition(":")[2])
        # A browser that leaves in the middle of an answer does not end the studio.
        # It is sent in parts, and a part after the first would raise SIGPIPE.
        asked = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for _ in range(100):
            with socket.create_connection(("127.0.0.1", port)) as caller:
                caller.sendall(asked * 3)
        assert client.get("/api/state").status_code == 200
    server.send_signal(signal.SIGINT)
    assert server.wait(30) in (0, 130)


def test_memory_stays_flat(started: tuple[subprocess.Popen[str], str]) -> None:
    """Over 300 requests, of which the first 100 fill caches; a leak of 15 kB each would show."""
    server, address = started
    origin = address.partition("/?")[0]

    def resident() -> int:
        status = Path(f"/proc/{server.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1])

    if not Path(f"/proc/{server.pid}/status").exists():
        pytest.skip("needs: /proc, to look at the memory of a process")
    table = {"table": {"file": "survey.csv"}, "codebook": "codes.csv"}
    asked = [
        ("GET", "/api/state", None),
        ("POST", "/api/draft", table),
        ("POST", "/api/audit/certificate", {"text": "{}"}),
        ("GET", "/static/main.js", None),
    ]
    with httpx.Client(
        base_url=origin, headers={"origin": origin}, trust_env=False, timeout=60
    ) as client:
        client.get(address)
        sizes: list[int] = []
        for turn in range(300):
            method, path, body = asked[turn % len(asked)]
            assert client.request(method, path, json=body).status_code == 200
            if turn in (100, 299):
                sizes.append(resident())
    assert sizes[1] - sizes[0] < 3000


def test_answers_are_sent_at_once() -> None:
    """For a socket that names its protocol, asyncio turns off Nagle's delay of 40 ms."""
    with _listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_users_are_added_and_removed_by_the_command(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(PROGRAM), "studio", str(tmp_path), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    token = run("--user", "ann", "--may", "look").stdout.strip()
    assert re.fullmatch(r"[\w-]{43}", token)
    users = tmp_path / ".noisewright-studio" / "users.json"
    assert "ann" in users.read_text()
    assert token not in users.read_text()
    refused = run("--user", "bob", "--may", "everything")
    assert refused.returncode == 2
    assert "'look', 'spend' or 'grant'" in refused.stderr.replace("\n", " ")
    assert run("--remove-user", "ann").returncode == 0
    assert "ann" not in users.read_text()


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [str(PROGRAM), "studio", str(tmp_path), "--port", port, "--no-browser"],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "--port 0" in done.stderr
    nowhere = [str(PROGRAM), "studio", str(tmp_path / "nowhere"), "--no-browser"]
    done = subprocess.run(nowhere, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "does not exist" in done.stderr


def test_a_job_outlives_a_studio_that_is_killed(
    started: tuple[subprocess.Popen[str], str], tmp_path: Path
) -> None:
    server, address = started
    origin = address.partition("/?")[0]
    table = {"file": "survey.csv"}
    with httpx.Client(
        base_url=origin, headers={"origin": origin}, trust_env=False, timeout=60
    ) as client:
        client.get(address)
        plan = {"table": table, "codebook": "codes.csv", "file": "plan.toml"}
        assert client.post("/api/plans", json=plan).status_code == 200
        client.post("/api/ledger")
        budget = {"dataset": "survey", "epsilon": "1", "table": table}
        assert client.post("/api/ledger/grants", json=budget).status_code == 200
        wanted = {"kind": "ask", "table": table, "plan": "plan.toml", "output": "answer.csv"}
        wanted |= {"epsilon": "0.5", "question": {"aggregates": [{"what": "count"}]}}
        yes = {"confirmation": client.post("/api/explain", json=wanted).json()["confirmation"]}
        name = client.post("/api/jobs", json=yes).json()["id"]
    server.kill()
    server.wait(30)
    shelf = JobShelf(StudioFolder.at(tmp_path))  # what the next studio looks at
    end = time.monotonic() + 60
    while shelf.read(name)["state"] in OPEN and time.monotonic() < end:
        time.sleep(0.1)
    assert [(job["id"], job["state"]) for job in shelf.all()] == [(name, "done")]
    assert (tmp_path / "answer.csv").is_file()
    book = nw.Ledger.open(tmp_path / "budget.db")
    assert [entry.kind for entry in book.history()].count("spend") == 1
