"""At most so many rows of each person: whose rows they are, and which of them are kept.

A person is known by a 64-bit hash of the cell, keyed anew in each run: every byte of the cell
picks a random number from a table of its position, and these are combined by XOR, so that two
different cells get the same hash with a probability of about 2^-64. Two people with one hash
count as one person: that may drop rows and never keeps more.

Memory: 24 to 48 bytes for each person, and 4 bytes for each row that is kept of a person who has
more rows than are kept.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError
from noisewright.sampling import default_source, uniform_below_each
from noisewright.tables import is_text

if TYPE_CHECKING:
    from noisewright.sampling import Source

_POSITIONS = 256
"""Longer cells are first shortened to 64 bytes by a cryptographic hash."""

_MOST_ROWS = 1 << 32
_COMPARED = 1 << 22
"""Rows times chosen rows that are compared at once."""


@final
class PersonKeys:
    """Turns the cells that identify people into 64-bit hashes under a random key."""

    def __init__(self, column: str) -> None:
        self._column = column
        self._tables = default_source().words(_POSITIONS * 256)

    def require_type(self, kind: Any) -> None:
        """Raise InputError unless the column can identify people."""
        import pyarrow as pa

        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        whole = pa.types.is_integer(kind) or pa.types.is_temporal(kind)
        if not (is_text(kind) or whole or pa.types.is_decimal(kind)):
            raise InputError(
                f"the column {self._column!r} identifies people and has the type {kind}; it must "
                "hold texts or whole numbers."
            )

    def hashes(self, array: Any, first_row: int = 0) -> NDArray[np.uint64]:
        """Return the hash of each cell; an empty one is an error."""
        import pyarrow as pa

        if array.null_count:
            row = first_row + int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise OutsideSpaceError(
                f"the column {self._column!r} at row {row + 1:,} is empty, but it must "
                "identify the person that the row belongs to. Fill it, or drop the row.",
                row=row,
                why="is empty",
            )
        if pa.types.is_dictionary(array.type):
            known = self._hash(array.dictionary.drop_null())
            if len(known) < len(array.dictionary):
                return self.hashes(array.dictionary_decode(), first_row)
            return known[array.indices.to_numpy(zero_copy_only=False)]
        return self._hash(array)

    def _hash(self, array: Any) -> NDArray[np.uint64]:
        import pyarrow as pa

        kind = array.type
        if pa.types.is_integer(kind) or pa.types.is_temporal(kind):
            if pa.types.is_temporal(kind):
                array = array.view(pa.int32() if kind.bit_width == 32 else pa.int64())
            return self._of_numbers(array.to_numpy(zero_copy_only=False))
        if pa.types.is_decimal(kind):
            array = array.cast(pa.string())
        return self._of_texts(array.cast(pa.large_binary()))

    def _of_numbers(self, values: NDArray[Any]) -> NDArray[np.uint64]:
        wide = values.astype(np.int64 if values.dtype.kind == "i" else np.uint64).view(np.uint64)
        found = np.zeros(len(wide), dtype=np.uint64)
        for position in range(8):
            byte = (wide >> np.uint64(8 * position)) & np.uint64(255)
            found ^= self._tables[byte.astype(np.intp) + 256 * position]
        return np.maximum(found, np.uint64(1))

    def _of_texts(self, array: Any) -> NDArray[np.uint64]:
        array = _shorten(array)
        lengths = _lengths(array)
        ends = np.cumsum(lengths)
        starts = ends - lengths
        found = np.zeros(len(lengths), dtype=np.uint64)
        filled = lengths > 0
        if filled.any():
            data = _bytes_of(array, int(ends[-1]))
            position = np.arange(len(data)) - np.repeat(starts, lengths)
            terms = self._tables[position * 256 + data]
            found[filled] = np.bitwise_xor.reduceat(terms, starts[filled])
        return np.maximum(found, np.uint64(1))


def _lengths(array: Any) -> NDArray[np.int64]:
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64)
    return np.diff(offsets[array.offset : array.offset + len(array) + 1])


def _shorten(array: Any) -> Any:
    import pyarrow as pa

    if _lengths(array).max(initial=0) <= _POSITIONS:
        return array
    cells = array.to_pylist()
    short = [hashlib.blake2b(c).digest() if len(c) > _POSITIONS else c for c in cells]
    return pa.array(short, pa.large_binary())


def _bytes_of(array: Any, count: int) -> NDArray[np.uint8]:
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64)
    start = int(offsets[array.offset])
    return np.frombuffer(array.buffers()[2], dtype=np.uint8)[start : start + count]


@final
class PersonRows:
    """How many rows each person has: a hash table that takes many at once."""

    def __init__(self, capacity: int = 1 << 16) -> None:
        self._keys = np.zeros(capacity, dtype=np.uint64)
        self.counts = np.zeros(capacity, dtype=np.uint32)
        self.people = 0

    def add(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Count rows; return the place of each one's person and how many rows came before."""
        different, inverse, repeats = np.unique(hashes, return_inverse=True, return_counts=True)
        while 2 * (self.people + different.size) > self._keys.size:
            self._grow()
        places = self.places(different)
        before = self.counts[places].astype(np.int64)
        if int(before.max(initial=0)) + len(hashes) >= _MOST_ROWS:
            raise InputError("a person has more than 4 billion rows; divide the table first.")
        self.counts[places] += repeats.astype(np.uint32)
        order = np.argsort(inverse, kind="stable")
        rank = np.empty(len(hashes), dtype=np.int64)
        rank[order] = np.arange(len(hashes)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        return places[inverse], before[inverse] + rank

    def places(self, different: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return where these people are kept, each given once; new ones are put there."""
        mask = self._keys.size - 1
        places = (different & np.uint64(mask)).astype(np.intp)
        pending = np.arange(different.size)
        while pending.size:
            where = places[pending]
            wanted = different[pending]
            free = self._keys[where] == 0
            # Of several that want one free place the last one gets it; the others go on.
            self._keys[where[free]] = wanted[free]
            settled = self._keys[where] == wanted
            self.people += int((settled & free).sum())
            pending = pending[~settled]
            places[pending] = (places[pending] + 1) & mask
        return places

    def find(self, different: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return where these people are kept, −1 for those who are not."""
        mask = self._keys.size - 1
        places = (different & np.uint64(mask)).astype(np.intp)
        pending = np.arange(different.size)
        while pending.size:
            found = self._keys[places[pending]]
            missing = found == 0
            open_ = ~missing & (found != different[pending])
            places[pending[missing]] = -1
            pending = pending[open_]
            places[pending] = (places[pending] + 1) & mask
        return places

    def _grow(self) -> None:
        keys, counts = self._keys, self.counts
        used = keys != 0
        self._keys = np.zeros(2 * keys.size, dtype=np.uint64)
        self.counts = np.zeros(2 * keys.size, dtype=np.uint32)
        self.people = 0
        self.counts[self.places(keys[used])] = counts[used]

    def count_released(self, most: int) -> int:
        """Return how many rows are left when each person keeps at most so many."""
        return int(np.minimum(self.counts, min(most, _MOST_ROWS - 1)).sum(dtype=np.int64))


@final
class Kept:
    """Decides row by row, in the order of the table, which rows of each person are kept.

    "first": the first ones. "random": every choice of that many of a person's rows is equally
    likely (Floyd's algorithm, in exact integer draws); it needs the number of each one's rows.
    """

    def __init__(
        self, rows: int, keep: str, totals: PersonRows | None, source: Source | None
    ) -> None:
        self._most = rows
        self._seen = PersonRows()
        self._totals = totals if keep == "random" else None
        if self._totals is not None:
            many = np.flatnonzero(self._totals.counts > rows)
            self._line = np.full(self._totals.counts.size, -1, dtype=np.int32)
            self._line[many] = np.arange(many.size)
            self._chosen = chosen_rows(self._totals.counts[many], rows, source)

    def rows(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Tell which of these rows are kept."""
        _, before = self._seen.add(hashes)
        first = before < self._most
        if self._totals is None:
            return first
        different, inverse = np.unique(hashes, return_inverse=True)
        known = self._totals.find(different)
        line = np.where(known >= 0, self._line[known], -1)[inverse]
        kept = first
        # Some at a time: each is compared with all the rows that were chosen of its person.
        many = np.flatnonzero(line >= 0)
        step = max(1, _COMPARED // self._most)
        for start in range(0, many.size, step):
            some = many[start : start + step]
            kept[some] = (self._chosen[line[some]] == before[some, None]).any(axis=1)
        return kept


def chosen_rows(totals: NDArray[Any], most: int, source: Source | None) -> NDArray[np.uint32]:
    """Return for each total a uniformly random set of `most` numbers below it, one set a row."""
    chosen = np.zeros((len(totals), most), dtype=np.uint32)
    for place in range(most):
        last = totals.astype(np.int64) - most + place
        drawn = uniform_below_each(last + 1, source)
        taken = (chosen[:, :place] == drawn[:, None]).any(axis=1)
        chosen[:, place] = np.where(taken, last, drawn)
    return chosen
