"""What `import noisewright` costs, against `import numpy`.

python -m benchmarks.startup
"""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.measure import Result, report


def import_seconds(statement: str, *, repeats: int = 9) -> float:
    """The least wall time of a fresh interpreter that runs a statement, less an empty one."""

    def once(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    empty = min(once("pass") for _ in range(repeats))
    return min(once(statement) for _ in range(repeats)) - empty


def run() -> list[Result]:
    """Measure imports; the ratio is numpy's time over ours, so at least 1/1.5 is required."""
    numpy = import_seconds("import numpy")
    results: list[Result] = []
    for name, statement in {
        "import noisewright": "import noisewright",
        "import noisewright and make a first mechanism": (
            "import noisewright as nw; nw.geometric(nw.Counts(8), epsilon=1)"
        ),
    }.items():
        ours = max(import_seconds(statement), 1e-4)
        results.append(Result(name, 1 / ours, numpy / ours, "import numpy", 1 / 1.5))
    return results


if __name__ == "__main__":
    raise SystemExit(report(run()))
