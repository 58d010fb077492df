"""A plan applied to batches of rows: cells to codes, codes to draws, draws to cells.

What comes out depends on the input only through the mechanisms, the public columns and the
number of rows: no metadata, no dictionaries, no order of labels of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import DataError
from noisewright.mechanisms import Table
from noisewright.spaces import Curves, Records, Subsets
from noisewright.tables import (
    ArrowSchema,
    CurveOutputs,
    ItemSets,
    Outputs,
    RecordBatch,
    codes_of,
    cut_sets,
    outputs_for,
    public_type,
    stored_array,
    stored_type,
)

if TYPE_CHECKING:
    from noisewright.plans import Part, Plan
    from noisewright.sampling import Source


@final
@dataclass(frozen=True)
class Encoded:
    """The cells of a batch as codes, one entry for each part, and the public columns as given."""

    rows: int
    parts: tuple[Any, ...]
    public: tuple[Any, ...]

    @property
    def nbytes(self) -> int:
        """How many bytes the codes take."""
        return sum(map(_nbytes, self.parts)) + sum(array.nbytes for array in self.public)

    def keep(self, mask: NDArray[np.bool_]) -> Encoded:
        """Return some of the rows."""
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def take(self, places: NDArray[np.intp]) -> Encoded:
        """Return the rows at these places, in this order."""
        import pyarrow as pa

        parts = tuple(_take(part, places) for part in self.parts)
        public = tuple(array.take(pa.array(places)) for array in self.public)
        return Encoded(len(places), parts, public)

    def slice(self, start: int, end: int) -> Encoded:
        """Return the rows from one place up to another, without copying them."""
        parts = tuple(_slice(part, start, end) for part in self.parts)
        public = tuple(array.slice(start, end - start) for array in self.public)
        return Encoded(end - start, parts, public)

    @staticmethod
    def concatenate(batches: Sequence[Encoded]) -> Encoded:
        """Return the rows of some batches, one after the other."""
        import pyarrow as pa

        parts = zip(*(batch.parts for batch in batches), strict=True)
        public = zip(*(batch.public for batch in batches), strict=True)
        return Encoded(
            sum(batch.rows for batch in batches),
            tuple(_concatenate(each) for each in parts),
            tuple(pa.concat_arrays(each) for each in public),
        )


def _nbytes(codes: Any) -> int:
    if isinstance(codes, ItemSets):
        return codes.indices.nbytes + codes.offsets.nbytes
    return codes.nbytes


def _take(codes: Any, places: NDArray[np.intp]) -> Any:
    if not isinstance(codes, ItemSets):
        return codes[places]
    sizes = codes.sizes[places]
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    from_start = np.repeat(codes.offsets[:-1][places] - offsets[:-1], sizes)
    return ItemSets(codes.indices[from_start + np.arange(offsets[-1])], offsets)


def _slice(codes: Any, start: int, end: int) -> Any:
    if not isinstance(codes, ItemSets):
        return codes[start:end]
    offsets = codes.offsets[start : end + 1]
    return ItemSets(codes.indices[offsets[0] : offsets[-1]], offsets - offsets[0])


def _concatenate(codes: Sequence[Any]) -> Any:
    if not isinstance(codes[0], ItemSets):
        return np.concatenate(codes)
    sizes = np.concatenate([sets.sizes for sets in codes])
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return ItemSets(np.concatenate([sets.indices for sets in codes]), offsets)


@final
class Randomizer:
    """A plan, ready for batches of Arrow columns; it can be pickled and shared by threads."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.table = plan.schema
        # The makers of the released columns are the same for every batch.
        self._makers: dict[tuple[Any, ...], dict[str, Outputs]] = {}

    @property
    def parts(self) -> tuple[Part, ...]:
        """The mechanisms; cells are read without them."""
        return self.plan.parts

    def schema(self, given: ArrowSchema) -> ArrowSchema:
        """Return the names and types that leave, in the order of the input.

        Raises InputError when the plan and the table do not fit; no cell is looked at.
        """
        import pyarrow as pa

        self.table.require_fit(given)
        released: list[Any] = []
        makers = self._outputs(given)
        for field in given:
            if field.name in self.table.fields:
                released.append(pa.field(field.name, makers[field.name].type, nullable=False))
            elif field.name in self.plan.public:
                released.append(pa.field(field.name, public_type(field.type)))
        return pa.schema(released)

    def require_fit(self, given: ArrowSchema) -> None:
        """Raise InputError when the plan and the table do not fit, as far as that is known yet."""
        if self.plan.has_mechanisms:
            self.schema(given)
        else:
            self.table.require_fit(given)

    def _outputs(self, given: ArrowSchema) -> dict[str, Outputs]:
        kinds = tuple(stored_type(given.field(name).type) for name in self.table.fields)
        if kinds not in self._makers:
            self._makers[kinds] = _makers(
                self.parts, dict(zip(self.table.fields, kinds, strict=True))
            )
        return self._makers[kinds]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_makers": {}}

    def encode(self, batch: RecordBatch, first_row: int = 0) -> Encoded:
        """Read the cells, or raise OutsideSpaceError with the column and the row; no randomness.

        `first_row` is how many rows came before this batch; rows are counted from 1.
        """
        parts: list[Any] = []
        for columns, space in self.plan.groups:
            codes = [self.table.codes(name, batch.column(name), first_row) for name in columns]
            parts.append(codes[0] if len(codes) == 1 else _join_codes(space, codes))
        public = tuple(_public(name, batch.column(name)) for name in self.plan.public)
        return Encoded(batch.num_rows, tuple(parts), public)

    def check(self, batch: RecordBatch, first_row: int = 0) -> None:
        """Raise OutsideSpaceError, with the column and the row, unless every cell is allowed."""
        self.table.require_fit(batch.schema)
        self.encode(batch, first_row)

    def draw(
        self,
        encoded: Encoded,
        given: ArrowSchema,
        *,
        source: Source | None = None,
        texts: bool = False,
    ) -> RecordBatch:
        """Draw the released rows for encoded ones; `given` is the schema of the input.

        With `texts`, texts come as plain texts, else as dictionaries of the declared labels, which
        are quicker to write.
        """
        import pyarrow as pa

        makers = self._outputs(given)
        drawn: dict[str, Any] = dict(zip(self.plan.public, encoded.public, strict=True))
        for part, codes in zip(self.parts, encoded.parts, strict=True):
            found = _draw_part(part, codes, source)
            for name, values in zip(part.columns, found, strict=True):
                drawn[name] = makers[name].array(values)
        names = [name for name in given.names if name in drawn]
        arrays = [drawn[name] for name in names]
        if texts:
            kinds = [makers[name].type if name in makers else drawn[name].type for name in names]
            arrays = [
                array if array.type.equals(kind) else array.cast(kind)
                for array, kind in zip(arrays, kinds, strict=True)
            ]
        fields = [
            pa.field(name, array.type, nullable=name not in makers)
            for name, array in zip(names, arrays, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    def randomize(
        self, batch: RecordBatch, first_row: int = 0, source: Source | None = None
    ) -> RecordBatch:
        """Return the released rows of a batch, independent draws for each row.

        Ensures: each row has the guarantee `plan.row_guarantee`. How many rows a person may have
        and the order of rows are not this function's business.
        """
        self.table.require_fit(batch.schema)
        encoded = self.encode(batch, first_row)
        return self.draw(encoded, batch.schema, source=source, texts=True)


def _makers(parts: tuple[Part, ...], types: dict[str, Any]) -> dict[str, Outputs]:
    """Return the makers of the released columns."""
    found: dict[str, Outputs] = {}
    for part in parts:
        if isinstance(part.space, Curves):
            found[part.name] = CurveOutputs(len(part.space.grid), types[part.name])
            continue
        outputs = part.mechanism.outputs
        spaces = [s for _, s in outputs.columns] if isinstance(outputs, Records) else [outputs]
        for name, space in zip(part.columns, spaces, strict=True):
            found[name] = outputs_for(space, types[name])
    return found


def _draw_part(part: Part, codes: Any, source: Source | None) -> list[Any]:
    """Return what the mechanism of a part draws, one entry for each of its columns."""
    mechanism: Any = part.mechanism
    if isinstance(part.space, Curves):
        return [mechanism.sample_steps(codes, source=source).values]
    if isinstance(part.space, Subsets):
        # The column says whether larger sets are cut: none is left if they are errors.
        codes = cut_sets(codes, part.space.most, source)
        if isinstance(mechanism, Table):
            return [mechanism.draw(codes_of(part.space, codes), source)]
        indices, offsets = mechanism.sample((codes.indices, codes.offsets), source=source)
        return [ItemSets(indices, offsets)]
    drawn = mechanism.draw(codes, source)
    if len(part.columns) == 1:
        return [drawn]
    outputs: Any = mechanism.outputs
    found: list[Any] = []
    drawn = drawn.astype(np.intp)
    for _, space in reversed(outputs.columns):
        found.append(drawn % space.size)
        drawn = drawn // space.size
    return found[::-1]


def _join_codes(space: Any, codes: list[Any]) -> NDArray[Any]:
    """Return the codes of records from those of their columns, the last one fastest."""
    joined = codes[0].astype(np.intp)
    for (_, column), part in zip(space.columns[1:], codes[1:], strict=True):
        joined = joined * column.size + part
    return joined.astype(np.min_scalar_type(space.size))


def _public(name: str, array: Any) -> Any:
    """Return a public column without anything but its values."""
    import pyarrow as pa

    try:
        return _only_values(stored_array(array))
    except (pa.ArrowException, ArithmeticError, RuntimeError, TypeError, ValueError):
        failed = DataError(
            f"the public column {name!r} has the type {array.type}, and pyarrow cannot copy some "
            "of its values. Convert the column, to texts for example, or drop it."
        )
    # Outside of the handler: the message of pyarrow quotes values.
    raise failed


def _only_values(array: Any) -> Any:
    import pyarrow as pa

    kind = public_type(array.type)
    plain = array if array.type.equals(kind) else array.cast(kind)
    # Rebuilt, so that nothing is left behind empty cells, those inside of others included.
    if pa.types.is_nested(kind):
        return pa.array(plain.to_pylist(), kind)
    return plain.take(pa.array(np.arange(len(plain)))) if plain.null_count else plain
