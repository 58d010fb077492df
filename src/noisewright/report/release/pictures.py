"""One picture of what a mechanism does to a value, whatever kind of mechanism it is.

Few points: the heatmap. Many points that are all treated alike, and sets: two bars. Many points
in a row: where three of them end up. Noise: its distribution. Curves: the band of the noise, and
some of its paths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.estimation import Estimate
from noisewright.mechanisms import Additive, Mechanism, SetMechanism, Table
from noisewright.report.charts.ticks import labels
from noisewright.report.drawings.grid import SquareGrid, draw_heatmap
from noisewright.report.drawings.plot import Curve, Plot, draw_plot
from noisewright.report.release.treatments import truth_shares
from noisewright.report.texts import percent, readable
from noisewright.sampling import SeededSource
from noisewright.spaces import Dates, Space

MOST_CELLS = 16
"""Points along a side of a heatmap on a page; more would take much room in the file."""

_PATHS = 3
_HALF_STEPS = 40
"""Places at which a density is drawn, to each side of zero."""

_LINES = ("line blue", "line red dashed", "line green dotted")


@dataclass(frozen=True)
class Picture:
    """A drawing with its caption and what it shows for who cannot see it, or why there is none."""

    caption: str = ""
    about: str = ""
    drawing: Plot | SquareGrid | None = None
    bars: tuple[tuple[str, float, str], ...] = ()
    failed: str = ""


def try_to_draw(draw: Callable[[], Picture | None]) -> Picture | None:
    """Return a picture, or one that says that it could not be drawn.

    Ensures: never raises. A page is made after its data are safe, and a picture that fails must
    not take the rest of the page with it.
    """
    try:
        return draw()
    except Exception as problem:
        return Picture(failed=type(problem).__name__)


def picture_mechanism(mechanism: Mechanism | CurveNoise, *, unit: str) -> Picture | None:
    """Return the picture of a mechanism; `unit` is what a value is called."""
    if isinstance(mechanism, SetMechanism):
        return Picture(
            "The two coins that decide about each item, tossed for each on its own.",
            bars=(
                ("an item that is in the set is released", float(mechanism.present), "fill"),
                ("an item that is not in it is released", float(mechanism.absent), "other"),
            ),
        )
    if isinstance(mechanism, CurveNoise):
        return _picture_curves(mechanism)
    if isinstance(mechanism, Table) and max(mechanism.weights.shape) <= MOST_CELLS:
        inputs, outputs = mechanism.weights.shape
        return Picture(
            "Each row is a true value; its cells say how often each value is published instead.",
            f"Heatmap of {inputs} true values by {outputs} published values: the probability of "
            "each published value for each true one.",
            draw_heatmap(mechanism),
        )
    alike = truth_shares(mechanism)
    if alike is not None:
        return Picture(
            f"All {alike.points:,} values are treated alike: each of the other "
            f"{alike.points - 1:,} is released with probability {percent(alike.other)}.",
            bars=(
                ("the true value is released", alike.truth, "fill"),
                ("one of the others", 1 - alike.truth, "other"),
            ),
        )
    if isinstance(mechanism, Additive):
        return _picture_noise(mechanism, unit)
    if isinstance(mechanism, Table) and mechanism.space.ordered:
        return _picture_outcomes(mechanism, unit)
    return None


def _picture_noise(mechanism: Additive, unit: str) -> Picture:
    # Noise is symmetric around zero, and each of its exact probabilities is computed once.
    @cache
    def below(steps: int) -> float:
        return float(mechanism.cumulative(steps, 64).high)

    step = float(mechanism.space.step)
    half, most = (_quantile(below, level) * step for level in (0.5, 0.95))
    end = _quantile(below, 0.99)
    width = max(1, end // _HALF_STEPS)
    places = range(0, end + 1, width)
    tops = [place + width // 2 for place in places]
    right = [max(below(top) - below(top - width), 0.0) / (width * step) for top in tops]
    x = [-at * step for at in reversed(places[1:])] + [at * step for at in places]
    y = [*reversed(right[1:]), *right]
    inner = [place for place, at in enumerate(x) if abs(at) <= most]
    shaded = slice(inner[0], inner[-1] + 1)
    space = mechanism.space
    units = f" {space.every}s" if isinstance(space, Dates) else ""
    words = (
        f"Half of the time the noise is at most {readable(half)}{units} either way, 19 times out "
        f"of 20 at most {readable(most)}{units} (the darker part)."
    )
    if mechanism.form != "unbounded":
        low, high = (
            space.show(end) if isinstance(space, Dates) else f"{float(end):,g}"
            for end in (space.low, space.high)
        )
        words += f" What leaves the range from {low} to {high} is set to its nearer end."
    drawing = draw_plot(
        [
            Curve(x, y, "area faint", low=[0.0] * len(x)),
            Curve(x[shaded], y[shaded], "area", low=[0.0] * len(inner)),
            Curve(x, y, "line blue"),
        ],
        x_title=f"noise added to the true {unit}",
        y_title="density",
        height=150,
        y_ticks=False,
    )
    return Picture(words, f"Distribution of the noise, symmetric around zero. {words}", drawing)


def _quantile(below: Callable[[int], float], level: float) -> int:
    """Return the least d for which symmetric noise is within ±d steps with this probability."""
    high = 1
    while 2 * below(high) - 1 < level:
        high *= 2
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if 2 * below(middle) - 1 >= level else (middle, high)
    return high


def _picture_outcomes(mechanism: Table, unit: str) -> Picture:
    last = mechanism.space.size - 1
    codes = sorted({round(last * share) for share in (0.15, 0.5, 0.85)})
    names = labels(mechanism.space)
    numbers = _numbers(mechanism.outputs)
    total = mechanism.total
    drawing = draw_plot(
        [
            Curve(
                numbers,
                [weight / total for weight in mechanism.weights[code].tolist()],
                kind,
                name=names[code],
                steps=True,
            )
            for code, kind in zip(codes, _LINES, strict=False)
        ],
        x_title=f"published {unit}",
        y_title="probability",
        height=170,
        key_title=f"true {unit}",
        # The ends collect what would leave the range; without it only they would show.
        square_root=True,
    )
    words = f"What is published for three true values: {', '.join(names[c] for c in codes)}."
    return Picture(words, words, drawing)


def _numbers(space: Space) -> list[float]:
    """Return the points of an ordered space as numbers, or their places when they are none."""
    points = list(space.points)
    if all(isinstance(point, (int, float)) for point in points):
        return [float(point) for point in points]
    return [float(place) for place in range(len(points))]


def _picture_curves(mechanism: CurveNoise) -> Picture:
    space = mechanism.space
    band = mechanism.noise_band(simultaneous=False)
    middle = space.steps // 2
    flat = space.values(np.full((_PATHS, len(space.grid)), middle))
    drawn = mechanism.sample(flat, source=SeededSource("paths of noise"))
    paths = drawn.values - float(space.low + middle * space.step)
    x, low, high = (
        np.ravel(part).astype(float).tolist() for part in (band.positions, band.low, band.high)
    )
    drawing = draw_plot(
        [
            Curve(x, high, "area", low=low),
            Curve(x, np.ravel(band.values).astype(float).tolist(), "line blue"),
            *(
                Curve(list(map(float, drawn.grid)), path, "line thin red")
                for path in paths.tolist()
            ),
        ],
        x_title="position",
        y_title="noise",
        height=190,
    )
    words = (
        f"Noise added to one curve, whose values lie between {float(space.low):,g} and "
        f"{float(space.high):,g}: the band holds it 19 times out of 20 at each position (about "
        f"±{readable(float(np.median(high)))}); the thin lines are three examples of it."
    )
    return Picture(words, words, drawing)


def picture_mean_curve(estimate: Estimate, about: str) -> Picture:
    """Return an estimated mean curve with its intervals."""
    x = [float(place) for place in estimate.axes[0].labels]
    drawing = draw_plot(
        [
            Curve(x, estimate.highs.tolist(), "area", low=estimate.lows.tolist()),
            Curve(x, estimate.values.tolist(), "line blue", name="estimated mean"),
        ],
        x_title="position",
        y_title="value",
        height=200,
        key_title="curve",
    )
    words = (
        f"The mean curve, with {100 * estimate.confidence:.4g}% intervals"
        f"{' for all positions together' if estimate.together else ' at each position'}."
    )
    return Picture(words, f"{about}. {words}", drawing)
