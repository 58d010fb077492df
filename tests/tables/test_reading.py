"""Tables of every kind open as the same stream of batches."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import DataError
from noisewright.tables import open_table
from noisewright.tables.files.table_reader import BATCH, TableReader

TABLE = pa.table(
    {
        "who": pa.array([1, 2, None, 4], pa.int64()),
        "job": ["cook", "none", "cook", None],
        "weight": [0.5, 1.5, 2.5, 3.5],
    }
)


def parquet(folder: Path) -> Any:
    pq.write_table(TABLE, folder / "t.parquet", row_group_size=3)
    return folder / "t.parquet"


def folder_of_parquet(folder: Path) -> Any:
    inside = folder / "parts"
    inside.mkdir()
    # Written in the wrong order: names decide.
    pq.write_table(TABLE.slice(2), inside / "part-1.parquet")
    pq.write_table(TABLE.slice(0, 2), inside / "part-0.parquet")
    (inside / "_SUCCESS").write_text("", encoding="utf-8")
    (inside / ".part-0.crc").write_text("x", encoding="utf-8")
    return str(inside)


def an_arrow_file(folder: Path) -> Any:
    feather.write_feather(TABLE, folder / "t.feather", chunksize=3)
    return folder / "t.feather"


def a_pandas_frame(folder: Path) -> Any:
    return TABLE.to_pandas(types_mapper=pd.ArrowDtype).set_index(pd.Index([9, 8, 7, 6]))


KINDS: dict[str, Callable[[Path], Any]] = {
    "table": lambda folder: TABLE,
    "batch": lambda folder: TABLE.to_batches()[0],
    "stream": lambda folder: TABLE.to_reader(max_chunksize=3),
    "pandas": a_pandas_frame,
    "polars": lambda folder: pl.from_arrow(TABLE),
    "lazy polars": lambda folder: pl.from_arrow(TABLE).lazy(),  # pyright: ignore[reportAttributeAccessIssue]
    "parquet": parquet,
    "folder": folder_of_parquet,
    "feather": an_arrow_file,
}


def rows(reader: TableReader, columns: list[str] | None = None) -> list[dict[str, Any]]:
    return [row for batch in reader.batches(columns) for row in batch.to_pylist()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same_rows_as_often_as_one_likes(kind: str, tmp_path: Path) -> None:
    reader = open_table(KINDS[kind](tmp_path))
    assert reader.schema.names == ["who", "job", "weight"]
    assert reader.schema.metadata is None
    assert reader.rows in (4, None)
    assert rows(reader) == rows(reader) == TABLE.to_pylist()
    assert rows(reader, ["weight", "who"]) == TABLE.select(["weight", "who"]).to_pylist()
    assert sum(batch.num_rows for batch in reader.batches([])) == 4


def test_batches_are_bounded(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array(range(2 * BATCH + 5), pa.int32())})
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather", chunksize=table.num_rows)
    for data in (table, tmp_path / "t.parquet", tmp_path / "t.feather"):
        batches = list(open_table(data).batches())
        assert max(batch.num_rows for batch in batches) <= BATCH
        assert pa.Table.from_batches(batches).equals(table)


def test_texts_of_parquet_can_be_read_as_dictionaries(tmp_path: Path) -> None:
    batch = next(open_table(parquet(tmp_path)).batches(["job"], encoded=["job"]))
    assert pa.types.is_dictionary(batch.schema.field("job").type)
    assert batch.column("job").to_pylist() == TABLE["job"].to_pylist()[: batch.num_rows]


def test_a_column_may_have_a_dot_in_its_name(tmp_path: Path) -> None:
    table = pa.table({"a.b": [1, 2], "a": [{"b": 5}, {"b": 6}]})
    pq.write_table(table, tmp_path / "t.parquet")
    reader = open_table(tmp_path / "t.parquet")
    assert [b.to_pydict() for b in reader.batches(["a.b"])] == [{"a.b": [1, 2]}]
    assert [b.to_pydict() for b in reader.batches(["a"])] == [{"a": [{"b": 5}, {"b": 6}]}]


# CSV


def csv_file(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


PLAN = nw.Plan(
    {
        "zip": nw.Column(["007", "012"]),
        "age": nw.Column(nw.Counts(120)),
        "weight": nw.Column(nw.Interval(0, 9, step=0.5)),
        "member": nw.Column([True, False]),
        "code": nw.Column([1, 2]),
    },
    epsilon=5,
    others="drop",
)
HEADER = "zip,age,weight,member,code,note\n"


def test_cells_are_texts_unless_the_plan_says_otherwise(tmp_path: Path) -> None:
    path = csv_file(
        tmp_path, HEADER + '007, 5 ,1.5,true,1,"a ""b"",\nc"\n012,6.0,2,FALSE,2,""\n,,,,,\n'
    )
    assert [str(kind) for kind in open_table(path).schema.types] == ["string"] * 6
    reader = open_table(path, schema=PLAN.schema)
    assert rows(reader) == [
        {"zip": "007", "age": 5, "weight": 1.5, "member": True, "code": 1, "note": 'a "b",\nc'},
        {"zip": "012", "age": 6, "weight": 2.0, "member": False, "code": 2, "note": ""},
        dict.fromkeys(reader.schema.names),
    ]


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv"])
def test_compressed_and_tab_separated_files(name: str, tmp_path: Path) -> None:
    text = b"a,b\n1,2\n".replace(b",", b"\t" if name == "t.tsv" else b",")
    path = csv_file(tmp_path, gzip.compress(text) if name.endswith("gz") else text, name)
    assert rows(open_table(path)) == [{"a": "1", "b": "2"}]


def test_a_mark_at_the_beginning_is_no_part_of_a_name(tmp_path: Path) -> None:
    assert rows(open_table(csv_file(tmp_path, b"\xef\xbb\xbfa\nx\n"))) == [{"a": "x"}]


MANY = f"1,{'x' * 60}\n" * 200_000
"""More than one block of what is read at once."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(b"", "is empty", id="no bytes"),
        pytest.param(b"\n\n", "no columns", id="no header"),
        pytest.param(b"SECRET,b,SECRET\n1,2,3\n", "columns 1 and 3", id="same names"),
        pytest.param(b"a;b,c\nSECRET;2\n", "commas or semicolons", id="two delimiters"),
        pytest.param(b"a,b\n1,2\n1,SECRET,3\n", "row 2 .* has 3 cells", id="long row"),
        pytest.param(b"a,b\n1,2\n\n1\n", "has 1 cells", id="short row"),
        pytest.param(b"a,b\n1,SECRET\xff\n", "column 2 .* UTF-8 text in row 1", id="encoding"),
        pytest.param(b"\xffa\n1\n", "header .* UTF-8", id="encoding of the header"),
        pytest.param(f"a,b\n{MANY}1,SECRET,3\n".encode(), "row 200,001 ", id="long row far below"),
        pytest.param(
            f"a,b\n{MANY}1,SECRET".encode() + b"\xff\n", "row 200,001", id="encoding far below"
        ),
    ],
)
def test_a_file_that_is_no_table_is_refused_by_place(
    text: bytes, message: str, tmp_path: Path
) -> None:
    path = csv_file(tmp_path, text)
    with pytest.raises(DataError, match=message) as problem:
        rows(open_table(path))
    assert "SECRET" not in str(problem.value)
    assert str(path) in str(problem.value)
    assert problem.value.__context__ is None or "SECRET" not in str(problem.value.__context__)


