"""Sets and curves in one text, as in CSV files and sheets: "milk;bread", "1.5;2;2.5".

Spaces around items do not matter, nor does an item without letters. A text without items is an
empty set; an empty cell is none, and counts as what the field says of empty cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from noisewright.errors import TargetError
from noisewright.given import brief
from noisewright.on_use import pa, pc
from noisewright.spaces import Subsets
from noisewright.tables.plain_cells import number_in
from noisewright.tables.schema import Schema

SEPARATOR = ";"
"""The default separator between items, and the one in everything released."""


def split_lists(cells: Any, separator: str, kind: Any) -> Any:
    """Return texts as lists of a type; None if an item is not of it."""
    lists = pc.call_function("split_pattern", [cells], pc.SplitPatternOptions(separator))
    values = pc.call_function("utf8_trim_whitespace", [lists.flatten()])
    kept = pc.call_function("utf8_length", [values]).to_numpy(zero_copy_only=False) > 0
    lengths = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(len(cells)), lengths)[kept]
    ends = np.searchsorted(rows, np.arange(len(cells) + 1)).astype(np.int64)
    try:
        items = values.filter(pa.array(kept)).cast(kind.value_type)
    except pa.ArrowInvalid:
        return None
    found = pa.LargeListArray.from_arrays(pa.array(ends), items, mask=cells.is_null())
    return found.cast(kind)


def split_text(text: Any, separator: str, *, numbers: bool) -> Any:
    """Return one text as a list of items; if they must be numbers and are not, the text itself."""
    if not isinstance(text, str):
        return text
    items: list[Any] = [item.strip() for item in text.split(separator) if item.strip()]
    if numbers:
        items = [number_in(item) for item in items]
        return text if None in items else items
    return items


def join_lists(array: Any) -> Any:
    """Return lists as texts, each item as it is written by itself."""
    values = array.flatten()
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    if pa.types.is_fixed_size_list(array.type):
        lengths = np.full(len(array), array.type.list_size)
    else:
        lengths = array.value_lengths().to_numpy(zero_copy_only=False)
    ends = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    texts = pa.ListArray.from_arrays(ends, values.cast(pa.string()))
    return pc.call_function("binary_join", [texts, SEPARATOR])


def require_joinable(schema: Schema, name: str) -> None:
    """Refuse to write sets as texts of which an item could not be read again."""
    for column, field in schema.fields.items():
        items = map(str, field.space.items) if isinstance(field.space, Subsets) else ()
        wrong = [item for item in items if SEPARATOR in item or not item or item != item.strip()]
        if wrong and SEPARATOR not in wrong[0]:
            raise TargetError(
                f"an item of the column {column!r} is {brief(wrong[0])}, but spaces around items "
                f"do not count in a text such as {name}. Write Parquet or Feather, or rename the "
                "item. Nothing was spent."
            )
        if wrong:
            raise TargetError(
                f"an item of the column {column!r} contains {SEPARATOR!r}, which separates items "
                f"in a text file such as {name}. Write Parquet or Feather, or rename the item. "
                "Nothing was spent."
            )
