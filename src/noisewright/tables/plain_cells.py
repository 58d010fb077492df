"""Cells of plain Python, each read without regard to the other cells of its column.

Lists, records and columns of objects declare no type. A type that is found from what they hold
would be released with the column, and would reveal what they hold; so cells are read one by one,
as the space of the column says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

_NEVER_MISSING = (str, int, bool, bytes, list, tuple, set, frozenset, dict, np.ndarray)
_PANDAS_MISSING = ("NAType", "NaTType")

_LONGEST = 30
"""Numbers with more digits than this before the point are read as doubles."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WORDS = ("nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")


def is_missing(cell: Any) -> bool:
    """Tell whether a cell is empty: None, NaN, and what libraries write for them."""
    if cell is None:
        return True
    kind = type(cell)
    if kind in _NEVER_MISSING:
        return False
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(cell))
    if isinstance(cell, (float, np.floating)):
        return bool(cell != cell)
    return kind.__name__ in _PANDAS_MISSING


def number_of(cell: Any) -> int | float | None:
    """Return a cell as a number: whole ones as such, others as doubles; None if it is none.

    Booleans are no numbers, nor are dates and texts.
    """
    kind = type(cell)
    if kind is int or kind is float:
        return cell
    if isinstance(cell, (bool, np.bool_, np.timedelta64)):
        return None
    if isinstance(cell, (int, np.integer)):
        return int(cell)
    if isinstance(cell, (float, np.floating)):
        return float(cell)
    if isinstance(cell, Decimal):
        short = cell.is_finite() and cell.adjusted() < _LONGEST
        return int(cell) if short and cell == cell.to_integral_value() else double(cell)
    if isinstance(cell, Fraction):
        return cell.numerator if cell.denominator == 1 else double(cell)
    return None


def number_in(text: str) -> int | float | None:
    """Return the number that a text of a CSV file is; None if it is none."""
    stripped = text.strip()
    if not _NUMBER.fullmatch(stripped) and stripped.lower() not in _WORDS:
        return None
    digits = stripped.lstrip("+-")
    return int(stripped) if digits.isdigit() and len(digits) < _LONGEST else float(stripped)


def double(number: Any) -> float:
    """Return a number as a double, infinite if it is beyond all of them."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def entries_of(cell: Any) -> list[Any] | None:
    """Return the entries of a cell that holds several; None if it does not."""
    if isinstance(cell, (str, bytes, Mapping)) or not isinstance(cell, Iterable):
        return None
    if isinstance(cell, np.ndarray) and cell.ndim != 1:
        return None
    return list(cell)
