"""Curves with bands: what was released, and how far the noise may have moved it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from noisewright.curves import Band
from noisewright.errors import InputError
from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import SeriesStyle, ranges

if TYPE_CHECKING:
    import altair as alt


def curve_bands(
    bands: Mapping[str, Band],
    *,
    lines: Mapping[str, tuple[Any, Any]] | None = None,
    x_title: str = "position",
    y_title: str = "value",
    title: str | None = None,
) -> alt.LayerChart:
    """Draw released curves with their bands, by name.

    `lines` are further curves without a band, each as (positions, values): the truth in an
    experiment, for example.
    """
    others = dict(lines or {})
    records = [*_band_records(bands), *_line_records(others)]
    if not records:
        raise InputError("give at least one band or line, as in {'released': release.band()}.")
    doubled = set(bands) & set(others)
    if doubled:
        raise InputError(f"{sorted(doubled)[0]!r} names a band and a line; give each its own name.")
    alt = load_altair()
    style = SeriesStyle(alt, [*bands, *others], field="curve", title="curve")
    base = alt.Chart(alt.Data(values=records)).encode(
        x=alt.X("position:Q", title=x_title, scale=alt.Scale(nice=False, zero=False)),
    )
    y = {"title": y_title, "scale": alt.Scale(zero=False)}
    # A layer for each area keeps the pale areas out of the legend, which then shows the lines.
    colors = ranges(style.names)["color"]["range"]
    areas = [
        base.mark_area(opacity=0.22, color=color)
        .encode(y=alt.Y("low:Q", **y), y2=alt.Y2("high:Q"))
        .transform_filter(alt.FieldEqualPredicate(field="curve", equal=name))
        for name, color in zip(bands, colors, strict=False)
    ]
    drawn = style.lines(base).encode(
        y=alt.Y("value:Q", **y),
        tooltip=[
            "curve:N",
            alt.Tooltip("position:Q", title=x_title, format=".6~g"),
            alt.Tooltip("value:Q", title=y_title, format=".6~g"),
            alt.Tooltip("low:Q", format=".6~g"),
            alt.Tooltip("high:Q", format=".6~g"),
        ],
    )
    # One position has no line and no area: a point and a bar show it.
    single = "datum.alone"
    bars = style.in_color(base.mark_rule().transform_filter(single)).encode(
        y=alt.Y("low:Q", **y), y2=alt.Y2("high:Q")
    )
    dots = style.in_color(base.mark_point(filled=True).transform_filter(single)).encode(
        y=alt.Y("value:Q", **y)
    )
    layers = [*areas, drawn]
    if any(record["alone"] for record in records):
        layers += [bars, dots]
    chart = alt.layer(*layers).properties(width=480, height=280)
    return chart if title is None else chart.properties(title=title)


def _band_records(bands: Mapping[str, Band]) -> list[dict[str, Any]]:
    return [
        {"curve": name, "position": t, "value": v, "low": low, "high": high, "alone": alone}
        for name, band in bands.items()
        for alone in [np.size(band.positions) == 1]
        for t, v, low, high in zip(
            _floats(band.positions),
            _floats(band.values),
            _floats(band.low),
            _floats(band.high),
            strict=True,
        )
    ]


def _line_records(lines: Mapping[str, tuple[Any, Any]]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for name, (positions, values) in lines.items():
        if np.shape(positions) != np.shape(values) or np.ndim(positions) != 1:
            raise InputError(
                f"the line {name!r} has {np.size(positions):,} positions and {np.size(values):,} "
                "values; there must be equally many."
            )
        alone = np.size(positions) == 1
        records += [
            {"curve": name, "position": t, "value": v, "low": None, "high": None, "alone": alone}
            for t, v in zip(_floats(positions), _floats(values), strict=True)
        ]
    return records


def _floats(numbers: Any) -> list[float]:
    return [float(x) for x in np.ravel(numbers)]
