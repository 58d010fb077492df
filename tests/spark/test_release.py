"""The whole job on Spark: ledger, certificate, recipe, folder, and back again."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.cli.app import run
from noisewright.errors import DataError, EntropyError, ParameterError, TargetError
from noisewright.sampling import SeededSource
from tests.cli.conftest import PROGRAM
from tests.docs.pages import ROOT, blocks
from tests.spark.cluster import environment
from tests.spark.tables import frame, plan
from tests.spark.trouble import disturbed


@pytest.fixture
def ledger(tmp_path: Path) -> nw.Ledger:
    made = nw.Ledger.create(tmp_path / "budget.db")
    made.grant("people", epsilon=10, why="test")
    return made


def test_a_dataframe_is_released_and_read_back(spark: Any, place: Path, ledger: nw.Ledger) -> None:
    out = place / "private.parquet"
    made = nw.release(frame(spark, 3_000, 3), plan(), out=out, ledger=ledger, dataset="people")
    assert made.rows == 3_000
    assert nw.check(made.files["certificate"])
    assert ledger.remaining("people") == nw.accounting.Guarantee(8, 0)
    assert ledger.history("people")[-1].kind == "released"
    assert {path.name for path in place.iterdir()} >= {
        "private.parquet",
        "private.certificate.json",
        "private.recipe.json",
    }
    assert not [path for path in place.iterdir() if path.name.startswith(".")]
    again = nw.results.Release.open(out)
    assert again.guarantee == made.guarantee
    assert again.table.num_rows == 3_000
    # 1,000 of 3,000 were cooks; beyond 8 standard errors once in 1e15 runs.
    cooks = again.estimate("job", about="people")["cook"]
    assert abs(cooks.value - 1 / 3) < 8 * cooks.standard_error
    assert spark.read.parquet(str(out)).count() == 3_000
    # The recipe is inside of the files, too.
    (place / "private.recipe.json").unlink()
    assert nw.results.Release.open(out).recipe.rows == 3_000


def test_a_draw_that_fails_wastes_the_spend_and_leaves_nothing(
    spark: Any, place: Path, ledger: nw.Ledger
) -> None:
    def always(attempt: int) -> None:
        if list(place.glob(".noisewright-*/.*/drawn")):
            raise RuntimeError("an upstream step failed")

    table = disturbed(frame(spark, 1_000, 2), always, partition=1)
    with pytest.raises(DataError, match="drawing"):
        nw.release(table, plan(), out=place / "p.parquet", ledger=ledger, dataset="people")
    assert list(place.iterdir()) == []
    assert ledger.history("people")[-1].kind == "wasted"


def test_a_bad_cell_costs_nothing(spark: Any, place: Path, ledger: nw.Ledger) -> None:
    table = frame(spark, 100, 2).selectExpr("id", "IF(id = 70, 'SECRET', job) AS job")
    with pytest.raises(nw.errors.OutsideSpaceError):
        nw.release(table, plan(), out=place / "p.parquet", ledger=ledger, dataset="people")
    assert list(place.iterdir()) == []
    assert ledger.remaining("people") == nw.accounting.Guarantee(10, 0)


def test_the_verb_starts_a_session_of_its_own(place: Path, tmp_path: Path) -> None:
    """Without a session, and without a word about the Python of the workers."""
    given, text = tmp_path / "survey.parquet", tmp_path / "plan.toml"
    pq.write_table(pa.table({"id": [0, 1, 2], "job": ["cook", "nurse", "smith"]}), given)
    plan().save(text)
    out = place / "private.parquet"
    words = ["release", str(given), "--plan", str(text), "-o", str(out), "--without-ledger"]
    fresh = {name: value for name, value in environment().items() if name != "PYSPARK_PYTHON"}
    done = subprocess.run(
        [PROGRAM, *words, "--engine", "spark", "--json"],
        env=fresh,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 3
    assert pq.read_table(out)["id"].to_pylist() == [0, 1, 2]


def test_the_guide_runs(spark: Any, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other guides run where Spark is not installed; this one is run here."""
    monkeypatch.chdir(place)
    found = [block.text for block in blocks(ROOT / "docs" / "how-to" / "spark.md")]
    dataframe, file = (text for text in found if "nw.release(" in text)
    names: dict[str, Any] = {}
    exec(dataframe, names)
    assert names["private"].count() == names["made"].rows == 40_000
    pq.write_table(names["made"].table, "survey.parquet")
    of = nw.Plan({"job": nw.Column(["nurse", "baker", "clerk"]), "visits": "drop"}, epsilon=1)
    of.save("plan.toml")
    nw.Ledger.open("budget.db").register("patients", "survey.parquet")
    (verb,) = (text for text in found if text.startswith("noisewright release"))
    assert run([*shlex.split(verb)[1:], "--overwrite"]) == 0
    over = 'out=nw.planning.Output("private.parquet", overwrite=True)'
    exec(file.replace('out="private.parquet"', over), names)
    assert names["made"].rows == 40_000


def test_what_spark_cannot_do_is_refused_at_once(spark: Any, place: Path) -> None:
    table = frame(spark, 10, 1)
    with pytest.raises(EntropyError, match="entropy from their own"):
        nw.release(table, plan(), out=place / "p.parquet", ledger=None, source=SeededSource(1))
    with pytest.raises(TargetError, match=r"ends in \.parquet"):
        nw.release(table, plan(), out=place / "p.csv", ledger=None)
    with pytest.raises(TargetError, match="missing"):
        nw.release(table, plan(), ledger=None)
    with pytest.raises(ParameterError, match="DataFrame of Spark"):
        nw.release(table, plan(), out=place / "p.parquet", ledger=None, engine="arrow")
    with pytest.raises(DataError, match="takes a DataFrame of Spark or a path"):
        nw.release(
            pa.table({"id": [1], "job": ["cook"]}),
            plan(),
            out=place / "p.parquet",
            ledger=None,
            engine="spark",
        )
    assert list(place.iterdir()) == []
