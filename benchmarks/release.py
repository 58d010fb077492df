"""How fast a whole table is randomized, next to reading and writing it.

    python -m benchmarks.release [rows] [--memory | --order]

The table has 10 million rows and 5 columns: texts with 12 and with 50 labels, whole numbers,
decimals and booleans. It is checked, randomized and written by the embedded engine, and read and
written by pyarrow in the same batches, row groups and compression, with the same options. Both are
measured in turn within one run, by the clock and by the processor's time, and their medians are
compared; the clock is what counts, since the engine overlaps reading, drawing and writing where
there is a second core. Measure on an idle machine.

A release in random order is compared with one in kept order, also in turn. A release of a table
like Adult (32,561 rows, 10 columns) is measured with its page, too.

With --memory, only the engine runs, in a process of its own, and its peak memory is reported, for
both orders. With --order, the two orders are compared alone.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import noisewright as nw
from benchmarks.measure import Result, report

ROWS = 10_000_000
AT_MOST = {"pyarrow": 1.6, "pyarrow, dictionaries": 1.2}
ADULT_ROWS = 32_561
ADULT_LABELS = (2, 5, 6, 7, 9, 14, 16, 42)
AT_MOST_WITH_PAGE = 2.0
AT_MOST_SHUFFLED = 1.5
MOST_MEMORY = 1 << 30

JOBS = [f"occupation {i}" for i in range(12)]
REGIONS = [f"region {i:02d}" for i in range(50)]


def plan(order: str = "kept") -> nw.Plan:
    return nw.Plan(
        {
            "job": nw.Column(JOBS),
            "region": nw.Column(REGIONS),
            "age": nw.Column(nw.Counts(99)),
            "income": nw.Column(nw.Interval(0, 200, step=0.5)),
            "member": nw.Column([False, True]),
        },
        epsilon=10,
        order=order,
    )


def write_table(path: Path, rows: int) -> None:
    """Write a table of random rows, a million at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.default_rng()
    jobs, regions = pa.array(JOBS), pa.array(REGIONS)
    writer: Any = None
    for start in range(0, rows, 1 << 20):
        count = min(1 << 20, rows - start)
        table = pa.table(
            {
                "job": jobs.take(pa.array(generator.integers(0, 12, count))),
                "region": regions.take(pa.array(generator.integers(0, 50, count))),
                "age": generator.integers(0, 100, count),
                "income": generator.integers(0, 401, count) * 0.5,
                "member": generator.random(count) < 0.3,
            }
        )
        if writer is None:
            writer = pq.ParquetWriter(path, table.schema, compression="zstd", compression_level=1)
        writer.write_table(table)
    writer.close()


def plainly(given: Path, target: Path, *, texts: str) -> None:
    """Read and write with pyarrow alone; texts as they are, or as dictionaries."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from noisewright.tables.files.formats import ROW_GROUP, WRITE_BATCH
    from noisewright.tables.files.table_reader import BATCH

    encoded = ["job", "region"] if texts == "dictionaries" else None
    file = pq.ParquetFile(given, read_dictionary=encoded, page_checksum_verification=True)
    with pq.ParquetWriter(
        target,
        file.schema_arrow,
        compression="zstd",
        compression_level=1,
        write_page_checksum=True,
        write_batch_size=WRITE_BATCH,
    ) as writer:
        held: list[Any] = []
        for batch in file.iter_batches(BATCH):
            held.append(batch)
            if len(held) * BATCH >= ROW_GROUP:
                writer.write_table(pa.Table.from_batches(held), row_group_size=ROW_GROUP)
                held = []
        if held:
            writer.write_table(pa.Table.from_batches(held), row_group_size=ROW_GROUP)


def randomized(given: Path, target: Path, made: nw.Plan) -> None:
    """Check, randomize and write with the embedded engine."""
    from noisewright.engines import embedded
    from noisewright.engines.batches import Randomizer
    from noisewright.tables import open_table
    from noisewright.tables.files.writing import open_writer

    reader = open_table(given, schema=made.schema)
    schema = Randomizer(made).schema(reader.schema)
    checked = embedded.check(reader, made)
    with open_writer(target, schema, overwrite=True) as writer:
        embedded.run(reader, made, writer, checked=checked)


def clocked(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of all processors together."""
    start, spent = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - spent


