"""Make a synthetic table: from data, declared columns and ledger to rows that belong to nobody.

The order of work is that of a release: everything that can fail without spending fails before the
debit, no noise is drawn before it, and files get their names at the end, the table last.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from noisewright.errors import TargetError
from noisewright.exact import Number
from noisewright.ledger import Ledger
from noisewright.public import public
from noisewright.releases.accounting import Payer
from noisewright.releases.drawing import require_space
from noisewright.releases.files.staging import Staging, staging_beside
from noisewright.releases.files.target import TargetFiles
from noisewright.releases.inputs import Snapshot, local_paths, repeatable
from noisewright.releases.payment import Payment, paid
from noisewright.releases.released import file_digest
from noisewright.releases.request import Request
from noisewright.releases.synthesis.declared import Columns, Declared
from noisewright.releases.synthesis.result import Synthesis
from noisewright.releases.synthesis.task import SynthesisTask, budget_for, declaring_plan
from noisewright.releases.synthesis_report import with_synthesis_report
from noisewright.sampling import Source
from noisewright.synthetic import BINS, INFERENCE, Inference, Progress, Tallies, Workload
from noisewright.tables import open_writer, require_format

EVALUATION = "evaluation-NOT-FOR-RELEASE.json"
_KEY = "noisewright.synthetic"


@public
def synthesize(
    data: Any,
    plan: Any = None,
    *,
    ledger: Ledger | str | os.PathLike[str] | None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    method: Literal["mst", "mwem", "blr"] = "mst",
    workload: Workload | str | os.PathLike[str] | int | list[int] | None = None,
    inference: Inference = INFERENCE,
    rows: int | None = None,
    rounds: int | None = None,
    bins: int | None = BINS,
    out: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    what: str = "",
    overwrite: bool = False,
    evaluation: bool = False,
    report: bool = True,
    header: bool = False,
    progress: Progress | None = None,
    source: Source | None = None,
) -> Synthesis:
    """Make a synthetic table that answers a workload about as the data does, and account for it.

    `data` is a CSV, Parquet or Feather file, a folder of Parquet files, an Arrow table, a data
    frame of pandas or Polars, a mapping of columns, or a list of records. `plan` declares what its
    columns hold: a Plan or the path of one, or a mapping from names to spaces, lists of labels or
    Columns; what it says about mechanisms is not used. Left out, the domain of the workload says
    it. `epsilon` and `delta` are what each person gives away; left out, they are the plan's.
    `ledger`, `dataset`, `what` and `header` are as in `release`; the whole run is debited once,
    before any noise is drawn. ledger=None must be passed explicitly and means that nobody accounts.

    `method`: "mst" counts columns, chooses pairs in private, counts these and draws rows from a
    model that fits all counts; "mwem" chooses and counts in `rounds`; "blr" draws from all small
    tables, see `blr`. `workload` says which counting queries should be answered well: a Workload,
    the path of one, or a whole number k for all k-way marginals, or several such as [1, 2]; left
    out, 2. `inference`: "graph" allows cycles of columns, as far as the noise is worth it; "tree"
    counts fewer pairs and is a little faster. "mwem" keeps a weight for each point of the domain,
    up to a million, and beyond that a graph, for whole marginals. `rows` is the size of the table,
    that of the data if left out (for "blr" what can be listed). With `out` the table is written
    there, all else beside it as JSON, and, unless `report` is false, a page about it that reads by
    itself.

    A number on a grid of more than `bins` points (Interval or Counts) is counted with other columns
    in at most so many bins of equally many points, and by itself point by point; rows have points
    of the declared grid. bins=None counts every point as it is.

    `evaluation=True` also compares the table with the raw data. That is NOT private: it is for the
    eyes of those who may see the data, and not for release.

    The result has a certificate, made before the debit; `check` proves it again.

    Requires: one row for each person, or a plan that says whose a row is and how many of each
    person count; the number of rows, and of each person's that count, is public.
    Ensures: (ε, δ)-private when all rows of one person are replaced. With delta=0 noise is
    two-sided geometric and parts of ε add up. Else it is rounded normal noise, parts of ρ add up,
    and (ε, δ) is proven to follow; or geometric all the same, without any δ, where that is expected
    to make smaller errors, as with few columns. The parts add up to the whole exactly. All noise is
    exact.
    """
    data = repeatable(data)
    plan = declaring_plan(plan, workload)
    columns = Columns.of(plan)
    asked, budget = columns.workload(workload), budget_for(plan, columns, epsilon, delta)
    task = SynthesisTask(columns.domain, asked, budget, method, rows, rounds, bins, inference)
    read = Declared.of(data, columns, header=header)
    task.require_possible()
    task = task.with_better_noise()
    request = Request(read, task, what, evaluation, progress, source)
    path = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    snapshot = Snapshot.of(data)
    if out is None:
        payer = request.payer(ledger, data, dataset, shown=path)
        counted = request.counted()
        steps = request.task.synthesizer(counted.rows)
        proof = steps.schedule.certificate
        snapshot.require_same(meanwhile="Nothing was spent.")
        with paid(payer, proof, what=request.words("a table in memory")) as payment:
            made = request.draw(counted, steps, proof)
        return _accounted(made, payer, payment)
    target = TargetFiles.at(out)
    target.require_apart(local_paths(path, plan, ledger, workload))
    require_format(target.name)
    with staging_beside(target.data) as staging, staging.writing(target.data):
        _require_free(target, overwrite=overwrite)
        payer = request.payer(ledger, data, dataset, shown=path)
        counted = request.counted()
        snapshot.require_same(meanwhile="Nothing was spent.")
        made = _to_files(request, counted, payer, target, staging)
    return with_synthesis_report(made, target.report) if report else made


def _to_files(
    request: Request, counted: Tallies, payer: Payer | None, target: TargetFiles, staging: Staging
) -> Synthesis:
    staged, side = staging.path(target.name), target.synthesis
    rows = request.task.rows(counted.rows)
    spaces = [space for _, space in request.task.domain.columns]
    require_space(target.data.parent, spaces, spaces, rows, name=target.name)
    # Also finds what these rows make impossible, which must not be found after the debit.
    steps = request.task.synthesizer(counted.rows)
    proof = steps.schedule.certificate
    marked = "" if request.is_private else "NOT PRIVATE (a seeded test): "
    said = f"{marked}{request.task.method}, {request.task.budget.guarantee}"
    with ExitStack() as outer:
        # Opened before the debit: what cannot be written at all costs nothing.
        writer = outer.enter_context(
            open_writer(staged, request.read.schema, metadata={_KEY: said})
        )
        with paid(payer, proof, what=request.words(target.name)) as payment:
            with outer.pop_all():
                made = request.draw(counted, steps, proof)
                for batch in made.table.to_batches(max_chunksize=1 << 17):
                    writer.write(batch)
            made = replace(made, is_accounted=payer is not None)
            file = {"name": target.name, "sha256": file_digest(staged)}
            staging.write(side.name, made.to_json(file=file).encode())
            staging.write(target.certificate.name, proof.to_json().encode())
            payment.goes_out(staged, target.data)
            # What lies beside an old file must not lie beside a new one.
            for old in (*target.all[1:], target.beside(EVALUATION)):
                old.unlink(missing_ok=True)
            staging.publish(target.certificate.name, side.name, target.name)
    files = {"data": target.data, "certificate": target.certificate, "synthesis": side}
    if made.evaluation is not None:
        files["evaluation"] = _write_evaluation(made, target)
    return replace(_accounted(made, payer, payment), path=target.data, files=files)


def _write_evaluation(made: Synthesis, target: TargetFiles) -> Path:
    assert made.evaluation is not None
    path, distance = target.beside(EVALUATION), made.evaluation.distance
    document = {
        "warning": "NOT FOR RELEASE: computed from raw data, and not private.",
        "largest": distance.largest,
        "mean": distance.mean,
        "l1": distance.l1,
    }
    # It tells about raw data: for its owner alone, and never through a link somebody put there.
    owners = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with open(owners, "w", encoding="utf-8") as file:
        file.write(json.dumps(document, indent=1) + "\n")
    return path


def _accounted(made: Synthesis, payer: Payer | None, payment: Payment) -> Synthesis:
    return replace(
        made,
        is_accounted=payer is not None,
        balance=payment.balance,
        entry=payment.entry,
        charged=payment.charged,
        notes=(*made.notes, *payment.notes),
    )


def _require_free(target: TargetFiles, *, overwrite: bool) -> None:
    if target.data.is_dir():
        raise TargetError(f"{str(target.data)!r} is a folder; give the name of a file in it.")
    ours = (target.data, target.synthesis, target.beside(EVALUATION))
    # What lies beside a release with this stem would speak of another file.
    there = [path for path in (*ours, *target.all[1:]) if os.path.lexists(path)]
    if there and not overwrite:
        raise TargetError(
            f"{str(there[0])!r} exists already. Choose another name, or say overwrite=True "
            "(--overwrite) to replace it and what lies beside it."
        )
