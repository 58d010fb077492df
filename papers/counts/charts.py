"""Pictures that the report room has no word for: simulated points on exact lines, in panels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from noisewright.report.library import load_altair
from noisewright.report.palette import ranges
from noisewright.report.series import SeriesStyle

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
    style = SeriesStyle(alt, _order(rows, "mechanism"), field="mechanism", title="mechanism")
    layers = alt.layer(
        style.lines(base).encode(y=alt.Y("exact:Q", title=y_title, scale=scale)),
        style.colored(base.mark_rule(strokeWidth=1.4)).encode(
            y=alt.Y("low:Q", title=y_title), y2="high:Q"
        ),
        style.markers(base).encode(y=alt.Y("mean:Q", title=y_title)),
    ).properties(width=225, height=180)
    return _facet(layers, rows, column=column, row=row, shared_y=shared_y)


def histogram_panels(rows: Rows, *, column: str, row: str) -> Any:
    """Draw exact probabilities of errors as bars, with simulated means and their bars on top."""
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
    rules = base.mark_rule(strokeWidth=1.4).encode(
        y=alt.Y("low:Q", title="probability"), y2="high:Q"
    )
    ticks = base.mark_tick(thickness=1.4, size=7, color="#000").encode(
        y=alt.Y("mean:Q", title="probability")
    )
    layers = alt.layer(bars, rules, ticks).properties(width=240, height=120)
    return _facet(layers, rows, column=column, row=row, shared_y=True)


def flowchart(boxes: Iterable[tuple[str, float, float, bool]], arrows: Rows) -> Any:
    """Draw questions (rounded) and answers (square, filled) with labeled arrows between them."""
    named = {text: (x, y) for text, x, y, _ in boxes}
    data = [
        {"text": text.split("\n"), "x": x, "y": y, "answer": answer} for text, x, y, answer in boxes
    ]
    lines: list[dict[str, Any]] = []
    for arrow in arrows:
        (x, y), (x2, y2) = named[arrow["from"]], named[arrow["to"]]
        lines.append({"x": x, "y": y, "x2": x2, "y2": y2, "word": arrow["word"]})
    place = {
        "x": alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.5, 2.5])),
        "y": alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-0.35, 3.35])),
    }
    rules = (
        alt.Chart(alt.Data(values=lines)).mark_rule(color="#666").encode(**place, x2="x2", y2="y2")
    )
    words = (
        alt.Chart(alt.Data(values=lines))
        .transform_calculate(x="(datum.x + datum.x2) / 2", y="(datum.y + datum.y2) / 2")
        .mark_text(dy=-8, dx=14, fontSize=12, fontStyle="italic", color="#444")
        .encode(**place, text="word:N")
    )
    base = alt.Chart(alt.Data(values=data))
    edges = base.transform_calculate(
        left="datum.x - 0.44", right="datum.x + 0.44", low="datum.y - 0.27", high="datum.y + 0.27"
    ).mark_rect(cornerRadius=8, stroke="#333", opacity=1)
    rectangles = edges.encode(
        x=alt.X("left:Q", axis=None, scale=alt.Scale(domain=[-0.5, 2.5])),
        x2="right:Q",
        y=alt.Y("low:Q", axis=None, scale=alt.Scale(domain=[-0.35, 3.35])),
        y2="high:Q",
        color=alt.when("datum.answer").then(alt.value("#d9efe2")).otherwise(alt.value("#ffffff")),
    )
    write = {"fontSize": 12, "lineHeight": 15, "baseline": "middle"}
    texts = [
        base.transform_filter(f"datum.text.length == {lines}")
        .mark_text(**write, dy=-7.5 * (lines - 1))
        .encode(**place, text="text:N")
        for lines in (1, 2)
    ]
    return (
        alt.layer(rules, words, rectangles, *texts)
        .properties(width=600, height=380)
        .configure_view(stroke=None)
    )