def speed(rows: int = ROWS, *, repeats: int = 5) -> list[Result]:
    made = plan()
    with tempfile.TemporaryDirectory() as folder:
        given, target = Path(folder) / "given.parquet", Path(folder) / "target.parquet"
        write_table(given, rows)
        works: dict[str, Callable[[], object]] = {
            "pyarrow": lambda: plainly(given, target, texts="plain"),
            "pyarrow, dictionaries": lambda: plainly(given, target, texts="dictionaries"),
            "ours": lambda: randomized(given, target, made),
        }
        # Rounds that alternate, so that a slow moment of the machine meets all.
        rounds = [{name: clocked(work) for name, work in works.items()} for _ in range(repeats)]
        usual = {
            (name, kind): statistics.median(each[name][kind] for each in rounds)
            for name in works
            for kind in (0, 1)
        }
    results: list[Result] = []
    for kind, measured in ((0, "by the clock"), (1, "processor time")):
        for against, most in AT_MOST.items():
            ours, theirs = usual["ours", kind], usual[against, kind]
            required = 1 / most if kind == 0 else None
            name = f"rows checked, randomized, written; {measured}"
            results.append(Result(name, rows / ours, theirs / ours, against, required))
    return results


def shuffling(rows: int = ROWS, *, repeats: int = 5) -> list[Result]:
    """Rows released in random order, next to kept order: medians of rounds that alternate."""
    taken: dict[str, list[tuple[float, float]]] = {"kept": [], "shuffled": []}
    with tempfile.TemporaryDirectory() as folder:
        given, target = Path(folder) / "given.parquet", Path(folder) / "target.parquet"
        write_table(given, rows)
        for _ in range(repeats):
            for order, times in taken.items():
                times.append(clocked(lambda o=order: randomized(given, target, plan(o))))
    found: list[Result] = []
    for kind, measured in ((0, "by the clock"), (1, "processor time")):
        kept, ours = (statistics.median(t[kind] for t in times) for times in taken.values())
        required = 1 / AT_MOST_SHUFFLED if kind == 0 else None
        name = f"rows released in random order; {measured}"
        found.append(Result(name, rows / ours, kept / ours, "kept order", required))
    return found


def memory(rows: int, order: str = "kept") -> list[Result]:
    """The peak memory of a process that randomizes a table; the ratio is 1 GB to it.

    The rate is by processor time, so that it shows whether time grows as the rows do.
    """
    with tempfile.TemporaryDirectory() as folder:
        given, target = Path(folder) / "given.parquet", Path(folder) / "target.parquet"
        write_table(given, rows)
        script = (
            "import resource, sys, time; from pathlib import Path; from benchmarks import release\n"
            "release.randomized(Path(sys.argv[1]), Path(sys.argv[2]), release.plan(sys.argv[3]))\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time())"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, given, target, order],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
        )
    kibibytes, taken = map(float, done.stdout.split())
    peak = int(kibibytes) << 10
    name = f"peak memory for {rows:,} rows, order {order}, {peak >> 20:,} MB"
    return [Result(name, rows / taken, MOST_MEMORY / peak, "1 GB", 1.0)]


def page(rows: int = ADULT_ROWS, *, repeats: int = 5) -> list[Result]:
    """A release of a table like Adult with its page, next to one without."""
    import pyarrow as pa

    generator = np.random.default_rng()
    spaces: dict[str, Any] = {
        f"answer {count}": nw.Categories([f"label {place}" for place in range(count)])
        for count in ADULT_LABELS
    }
    spaces |= {"age": nw.Counts(100), "hours": nw.Counts(100)}
    table = pa.table(
        {
            name: space.decode(generator.integers(0, space.size, rows))
            for name, space in spaces.items()
        }
    )
    made = nw.Plan({name: nw.Column(space) for name, space in spaces.items()}, epsilon=10)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "released.parquet"
        times: dict[bool, list[float]] = {False: [], True: []}
        # Rounds that alternate, so that a slow moment of the machine meets both.
        for _ in range(repeats):
            for with_page, taken in times.items():
                out = nw.planning.Output(target, report=with_page, overwrite=True)
                taken.append(
                    clocked(lambda out=out: nw.release(table, made, out=out, ledger=None))[0]
                )
    without, both = min(times[False]), min(times[True])
    name = f"{rows:,} rows released with a page, by the clock"
    return [Result(name, rows / both, without / both, "without a page", 1 / AT_MOST_WITH_PAGE)]


def run() -> list[Result]:
    """Measure the release of a whole table."""
    return [*speed(), *shuffling(), *page(), *memory(ROWS), *memory(ROWS, "shuffled")]


if __name__ == "__main__":
    asked = int(float(sys.argv[1])) if len(sys.argv) > 1 else ROWS
    if "--memory" in sys.argv:
        raise SystemExit(report([*memory(asked), *memory(asked, "shuffled")]))
    raise SystemExit(report(shuffling(asked) if "--order" in sys.argv else speed(asked)))
