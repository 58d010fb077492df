"""Values that are typed, or read from a text file, as a collection takes them."""

from __future__ import annotations

from typing import Any

import noisewright as nw
from noisewright import local
from noisewright.errors import InputError
from noisewright.exact import exactly

_SEPARATOR = ";"


def read_typed(collection: local.Collection, text: str) -> Any:
    """Return one value that was typed; errors do not repeat it."""
    space = getattr(collection, "space", None)
    if isinstance(space, nw.Categories):
        return next((label for label in space.labels if str(label) == text), text)
    if isinstance(space, nw.Subsets):
        named = {str(item): item for item in space.items}
        parts = [part.strip() for part in text.split(_SEPARATOR)]
        return [named.get(part, part) for part in parts if part]
    if isinstance(space, nw.Dates):
        return text
    if space is not None or _counts_numbers(collection):
        return _number(text)
    return text


def read_cells(collection: local.Collection, column: Any) -> Any:
    """Return the cells of a column; an empty cell of a text file is an empty set."""
    if isinstance(getattr(collection, "space", None), nw.Subsets) and column.null_count:
        return [cell or [] for cell in column.to_pylist()]
    if _counts_numbers(collection) and str(column.type) in ("string", "large_string"):
        return [_number(cell or "") for cell in column.to_pylist()]
    return column


def _counts_numbers(collection: local.Collection) -> bool:
    return isinstance(collection, local.HitterCollection) and collection.values.of == "numbers"


def _number(text: str) -> int | float:
    try:
        value = exactly(text.strip())
    except (nw.errors.NoisewrightError, ValueError):
        raise InputError("this collection takes numbers, and a value is none.") from None
    return int(value) if value.denominator == 1 else float(value)
