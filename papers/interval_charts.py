"""Pictures of answers beside the truth: a point and its interval, and what it should have hit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import COLORS

alt: Any = load_altair()
"""Untyped: Altair types each of its hundred channels by itself."""

Rows = Sequence[Mapping[str, Any]]

KINDS = ("truth", "estimate and interval")
_SCALE = {"domain": list(KINDS), "range": ["#000000", COLORS[1]]}


def _order(rows: Rows, name: str) -> list[Any]:
    return list(dict.fromkeys(row[name] for row in rows))


def by_rank(rows: Rows, *, rank: str, x_title: str, y_title: str) -> Any:
    """Draw many answers side by side in the order of the truth, without their names.

    Rows have `estimate`, `low`, `high` and `truth`. The scale is that of square roots, signs
    kept, so that small answers can be seen next to large ones.
    """
    x = alt.X(f"{rank}:Q", title=x_title, scale=alt.Scale(zero=False, nice=False, padding=8))
    scale = alt.Scale(type="pow", exponent=0.5, zero=True, nice=True)
    axis = alt.Axis(tickCount=8, format=",d")
    shapes = alt.Scale(domain=list(KINDS), range=["diamond", "circle"])
    color = alt.Color("kind:N", title=None, scale=alt.Scale(**_SCALE))
    shape = alt.Shape("kind:N", title=None, scale=shapes)
    truths, estimates = (
        alt.Chart(
            alt.Data(values=[{**row, "kind": kind, "value": row[name]} for row in rows])
        ).encode(x=x, color=color)
        for kind, name in zip(KINDS, ("truth", "estimate"), strict=True)
    )
    value = alt.Y("value:Q", title=y_title)
    return alt.layer(
        estimates.mark_rule(strokeWidth=1.6).encode(
            y=alt.Y("low:Q", title=y_title, scale=scale, axis=axis), y2="high:Q"
        ),
        estimates.mark_point(filled=True, size=20, opacity=1).encode(y=value, shape=shape),
        truths.mark_point(filled=False, size=30, strokeWidth=1.4, opacity=1).encode(
            y=value, shape=shape
        ),
    ).properties(width=720, height=320)


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
