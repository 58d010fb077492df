"""The process of one job: `python -m noisewright.studio.work JOB.json`. It runs the job once."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from noisewright import queries, releases
from noisewright.errors import NoisewrightError
from noisewright.ledger import Ledger
from noisewright.studio.failures import sentence_of
from noisewright.studio.folder import StudioFolder
from noisewright.studio.jobs import (
    DATABASE,
    LEDGER,
    hold,
    mark_of,
    now,
    read_job,
    spend_of,
    write_job,
)
from noisewright.studio.users import StudioUser
from noisewright.studio.work_requests import WorkRequest

_EVERY = 0.25
"""Seconds between two notes on progress."""

WORDS = {"check": "Checking rows", "draw": "Drawing noise", "fit": "Fitting", "page": "Report"}


def main(path: Path) -> None:
    """Run a job and write down how it ended, whatever happens."""
    with hold(path, wait=True):
        job = read_job(path)
        if job["state"] != "waiting":
            return
        job |= {"state": "running"}
        write_job(path, job)
        cautions: list[str] = []
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                made = carry_out(job, _reporter(path, job))
            cautions = [str(one.message) for one in caught if issubclass(one.category, UserWarning)]
            job |= {"state": "done", "result": made, "error": None}
        except BaseException as problem:
            job |= {"state": "failed", "error": sentence_of(problem)}
            if isinstance(problem, Exception):
                job |= {"error": f"{job['error']} {_debit_words(job)}".rstrip()}
            if not isinstance(problem, Exception):
                raise
        finally:
            job |= {"ended": now(), "progress": None, "cautions": cautions}
            write_job(path, job)


def _reporter(path: Path, job: dict[str, Any]) -> Callable[[str, int, int | None], None]:
    last = 0.0

    def report(step: str, done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last < _EVERY:
            return
        last = time.monotonic()
        shown = {"step": WORDS.get(step, step), "done": done, "total": total}
        write_job(path, job | {"progress": shown})

    return report


def carry_out(job: dict[str, Any], progress: Any) -> dict[str, Any]:
    """Do what a job asks for, as the verb of that name does; return the result as plain values."""
    request = WorkRequest.model_validate(job["request"])
    folder = StudioFolder.at(job["folder"], database=os.environ.get(DATABASE))
    table, plan = request.table.open(folder), folder.existing(request.plan)
    target = folder.target(request.output)
    user = StudioUser(job.get("user"))
    by = "" if user.name is None else f" by {user.name}"
    ledger = _ledger_of(job, user)
    what = f"{request.kind} {request.output}{by} ({mark_of(job['id'])})"
    if request.kind == "ask":
        people = queries.Private(table, columns=plan, ledger=ledger, dataset=request.dataset)
        question = people.sql(request.sql)
        with releases.answer_files(target, apart=[*request.table.paths(folder), plan]) as write:
            answer = question.release(
                epsilon=request.epsilon or "0",
                delta=request.delta or "0",
                what=what,
                progress=progress,
            )
            try:
                files = write(answer)
            except (OSError, NoisewrightError):
                # What was paid for is not lost with the disk: the job keeps it.
                files = {}
        files = {("data" if kind == "answer" else kind): path for kind, path in files.items()}
        return releases.plain_answer(answer, files)
    out = releases.Output(target, what=what)
    if request.kind == "synthesize":
        made = releases.synthesize(
            table,
            plan,
            epsilon=request.epsilon or None,
            delta=request.delta or None,
            out=out,
            ledger=ledger,
            dataset=request.dataset,
            progress=progress,
        )
        return releases.plain_result(made) | {
            "how": made.how,
            "expected_error": made.expected_error,
            "workload_error": made.workload_error,
        }
    copy = releases.release(
        table, plan, out=out, ledger=ledger, dataset=request.dataset, progress=progress
    )
    return releases.plain_result(copy) | {"order": copy.plan.order, "columns": _estimates(copy)}


def _ledger_of(job: dict[str, Any], user: StudioUser) -> Ledger | None:
    """Open the ledger that pays, in the name of the user; None if nothing is debited."""
    named: str | None = job["ledger"]
    return None if named is None else Ledger.open(os.environ.get(LEDGER, named), who=user.author)


def _debit_words(job: dict[str, Any]) -> str:
    """Say what the budget lost to a job that failed."""
    named: str | None = job["ledger"]
    if named is None:
        return ""
    try:
        found = spend_of(job, os.environ.get(LEDGER, named))
    except NoisewrightError as problem:
        return f"Whether anything was debited is not known: {problem}"
    if found is None:
        return "Nothing was debited."
    return f"Entry {found[0].sequence} of the ledger ({found[0].amount_text}) remains spent."


def _estimates(made: Any) -> list[dict[str, Any]]:
    """Return what the usual estimates from a private copy say, as far as there are any."""
    try:
        found = made.estimate()
    except NoisewrightError:
        return []
    return [{"words": line} for line in repr(found).splitlines()[:200]]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
