"""Releases that are folders of Parquet files, as engines on a cluster write them."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import ReleaseError, TargetError
from noisewright.releases.files.staging import staging_beside
from noisewright.releases.files.target import TargetFiles
from noisewright.releases.released import file_digest
from tests.releases.survey import PLAN, Survey


@pytest.fixture
def folder(survey: Survey) -> Path:
    """A release that was written as two files and two notes of the engine."""
    made = nw.release(survey.table(), PLAN, ledger=None)
    path = survey.folder / "private.parquet"
    path.mkdir()
    table, inside = made.table, made.recipe
    pq.write_table(table.slice(0, 300), path / "part-00000.parquet")
    pq.write_table(table.slice(300), path / "part-00001.parquet")
    (path / "_SUCCESS").touch()
    beside = inside.for_file(path.name, file_digest(path))
    (survey.folder / "private.recipe.json").write_text(beside.to_json(), encoding="utf-8")
    return path


def drop_a_part(path: Path) -> None:
    (path / "part-00001.parquet").unlink()


def swap_the_parts(path: Path) -> None:
    (path / "part-00001.parquet").rename(path / "a")
    (path / "part-00000.parquet").rename(path / "part-00001.parquet")
    (path / "a").rename(path / "part-00000.parquet")


def add_a_part(path: Path) -> None:
    pq.write_table(pq.read_table(path / "part-00001.parquet"), path / "part-00002.parquet")


@pytest.mark.parametrize("change", [drop_a_part, swap_the_parts, add_a_part])
def test_a_folder_reads_back_and_a_changed_one_is_noticed(
    folder: Path, change: Callable[[Path], None]
) -> None:
    assert nw.results.Release.open(folder).table.num_rows == 500
    change(folder)
    with pytest.raises(ReleaseError, match="SHA-256 differ"):
        nw.results.Release.open(folder)


def test_the_files_of_a_folder_are_enough(folder: Path) -> None:
    (folder.parent / "private.recipe.json").unlink()
    assert nw.results.Release.open(folder).rows == 500
    add_a_part(folder)
    with pytest.raises(ReleaseError, match="has 700 rows, and 500 were released"):
        nw.results.Release.open(folder)
    pq.write_table(pa.table({"job": ["nurse"]}), folder / "part-00003.parquet")
    with pytest.raises(ReleaseError, match="has no recipe"):
        nw.results.Release.open(folder)


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    target = TargetFiles.at(tmp_path / "private.parquet")
    target.data.mkdir()
    (target.data / "old").touch()
    with pytest.raises(TargetError, match="exists already"):
        target.require_free(overwrite=False, is_folder=True)
    target.require_free(overwrite=True, is_folder=True)
    with staging_beside(target.data) as staging:
        staging.path("private.parquet").mkdir()
        (staging.path("private.parquet") / "new").touch()
        staging.write("private.recipe.json", b"{}")
        staging.publish("private.recipe.json", "private.parquet")
    assert [path.name for path in target.data.iterdir()] == ["new"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "private.parquet",
        "private.recipe.json",
    ]


def test_a_file_is_not_replaced_by_a_folder(tmp_path: Path) -> None:
    target = TargetFiles.at(tmp_path / "private.parquet")
    target.data.touch()
    with pytest.raises(TargetError, match="is a file"):
        target.require_free(overwrite=True, is_folder=True)
