"""Finding or starting Spark: the caller's session, Java, and the Python of the workers."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Generator
from typing import Any

from noisewright.errors import MissingPartError

_LEAST_JAVA = 17
_WORKER = "PYSPARK_PYTHON"
_SETTING = "spark.pyspark.python"


def load_pyspark() -> Any:
    """Return pyspark, or say what to install."""
    try:
        # Pyright is run where PySpark is not installed, too.
        import pyspark  # pyright: ignore[reportMissingImports]
        import pyspark.sql  # pyright: ignore[reportMissingImports, reportUnusedImport]
    except ImportError:
        raise MissingPartError(
            "engine='spark' runs on PySpark, which is not installed: "
            "pip install 'noisewright[spark]'. It also needs Java 17 or newer."
        ) from None
    return pyspark


def is_spark_frame(data: Any) -> bool:
    """Tell whether something is a DataFrame of Spark, without loading Spark."""
    module = type(data).__module__
    return module.startswith("pyspark.sql.") and hasattr(data, "mapInArrow")


def active_session() -> Any:
    """Return the caller's session, or start one on this machine.

    Ensures: a session that exists is used as it is. One that is started uses all cores of this
    machine, listens on the loopback only, has no web page, and logs errors only.
    """
    spark = load_pyspark().sql.SparkSession
    with _quiet():
        found = spark.getActiveSession()
        if found is not None:
            return found
        require_java()
        os.environ.setdefault(_WORKER, sys.executable)
        builder: Any = spark.builder
        plain = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        }
        for name, value in plain.items():
            builder = builder.config(name, value)
        started = builder.master("local[*]").appName("noisewright").getOrCreate()
        started.sparkContext.setLogLevel("ERROR")
        return started


def require_java() -> None:
    """Refuse to go on without a Java that Spark can run on; say what to install."""
    home = os.environ.get("JAVA_HOME")
    command = os.path.join(home, "bin", "java") if home else shutil.which("java")
    found = _java_version(command) if command else None
    if found is not None and found >= _LEAST_JAVA:
        return
    has = "no Java was found" if found is None else f"the Java that was found is version {found}"
    raise MissingPartError(
        f"Spark runs on Java {_LEAST_JAVA} or newer; {has}. On Debian or Ubuntu: apt-get install "
        "openjdk-17-jre-headless. Elsewhere, install Java and set JAVA_HOME to its folder. "
        "Without Spark, use engine='arrow'."
    )


def _java_version(command: str) -> int | None:
    try:
        done = subprocess.run([command, "-version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found else None


@contextlib.contextmanager
def worker_python(session: Any) -> Generator[None]:
    """Make workers run this Python, unless the caller has chosen one.

    PySpark looks for it when a session starts and falls back to any python3 of the path, which
    may be another one, without our code. Only functions made inside of the block are concerned.
    """
    context = _context(session)
    with _quiet():
        if context is None or _WORKER in os.environ or context.getConf().contains(_SETTING):
            yield
            return
        before = context.pythonExec
        context.pythonExec = sys.executable
        try:
            yield
        finally:
            context.pythonExec = before


def _context(session: Any) -> Any:
    """Return the context of a session; a session of Spark Connect has none."""
    try:
        return session.sparkContext
    except Exception:
        return None


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Silence what PySpark says about pandas, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        yield
