"""A table on Spark: check every row, then draw it into a folder of Parquet files.

    check   no randomness; counts rows and sums up hashes of them
    draw    each row once, into staged files                         the only stage with noise
    arrange by drawn places, or back into the order of the table     only where the plan needs it
    cut     into parts of a fixed number of rows, as Parquet

Between two stages stand files, never a lazy DataFrame, so that no row is ever drawn again because
a later stage is repeated. docs/decisions/0009 says why it is so.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, final

from noisewright.engines.batches import Randomizer
from noisewright.engines.persons import PersonKeys
from noisewright.engines.spark.attempts import raise_first, reports_of, rows_of
from noisewright.engines.spark.files import as_frame, file_input
from noisewright.engines.spark.inputs import (
    Input,
    bound_rows,
    frame_input,
    person_counts,
    smallest_group,
)
from noisewright.engines.spark.session import active_session, is_spark_frame
from noisewright.engines.spark.staged import Slice, Stage
from noisewright.engines.spark.tasks import Arrange, Check, Cut, Draw, Report
from noisewright.errors import DataError, EngineError, InputError, TargetError
from noisewright.files import sync_folder
from noisewright.plans import Plan
from noisewright.sampling import default_source
from noisewright.tables import ArrowSchema
from noisewright.transaction import Progress

PART = 1 << 20
"""Rows of each file of a release, but the last: fixed, so that they say nothing of the input."""


@final
@dataclass(frozen=True)
class SparkTable:
    """A table whose rows Spark computes, and the plan for it."""

    plan: Plan
    session: Any
    given: Input
    part: int = PART

    @property
    def name(self) -> str:
        """What messages call the table."""
        return self.given.name

    @property
    def schema(self) -> ArrowSchema:
        """Names and types of the table."""
        return self.given.schema

    def check(self, *, progress: Progress | None = None) -> SparkCheck:
        """Look at every row, draw nothing.

        Ensures: every row is one that the plan can randomize; or the first that is not, in the
        order of the partitions, is named by column and row.
        """
        randomizer = Randomizer(self.plan)
        randomizer.require_fit(self.schema)
        person = self.plan.person
        whose = None if person is None else person.column
        if whose is not None:
            PersonKeys(whose).require_type(self.schema.field(whose).type)
        work = Check(randomizer, self.given.rows, whose)
        reports = reports_of(self.session, self.given.frame, work, what="checking")
        raise_first(reports, name=self.name, is_global=self.given.rows.is_global)
        seen = sum(report["rows"] for report in reports)
        if not seen:
            raise DataError(f"{self.name} has no rows; there is nothing to release.")
        rows, given = seen, self.given
        if person is not None:
            given = as_frame(given, self.session)
            frame = person_counts(given, person.column, most=person.rows)
            counted = rows_of(self.session, lambda: frame, what="counting people")
            rows = int(counted[0][0] or 0)
        together = rows
        if self.plan.is_split:
            given = as_frame(given, self.session)
            smallest = smallest_group(given, self.plan.public)
            together = int(rows_of(self.session, lambda: smallest, what="counting groups")[0][0])
        if progress is not None:
            progress("check", seen, seen)
        return SparkCheck(self, given, seen, _mark(reports), rows, together)


@final
@dataclass(frozen=True)
class SparkCheck:
    """A table that was checked: `rows` rows are going to be released.

    At least `together` of these share their public values, if the plan asks for that.
    """

    table: SparkTable
    given: Input
    seen: int
    mark: int
    rows: int
    together: int

    @cached_property
    def randomizer(self) -> Randomizer:
        """What the tasks do to rows."""
        return Randomizer(self.table.plan)

    @cached_property
    def schema(self) -> ArrowSchema:
        """The names and types that leave."""
        return self.randomizer.schema(self.table.schema)

    def with_plan(self, plan: Plan) -> SparkCheck:
        """Return the table for a plan whose mechanisms were not known when it was checked."""
        return replace(self, table=replace(self.table, plan=plan))

    def draw(
        self,
        folder: str | os.PathLike[str],
        *,
        metadata: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Draw every row once and write the folder `folder` of Parquet files.

        Requires: the spend was committed; `folder` does not exist, and lies in a folder that the
        workers see under the same path.
        Ensures: the folder holds each row exactly once and is on disk; or it does not exist, and
        nothing that was drawn is left.
        """
        target = Path(os.path.abspath(folder))
        work = target.parent / f".{target.name}-{os.urandom(8).hex()}"
        try:
            work.mkdir(mode=0o700)
            drawn = self._draw(work)
            parts = self._cut(work, drawn, dict(metadata or {}))
            _hand_over(work, parts, target)
        except OSError as problem:
            if isinstance(problem, TargetError):
                raise
            raise TargetError(
                f"cannot write {target}: {problem.strerror}. Choose a folder that exists, that you "
                "may write to and that has room."
            ) from problem
        finally:
            _remove(work)
        if progress is not None:
            progress("draw", self.seen, self.seen)

    def _draw(self, work: Path) -> list[Slice]:
        """Draw, and return the rows in the order of the release."""
        plan, given = self.table.plan, self.given
        person, shuffled = plan.person, plan.order == "shuffled"
        if person is not None:
            key = default_source().u8(32).tobytes() if person.keep == "random" else None
            given = bound_rows(given, person.column, most=person.rows, key=key)
        by_source = person is not None and not shuffled
        buckets = -(-self.rows // self.table.part) if shuffled else None
        staged = _plain(self.schema)
        position = _free_name(staged.names)
        stage = _stage(work, "drawn", staged, position, with_position=by_source)
        task = Draw(self.randomizer, given.rows, stage, staged, buckets, by_source)
        reports = reports_of(self.table.session, given.frame, task, what="drawing")
        raise_first(reports, name=self.table.name, is_global=given.rows.is_global)
        self._require_same(reports)
        found = _slices(stage, reports)
        if not shuffled and not by_source:
            return [each for _, each in found]
        stage = _stage(work, "arranged", staged, position)
        groups = _group(found)
        reports = self._on_numbers(Arrange(groups, stage), len(groups), what="arranging")
        return [each for _, each in _slices(stage, reports)]

    def _require_same(self, reports: list[Report]) -> None:
        seen, rows = (sum(report[name] for report in reports) for name in ("seen", "rows"))
        if (seen, rows, _mark(reports)) != (self.seen, self.rows, self.mark):
            raise DataError(
                f"{self.table.name} did not give the same rows when it was computed a second time "
                "(a random step, a source that changes, a limit without an order). Nothing was "
                "released, and what was spent is wasted. Write the table to Parquet first, and "
                "release that."
            )

    def _cut(self, work: Path, drawn: list[Slice], metadata: dict[str, str]) -> list[Path]:
        stage = _stage(work, "parts", self.schema, "")
        groups = tuple(_parts(drawn, self.table.part))
        task = Cut(groups, stage, self.schema, metadata)
        reports = self._on_numbers(task, len(groups), what="writing")
        if sum(report["rows"] for report in reports) != self.rows:
            raise EngineError(
                "the files do not hold as many rows as were drawn. Nothing was released. Please "
                "report this."
            )
        return [Path(stage.folder, report["file"]) for report in reports]

    def _on_numbers(self, task: Any, count: int, *, what: str) -> list[Report]:
        """Run a stage with one task for each number below `count`."""
        session = self.table.session
        frame = session.range(0, count, 1, count)
        reports = reports_of(session, frame, task, what=what)
        raise_first(reports, name=self.table.name, is_global=True)
        return reports


def _require_stored_alike(plan: Plan) -> None:
    """Refuse what only the embedded engine reads."""
    joint = [name for name, field in plan.schema.fields.items() if field.columns]
    if joint:
        raise InputError(
            f"the curves of {joint[0]!r} are stored in several columns, which Spark does not read "
            "as one here. Make a column of lists of them, or use the embedded engine."
        )


def open_spark(data: Any, plan: Plan, *, session: Any = None, part: int = PART) -> SparkTable:
    """Open a DataFrame of Spark, or the table at a path, for a plan.

    `session` is that of the DataFrame; for paths the active one, or one that is started here.
    """
    _require_stored_alike(plan)
    randomizer = Randomizer(plan)
    columns = randomizer.table.inputs
    if is_spark_frame(data):
        return SparkTable(plan, data.sparkSession, frame_input(data, columns), part)
    if not isinstance(data, (str, os.PathLike)):
        raise DataError(
            f"engine='spark' takes a DataFrame of Spark or a path; got a {type(data).__name__}. "
            "For tables in memory use engine='arrow'."
        )
    session = session or active_session()
    return SparkTable(plan, session, file_input(data, plan, columns, session), part)


def _stage(
    work: Path, name: str, schema: ArrowSchema, position: str, *, with_position: bool = False
) -> Stage:
    import pyarrow as pa

    folder = work / name
    folder.mkdir(mode=0o700)
    if with_position:
        schema = schema.append(pa.field(position, pa.int64()))
    return Stage(str(folder), schema, position)


def _slices(stage: Stage, reports: list[Report]) -> list[tuple[int, Slice]]:
    """Return all batches of the accepted files, each with its bucket."""
    found: list[tuple[int, Slice]] = []
    for report in reports:
        path = os.path.join(stage.folder, report["file"])
        if not os.path.exists(path):
            raise TargetError(
                f"a worker wrote into {stage.folder}, but its file is not there: workers and this "
                "session do not share this folder. Release into a folder that all of them share."
            )
        for number, (bucket, rows) in enumerate(report["batches"]):
            found.append((bucket, Slice(path, number, 0, rows)))
    return found


def _group(found: list[tuple[int, Slice]]) -> tuple[tuple[Slice, ...], ...]:
    groups: dict[int, list[Slice]] = {}
    for bucket, each in found:
        groups.setdefault(bucket, []).append(each)
    return tuple(tuple(groups[bucket]) for bucket in sorted(groups))


def _parts(drawn: Sequence[Slice], size: int) -> Iterator[tuple[Slice, ...]]:
    """Cut the rows into parts of `size` rows; at least one, which may be empty."""
    waiting: list[Slice] = []
    count = made = 0
    for each in drawn:
        start = each.start
        while start < each.stop:
            stop = min(each.stop, start + size - count)
            waiting.append(Slice(each.path, each.batch, start, stop))
            count, start = count + stop - start, stop
            if count == size:
                yield tuple(waiting)
                waiting, count, made = [], 0, made + 1
    if count or not made:
        yield tuple(waiting)


def _hand_over(work: Path, parts: list[Path], target: Path) -> None:
    """Give the accepted files their names, in a folder that no task knows of, and the folder its.

    A task that Spark did not manage to stop can only write where it was told to.
    """
    ready = work / f"ready-{os.urandom(8).hex()}"
    ready.mkdir()
    for number, part in enumerate(parts):
        os.rename(part, ready / f"part-{number:05d}.parquet")
    sync_folder(ready)
    if os.path.lexists(target):
        raise TargetError(f"{target} exists already. Choose another name.")
    os.rename(ready, target)
    sync_folder(target.parent)


def _remove(work: Path) -> None:
    # Under another name first: a task that still runs finds no folder to write into.
    gone = work.with_name(f"{work.name}-gone")
    try:
        os.rename(work, gone)
    except OSError:
        gone = work
    shutil.rmtree(gone, ignore_errors=True)


def _plain(schema: ArrowSchema) -> ArrowSchema:
    """Return the schema without dictionaries, which Arrow files cannot change midway."""
    import pyarrow as pa

    fields = [
        each.with_type(each.type.value_type) if pa.types.is_dictionary(each.type) else each
        for each in schema
    ]
    return pa.schema(fields)


def _free_name(names: list[str]) -> str:
    name = "position"
    while name in names:
        name += "_"
    return name


def _mark(reports: list[Report]) -> int:
    return sum(report["mark"] for report in reports) % (1 << 64)
