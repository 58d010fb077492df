"""A shuffled release is a function of which rows were drawn and of fresh randomness, byte by byte.

Two tables with the same rows in different orders, and in different batches, are released so that
each row draws the same noise (none: its epsilon is 60 or more) and gets the same random place,
whatever its place was before. Then all files must be equal, byte by byte. Composing a uniform order
with a fixed one gives a uniform order, so equal bytes for equal places say that the distribution of
the files does not depend on the order of the input.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.engines import embedded, shuffling

ROWS = 700
BASE = 27
ITEMS = ["a", "b", "c"]
JOBS = ['with "quotes"', "with, comma", "plain"]
COLUMNS: dict[str, Any] = {
    # Rows differ by two digits: one response of 700 points would take most of the time to prove.
    "high": nw.Column(nw.Counts(BASE), mechanism="response", epsilon=60),
    "low": nw.Column(nw.Counts(BASE), mechanism="response", epsilon=60),
    "job": nw.Column(JOBS, epsilon=60),
    "items": nw.Column(nw.Subsets(ITEMS), epsilon=180),
    "region": "public",
}


def rows_in_order(numbers: Any) -> pa.Table:
    return pa.table(
        {
            "high": numbers // BASE,
            "low": numbers % BASE,
            "job": [JOBS[n % 3] for n in numbers],
            "items": [ITEMS[: n % 4] for n in numbers],
            "region": [f"region {n % 5}" for n in numbers],
        }
    )


class Places:
    """Random files and places that belong to rows, whatever the order in which these come."""

    def __init__(self, numbers: Any) -> None:
        generator = np.random.default_rng(7)
        self._labels = generator.permutation(1 << 16)[:ROWS][numbers]
        self._keys = generator.permutation(ROWS)[numbers]
        self._seen = self._files = self._file = 0

    def uniform_below(self, files: int, size: int, source: Any) -> Any:
        self._files, start, self._seen = files, self._seen, self._seen + size
        return self._labels[start : self._seen] % files

    def permutation(self, size: int, source: Any) -> Any:
        keys = self._keys
        if self._files:
            keys, self._file = keys[self._labels % self._files == self._file], self._file + 1
        assert len(keys) == size
        return np.argsort(keys)


def released(
    folder: Path, numbers: Any, name: str, order: str, groups: int, monkeypatch: pytest.MonkeyPatch
) -> dict[str, bytes]:
    folder.mkdir()
    given = folder / "given.parquet"
    pq.write_table(rows_in_order(numbers), given, row_group_size=groups)
    places = Places(numbers)
    monkeypatch.setattr(shuffling, "uniform_below", places.uniform_below)
    for room in (shuffling, embedded):
        monkeypatch.setattr(room, "permutation", places.permutation)
    plan = nw.Plan(COLUMNS, order=order)
    source = nw.randomness.SeededSource("no noise")
    out = nw.planning.Output(folder / name, report=False)
    nw.release(given, plan, out=out, ledger=None, source=source)
    given.unlink()
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["out.parquet", "out.feather", "out.csv"])
@pytest.mark.parametrize("through", ["memory", "files"])
def test_files_do_not_tell_the_order_of_the_input(
    name: str, through: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if through == "files":
        monkeypatch.setattr(embedded, "IN_MEMORY_BEFORE", 0)
        # How many files there are follows from how large the first rows are, which changes no odds.
        monkeypatch.setattr(shuffling, "_bucket_count", lambda _, each: 5 if each > 1 << 22 else 1)
        monkeypatch.setattr(embedded, "Shuffle", partial(shuffling.Shuffle, in_memory=1))
    numbers = np.arange(ROWS)
    release = partial(released, name=name, monkeypatch=monkeypatch)
    first = release(tmp_path / "first", numbers, order="shuffled", groups=ROWS)
    others = [numbers[::-1], np.random.default_rng().permutation(ROWS)]
    for place, other in enumerate(others):
        again = release(tmp_path / f"again {place}", other, order="shuffled", groups=37)
        assert again == first
    # The comparison can fail: a release in kept order tells it.
    kept = [
        release(tmp_path / f"kept {place}", other, order="kept", groups=ROWS)[name]
        for place, other in enumerate(others)
    ]
    assert kept[0] != kept[1]
