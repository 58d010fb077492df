"""Declared columns as plain values, so that a file beside a table says what its counts are of."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from noisewright.errors import ReleaseError
from noisewright.spaces import Categories, Counts, Dates, Interval, Space

_LISTED = 1 << 12


def plain_space(space: Space) -> dict[str, Any]:
    """Return what a space is, exactly; the labels of categories are its points."""
    if isinstance(space, Counts | Interval):
        return space.describe()
    labels = [space.point(code) for code in range(space.size)]
    return {"kind": "bytes" if any(isinstance(label, bytes) for label in labels) else "labels"}


def plain_points(space: Space) -> Any:
    """Return the points in the order of the counts; of long grids the ends."""
    if space.size <= _LISTED or isinstance(space, Categories):
        return [_value(space.point(code)) for code in range(space.size)]
    ends = [_value(space.point(code)) for code in (0, space.size - 1)]
    return {"first": ends[0], "last": ends[1], "points": space.size}


def read_space(section: Mapping[str, Any], points: Any) -> Space:
    """Return the space with these points."""
    match section["kind"]:
        case "counts":
            return Counts(section["n"])
        case "grid" if "unit" in section:
            found = Dates.from_description(section)
            if found is None:
                raise ReleaseError(f"the unit {section['unit']!r} of a column is not known.")
            return found
        case "grid":
            return Interval(section["low"], section["high"], step=section["step"])
        case "bytes":
            return Categories([point.encode("latin-1") for point in points])
        case _:
            return Categories(points)


def _value(point: Any) -> Any:
    if isinstance(point, datetime.date):
        return point.isoformat()
    if isinstance(point, str | bool | int):
        return point
    return point.decode("latin-1") if isinstance(point, bytes) else float(point)
