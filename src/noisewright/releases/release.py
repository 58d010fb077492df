"""Release a table: from plan, data and ledger to a private file and what belongs beside it.

Everything that can fail without spending fails before the debit. Everything after it is written
under other names and renamed at the end. docs/decisions/0008 says why each step is where it is.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from noisewright.errors import CertificateError, ParameterError
from noisewright.ledger import Ledger
from noisewright.plans import Plan
from noisewright.privacy import Certificate, check
from noisewright.public import public
from noisewright.releases.accounting import Payer, covers, not_covered, payer_for
from noisewright.releases.drawing import (
    Embedded,
    Engine,
    OnSpark,
    Progress,
    is_for_spark,
    released_spaces,
    require_possible,
    require_space,
    warn_of,
)
from noisewright.releases.files.recipe import KEY, Recipe
from noisewright.releases.files.staging import Staging, staging_beside
from noisewright.releases.files.target import TargetFiles
from noisewright.releases.inputs import Snapshot, local_paths, repeatable
from noisewright.releases.payment import Payment, paid
from noisewright.releases.released import Release, file_digest
from noisewright.sampling import Source, source_or_default
from noisewright.tables import require_column_names, require_format


@public
def release(
    data: Any,
    plan: Plan | str | os.PathLike[str],
    *,
    ledger: Ledger | str | os.PathLike[str] | None,
    out: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    what: str = "",
    engine: Literal["arrow", "spark"] | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
    report: bool = True,
    header: bool = False,
    source: Source | None = None,
) -> Release:
    """Release a private copy of a table, as a plan says, and account for it.

    `data` is a CSV, Parquet or Feather file, a folder of Parquet files, an Arrow table, or a data
    frame of pandas, Polars or Spark. `ledger` is where its people's budget is kept; None must be
    passed explicitly and means that nobody accounts. `dataset` names the budget that pays; left
    out, it is the one that the data is registered for. `out` is the file to write; tables in memory
    may do without. `progress` is called with "check", "release" or "report", the rows done, and all
    rows if known. A CSV file whose first line looks like a record is refused, unless `header` says
    that it holds names. A seeded `source` is for tests: no ledger pays for it, and the release is
    marked as not private.

    Ensures: the certificate was proven and checked, every row was checked, and the budget was
    debited, before any noise was drawn. An error before the debit costs nothing; one after it
    wastes the debit, and releases nothing. A file under its final name is whole and accounted for.
    Cautions (see `Plan.cautions`), and one about public columns with many different values, are
    given before the debit, each as a PlanWarning.
    """
    on_spark = is_for_spark(data, engine)
    if on_spark:
        require_possible(None if out is None else Path(out), source)
    read = plan if isinstance(plan, Plan) else Plan.read(plan)
    certificate = _proven(read)
    data = repeatable(data)
    require_column_names(data, read.schema, header=header)
    path = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    order = _Order(read, certificate, what, progress, source, on_spark)
    if out is None:
        if path is not None:
            raise ParameterError(
                "out is missing: say which file to write, as in 'private.parquet'."
            )
        return _in_memory(order, data, order.payer(ledger, data, dataset, shown=None))
    target = TargetFiles.at(out)
    target.require_apart(local_paths(path, plan, ledger))
    require_format(target.name)
    with staging_beside(target.data) as staging, staging.writing(target.data):
        # Within: who waited for another release to the same name sees what it has left.
        target.require_free(overwrite=overwrite, is_folder=on_spark)
        snapshot = Snapshot.of(data)
        # A DataFrame of Spark has no fingerprint: its rows are not here.
        known = None if on_spark and path is None else data
        payer = order.payer(ledger, known, dataset, shown=path)
        return _to_files(order, data, snapshot, payer, target, staging, report=report)


@dataclass(frozen=True)
class _Order:
    """What was asked for, apart from data and place."""

    plan: Plan
    certificate: Certificate
    what: str
    progress: Progress | None
    source: Source | None
    on_spark: bool = False

    @property
    def is_private(self) -> bool:
        return source_or_default(self.source).private

    def payer(
        self, ledger: Any, data: Any, dataset: str | None, *, shown: str | None
    ) -> Payer | None:
        person = self.plan.person
        return payer_for(
            ledger,
            data,
            dataset,
            price=self.certificate.guarantee,
            shown=shown,
            person=None if person is None else person.column,
            # Mechanisms see one row at a time; only the order of rows is common to all.
            independent=True,
            source=self.source,
        )

    def recipe(self, rows: int, payer: Payer | None) -> Recipe:
        return Recipe.of(
            self.plan,
            self.certificate,
            rows=rows,
            private=self.is_private,
            accounted=payer is not None,
        )

    def words(self, name: str) -> str:
        """Return what the ledger says of the release."""
        return self.what or ": ".join(part for part in (self.plan.title, name) if part)


def _to_files(
    order: _Order,
    data: Any,
    snapshot: Snapshot,
    payer: Payer | None,
    target: TargetFiles,
    staging: Staging,
    *,
    report: bool,
) -> Release:
    staged = staging.path(target.name)
    _write_certificate(order.certificate, staging, target.certificate.name)
    engine: Engine = (OnSpark if order.on_spark else Embedded)(data, order.plan, target.name)
    rows = engine.check(order.progress)
    spaces = [field.space for field in order.plan.schema.fields.values()]
    require_space(
        target.data.parent,
        spaces,
        released_spaces(order.plan),
        rows,
        name=target.name,
        public=engine.public,
    )
    snapshot.require_same(meanwhile="Nothing was spent.")
    reads_again, embedded = engine.reads_again, order.recipe(rows, payer)
    # Whoever reads it back gets these mechanisms again: better known now than by the reader.
    embedded.plan(where="the recipe of this release")
    warn_of(order.plan, rows, engine.public)
    with ExitStack() as outer:
        # Opened before the debit: what cannot be written at all costs nothing.
        writer = outer.enter_context(engine.open(staged, embedded))
        with paid(payer, order.certificate, what=order.words(target.name)) as payment:
            # Closed within the debit: what fails while it is synced wastes it.
            with outer.pop_all():
                engine.draw(writer, order.progress, order.source)
            if reads_again:
                snapshot.require_same(meanwhile="Its rows may not be those that were checked.")
            recipe = embedded.for_file(target.name, file_digest(staged))
            staging.write(target.recipe.name, recipe.to_json().encode())
            payment.goes_out(staged, target.data)
            # An old report must not lie beside new data.
            target.report.unlink(missing_ok=True)
            staging.publish(target.recipe.name, target.certificate.name, target.name)
    files = {"data": target.data, "certificate": target.certificate, "recipe": target.recipe}
    made = _made(order, recipe, payment, path=target.data, files=files)
    if not report:
        return made
    from noisewright.releases.page import with_report

    if order.progress is not None:
        order.progress("report", 0, None)
    return with_report(made, target.report)


def _in_memory(order: _Order, data: Any, payer: Payer | None) -> Release:
    _require_proven(order.certificate.document)
    engine = Embedded(data, order.plan)
    rows = engine.check(order.progress)
    recipe = order.recipe(rows, payer)
    recipe.plan(where="the recipe of this release")
    warn_of(order.plan, rows, engine.public)
    writer = engine.in_memory()
    with paid(payer, order.certificate, what=order.words("a table in memory")) as payment:
        engine.draw(writer, order.progress, order.source)
    table = writer.table.replace_schema_metadata({KEY: recipe.to_json()})
    return _made(order, recipe, payment, _kept=table)


def _made(order: _Order, recipe: Recipe, payment: Payment, **where: Any) -> Release:
    return Release(
        order.plan,
        recipe,
        balance=payment.balance,
        entry=payment.entry,
        charged=payment.charged,
        notes=tuple(payment.notes),
        _certificate=order.certificate,
        **where,
    )


def _proven(plan: Plan) -> Certificate:
    """Return the plan's certificate, which must cover all that a person gives away."""
    certificate = plan.certify()
    if not covers(certificate.guarantee, plan.guarantee):
        raise not_covered(plan.guarantee, certificate.guarantee)
    return certificate


def _write_certificate(certificate: Certificate, staging: Staging, name: str) -> None:
    """Write the certificate and prove it again, from the file that will be published."""
    _require_proven(staging.write(name, certificate.to_json().encode()))


def _require_proven(certificate: Any) -> None:
    report = check(certificate)
    if not report:
        failure = report.failures[0]
        raise CertificateError(
            f"the checker does not prove the certificate of this plan ({failure.part}: "
            f"{failure.message}). Nothing was spent or released."
        )
