"""Stages on Spark and the attempts of their tasks: exactly one report of each task is taken.

Spark's scheduler accepts one result for each partition, the first one, however many attempts
finish; the numbers of the partitions are counted again here. Nothing in this relies on how Spark
commits files, which depends on settings, on the file system and on its version.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from noisewright import errors
from noisewright.engines.spark.session import worker_python
from noisewright.engines.spark.tasks import REPORT, Report, Task, Work
from noisewright.errors import DataError, EngineError, NoisewrightError, TargetError

_MODULE = "ModuleNotFoundError: No module named"


def reports_of(session: Any, frame: Any, work: Work, *, what: str) -> list[Report]:
    """Run the work on every partition; return the reports in the order of the partitions."""
    collected = rows_of(session, lambda: frame.mapInArrow(Task(work).__call__, REPORT), what=what)
    reports = sorted((json.loads(row[0]) for row in collected), key=lambda r: r["partition"])
    if [report["partition"] for report in reports] != list(range(len(reports))):
        raise EngineError(
            f"Spark returned the results of some tasks twice or not at all ({what}). Nothing was "
            "released. Please report this, with the version of Spark."
        )
    return reports


def rows_of(session: Any, make: Callable[[], Any], *, what: str) -> Any:
    """Return the rows of a small frame; what Spark says when it fails is not passed on."""
    try:
        with worker_python(session):
            return make().collect()
    except Exception as problem:
        failed = _spark_failed(problem, what)
    # Raised outside of the handler: what Spark says may quote rows.
    raise failed


def raise_first(reports: list[Report], *, name: str, is_global: bool) -> None:
    """Raise the error of the first partition that has one, as our own."""
    before = 0
    for report in reports:
        error = report.get("error")
        if error is None:
            before += report.get("rows", 0)
            continue
        where = ""
        row = error["row"]
        if row is not None and not is_global:
            where = (
                f" Rows are counted in partition {report['partition']} of {name}, which begins "
                f"after {before:,} rows of others."
            )
            row += before
        raise _as_ours(error, where, row)


def _as_ours(error: Report, where: str, row: int | None) -> NoisewrightError:
    kind = getattr(errors, error["kind"], None)
    if "message" in error and isinstance(kind, type) and issubclass(kind, NoisewrightError):
        failed = kind(error["message"] + where)
        for name, value in (("row", row), ("why", error["why"])):
            if hasattr(failed, name):
                setattr(failed, name, value)
        return failed
    if "path" in error:
        return TargetError(
            f"a worker cannot write or read {error['path']}: {error['message']}. Workers and this "
            "session must share the folder of the release, may write to it, and it must have "
            "room. Choose such a folder."
        )
    return EngineError(
        f"a task failed with {error['kind']} at {error.get('place')}. The message is left out, "
        "since it may show values. Nothing was released. Please report this."
    )


def _spark_failed(problem: Exception, what: str) -> NoisewrightError:
    text = str(problem)
    if _MODULE in text:
        missing = text.split(_MODULE, 1)[1].strip().split("\n")[0].strip(" '\"")
        return EngineError(
            f"the Python of Spark's workers cannot import {missing}. Install noisewright "
            "there, or set PYSPARK_PYTHON to a Python that has it, before Spark starts; the guide "
            "on Spark says how to send an environment along."
        )
    if "PYTHON_VERSION_MISMATCH" in text:
        return EngineError(
            "Spark's workers run another version of Python than this session. Set PYSPARK_PYTHON "
            "to the same version for both, before Spark starts."
        )
    condition = _condition(problem)
    return DataError(
        f"Spark could not compute the rows ({what}): {condition}. Its own message is left out, "
        "since it may show values. It is in Spark's logs, and appears when you run the DataFrame "
        "without noisewright, as in df.count()."
    )


def _condition(problem: Exception) -> str:
    """Return the name that Spark gives to an error, without its message."""
    try:
        named = problem.getCondition()  # pyright: ignore[reportAttributeAccessIssue]
    except Exception:
        named = None
    return str(named or type(problem).__name__)
