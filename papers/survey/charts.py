"""Pictures that the report room has no word for: smooth lines, on scales of powers of ten."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import SeriesStyle

alt: Any = load_altair()
"""Untyped: Altair types each of its hundred channels by itself."""

Rows = Sequence[Mapping[str, Any]]


def lines(
    rows: Rows,
    *,
    x: str,
    y: str,
    color: str,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    log_y: bool = False,
    steps: bool = False,
    width: int = 420,
    y_domain: Sequence[float] | None = None,
) -> Any:
    """Draw a line without markers for each value of `color`; `steps` for distributions."""
    names = list(dict.fromkeys(str(row[color]) for row in rows))
    style = SeriesStyle(alt, names, field=color, title="")
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        x=alt.X(
            f"{x}:Q",
            title=x_title,
            scale=_scale(log_x),
            axis=_axis(log_x, [float(row[x]) for row in rows]),
        ),
        y=alt.Y(
            f"{y}:Q",
            title=y_title,
            scale=_scale(log_y, y_domain),
            axis=_axis(log_y, y_domain or [float(row[y]) for row in rows]),
        ),
    )
    drawn = style.outlines(base).mark_line(interpolate="step-after" if steps else "linear")
    # Names of bounds are formulas, which a legend would cut off.
    return drawn.properties(width=width, height=260).configure_legend(labelLimit=400)


def _scale(log: bool, domain: Sequence[float] | None = None) -> Any:
    given = {} if domain is None else {"domain": list(domain)}
    if log:
        return alt.Scale(type="log", nice=False, clamp=domain is not None, **given)
    return alt.Scale(zero=False, nice=False, **given)


def _axis(log: bool, values: Sequence[float]) -> Any:
    if not log:
        return alt.Axis(tickCount=6)
    low, high = math.log10(min(values)), math.log10(max(values))
    digits = (1, 2, 5) if high - low < 2.5 else (1,)
    places = [
        digit * 10.0**power
        for power in range(math.floor(low), math.ceil(high) + 1)
        for digit in digits
    ]
    # From a thousand on, powers of ten would be rows of zeros: 1k, 1M, 1G.
    words = "datum.value >= 1000 ? format(datum.value, '~s') : format(datum.value, '~g')"
    inside = [place for place in places if low - 1e-9 <= math.log10(place) <= high + 1e-9]
    return alt.Axis(values=inside, labelExpr=words)
