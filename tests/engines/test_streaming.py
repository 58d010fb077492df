"""The embedded engine on files: two passes, faults in either, and nothing left behind."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.engines import embedded
from noisewright.engines.batches import Randomizer
from noisewright.errors import DataError, OutsideSpaceError
from noisewright.sampling import SeededSource
from noisewright.tables import open_table
from noisewright.tables.files.table_reader import BATCH
from noisewright.tables.files.writing import MemoryWriter, open_writer

ROWS = 2 * BATCH + 1000
PLAN = nw.Plan({"x": nw.Column(nw.Counts(9)), "n": "public"}, epsilon=1)


def table(rows: int = ROWS) -> pa.Table:
    return pa.table({"n": np.arange(rows), "x": np.arange(rows) % 10})


def released(data: Any, plan: nw.Plan = PLAN, **settings: Any) -> pa.Table:
    reader = open_table(data, schema=plan.schema)
    writer = MemoryWriter(Randomizer(plan).schema(reader.schema))
    assert embedded.run(reader, plan, writer, **settings) == writer.rows
    return writer.table


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_progress_counts_the_rows_of_both_passes() -> None:
    told: list[tuple[str, int, int | None]] = []
    released(table(), progress=lambda *what: told.append(what))
    assert told == [
        (phase, rows, ROWS) for phase in ("check", "draw") for rows in (BATCH, 2 * BATCH, ROWS)
    ]


@pytest.mark.parametrize("order", ["kept", "shuffled"])
@pytest.mark.parametrize("keep", ["first", "random"])
def test_codes_that_were_kept_are_what_reading_again_gives(
    order: str, keep: str, tmp_path: Path
) -> None:
    pq.write_table(table().append_column("id", pa.array(np.arange(ROWS) // 3)), tmp_path / "t.pq")
    plan = nw.Plan(
        {"x": nw.Column(nw.Counts(9)), "n": "public"},
        epsilon=1,
        order=order,
        person=nw.Person("id", rows=2, keep=keep),
    )
    found: list[pa.Table] = []
    for memory in (0, embedded.KEPT):
        reader = open_table(tmp_path / "t.pq")
        checked = embedded.check(reader, plan, keep=memory)
        assert (checked.codes is None) == (memory == 0)
        assert (checked.rows, checked.released) == (ROWS, -(-ROWS * 2 // 3))
        found.append(released(reader, plan, checked=checked, source=SeededSource(5)))
        assert found[-1].num_rows == checked.released
    if keep == "first":
        # Which rows are drawn depends on the places of people under a fresh key.
        assert sorted(found[0]["n"].to_pylist()) == sorted(found[1]["n"].to_pylist())
        # Codes that are in memory are shuffled before they are drawn.
        assert order == "shuffled" or found[0].equals(found[1])
    assert set(found[0]["n"].to_pylist()) <= set(range(ROWS))


def test_a_bad_cell_far_below_is_found_before_anything_is_drawn() -> None:
    bad = table().set_column(1, "x", pa.array([0] * (ROWS - 1) + [10]))
    with pytest.raises(OutsideSpaceError, match=f"'x' at row {ROWS:,} "):
        embedded.check(open_table(bad), PLAN)


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no rows"):
        released(table().slice(0, 0))
    (tmp_path / "t.csv").write_text("n,x\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"t\.csv has no rows"):
        released(tmp_path / "t.csv")


def test_a_csv_file_is_released_in_the_types_of_the_plan(tmp_path: Path) -> None:
    lines = "".join(f"{n},{n % 10}\n" for n in range(1000))
    (tmp_path / "t.csv").write_text("n,x\n" + lines, encoding="utf-8")
    found = released(tmp_path / "t.csv")
    assert found.schema.types == [pa.string(), pa.int64()]
    assert found["n"].to_pylist() == [str(n) for n in range(1000)]


def test_a_table_that_changes_between_the_passes_is_not_released(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "t.parquet")
    reader = open_table(tmp_path / "t.parquet")
    checked = embedded.check(reader, PLAN, keep=0)
    pq.write_table(table(ROWS + 1), tmp_path / "t.parquet")
    writer = open_writer(tmp_path / "out.parquet", Randomizer(PLAN).schema(reader.schema))
    with pytest.raises(DataError, match="Do not change the table"), writer:
        embedded.run(reader, PLAN, writer, checked=checked)
    assert names(tmp_path) == ["t.parquet"]


@pytest.mark.parametrize("when", ["check", "run"])
def test_input_that_is_damaged_in_the_middle_leaves_no_output(when: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    random = pa.table({"n": np.random.default_rng().permutation(ROWS), "x": np.arange(ROWS) % 10})
    pq.write_table(random, path, row_group_size=20_000, write_page_checksum=True)
    whole = path.read_bytes()
    middle = len(whole) * 5 // 6
    spoiled = whole[:middle] + bytes(1000) + whole[middle + 1000 :]
    reader = open_table(path)
    if when == "check":
        path.write_bytes(spoiled)
        with pytest.raises(DataError, match="after row"):
            embedded.check(reader, PLAN)
        return
    checked = embedded.check(reader, PLAN, keep=0)
    path.write_bytes(spoiled)
    writer = open_writer(tmp_path / "out.parquet", Randomizer(PLAN).schema(reader.schema))
    with pytest.raises(DataError, match="after row"), writer:
        embedded.run(reader, PLAN, writer, checked=checked)
    assert names(tmp_path) == ["t.parquet"]
    assert not [t for t in threading.enumerate() if t.name.startswith("noisewright-")]


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    reader = open_table(table())

    def interrupt(phase: str, rows: int, total: int | None) -> None:
        if phase == "draw" and rows > BATCH:
            raise KeyboardInterrupt

    shuffled = nw.Plan({"x": nw.Column(nw.Counts(9)), "n": "public"}, epsilon=1, order="shuffled")
    for plan in (PLAN, shuffled):
        writer = open_writer(tmp_path / "out.parquet", Randomizer(plan).schema(reader.schema))
        with pytest.raises(KeyboardInterrupt), writer:
            embedded.run(reader, plan, writer, progress=interrupt)
        assert names(tmp_path) == []
        assert not [t for t in threading.enumerate() if t.name.startswith("noisewright-")]


FULL = """
import resource, signal, sys
import numpy as np, pyarrow as pa
import noisewright as nw
import noisewright.engines.shuffling as shuffling
from noisewright.engines import embedded
from noisewright.engines.batches import Randomizer
from noisewright.tables import open_table
from noisewright.tables.files.writing import open_writer
from noisewright.errors import TargetError

