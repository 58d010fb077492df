"""Questions of several processes at once, and of processes that are killed."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("race", "8"), "8 processes: 10 answers for a budget of 10"),
        (("kill", "200"), "no answer without a debit"),
    ],
)
def test_the_budget_holds(given: tuple[str, str], said: str) -> None:
    """In a process of their own: a fork of this one would have threads of others."""
    command = [sys.executable, "-m", "tests.queries.forked", *given]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
