"""The embedded engine: a plan carried out on one machine, batch by batch.

Two passes. `check` reads every cell and draws nothing, so that a bad cell is found before a
budget is spent; `run` reads the table again (or the codes that `check` could keep), draws, and
writes. Reading, drawing and writing overlap.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np

from noisewright.engines.batches import Encoded, Randomizer
from noisewright.engines.overlap import Behind, ahead, in_order
from noisewright.engines.persons import Kept, PersonKeys, PersonRows
from noisewright.engines.public_columns import PublicColumns
from noisewright.engines.public_groups import PublicGroups
from noisewright.engines.shuffling import Shuffle
from noisewright.errors import DataError
from noisewright.sampling import permutation, source_or_default

if TYPE_CHECKING:
    from noisewright.plans import Plan
    from noisewright.sampling import Source
    from noisewright.transaction import Progress
from noisewright.tables import RecordBatch, TableReader, TableWriter

_THREADS = min(2, os.cpu_count() or 1)
"""Batches that are drawn at a time: drawing takes longer than writing."""

IN_MEMORY_BEFORE = 5 << 27
"""Bytes in which rows are permuted before they are drawn; more rows are shuffled once released."""

_PER_PLACE = 32
"""Bytes that permuting takes for each row, besides its codes."""

_PER_BUCKET = 1 << 16
"""Rows of a bucket: few enough that their order is found in a cache."""

KEPT = 1 << 28
"""Bytes of codes that `check` keeps for `run`, to spare it reading the table again."""


@final
@dataclass(frozen=True)
class Checked:
    """A table whose cells the plan allows.

    `rows` it has, and `released` of them leave: fewer when a person may have only so many. At
    least `together` of these share their public values, if the plan asks for that.
    """

    rows: int
    released: int
    together: int
    randomizer: Randomizer
    keys: PersonKeys | None
    people: PersonRows | None
    codes: list[tuple[Encoded, Any]] | None
    public: PublicColumns

    def with_plan(self, plan: Plan) -> Checked:
        """Return the table for a plan whose mechanisms were not known when it was checked."""
        return replace(self, randomizer=Randomizer(plan))


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
    randomizer.require_fit(reader.schema)
    keys = people = None
    if plan.person is not None:
        keys, people = PersonKeys(plan.person.column), PersonRows()
        keys.require_type(reader.schema.field(plan.person.column).type)
    public = PublicColumns(plan, reader.schema, name)
    groups = PublicGroups(plan.public, reader.schema) if plan.is_split else None
    rows = held = 0
    codes: list[tuple[Encoded, Any]] | None = []
    with closing(_encode(reader, randomizer, keys)) as batches:
        for encoded, hashes in batches:
            rows += encoded.rows
            public.put(encoded.public)
            if groups is not None:
                groups.put(encoded.public)
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
    together = released if groups is None else groups.smallest
    return Checked(rows, released, together, randomizer, keys, people, codes, public)


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
        # The order in which threads ask a given source for bits would change what it gives.
        threads = _THREADS if source is None else 1
        before = plan.order == "shuffled" and _is_permuted_before(checked)
        if plan.order == "shuffled" and not before:
            shuffle = Shuffle(put, rows=checked.released, folder=writer.folder, source=source)
            put = stack.enter_context(shuffle).put
        given = stack.enter_context(closing(_again(reader, checked)))
        batches = _keep_rows(given, kept)
        if before:
            shuffled = _permute(batches, checked.released, source, threads)
            batches = stack.enter_context(closing(shuffled))

        def draw(batch: tuple[Encoded, bool, int]) -> tuple[Any, int]:
            encoded, is_bucket, read = batch
            if is_bucket:
                encoded = encoded.take(permutation(encoded.rows, source))
            if not encoded.rows:
                return None, read
            return randomizer.draw(encoded, reader.schema, source=source), read

        drawing = in_order(draw, batches, threads=threads)
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
) -> Generator[tuple[Encoded, bool, int]]:
    """Yield the rows of each batch that count, and how many it had."""
    for encoded, hashes in batches:
        left = encoded if kept is None else encoded.keep(kept.rows(hashes))
        yield left, False, encoded.rows


def _is_permuted_before(checked: Checked) -> bool:
    """Tell whether codes are in memory, and few enough to be permuted there."""
    if checked.codes is None:
        return False
    held = sum(encoded.nbytes for encoded, _ in checked.codes)
    return 2 * held + _PER_PLACE * checked.rows <= IN_MEMORY_BEFORE


def _permute(
    batches: Iterable[tuple[Encoded, bool, int]], rows: int, source: Source | None, threads: int
) -> Generator[tuple[Encoded, bool, int]]:
    """Yield rows in random buckets, which together are in random order once each is permuted.

    Each row draws its noise by itself, so that it makes no difference to what is released whether
    rows are shuffled before or after. Before, they are shorter, and are written while others are
    still drawn. Each row goes to one of some buckets, chosen uniformly, and each bucket is permuted
    where it is drawn (Rao 1961, Sandelius 1962); all of it in pieces that fit into a cache.
    """
    count = min(256, 1 << ((rows - 1) // _PER_BUCKET).bit_length())
    buckets: list[list[Encoded]] = [[] for _ in range(count)]

    def divide(batch: tuple[Encoded, bool, int]) -> tuple[Encoded, list[int], int]:
        encoded, _, read = batch
        # A power of two divides 256, so that the rest of a byte is uniform.
        keys = source_or_default(source).u8(encoded.rows) & np.uint8(count - 1)
        grouped = encoded.take(np.argsort(keys, kind="stable"))
        return grouped, np.cumsum(np.bincount(keys, minlength=count)).tolist(), read

    read = done = 0
    with closing(in_order(divide, batches, threads=threads)) as divided:
        for grouped, ends, many in divided:
            read += many
            done += grouped.rows
            for bucket, start, end in zip(buckets, [0, *ends[:-1]], ends, strict=True):
                if end > start:
                    bucket.append(grouped.slice(start, end))
    others = read - done
    buckets.reverse()
    while buckets:
        bucket = buckets.pop()
        if bucket:
            whole = Encoded.concatenate(bucket)
            yield whole, True, whole.rows + others
            others = 0


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
