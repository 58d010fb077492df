"""The memo of a client: one answer to each value, whatever happens to the process."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError

LABELS = [f"v{i}" for i in range(200)]
COLLECTION = nw.local.frequencies(nw.Categories(LABELS), epsilon=1)


def answer(report: bytes) -> bytes:
    return report[19:-4]


def test_an_answer_is_drawn_once_and_sent_in_new_frames(tmp_path: Path) -> None:
    client = COLLECTION.client(memo=tmp_path / "memo.db")
    reports = [client.report("v3") for _ in range(20)]
    assert len(set(map(answer, reports))) == 1
    assert len(set(reports)) == 20
    again = COLLECTION.client(memo=tmp_path / "memo.db")
    assert answer(again.report("v3")) == answer(reports[0])
    assert COLLECTION.server().add([*reports]).arrivals.counted == 20


def test_what_was_spent_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = COLLECTION.client(memo=tmp_path / "memo.db")
    assert (client.spent.answers, client.spent.reports) == (0, 0)
    assert str(client.spent.guarantee) == "epsilon=0"
    days = 20_000
    monkeypatch.setattr(time, "time", lambda: 86_400.0 * days + 5)
    for value in ("v1", "v1", "v2"):
        client.report(value)
    monkeypatch.setattr(time, "time", lambda: 86_400.0 * (days + 1) + 5)
    client.report("v1")
    spent = COLLECTION.client(memo=tmp_path / "memo.db").spent
    assert (spent.answers, spent.reports, spent.today) == (2, 4, 1)
    assert str(spent.guarantee) == "epsilon=2"
    assert str(spent) == "4 reports (1 today) of 2 drawn answers: epsilon=2 so far"
    assert client.memo is not None
    assert client.memo.use.by_day == {days: 3, days + 1: 1}
    with pytest.raises(ParameterError, match="has no memo"):
        _ = COLLECTION.client().spent


def test_a_refused_value_costs_nothing(tmp_path: Path) -> None:
    client = COLLECTION.client(memo=tmp_path / "memo.db")
    with pytest.raises(nw.errors.OutsideSpaceError) as caught:
        client.report("a private diagnosis")
    assert "diagnosis" not in str(caught.value)
    assert client.spent.reports == 0


def test_a_fork_sends_the_same_answers_in_other_frames(tmp_path: Path) -> None:
    client = COLLECTION.client(memo=tmp_path / "memo.db")
    client.report("v0")
    read, write = os.pipe()
    children: list[int] = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            try:
                os.write(write, b"".join(client.report(f"v{i}") for i in range(5)))
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    os.close(write)
    size = len(client.report("v0"))
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    reports = [data[i : i + size] for i in range(0, len(data), size)]
    assert len(reports) == len(set(reports)) == 15
    kept = [answer(client.report(f"v{i}")) for i in range(5)]
    assert sorted(map(answer, reports)) == sorted(kept * 3)


def answer_all(path: str, barrier: Any, results: Any) -> None:
    barrier.wait()
    client = COLLECTION.client(memo=path)
    results.put([answer(client.report(label)) for label in LABELS[:10]])


def test_processes_at_once_never_draw_two_answers_to_one_value(tmp_path: Path) -> None:
    """Also not when they make the file at the same moment."""
    context = multiprocessing.get_context("fork")
    for turn in range(2):
        path = str(tmp_path / f"memo{turn}.db")
        barrier, results = context.Barrier(4), context.Queue()
        started = [
            context.Process(target=answer_all, args=(path, barrier, results)) for _ in range(4)
        ]
        for one in started:
            one.start()
        found = [results.get(timeout=60) for _ in started]
        for one in started:
            one.join()
        assert all(one == found[0] for one in found)
        spent = COLLECTION.client(memo=path).spent
        assert (spent.answers, spent.reports) == (10, 40)


KILLED = """
import sys
import noisewright as nw
labels = [f"v{i}" for i in range(200)]
client = nw.local.frequencies(nw.Categories(labels), epsilon=1).client(memo=sys.argv[1])
for label in labels * 1000:
    sys.stdout.write(f"{label} {client.report(label)[19:-4].hex()}\\n")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("reports", [1, 20])
def test_what_a_killed_process_sent_is_sent_again(tmp_path: Path, reports: int) -> None:
    path = tmp_path / "memo.db"
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        sent = [process.stdout.readline() for _ in range(reports)]
        process.send_signal(signal.SIGKILL)
        sent += [line for line in process.stdout.readlines() if line.endswith("\n")]
    client = COLLECTION.client(memo=path)
    for line in sent:
        label, payload = line.split()
        assert answer(client.report(label)).hex() == payload
    # One more may have been drawn that was never sent.
    assert client.spent.answers - len({line.split()[0] for line in sent}) in (0, 1)


def test_a_memo_of_other_settings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memo.db"
    client = COLLECTION.client(memo=path)
    kept = answer(client.report("v1"))
    for other in (
        nw.local.frequencies(nw.Categories(LABELS), epsilon=2),
        nw.local.frequencies(nw.Categories(LABELS), epsilon=1, name="next year"),
    ):
        with pytest.raises(InputError, match="another collection"):
            other.client(memo=path)
    assert answer(client.report("v1")) == kept
    # Somebody puts the memo of another collection in its place while the client runs.
    path.unlink()
    other.client(memo=path)
    with pytest.raises(InputError, match="another collection"):
        client.report("v1")


def test_a_file_that_is_no_memo_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "memo.db"
    path.write_bytes(b"not a database, but something that somebody needs" * 100)
    before = path.read_bytes()
    with pytest.raises(InputError, match="cannot be used"):
        COLLECTION.client(memo=path)
    assert path.read_bytes() == before


def test_a_damaged_memo_sends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memo.db"
    client = COLLECTION.client(memo=path)
    for label in LABELS[:10]:
        client.report(label)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], bytes(100) + whole[100:], b"\0" * len(whole)):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="Nothing was sent"):
            client.report("v1")
    path.write_bytes(whole)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE answer SET payload = x'00112233445566'")
    with pytest.raises(InputError, match="damaged"):
        client.report("v1")


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "memo.db", Path("/dev/full")):
        with pytest.raises(InputError):
            COLLECTION.client(memo=place)


ALONE = """
import os, sys
import noisewright as nw
labels = [f"v{i}" for i in range(200)]
made = nw.local.frequencies(nw.Categories(labels), epsilon=1)
made.client(memo=sys.argv[2]).report("v1")  # also loads all that somebody else may not read
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    made.client(memo=sys.argv[1]).report("v1")
except nw.errors.InputError as error:
    sys.exit("Nothing was sent" not in str(error))
sys.exit("it sent something that it cannot keep")
"""


@pytest.mark.parametrize("existing", [False, True])
def test_a_folder_that_is_only_read_sends_nothing(tmp_path: Path, existing: bool) -> None:
    """Run by somebody who may not write there, since root may write everywhere."""
    with tempfile.TemporaryDirectory() as made:
        folder, path = Path(made), Path(made) / "memo.db"
        if existing:
            COLLECTION.client(memo=path)
            path.chmod(0o444)
        folder.chmod(0o555)
        command = [sys.executable, "-c", ALONE, str(path), str(tmp_path / "memo.db")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
