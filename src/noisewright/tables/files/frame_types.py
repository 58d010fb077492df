"""Types that a data frame has only because of what it holds, and what is read in their place.

Frames choose types by values: pandas makes doubles of whole numbers when one is missing, Polars
takes eight bits when a list of objects has such numbers, both have no type at all for a column in
which every cell is empty. What is released must not tell which of them it was.
"""

from __future__ import annotations

from typing import Any

from noisewright.tables.files.table_reader import BATCH


def widen(kind: Any, array: Any) -> Any:
    """Return whole numbers of a numpy type in 64 bits.

    With one cell missing pandas would have made doubles of them, which are released in 64 bits:
    the width of a released column must not tell which of the two it was.
    """
    import pyarrow as pa

    if getattr(kind, "kind", "") not in ("i", "u") or not hasattr(kind, "newbyteorder"):
        return array
    # Without a sign they are wide already, and may be too large; they are not released like that.
    return array if pa.types.is_uint64(array.type) else array.cast(pa.int64())


def plain_type(kind: Any) -> Any:
    """Return a type with short texts, in place of those that frames have for their own sake."""
    import pyarrow as pa

    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, plain_type(kind.value_type), kind.ordered)
    if pa.types.is_list(kind):
        return pa.list_(plain_type(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(plain_type(kind.value_type))
    return kind


def frame_type(kind: Any, *, numbers: bool) -> Any:
    """Return the type in which a private column of a frame is read: as wide as one without values.

    `numbers` says whether plain numbers may have their width from values, as those of Polars.
    Categories always may: they are what the column holds.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        values = frame_type(kind.value_type, numbers=True)
        return pa.dictionary(kind.index_type, values, kind.ordered)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = frame_type(kind.value_type, numbers=numbers)
        short = numbers or pa.types.is_list(kind)
        return pa.list_(inner) if short else pa.large_list(inner)
    if numbers and pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return pa.int64()
    if numbers and pa.types.is_floating(kind):
        return pa.float64()
    return kind


def in_small_parts(column: Any, wanted: Any) -> Any:
    """Return a chunked array in another type, in parts: short texts hold two gigabytes at most."""
    import pyarrow as pa

    if wanted == column.type:
        return column
    pieces: list[Any] = []
    for piece in column.chunks:
        if pa.types.is_dictionary(wanted):
            values = piece.dictionary.cast(wanted.value_type)
            made = pa.DictionaryArray.from_arrays(piece.indices, values, ordered=wanted.ordered)
            pieces.append(made)
        else:
            starts = range(0, len(piece), BATCH)
            pieces += [piece.slice(start, BATCH).cast(wanted) for start in starts]
    return pa.chunked_array(pieces, type=wanted)
