"""The embedded engine: a plan carried out on one machine, batch by batch.

Two passes. `check` reads every cell and draws nothing, so that a bad cell is found before a
budget is spent; `run` reads the table again (or the codes that `check` could keep), draws, and
writes. Reading, drawing and writing overlap.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from noisewright.engines.batches import Encoded, Randomizer
from noisewright.engines.overlap import Behind, ahead, in_order
from noisewright.engines.persons import Kept, PersonKeys, PersonRows
from noisewright.engines.public_columns import PublicColumns
from noisewright.engines.shuffling import Shuffle
from noisewright.errors import DataError

if TYPE_CHECKING:
    from noisewright.plans import Plan
    from noisewright.sampling import Source
    from noisewright.transaction import Progress
from noisewright.tables import RecordBatch, TableReader, TableWriter

_THREADS = min(2, os.cpu_count() or 1)
"""Batches that are drawn at a time: drawing takes longer than writing."""

KEPT = 1 << 28
"""Bytes of codes that `check` keeps for `run`, to spare it reading the table again."""


@final
@dataclass(frozen=True)
class Checked:
    """A table whose cells the plan allows.

    `rows` it has, and `released` of them leave: fewer when a person may have only so many.
    """

    rows: int
    released: int
    randomizer: Randomizer
    keys: PersonKeys | None
    people: PersonRows | None
    codes: list[tuple[Encoded, Any]] | None
    public: PublicColumns


def check(
    reader: TableReader,
    plan: Plan,
    progress: Progress | None = None,
    *,
    keep: int = KEPT,
    name: str | None = None,
) -> Checked:
    """Read every row once, without randomness, and raise where the plan does not allow it.

    `name` is that of the file to write: its format must be able to hold the public columns.

    Raises InputError when columns or types do not fit, OutsideSpaceError with the column and the
    row of a cell, DataError where the table cannot be read or has no rows, TargetError with a
    public column that the format of the target cannot hold.
    """
    randomizer = Randomizer(plan)
    randomizer.schema(reader.schema)
    keys = people = None
    if plan.person is not None:
        keys, people = PersonKeys(plan.person.column), PersonRows()
        keys.require_type(reader.schema.field(plan.person.column).type)
    public = PublicColumns(plan, reader.schema, name)
    rows = held = 0
    codes: list[tuple[Encoded, Any]] | None = []
    with closing(_encode(reader, randomizer, keys)) as batches:
        for encoded, hashes in batches:
            rows += encoded.rows
            public.put(encoded.public)
            if people is not None:
                people.add(hashes)
            if codes is not None:
                held += encoded.nbytes + (0 if hashes is None else hashes.nbytes)
                codes.append((encoded, hashes))
                if held > keep:
                    codes = None
            if progress is not None:
                progress("check", rows, reader.rows)
    if not rows:
        raise DataError(f"{reader.name} has no rows; there is nothing to release.")
    public.close()
    released = rows
    if people is not None and plan.person is not None:
        released = people.count_released(plan.person.rows)
    return Checked(rows, released, randomizer, keys, people, codes, public)


def run(
    reader: TableReader,
    plan: Plan,
    writer: TableWriter,
    *,
    progress: Progress | None = None,
    source: Source | None = None,
    checked: Checked | None = None,
) -> int:
    """Randomize the rows of a table and write them; return how many.

    `checked` is what `check` returned for this reader and this plan; it is used up.
    Ensures: no more rows of a person than the plan allows, in the order that it says.
    """
    if checked is None:
        checked = check(reader, plan, progress)
    randomizer = checked.randomizer
    kept = None
    if plan.person is not None:
        kept = Kept(plan.person.rows, plan.person.keep, checked.people, source)
    done = 0
    with ExitStack() as stack:
        behind = Behind(writer.write, size=_nbytes)
        put: Callable[[Any], None] = stack.enter_context(behind).put
        if plan.order == "shuffled":
            shuffle = Shuffle(put, rows=checked.released, folder=writer.folder, source=source)
            put = stack.enter_context(shuffle).put
        batches = stack.enter_context(closing(_again(reader, checked)))

        def draw(batch: tuple[Encoded, int]) -> tuple[Any, int]:
            encoded, read = batch
            if not encoded.rows:
                return None, read
            return randomizer.draw(encoded, reader.schema, source=source), read

        # The order in which threads ask a given source for bits would change what it gives.
        threads = _THREADS if source is None else 1
        drawing = in_order(draw, _keep_rows(batches, kept), threads=threads)
        for drawn, read in stack.enter_context(closing(drawing)):
            done += read
            if drawn is not None:
                put(drawn)
            if progress is not None:
                progress("draw", done, checked.rows)
        if done != checked.rows:
            raise DataError(
                f"{reader.name} had {checked.rows:,} rows when it was checked and has {done:,} "
                "now. Do not change the table while it is released."
            )
    return writer.rows


def _nbytes(batch: RecordBatch) -> int:
    return batch.nbytes


def _keep_rows(
    batches: Iterable[tuple[Encoded, Any]], kept: Kept | None
) -> Generator[tuple[Encoded, int]]:
    """Yield the rows of each batch that count, and how many it had."""
    for encoded, hashes in batches:
        yield encoded if kept is None else encoded.take(kept.rows(hashes)), encoded.rows


def _again(reader: TableReader, checked: Checked) -> Generator[tuple[Encoded, Any]]:
    """Yield the encoded batches a second time, from memory if they were kept."""
    if checked.codes is None:
        yield from _encode(reader, checked.randomizer, checked.keys)
        return
    # Given away one by one, so that memory shrinks while the output grows.
    checked.codes.reverse()
    while checked.codes:
        yield checked.codes.pop()


def _encode(
    reader: TableReader, randomizer: Randomizer, keys: PersonKeys | None
) -> Generator[tuple[Encoded, Any]]:
    """Yield the batches of a table as codes, and the hashes of whose rows they are."""
    person = randomizer.plan.person
    columns = [name for name in reader.schema.names if name in randomizer.table.inputs]
    first_row = 0
    batches = ahead(reader.batches(columns, encoded=randomizer.table.labels))
    with closing(batches):
        for batch in batches:
            if not batch.num_rows:
                continue
            encoded = randomizer.encode(batch, first_row)
            hashes = None
            if keys is not None and person is not None:
                hashes = keys.hashes(batch.column(person.column), first_row)
            first_row += batch.num_rows
            yield encoded, hashes
