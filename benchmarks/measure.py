"""What a measurement is, and how a list of them is printed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One measurement; `required` is the least ratio that is good enough, if there is one."""

    name: str
    rate: float
    ratio: float
    against: str
    required: float | None = None

    @property
    def passed(self) -> bool:
        """Whether the ratio is as large as required."""
        return self.required is None or self.ratio >= self.required


def seconds(work: Callable[[], object], *, repeats: int = 7) -> float:
    """The least processor time of several runs: what else the machine does only adds to it."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return min(times)


def report(results: list[Result]) -> int:
    """Print a table; return 0 if every requirement is met, else 1."""
    print(f"{'what':50} {'per second':>15} {'ratio':>10}  {'against':22} {'required':>8}")
    for result in results:
        required = "" if result.required is None else f"{result.required:.3g}"
        verdict = "" if result.required is None else "ok" if result.passed else "TOO SLOW"
        rate = f"{result.rate:15,.4g}" if result.rate < 1e4 else f"{result.rate:15,.0f}"
        print(
            f"{result.name:50} {rate} {result.ratio:10.3f}  {result.against:22} "
            f"{required:>8} {verdict}"
        )
    return 0 if all(result.passed for result in results) else 1
