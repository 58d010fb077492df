"""Pictures that the report room has no word for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import COLORS

alt: Any = load_altair()
"""Untyped: Altair types each of its hundred channels by itself."""


def pair_heatmaps(sizes: Mapping[str, Mapping[tuple[int, int], int]], names: Sequence[str]) -> Any:
    """Draw a number for each ordered pair of databases, one panel for each way to compute it."""
    values = [
        {"way": way, "d": names[a], "neighbor": names[b], "size": size}
        for way, by_pair in sizes.items()
        for (a, b), size in by_pair.items()
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("neighbor:O", sort=list(names), title="neighbor d'", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("d:O", sort=list(names), title="database d"),
    )
    most = max(value["size"] for value in values)
    color = alt.Color(
        "size:O",
        title="|S|",
        scale=alt.Scale(scheme="blues", domain=list(range(2, most + 2))),
        legend=None,
    )
    cells = base.mark_rect(stroke="#fff").encode(color=color)
    numbers = base.mark_text(fontSize=12).encode(
        text="size:Q",
        color=alt.when("datum.size > 4").then(alt.value("#fff")).otherwise(alt.value("#000")),
    )
    panels = alt.layer(cells, numbers).properties(width=270, height=270)
    header = alt.Header(labelFontSize=13, labelFontWeight="bold")
    return panels.facet(
        column=alt.Column("way:N", title=None, sort=list(sizes), header=header), spacing=30
    )


def worst_events(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Draw the δ that each event needs, as bars with their numbers."""
    order = [row["event"] for row in rows]
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        y=alt.Y("event:N", sort=order, title="event"),
        x=alt.X(
            "delta:Q",
            title="δ that the event needs",
            scale=alt.Scale(domain=[0, 0.8]),
            axis=alt.Axis(tickCount=5),
        ),
    )
    bars = base.mark_bar(height=22).encode(
        color=alt.Color(
            "kind:N",
            title=None,
            sort=kinds,
            scale=alt.Scale(domain=kinds, range=[COLORS[6], COLORS[1]]),
        )
    )
    words = base.mark_text(align="left", dx=5, fontSize=12).encode(
        text=alt.Text("delta:Q", format=".4f")
    )
    return alt.layer(bars, words).properties(width=380, height=alt.Step(38))
