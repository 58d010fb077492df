"""How fast tables with errors come out of released data, next to plain counting.

    python -m benchmarks.estimation

The large case is 10 million rows of 12 columns with 10 categories each in a Parquet file: all 12
one-way and 66 two-way tables, each with standard errors and intervals, on one core. It runs in a
process of its own, whose largest memory is measured too.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import noisewright as nw
from benchmarks.measure import Result, report, seconds

COLUMNS = 12
CATEGORIES = 10
ROWS = 10_000_000
IN_MEMORY = 1_000_000
_PIECE = 1_000_000


def mechanism() -> Any:
    space = nw.Categories([f"answer {label}" for label in range(CATEGORIES)])
    column = nw.randomized_response(space, epsilon=1)
    return nw.combine.product({f"column {place}": column for place in range(COLUMNS)})


def piece(rows: int, seed: int) -> Any:
    """Released rows, as Arrow's dictionary columns."""
    import pyarrow as pa

    random = np.random.default_rng(seed)
    labels = pa.array([f"answer {label}" for label in range(CATEGORIES)])
    columns = {
        f"column {place}": pa.DictionaryArray.from_arrays(
            pa.array(random.integers(0, CATEGORIES, rows, dtype=np.int8)), labels
        )
        for place in range(COLUMNS)
    }
    return pa.table(columns)


def write(path: Path, rows: int) -> None:
    """Write a file of released rows, a piece at a time."""
    import pyarrow.parquet as parquet

    writer = None
    for seed in range(-(-rows // _PIECE)):
        part = piece(min(_PIECE, rows - seed * _PIECE), seed)
        writer = writer or parquet.ParquetWriter(path, part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()


def one_core(path: Path) -> tuple[float, float]:
    """Processor seconds and the largest memory in bytes of estimating all tables of a file."""
    import pyarrow as pa

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    start = time.process_time()
    found = nw.estimate(path, mechanism(), of="pairs")
    assert len(found) == COLUMNS + COLUMNS * (COLUMNS - 1) // 2
    taken = time.process_time() - start
    return taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def from_a_file(rows: int) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "released.parquet"
        write(path, rows)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.estimation", str(path)],
            capture_output=True,
            text=True,
            check=True,
        )
    taken, memory = (float(number) for number in done.stdout.split())
    scale = rows / ROWS
    return [
        Result(
            f"78 tables of {rows:,} rows from Parquet", rows / taken, 30 * scale / taken, "30 s", 1
        ),
        Result(f"its memory, {memory / 2**20:,.0f} MiB", 0, 2 * 2**30 / memory, "2 GiB", 1),
    ]


def against_plain_counting(rows: int) -> list[Result]:
    """The same tables by one numpy count for each pair, without any errors."""
    table = piece(rows, 0)
    codes = [column.combine_chunks().indices.to_numpy() for column in table.columns]
    product = mechanism()

    def plain() -> None:
        for first, second in combinations(codes, 2):
            np.bincount(first.astype(np.intp) * CATEGORIES + second, minlength=CATEGORIES**2)

    def ours() -> None:
        nw.estimate(table, product, of="pairs")

    alone, with_errors = seconds(plain, repeats=3), seconds(ours, repeats=3)
    name = "78 tables with errors from Arrow columns"
    return [Result(name, rows / with_errors, alone / with_errors, "numpy, each pair", 1)]


def run() -> list[Result]:
    """Measure everything about estimation."""
    return [*against_plain_counting(IN_MEMORY), *from_a_file(ROWS)]


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(*one_core(Path(sys.argv[1])))
    else:
        raise SystemExit(report(run()))
