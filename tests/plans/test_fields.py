"""Names and types are read without touching a value, however the file is damaged elsewhere."""

import struct
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from noisewright.errors import InputError
from noisewright.plans.fields import NamedType, fields_of, read_fields

TABLE = pa.table(
    {
        "job": pa.array(["nurse", "judge"]).dictionary_encode(),
        "age": pa.array([31, 62], pa.int8()),
        "income": [1.5, 2.5],
        "smokes": [True, False],
        "hobbies": [["tv"], []],
        "day": [[1.0, 2.0], [3.0, 4.0]],
        "born": pa.array([0, 1], pa.date32()),
        "photo": [b"a", b"b"],
    }
)

KINDS = {
    "job": "text",
    "age": "whole",
    "income": "number",
    "smokes": "boolean",
    "hobbies": "list of text",
    "day": "list of numbers",
    "born": "date",
    "photo": "other",
}


def kinds(path: Path) -> dict[str, str]:
    return {field.name: field.type for field in read_fields(path)}


def with_garbage_for_data(path: Path, *, magic: int, tail: int) -> None:
    """Overwrite everything but the footer, whose length stands `tail` bytes before the end."""
    whole = bytearray(path.read_bytes())
    (footer,) = struct.unpack("<i", whole[-tail : -tail + 4])
    first, last = magic, len(whole) - tail - footer
    assert last - first > 100
    whole[first:last] = b"\xa5" * (last - first)
    path.write_bytes(whole)


def test_parquet_whose_pages_are_garbage(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(TABLE, path)
    with_garbage_for_data(path, magic=4, tail=8)
    assert kinds(path) == KINDS
    with pytest.raises((OSError, pa.ArrowException)):  # the garbage is really there
        pq.read_table(path)


def test_feather_whose_batches_and_dictionaries_are_garbage(tmp_path: Path) -> None:
    path = tmp_path / "data.feather"
    feather.write_feather(TABLE, path)
    with_garbage_for_data(path, magic=8, tail=10)
    assert kinds(path) == KINDS
    with pytest.raises((OSError, pa.ArrowException)):
        feather.read_table(path)


def test_csv_after_its_first_line_is_not_even_text(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b'\xef\xbb\xbfjob,"age, in\nyears",x.y\n' + b"\xff\xfe" * 9000)
    assert [field.name for field in read_fields(path)] == ["job", "age, in\nyears", "x.y"]
    assert {field.type for field in read_fields(path)} == {""}


def test_statistics_metadata_and_dictionaries_make_no_difference(tmp_path: Path) -> None:
    """Two tables of one schema whose values, statistics and notes differ draft the same."""
    first, second = tmp_path / "first.parquet", tmp_path / "second.parquet"
    frame = pd.DataFrame({"age": [1, 2], "job": pd.Categorical(["a", "b"])}, index=["x", "y"])
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), first)
    other = pd.DataFrame({"age": [7], "job": pd.Categorical(["z"])})
    table = pa.Table.from_pandas(other, preserve_index=False)
    table = table.replace_schema_metadata({"secret": "z is ill"})
    pq.write_table(table, second, write_statistics=False, store_schema=True)
    assert read_fields(first) == read_fields(second)
    assert "z" not in repr(read_fields(second)).replace("size", "")


def test_a_folder_is_read_by_its_first_file(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "deeper").mkdir(parents=True)
    pq.write_table(pa.table({"a": [1]}), folder / "deeper" / "0.parquet")
    assert read_fields(folder) == (NamedType("a", "whole", "int64"),)


def test_a_schema_alone_is_enough() -> None:
    schema = pa.schema([("a", pa.large_string()), ("b", pa.decimal128(10, 2))])
    assert [field.type for field in fields_of(schema)] == ["text", "number"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("data.parquet", b"no parquet at all", "not a Parquet file"),
        ("data.feather", b"no feather at all", "not a Feather"),
        ("data.csv", b"", "is empty"),
        ("data.csv", b"a,a\n", "columns 1 and 2 .* have the same name"),
        ("data.csv", b"a,,c\n", "column 2 .* has no name"),
        ("data.csv", b"\xff\xff\n", "not UTF-8 text"),
        ("data.xlsx", b"PK", "not a workbook"),
        ("data.sav", b"", "drafted from .parquet"),
    ],
    ids=["parquet", "feather", "empty", "twice", "nameless", "latin", "excel", "other"],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_fields(path)


def test_a_folder_without_parquet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no Parquet file"):
        read_fields(tmp_path)
