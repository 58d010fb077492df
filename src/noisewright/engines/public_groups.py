"""How many rows share their public values: among so few a row can hide when rows are shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from noisewright.errors import InputError
from noisewright.tables import ArrowSchema, public_type

_MOST_GROUPS = 1 << 21
_WAITING = 1 << 17


@final
class PublicGroups:
    """Takes public columns batch by batch; `smallest` is the size of the smallest group."""

    def __init__(self, names: Sequence[str], given: ArrowSchema) -> None:
        import pyarrow as pa

        self._names = list(names)
        for name in names:
            if pa.types.is_nested(public_type(given.field(name).type)):
                raise InputError(
                    f"the public column {name!r} holds lists, by which rows are not grouped. Drop "
                    "it, or say order = 'kept'."
                )
        self._held: list[Any] = []
        self._waiting = 0

    def put(self, arrays: Sequence[Any]) -> None:
        """Take the next rows."""
        import pyarrow as pa

        keys = [str(place) for place in range(len(self._names))]
        table = pa.table([_bits(array) for array in arrays], names=keys)
        counts = table.group_by(keys).aggregate([([], "count_all")])
        self._held.append(counts.rename_columns([*keys, "rows"]))
        self._waiting += counts.num_rows
        if self._waiting > _WAITING:
            self._join()

    @property
    def smallest(self) -> int:
        """How many rows the smallest group has."""
        return int(self._join().column("rows").to_numpy().min())

    def _join(self) -> Any:
        import pyarrow as pa

        whole = pa.concat_tables(self._held)
        keys = whole.column_names[:-1]
        joined = whole.group_by(keys).aggregate([("rows", "sum")])
        if joined.num_rows > _MOST_GROUPS:
            raise too_small(self._names, 1)
        self._held, self._waiting = [joined.rename_columns([*keys, "rows"])], 0
        return self._held[0]


def too_small(names: Sequence[str], rows: int) -> InputError:
    """Say that some rows have too few others to hide among."""
    few = f"only {rows:,} rows share their" if rows > 1 else "a row shares with no other its"
    return InputError(
        f"{few} values of {', '.join(names)}, which are public: that is "
        "too few to hide among, and shuffling would promise such a person nothing more. Make the "
        "public columns coarser, drop them, or say order = 'kept'. Nothing was spent."
    )


def _bits(array: Any) -> Any:
    """Return a column whose cells are equal where they would be written alike."""
    import pyarrow as pa

    kinds = {pa.float16(): pa.int16(), pa.float32(): pa.int32(), pa.float64(): pa.int64()}
    return array.view(kinds[array.type]) if array.type in kinds else array
