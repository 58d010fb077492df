"""Pictures of answers beside the truth: a point and its interval, and what it should have hit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from noisewright.report.library import load_altair
from noisewright.report.palette import COLORS

alt: Any = load_altair()
"""Untyped: Altair types each of its hundred channels by itself."""

Rows = Sequence[Mapping[str, Any]]

KINDS = ("truth", "estimate and interval")
_SCALE = {"domain": list(KINDS), "range": ["#000000", COLORS[1]]}


def _order(rows: Rows, name: str) -> list[Any]:
    return list(dict.fromkeys(row[name] for row in rows))


def _marks(rows: Rows, x: Any, y: str, title: str, *, flipped: bool, size: int) -> Any:
    """Draw rules from low to high, points at the value and ticks or circles at the truth.

    `flipped` puts the values on the horizontal axis.
    """
    along = "x" if flipped else "y"
    axis = alt.X if flipped else alt.Y
    shape = alt.Shape(
        "kind:N", title=None, scale=alt.Scale(domain=list(KINDS), range=["diamond", "circle"])
    )
    color = alt.Color("kind:N", title=None, scale=alt.Scale(**_SCALE))
    estimates = alt.Chart(
        alt.Data(values=[{**row, "kind": KINDS[1], "value": row[y]} for row in rows])
    ).encode(x)
    truths = alt.Chart(
        alt.Data(values=[{**row, "kind": KINDS[0], "value": row["truth"]} for row in rows])
    ).encode(x)
    scale = alt.Scale(zero=True, nice=True)
    bars = estimates.mark_rule(strokeWidth=2).encode(
        **{
            along: axis("low:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6)),
            f"{along}2": "high:Q",
        },
        color=color,
    )
    points = estimates.mark_point(filled=True, size=size, opacity=1).encode(
        **{along: axis("value:Q", title=title)}, color=color, shape=shape
    )
    hits = truths.mark_point(filled=False, size=size * 1.6, strokeWidth=1.6, opacity=1).encode(
        **{along: axis("value:Q", title=title)}, color=color, shape=shape
    )
    return alt.layer(bars, points, hits)


def by_label(rows: Rows, *, label: str, column: str, title: str) -> Any:
    """Draw one line per label, in their order, and one panel for each value of `column`.

    Rows have `estimate`, `low`, `high` and `truth`.
    """
    panels = [
        _marks(
            [row for row in rows if row[column] == panel],
            alt.Y(f"{label}:N", sort=_order(rows, label), title=label),
            "estimate",
            title,
            flipped=True,
            size=34,
        ).properties(width=300, height=alt.Step(20), title=f"{column} {panel}")
        for panel in _order(rows, column)
    ]
    return alt.hconcat(*panels).resolve_scale(color="shared", shape="shared")


def by_rank(rows: Rows, *, rank: str, x_title: str, y_title: str) -> Any:
    """Draw many answers side by side in the order of the truth, without their names."""
    return _marks(
        rows,
        alt.X(f"{rank}:Q", title=x_title, scale=alt.Scale(zero=False, nice=False, padding=8)),
        "estimate",
        y_title,
        flipped=False,
        size=18,
    ).properties(width=720, height=300)


def bands(rows: Rows, *, x: str, column: str, x_title: str, y_title: str) -> Any:
    """Draw curves with their bands, and the true curve, one panel for each value of `column`."""
    color = alt.Color("kind:N", title=None, scale=alt.Scale(**_SCALE))
    panels: list[Any] = []
    values = [row[name] for row in rows for name in ("low", "high", "truth")]
    room = alt.Scale(domain=[min(values), max(values)], nice=True)
    for panel in _order(rows, column):
        own = [row for row in rows if row[column] == panel]
        base = alt.Chart(alt.Data(values=[{**row, "kind": KINDS[1]} for row in own])).encode(
            x=alt.X(f"{x}:Q", title=x_title, scale=alt.Scale(nice=False))
        )
        truth = alt.Chart(alt.Data(values=[{**row, "kind": KINDS[0]} for row in own])).encode(
            x=alt.X(f"{x}:Q", title=x_title, scale=alt.Scale(nice=False))
        )
        layers = alt.layer(
            base.mark_area(opacity=0.25, color=COLORS[1]).encode(
                y=alt.Y("low:Q", title=y_title, scale=room), y2="high:Q"
            ),
            base.mark_line(strokeWidth=1.8).encode(
                y=alt.Y("estimate:Q", title=y_title), color=color
            ),
            truth.mark_line(strokeWidth=1.6, strokeDash=[5, 3]).encode(
                y=alt.Y("truth:Q", title=y_title), color=color
            ),
        )
        panels.append(layers.properties(width=250, height=190, title=str(panel)))
    return alt.concat(*panels, columns=2).resolve_scale(color="shared")
