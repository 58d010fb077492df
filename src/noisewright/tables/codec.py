"""The codes of one column in any form: Arrow, numpy, pandas, Polars, lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from noisewright.errors import InputError
from noisewright.given import several
from noisewright.on_use import pa
from noisewright.tables.cells import Cells, read_or_refuse
from noisewright.tables.field import Field


def cells_for(field: Field) -> Cells:
    """Return the reader of cells for a field's space."""
    # Each loads on use: a first mechanism does not wait for the others.
    from noisewright.spaces import Categories, Counts

    if isinstance(field.space, Categories):
        from noisewright.tables.label_cells import LabelCells

        return LabelCells(field)
    from noisewright.tables.number_cells import CountCells, LatticeCells, NumberCells

    if isinstance(field.space, Counts):
        return CountCells(field)
    from noisewright.spaces import Curves, Dates, Interval, Lattice, Subsets

    if isinstance(field.space, Dates):
        from noisewright.tables.date_cells import DateCells

        return DateCells(field)

    if isinstance(field.space, Interval):
        return NumberCells(field)
    if isinstance(field.space, Lattice):
        return LatticeCells(field)
    from noisewright.tables.list_cells import CurveCells, PointCells, SetCells

    if isinstance(field.space, Subsets):
        return SetCells(field)
    return CurveCells(field) if isinstance(field.space, Curves) else PointCells(field)


def column_codes(cells: Cells, column: Any, *, name: str | None = None, first_row: int = 0) -> Any:
    """Return the codes of a column, or of a piece of one before which there are `first_row` rows.

    Raises OutsideSpaceError with the row, and the `name` of the column if it has one, of a cell
    that the field does not allow.
    """
    return read_or_refuse(lambda: cells.encode(as_column(column)), name=name, first_row=first_row)


def is_from(library: str, value: Any) -> bool:
    """Tell whether a value is one of a library, without loading the library."""
    return type(value).__module__.split(".")[0] == library


def as_column(values: Any) -> Any:
    """Return a column as an Arrow array, a numpy array or a list, the forms that `Cells` read.

    Ensures: nothing is guessed from the values but the type of a list of numbers of one type.
    """
    if isinstance(values, (np.ndarray, list, tuple)):
        return values if isinstance(values, np.ndarray) else _from_list(values)
    if is_from("pyarrow", values) and hasattr(values, "null_count"):
        return in_one_piece(getattr(values, "storage", values))
    if is_from("pyarrow", values) or (is_from("polars", values) and not hasattr(values, "dtype")):
        library = type(values).__module__.partition(".")[0]
        raise InputError(
            f"inputs is a {type(values).__name__} of {library}; give one column, such as an Arrow "
            "array."
        )
    if is_from("polars", values):
        return values.to_list() if str(values.dtype) == "Object" else values.to_arrow()
    kind = getattr(values, "dtype", None)
    if is_from("pandas", values) and kind is not None and not isinstance(kind, np.dtype):
        return _from_pandas(values)
    if hasattr(values, "to_numpy"):
        return np.asarray(values.to_numpy())
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(
            f"inputs is a {type(values).__name__}; give a point, a list, a numpy array, an Arrow "
            "array, or a column of pandas or Polars."
        )
    return _from_list(several(values, name="inputs", of="points"))


def in_one_piece(array: Any) -> Any:
    """Return an Arrow array; a chunked one is joined."""
    if not hasattr(array, "chunks"):
        return array
    if array.num_chunks == 1:
        return array.chunk(0)
    whole = array.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _from_list(values: Any) -> Any:
    kinds = set(map(type, values))
    if len(kinds) == 1 and issubclass(kinds.pop(), (bool, int, float, np.number, np.bool_)):
        array = np.array(values)
        return array if array.ndim == 1 and array.dtype.kind in "iufb" else list(values)
    return values


def _from_pandas(values: Any) -> Any:
    """Return a column whose type is one of pandas: categories, texts, numbers with gaps."""
    try:
        import pyarrow as pa

        return in_one_piece(pa.Array.from_pandas(values))
    except (ImportError, TypeError, ValueError):
        return values.to_list()
