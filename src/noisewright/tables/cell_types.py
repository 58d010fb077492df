"""Which Arrow types hold which cells, and names for pyarrow's own, which ships no types."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisewright.on_use import pa

Array = Any
DataType = Any
ArrowField = Any
RecordBatch = Any
ArrowSchema = Any
ArrowTable = Any


def is_text(kind: Any) -> bool:
    """Tell whether a type holds texts or bytes."""
    known = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
        pa.types.is_fixed_size_binary,
    )
    return any(test(kind) for test in known)


def is_string(kind: Any) -> bool:
    """Tell whether a type holds plain texts."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_number(kind: Any) -> bool:
    """Tell whether a type holds numbers, or nothing at all."""
    if pa.types.is_dictionary(kind):
        return is_number(kind.value_type)
    known = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
    return any(test(kind) for test in known)


def is_temporal(kind: Any) -> bool:
    """Tell whether a type holds dates, times or spans of time."""
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_temporal(values)


def is_list(kind: Any) -> bool:
    """Tell whether a type holds lists."""
    return (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def is_label_type(kind: Any, labels: str) -> bool:
    """Tell whether a type can hold labels that are "text", "bytes", "number" or "truth"."""
    if pa.types.is_dictionary(kind):
        return is_label_type(kind.value_type, labels)
    if pa.types.is_null(kind):
        return True
    if labels == "truth":
        return pa.types.is_boolean(kind)
    if labels == "number":
        return pa.types.is_integer(kind) or pa.types.is_floating(kind)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return is_text(kind) and any(test(kind) for test in texts) == (labels == "text")


def plain_array(array: Any) -> Any:
    """Return an array in a type that is easy to read: no views, no decimals, no null lists."""
    kind = array.type
    if pa.types.is_string_view(kind):
        return array.cast(pa.large_string())
    if pa.types.is_binary_view(kind):
        return array.cast(pa.large_binary())
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        return array.cast(pa.float64())
    if pa.types.is_null(kind):
        return array.cast(pa.float64())
    if pa.types.is_dictionary(kind) and is_number(kind.value_type):
        return plain_array(array.dictionary_decode())
    if is_list(kind):
        # Null lists become empty ones; what may lie behind them is left out by flatten().
        if pa.types.is_fixed_size_list(kind):
            lengths = np.where(
                array.is_valid().to_numpy(zero_copy_only=False), kind.list_size, 0
            ).astype(np.int64)
        else:
            lengths = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
        return pa.LargeListArray.from_arrays(pa.array(offsets), plain_array(array.flatten()))
    return array
