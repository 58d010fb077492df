"""Released rows in random order: in memory, and through files that nobody else can open."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from noisewright.engines.shuffling import Shuffle
from noisewright.errors import TargetError


def shuffled(
    batches: list[list[int]],
    folder: Path | None,
    *,
    source: Any = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> list[int]:
    """Shuffle numbers through files, unless there is no folder."""
    found: list[int] = []
    schema = pa.schema([("x", pa.int64()), ("t", pa.dictionary(pa.int32(), pa.string()))])

    def write(batch: pa.RecordBatch) -> None:
        assert batch.schema == schema
        texts = batch.column("t").to_pylist()
        numbers = batch.column("x").to_pylist()
        assert texts == ["even" if x % 2 == 0 else "odd" for x in numbers]
        found.extend(numbers)

    rows = sum(map(len, batches))
    with Shuffle(write, rows=rows, folder=folder, source=source, in_memory=1) as shuffle:
        for batch in batches:
            parity = pa.array([x % 2 for x in batch], pa.int32())
            texts = pa.DictionaryArray.from_arrays(parity, pa.array(["even", "odd"]))
            shuffle.put(pa.RecordBatch.from_arrays([pa.array(batch), texts], schema=schema))
        meanwhile()
    return found


@pytest.mark.parametrize("files", [True, False])
def test_all_rows_come_out_in_another_order(files: bool, tmp_path: Path) -> None:
    batches = [list(range(start, start + 100)) for start in range(0, 1000, 100)]
    found = shuffled(batches, tmp_path if files else None)
    assert found != list(range(1000))
    assert sorted(found) == list(range(1000))
    assert list(tmp_path.iterdir()) == []


def test_files_are_private_and_gone_in_any_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noisewright.engines.shuffling._PER_FILE", 512)

    def look() -> None:
        (inside,) = tmp_path.iterdir()
        assert inside.name.startswith(".noisewright-")
        assert stat.S_IMODE(inside.stat().st_mode) == 0o700
        assert len(list(inside.iterdir())) > 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shuffled([list(range(500))], tmp_path, meanwhile=look)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="nowhere"):
        shuffled([[1, 2, 3]], tmp_path / "nowhere")


def test_files_too_large_are_shuffled_through_files_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noisewright.engines.shuffling._PER_FILE", 64)
    monkeypatch.setattr("noisewright.engines.shuffling._MOST_BUCKETS", 3)
    depth: list[int] = []

    def look(batch: Any) -> None:
        depth.append(max(len(path.relative_to(tmp_path).parts) for path in tmp_path.rglob("*")))
        found.extend(batch.column("x").to_pylist())

    found: list[int] = []
    with Shuffle(look, rows=1000, folder=tmp_path, source=None, in_memory=1) as shuffle:
        for start in range(0, 1000, 100):
            shuffle.put(pa.record_batch({"x": list(range(start, start + 100))}))
    assert max(depth) > 3
    assert sorted(found) == list(range(1000))
    assert found != sorted(found)
    assert list(tmp_path.iterdir()) == []
