"""Reads released data column by column, in pieces that fit into memory, as codes of outputs."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.mechanisms import Additive, Laplace
from noisewright.spaces import Lattice, Space
from noisewright.tables import (
    Field,
    Schema,
    TableReader,
    arrow,
    column_codes,
    open_table,
    read_inputs,
)

BATCH = 1 << 16
"""Rows that are counted at a time: codes of a dozen columns stay in the cache."""


def released_codes(
    values: Any,
    space: Space,
    outputs: Space,
    *,
    name: str | None = None,
    first_row: int = 0,
) -> NDArray[Any]:
    """Return the codes of released values, in a narrow type.

    `space` holds the inputs. Outputs of unbounded noise are clamped to it, as their channel
    expects. An error names the row of a value that is no output.
    """
    try:
        if not isinstance(outputs, Lattice):
            return read_inputs(outputs, values).codes
        clamped = np.clip(_steps(values, outputs), 0, space.size - 1)
        return clamped.astype(np.min_scalar_type(space.size - 1))
    except OutsideSpaceError as problem:
        failed = not_released(problem, outputs, name, first_row)
    raise failed


def _steps(values: Any, lattice: Lattice) -> NDArray[np.float64]:
    """Return whole steps from the origin of a lattice."""
    given = values if hasattr(values, "__len__") else [values]
    return column_codes(Field.of(lattice).cells, given)


def released_numbers(
    values: Any, mechanism: Additive, *, name: str | None = None, first_row: int = 0
) -> NDArray[np.float64]:
    """Return released numbers as they are, before any clamping as far as that can be known.

    What Laplace noise is beyond an end depends on nothing but the end: a number there is replaced
    by what is expected, α/(1 − α) steps further out. It is unbiased then, and varies no more than
    without clamping.
    """
    outputs, low, step = mechanism.outputs, float(mechanism.space.low), float(mechanism.space.step)
    try:
        if isinstance(outputs, Lattice):
            return low + step * _steps(values, outputs)
        if not isinstance(mechanism, Laplace):
            mechanism.space.require_enumerable("numbers with clamped noise")
        codes = read_inputs(outputs, values).codes.astype(np.float64)
    except OutsideSpaceError as problem:
        failed = not_released(problem, outputs, name, first_row)
        raise failed from None
    assert isinstance(mechanism, Laplace)
    beyond = 1 / math.expm1(float(mechanism.decay))
    ends = (codes == mechanism.space.size - 1).astype(np.float64) - (codes == 0)
    return low + step * (codes + beyond * ends)


def not_released(
    problem: OutsideSpaceError, space: Space, name: str | None, first_row: int
) -> OutsideSpaceError:
    """Return the error that names a value which the mechanism cannot have released."""
    where = "" if problem.row is None else f" at row {problem.row + first_row + 1:,}"
    column = "the value" if name is None else f"the column {name!r}"
    why = f" ({problem.why})" if problem.why else ""
    return OutsideSpaceError(
        f"{column}{where} is not an output of the mechanism, whose outputs are {space!r}{why}. "
        "Estimate with the mechanism that released this data, without rows "
        "that it did not release.",
        row=None if problem.row is None else problem.row + first_row,
        why=problem.why,
    )


def column_batches(
    released: Any, layout: TableLayout, names: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    """Yield the named columns, batch by batch; others are ignored.

    Takes an Arrow table, batch or stream of batches, a path to a Parquet, Feather or CSV file or a
    folder of Parquet files, a data frame that speaks Arrow, or a mapping from names to columns.
    Cells of a CSV file are read as the outputs of `layout` say.
    """
    if isinstance(released, Mapping):
        require_columns(released, names)
        yield released
        return
    if isinstance(released, (str, os.PathLike, TableReader)):
        spaces = {
            name: layout.space(name) if layout.kind(name) == "curves" else layout.outputs(name)
            for name in names
            if layout.kind(name) != "public"
        }
        fields = {name: Field.of(space) for name, space in spaces.items()}
        public = tuple(name for name in names if name not in fields)
        reader = open_table(
            released, schema=Schema(fields, public=public, others="drop"), released=True
        )
        require_columns(reader.schema.names, names)
        kinds = {name: str(reader.schema.field(name).type) for name in names}
        texts = [name for name, kind in kinds.items() if kind in ("string", "large_string")]
        released = reader.batches(names, encoded=texts)
    elif hasattr(released, "to_batches"):
        released = released.to_batches()
    elif hasattr(released, "column_names") and hasattr(released, "slice"):
        released = [released]
    elif hasattr(released, "__arrow_c_stream__"):
        released = arrow().RecordBatchReader.from_stream(released)
    if isinstance(released, (bytes, np.ndarray)) or not isinstance(released, Iterable):
        raise InputError(
            f"the released data is a {type(released).__name__}; give an Arrow table, a stream of "
            "record batches, the path of a Parquet, Feather or CSV file, or a mapping of columns."
        )
    for batch in released:
        if not hasattr(batch, "column") or not hasattr(batch, "schema"):
            raise InputError(
                f"the released data holds a {type(batch).__name__} where a record batch with the "
                f"columns {list(names)} is needed. Give a table or a mapping of columns."
            )
        require_columns(batch.schema.names, names)
        for start in range(0, batch.num_rows, BATCH):
            part = batch.slice(start, BATCH)
            yield {name: part.column(name) for name in names}


def require_columns(given: Iterable[str], names: Sequence[str]) -> None:
    """Raise unless all named columns are among those given."""
    known = list(given)
    missing = [name for name in names if name not in known]
    if missing:
        raise InputError(
            f"the released data has no column {', '.join(map(repr, missing))}; it has "
            f"{', '.join(map(repr, known[:20])) or 'none'}. Name the columns as the mechanism does."
        )
