"""The released file and its recipe are all that an analyst needs."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, ReleaseError
from tests.releases.survey import JOBS, PLAN, Survey, records


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv"])
def test_file_and_recipe_in_an_empty_folder_are_enough(
    survey: Survey, tmp_path_factory: pytest.TempPathFactory, suffix: str
) -> None:
    made = nw.release(
        survey.csv,
        PLAN,
        out=nw.planning.Output(survey.folder / f"private{suffix}", report=False),
        ledger=None,
    )
    elsewhere = tmp_path_factory.mktemp("analyst")
    for kind in ("data", "recipe"):
        shutil.copy(made.files[kind], elsewhere)
    found = nw.results.Release.open(elsewhere / f"private{suffix}").estimate(about="people")
    assert list(found) == ["job", "visits", "mean of visits", "quantiles of visits", "region"]
    assert list(found["job"].axes[0].labels) == [*JOBS, "not said"]
    here = made.estimate(about="people")
    for key in found:
        assert (found[key].values == here[key].values).all()
    truth = records(survey.rows)
    for job in JOBS:
        share = sum(row["job"] == job for row in truth) / len(truth)
        # Six errors: a false alarm in 5e8 runs for each of three jobs.
        assert abs(found["job"][job].value - share) <= 6 * found["job"][job].standard_error
    for region in ("north", "south"):
        count = sum(row["region"] == region for row in truth)
        assert found["region"].counts[region].value == pytest.approx(count)


def test_parquet_alone_is_enough(survey: Survey, tmp_path: Path) -> None:
    made = nw.release(
        survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=None
    )
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(survey.out, alone)
    found = nw.results.Release.open(alone / survey.out.name).estimate(("region", "job"))
    assert (found.values == made.estimate(("region", "job")).values).all()


def test_a_release_in_memory_is_estimated_as_well(survey: Survey) -> None:
    made = nw.release(survey.table(), PLAN, ledger=None)
    found = made.estimate("visits", question="mean")
    part = next(part for part in PLAN.parts if part.name == "visits")
    alone = nw.estimate(made.table.column("visits"), part.mechanism, of="mean")
    assert found.value == pytest.approx(alone.value)
    assert made.estimate(["job", ("job", "visits")])["job", "visits"].values.shape == (4, 10)


def test_errors_of_many_releases_are_those_that_each_of_them_states() -> None:
    """60 seeded releases; the ratio of the root mean squares is 9% off at most for one answer."""
    raw = pa.table({"job": JOBS * 400, "visits": [0, 1, 2, 9] * 300, "region": ["north"] * 1_200})
    raw = raw.append_column("name", pa.array(["x"] * 1_200))
    source = nw.randomness.SeededSource(11)
    actual, stated = [], []
    for _ in range(60):
        found = nw.release(raw, PLAN, ledger=None, source=source).estimate("job", about="people")
        actual.append(found.values - np.array([1 / 3, 1 / 3, 1 / 3, 0]))
        stated.append(found.standard_errors)
    ratio = np.sqrt(np.mean(np.square(actual)) / np.mean(np.square(stated)))
    assert ratio == pytest.approx(1, abs=0.15)


def test_rows_that_are_missing_since_are_noticed(survey: Survey) -> None:
    made = nw.release(survey.table(), PLAN, ledger=None)
    shorter = nw.results.Release(made.plan, made.recipe, _kept=made.table.slice(1))
    with pytest.raises(ReleaseError, match="has 499 rows, and 500 were released"):
        shorter.estimate("job")


def test_unknown_columns_are_named_with_those_that_exist(survey: Survey) -> None:
    made = nw.release(survey.table(), PLAN, ledger=None)
    with pytest.raises(
        InputError, match="'name'; a table is made of different columns among 'job'"
    ):
        made.estimate("name")
