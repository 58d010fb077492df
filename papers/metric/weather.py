"""Example 2 on real data: mean temperature curves of four regions, from a few stations each."""

from __future__ import annotations

from typing import Any

import numpy as np

import noisewright as nw
from noisewright.report import save_chart
from papers.claims import Claim, Grid, Picture, Setting, Verdict, judge
from papers.data_files import WEATHER, read_weather
from papers.interval_charts import bands
from papers.page import write_csv

# From geography, not from the data: temperatures, and how far a year lies from the middle of it.
LOW, HIGH = -40, 30
FURTHEST = 20
"""Degrees by which a station's year may lie from −5 °C, as a root mean square."""

COEFFICIENTS = 3
"""Fourier coefficients: the mean of the year and one wave."""

EPSILON, DELTA = 8, 1e-5
DAYS = 365

_TITLE = "mean temperature curves by region"
_SAYS = (
    "Readings over time are records too: functions, with a norm (Example 2). A query may be "
    "answered with noise of its own (Section 2.4), such as a random function added to a mean "
    "curve. The paper has no experiment."
)


def mechanism(epsilon: float) -> nw.results.CurveNoise:
    """Return the mechanism for a mean curve: normal noise in a few Fourier coefficients."""
    space = nw.Curves(range(1, DAYS + 1), low=LOW, high=HIGH, step="0.1")
    return nw.curves.curve_noise(
        space,
        epsilon=epsilon,
        delta=DELTA,
        basis="fourier",
        coefficients=COEFFICIENTS,
        bound=FURTHEST,
    )


def temperature_curves(setting: Setting) -> Claim:
    """One private mean curve per region with a band, beside the true mean."""
    path = setting.data.get(WEATHER.name)
    if path is None:
        return Claim("Example 2, data", _TITLE, _SAYS, WEATHER.absence, Verdict.NOT_RUN)
    regions: dict[str, list[list[float]]] = {}
    for _, region, temperatures in read_weather(path):
        regions.setdefault(region, []).append(temperatures)
    curves = {region: np.array(rows) for region, rows in regions.items()}
    ordered = sorted(curves, key=lambda region: -len(curves[region]))
    noise = mechanism(EPSILON)
    shown = np.arange(1, DAYS + 1, 7)
    rows: list[dict[str, Any]] = []
    reach: dict[str, float] = {}
    for region in ordered:
        released = noise.mean(
            curves[region], outside="clamp", source=nw.randomness.SeededSource(f"weather/{region}")
        )
        band = released.band(shown, level=0.95)
        truth = curves[region].mean(axis=0)[shown - 1]
        reach[region] = float((band.high - band.low).mean() / 2)
        for day, value, low, high, true in zip(
            shown, band.values, band.low, band.high, truth, strict=True
        ):
            rows.append(
                {
                    "day": int(day),
                    "region": f"{region}, {len(curves[region])} stations",
                    "truth": float(true),
                    "estimate": float(value),
                    "low": float(low),
                    "high": float(high),
                }
            )
    releases = setting.pick(100, 5)
    covered, off = 0, 0.0
    for region in ordered:
        truth = curves[region].mean(axis=0)[shown - 1]
        for number in range(releases):
            source = nw.randomness.SeededSource(f"weather/{region}/{number}")
            band = noise.mean(curves[region], outside="clamp", source=source).band(shown)
            covered += bool(((band.low <= truth) & (truth <= band.high)).all())
        quiet = mechanism(1e6).mean(
            curves[region], outside="clamp", source=nw.randomness.SeededSource(f"quiet/{region}")
        )
        off = max(off, float(np.sqrt(((quiet.at(shown)[0] - truth) ** 2).mean())))
    share = covered / (releases * len(ordered))
    save_chart(
        bands(rows, x="day", column="region", x_title="day of the year", y_title="°C"),
        setting.out / "weather.png",
    )
    fewest = len(curves[ordered[-1]])
    levels = (1, 2, 4, 8, 16)
    deviations = {e: mechanism(e).expected_error(rows=1) for e in levels}
    table = [
        [e, *(deviations[e] / len(curves[region]) for region in ordered), int(deviations[e]) + 1]
        for e in levels
    ]
    return Claim(
        "Example 2, data",
        _TITLE,
        _SAYS,
        f"{sum(map(len, curves.values()))} stations in {len(curves)} regions, {DAYS} days. Each "
        f"station is in one region, and its whole year is protected with ε = {EPSILON}, δ = 1e-5: "
        f"normal noise in {COEFFICIENTS} Fourier coefficients (`nw.curves.curve_noise`), after "
        "which the curve can be read on any day. 95% bands for the whole curve reach ± "
        + ", ".join(f"{reach[r]:.0f} °C ({r})" for r in ordered)
        + f"; {share:.0%} of {releases * len(ordered)} bands hold the true mean on all days shown, "
        f"although a single wave misses it by up to {off:.1f} °C. This ε is large, and still "
        f"nothing can be seen in a mean over {fewest} stations: so few curves cannot be averaged "
        f"privately. At ε = 1 it takes {table[0][-1]:,} stations to have noise of 1 °C.",
        judge(share >= 0.93),
        grids=(
            Grid(
                "Root mean square of the noise in °C, and the stations for 1 °C",
                ("ε", *ordered, "stations for 1 °C"),
                table,
            ),
        ),
        pictures=(
            Picture(
                "weather.png",
                f"Dashed: the true mean. Line and band: released with ε = {EPSILON}, δ = 1e-5, and "
                "95% for the whole curve.",
            ),
        ),
        files=(write_csv(setting.out / "weather.csv", rows),),
        numbers={"coverage": share, "bent": off, **{f"reach_{r}": reach[r] for r in ordered}},
    )


CLAIMS = {"temperature-curves": temperature_curves}
