"""Estimates with their intervals, next to the truth where it is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from noisewright.errors import InputError
from noisewright.estimation import Estimate
from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import COLORS

if TYPE_CHECKING:
    import altair as alt

_MOST_ROWS = 150
_ROW = 18
_WIDTH = 380


def estimate_chart(
    estimate: Estimate, *, truth: Any = None, counts: bool = False, title: str | None = None
) -> alt.LayerChart | alt.FacetChart:
    """Draw each answer as a dot on its interval, with the truth as a bar across if it is given.

    `truth` is an array of the shape of the answers; `counts` draws numbers of people instead of
    shares (the truth is then in people too). A table with two axes becomes a panel for each label
    of its first axis. Answers that are withheld are not drawn.
    Requires: one or two axes, at most 150 answers; take `estimate.top(100)` of more.
    """
    shown = estimate.counts if counts else estimate
    if shown.withheld.all():
        raise InputError(shown.sentences[-1])
    if len(shown.axes) not in (1, 2) or shown.values.size > _MOST_ROWS:
        raise InputError(
            f"this estimate has {shown.values.size:,} answers along {len(shown.axes)} axes; a "
            f"chart shows at most {_MOST_ROWS} along one or two. Take the largest by .top(100), or "
            "ask for a smaller table."
        )
    rows = _rows(shown, truth)
    alt = load_altair()
    panels = len(shown.axes) == 2
    chart = _dots(alt, rows, shown, has_truth=truth is not None, panels=panels)
    if panels:
        first = shown.axes[0]
        chart = chart.facet(
            row=alt.Row(
                "panel:N",
                title=first.name,
                sort=[str(label) for label in first.labels],
                header=alt.Header(labelAngle=0, labelAlign="left"),
            ),
            spacing=6,
        ).resolve_scale(y="shared")
    if title is None:
        return chart
    return chart.properties(title=alt.TitleParams(title, anchor="middle"))


def side_by_side(charts: Sequence[Any], *, columns: int = 2) -> alt.ConcatChart:
    """Put several charts into one picture, so many in a row; each keeps its own scales."""
    alt = load_altair()
    together = alt.concat(*charts, columns=columns, spacing=30)
    return together.resolve_scale(x="independent", y="independent", color="independent")


def _rows(shown: Estimate, truth: Any) -> list[dict[str, Any]]:
    columns = shown.columns()
    known = None
    if truth is not None:
        known = np.asarray(truth, dtype=np.float64)
        if known.shape != shown.values.shape:
            raise InputError(
                f"the truth has the shape {known.shape}; the estimate has {shown.values.shape}."
            )
        known = known.reshape(-1).tolist()
    names = [axis.name for axis in shown.axes]
    rows: list[dict[str, Any]] = []
    for place in np.flatnonzero(~shown.withheld.reshape(-1)).tolist():
        row = {
            "label": _label(columns[names[-1]][place]),
            "estimate": columns[shown.what][place],
            "low": columns["low"][place],
            "high": columns["high"][place],
        }
        if len(names) == 2:
            row["panel"] = str(columns[names[0]][place])
        if known is not None:
            row["truth"] = known[place]
        rows.append(row)
    return rows


def _label(label: Any) -> str:
    return f"{label:.10g}" if isinstance(label, float) else str(label)


def _dots(
    alt: Any, rows: list[dict[str, Any]], shown: Estimate, *, has_truth: bool, panels: bool
) -> Any:
    axis = shown.axes[-1]
    whom = "these people" if shown.about == "people" else "the population"
    title = f"{shown.what}, about {whom}, with {100 * shown.confidence:.3g}% intervals"
    labels = [_label(label) for label in axis.labels]
    y = alt.Y(
        "label:N", sort=labels, title=None if panels else axis.name, axis=alt.Axis(ticks=False)
    )
    number = alt.Axis(format=".4~g" if shown.what == "share" else ",~r", tickCount=6)
    # One scale with one legend: what each mark is, whatever its shape.
    kinds = ["estimate", *(["truth"] if has_truth else [])]
    color = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=list(COLORS[: len(kinds)])),
        legend=alt.Legend(orient="top") if has_truth else None,
    )
    tooltip = [
        alt.Tooltip("label:N", title=axis.name),
        *(
            alt.Tooltip(f"{name}:Q", format=".4~g")
            for name in ("estimate", "low", "high", *(["truth"] if has_truth else []))
        ),
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, tooltip=tooltip)
    estimates = base.transform_calculate(kind="'estimate'")
    layers = [
        estimates.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", title=title, axis=number), x2="high:Q", color=color
        ),
        estimates.mark_point(filled=True, size=45, opacity=1).encode(x="estimate:Q", color=color),
    ]
    if has_truth:
        layers.append(
            base.transform_calculate(kind="'truth'")
            .mark_tick(thickness=2.5, size=13, opacity=1)
            .encode(x="truth:Q", color=color)
        )
    return alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_ROW))
