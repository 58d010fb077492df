"""Make a synthetic table: from data, declared columns and a ledger to made-up rows."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, final

from noisewright.certificates import Certificate
from noisewright.errors import DataError, InputError
from noisewright.exact import Number
from noisewright.mechanisms import Guarantee
from noisewright.public import public
from noisewright.relations import sql_table
from noisewright.releases.drawing import require_space
from noisewright.releases.files.target import EVALUATION
from noisewright.releases.output import Output
from noisewright.releases.synthesis.declared import Columns, Declared
from noisewright.releases.synthesis.knowledge import GivenKnowledge
from noisewright.releases.synthesis.method import Method
from noisewright.releases.synthesis.result import Evaluation, Synthesis
from noisewright.releases.synthesis.task import (
    SynthesisTask,
    WorkloadLike,
    budget_for,
    declaring_plan,
)
from noisewright.releases.table_job import TableJob, target_of
from noisewright.sampling import Source
from noisewright.synthetic import (
    Drawn,
    Mst,
    Synthesizer,
    Tallies,
    Workload,
    WorkloadErrors,
)
from noisewright.tables import Codes, is_text_format, open_writer, repeatable, require_joinable
from noisewright.transaction import LedgerLike, Payment, Progress, Subject, transact

_KEY = "noisewright.synthetic"


@public
def synthesize(
    data: Any,
    plan: Any = None,
    *,
    ledger: LedgerLike,
    epsilon: Number | None = None,
    delta: Number | None = None,
    workload: WorkloadLike = None,
    method: Method | Literal["mst", "mwem", "blr"] = "mst",
    zeros: Any = None,
    prior: Any = None,
    totals: Any = None,
    out: str | os.PathLike[str] | Output | None = None,
    dataset: str | None = None,
    progress: Progress | None = None,
    source: Source | None = None,
) -> Synthesis:
    """Make a synthetic table that answers a workload about as the data does, and account for it.

    `data`, `ledger`, `dataset`, `out`, `progress` and `source` are as in `release`; data may also
    be a mapping of columns or a list of records, and progress is also told how far the "fit" is. A
    table in DuckDB, PostgreSQL or Spark is counted there: rows never leave it.
    `plan` declares what the columns hold: a Plan or the path of one, or a mapping from names to
    spaces, lists of labels or Columns; what it says about mechanisms is not used. Columns that a
    mapping does not name are dropped, with a note. Without a plan, the domain of the workload says
    it. `epsilon` and `delta` are the budget of each person; each of the two that is left out is the
    plan's, or without a plan δ is 0. The whole run is debited once.

    `workload` says which counting queries should be answered well: a Workload, the path of one, or
    a whole number k for all k-way marginals, or several such as [1, 2]; left out, 2. `method` says
    how rows are made: "mst", "mwem" or "blr", or a `Method`, which also says how many rows, and has
    the options of each.

    What is public anyway may be declared, at no cost in privacy. `zeros` are structural zeros:
    conditions as `Workload.conjunctions` takes them, or the path of such a workload, that no
    synthetic row ever meets. `prior` is the starting distribution: a table, of any form that data
    may have but a database, or an earlier synthetic table; it must be public or already released.
    `totals` are counts that are kept exactly: {"region": {"north": 120, "south": 80}}, or a table
    with some columns and "count", or a list of such. The guarantee holds whether or not they are
    true, and does not cover what they contain.

    Requires: one row for each person, or a plan that names the column that identifies people and
    how many rows of each count; the number of rows, and of those that count for each, is public.
    Ensures: (ε, δ)-private for replacing all rows of one person; the certificate is proven
    before the debit, and that before any noise is drawn. With delta=0 noise is two-sided geometric
    and parts of ε add up. Else it is rounded normal noise, parts of ρ add up, and (ε, δ) is proven
    to follow; or geometric all the same, without any δ, where that is expected to make smaller
    errors, as with few columns. The parts add up to the whole exactly. All noise is exact.
    """
    _require_one_table(data)
    elsewhere, output = sql_table(data), Output.of(out)
    data = repeatable(data) if elsewhere is None else elsewhere
    plan = declaring_plan(plan, workload)
    columns = Columns.of(plan)
    asked, budget = columns.workload(workload), budget_for(plan, columns, epsilon, delta)
    known = GivenKnowledge.of(columns, zeros=zeros, prior=prior, totals=totals)
    task = SynthesisTask(columns.domain, asked, budget, Method.of(method), known=known)
    read = Declared.of(data, columns)
    task.require_possible()
    if output.path is not None and is_text_format(os.fspath(output.path)):
        require_joinable(columns.schema, os.fspath(output.path))
    job = SynthesisJob(
        read,
        task.with_better_noise(),
        # A table of a database has no fingerprint: the ledger knows it by the name of its people.
        data=data if elsewhere is None else None,
        output=output,
        target=target_of(
            output,
            data if elsewhere is None else elsewhere.path,
            plan,
            ledger,
            workload,
            zeros,
            prior,
            *(totals if isinstance(totals, list | tuple) else [totals]),
        ),
        source=source,
    )
    return transact(job, ledger=ledger, dataset=dataset, source=source, progress=progress)


@final
@dataclass
class SynthesisJob(TableJob[Synthesis]):
    """The job of `synthesize`: rows are counted without randomness, and others drawn from that."""

    read: Declared
    task: SynthesisTask
    _counted: Tallies = field(init=False)
    _synthesizer: Synthesizer = field(init=False)
    _accounted: bool = field(init=False)
    _writer: Any = field(init=False, default=None)

    @property
    def what(self) -> str:
        """What the ledger says of it."""
        return self.output.what or f"synthetic table ({self.task.method.name}): {self.name}"

    @property
    def price(self) -> Guarantee:
        """The privacy loss of each person."""
        return self.task.budget.guarantee

    @property
    def subject(self) -> Subject:
        """Whose rows are counted."""
        person = self.read.declared.person
        return self._subject(None if person is None else person.column)

    def check(self, progress: Progress | None) -> None:
        """Read and check every row, once; count, without randomness, all that may be drawn from."""
        groupings = list(self.task.synthesizer(1).groupings)
        groupings += self._answered.groupings if self.output.evaluation else ()
        wanted = tuple(dict.fromkeys(groupings))
        known = self.task.knowledge
        self._counted = self.read.tallies(
            self.task.grid, wanted, progress, self.source, known.zeros
        )
        people = self._counted.rows
        if not people:
            raise DataError(f"{self.read.reader.name} has no rows; there is nothing to synthesize.")
        self.task.require_memory(people)
        known.require_possible(people, self.task.rows(people))
        self._snapshot.require_same(meanwhile="Nothing was spent.")
        if self.target is not None:
            spaces, rows = [space for _, space in self.task.domain.columns], self.task.rows(people)
            require_space(self.target.data.parent, spaces, spaces, rows, name=self.name)

    def certify(self) -> Certificate:
        """Return the certificate of all steps; also finds what these rows make impossible."""
        self._synthesizer = self.task.synthesizer(self._counted.rows)
        return self._synthesizer.schedule.certificate

    @contextmanager
    def open(self, *, accounted: bool) -> Generator[None]:
        """Open the file of the synthetic rows."""
        self._accounted = accounted
        if self.target is None:
            yield
            return
        marked = "" if self.is_private else "NOT PRIVATE (a seeded test): "
        said = f"{marked}{self.task.method.name}, {self.task.budget.guarantee}"
        with open_writer(self.staged, self.read.schema, metadata={_KEY: said}) as self._writer:
            yield

    def draw(self, progress: Progress | None) -> Synthesis:
        """Draw noise, choose and make rows."""
        people, proof = self._counted.rows, self._certificate
        drawn = self._synthesizer.draw(
            self._counted, self.task.rows(people), source=self.source, progress=progress
        )
        grid = self.task.grid
        codes = grid.spread(drawn.codes, drawn.measurements, self.source)
        known = self.task.knowledge
        if known.zeros is not None:
            codes = known.zeros.keep_out(codes, self.source)
        errors = self._compare(drawn, people)
        split = self.read.columns.split
        limits = (
            *_apart(self._synthesizer),
            *grid.words(),
            *split.words(),
            *known.words(),
            *drawn.notes,
        )
        table = self.read.table(codes, self.source)
        if self._writer is not None:
            for batch in table.to_batches(max_chunksize=1 << 17):
                self._writer.write(batch)
        return Synthesis(
            table=table,
            domain=self.task.domain,
            split=split,
            _workload=self.task.workload,
            method=self.task.method.name,
            inference=self.task.fitted_as,
            people=people,
            rows_per_person=self.read.rows_per_person,
            bins=grid,
            guarantee=proof.guarantee,
            certificate_digest=proof.digest,
            _certificate=proof,
            spends=drawn.spends,
            measurements=drawn.measurements,
            comparisons=drawn.comparisons,
            errors=errors,
            is_private=self.is_private,
            is_accounted=self._accounted,
            evaluation=self._evaluate(codes) if self.output.evaluation else None,
            knowledge=known.kinds,
            known=known,
            limits=limits,
            notes=(*limits, *errors.remarks, *self.read.notes()),
        )

    def describe(self, made: Synthesis, file: dict[str, str]) -> tuple[Synthesis, str, str]:
        """Return the table and the noisy counts behind it."""
        return made, "synthesis", made.to_json(file=file)

    def note(self, made: Synthesis, payment: Payment) -> Synthesis:
        """Say what was debited; what compares the table with raw data is written for its owner."""
        made = super().note(made, payment)
        if made.evaluation is None or self.target is None:
            return made
        path = self.target.beside(EVALUATION)
        document = {
            "warning": "NOT FOR RELEASE: computed from raw data, and not private.",
            **asdict(made.evaluation.distance),
        }
        # It tells about raw data: for its owner alone, never through a link somebody put there.
        owners = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(owners, "w", encoding="utf-8") as file:
            file.write(json.dumps(document, indent=1) + "\n")
        return replace(made, files={**made.files, "evaluation": path})

    def _compare(self, drawn: Drawn, people: int) -> WorkloadErrors:
        """Return what was expected before, beside what is found against the noisy counts."""
        expected, grid = self.task.predict(people), self.task.grid
        # Counts of points say where rows lie within bins; errors are about bins.
        seen = [one for one in drawn.measurements if one.columns[0] not in grid.counted]
        if not seen:
            return expected
        groupings = tuple({one.columns: None for one in seen})
        own = Tallies.of([drawn.codes], grid.domain, groupings)
        return expected.compare(grid.domain, self.task.asked, own, seen)

    @cached_property
    def _answered(self) -> Workload:
        """The workload with marginals in bins, and all other queries by points."""
        return self.task.grid.workload(self.task.workload, by_points=True)

    def _evaluate(self, codes: Codes) -> Evaluation:
        grid, answered = self.task.grid, self._answered
        own = Tallies.of([grid.codes(codes)], grid.wide, answered.groupings)
        return Evaluation(own.answers(answered).distance(self._counted.answers(answered)))


def _require_one_table(data: Any) -> None:
    if isinstance(data, Mapping) and any(
        isinstance(one, Mapping) or hasattr(one, "column_names") or hasattr(one, "columns")
        for one in data.values()
    ):
        raise InputError(
            "data holds several tables; one is synthesized at a time. Give a table of people and "
            "one of the rows that belong to each to nw.synthesize_linked. For more tables, join "
            "those that have one row for each person first."
        )


def _apart(synthesizer: Synthesizer) -> list[str]:
    names = synthesizer.apart if isinstance(synthesizer, Mst) else ()
    return [
        f"The column {name!r} has too many points to be counted together with others: its "
        "relation to them is lost. Bins (bins=32) or a coarser grid would keep it."
        for name in names
    ]
