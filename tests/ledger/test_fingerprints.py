"""Fingerprints: the same for the same data, another for other data, and only with the key."""

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings

from noisewright.errors import LedgerError
from noisewright.ledger import fingerprint as module
from noisewright.ledger.fingerprint import fingerprint

KEY = bytes(range(32))

TABLE = pa.table(
    {
        "age": pa.array([30, None, 41, 30], pa.int16()),
        "job": ["cook", "", None, "smith"],
        "code": pa.array([b"", b"\0", None, b"ab"]),
        "tags": [["a", "b"], [], None, [None, "c"]],
        "paid": [True, None, False, True],
        "income": [1.5, -0.0, None, float("nan")],
        "day": pa.array([1, None, 3, 4], pa.date32()),
        "at": pa.array([1, None, 3, 4], pa.timestamp("us")),
        "half": pa.array([1, None, 3, 4]).cast(pa.decimal128(21, 1)),
        "place": [{"x": 1}, None, {"x": None}, {"x": 2}],
        "none": pa.nulls(4),
    }
)


def test_the_same_values_however_they_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROWS", 3)
    same = fingerprint(TABLE, KEY)
    parts = [TABLE.slice(0, 1), TABLE.slice(1, 0), TABLE.slice(1, 2), TABLE.slice(3)]
    assert fingerprint(pa.concat_tables(parts), KEY) == same
    assert fingerprint(TABLE.to_reader(max_chunksize=2), KEY) == same
    assert fingerprint(pa.concat_tables([TABLE, TABLE]).slice(4), KEY) == same
    assert fingerprint(TABLE.combine_chunks().to_batches()[0], KEY) == same
    encoded = TABLE.set_column(1, "job", TABLE["job"].combine_chunks().dictionary_encode())
    assert fingerprint(encoded, KEY) == same
    assert (
        fingerprint(TABLE.set_column(1, "job", TABLE["job"].cast(pa.large_string())), KEY) == same
    )


def test_what_lies_under_a_null_does_not_count() -> None:
    import numpy as np

    ages = np.array([1, 2, 3])
    one = pa.table({"a": pa.array(ages, mask=np.array([False, True, False]))})
    ages[1] = 77
    other = pa.table({"a": pa.array(ages, mask=np.array([False, True, False]))})
    assert fingerprint(one, KEY) == fingerprint(other, KEY)


CHANGED: dict[str, Any] = {
    "another key": lambda: fingerprint(TABLE, KEY[::-1]),
    "a row less": lambda: fingerprint(TABLE.slice(1), KEY),
    "rows in another order": lambda: fingerprint(TABLE.take([1, 0, 2, 3]), KEY),
    "columns in another order": lambda: fingerprint(TABLE.select(TABLE.schema.names[::-1]), KEY),
    "a column less": lambda: fingerprint(TABLE.drop_columns(["none"]), KEY),
    "a new name": lambda: fingerprint(TABLE.rename_columns(["AGE", *TABLE.schema.names[1:]]), KEY),
    "a wider type": lambda: fingerprint(
        TABLE.set_column(0, "age", TABLE["age"].cast(pa.int32())), KEY
    ),
    "an empty table": lambda: fingerprint(TABLE.slice(0, 0), KEY),
    "twice the table": lambda: fingerprint(pa.concat_tables([TABLE, TABLE]), KEY),
}


def test_every_cell_counts() -> None:
    """Each cell on its own replaced by the one below it, wherever they differ."""
    found = {fingerprint(TABLE, KEY)}
    cells = 0
    for index, field in enumerate(TABLE.schema):
        values = TABLE[field.name].to_pylist()
        for row in range(4):
            other = values[(row + 1) % 4]
            if repr(other) != repr(values[row]):
                new = pa.array([*values[:row], other, *values[row + 1 :]], field.type)
                found.add(fingerprint(TABLE.set_column(index, field.name, new), KEY))
                cells += 1
    changes = [change() for change in CHANGED.values()]
    assert cells > 30
    assert len({*found, *changes}) == 1 + cells + len(changes)


@settings(max_examples=40)
@given(st.lists(st.lists(st.text("ab", max_size=2), max_size=3), max_size=4), st.data())
def test_no_two_columns_of_lists_run_together(values: list[list[str]], data: st.DataObject) -> None:
    kind = pa.list_(pa.string())
    other = data.draw(st.lists(st.lists(st.text("ab", max_size=2), max_size=3), max_size=4))
    prints = [fingerprint(pa.table({"x": pa.array(v, kind)}), KEY) for v in (values, other)]
    assert (prints[0] == prints[1]) == (values == other)


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x" * 3_000_000)
    (tmp_path / "b.csv").write_bytes(b"x" * 3_000_000)
    (tmp_path / "c.csv").write_bytes(b"x" * 3_000_001)
    one, same, other = (fingerprint(tmp_path / f"{name}.csv", KEY) for name in "abc")
    assert one == same != other
    assert fingerprint(str(tmp_path / "a.csv"), KEY[::-1]) != one
    for name, files in {
        "first": {"p=1/x.parquet": b"12", "p=2/x.parquet": b"3"},
        "again": {"p=2/x.parquet": b"3", "p=1/x.parquet": b"12", "_SUCCESS": b"", ".x.crc": b"9"},
        "moved": {"p=1/x.parquet": b"1", "p=2/x.parquet": b"23"},
        "named": {"p=1/y.parquet": b"12", "p=2/x.parquet": b"3"},
    }.items():
        for file, content in files.items():
            (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / file).write_bytes(content)
    first, again, moved, named = (
        fingerprint(tmp_path / name, KEY) for name in ("first", "again", "moved", "named")
    )
    assert first == again
    assert len({first, moved, named}) == 3
    (tmp_path / "empty").mkdir()
    with pytest.raises(LedgerError, match="holds no files"):
        fingerprint(tmp_path / "empty", KEY)