plan = nw.Plan({"x": nw.Column(nw.Counts(999), mechanism="response")}, epsilon=1, order=sys.argv[2])
reader = open_table(pa.table({"x": np.arange(300_000) % 1000}))
checked = embedded.check(reader, plan)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 15, 1 << 15))
shuffling.Shuffle.__init__.__kwdefaults__["in_memory"] = 1
try:
    with open_writer(sys.argv[1], Randomizer(plan).schema(reader.schema)) as writer:
        embedded.run(reader, plan, writer, checked=checked)
except TargetError as problem:
    sys.exit(str(problem))
"""


@pytest.mark.parametrize("order", ["kept", "shuffled"])
def test_a_full_disk_is_said_and_leaves_nothing(order: str, tmp_path: Path) -> None:
    """The kernel refuses to grow files beyond a limit, as a full disk does."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "out.parquet"), order],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("cannot write")
    assert "File too large" in done.stderr
    assert names(tmp_path) == []


def test_what_a_file_shows_depends_on_nothing_but_rows_and_draws(tmp_path: Path) -> None:
    """Two inputs with other batches, dictionaries and metadata: the same bytes at an ε of 400."""
    texts = np.array(["a", "b", "c"])[np.arange(30_000) % 3]
    plan = nw.Plan({"t": nw.Column(["a", "b", "c"])}, epsilon=400)
    pq.write_table(pa.table({"t": texts}), tmp_path / "one.parquet", row_group_size=700)
    other = pa.table({"t": pa.array(texts)}).replace_schema_metadata({"SECRET": "SECRET"})
    pq.write_table(other, tmp_path / "two.parquet", use_dictionary=False, compression="none")
    files: list[bytes] = []
    for name in ("one", "two"):
        reader = open_table(tmp_path / f"{name}.parquet")
        target = tmp_path / f"{name}-out.parquet"
        with open_writer(target, Randomizer(plan).schema(reader.schema)) as writer:
            embedded.run(reader, plan, writer)
        files.append(target.read_bytes())
    assert files[0] == files[1]
    assert b"SECRET" not in files[1]
