"""One picture of what a mechanism does to a value, whatever kind of mechanism it is.

Few points: the heatmap. Many points that are all treated alike, and sets: two bars. Many points
in a row: where three of them end up. Noise: its distribution. Curves: the band of the noise, and
some of its paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveNoise
from noisewright.mechanisms import Additive, Mechanism, SetMechanism, Table
from noisewright.report.charts.curve_bands import curve_bands
from noisewright.report.charts.heatmaps import MOST_WITH_NUMBERS, heatmap
from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import COLORS
from noisewright.report.charts.ticks import labels
from noisewright.report.inline_charts import figure
from noisewright.report.markup import Markup, attribute, joined, text
from noisewright.report.numerals import percent, readable
from noisewright.report.release.survival import ResponseShares, noise_quantile, truth_shares
from noisewright.sampling import SeededSource

MOST_CELLS = 16
"""Points along a side of a heatmap on a page; more would take much room in the file."""

_SIDE = 300
_WIDTH = 330
_PATHS = 3


@dataclass(frozen=True)
class Bar:
    """A probability as a bar with its name; `other` paints it in the color of what is not true."""

    name: Markup
    share: float
    other: bool = False


def picture(mechanism: Mechanism | CurveNoise, *, name: str, unit: str, charts: bool) -> Markup:
    """Return the picture of a mechanism; `name` is unique on the page, `unit` what a value is.

    Without charts there are bars still: they need no library.
    """
    if isinstance(mechanism, SetMechanism):
        return coins(mechanism)
    alike = truth_shares(mechanism)
    small = isinstance(mechanism, Table) and max(mechanism.weights.shape) <= MOST_CELLS
    if alike is not None and (not small or not charts):
        return bars_of(alike)
    if not charts:
        return Markup("")
    if isinstance(mechanism, CurveNoise):
        return _curves(mechanism, name)
    if isinstance(mechanism, Table) and small:
        return _heatmap(mechanism, name)
    if isinstance(mechanism, Additive):
        return _noise(mechanism, name, unit)
    if isinstance(mechanism, Table) and mechanism.space.ordered:
        return _outcomes(mechanism, name, unit)
    return Markup("")


def coins(mechanism: SetMechanism) -> Markup:
    """Return the two coins of an item as bars."""
    there, not_there = float(mechanism.present), float(mechanism.absent)
    return bars(
        [
            Bar(text("an item that is in the set is released"), there),
            Bar(text("an item that is not in it is released"), not_there, other=True),
        ],
        caption=text("The two coins that decide about each item, tossed for each on its own."),
    )


def bars_of(alike: ResponseShares) -> Markup:
    """Return how often the truth is released, and how often each of the other values."""
    return bars(
        [
            Bar(text("the true value is released"), alike.truth),
            Bar(text("one of the others"), 1 - alike.truth, other=True),
        ],
        caption=text(
            f"All {alike.points:,} values are treated alike: each of the other "
            f"{alike.points - 1:,} is released with probability {percent(alike.other)}."
        ),
    )


def bars(given: Sequence[Bar], *, caption: Markup) -> Markup:
    """Return probabilities as bars, with their numbers beside them."""
    rows = [
        f'<div class="bar"><span>{bar.name}</span>'
        '<svg aria-hidden="true" focusable="false"><rect class="track" width="100%" height="100%" '
        f'rx="3"/><rect class="{"other" if bar.other else "fill"}" width="{100 * bar.share:.3f}%" '
        f'height="100%" rx="3"/></svg><b>{text(percent(bar.share))}</b></div>'
        for bar in given
    ]
    return joined(["<figure>", *rows, f"<figcaption>{caption}</figcaption></figure>"])


def _heatmap(mechanism: Table, name: str) -> Markup:
    inputs, outputs = mechanism.weights.shape
    about = (
        f"Heatmap of {inputs} true values by {outputs} published values: the probability of each "
        "published value for each true one."
    )
    words = "Each row is a true value; its cells say how often each value is published instead."
    return figure(
        lambda: heatmap(mechanism, side=_SIDE, legend=max(inputs, outputs) > MOST_WITH_NUMBERS),
        name=name,
        about=about,
        caption=text(words),
    )


def _noise(mechanism: Additive, name: str, unit: str) -> Markup:
    step = float(mechanism.space.step)
    half, most = (noise_quantile(mechanism, level) * step for level in (0.5, 0.95))
    end = noise_quantile(mechanism, 0.99)
    steps = np.unique(np.rint(np.linspace(-end, end, 121)).astype(np.int64)).tolist()
    width = max(1, (steps[-1] - steps[0]) // max(len(steps) - 1, 1))
    records = [{"x": at * step, "y": _mass(mechanism, at, width) / (width * step)} for at in steps]

    def chart() -> Any:
        alt = load_altair()
        base = alt.Chart(alt.Data(values=records))
        x = alt.X("x:Q", title=f"noise added to the true {unit}", axis=alt.Axis(format="~s"))
        y = alt.Y("y:Q", title="density", axis=alt.Axis(labels=False, ticks=False))
        inner = f"abs(datum.x) <= {most}"
        return alt.layer(
            base.mark_area(color=COLORS[0], opacity=0.12).encode(x=x, y=y),
            base.transform_filter(inner).mark_area(color=COLORS[0], opacity=0.3).encode(x=x, y=y),
            base.mark_line(color=COLORS[0], strokeWidth=1.7).encode(x=x, y=y),
        ).properties(width=_WIDTH, height=150)

    words = (
        f"Half of the time the noise is at most {readable(half)} either way, 19 times out of 20 "
        f"at most {readable(most)} (the darker part)."
    )
    if mechanism.form != "unbounded":
        low, high = float(mechanism.space.low), float(mechanism.space.high)
        words += f" What leaves the range from {low:,g} to {high:,g} is set to its nearer end."
    about = f"Distribution of the noise, symmetric around zero. {words}"
    return figure(chart, name=name, about=about, caption=text(words))


def _mass(mechanism: Additive, at: int, width: int) -> float:
    """Return the probability that the noise is within `width` steps that end half of it above."""
    top = at + width // 2
    high = float(mechanism.cumulative(top, 96).high)
    return max(high - float(mechanism.cumulative(top - width, 96).high), 0.0)


def _outcomes(mechanism: Table, name: str, unit: str) -> Markup:
    last = mechanism.space.size - 1
    codes = sorted({round(last * share) for share in (0.15, 0.5, 0.85)})
    names = labels(mechanism.space)
    numbers = _numbers(mechanism.outputs)
    records = [
        {"x": x, "y": y, "true": f"{names[code]}"}
        for code in codes
        for x, y in zip(numbers, row_of(mechanism, code).tolist(), strict=True)
    ]

    def chart() -> Any:
        alt = load_altair()
        return (
            alt.Chart(alt.Data(values=records))
            .mark_line(interpolate="step", strokeWidth=1.7)
            .encode(
                x=alt.X(
                    "x:Q",
                    title=f"published {unit}",
                    axis=alt.Axis(tickCount=6),
                    scale=alt.Scale(zero=False, nice=False),
                ),
                y=alt.Y(
                    "y:Q",
                    title="probability",
                    axis=alt.Axis(tickCount=4, format=".2~g"),
                    # The ends collect what would leave the range; without it only they would show.
                    scale=alt.Scale(type="sqrt"),
                ),
                color=alt.Color(
                    "true:N",
                    title=f"true {unit}",
                    sort=[names[code] for code in codes],
                    scale=alt.Scale(range=list(COLORS[:3])),
                ),
                strokeDash=alt.StrokeDash(
                    "true:N",
                    title=f"true {unit}",
                    sort=[names[code] for code in codes],
                    scale=alt.Scale(range=[[1, 0], [6, 3], [2, 2]]),
                    legend=None,
                ),
            )
            .properties(width=_WIDTH, height=170)
        )

    words = f"What is published for three true values: {', '.join(names[c] for c in codes)}."
    return figure(chart, name=name, about=words, caption=text(words))


def _numbers(space: Any) -> list[float]:
    """Return the points of an ordered space as numbers, or their places when they are none."""
    points = list(space.points)
    if all(isinstance(point, (int, float)) for point in points):
        return [float(point) for point in points]
    return [float(place) for place in range(len(points))]


def row_of(mechanism: Table, code: int) -> NDArray[np.float64]:
    """Return the probabilities of the outputs for one input."""
    total = mechanism.total
    return np.array([weight / total for weight in mechanism.weights[code].tolist()])


def _curves(mechanism: CurveNoise, name: str) -> Markup:
    space = mechanism.space

    def chart() -> Any:
        band = mechanism.noise_band(simultaneous=False)
        middle = space.steps // 2
        flat = space.values(np.full((_PATHS, len(space.grid)), middle))
        drawn = mechanism.sample(flat, source=SeededSource("paths of noise"))
        paths = drawn.values - float(space.low + middle * space.step)
        alt = load_altair()
        lines = [
            {"x": float(x), "y": float(y), "path": place}
            for place, path in enumerate(paths)
            for x, y in zip(drawn.grid, path, strict=True)
        ]
        shown = curve_bands({"95% of the noise": band}, x_title="position", y_title="noise")
        thin = (
            alt.Chart(alt.Data(values=lines))
            .mark_line(strokeWidth=1, opacity=0.75, color=COLORS[1])
            .encode(x="x:Q", y="y:Q", detail="path:N")
        )
        return alt.layer(shown, thin).properties(width=_WIDTH, height=190)

    low, high = float(space.low), float(space.high)
    reach = float(np.median(mechanism.noise_band(simultaneous=False).high))
    words = (
        f"Noise added to one curve, whose values lie between {low:,g} and {high:,g}: the band "
        f"holds it 19 times out of 20 at each position (about ±{readable(reach)}); the thin lines "
        "are three examples of it."
    )
    return figure(chart, name=name, about=attribute(words), caption=text(words))
