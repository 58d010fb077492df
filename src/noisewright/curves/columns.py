"""Released curves in the form of a column of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisewright.curves.bases import Floats


def as_column(values: Floats, given: Any) -> Any:
    """Return rows of values as an Arrow column of lists if one was given, else as they are."""
    if type(given).__module__.split(".")[0] != "pyarrow":
        return values
    import pyarrow as pa

    kind = given.type
    flat = pa.array(np.ascontiguousarray(values).reshape(-1))
    if pa.types.is_fixed_size_list(kind):
        column = pa.FixedSizeListArray.from_arrays(flat, values.shape[1])
    else:
        offsets = np.arange(len(values) + 1) * values.shape[1]
        large = pa.types.is_large_list(kind)
        maker = pa.LargeListArray if large else pa.ListArray
        column = maker.from_arrays(pa.array(offsets.astype(np.int64 if large else np.int32)), flat)
    return pa.chunked_array([column]) if isinstance(given, pa.ChunkedArray) else column
