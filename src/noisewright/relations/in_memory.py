"""The engine for tables that `tables` reads: numpy on batches, or on all rows where people count.

Counts and sums add up over batches, so that a table need not fit into memory, unless rows are
limited for each person: then the columns that are read are held, one narrow number for each cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.on_use import pa
from noisewright.relations.evaluation import Values, evaluate
from noisewright.relations.nodes import Node, column
from noisewright.relations.rows import (
    PRIME,
    CountedTable,
    Filter,
    KeyRequest,
    Limit,
    Paired,
    Repeated,
    Rows,
    SourceRows,
    TallyRequest,
    declare,
    needed_columns,
    sources,
)
from noisewright.spaces import Categories
from noisewright.tables import Field, TableReader, TotalCells, is_text

_LIMB = 26
"""Bits of a number that are added up at a time: as doubles, which are exact for 2^27 rows."""

_SAFE = 1 << 22
"""Sums of numbers below this stay below 2^63 for all tables of fewer than 2^41 rows."""


@final
@dataclass(frozen=True)
class Frame:
    """Some rows: the values of columns, and whose each row is (the place among `people`)."""

    rows: int
    columns: Mapping[str, Values]
    persons: NDArray[np.int64] | None = None
    people: list[Any] = field(default_factory=list[Any])

    def values(self, node: Node) -> Values:
        """Return the values of a node."""
        return evaluate(node, self.columns, self.rows)

    def truth(self, node: Node) -> NDArray[np.bool_]:
        """Return where a condition is true."""
        values, missing = self.values(node)
        return values != 0 if missing is None else (values != 0) & ~missing

    def take(self, rows: NDArray[Any]) -> Frame:
        """Return some of the rows, by a mask or by their places."""
        columns = {
            name: (values[rows], None if missing is None else missing[rows])
            for name, (values, missing) in self.columns.items()
        }
        count = int(rows.sum()) if rows.dtype == np.bool_ else len(rows)
        persons = None if self.persons is None else self.persons[rows]
        return Frame(count, columns, persons, self.people)


def tally_in_memory(tally: TallyRequest) -> NDArray[Any]:
    """Return the rows in each cell and the sums of nodes there: one line for each cell."""
    needed = needed_columns(tally.rows, *tally.by, *tally.sums)
    total = zeros_for(tally)
    for frame in _frames(tally.rows, needed):
        _add_up(tally, frame, total)
    return total


def people_by_key_in_memory(request: KeyRequest) -> dict[Any, int]:
    """Return how many people have each value of a column; values are in memory, once each."""
    [source] = sources(request.rows)
    found: set[Any] = set()
    for batch in source.table.batches([request.name], encoded=[request.name]):
        found.update(batch.column(0).unique().to_pylist())
    values = sorted(found - {None}, key=lambda one: one.encode() if isinstance(one, str) else one)
    if not values:
        return {}
    rows = declare(request.rows, request.name, Field(Categories(values)))
    node = column(request.name, 0, len(values) - 1, nullable=True)
    if source.person is None:
        counts = tally_in_memory(TallyRequest(rows, (node,)))[:, 0]
    else:
        frame = _whole(rows, needed_columns(rows, node))
        codes, inside = cell_numbers((node,), frame)
        assert frame.persons is not None
        size = len(values)
        pairs = np.unique(frame.persons[inside] * size + codes[inside])
        persons, codes = pairs // size, pairs % size
        # Of the value alone: a code depends on which other values there are.
        marks = np.array([request.mark(value) for value in values], dtype=np.int64)[codes]
        kept = _first_groups(request.limit, frame, persons, codes, marks)
        counts = np.bincount(codes[kept], minlength=size)
    return dict(zip(values, counts.tolist(), strict=True))


def count_tables_in_memory(rows: Rows, tables: Sequence[CountedTable]) -> list[NDArray[np.int64]]:
    """Return how many rows there are by each of some sets of nodes; rows are read once."""
    needed = needed_columns(rows, *(node for table in tables for node in table))
    requests = [TallyRequest(rows, table) for table in tables]
    totals = [zeros_for(request) for request in requests]
    for frame in _frames(rows, needed):
        for request, total in zip(requests, totals, strict=True):
            _add_up(request, frame, total)
    return [t.reshape(r.sizes) for t, r in zip(totals, requests, strict=True)]


def zeros_for(tally: TallyRequest) -> NDArray[Any]:
    """Return room for the rows and the sums of each cell: whole numbers of Python if need be."""
    large = any(max(abs(node.low), abs(node.high)) >= _SAFE for node in tally.sums)
    return np.zeros((tally.cells, 1 + len(tally.sums)), dtype=object if large else np.int64)


def _frames(rows: Rows, needed: frozenset[str]) -> Iterator[Frame]:
    """Yield the rows a part at a time, as far as that is possible."""
    if isinstance(rows, SourceRows):
        yield from _read(rows, needed)
    elif isinstance(rows, Filter):
        for frame in _frames(rows.rows, needed):
            yield frame.take(frame.truth(rows.condition))
    elif isinstance(rows, Repeated):
        for frame in _frames(rows.rows, needed):
            yield _repeat(rows, frame)
    else:
        yield _whole(rows, needed)


def _read(source: SourceRows, needed: frozenset[str]) -> Iterator[Frame]:
    names = [name for name in source.fields if name in needed]
    reader, cells = source.table, {}
    for name in names:
        cells[name] = TotalCells(source.fields[name], name=source.name_in_table(name))
    for batch in _batches(source, reader, names):
        columns = {
            name: _as_values(source, name, cells[name], batch.column(place))
            for place, name in enumerate(names)
        }
        yield Frame(batch.num_rows, columns)


def _batches(source: SourceRows, reader: TableReader, names: Sequence[str]) -> Iterator[Any]:
    stored = [source.name_in_table(name) for name in names]
    # Without columns a batch would not know how many rows it has.
    return reader.batches(stored or reader.schema.names[:1], encoded=stored)


def _as_values(source: SourceRows, name: str, cells: TotalCells, column: Any) -> Values:
    grid = source.grid(name)
    codes, missing = cells.read(column)
    values = codes.astype(np.int64)
    if grid.stride != 1:
        values *= grid.stride
    if grid.first:
        values += grid.first
    return values, missing


def _whole(rows: Rows, needed: frozenset[str]) -> Frame:
    """Return all rows at once, with the person of each."""
    if isinstance(rows, SourceRows):
        return _read_people(rows, needed)
    if isinstance(rows, Filter):
        frame = _whole(rows.rows, needed)
        return frame.take(frame.truth(rows.condition))
    if isinstance(rows, Paired):
        return _pair(_whole(rows.left, needed), _whole(rows.right, needed))
    whole = _whole(rows.rows, needed)
    return _repeat(rows, whole) if isinstance(rows, Repeated) else _limit(rows, whole)


def _repeat(rows: Repeated, frame: Frame) -> Frame:
    found = frame.take(np.repeat(np.arange(frame.rows), rows.times))
    places = np.tile(np.arange(rows.times), frame.rows)
    return replace(found, columns={**found.columns, rows.name: (places, None)})


def _read_people(source: SourceRows, needed: frozenset[str]) -> Frame:

    frames = list(_read(source, needed))
    names = [name for name in source.fields if name in needed]
    columns = {name: _join([frame.columns[name] for frame in frames]) for name in names}
    rows = sum(frame.rows for frame in frames)
    if source.person is None:
        # Each row is a person: with one row and in one group, whatever the limit.
        return Frame(rows, columns)
    cells = [batch.column(0) for batch in source.table.batches([source.person])]
    kind = source.table.schema.field(source.person).type
    persons = pa.chunked_array(cells, cells[0].type if cells else kind)
    if pa.types.is_dictionary(persons.type):
        persons = persons.cast(persons.type.value_type)
    require_identifying(source.person, persons.type)
    whole = persons.combine_chunks()
    whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
    coded = whole.dictionary_encode()
    people = coded.dictionary.to_pylist()
    # Rows that name nobody are all one person's: that keeps fewer of them, never more.
    ids = coded.indices.cast(pa.int64()).fill_null(len(people)).to_numpy(zero_copy_only=False)
    return Frame(rows, columns, ids, [*people, None])


def require_identifying(name: str, kind: Any) -> None:
    """Raise InputError unless a column of this Arrow type can identify people."""
    if not (is_text(kind) or pa.types.is_integer(kind)):
        raise InputError(
            f"the column {name!r} identifies people and has the type {kind}; it must hold texts or "
            "whole numbers."
        )


def _join(parts: list[Values]) -> Values:
    values = np.concatenate([np.zeros(0, np.int64), *(one for one, _ in parts)])
    if all(missing is None for _, missing in parts):
        return values, None
    none = [np.zeros(len(one), np.bool_) if gap is None else gap for one, gap in parts]
    return values, np.concatenate(none)


def _limit(limit: Limit, frame: Frame) -> Frame:
    cells: Any = None
    if limit.groups is not None:
        cells, inside = cell_numbers(limit.by, frame)
        frame, cells = frame.take(inside), cells[inside]
    persons = frame.persons
    if persons is None:
        return frame
    if cells is not None:
        kept = _first_groups(limit, frame, persons, cells)
        frame, persons, cells = frame.take(kept), persons[kept], cells[kept]
        # From here on a person in a group counts as one person.
        size = int(cells.max(initial=0)) + 1
        persons = np.unique(persons * size + cells, return_inverse=True)[1].reshape(-1)
    return frame.take(_first_rows(limit, frame, persons))


def _first_groups(
    limit: Limit,
    frame: Frame,
    persons: NDArray[np.int64],
    cells: NDArray[np.int64],
    marks: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Return which rows are in the groups that are kept of their person, by marks of cells."""
    numbers = _person_numbers(limit, frame, persons)
    marks = cells if marks is None else marks
    scores = limit.score((numbers + limit.factor(0) * ((marks + 1) % PRIME)) % PRIME)
    order = np.lexsort((cells, scores, persons))
    who, what = persons[order], cells[order]
    new_person = np.append(True, who[1:] != who[:-1])[: len(who)]
    new_pair = new_person | np.append(True, what[1:] != what[:-1])[: len(who)]
    pairs = np.cumsum(new_pair)
    first = np.maximum.accumulate(np.where(new_person, pairs, 0))
    kept = np.zeros(len(persons), np.bool_)
    kept[order] = pairs - first < (limit.groups or 0)
    return kept


