"""Released rows come in each order equally often, through memory, files, and files of files."""

from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from noisewright.engines.batches import Encoded
from noisewright.engines.embedded import (
    _permute as codes_in_buckets,  # pyright: ignore[reportPrivateUsage]
)
from noisewright.engines.shuffling import Shuffle
from noisewright.sampling import permutation
from tests.distributions.alarm import Alarm

ORDERS = {order: place for place, order in enumerate(permutations(range(4)))}
BATCHES = [pa.record_batch({"x": [0]}), pa.record_batch({"x": [1, 2, 3]})]


def one_order(folder: Path | None) -> int:
    found: list[int] = []

    def write(batch: Any) -> None:
        found.extend(batch.column("x").to_pylist())

    with Shuffle(write, rows=4, folder=folder, source=None, in_memory=1) as shuffle:
        for batch in BATCHES:
            shuffle.put(batch)
    return ORDERS[tuple(found)]


def order_of_codes() -> int:
    """Permute codes before they are drawn, as a release does: in buckets, then each of these."""
    given = [Encoded(len(rows), (np.array(rows),), ()) for rows in ([0], [1, 2, 3])]
    found: list[int] = []
    batches = [(encoded, False, encoded.rows) for encoded in given]
    for bucket, is_bucket, _ in codes_in_buckets(batches, 4, None, 1):
        assert is_bucket
        found += bucket.take(permutation(bucket.rows)).parts[0].tolist()
    return ORDERS[tuple(found)]


def files_in_order(files: int = 2) -> list[float]:
    """Rows go to random files, and nobody permutes these: earlier rows tend to stay before."""
    counts = [0] * 24
    for labels in product(range(files), repeat=4):
        counts[ORDERS[tuple(sorted(range(4), key=lambda row: labels[row]))]] += 1
    return [count / files**4 for count in counts]


@pytest.mark.parametrize("where", ["buckets", "nested files"])
def test_every_order_of_four_rows_is_equally_likely(
    where: str, alarm: Alarm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noisewright.engines.shuffling._PER_FILE", 2)
    monkeypatch.setattr("noisewright.engines.shuffling._PER_BUCKET", 8)
    monkeypatch.setattr("noisewright.engines.shuffling._MOST_BUCKETS", 2)
    folder = None if where == "buckets" else tmp_path

    def draw(n: int) -> NDArray[np.intp]:
        return np.bincount([one_order(folder) for _ in range(n)], minlength=24)

    alarm.judge(draw, [1 / 24] * 24, [files_in_order()])


def test_every_order_of_codes_in_buckets_is_equally_likely(
    alarm: Alarm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noisewright.engines.embedded._PER_BUCKET", 2)  # two buckets for four rows

    def draw(n: int) -> NDArray[np.intp]:
        return np.bincount([order_of_codes() for _ in range(n)], minlength=24)

    alarm.judge(draw, [1 / 24] * 24, [files_in_order()])
