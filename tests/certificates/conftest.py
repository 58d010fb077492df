"""The stand-alone checker as one file, as people hand it around."""

from pathlib import Path

import pytest

from noisewright.cli.checker import make_archive


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checker") / "checker.pyz"
    path.write_bytes(make_archive())
    return path