@pytest.mark.parametrize(
    ("column", "cell", "needed"),
    [
        ("age", "SECRET", "a whole number"),
        ("age", "5.5", "a whole number"),
        ("weight", "1,5", "a number"),
        ("member", "SECRET", "true or false"),
        ("code", "SECRET", "a whole number"),
    ],
)
def test_a_cell_that_is_no_number_is_named(
    column: str, cell: str, needed: str, tmp_path: Path
) -> None:
    good = {"zip": "007", "age": "5", "weight": "1", "member": "true", "code": "1", "note": ""}
    lines = [good] * 300
    lines[220] = {**good, column: f'"{cell}"'}
    text = HEADER + "".join(",".join(line.values()) + "\n" for line in lines)
    with pytest.raises(DataError, match=f"{column!r} .* is not {needed} in row 221,") as problem:
        rows(open_table(csv_file(tmp_path, text), schema=PLAN.schema))
    assert problem.value.row == 220
    assert cell not in str(problem.value)


# Faults


def damaged(path: Path) -> Path:
    """Spoil bytes in the middle of a file, well before its end."""
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 2000] = bytes(255 - byte for byte in data[middle : middle + 2000])
    path.write_bytes(data)
    return path


def a_large_file(folder: Path) -> Path:
    numbers = pa.array(range(400_000))
    table = pa.table({"n": numbers, "secret": numbers.cast(pa.string())})
    pq.write_table(
        table,
        folder / "t.parquet",
        row_group_size=50_000,
        use_dictionary=False,
        write_page_checksum=True,
    )
    return folder / "t.parquet"


