"""The stand-alone checker, run as somebody without this package would run it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from noisewright.cli.say import say


def say_what_the_checker_says(path: Path) -> None:
    """Check a certificate in a process of its own, and say what it said."""
    from noisewright import checker

    say("The stand-alone checker, which uses nothing of this package, reads it and says:")
    answer = subprocess.run(
        [sys.executable, "-I", str(checker.__file__), str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    for line in (answer.stdout or answer.stderr).strip().splitlines():
        say(f"  {line}", style="green" if answer.returncode == 0 else "red")
