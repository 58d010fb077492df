"""What nobody expected: one plain line, an exit code of its own, and a traceback on request.

Messages of other libraries may quote the cell at which they stumbled, so that neither the line nor
the traceback shows them: only which error it was, and where.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

from noisewright.cli.say import print_failure

CODE = 3
VARIABLE = "NOISEWRIGHT_TRACEBACK"


def report_unexpected(problem: BaseException, *, as_json: bool) -> int:
    """Say that this program is at fault, and how to see where; return the exit code."""
    steps = traceback.extract_tb(problem.__traceback__)
    ours = [step for step in steps if "noisewright" in Path(step.filename).parts]
    last = (ours or steps or [None])[-1]
    where = "" if last is None else f" in {Path(last.filename).name}, line {last.lineno}"
    notes = getattr(problem, "__notes__", [])
    advice = (
        "This is a bug in noisewright, not a mistake of yours; please report it. To see the "
        f"traceback, set {VARIABLE}=1 and run the command again; it quotes no data."
    )
    print_failure(" ".join([f"{type(problem).__name__}{where}.", *notes, advice]), as_json=as_json)
    if os.environ.get(VARIABLE):
        _show(problem)
    return CODE


def _show(problem: BaseException | None) -> None:
    """Print the lines of code of an error and of those that it came from, without their words."""
    while problem is not None:
        print(*traceback.format_tb(problem.__traceback__), sep="", end="", file=sys.stderr)
        print(
            f"{type(problem).__name__} (message hidden, because it may quote data)",
            file=sys.stderr,
        )
        problem = problem.__cause__ or problem.__context__
