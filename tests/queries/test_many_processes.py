"""Questions of several processes at once, and of processes that are killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import noisewright as nw

ASK = """
import sys
import noisewright as nw
ledger, out, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
rows = {"s": ["a", "b"] * 50}
people = nw.Private(rows, columns={"s": ["a", "b"]}, ledger=ledger, dataset="people")
for number in range(times):
    try:
        answer = people.group_by("s").count().release(epsilon=1)
    except nw.errors.OverBudgetError:
        break
    with open(out, "a") as file:
        file.write(f"{answer.entry}\\n")
    if not number:
        print("ready", flush=True)
"""


def start(ledger: Path, out: Path, times: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ASK, str(ledger), str(out), str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_at_once_do_not_overspend(tmp_path: Path) -> None:
    where = tmp_path / "budget.db"
    ledger = nw.Ledger.create(where)
    ledger.grant("people", epsilon=10, rows=1)
    outs = [tmp_path / f"{number}.txt" for number in range(4)]
    running = [start(where, out, 8) for out in outs]
    for process in running:
        problems = process.communicate(timeout=300)[1]
        assert process.returncode == 0, problems
    entries = [line for out in outs if out.exists() for line in out.read_text().splitlines()]
    assert len(entries) == len(set(entries)) == 10
    assert ledger.balance("people").left.epsilon.rational == 0
    ledger.verify()


def test_a_killed_process_leaves_no_answer_without_a_debit(tmp_path: Path) -> None:
    draw = random.Random(7)
    where = tmp_path / "budget.db"
    ledger = nw.Ledger.create(where)
    ledger.grant("people", epsilon=10_000, rows=1)
    out = tmp_path / "answers.txt"
    for _ in range(8):
        process = start(where, out, 1_000)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(draw.random() * 0.3)
        process.kill()
        process.communicate()
    spends = {e.sequence for e in ledger.history("people") if e.kind == "spend"}
    answers = {int(line) for line in out.read_text().splitlines() if line}
    assert answers <= spends
    assert len(answers) > 0
    ledger.verify()
