"""Loss against the size of a group or the strength of privacy: one line for each mechanism."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from noisewright.report.charts.library import load_altair
from noisewright.report.charts.points import Points, read_points
from noisewright.report.charts.series import SeriesStyle

if TYPE_CHECKING:
    import altair as alt

_ROOM_OF_A_MARKER = 14
"""Pixels along a line; closer markers would hide it, so some are left out."""

_MOST_TICKS = 12


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
    base = alt.Chart(alt.Data(values=points.records(markers))).encode(
        x=alt.X("x", type=kind, title=x, **_x_axis(alt, points)),
        y=alt.Y("y", type="quantitative", title=y, scale=_y_scale(alt, from_zero)),
        tooltip=_tooltip(alt, points, color=color, x=x, y=y, kind=kind),
    )
    style = SeriesStyle(alt, points.series, field="series", title=color)
    layers = [style.lines(base)]
    if points.has_errors:
        layers.append(
            style.in_color(base.transform_filter("isValid(datum.low)"))
            .mark_rule(strokeWidth=1.2)
            .encode(y=alt.Y("low", type="quantitative", title=y), y2="high")
        )
    layers.append(style.markers(base.transform_filter("datum.marked")))
    return alt.layer(*layers)


def _y_scale(alt: Any, from_zero: bool) -> Any:
    # A marker on the edge would push the axes of panels apart.
    return alt.Scale(zero=True) if from_zero else alt.Scale(zero=False, padding=7)


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
    parts: dict[str, Any] = {}
    if column is not None:
        parts["column"] = alt.Column(
            "column",
            type="nominal",
            title=None,
            sort=list(points.columns),
            header=_header(alt, column),
        )
    if row is not None:
        parts["row"] = alt.Row(
            "row", type="nominal", title=None, sort=list(points.rows), header=_header(alt, row)
        )
    return chart.facet(**parts, spacing=16)


def _header(alt: Any, name: str) -> Any:
    # Vega's language writes text as JSON does.
    words = json.dumps(f"{name} = ")
    return alt.Header(labelExpr=f"{words} + datum.value", labelFontSize=12, labelFontWeight="bold")
