"""Questions of several processes at once, and of processes that are killed, as forks of this one.

python -m tests.queries.forked kill 1000      at as many moments as you like, from start to answer
python -m tests.queries.forked race 8         as many processes as you like, for a budget of 10

Half of the moments are calls of functions, Python's and C's, spread evenly over all that happen;
the others are points in time, so that some are within a call. When a child starts, all is loaded
and no connection is open.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import noisewright as nw

ROWS = {"s": ["a", "b"] * 50}


def ask(ledger: Path, out: int) -> None:
    """Ask, and hand out the number of the entry that paid: the answer is known from here on."""
    people = nw.Private(ROWS, columns={"s": ["a", "b"]}, ledger=ledger, dataset="people")
    answer = people.group_by("s").count().release(epsilon=1)
    os.write(out, f"{answer.entry}\n".encode())


def call_after(calls: int, work: Callable[[], object]) -> None:
    """Do it when so many functions were called from here on."""
    left = calls

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            work()

    sys.setprofile(count)


def fork(work: Callable[[], object]) -> int:
    """Start a child that does something; return its number."""
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    finally:
        os._exit(1)


def was_killed(child: int) -> bool:
    """Wait for a child."""
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or status == 0, "a child failed by itself"
    return os.WIFSIGNALED(status)


def size_of(ask_once: Callable[[], object]) -> tuple[int, float]:
    """Return how many calls a question takes, and how many seconds."""
    reading, writing = os.pipe()

    def count() -> None:
        calls = 0

        def one_more(frame: Any, event: str, argument: Any) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(one_more)
        ask_once()
        sys.setprofile(None)
        os.write(writing, str(calls).encode())

    was_killed(fork(count))
    start = time.perf_counter()
    was_killed(fork(ask_once))
    return int(os.read(reading, 20)), time.perf_counter() - start


def race(processes: int, where: Path) -> str:
    """Let all ask until the budget is spent: it pays for ten answers, and no more."""
    ledger, path, out = opened(where, 11)
    ask(where / "budget.db", out)
    reading, writing = os.pipe()

    def ask_often() -> None:
        os.close(writing)
        os.read(reading, 1)
        for _ in range(8):
            try:
                ask(where / "budget.db", out)
            except nw.errors.OverBudgetError:
                return

    children = [fork(ask_often) for _ in range(processes)]
    os.close(writing)
    assert not any(was_killed(child) for child in children)
    answers, debits = path.read_text().split(), debits_in(ledger)
    assert len(answers) == len(set(answers)) == len(debits) == 11
    assert ledger.balance("people").left.epsilon.rational == 0
    ledger.verify()
    return f"{processes} processes: 10 answers for a budget of 10"


def kill(moments: int, where: Path) -> str:
    """Kill a question at so many moments: no answer may be without a debit of its own."""
    ledger, path, out = opened(where, moments + 10)

    def ask_once() -> None:
        ask(where / "budget.db", out)

    ask_once()
    calls, seconds = size_of(ask_once)
    killed = 0
    for number in range(moments):
        share = (number + 1) / moments

        def ask_until_then(calls: int = max(1, round(share * calls))) -> None:
            call_after(calls, lambda: os.kill(os.getpid(), signal.SIGKILL))
            ask_once()

        if number % 2:
            child = fork(ask_until_then)
        else:
            child = fork(ask_once)
            time.sleep(share * seconds)
            os.kill(child, signal.SIGKILL)
        killed += was_killed(child)
    assert killed > moments / 2, f"only {killed} of {moments} were killed in time"
    answers, debits = [int(line) for line in path.read_text().split()], debits_in(ledger)
    assert len(set(answers)) == len(answers)
    assert set(answers) <= set(debits), "an answer has no debit"
    left = ledger.balance("people").left.epsilon.rational
    assert left == moments + 10 - len(debits)
    ledger.verify()
    return (
        f"{killed} of {moments} processes killed before they ended: {len(answers)} answers, "
        f"{len(debits)} debits; no answer without a debit"
    )


def opened(where: Path, epsilon: int) -> tuple[nw.Ledger, Path, int]:
    """Return a new ledger, the path of the answers, and a descriptor that appends to it."""
    ledger = nw.Ledger.create(where / "budget.db")
    ledger.grant("people", epsilon=epsilon, rows=1)
    path = where / "answers.txt"
    return ledger, path, os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)


def debits_in(ledger: nw.Ledger) -> list[int]:
    """Return the entries that were spent."""
    return [entry.sequence for entry in ledger.history("people") if entry.kind == "spend"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print({"kill": kill, "race": race}[sys.argv[1]](int(sys.argv[2]), Path(folder)))
