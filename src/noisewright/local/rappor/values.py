"""Texts of people, read for Bloom filters: errors name a row, and never show a text."""

from __future__ import annotations

from typing import Any

from noisewright.errors import DataError
from noisewright.on_use import pa


def require_text(value: Any) -> str:
    """Return a text, or raise."""
    if not isinstance(value, str):
        raise DataError(
            f"a value is of type {type(value).__name__}; Bloom filters take texts. Write it as a "
            "text first, or give candidates= for basic RAPPOR."
        )
    return value


def text_column(values: Any) -> Any:
    """Return an Arrow array of texts, none of which is missing."""
    column = None
    try:
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        texts: Any = values if isinstance(values, pa.Array) else list(values)
        column = texts.cast(pa.string()) if texts is values else pa.array(texts, pa.string())
    except (TypeError, ValueError, AttributeError, pa.ArrowException):
        pass
    # Outside of the handler: its error may hold a value.
    if column is None:
        raise DataError(
            f"values are of type {type(values).__name__}; they must be texts, one for each person: "
            "a list, an array or an Arrow column."
        )
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise DataError(f"the value at row {row + 1:,} is missing. Leave such people out.")
    return column
