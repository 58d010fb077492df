"""Folders for ledgers: in memory where there are hundreds of commits and no fault to survive."""

import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.fixture
def folder() -> Generator[Path]:
    shared = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None))
    yield made
    shutil.rmtree(made)
