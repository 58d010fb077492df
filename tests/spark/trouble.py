"""Trouble for tasks: ways to fail, be slow or be killed, and when."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from noisewright.engines.spark.session import load_pyspark

Trouble = Callable[[], None]


def fail() -> None:
    raise RuntimeError("an upstream step failed")


def kill_executor() -> None:
    """Kill the Java process that runs this task; the cluster of the test has started it."""
    # Spark's daemon has forked this worker, and the executor has started the daemon.
    stat = Path(f"/proc/{os.getppid()}/stat").read_text()
    executor = int(stat.rpartition(")")[2].split()[1])
    assert b"CoarseGrainedExecutorBackend" in Path(f"/proc/{executor}/cmdline").read_bytes()
    os.kill(executor, signal.SIGKILL)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)


def is_drawing(place: Path) -> bool:
    """Whether noise is being drawn; if so, wait until an attempt has begun its file."""
    if not list(place.glob(".*/drawn")):
        return False
    deadline = time.monotonic() + 60
    while not list(place.glob(".*/drawn/*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    return True


def once(place: Path, note: Path, trouble: Trouble) -> Callable[[int], None]:
    """Make trouble in the first attempt of a task that draws into `place`, and take note of it."""

    def happens(attempt: int) -> None:
        if attempt == 0 and not note.exists() and is_drawing(place):
            note.write_text("\n".join(map(str, place.glob(".*/drawn/*"))))
            trouble()

    return happens


def disturbed(table: Any, happens: Callable[[int], None], *, partition: int, after: int = 0) -> Any:
    """The same rows; `happens(attempt)` is called in a partition, `after` some of its rows."""

    def handed_on(batches: Iterator[Any]) -> Iterator[Any]:
        context = load_pyspark().TaskContext.get()
        rows = 0
        for batch in batches:
            if context.partitionId() == partition and rows <= after < rows + batch.num_rows:
                happens(context.attemptNumber())
            rows += batch.num_rows
            yield batch

    return table.mapInArrow(handed_on, table.schema)
