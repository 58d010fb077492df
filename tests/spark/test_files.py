"""Tables in files: the same rows, in the same order, with the same errors as without Spark."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.engines import embedded, open_spark
from noisewright.engines.batches import Randomizer
from noisewright.engines.spark import files
from noisewright.errors import NoisewrightError
from noisewright.tables import open_table
from noisewright.tables.files.writing import MemoryWriter
from tests.engines.conformance import certain
from tests.spark.tables import released

ROWS = 5_000
TABLE = pa.table(
    {
        "id": np.arange(ROWS),
        "job": pa.array([["cook", "nurse"][i % 2] for i in range(ROWS)]).dictionary_encode(),
        "age": pa.array(np.arange(ROWS) % 90, pa.uint8()),
    }
)
PLAN = certain(
    id="public",
    job=nw.Column(["nurse", "cook"]),
    age=nw.Column(nw.Counts(99), mechanism="response"),
)


@pytest.fixture(params=["file.parquet", "folder", "file.csv"])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    if request.param == "file.csv":
        arrow_csv.write_csv(TABLE, path)
    elif request.param == "folder":
        path.mkdir()
        # The last by name is the largest: Spark itself would read it first.
        for name, start, stop in (("a", 0, 100), ("b", 100, 1_000), ("c", 1_000, ROWS)):
            pq.write_table(TABLE.slice(start, stop - start), path / f"{name}.parquet")
    else:
        pq.write_table(TABLE, path, row_group_size=700)
    return path


def test_a_path_means_what_it_means_without_spark(
    spark: Any, given: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_PIECE", 1_000)
    found = released(given, PLAN, place / "out")
    reader = open_table(given, schema=PLAN.schema)
    alone = MemoryWriter(Randomizer(PLAN).schema(reader.schema))
    embedded.run(reader, PLAN, alone)
    assert found.schema.equals(alone.table.schema)
    assert found.to_pydict() == alone.table.to_pydict()


def test_people_in_files_are_brought_together(spark: Any, tmp_path: Path, place: Path) -> None:
    given = tmp_path / "file.parquet"
    pq.write_table(TABLE.append_column("who", pa.array(np.arange(ROWS) % 40)), given)
    of = nw.Plan(
        dict(PLAN.columns),
        epsilon=4 * 800,
        person=nw.Person("who", rows=2, keep="first"),
    )
    found = released(given, of, place / "out")
    assert found.to_pydict() == TABLE.slice(0, 80).to_pydict()


def test_errors_name_the_row_of_the_file(spark: Any, tmp_path: Path) -> None:
    given = tmp_path / "folder"
    given.mkdir()
    pq.write_table(TABLE.slice(0, 900), given / "a.parquet")
    pq.write_table(TABLE.slice(900), given / "b.parquet")
    narrow = certain(id="public", job=nw.Column(["nurse", "cook"]), age=nw.Column(nw.Counts(88)))
    pq.write_table(TABLE.slice(0, 50), given / "a.parquet")
    with pytest.raises(NoisewrightError) as alone:
        embedded.check(open_table(given), narrow)
    with pytest.raises(NoisewrightError) as caught:
        open_spark(given, narrow).check()
    assert type(caught.value) is type(alone.value)
    assert str(caught.value) == str(alone.value)


def test_a_damaged_file_is_named(spark: Any, tmp_path: Path) -> None:
    given = tmp_path / "file.parquet"
    pq.write_table(TABLE, given, write_page_checksum=True)
    content = bytearray(given.read_bytes())
    content[2_000:2_200] = bytes(200)
    given.write_bytes(content)
    with pytest.raises(NoisewrightError) as alone:
        embedded.check(open_table(given), PLAN)
    with pytest.raises(NoisewrightError) as caught:
        open_spark(given, PLAN).check()
    assert type(caught.value) is type(alone.value)
