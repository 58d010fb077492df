"""Loss against the size of a group or the strength of privacy: one line for each mechanism."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from noisewright.errors import InputError
from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import SeriesStyle

if TYPE_CHECKING:
    import altair as alt

_ROOM_OF_A_MARKER = 14
"""Pixels along a line; closer markers would hide it, so some are left out."""

_MOST_TICKS = 12


Key = tuple[Any, str, Any, Any]
"""Where a point stands: its x, its series, its column and its row of panels."""


@dataclass(frozen=True)
class Points:
    """The points of a chart; `errors` are half lengths of bars, None where there is no bar."""

    keys: tuple[Key, ...]
    means: tuple[float, ...]
    errors: tuple[float | None, ...]

    def different(self, part: int) -> list[Any]:
        """Return the different values of one part of the keys, in the order in which they came."""
        return list(dict.fromkeys(key[part] for key in self.keys))

    @property
    def places(self) -> list[Any]:
        """The different x, in order: by size for numbers, as they came otherwise."""
        seen = self.different(0)
        return sorted(seen) if self.is_numeric else seen

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


def loss_curves(
    rows: Iterable[Mapping[str, Any]],
    *,
    x: str,
    y: str,
    color: str,
    error: str | None = None,
    column: str | None = None,
    row: str | None = None,
    title: str | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    from_zero: bool = False,
    shared_y: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Draw `y` against `x`, a line with markers for each value of `color`.

    `rows` are mappings from names to values. Where several rows have the same place, they are
    repetitions: the line goes through their mean, with bars of one standard error. Or `error`
    names the half length of the bars. `column` and `row` name what panels are laid out by;
    `shared_y=False` gives each panel its own scale. `from_zero` starts the scale of `y` at 0.
    """
    points = read_points(rows, x=x, y=y, color=color, error=error, column=column, row=row)
    alt = load_altair()
    width, height = _size(column is not None, row is not None)
    chart = _lines(
        alt,
        points,
        color=color,
        x=x_title or x,
        y=y_title or y,
        from_zero=from_zero,
        markers=width // _ROOM_OF_A_MARKER,
    ).properties(width=width, height=height)
    if column is not None or row is not None:
        chart = _panels(alt, chart, points, column=column, row=row)
        if not shared_y:
            # A shared x axis would stand apart from panels that have a y axis each.
            chart = chart.resolve_scale(y="independent").resolve_axis(x="independent")
    if title is None:
        return chart
    return chart.properties(title=alt.TitleParams(title, anchor="middle"))


def _size(columns: bool, rows: bool) -> tuple[int, int]:
    if columns:
        return 240, 200
    return 380, 200 if rows else 280


def _lines(
    alt: Any, points: Points, *, color: str, x: str, y: str, from_zero: bool, markers: int
) -> Any:
    kind = "quantitative" if points.is_numeric else "ordinal"
    # A marker on the edge would push the axes of panels apart.
    scale = alt.Scale(zero=True) if from_zero else alt.Scale(zero=False, padding=7)
    base = alt.Chart(alt.Data(values=points.records(markers))).encode(
        x=alt.X("x", type=kind, title=x, **_x_axis(alt, points)),
        y=alt.Y("y", type="quantitative", title=y, scale=scale),
        tooltip=_tooltip(alt, points, color=color, x=x, y=y, kind=kind),
    )
    style = SeriesStyle(alt, points.different(1), field="series", title=color)
    layers = [style.lines(base)]
    if points.has_errors:
        layers.append(
            style.in_color(base.transform_filter("isValid(datum.low)"))
            .mark_rule(strokeWidth=1.2)
            .encode(y=alt.Y("low", type="quantitative", title=y), y2="high")
        )
    layers.append(style.markers(base.transform_filter("datum.marked")))
    return alt.layer(*layers)


def _x_axis(alt: Any, points: Points) -> dict[str, Any]:
    if not points.is_numeric:
        return {"axis": alt.Axis(labelAngle=0), "sort": list(points.places)}
    scale = alt.Scale(zero=False, nice=False, padding=8)
    if points.is_whole and len(points.places) <= _MOST_TICKS:
        return {"scale": scale, "axis": alt.Axis(format="d", values=points.places)}
    if points.is_whole:
        return {"scale": scale, "axis": alt.Axis(format="d", tickMinStep=1)}
    return {"scale": scale}


def _tooltip(alt: Any, points: Points, *, color: str, x: str, y: str, kind: str) -> list[Any]:
    shown = [
        alt.Tooltip("series", type="nominal", title=color),
        alt.Tooltip("x", type=kind, title=x),
        alt.Tooltip("y", type="quantitative", title=y, format=".6~g"),
    ]
    if points.has_errors:
        shown.append(alt.Tooltip("error", type="quantitative", title="±", format=".3~g"))
    return shown


def _panels(alt: Any, chart: Any, points: Points, *, column: str | None, row: str | None) -> Any:
    asked = {
        "column": (column, alt.Column, points.different(2)),
        "row": (row, alt.Row, points.different(3)),
    }
    parts = {
        along: kind(along, type="nominal", title=None, sort=order, header=_header(alt, name))
        for along, (name, kind, order) in asked.items()
        if name is not None
    }
    return chart.facet(**parts, spacing=16)


def _header(alt: Any, name: str) -> Any:
    # Vega's language writes text as JSON does.
    words = json.dumps(f"{name} = ")
    return alt.Header(labelExpr=f"{words} + datum.value", labelFontSize=12, labelFontWeight="bold")


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
