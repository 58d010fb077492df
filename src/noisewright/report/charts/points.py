"""Rows of numbers, read for a chart of lines: series, places, means and error bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisewright.errors import InputError

Key = tuple[Any, str, Any, Any]
"""Where a point stands: its x, its series, its column and its row of panels."""


@dataclass(frozen=True)
class Points:
    """The points of a chart; `errors` are half lengths of bars, None where there is no bar."""

    keys: tuple[Key, ...]
    means: tuple[float, ...]
    errors: tuple[float | None, ...]

    @property
    def series(self) -> list[str]:
        """The names of the lines, in the order in which they first came."""
        return list(dict.fromkeys(key[1] for key in self.keys))

    @property
    def places(self) -> list[Any]:
        """The different x, in order: by size for numbers, as they came otherwise."""
        seen = dict.fromkeys(key[0] for key in self.keys)
        return sorted(seen) if self.is_numeric else list(seen)

    @property
    def columns(self) -> list[Any]:
        """What the columns of panels stand for, as they came."""
        return list(dict.fromkeys(key[2] for key in self.keys))

    @property
    def rows(self) -> list[Any]:
        """What the rows of panels stand for, as they came."""
        return list(dict.fromkeys(key[3] for key in self.keys))

    @property
    def is_numeric(self) -> bool:
        """Whether x is a number everywhere."""
        return all(isinstance(key[0], (int, float)) for key in self.keys)

    @property
    def is_whole(self) -> bool:
        """Whether x is a whole number everywhere."""
        return all(isinstance(key[0], int) for key in self.keys)

    @property
    def has_errors(self) -> bool:
        """Whether any point has a bar."""
        return any(error is not None for error in self.errors)

    def records(self, most_markers: int) -> list[dict[str, Any]]:
        """Return one record per point; about `most_markers` places along a line are marked."""
        places = self.places
        every = -(-len(places) // most_markers)
        marked = set(places[::every])
        records: list[dict[str, Any]] = []
        for (x, series, column, row), mean, error in zip(
            self.keys, self.means, self.errors, strict=True
        ):
            record = {"x": x, "series": series, "y": mean, "marked": x in marked}
            if error is not None:
                record |= {"error": error, "low": mean - error, "high": mean + error}
            if column is not None:
                record["column"] = column
            if row is not None:
                record["row"] = row
            records.append(record)
        return records


def read_points(
    rows: Iterable[Mapping[str, Any]],
    *,
    x: str,
    y: str,
    color: str,
    error: str | None = None,
    column: str | None = None,
    row: str | None = None,
) -> Points:
    """Read the rows of a chart and join repetitions into a mean and its standard error."""
    values: dict[Key, list[float]] = {}
    bars: dict[Key, float] = {}
    for position, given in enumerate(rows):
        take = _Taker(given, position)
        key = (
            take.plain(x),
            str(take.plain(color)),
            None if column is None else take.plain(column),
            None if row is None else take.plain(row),
        )
        values.setdefault(key, []).append(take.number(y))
        if error is not None:
            if key in bars:
                raise InputError(
                    f"row {position} repeats an earlier one, and {error!r} gives the error bars. "
                    "Give one row per point, or leave error= out to have repetitions averaged."
                )
            bars[key] = take.number(error)
    if not values:
        raise InputError("there are no rows to draw; give at least one.")
    return Points(
        tuple(values),
        tuple(math.fsum(repeated) / len(repeated) for repeated in values.values()),
        tuple(bars.get(key, _standard_error(repeated)) for key, repeated in values.items()),
    )


def _standard_error(repeated: list[float]) -> float | None:
    """Return the standard error of a mean; None for a single value."""
    if len(repeated) < 2:
        return None
    return float(np.std(repeated, ddof=1)) / math.sqrt(len(repeated))


@dataclass(frozen=True)
class _Taker:
    """Takes values out of one row, and names the row when it cannot."""

    given: Mapping[str, Any]
    position: int

    def plain(self, name: str) -> Any:
        """Return a value as Python's own: text, a whole number or a double."""
        if not isinstance(self.given, Mapping):
            raise InputError(
                f"row {self.position} is a {type(self.given).__name__}; it must map names to "
                "values, as in {'n': 4, 'loss': 0.9, 'mechanism': 'GM'}."
            )
        if name not in self.given:
            raise InputError(
                f"row {self.position} has no {name!r}; it has "
                f"{', '.join(map(repr, self.given)) or 'nothing'}."
            )
        value = self.given[name]
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, (str, bool)):
            return str(value)
        if isinstance(value, int):
            return value
        return self.number(name)

    def number(self, name: str) -> float:
        """Return a value as a double that a chart can show."""
        value = self.given.get(name)
        try:
            number = float(value)  # pyright: ignore[reportArgumentType]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise InputError(
                f"row {self.position} has {name!r} = {value!r}; a chart needs finite numbers. "
                "Correct it or leave the row out."
            )
        return number
