"""How fast all pairs and triples of ten columns are counted, next to other libraries.

    python -m benchmarks.workloads [--rows 10000000]

Ten columns of 2 to 16 categories, drawn independently: nothing is rare, which is the worst case for
caches. Peers group the same Arrow columns of dictionaries once for each pair or triple. All times
are processor times of all threads, since some peers use several. The large case is a Parquet file,
counted in a stream, then made into a synthetic table; each runs in a process of its own, whose
largest memory is measured too.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import noisewright as nw
from benchmarks.measure import Result, report

SIZES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16)
NAMES = tuple(f"column {place}" for place in range(len(SIZES)))
ROWS = 10_000_000
IN_MEMORY = 1_000_000
_PIECE = 1_000_000

Peer = Callable[[Any, tuple[str, ...]], Any]


def labels(place: int) -> list[str]:
    return [f"answer {label} of {SIZES[place]}" for label in range(SIZES[place])]


def domain() -> nw.Records:
    return nw.Records({n: nw.Categories(labels(place)) for place, n in enumerate(NAMES)})


def piece(rows: int, seed: int) -> Any:
    """Rows as Arrow's dictionary columns."""
    import pyarrow as pa

    random = np.random.default_rng(seed)
    return pa.table(
        {
            name: pa.DictionaryArray.from_arrays(
                pa.array(random.integers(0, SIZES[place], rows, dtype=np.int8)),
                pa.array(labels(place)),
            )
            for place, name in enumerate(NAMES)
        }
    )


def write(path: Path, rows: int) -> None:
    """Write a file of rows, a piece at a time."""
    import pyarrow.parquet as parquet

    writer = None
    for seed in range(-(-rows // _PIECE)):
        part = piece(min(_PIECE, rows - seed * _PIECE), seed)
        writer = writer or parquet.ParquetWriter(path, part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()


def by_numpy(codes: dict[str, Any], names: tuple[str, ...]) -> Any:
    cell = np.zeros((), dtype=np.intp)
    shape = [SIZES[NAMES.index(name)] for name in names]
    for name, size in zip(names, shape, strict=True):
        cell = cell * size + codes[name]
    return np.bincount(cell, minlength=int(np.prod(shape)))


def by_pyarrow(table: Any, names: tuple[str, ...]) -> Any:
    return table.group_by(list(names)).aggregate([([], "count_all")])


def by_pandas(frame: Any, names: tuple[str, ...]) -> Any:
    return frame.groupby(list(names), observed=False).size()


def by_polars(frame: Any, names: tuple[str, ...]) -> Any:
    return frame.group_by(list(names)).len()


def peers(table: Any) -> dict[str, tuple[Any, Peer]]:
    """The same rows as each peer likes them best, and how it groups them."""
    import polars as pl

    codes = {n: table[n].combine_chunks().indices.to_numpy() for n in table.column_names}
    return {
        "numpy, each table": ({n: c.astype(np.intp) for n, c in codes.items()}, by_numpy),
        "pyarrow, each table": (table, by_pyarrow),
        "pandas, each table": (table.to_pandas(), by_pandas),
        "Polars, each table": (pl.DataFrame(table), by_polars),
    }


def seconds(work: Callable[[], object], *, repeats: int = 3) -> float:
    """The least processor time of all threads in several runs."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def against_peers(rows: int, ways: int, *, repeats: int = 3) -> list[Result]:
    """All tables of so many columns, from rows in memory."""
    table = piece(rows, 0)
    workload = nw.workloads.Workload.marginals(domain(), ways=ways)
    ours = seconds(lambda: workload.answers(table), repeats=repeats)
    tables = list(combinations(NAMES, ways))
    results: list[Result] = []
    for name, (form, group) in peers(table).items():

        def each(form: Any = form, group: Peer = group) -> None:
            for names in tables:
                group(form, names)

        ratio = seconds(each, repeats=1 if name.startswith("pandas") else repeats) / ours
        # Counts in an array, which is all that numpy does, is the least there is to beat.
        required = 2.0 if name.startswith("numpy") else 5.0
        results.append(
            Result(f"{len(tables)} tables of {ways} columns", rows / ours, ratio, name, required)
        )
    return results


def of_a_file(path: Path, what: str) -> tuple[float, float, float]:
    """Seconds by the clock and of processors, and the largest memory, of one task about a file."""
    import pyarrow.parquet as parquet

    clock, start = time.perf_counter(), time.process_time()
    if what == "mst":
        nw.synthesize(path, domain(), epsilon=1, delta=1e-9, ledger=None)
    else:
        file = parquet.ParquetFile(path, read_dictionary=list(NAMES), pre_buffer=False)
        nw.workloads.Workload.marginals(domain(), ways=int(what)).answers(file.iter_batches())
    taken = time.process_time() - start, time.perf_counter() - clock
    return *taken, _largest_memory()


def _largest_memory() -> float:
    """In bytes. Linux counts the memory of a parent into ru_maxrss of its child, so not that."""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(peak.split()[1]) * 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def from_a_file(rows: int, tasks: Sequence[str] = ("2", "3", "mst")) -> list[Result]:
    """All pairs and all triples of a Parquet file, and a synthetic table of as many rows."""
    results: list[Result] = []
    bars = {"2": (6.0, 1.0), "3": (8.0, 1.0), "mst": (30.0, 4.0)}
    words = {"2": "pairs of a file", "3": "triples of a file", "mst": "synthetic rows of a file"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "raw.parquet"
        write(path, rows)
        for what in tasks:
            most_seconds, most_memory = bars[what]
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.workloads", "--file", str(path), what],
                capture_output=True,
                text=True,
                check=True,
            )
            taken, clock, memory = (float(number) for number in done.stdout.split())
            name = f"{words[what]} of {rows:,} rows, {clock:.1f} s"
            limit = most_seconds * max(rows / ROWS, 0.1)
            results += [
                Result(name, rows / taken, limit / taken, f"{limit:g} s", 1),
                Result(
                    f"its memory, {memory / 2**20:,.0f} MiB",
                    0,
                    most_memory * 2**30 / memory,
                    f"{most_memory:g} GiB",
                    1,
                ),
            ]
    return results


def run(rows: int = ROWS) -> list[Result]:
    """Measure everything about workloads."""
    return [*against_peers(IN_MEMORY, 2), *against_peers(IN_MEMORY, 3), *from_a_file(rows)]


def main() -> int:
    """Measure, or answer one question about a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--file", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.file is not None:
        print(*of_a_file(Path(given.file[0]), given.file[1]))
        return 0
    return report(run(given.rows))


if __name__ == "__main__":
    raise SystemExit(main())
