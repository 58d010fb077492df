"""Released rows in random order: in memory, and through files that nobody else can open."""

import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from noisewright.engines.shuffling import Shuffle
from noisewright.errors import TargetError
from noisewright.sampling import SeededSource


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


@pytest.mark.parametrize("files", [True, False])
def test_every_order_is_equally_likely(
    files: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 6 orders of 3 rows, 480 shuffles, within 4 deviations: fixed by the seed."""
    # Several files for three rows, so that empty and shared ones occur.
    monkeypatch.setattr("noisewright.engines.shuffling._PER_FILE", 32)
    source = SeededSource("orders")
    orders = Counter(
        tuple(shuffled([[0], [1, 2]], tmp_path if files else None, source=source))
        for _ in range(480)
    )
    assert len(orders) == 6
    assert max(abs(count - 80) for count in orders.values()) < 4 * np.sqrt(80 * 5 / 6)
