"""What tasks do on their own: draw from their own entropy, and say what is wrong without values."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.engines import open_spark
from noisewright.engines.spark.session import require_java, worker_python
from noisewright.errors import DataError, EngineError, MissingPartError, OutsideSpaceError
from tests.spark.tables import frame, plan
from tests.spark.trouble import disturbed, is_drawing, wait_for


def test_no_two_tasks_share_a_stream(spark: Any) -> None:
    """Workers are forked from a process that has drawn already (see cluster.SETTINGS)."""

    def drawn(batches: Iterator[Any]) -> Iterator[Any]:
        from noisewright.sampling import default_source

        for _ in batches:
            pass
        words = [str(word) for word in default_source().words(8).tolist()]
        yield pa.RecordBatch.from_pydict({"word": words, "process": [str(os.getpid())] * 8})

    rows = spark.range(0, 24, 1, 24).mapInArrow(drawn, "word string, process string").collect()
    assert len({row.process for row in rows}) > 1
    assert len({row.word for row in rows}) == len(rows) == 24 * 8


def test_the_row_of_a_bad_cell_is_counted_through_the_partitions(spark: Any) -> None:
    table = frame(spark, 3_000, 3).selectExpr("id", "IF(id = 2016, 'SECRET', job) AS job")
    with pytest.raises(OutsideSpaceError) as caught:
        open_spark(table, plan()).check()
    problem = caught.value
    assert problem.row == 2016
    assert "'job'" in str(problem)
    assert "at row 17 " in str(problem)
    assert "partition 2 of the DataFrame, which begins after 2,000 rows" in str(problem)
    assert "SECRET" not in str(problem)
    assert problem.__cause__ is problem.__context__ is None


def test_what_fails_upstream_is_named_without_its_message(spark: Any) -> None:
    table = frame(spark, 10, 2).selectExpr("id", "CAST(CAST(concat(job, id) AS INT) AS STRING) job")
    with pytest.raises(DataError) as caught:
        open_spark(table, plan()).check()
    assert "CAST_INVALID_INPUT" in str(caught.value)
    assert "cook" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_a_worker_without_our_parts_is_named(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path)], check=True)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(tmp_path / "bin" / "python"))
    with pytest.raises(EngineError, match=r"cannot import \w+\. .* PYSPARK_PYTHON"):
        open_spark(frame(spark, 10, 1), plan()).check()


def test_workers_run_this_python_unless_one_was_chosen(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "python3")
    with worker_python(spark):
        assert spark.sparkContext.pythonExec == "python3", "PYSPARK_PYTHON is set"
    monkeypatch.delenv("PYSPARK_PYTHON")
    with worker_python(spark):
        assert spark.sparkContext.pythonExec == sys.executable
    assert spark.sparkContext.pythonExec == "python3"


def test_a_missing_java_is_named_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPartError, match="apt-get install openjdk-17-jre-headless"):
        require_java()
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    with pytest.raises(MissingPartError, match="version 11"):
        require_java()


def test_an_empty_table_is_refused(spark: Any) -> None:
    with pytest.raises(DataError, match="no rows"):
        open_spark(frame(spark, 10, 2).where("id < 0"), plan()).check()


def test_names_that_sql_would_misread(spark: Any, place: Path) -> None:
    table = spark.createDataFrame([(1, "a"), (0, "b")], ["a.b", "it's `quoted`"])
    of = nw.Plan({"a.b": nw.Column(nw.Counts(1)), "it's `quoted`": "public"}, epsilon=1)
    checked = open_spark(table, of).check()
    checked.draw(place / "out")
    assert checked.schema.names == ["a.b", "it's `quoted`"]


def test_ctrl_c_leaves_nothing(spark: Any, place: Path, tmp_path: Path) -> None:
    """Nor can tasks that are still running leave anything: their folder is gone."""
    begun = tmp_path / "begun"

    def waits(attempt: int) -> None:
        if is_drawing(place):
            begun.touch()
            wait_for(tmp_path / "never")

    checked = open_spark(disturbed(frame(spark, 100, 2), waits, partition=1), plan()).check()
    main = threading.main_thread().ident
    assert main is not None

    def press() -> None:
        wait_for(begun)
        signal.pthread_kill(main, signal.SIGINT)

    pressed = threading.Thread(target=press)
    pressed.start()
    with pytest.raises(KeyboardInterrupt):
        checked.draw(place / "out")
    pressed.join()
    assert list(place.iterdir()) == []
