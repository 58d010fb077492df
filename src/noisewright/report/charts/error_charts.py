"""Where errors fall: a histogram of the error, and how much lies beyond each distance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from noisewright import designs
from noisewright.mechanisms import Mechanism
from noisewright.report.charts.library import load_altair
from noisewright.report.charts.loss_curves import loss_curves
from noisewright.report.charts.series import SeriesStyle, read_mechanisms
from noisewright.report.charts.ticks import label_spacing, longest

if TYPE_CHECKING:
    import altair as alt

_MOST_BARS = 130
_HEIGHT = 240
_LONG_AXIS = 25
_TITLE = "error (published − true)"


def error_histogram(
    mechanisms: Mapping[str, Mechanism], distribution: Any = None, *, title: str | None = None
) -> alt.Chart:
    """Draw the probability of each error, output − input, side by side for each mechanism.

    `distribution` are the probabilities of the inputs, uniform by default. When bars would be
    too thin, the outline of each histogram is drawn instead. Of more than 25 errors, those at
    both ends that are too rare to be seen are left out.
    Requires: inputs and outputs that are numbers.
    """
    named = read_mechanisms(mechanisms)
    found = {name: designs.error_histogram(m, distribution) for name, m in named.items()}
    alt = load_altair()
    errors = _visible(found.values())
    records = [
        {"error": error, "mechanism": name, "probability": masses.get(error, 0.0)}
        for name, masses in found.items()
        for error in errors
    ]
    base = alt.Chart(alt.Data(values=records)).encode(
        y=alt.Y("probability:Q", title="probability"),
        tooltip=["mechanism:N", "error:Q", alt.Tooltip("probability:Q", format=".4~g")],
    )
    style = SeriesStyle(alt, list(named), field="mechanism", title="mechanism")
    draw = _bars if len(records) <= _MOST_BARS else _outlines
    chart = draw(alt, base, style, errors)
    return chart if title is None else chart.properties(title=title)


def tail_profile(
    mechanisms: Mapping[str, Mechanism], distribution: Any = None, *, title: str | None = None
) -> alt.LayerChart:
    """Draw P(|error| > d) against d, a line for each mechanism.

    `distribution` are the probabilities of the inputs, uniform by default.
    Requires: spaces that know distances.
    """
    rows = [
        {"d": d, "probability": tail, "mechanism": name}
        for name, mechanism in read_mechanisms(mechanisms).items()
        for d, tail in designs.error_profile(mechanism, distribution).items()
    ]
    chart: Any = loss_curves(
        rows,
        x="d",
        y="probability",
        color="mechanism",
        x_title="distance d",
        y_title="probability of an error beyond d",
        from_zero=True,
        title=title,
    )
    return chart


def _visible(histograms: Iterable[Mapping[float, float]]) -> list[float]:
    """Return the errors to show; a long axis leaves out ends that would look empty."""
    tallest: dict[float, float] = {}
    for masses in histograms:
        for error, mass in masses.items():
            tallest[error] = max(mass, tallest.get(error, 0.0))
    errors = sorted(tallest)
    if len(errors) <= _LONG_AXIS:
        return errors
    # A thousandth of the tallest bar is a quarter of a pixel.
    seen = [e for e in errors if tallest[e] > max(tallest.values()) / 1000]
    return [error for error in errors if seen[0] <= error <= seen[-1]]


def _bars(alt: Any, base: Any, style: SeriesStyle, errors: list[float]) -> Any:
    width = max(240, min(760, len(errors) * (6 * len(style.names) + 5)))
    axis = alt.Axis(
        labelAngle=0,
        labelOverlap=False,
        # Vega then writes a minus sign instead of a hyphen.
        format=".6~g",
        formatType="number",
        values=_ticks(errors, width / len(errors)),
    )
    return (
        style.in_color(base.mark_bar())
        .encode(
            x=alt.X(
                "error:O",
                title=_TITLE,
                axis=axis,
                scale=alt.Scale(paddingInner=0.25, paddingOuter=0.15),
            ),
            xOffset=alt.XOffset("mechanism:N", sort=list(style.names)),
        )
        .properties(width=width, height=_HEIGHT)
    )


def _ticks(errors: list[float], cell: float) -> list[float]:
    """Return the errors that are named along the axis, 0 among them."""
    every = label_spacing(cell, room=longest([f"{error:.6g}" for error in errors]) + 6)
    middle = errors.index(0) if 0 in errors else 0
    return errors[middle % every :: every]


def _outlines(alt: Any, base: Any, style: SeriesStyle, errors: list[float]) -> Any:
    scale = alt.Scale(nice=False, padding=4)
    return (
        style.outlines(base)
        .encode(x=alt.X("error:Q", title=_TITLE, scale=scale))
        .properties(width=max(480, min(760, 4 * len(errors))), height=_HEIGHT)
    )
