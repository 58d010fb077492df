"""Delimited texts as people have them: the same file means the same wherever it is read."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import DataError, InputError, NoisewrightError, ParameterError
from noisewright.tables import Field, Schema, open_table

PLAN = nw.Plan(
    {"job": nw.Column(["nurse", "Bäcker"]), "visits": nw.Column(nw.Counts(8)), "id": "drop"},
    epsilon=2,
)
ROWS = [
    {"job": "nurse", "visits": 5, "id": "a;b,c|d"},
    {"job": "Bäcker", "visits": 0, "id": "ü"},
]


def text(delimiter: str, *, header: bool = True) -> str:
    lines = ["job", "visits", "id"] * header, *([*row.values()] for row in ROWS)
    return "".join(
        delimiter.join(f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in line) + "\n"
        for line in lines
        if line
    )


def rows(data: Any, plan: nw.Plan | None = PLAN) -> list[dict[str, Any]]:
    reader = open_table(data, schema=None if plan is None else plan.schema)
    return pa.Table.from_batches(list(reader.batches()), reader.schema).to_pylist()


def names(data: Any) -> list[str]:
    return [one.field.name for one in nw.planning.draft_plan(data).proposals]


def written(folder: Path, content: bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t.csv.gz"])
def test_plans_and_releases_detect_the_same(
    delimiter: str, encoding: str, name: str, tmp_path: Path
) -> None:
    content = text(delimiter).encode(encoding)
    path = written(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)
    assert names(path) == ["job", "visits", "id"]
    assert rows(path) == ROWS


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-8", "cp500"])
@pytest.mark.parametrize("delimiter", ["#", ";", "\t"])
def test_what_is_said_is_used(delimiter: str, encoding: str, tmp_path: Path) -> None:
    path = written(tmp_path, text(delimiter).encode(encoding), "t.export")
    file = nw.CSV(path, delimiter=delimiter, encoding=encoding)
    assert names(file) == ["job", "visits", "id"]
    assert rows(file) == ROWS


def test_delimiters_between_quotes_separate_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, b'"a;b",c,"d\n|e"\n1,2,3\n')
    assert names(path) == ["a;b", "c", "d\n|e"]
    assert rows(path, None) == [{"a;b": "1", "c": "2", "d\n|e": "3"}]


@pytest.mark.parametrize("line", ["a,b;c", "a\tb|c", "name, first;age"])
def test_what_may_be_either_is_not_guessed(line: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{line}\n1,2;3\n".encode())
    for read in (names, rows):
        with pytest.raises(DataError, match="--delimiter") as problem:
            read(path)
        assert line not in str(problem.value)
    assert len(names(nw.CSV(path, delimiter="|"))) in (1, 2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("job;Bäcker\n".encode("latin-1"), "header .* is not UTF-8 text.*--encoding"),
        ("job,visits\n".encode("utf-16-le"), "holds zero bytes.*utf-16-le"),
        (b"\xff\xfejob", "header .* is not UTF-16 text"),
    ],
    ids=["latin-1", "UTF-16 without a mark", "cut off"],
)
def test_an_encoding_that_cannot_be_told_is_asked_for(
    content: bytes, said: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    for read in (names, rows):
        with pytest.raises(DataError, match=said):
            read(path)


def test_letters_of_another_encoding_further_down_are_named_by_row(tmp_path: Path) -> None:
    path = written(tmp_path, text(";").encode("latin-1"))
    with pytest.raises(DataError, match=r"column 1 .* is not UTF-8 text in row 2.*--encoding"):
        rows(path)
    broken = written(tmp_path, text(";").encode("utf-16")[:-1], "broken.csv")
    with pytest.raises(DataError, match=r"is not UTF-16 text"):
        rows(broken)


def test_a_file_without_a_header_has_the_names_of_the_plan_or_those_that_are_given(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, text(";", header=False).encode())
    assert rows(nw.CSV(path, header=False)) == ROWS
    given = nw.CSV(path, header=False, names=["x", "y", "z"])
    assert names(given) == ["x", "y", "z"]
    assert [list(row.values()) for row in rows(given, None)] == [
        ["nurse", "5", "a;b,c|d"],
        ["Bäcker", "0", "ü"],
    ]
    made = nw.release(nw.CSV(path, header=False), PLAN, ledger=None, out=tmp_path / "o.csv")
    assert made.table.num_rows == 2
    assert made.table.schema.names == ["job", "visits"]
    made = nw.synthesize(
        nw.CSV(path, header=False),
        PLAN,
        epsilon=9,
        ledger=None,
        method=nw.planning.Method("blr", rows=2),
    )
    assert made.table.schema.names == ["job", "visits"]


def test_rows_of_a_file_without_a_header_are_counted_from_one(tmp_path: Path) -> None:
    path = written(tmp_path, b"nurse,1,a\nnurse,2,b\nnurse,SECRET,c\n")
    with pytest.raises(DataError, match="in row 3") as problem:
        rows(nw.CSV(path, header=False))
    assert "SECRET" not in str(problem.value)
    path = written(tmp_path, b"nurse,1,a\nnurse,2,b\nnurse,3\n")
    with pytest.raises(DataError, match=r"row 3 .* has 2 cells"):
        rows(nw.CSV(path, header=False))


def test_names_are_asked_for_where_nobody_knows_them(tmp_path: Path) -> None:
    path = written(tmp_path, b"nurse,1,a\n")
    with pytest.raises(InputError, match=r"has no header; name its columns with --names"):
        names(nw.CSV(path, header=False))
    with pytest.raises(InputError, match=r"2 names are given, and the first line .* has 3 cells"):
        names(nw.CSV(path, header=False, names=["a", "b"]))
    with pytest.raises(InputError, match="distinct texts"):
        names(nw.CSV(path, header=False, names=["a", "b", "a"]))
    two = nw.Plan({"job": nw.Column(["nurse", "x"]), "visits": "drop"}, epsilon=1)
    with pytest.raises(InputError, match=r"2 columns are named in the plan, and .* 3 cells"):
        rows(nw.CSV(path, header=False), two)


def test_a_first_line_that_looks_like_a_record_is_still_refused(tmp_path: Path) -> None:
    path = written(tmp_path, b"nurse;7;a\nnurse;1;b\n")
    for file in (path, nw.CSV(path), nw.CSV(path, delimiter=";")):
        with pytest.raises(DataError, match="may be a record") as problem:
            nw.planning.draft_plan(file)
        assert "nurse" not in str(problem.value)
        with pytest.raises(DataError, match="may be a record"):
            nw.release(file, PLAN, ledger=None, out=tmp_path / "o.csv")
    assert names(nw.CSV(path, header=True)) == ["nurse", "7", "a"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"delimiter": ";;"},
        {"delimiter": '"'},
        {"delimiter": 7},
        {"encoding": "klingon"},
        {"encoding": 7},
        {"encoding": "base64"},
        {"header": "yes"},
        {"names": ["a"]},
        {"header": True, "names": ["a"]},
        {"header": False, "names": "abc"},
    ],
)
def test_a_file_cannot_be_read_in_ways_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        nw.CSV("t.csv", **wrong)


def test_a_quote_that_is_not_closed_is_found_in_any_encoding(tmp_path: Path) -> None:
    content = 'job;visits;id\nnurse;1;"a\nnurse;2;b\n'
    for encoding in ("utf-8", "utf-16"):
        with pytest.raises(DataError, match="a quote in line 2"):
            rows(written(tmp_path, content.encode(encoding)))


def test_no_option_shows_a_cell(tmp_path: Path) -> None:
    path = written(tmp_path, b"SECRET,SECRET\nSECRET,1\n")
    for file in (path, nw.CSV(path, delimiter=";"), nw.CSV(path, header=False)):
        with pytest.raises(NoisewrightError) as problem:
            nw.release(file, PLAN, ledger=None, out=tmp_path / "o.csv")
        assert "SECRET" not in str(problem.value)


def cells_of(path: Path, **options: Any) -> list[dict[str, Any]]:
    fields = {
        "a": Field(nw.Counts(9)),
        "b": Field(nw.Categories(["x", "y"]), null="x"),
        "c d": Field(nw.Categories(["z", ""])),
    }
    reader = open_table(nw.CSV(path, **options), schema=Schema(fields))
    return [row for batch in reader.batches() for row in batch.to_pylist()]


@pytest.mark.parametrize("delimiter", [",", ";", "|"])
@pytest.mark.parametrize("header", [True, False])
def test_a_space_after_each_delimiter_is_part_of_no_cell(
    tmp_path: Path, delimiter: str, header: bool
) -> None:
    lines = ["a, b, c d"] * header + ["1, x, z", "2,y,z", "3, , z", "4,, z"]
    path = tmp_path / "spaced.csv"
    path.write_text("\n".join(lines).replace(",", delimiter) + "\n")
    options: dict[str, Any] = {} if header else {"header": False, "names": ["a", "b", "c d"]}
    found = cells_of(path, **options)
    assert [tuple(row.values()) for row in found] == [
        (1, "x", "z"),
        (2, "y", "z"),
        (3, None, "z"),
        (4, None, "z"),
    ]
    path.write_text(path.read_text() + f"5{delimiter} y\n")
    with pytest.raises(DataError, match=r"row 5 of .* has 2 cells") as caught:
        cells_of(path, **options)
    assert caught.value.row == 4


def test_spaces_are_kept_where_not_every_delimiter_has_one(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("a, b,c d\n")
    with pytest.raises(InputError, match="'b'"):
        nw.Private(path, columns={"a": nw.Counts(9), "b": ["x"]}, ledger=None)
