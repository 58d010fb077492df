"""One cluster and one session for all tests on Spark. In an environment without PySpark: none."""

import importlib.util
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from noisewright.engines.spark.session import require_java
from noisewright.errors import MissingPartError

if importlib.util.find_spec("pyspark") is None:
    # `make spark`, which is part of `make test`, adds it to the environment and runs them.
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Generator[Any]:
    """A session on a cluster of a master and two workers."""
    from tests.spark import cluster

    try:
        require_java()
    except MissingPartError as problem:
        pytest.skip(f"needs: {problem}")
    with cluster.running(tmp_path_factory.mktemp("cluster")) as address:
        session = cluster.session(address)
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty folder for a release, so that what is left in it can be listed."""
    folder = tmp_path / "place"
    folder.mkdir()
    return folder
