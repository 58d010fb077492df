"""Many tables as one: every answer a row, in every format."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import noisewright as nw
from noisewright.errors import InputError
from noisewright.releases.released import estimates_of

PLAN = nw.Plan(
    {"low": nw.Column([True, False]), "b": nw.Column(nw.Counts(2)), "ward": "public"}, epsilon=4
)
TABLE = pa.table({"low": [True, False] * 50, "b": [0, 1, 2, 2] * 25, "ward": [7, None] * 50})
FOUND: Any = estimates_of(PLAN, TABLE, ["low", ("ward", "low"), ("ward", "b", "low")])


def test_one_row_for_each_answer() -> None:
    rows = FOUND.rows()
    assert len(rows) == 2 + 4 + 12
    assert list(rows[0]) == [
        "table",
        "what",
        "label_1",
        "label_2",
        "label_3",
        "value",
        "standard_error",
        "low",
        "high",
        "people",
        "of_people",
        "about",
        "method",
        "confidence",
    ]
    one = rows[2 + 1]
    cell = FOUND["ward", "low"][7, False]
    assert (one["table"], one["label_1"], one["label_2"]) == ("ward × low", 7, False)
    assert one["value"] == cell.value
    assert (one["low"], one["high"]) == cell.interval
    assert one["of_people"] == cell.people == 50
    assert one["people"] == pytest.approx(50 * cell.value)
    assert FOUND["low"][True].value == rows[0]["value"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather"])
def test_files_hold_the_rows(tmp_path: Path, suffix: str) -> None:
    path = FOUND.save(tmp_path / f"tables{suffix}")
    read = {
        ".csv": pyarrow.csv.read_csv,
        ".parquet": pyarrow.parquet.read_table,
        ".feather": pyarrow.feather.read_table,
    }[suffix]
    back = read(str(path)).to_pylist()
    assert len(back) == len(FOUND.rows())
    for one, row in zip(back, FOUND.rows(), strict=True):
        assert one["value"] == pytest.approx(row["value"])
        assert one["table"] == row["table"]


def test_json_holds_the_tables(tmp_path: Path) -> None:
    path = FOUND.save(tmp_path / "tables.json")
    document = json.loads(path.read_text())
    assert [table["table"] for table in document["tables"]] == [
        "low",
        "ward × low",
        "ward × b × low",
    ]
    assert document["tables"][0]["columns"]["low (label)"] == [True, False]
    assert document["tables"][1]["columns"]["ward"] == [7, 7, None, None]
    assert document["tables"][1]["people"] == 100


def test_other_names_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.csv, \.json"):
        FOUND.save(tmp_path / "tables.xlsx")
    with pytest.raises(InputError, match="Choose a folder"):
        FOUND.save(tmp_path / "nowhere" / "tables.csv")


def test_it_shows_all_tables_and_notes() -> None:
    text = repr(FOUND)
    assert "ward × b × low: share" in text
    assert "Shares are those within each public group" in text