def test_a_parquet_file_that_is_damaged_in_the_middle_says_where(tmp_path: Path) -> None:
    reader = open_table(damaged(a_large_file(tmp_path)))
    with pytest.raises(DataError, match=r"t.parquet after row \d") as problem:
        rows(reader)
    assert problem.value.row is not None
    assert 0 < problem.value.row < 400_000


def test_a_feather_file_that_is_damaged_in_the_middle_says_so(tmp_path: Path) -> None:
    table = pa.table({"secret": [str(n) for n in range(300_000)]})
    feather.write_feather(table, tmp_path / "t.feather", compression="lz4")
    with pytest.raises(DataError, match=r"t\.feather"):
        rows(open_table(damaged(tmp_path / "t.feather")))


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
@pytest.mark.parametrize("left", [0, 100, 5000])
def test_a_file_without_its_end_is_refused_at_once(suffix: str, left: int, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    table = pa.table({"n": range(20_000)})
    if suffix == ".parquet":
        pq.write_table(table, path)
    else:
        feather.write_feather(table, path)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(DataError, match=f"t{suffix}"):
        open_table(path)


def test_a_file_of_the_wrong_kind_is_refused(tmp_path: Path) -> None:
    for name in ("t.parquet", "t.feather"):
        path = csv_file(tmp_path, "SECRET,b\n1,2\n" * 100, name)
        with pytest.raises(DataError, match="it is not a") as problem:
            open_table(path)
        assert "SECRET" not in str(problem.value)
    with pytest.raises(DataError, match="does not say what"):
        open_table(csv_file(tmp_path, "a\n1\n", "t.dat"))
    with pytest.raises(DataError, match="there is no file"):
        open_table(tmp_path / "nowhere.csv")


def test_a_folder_is_read_only_if_it_is_clear_what_belongs_to_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no Parquet file"):
        open_table(tmp_path)
    pq.write_table(TABLE, tmp_path / "a.parquet")
    pq.write_table(TABLE.drop_columns(["job"]), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b.parquet has other columns than a.parquet"):
        open_table(tmp_path)
    (tmp_path / "b.parquet").rename(tmp_path / "b.txt")
    with pytest.raises(DataError, match=r"holds b.txt, which is not a Parquet file"):
        open_table(tmp_path)
    (tmp_path / "b.txt").unlink()
    (tmp_path / "2024").mkdir()
    with pytest.raises(DataError, match="not read recursively"):
        open_table(tmp_path)


def test_values_that_are_no_table_are_refused_without_showing_them() -> None:
    mixed = pd.DataFrame({"a": pd.Series([1, "SECRET", [2]], dtype=object)})
    with pytest.raises(DataError, match="'a' of the table holds values of several") as problem:
        open_table(mixed)
    assert "SECRET" not in str(problem.value)
    assert problem.value.__context__ is None
    for data in (3, [1, 2], {"a": 1}, pl.Series([1]), pd.Series([1])):
        with pytest.raises(DataError, match="give"):
            open_table(data)
    with pytest.raises(DataError, match="not text"):
        open_table(pd.DataFrame({1: [2]}))
    with pytest.raises(DataError, match="no columns"):
        open_table(pa.table({}))
