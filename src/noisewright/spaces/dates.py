"""Dates and times, on a grid of days, months or hours.

A date is a whole number of steps since 1970, so that everything that is true of numbers on a grid
is true of dates. Only what you see differs: points are dates, bounds are dates, and a date or time
counts as the step (the day, the month) that it falls into.
"""

from __future__ import annotations

import datetime
import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import SpaceError
from noisewright.given import brief
from noisewright.spaces.interval import Interval

_STEPS = {
    "year": ("Y", 1, 0),
    "month": ("M", 1, 0),
    "week": ("D", 7, 3),
    "day": ("D", 1, 0),
    "hour": ("h", 1, 0),
    "minute": ("m", 1, 0),
}
"""For each step the unit of numpy, how many of them it has, and how many before 1970 it begins:
weeks begin on Mondays, as ISO 8601 has them, and 1970 began on a Thursday."""

_TIMES = ("hour", "minute")
_IN_A_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}
_FIRST, _LAST = np.datetime64(-(10**6), "Y"), np.datetime64(10**6, "Y")
"""Dates further away are taken for these: numpy would wrap them around, into the bounds even."""

_SHORT = re.compile(r"\d{4}(-\d{2})?")
_SINCE = re.compile(r"(year|month|week|day|hour|minute)s since [0-9-]{10}(?: 00:00)?(?: in (\S+))?")


