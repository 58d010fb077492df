"""A released file is whole under its name or not there; its inner boundaries are its own."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from noisewright.errors import TargetError
from noisewright.tables.files.formats import ARROW_BATCH, ROW_GROUP
from noisewright.tables.files.writing import FileWriter, MemoryWriter, open_writer

SCHEMA = pa.schema([("x", pa.int32()), ("t", pa.string())])


def batch(start: int, count: int) -> pa.RecordBatch:
    """Rows with texts as a dictionary, as engines hand them over."""
    places = pa.array(np.arange(count, dtype=np.int32) % 3)
    texts = pa.DictionaryArray.from_arrays(places, pa.array(["a", "b", "c"]))
    numbers = pa.array(np.arange(start, start + count, dtype=np.int32))
    return pa.RecordBatch.from_arrays([numbers, texts], names=["x", "t"])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


READ: dict[str, Any] = {
    ".parquet": pq.read_table,
    ".feather": feather.read_table,
    ".csv": arrow_csv.read_csv,
    ".tsv": lambda path: arrow_csv.read_csv(
        path, parse_options=arrow_csv.ParseOptions(delimiter="\t")
    ),
}


@pytest.mark.parametrize("suffix", READ)
def test_what_was_written_is_read_back(suffix: str, tmp_path: Path) -> None:
    with open_writer(tmp_path / f"t{suffix}", SCHEMA) as writer:
        for start in range(0, 50, 10):
            writer.write(batch(start, 10))
        assert names(tmp_path) != [f"t{suffix}"]
    assert writer.rows == 50
    assert names(tmp_path) == [f"t{suffix}"]
    read = READ[suffix](tmp_path / f"t{suffix}")
    assert read["x"].to_pylist() == list(range(50))
    assert read["t"].to_pylist() == ["a", "b", "c", "a", "b", "c", "a", "b", "c", "a"] * 5
    assert read.schema.field("t").type == pa.string()


@pytest.mark.parametrize("suffix", READ)
def test_a_table_without_rows_has_its_columns(suffix: str, tmp_path: Path) -> None:
    with open_writer(tmp_path / f"t{suffix}", SCHEMA):
        pass
    assert READ[suffix](tmp_path / f"t{suffix}").column_names == ["x", "t"]


@pytest.mark.parametrize("sizes", [[ROW_GROUP + 7], [1000] * 1100, [ROW_GROUP // 3] * 4])
def test_row_groups_have_a_fixed_size(sizes: list[int], tmp_path: Path) -> None:
    whole = batch(0, max(sizes))
    for suffix in (".parquet", ".feather"):
        with open_writer(tmp_path / f"t{suffix}", SCHEMA) as writer:
            for size in sizes:
                writer.write(whole.slice(0, size))
    meta = pq.read_metadata(tmp_path / "t.parquet")
    groups = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
    assert set(groups[:-1]) == {ROW_GROUP}
    file = pa.ipc.open_file(tmp_path / "t.feather")
    batches = [file.get_batch(i).num_rows for i in range(file.num_record_batches)]
    assert set(batches[:-1]) == {ARROW_BATCH}
    assert sum(groups) == sum(batches) == sum(sizes)


def test_metadata_of_the_caller_is_the_only_one(tmp_path: Path) -> None:
    for suffix in (".parquet", ".feather"):
        path = tmp_path / f"t{suffix}"
        with open_writer(path, SCHEMA, metadata={"noisewright.recipe": "{}"}) as writer:
            writer.write(batch(0, 3))
        assert READ[suffix](path).schema.metadata == {b"noisewright.recipe": b"{}"}
    with open_writer(tmp_path / "late.parquet", SCHEMA) as writer:
        writer.write(batch(0, 3))
        writer.add_metadata({"late": "yes"})
    meta = pq.read_metadata(tmp_path / "late.parquet").metadata
    assert meta[b"late"] == b"yes"
    assert set(meta) == {b"late", b"ARROW:schema"}
    with (
        pytest.raises(TargetError, match="Parquet"),
        open_writer(tmp_path / "late.feather", SCHEMA) as writer,
    ):
        writer.add_metadata({"late": "yes"})


def test_a_file_that_exists_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(TargetError, match="exists already"), open_writer(path, SCHEMA):
        pass
    assert path.read_text(encoding="utf-8") == "mine"
    with open_writer(path, SCHEMA, overwrite=True):
        pass
    assert pq.read_table(path).num_rows == 0
    assert names(tmp_path) == ["t.parquet"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    with pytest.raises(TargetError, match="exists already"), open_writer(path, SCHEMA):
        path.write_text("mine", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "mine"
    assert names(tmp_path) == ["t.parquet"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "t.parquet"
    link.symlink_to("real/t.parquet")
    with open_writer(link, SCHEMA, overwrite=True):
        pass
    assert link.is_symlink()
    assert names(tmp_path / "real") == ["t.parquet"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("t.txt", "which format"),
        ("nowhere/t.parquet", "No such file"),
        ("folder.parquet", "is a folder"),
        ("file/t.parquet", "Not a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_any_work(
    name: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.parquet").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    before = names(tmp_path)
    with pytest.raises(TargetError, match=message) as problem, open_writer(tmp_path / name, SCHEMA):
        pass
    assert "noisewright-" not in str(problem.value)
    assert names(tmp_path) == before


def test_lists_are_refused_as_csv_before_any_work(tmp_path: Path) -> None:
    schema = pa.schema([("likes", pa.list_(pa.string()))])
    with (
        pytest.raises(TargetError, match="'likes' holds lists"),
        open_writer(tmp_path / "t.csv", schema),
    ):
        pass
    assert names(tmp_path) == []


@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("suffix", READ)
def test_an_error_or_an_interruption_leaves_nothing(
    suffix: str, raised: type[BaseException], tmp_path: Path
) -> None:
    def interrupted() -> None:
        with open_writer(tmp_path / f"t{suffix}", SCHEMA) as writer:
            writer.write(batch(0, 10))
            raise raised

    with pytest.raises(raised):
        interrupted()
    assert names(tmp_path) == []


def test_an_interruption_while_syncing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt), open_writer(tmp_path / "t.parquet", SCHEMA) as writer:
        writer.write(batch(0, 10))
    assert names(tmp_path) == []


def test_the_mode_is_what_the_user_asked_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with open_writer(tmp_path / "t.parquet", SCHEMA):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "t.parquet").stat().st_mode) == 0o640


FULL = """
import resource, signal, sys
import pyarrow as pa
from noisewright.tables.files.writing import open_writer
from noisewright.errors import TargetError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
schema = pa.schema([("x", pa.int64())])
import numpy as np
batch = pa.record_batch({"x": np.random.default_rng().integers(0, 1 << 60, 1 << 17)})
try:
    with open_writer(sys.argv[1], schema) as writer:
        for _ in range(9):
            writer.write(batch)
