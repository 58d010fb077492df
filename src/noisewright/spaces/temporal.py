"""Dates and times where no space of them is declared: what to do with them first."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

ADVICE = (
    'Declare what they can be, as in nw.Dates("1920-01-01", "2026-12-31", step="day"), or '
    "convert them to texts first, such as '2024-05', and declare these as labels."
)


def is_date(value: Any) -> bool:
    """Tell whether a value is a date, a time or a span of time, of Python, numpy or pandas."""
    kinds = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
    return isinstance(value, kinds)
