"""What `import noisewright`, a first mechanism and the program cost, against `import numpy`.

    python -m benchmarks.startup

Processor time of new interpreters, less that of an empty one. Bytecode is kept in a folder of
its own, as an installed package has it, whatever PYTHONDONTWRITEBYTECODE says.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from statistics import median

from benchmarks.measure import Result, report

_PROGRAM = "import sys; sys.argv = ['noisewright', '{}']; from noisewright.cli import main; main()"

STATEMENTS = {
    "import noisewright": "import noisewright",
    "import noisewright and make a first mechanism": (
        "import noisewright as nw; nw.geometric(nw.Counts(8), epsilon=1)"
    ),
    "the same, and a first draw": (
        "import noisewright as nw; nw.geometric(nw.Counts(8), epsilon=1).sample([1, 2, 3])"
    ),
    "randomized response and a first draw": (
        "import noisewright as nw;"
        "nw.randomized_response(nw.Categories(['a', 'b']), epsilon=1).sample(['a', 'b'])"
    ),
    "noisewright --version": _PROGRAM.format("--version"),
    "noisewright --help": _PROGRAM.format("--help"),
}
REQUIRED = 1 / 1.5
"""Numpy's time over ours, for what must load numpy or less."""


def medians(statements: dict[str, str], *, repeats: int) -> dict[str, float]:
    """The median processor time of each statement in a new interpreter, less an empty one.

    They take turns, so that a busy minute of the machine is shared by all.
    """
    with tempfile.TemporaryDirectory() as bytecode:
        kept = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)

        def once(code: str) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-c", code], check=True, env=kept, stdout=subprocess.DEVNULL
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        codes = {"": "pass", **statements}
        for code in codes.values():
            once(code)
        times = {name: [once(code)] for name, code in codes.items()}
        for _ in range(repeats - 1):
            for name, code in codes.items():
                times[name].append(once(code))
    empty = median(times.pop(""))
    return {name: max(median(spent) - empty, 1e-4) for name, spent in times.items()}


def run(*, repeats: int = 15) -> list[Result]:
    """Measure starts; the ratio is numpy's time over ours."""
    spent = medians({"numpy": "import numpy", **STATEMENTS}, repeats=repeats)
    numpy = spent.pop("numpy")
    return [
        Result(
            name,
            1 / ours,
            numpy / ours,
            "import numpy",
            None if name == "noisewright --help" else REQUIRED,
        )
        for name, ours in spent.items()
    ]


if __name__ == "__main__":
    raise SystemExit(report(run()))
