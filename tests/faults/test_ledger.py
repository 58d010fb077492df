"""What happens to a ledger file: races, kills, full disks, missing rights, damage, other versions.

Nothing is lost, nothing is spent twice or for free, and the message says what to do.
"""

import contextlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import LedgerError, OverBudgetError
from tests.ledger.crowd import FORKED, TENTH, gathered, race


@pytest.fixture
def path(tmp_path: Path) -> Path:
    nw.Ledger.create(tmp_path / "budget.db").grant("survey", epsilon=2)
    return tmp_path / "budget.db"


@pytest.mark.parametrize("racers", [2, 8])
def test_racing_processes_spend_exactly_what_was_granted(path: Path, racers: int) -> None:
    got = race(str(path), racers)
    ledger = nw.Ledger.open(path)
    spends = [entry.sequence for entry in ledger.history() if entry.kind == "spend"]
    assert len(spends) == 20
    assert sorted(number for mine in got for number in mine) == spends
    assert ledger.remaining("survey").epsilon.is_zero


def test_racing_threads_of_one_ledger_too(path: Path) -> None:
    ledger = nw.Ledger.open(path)
    got: list[int] = []

    def spend_all() -> None:
        with contextlib.suppress(OverBudgetError):
            while True:
                got.append(ledger.spend("survey", TENTH, what="race").sequence)

    threads = [threading.Thread(target=spend_all) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == list(range(2, 22))
    assert nw.Ledger.open(path).remaining("survey").epsilon.is_zero


def create(where: str, start: Any, answers: Any) -> None:
    start.wait()
    try:
        answers.put(nw.Ledger.create(where).head)
    except BaseException as problem:
        answers.put(str(problem))


def test_processes_that_create_the_same_ledger_make_one(tmp_path: Path) -> None:
    start, answers = FORKED.Barrier(4), FORKED.Queue()
    arguments = (str(tmp_path / "b.db"), start, answers)
    creators = [FORKED.Process(target=create, args=arguments) for _ in range(4)]
    said = sorted(gathered(creators, answers.get))
    assert said[0].startswith("0:")
    assert all("there is already a ledger" in one for one in said[1:])
    assert nw.Ledger.open(tmp_path / "b.db").head == said[0]


def spend_until_killed(path: Path, pipe: int) -> None:
    """Say which spends were committed, as a release would draw noise only then."""
    with open(pipe, "w", buffering=1, encoding="ascii") as out:
        ledger = nw.Ledger.open(path)
        print("ready", file=out)
        while True:
            spend = ledger.spend("survey", nw.accounting.Guarantee("1/1000"), what="until killed")
            print(spend.sequence, file=out)
            if spend.sequence % 3:
                spend.record_release()
                print(-spend.sequence, file=out)


@pytest.mark.parametrize("place", ["disk", "memory"])
def test_killed_at_any_moment_no_spend_that_was_told_is_lost(place: str, tmp_path: Path) -> None:
    """25 kills on a disk, most of them while it syncs, and 25 in memory, anywhere else."""
    folder = tmp_path
    if place == "memory" and Path("/dev/shm").is_dir():
        folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    path = folder / "budget.db"
    nw.Ledger.create(path).grant("survey", epsilon=1000)
    told: set[int] = set()
    spends: set[int] = set()
    finished: set[int] = set()
    least = 0
    for _ in range(25):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            with contextlib.suppress(BaseException):
                spend_until_killed(path, writing)
            os._exit(1)
        os.close(writing)
        with open(reading, encoding="ascii") as said:
            assert said.readline() == "ready\n"
            for _ in range(random.randrange(3)):
                told.add(int(said.readline()))
                least += 1
            time.sleep(random.random() * 0.03)
            os.kill(child, signal.SIGKILL)
            # The last line may be cut short; a number without its end says nothing.
            rest = said.read().splitlines(keepends=True)
            told |= {int(line) for line in rest if line.endswith("\n")}
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        history = nw.Ledger.open(path).history()
        spends = {entry.sequence for entry in history if entry.kind == "spend"}
        finished = {-entry.about for entry in history if entry.about is not None}
        assert told <= spends | finished
    assert len(told) >= least
    # At most one spend per kill was committed and not told yet: it waits as reserved.
    assert len(spends - told) <= 25
    balance = nw.Ledger.open(path).balance("survey")
    assert set(balance.reserved) == {n for n in spends if -n not in finished}
    assert balance.spent.epsilon.rational * 1000 == len(spends)
    if folder != tmp_path:
        shutil.rmtree(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("needs: mount")
    if done.returncode:
        pytest.skip("needs: the right to mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def spend_until_refused(ledger: nw.Ledger) -> tuple[int, str]:
    for count in range(3000):
        try:
            ledger.spend("survey", nw.accounting.Guarantee("1/10000"), what="x" * 500)
        except LedgerError as problem:
            return count, str(problem)
    raise AssertionError("the disk never became full")


def test_a_full_disk_records_nothing_and_loses_nothing(small_disk: Path) -> None:
    path = small_disk / "budget.db"
    ledger = nw.Ledger.create(path)
    ledger.grant("survey", epsilon=1)
    count, message = spend_until_refused(ledger)
    assert count > 20
    assert str(path) in message
    assert "disk is full. Nothing was recorded" in message
    again = nw.Ledger.open(path)
    assert len(again.history("survey")) == count + 1
    filler = small_disk / "filler"
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while file.write(b"x" * 512):
            pass
    with pytest.raises(LedgerError, match="full"):
        again.spend("survey", TENTH, what="x" * 500)
    with pytest.raises(LedgerError, match="has room"):
        again.export(small_disk / "ledger.csv")
    assert not (small_disk / "ledger.csv").exists()
    subprocess.run(["mount", "-o", "remount,size=256k", str(small_disk)], check=True)
    again.spend("survey", TENTH, what="there is room again")
    nw.Ledger.open(path, head=again.head)
    with pytest.raises(LedgerError):
        nw.Ledger.create(small_disk / "no" / "folder.db")


def in_a_child(work: Callable[[], str]) -> str:
    """Do something in a forked process, which may give up rights; return what it says."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = work()
        except BaseException as problem:
            answer = f"{type(problem).__name__}: {problem}"
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as said:
        answer = said.read()
    os.waitpid(child, 0)
    return answer


def test_a_file_that_may_not_grow_is_a_full_disk(path: Path) -> None:
    ledger = nw.Ledger.open(path)

    def work() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = path.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return "{}: {}".format(*spend_until_refused(ledger))

    count, _, message = in_a_child(work).partition(": ")
    assert "or is full. Nothing was recorded" in message
    assert len(nw.Ledger.open(path).history()) == int(count) + 1


def without_rights(work: Callable[[], Any]) -> str:
    def weak() -> str:
        if os.geteuid() == 0:
            os.setegid(65534)
            os.seteuid(65534)
        return str(work())

    return in_a_child(weak)


def open_to_all(path: Path) -> None:
    for parent in (path, *path.parents):
        if parent.stat().st_uid == os.getuid() and str(parent).startswith("/tmp/"):
            parent.chmod(0o755)


def test_missing_rights_are_named(path: Path) -> None:
    """A file that may be read and not written; one in a closed folder; one that is hidden."""
    open_to_all(path.parent)
    ledger = nw.Ledger.open(path)
    told = without_rights(lambda: nw.Ledger.open(path))
    assert told.startswith("LedgerError")
    assert "may read it" in told
    path.chmod(0o444)
    assert without_rights(lambda: nw.Ledger.open(path).remaining("survey")) == "epsilon=2"
    told = without_rights(lambda: ledger.spend("survey", TENTH, what="x"))
    assert "may not be written by this user. Nothing was recorded" in told
    path.chmod(0o666)
    told = without_rights(lambda: ledger.spend("survey", TENTH, what="x"))
    assert told.startswith("LedgerError")
    assert "folder, where SQLite keeps a journal" in told
    told = without_rights(lambda: nw.Ledger.create(path.parent / "new.db"))
    assert "Permission denied. Choose a folder" in told
    assert sorted(p.name for p in path.parent.iterdir()) == ["budget.db"]
    assert len(nw.Ledger.open(path).history()) == 1


def test_a_ledger_that_another_process_holds_is_waited_for_then_refused(path: Path) -> None:
    ledger = nw.Ledger.open(path, patience=0.2)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match=r"in use by another process.*Nothing was recorded"):
            ledger.spend("survey", TENTH, what="x")
        assert ledger.remaining("survey").epsilon.rational == 2  # reading goes on
        other.execute("ROLLBACK")
        ledger.spend("survey", TENTH, what="x")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerError, match="Try again"):
            ledger.remaining("survey")


def test_a_ledger_from_the_future_is_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE noisewright_ledger SET version = 4")
        database.execute("ALTER TABLE noisewright_entries RENAME COLUMN what TO purpose")
        database.execute("ALTER TABLE noisewright_ledger RENAME COLUMN created TO born")
        database.commit()
    before = path.read_bytes()
    for call in (nw.Ledger.open, nw.Ledger.create):
        with pytest.raises(LedgerError, match=r"newer noisewright|already a ledger"):
            call(path)
    with pytest.raises(LedgerError, match=r"has version 4, .* install the newer noisewright"):
        nw.Ledger.open(path)
    assert path.read_bytes() == before


def text(path: Path) -> None:
    path.write_text("name,age\nann,30\n" * 200, encoding="utf-8")


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def missing(path: Path) -> None:
    path.unlink()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def another_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE people (name)")


def half_a_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garbage_in_the_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)


def a_broken_schema(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[200:4000] = bytes(3800)
    path.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        text,
        nothing,
        missing,
        a_folder,
        another_database,
        half_a_file,
        garbage_in_the_middle,
        a_broken_schema,
    ],
)
def test_what_is_no_ledger_is_said_plainly_and_not_touched(
    path: Path, damage: Callable[[Path], None]
) -> None:
    ledger = nw.Ledger.open(path)
    damage(path)
    before = path.read_bytes() if path.is_file() else None
    for call in (
        lambda: nw.Ledger.open(path),
        lambda: ledger.spend("survey", TENTH, what="x"),
    ):
        with pytest.raises(LedgerError) as problem:
            call()
        assert str(path) in str(problem.value)
        assert "sqlalche" not in str(problem.value).lower()
    assert (path.read_bytes() if path.is_file() else None) == before
    assert sorted(p.name for p in path.parent.iterdir()) == (
        [] if damage is missing else [path.name]
    )


def test_a_mistyped_name_is_no_fresh_budget(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"there is no ledger at .*buget\.db.*Ledger\.create"):
        nw.Ledger.open(tmp_path / "buget.db")
    with pytest.raises(LedgerError, match="forgets"):
        nw.Ledger.create("sqlite://")
    with pytest.raises(LedgerError, match="not in mysql"):
        nw.Ledger.open("mysql://host/x")
    with pytest.raises(LedgerError, match="cannot be read"):
        nw.Ledger.open("postgresql://host:port/x")
    nw.Ledger.create(f"sqlite:///{tmp_path}/budget.db")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["budget.db"]


def test_a_process_that_changes_its_folder_keeps_its_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    ledger = nw.Ledger.create("budget.db")
    monkeypatch.chdir("elsewhere")
    ledger.grant("survey", epsilon=1)
    assert nw.Ledger.open(tmp_path / "budget.db").remaining("survey").epsilon.rational == 1


def test_names_that_a_url_would_change(tmp_path: Path) -> None:
    for name in ("a b?mode=memory&x#1.db", "100%.db", "größe.db"):
        nw.Ledger.create(tmp_path / name).grant("survey", epsilon=1)
        assert nw.Ledger.open(tmp_path / name).remaining("survey").epsilon.rational == 1
        assert (tmp_path / name).exists()
