"""A survey in a folder of its own."""

from pathlib import Path

import pytest

from tests.releases.survey import Survey, make_survey


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return make_survey(tmp_path)
