"""Folders of Parquet files in partitions: what a folder is called is a column."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import DataError, OutsideSpaceError
from noisewright.tables import open_table

TABLE = pa.table(
    {
        "job": ["nurse", "baker", "nurse", "baker"],
        "year": [2023, 2023, 2024, 2024],
        "region": ["north west", "a/b", None, "north west"],
    }
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    pq.write_to_dataset(TABLE, path, partition_cols=["year", "region"])
    (path / "_SUCCESS").touch()
    return path


def rows(data: Any, plan: nw.Plan | None = None) -> list[dict[str, Any]]:
    reader = open_table(data, schema=None if plan is None else plan.schema)
    assert reader.rows == TABLE.num_rows
    found = pa.Table.from_batches(list(reader.batches())).to_pylist()
    return sorted(found, key=str)


def test_partitions_are_columns_of_texts(folder: Path) -> None:
    expected = [{**row, "year": str(row["year"])} for row in TABLE.to_pylist()]
    assert rows(folder) == sorted(expected, key=str)
    only = open_table(folder).batches(["year"])
    assert (
        sorted(pa.Table.from_batches(list(only))["year"].to_pylist()) == ["2023"] * 2 + ["2024"] * 2
    )


def test_declared_spaces_say_what_they_are(folder: Path, tmp_path: Path) -> None:
    plan = nw.Plan(
        {
            "job": nw.Column(["nurse", "baker"]),
            "year": nw.Column(nw.Interval(2020, 2030, step=1)),
            "region": "public",
        },
        epsilon=100,
    )
    found = rows(folder, plan)
    assert {row["year"] for row in found} == {2023.0, 2024.0}
    out = nw.planning.Output(tmp_path / "o.parquet", report=False)
    made = nw.release(folder, plan, ledger=None, out=out)
    assert made.table.num_rows == 4
    assert sorted(made.table["region"].to_pylist(), key=str) == sorted(
        TABLE["region"].to_pylist(), key=str
    )
    dates = nw.Plan(
        {"job": "drop", "year": nw.Column(nw.Dates("2020", "2030", step="year")), "region": "drop"},
        epsilon=1,
    )
    assert {row["year"].year for row in rows(folder, dates)} == {2023, 2024}


def test_values_that_are_not_declared_are_not_shown(folder: Path) -> None:
    plan = nw.Plan({"year": nw.Column([1999, 2000])}, epsilon=1, others="drop")
    with pytest.raises(OutsideSpaceError, match="'year' at row 1") as refused:
        list(open_table(folder, schema=plan.schema).batches(["year"]))
    assert "2023" not in str(refused.value)


def test_a_draft_sees_names_only(folder: Path) -> None:
    draft = nw.planning.draft_plan(folder)
    assert [one.field.name for one in draft.proposals] == ["job", "year", "region"]
    text = draft.to_toml()
    assert "2023" not in text
    assert "north" not in text


def test_other_folders_are_still_refused(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    with pytest.raises(DataError, match="holds another folder, elsewhere"):
        open_table(folder)


def test_a_column_is_stored_once(tmp_path: Path) -> None:
    inside = tmp_path / "t" / "job=nurse"
    inside.mkdir(parents=True)
    pq.write_table(TABLE, inside / "0.parquet")
    with pytest.raises(DataError, match="have the same name"):
        open_table(tmp_path / "t")
    (tmp_path / "t" / "x=1").mkdir()
    pq.write_table(TABLE, tmp_path / "t" / "x=1" / "0.parquet")
    inside.joinpath("0.parquet").unlink()
    pq.write_table(TABLE.drop_columns("job"), inside / "0.parquet")
    with pytest.raises(DataError, match="has other columns"):
        open_table(tmp_path / "t")


def _damage(file: Path) -> None:
    file.write_bytes(b"PAR1junk")


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _other_columns(file: Path) -> None:
    pq.write_table(TABLE.select(["job"]).append_column("more", TABLE["job"]), file)


def _same_column(file: Path) -> None:
    pq.write_table(TABLE.select(["job", "year"]), file)


def _note(file: Path) -> None:
    file.with_name("note.txt").touch()


def _folder(file: Path) -> None:
    file.with_name("inside").mkdir()


@pytest.mark.parametrize(
    "spoil",
    [_damage, _empty, _other_columns, _same_column, _note, _folder],
    ids=lambda f: f.__name__,
)
def test_no_error_shows_the_value_of_a_partition(folder: Path, spoil: Any) -> None:
    file = sorted(folder.rglob("year=2024/region=north*/*.parquet"))[0]
    spoil(file)
    with pytest.raises(DataError, match=r"year=…/region=…") as refused:
        open_table(folder)
    message = str(refused.value).replace(str(folder), "")
    assert "2024" not in message
    assert "north" not in message
