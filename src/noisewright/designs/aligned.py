"""Rows of values as a table in plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def aligned(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same keys as text: a header, a rule, numbers to the right."""
    if not rows:
        return "(nothing to show)"
    heads = list(rows[0])
    cells = [[_text(row[head]) for head in heads] for row in rows]
    numeric = [all(isinstance(row[head], (int, float)) for row in rows) for head in heads]
    widths = [max(len(line[column]) for line in [heads, *cells]) for column, _ in enumerate(heads)]

    def line(texts: Sequence[str]) -> str:
        padded = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, numeric, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(heads), line(["-" * width for width in widths]), *map(line, cells)])


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return str(value)
