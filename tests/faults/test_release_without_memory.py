"""Releases that run out of memory: never a half file, a free release or a wrong reason."""

from pathlib import Path

import pyarrow as pa
import pytest

from noisewright.errors import DataError
from noisewright.tables.files.table_reader import attempt, unwritable
from tests.faults.release_runs import release_runs
from tests.faults.test_release_killed import asked, require_sound
from tests.releases.survey import make_survey

MEGABYTES = [24, 30, 36, 42, 48, 56, 66, 70, 72, 2_000]
"""From too little to read the file to plenty; in between, drawing or writing may fail."""


def test_at_every_limit_the_ledger_knows_what_is_out(tmp_path: Path) -> None:
    survey = make_survey(tmp_path, rows=100_000, epsilon=1_000)
    said = ""
    with release_runs() as runs:
        for limit in MEGABYTES:
            name = f"private{limit}.parquet"
            said = runs.limited(limit, **asked(survey, name))
            out = require_sound(survey, name)
            # Anything may fail, and Arrow may end the process; but no file is called damaged.
            assert "damaged" not in said
            assert out or said != "released"
    assert said == "released"


def test_a_lack_of_memory_is_not_called_a_damaged_file() -> None:
    def work() -> None:
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    with pytest.raises(DataError, match="not enough memory"):
        attempt(work, name="survey.csv", what="a CSV file")
    assert "not enough memory" in str(unwritable("private.csv", MemoryError()))
