"""Release a table: from plan, data and ledger to a private file and what belongs beside it."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, final

from noisewright.certificates import Certificate
from noisewright.errors import CertificateError, ParameterError
from noisewright.mechanisms import Guarantee
from noisewright.plans import Plan
from noisewright.public import public
from noisewright.releases.drawing import (
    Embedded,
    Engine,
    OnSpark,
    for_table,
    is_for_spark,
    released_spaces,
    require_possible,
    require_space,
    warn_of,
)
from noisewright.releases.files.recipe import KEY, Recipe
from noisewright.releases.output import Output
from noisewright.releases.released import Release
from noisewright.releases.table_job import TableJob, target_of
from noisewright.sampling import Source
from noisewright.tables import (
    is_text_format,
    repeatable,
    require_column_names,
    require_joinable,
)
from noisewright.transaction import LedgerLike, Progress, Subject, covers, transact


@public
def release(
    data: Any,
    plan: Plan | str | os.PathLike[str],
    *,
    ledger: LedgerLike,
    out: str | os.PathLike[str] | Output | None = None,
    dataset: str | None = None,
    engine: Literal["arrow", "spark"] | None = None,
    progress: Progress | None = None,
    source: Source | None = None,
) -> Release:
    """Release a private copy of a table, as a plan says, and account for it.

    `data` is a CSV, Parquet, Feather or Excel file, a folder of Parquet files, an Arrow table, or a
    data frame of pandas, Polars or Spark. `ledger` is where its people's budget is kept; None must
    be passed explicitly and means that no budget is debited. `dataset` names the budget that pays;
    left out, it is the one that the data is registered for. `out` is the file to write, or an
    `Output`, which also says whether to overwrite it, to write a page, and what the ledger calls
    it; tables in memory need none. `progress` is called with "check", "draw" or "page", how much of
    that is done, and the total, if known. A CSV file whose first line looks like a record is
    refused; `nw.CSV(path, header=True)` says that it holds names. A seeded `source` is for tests:
    no ledger pays for it, and the release is marked as not private.

    Ensures: the certificate was proven and checked, every row was checked, and the budget was
    debited, before any noise was drawn. An error before the debit costs nothing; one after it
    wastes the debit, and releases nothing. A file under its final name is complete and accounted
    for. Cautions (see `Plan.cautions`), and one about public columns with many different values,
    are given before the debit, each as a PlanWarning.
    """
    on_spark, output = is_for_spark(data, engine), Output.of(out)
    if on_spark:
        require_possible(None if output.path is None else Path(output.path), source)
    if output.evaluation:
        raise ParameterError(
            "evaluation compares a synthetic table with the raw data; leave it out of a release."
        )
    read = plan if isinstance(plan, Plan) else Plan.read(plan)
    # What cannot be proven is better known before rows are read.
    certificate = _certify(read) if read.rows or not read.is_central else None
    data = repeatable(data)
    require_column_names(data, read.schema)
    if output.path is None and isinstance(data, str | os.PathLike):
        raise ParameterError("out is missing: give the file to write, as in 'private.parquet'.")
    if output.path is not None and is_text_format(os.fspath(output.path)):
        require_joinable(read.schema, os.fspath(output.path))
    job = Randomization(
        read,
        certificate,
        data=data,
        output=output,
        target=target_of(output, data, plan, ledger),
        source=source,
        is_folder=on_spark,
    )
    return transact(job, ledger=ledger, dataset=dataset, source=source, progress=progress)


@final
@dataclass
class Randomization(TableJob[Release]):
    """The job of `release`: every row is randomized as a plan says.

    Where rows are to hide among each other, how well they do, and so the mechanisms and the proof,
    are known when they are counted.
    """

    plan: Plan
    proven: Certificate | None
    _engine: Engine = field(init=False)
    _rows: int = field(init=False)
    _recipe: Recipe = field(init=False)
    _writer: Any = field(init=False)

    @property
    def what(self) -> str:
        """What the ledger says of the release."""
        named = ": ".join(part for part in (self.plan.title, self.name) if part)
        for_whom = (
            "rows shuffled, for whoever sees only the file"
            if self.is_central
            else f"order {self.plan.order}, row by row"
        )
        return f"{self.output.what or named} ({for_whom})"

    @property
    def is_central(self) -> bool:
        """Whether the guarantee is one of all rows together, in their random order."""
        if self.proven is None:
            return self.plan.is_central
        return self.proven.guarantee != self.plan.guarantee_in_order

    @property
    def price(self) -> Guarantee:
        """The privacy loss of each person; 0 where ε follows from rows that are not counted yet."""
        if self.proven is not None:
            return self.proven.guarantee
        return Guarantee(self.plan.epsilon or 0, self.plan.delta)

    @property
    def subject(self) -> Subject:
        """Whose rows they are; mechanisms see one at a time, but shuffled rows hide together."""
        person = self.plan.person
        named = None if person is None else person.column
        return self._subject(named, independent=not self.plan.is_central)

    def check(self, progress: Progress | None) -> None:
        """Check every row without drawing, and whether there is room for all of them."""
        name = None if self.target is None else self.target.name
        self._engine = (OnSpark if self.is_folder else Embedded)(self.data, self.plan, name)
        (self._rows, together), public = self._engine.check(progress), self._engine.public
        self.plan = for_table(self.plan, together)
        self._engine.use(self.plan)
        if self.target is not None:
            require_space(
                self.target.data.parent,
                [field.space for field in self.plan.schema.fields.values()],
                released_spaces(self.plan),
                self._rows,
                name=self.name,
                public=public,
            )
        self._snapshot.require_same(meanwhile="Nothing was spent.")

    def certify(self) -> Certificate:
        """Return the plan's certificate."""
        self.proven = self.proven or _certify(self.plan)
        return self.proven

    @contextmanager
    def open(self, *, accounted: bool) -> Generator[None]:
        """Open the file, which holds its recipe; say what is to be thought about twice."""
        self._recipe = Recipe.of(
            self.plan,
            self._certificate,
            rows=self._rows,
            private=self.is_private,
            accounted=accounted,
        )
        # Whoever reads it back gets these mechanisms again: better known now than by the reader.
        self._recipe.plan(where="the recipe of this release")
        warn_of(self.plan, self._rows, self._engine.public)
        where = None if self.target is None else self.staged
        with self._engine.open(where, self._recipe) as self._writer:
            yield

    def draw(self, progress: Progress | None) -> Release:
        """Draw every row and write it."""
        # Not known any more once it was drawn.
        reads_again, kept = self._engine.reads_again, None
        self._engine.draw(self._writer, progress, self.source)
        if reads_again:
            self._snapshot.require_same(meanwhile="Its rows may not be those that were checked.")
        if self.target is None:
            kept = self._writer.table.replace_schema_metadata({KEY: self._recipe.to_json()})
        return Release(self.plan, self._recipe, _kept=kept, _certificate=self._certificate)

    def describe(self, made: Release, file: dict[str, str]) -> tuple[Release, str, str]:
        """Return the release with the recipe that lies beside it."""
        recipe = self._recipe.for_file(file["name"], file["sha256"])
        return replace(made, recipe=recipe), "recipe", recipe.to_json()


def _certify(plan: Plan) -> Certificate:
    """Return the plan's certificate, which must cover the privacy loss of a person."""
    certificate = plan.certify()
    if not covers(certificate.guarantee, plan.guarantee):
        raise CertificateError(
            f"the plan claims {plan.guarantee} for each person, but its certificate only proves "
            f"{certificate.guarantee}. Nothing was spent or released."
        )
    return certificate
