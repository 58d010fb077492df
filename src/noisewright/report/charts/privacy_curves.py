"""The privacy loss of mechanisms: the least δ at each ε, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from noisewright.errors import ParameterError
from noisewright.mechanisms import Mechanism
from noisewright.privacy import Profile, profile
from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import SeriesStyle, read_mechanisms

if TYPE_CHECKING:
    import altair as alt

_STEPS = 120
"""Places between 0 and the end of the axis; knots come on top, so that no bend is cut off."""

_MOST_KNOTS = 40


def privacy_curve(
    mechanisms: Mapping[str, Mechanism],
    *,
    title: str | None = None,
    largest_epsilon: float | None = None,
) -> alt.LayerChart:
    """Draw the least δ against ε for each mechanism, with a marker at each bend of the curve.

    The axis ends a little beyond the last bend, or at `largest_epsilon`.
    Requires: finite mechanisms whose neighbors can be listed, as for `profile`.
    """
    read = read_mechanisms(mechanisms)
    profiles = {name: profile(mechanism) for name, mechanism in read.items()}
    alt = load_altair()
    end = _end(profiles) if largest_epsilon is None else _read_end(largest_epsilon)
    units = {name: str(mechanism.space.unit) for name, mechanism in read.items()}
    records = [
        {**record, "unit": units[name]}
        for name, curve in profiles.items()
        for record in _records(name, curve, end)
    ]
    alike = len({*units.values()}) == 1
    counted = next(iter(units.values())) if alike else "for the neighbors of each mechanism"
    style = SeriesStyle(alt, list(profiles), field="mechanism", title="mechanism")
    base = alt.Chart(alt.Data(values=records)).encode(
        x=alt.X(
            "epsilon:Q",
            title=["ε", *counted.replace(" (", "\n(").split("\n")],
            scale=alt.Scale(domain=[0, end], nice=False),
            axis=alt.Axis(tickCount=6, labelFlush=False),
        ),
        y=alt.Y("delta:Q", title="least δ", scale=_delta_scale(alt, records)),
        tooltip=[
            "mechanism:N",
            alt.Tooltip("epsilon:Q", title="ε", format=".6~g"),
            alt.Tooltip("delta:Q", title="δ", format=".6~g"),
            alt.Tooltip("unit:N", title="counted"),
        ],
    )
    lines = style.lines(base)
    knots = style.markers(base.transform_filter("datum.knot"))
    chart = alt.layer(lines, knots).properties(width=380, height=280)
    return chart if title is None else chart.properties(title=title)


def _delta_scale(alt: Any, records: list[dict[str, Any]]) -> Any:
    # Where nothing is lost, zero belongs at the bottom, not in the middle.
    nothing = all(record["delta"] == 0 for record in records)
    return alt.Scale(domain=[0, 1]) if nothing else alt.Scale(zero=True)


def _read_end(largest_epsilon: float) -> float:
    if not 0 < largest_epsilon < math.inf:
        raise ParameterError(
            f"largest_epsilon is {largest_epsilon!r}; it must be a positive number, where the axis "
            "of the chart ends."
        )
    return float(largest_epsilon)


def _end(profiles: Mapping[str, Profile]) -> float:
    """Return where the axis ends: a little beyond the last bend; 1 when nothing bends."""
    last = max((max(curve.knots, default=0.0) for curve in profiles.values()), default=0.0)
    return 1.05 * last or 1.0


def _records(name: str, curve: Profile, end: float) -> list[dict[str, Any]]:
    # At 0 the curve begins; whether it would bend there is of no interest.
    knots = [knot for knot in curve.knots if 0 < knot <= end]
    marked = set(knots if len(knots) <= _MOST_KNOTS else knots[:: -(-len(knots) // _MOST_KNOTS)])
    places = sorted({*(end * step / _STEPS for step in range(_STEPS + 1)), *knots})
    return [
        {"mechanism": name, "epsilon": e, "delta": curve.delta(e), "knot": e in marked}
        for e in places
    ]
