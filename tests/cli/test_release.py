"""`noisewright release`, as a user types it."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import PROGRAM, Program
from tests.releases.survey import SECRET, Survey, make_survey


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return make_survey(tmp_path)


ARGUMENTS = ("release", "survey.csv", "--plan", "plan.toml", "-o", "private.parquet")
WITH_LEDGER = (*ARGUMENTS, "--ledger", "budget.db", "--no-report")


def test_it_says_what_was_released_what_it_cost_and_what_lies_where(
    survey: Survey, noisewright: Program
) -> None:
    said = noisewright(*WITH_LEDGER)
    assert said.code == 0, said
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[0] == (
        "private.parquet: 500 rows, 2 columns randomized, 1 public (released unchanged), 1 dropped."
    )
    assert (
        lines[1]
        == "The privacy loss of each person is at most epsilon=2, with one row. This is proven."
    )
    assert lines[2] == (
        "Spent for 'survey' (entry 3): epsilon=2. Left: epsilon=8 of epsilon=10 (each row is a "
        "person)."
    )
    assert "private.certificate.json" in said.out
    assert "private.recipe.json" in said.out
    assert "noisewright check private.certificate.json" in said.out
    assert nw.results.Release.open(survey.out).rows == 500


def test_json_for_machines(survey: Survey, noisewright: Program) -> None:
    said = noisewright(*WITH_LEDGER, "--what", "for the web page", "--json")
    assert said.code == 0
    made = said.json
    assert made["output"] == "private.parquet"
    assert (made["rows"], made["private"], made["accounted"], made["entry"]) == (500, True, True, 3)
    assert made["guarantee"]["exact"] == {"epsilon": "2", "delta": "0"}
    assert made["balance"]["left"]["epsilon"] == 8.0
    assert made["certificate"] == nw.results.Release.open(survey.out).certificate.digest
    assert set(made["files"]) == {"data", "certificate", "recipe"}
    assert made["notes"] == []
    assert nw.Ledger.open(survey.ledger).history()[2].what.startswith("for the web page (")


def test_somebody_must_account_or_it_must_be_said_that_nobody_does(
    survey: Survey, noisewright: Program
) -> None:
    said = noisewright(*ARGUMENTS)
    assert said.code == 2
    assert "--ledger budget.db" in said.err
    assert "or --without-ledger" in said.err
    both = noisewright(*WITH_LEDGER, "--without-ledger")
    assert both.code == 2
    assert "contradict" in both.err
    assert not survey.out.exists()
    alone = noisewright(*ARGUMENTS, "--without-ledger", "--no-report")
    assert alone.code == 0
    assert "No budget was debited" in alone.out
    assert noisewright(*ARGUMENTS, "--engine", "abacus", "--without-ledger").code == 2


def test_unknown_data_and_budgets_that_are_used_up(survey: Survey, noisewright: Program) -> None:
    Path("other.csv").write_text(survey.csv.read_text() + f"{SECRET},nurse,1,north\n")
    arguments = ("release", "other.csv", "--plan", "plan.toml", "-o", "other.parquet")
    said = noisewright(*arguments, "--ledger", "budget.db")
    assert said.code == 2
    command = "noisewright ledger grant budget.db NAME --epsilon 2 --data other.csv"
    assert command in said.err
    # What it says can be typed.
    assert noisewright(*command.split()[1:]).code == 0
    assert noisewright(*arguments, "--ledger", "budget.db", "--no-report").code == 0
    third = noisewright(*arguments, "--ledger", "budget.db", "--overwrite", "--json")
    assert third.code == 2
    assert "too much epsilon for 'NAME'" in third.json["error"]


def test_a_bad_row_is_named_and_not_shown(survey: Survey, noisewright: Program) -> None:
    lines = survey.csv.read_text().splitlines()
    lines[17] = f"x,{SECRET},3,north"
    survey.csv.write_text("\n".join(lines))
    said = noisewright(*WITH_LEDGER, "--dataset", "survey")
    assert said.code == 2
    assert "'job'" in said.err
    assert "row 17" in said.err
    assert SECRET not in said.out + said.err
    assert survey.states() == []


def test_what_a_failure_after_the_debit_cost_is_said(
    survey: Survey, noisewright: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", lambda number: full(number) if survey.states() else None)
    said = noisewright(*WITH_LEDGER)
    assert said.code == 2
    assert "cannot write private.parquet: No space left on device" in said.err
    assert "(entry 3) was made before and is not refunded: it is marked as wasted" in said.err
    assert survey.states() == ["wasted"]


def test_a_terminal_sees_how_far_it_is(survey: Survey) -> None:
    """The progress bar goes to the error stream of a real terminal, and to nothing else."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [str(PROGRAM), *WITH_LEDGER],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=survey.folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            more = os.read(ours, 1 << 16)
        except OSError:
            break
        if not more:
            break
        shown += more
    assert child.stdout is not None
    out = child.stdout.read()
    child.stdout.close()
    assert child.wait(timeout=60) == 0, (out, shown)
    os.close(ours)
    assert b"Checking rows" in shown
    assert b"Drawing noise" in shown
    assert b"100%" in shown
    assert out.startswith(b"private.parquet: 500 rows")


def test_ctrl_c_while_drawing_says_what_became_of_the_debit(survey: Survey) -> None:
    """The moment is sure: the program is sent the signal by its own progress report."""
    script = (
        "import os, signal, sys\n"
        "from noisewright.engines import embedded\n"
        "import noisewright.releases.drawing as drawing\n"
        "run = drawing.run\n"
        "def slow(*a, **k):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return run(*a, **k)\n"
        "drawing.run = slow\n"
        "from noisewright.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *WITH_LEDGER],
        cwd=survey.folder,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 130, done
    assert b"marked as wasted" in done.stderr
    assert b"noisewright: interrupted." in done.stderr
    assert b"Traceback" not in done.stderr
    assert survey.states() == ["wasted"]
    assert not survey.out.exists()


def test_a_key_that_the_ledger_does_not_keep_and_who_did_it(
    survey: Survey, noisewright: Program
) -> None:
    Path("key").write_text("5a" * 32)
    assert noisewright("ledger", "create", "keyed.db", "--key-file", "key").code == 0
    grant = ("ledger", "grant", "keyed.db", "survey", "-e", "3", "--data", "survey.csv")
    assert noisewright(*grant, "--key-file", "key").code == 0
    arguments = (*ARGUMENTS, "--ledger", "keyed.db", "--no-report")
    without = noisewright(*arguments)
    assert without.code == 2
    assert "does not keep its key" in without.err
    said = noisewright(*arguments, "--key-file", "key", "--who", "ann@office", "--json")
    assert said.code == 0, said
    assert said.json["balance"]["left"]["epsilon"] == 1.0
    assert nw.Ledger.open("keyed.db").history()[-1].who == "ann@office"