def _person_numbers(limit: Limit, frame: Frame, persons: NDArray[np.int64]) -> NDArray[np.int64]:
    places, back = np.unique(persons, return_inverse=True)
    numbers = [limit.person_number(frame.people[place]) for place in places.tolist()]
    return np.array(numbers, dtype=np.int64)[back.reshape(-1)]


def _first_rows(limit: Limit, frame: Frame, persons: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows are the first of their person, in the order of the salt."""
    kept = np.ones(len(persons), np.bool_)
    if not len(persons):
        return kept
    many = np.flatnonzero(np.bincount(persons)[persons] > limit.rows_each)
    if not many.size:
        return kept
    assert frame.persons is not None
    roots = _person_numbers(limit, frame, frame.persons[many])
    keys: list[NDArray[np.int64]] = []
    for place, node in enumerate(limit.reads, start=1):
        values, missing = frame.values(node)
        key = values[many] - node.low + 1
        if missing is not None:
            key = np.where(missing[many], 0, key)
        keys.append(key)
        roots = (roots + key % PRIME * limit.factor(place)) % PRIME
    order = np.lexsort((*reversed(keys), limit.score(roots), persons[many]))
    who = persons[many][order]
    first = np.maximum.accumulate(
        np.where(np.append(True, who[1:] != who[:-1]), np.arange(who.size), 0)
    )
    kept[many[order]] = np.arange(who.size) - first < limit.rows_each
    return kept


def _pair(left: Frame, right: Frame) -> Frame:
    assert left.persons is not None
    assert right.persons is not None
    known = {str(person): place for place, person in enumerate(left.people[:-1])}
    theirs = [*(known.get(str(person), -1) for person in right.people[:-1]), -1]
    ids = np.array(theirs, dtype=np.int64)[right.persons]
    order = np.argsort(ids, kind="stable")
    starts = np.searchsorted(ids[order], left.persons, side="left")
    ends = np.searchsorted(ids[order], left.persons, side="right")
    # The last place is that of rows that name nobody.
    counts = np.where(left.persons < len(left.people) - 1, ends - starts, 0)
    mine = np.repeat(np.arange(left.rows), counts)
    within = np.arange(len(mine)) - np.repeat(np.cumsum(counts) - counts, counts)
    one, other = left.take(mine), right.take(order[starts[mine] + within])
    return Frame(len(mine), {**one.columns, **other.columns}, one.persons, left.people)


def cell_numbers(by: Sequence[Node], frame: Frame) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the number of the cell of each row, and which rows are in one."""
    cells = np.zeros(frame.rows, dtype=np.int64)
    inside = np.ones(frame.rows, dtype=np.bool_)
    for node in by:
        values, missing = frame.values(node)
        cells = cells * (node.high - node.low + 1) + (values - node.low)
        if missing is not None:
            inside &= ~missing
    return cells, inside


def _add_up(tally: TallyRequest, frame: Frame, total: NDArray[Any]) -> None:
    cells, inside = cell_numbers(tally.by, frame)
    is_full = bool(inside.all())
    cells = cells if is_full else cells[inside]
    total[:, 0] += np.bincount(cells, minlength=tally.cells)
    for place, node in enumerate(tally.sums, start=1):
        values, missing = frame.values(node)
        if missing is not None:
            values = np.where(missing, 0, values)
        total[:, place] += _sums_in(cells, values if is_full else values[inside], node, tally.cells)


def _sums_in(cells: NDArray[Any], values: NDArray[np.int64], node: Node, size: int) -> Any:
    """Return the sums of whole numbers by cell, exactly."""
    # Nulls are here as 0, which need not be within the range.
    offset = min(node.low, 0)
    span = max(node.high, 0) - offset
    if offset:
        values = values - offset
    found: Any = np.zeros(size, dtype=object if span >= _SAFE else np.int64)
    for shift in range(0, max(span.bit_length(), 1), _LIMB):
        limb = (values >> shift) & ((1 << _LIMB) - 1)
        part = np.bincount(cells, weights=limb, minlength=size).astype(np.int64)
        found = found + (part.astype(object) << shift if found.dtype == object else part << shift)
    if offset:
        found = found + offset * np.bincount(cells, minlength=size).astype(found.dtype)
    return found
