"""Dates and times, which no space has as points: what to make of them first."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

ADVICE = (
    "Make texts of dates first, such as '2024-05', and declare these as labels; or whole numbers, "
    "such as years, or months since a first one, for Interval(low, high, step=1)."
)


def is_date(value: Any) -> bool:
    """Tell whether a value is a date, a time or a span of time, of Python, numpy or pandas."""
    kinds = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
    return isinstance(value, kinds)
