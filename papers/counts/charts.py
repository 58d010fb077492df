"""Pictures that the report room has no word for: simulated points on exact lines, in panels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import SeriesStyle, ranges

alt: Any = load_altair()
"""Untyped: Altair types each of its hundred channels by itself."""

Rows = Sequence[Mapping[str, Any]]


def _order(rows: Rows, name: str) -> list[Any]:
    return list(dict.fromkeys(row[name] for row in rows))


def _header(words: str) -> Any:
    return alt.Header(
        labelExpr=f"{json.dumps(words)} + datum.value", labelFontSize=12, labelFontWeight="bold"
    )


def _facet(chart: Any, rows: Rows, *, column: str, row: str, shared_y: bool) -> Any:
    panels = chart.facet(
        column=alt.Column(
            f"{column}:N", title=None, sort=_order(rows, column), header=_header(f"{column} = ")
        ),
        row=alt.Row(f"{row}:N", title=None, sort=_order(rows, row), header=_header(f"{row} = ")),
        spacing=18,
    )
    return panels if shared_y else panels.resolve_scale(y="independent")


def simulated_panels(
    rows: Rows,
    *,
    x: str,
    y_title: str,
    column: str,
    row: str,
    bar: str = "error",
    shared_y: bool = False,
    from_zero: bool = False,
    x_title: str | None = None,
) -> Any:
    """Draw exact values as lines and simulated means with bars as points, one panel each.

    A shaded band is the range over all optimal mechanisms, from `least` to `largest`.
    `bar` is "error" for one standard error or "deviation" for one standard deviation.
    """
    values = [{**r, "low": r["mean"] - r[bar], "high": r["mean"] + r[bar]} for r in rows]
    whole = all(isinstance(r[x], int) for r in rows)
    axis = alt.Axis(format="d", tickMinStep=1) if whole else alt.Axis(format=".1f", tickCount=5)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            f"{x}:Q",
            title=x_title or x,
            axis=axis,
            scale=alt.Scale(zero=False, nice=False, padding=10),
        )
    )
    scale = alt.Scale(zero=True) if from_zero else alt.Scale(zero=False, padding=7)
    names = _order(rows, "mechanism")
    style = SeriesStyle(alt, names, field="mechanism", title="mechanism")
    layers = alt.layer(
        style.areas(base).encode(y=alt.Y("least:Q", title=y_title, scale=scale), y2="largest:Q"),
        style.lines(base).encode(y=alt.Y("exact:Q", title=y_title, scale=scale)),
        style.in_color(base.mark_rule(strokeWidth=1.4)).encode(
            y=alt.Y("low:Q", title=y_title), y2="high:Q"
        ),
        style.markers(base).encode(y=alt.Y("mean:Q", title=y_title)),
    ).properties(width=225, height=180)
    return _facet(layers, rows, column=column, row=row, shared_y=shared_y)


def histogram_panels(rows: Rows, *, column: str, row: str) -> Any:
    """Draw exact probabilities of errors as bars, with simulated means and their bars on top.

    A dashed box is the range over all optimal mechanisms, from `least` to `largest`.
    """
    values = [
        {**r, "low": max(0.0, r["mean"] - r["error"]), "high": r["mean"] + r["error"]} for r in rows
    ]
    scale = ranges(_order(rows, column))["color"]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("off:O", title="output − true count", axis=alt.Axis(labelAngle=0))
    )
    bars = base.mark_bar(opacity=0.75).encode(
        y=alt.Y("exact:Q", title="probability"),
        color=alt.Color(f"{column}:N", legend=None, scale=alt.Scale(**scale)),
    )
    spread = (
        base.transform_filter("datum.largest - datum.least > 1e-6")
        .mark_bar(fill=None, stroke="#000", strokeWidth=0.8, strokeDash=[3, 2])
        .encode(y=alt.Y("least:Q", title="probability"), y2="largest:Q")
    )
    rules = base.mark_rule(strokeWidth=1.4).encode(
        y=alt.Y("low:Q", title="probability"), y2="high:Q"
    )
    ticks = base.mark_tick(thickness=1.4, size=7, color="#000").encode(
        y=alt.Y("mean:Q", title="probability")
    )
    layers = alt.layer(bars, spread, rules, ticks).properties(width=240, height=120)
    return _facet(layers, rows, column=column, row=row, shared_y=True)


_HALF = (0.44, 0.27)
"""Half the width and height of a box of a flowchart, in steps of its grid."""


def flowchart(boxes: Sequence[tuple[str, float, float, bool]], arrows: Rows) -> Any:
    """Draw questions (rounded) and answers (filled) with labeled arrows between them.

    Requires: an arrow goes to the right or down.
    """
    named = {text: (x, y) for text, x, y, _ in boxes}
    across, down = _HALF
    lines: list[dict[str, Any]] = []
    for arrow in arrows:
        (x, y), (x2, y2) = named[arrow["from"]], named[arrow["to"]]
        ends = (
            {"x": x + across, "y": y, "x2": x2 - across, "y2": y2, "head": "right"}
            if y == y2
            else {"x": x, "y": y - down, "x2": x2, "y2": y2 + down, "head": "down"}
        )
        lines.append({**ends, "word": arrow["word"]})

    def at(x: str, y: str) -> dict[str, Any]:
        return {
            "x": alt.X(f"{x}:Q", axis=None, scale=alt.Scale(domain=[-0.5, 2.5])),
            "y": alt.Y(f"{y}:Q", axis=None, scale=alt.Scale(domain=[-0.35, 3.35])),
        }

    drawn = alt.Chart(alt.Data(values=lines))
    rules = drawn.mark_rule(color="#444", strokeWidth=1.5).encode(**at("x", "y"), x2="x2", y2="y2")
    # The tip of a triangle is half of its height beyond its center.
    heads = [
        drawn.transform_filter(alt.datum.head == way)
        .mark_point(shape=f"triangle-{way}", size=110, filled=True, color="#444", opacity=1, **back)
        .encode(**at("x2", "y2"))
        for way, back in (("right", {"xOffset": -5}), ("down", {"yOffset": -5}))
    ]
    words = [
        drawn.transform_filter(alt.datum.head == way)
        .transform_calculate(x="(datum.x + datum.x2) / 2", y="(datum.y + datum.y2) / 2")
        .mark_text(fontSize=12, fontStyle="italic", color="#444", **place)
        .encode(**at("x", "y"), text="word:N")
        for way, place in (("right", {"dy": -9}), ("down", {"dx": 14}))
    ]
    data = [
        {
            "text": text.split("\n"),
            "x": x,
            "y": y,
            "answer": answer,
            "left": x - across,
            "right": x + across,
            "low": y - down,
            "high": y + down,
        }
        for text, x, y, answer in boxes
    ]
    base = alt.Chart(alt.Data(values=data))
    rectangles = [
        base.transform_filter(alt.datum.answer == answer)
        .mark_rect(cornerRadius=radius, stroke="#333", fill=fill, opacity=1)
        .encode(**at("left", "low"), x2="right", y2="high")
        for answer, radius, fill in ((False, 14, "#ffffff"), (True, 0, "#d9efe2"))
    ]
    texts = [
        base.transform_filter(f"datum.text.length == {count}")
        .mark_text(fontSize=12, lineHeight=15, baseline="middle", dy=-7.5 * (count - 1))
        .encode(**at("x", "y"), text="text:N")
        for count in sorted({len(text.split("\n")) for text, *_ in boxes})
    ]
    return (
        alt.layer(rules, *heads, *words, *rectangles, *texts)
        .properties(width=600, height=380)
        .configure_view(stroke=None)
    )