except TargetError as problem:
    sys.exit(str(problem))
"""


@pytest.mark.parametrize("suffix", READ)
def test_a_full_disk_is_said_and_leaves_nothing(suffix: str, tmp_path: Path) -> None:
    """The kernel refuses to grow files beyond a limit, as a full disk does."""
    path = tmp_path / f"t{suffix}"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"cannot write {path}: File too large")
    assert names(tmp_path) == []


CLOSED = """
import os, sys
import pyarrow as pa
from noisewright.tables.files.writing import open_writer
from noisewright.errors import TargetError
if os.geteuid() == 0: os.seteuid(65534)
try:
    with open_writer(sys.argv[1], pa.schema([("n", pa.int64())])): pass
except TargetError as problem: print(problem)
"""


def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.getuid() and str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", CLOSED, str(folder / "t.parquet")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Permission denied" in done.stdout


def test_a_table_in_memory_is_one_piece() -> None:
    writer = MemoryWriter(SCHEMA)
    for start in range(0, 50, 10):
        writer.write(batch(start, 10))
    assert writer.table.schema == SCHEMA
    assert writer.table["x"].num_chunks == 1
    assert MemoryWriter(SCHEMA).table.num_rows == 0


def test_a_writer_must_be_opened(tmp_path: Path) -> None:
    writer = open_writer(tmp_path / "t.parquet", SCHEMA)
    assert isinstance(writer, FileWriter)
    with pytest.raises(AssertionError):
        writer.write(batch(0, 1))
    assert names(tmp_path) == []