@final
@dataclass(frozen=True, init=False, repr=False)
class Dates(Interval):
    """The days, months, years, weeks, hours or minutes from one date to another, both included.

    Requires: bounds are dates, times or texts in ISO 8601 such as "1920-01-01", and come from the
    caller, not the data. `zone` is the time zone to which times are converted, such as
    "Europe/Vienna"; without it no value may have a time zone.
    Ensures: a value counts as the step that it falls into: with step="month" every day of May 2024
    is 2024-05-01. `low`, `high` and `step` count steps since 1970; distances are counted in steps.
    """

    every: str = field(default="day", kw_only=True)
    zone: str | None = field(default=None, kw_only=True)

    def __init__(
        self,
        low: Any,
        high: Any,
        *,
        step: str = "day",
        zone: str | None = None,
        neighbors: Any = "replace",
        metric: Any = "absolute",
    ) -> None:
        if not isinstance(step, str) or step not in _STEPS:
            raise SpaceError(f"step is {brief(step)}; it must be one of {', '.join(_STEPS)}.")
        object.__setattr__(self, "every", step)
        object.__setattr__(self, "zone", _known_zone(zone))
        ends = [self._read_bound(bound, name) for name, bound in (("low", low), ("high", high))]
        years = self.dates_at(np.array(ends)).astype("datetime64[Y]").astype(np.int64) + 1970
        if not (years.min() >= datetime.MINYEAR and years.max() <= datetime.MAXYEAR):
            raise SpaceError(
                f"from {low} to {high} is not within the years {datetime.MINYEAR} to "
                f"{datetime.MAXYEAR}; give bounds that are."
            )
        if not ends[0] < ends[1]:
            raise SpaceError(
                f"from {low} to {high} is not more than one {step}; low must be before high."
            )
        super().__init__(*ends, step=1, neighbors=neighbors, metric=metric)

    def _read_bound(self, bound: Any, name: str) -> int:
        if isinstance(bound, Fraction):  # as `_remade` and certificates give it
            return int(min(max(bound, -(1 << 40)), 1 << 40))
        found = self.steps_in(bound)
        if found is None:
            raise SpaceError(
                f"{name} is {brief(bound)}; it must be a date such as '1920-01-01'"
                + (", without a time zone." if self.zone is None else ".")
            )
        return found

    def _remade(self, neighbors: Any) -> Dates:
        given: dict[str, Any] = {"neighbors": neighbors, "metric": self.metric}
        return Dates(self.low, self.high, step=self.every, zone=self.zone, **given)

    def __repr__(self) -> str:
        ends = f"{self.show(self.low)!r}, {self.show(self.high)!r}, step={self.every!r}"
        zone = "" if self.zone is None else f", zone={self.zone!r}"
        relation = "" if self.neighbors == "replace" else f", neighbors={self.neighbors!r}"
        return f"Dates({ends}{zone}{relation})"

    @property
    def has_times(self) -> bool:
        """Whether points are times of a day; else they are dates."""
        return self.every in _TIMES

    @property
    def of_numbers(self) -> bool:
        """Whether points are numbers; dates are not."""
        return False

    def steps_in(self, value: Any) -> int | None:
        """Return how many steps since 1970 a date, a time or its text is; None if it is not a date.

        Also None if it has a time zone and the space does not.
        """
        read = _read(value) if isinstance(value, str) else value
        if isinstance(read, np.datetime64):
            return None if np.isnat(read) else int(self.steps_of(np.array([read]))[0])
        if not isinstance(read, datetime.date) or read != read:  # as the NaT of pandas
            return None
        if isinstance(read, datetime.datetime) and read.tzinfo is not None:
            if self.zone is None:
                return None
            try:
                read = read.astimezone(zoneinfo.ZoneInfo(self.zone)).replace(tzinfo=None)
            except (OverflowError, ValueError):  # on the first days of all, or the last
                utc = np.datetime64(read.replace(tzinfo=None)) - np.timedelta64(read.utcoffset())
                return int(self.steps_of(self.local_times(in_seconds(np.array([utc]))))[0])
        return int(self.steps_of(np.array([np.datetime64(read)]))[0])

    def steps_of(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Return the steps since 1970 of an array of datetime64 without gaps."""
        unit, count, before = _STEPS[self.every]
        whole = in_seconds(values).astype(f"datetime64[{unit}]").astype(np.int64)
        return whole if count == 1 else (whole + before) // count

    def local_times(self, utc: NDArray[Any]) -> NDArray[Any]:
        """Return times in UTC, as datetime64 of seconds, as they are told in the zone."""
        assert self.zone is not None
        zone = zoneinfo.ZoneInfo(self.zone)
        different, places = np.unique(utc, return_inverse=True)
        # What Python can tell the time of, in all zones; so far away a day does not matter.
        told = np.clip(different, np.datetime64("0001-01-03"), np.datetime64("9999-12-29"))
        known = (one.replace(tzinfo=datetime.UTC) for one in told.tolist())
        offsets = [one.astimezone(zone).utcoffset() for one in known]
        return (different + np.array(offsets, dtype="timedelta64[s]"))[places]

    def dates_at(self, steps: NDArray[Any]) -> NDArray[Any]:
        """Return when steps since 1970 begin: as days, or as seconds for hours and minutes."""
        unit, count, before = _STEPS[self.every]
        found = (np.asarray(steps, dtype=np.int64) * count - before).astype(f"datetime64[{unit}]")
        return found.astype("datetime64[s]" if self.has_times else "datetime64[D]")

    def show(self, steps: Any) -> str:
        """Return the text of the step that a number of steps since 1970, whole or not, lies in."""
        text = str(self.dates_at(np.array([int(np.floor(float(steps)))]))[0])
        return text[:16] if self.has_times else text

    def point(self, code: int) -> Any:
        """Return the date, or the time, with this code."""
        if not 0 <= code < self.size:
            raise self.outside()
        return self.dates_at(np.array([int(self.low) + int(code)])).astype(object)[0]

    def code(self, point: Any) -> int:
        """Return the code of the step that a date, a time or its text falls into."""
        steps = self.steps_in(point)
        if steps is None:
            raise self.outside(why="it is not a date, or has a time zone that was not declared")
        code = steps - int(self.low)
        if not 0 <= code < self.size and not self.clamps:
            raise self.outside()
        return min(max(code, 0), self.size - 1)

    def encode(self, values: NDArray[Any]) -> NDArray[np.intp]:
        """Return the codes of many dates at once."""
        if values.dtype.kind != "M":
            return super(Interval, self).encode(values)
        missing = np.isnat(values)
        if missing.any():
            raise self.outside(row=int(np.argmax(missing)), why="it is missing")
        codes = self.steps_of(values) - int(self.low)
        if self.clamps:
            return np.clip(codes, 0, self.size - 1).astype(np.intp)
        wrong = (codes < 0) | (codes >= self.size)
        if wrong.any():
            raise self.outside(row=int(np.argmax(wrong)))
        return codes.astype(np.intp)

    def decode(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return codes as an array of datetime64."""
        return self.dates_at(codes.astype(np.int64) + int(self.low))

    def _advice(self) -> str:
        return (
            "Give dates within the bounds, or let the space move others to the nearest bound: "
            "Dates(…).reading(outside='clamp')."
        )

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them: numbers, and what they count."""
        begin = str(self.dates_at(np.array([0]))[0])[:10] + " 00:00" * self.has_times
        zone = "" if self.zone is None else f" in {self.zone}"
        return {**super().describe(), "unit": f"{self.every}s since {begin}{zone}"}

    @classmethod
    def from_description(cls, section: Mapping[str, Any], **relations: Any) -> Dates | None:
        """Return the dates that `describe` describes so; None if there are no such dates."""
        found = _SINCE.fullmatch(section["unit"])
        if found is None:
            return None
        ends = Fraction(section["low"]), Fraction(section["high"])
        made = cls(*ends, step=found[1], zone=found[2], **relations)
        return made if made.describe() == section else None


def in_seconds(values: NDArray[Any]) -> NDArray[Any]:
    """Return datetime64 of parts of a second as whole seconds, rounded down; no others change.

    But for those further away than a million years, which are moved there. Numpy itself overflows
    when it rounds the first times that nanoseconds can hold.
    """
    parts = _IN_A_SECOND.get(np.datetime_data(values.dtype)[0])
    if parts is not None and np.datetime_data(values.dtype)[1] == 1:
        values = (values.astype(np.int64) // parts).astype("datetime64[s]")
    return np.clip(values, _FIRST, _LAST)


def _known_zone(zone: Any) -> str | None:
    if zone is None:
        return None
    try:
        return zoneinfo.ZoneInfo(zone).key
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        raise SpaceError(
            f"zone is {brief(zone)}, which is not known here. Give the name of a time zone such "
            "as 'Europe/Vienna' or 'UTC'."
        ) from None


def _read(text: str) -> Any:
    """Return the date or time that a text in ISO 8601 states; months and years too."""
    text = text.strip()
    try:
        if _SHORT.fullmatch(text):
            return np.datetime64(text)
        if len(text) == 10:
            return datetime.date.fromisoformat(text)
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
