"""Several mechanisms in one chart: their names, and how to tell them apart, also in gray."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from noisewright.errors import InputError
from noisewright.mechanisms import Mechanism

SEQUENTIAL = "viridis"

# Okabe and Ito's colors. Their yellow is too pale for a line on white; a gray takes its place.
COLORS = (
    "#0072B2",  # blue
    "#D55E00",  # vermilion
    "#009E73",  # bluish green
    "#CC79A7",  # reddish purple
    "#000000",
    "#E69F00",  # orange
    "#56B4E9",  # sky blue
    "#808080",
)

DASHES = ((1, 0), (7, 3), (2, 2), (8, 2, 2, 2), (4, 4), (12, 3), (2, 5), (8, 2, 2, 2, 2, 2), (5, 2))

SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
)


def ranges(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return for each visual channel the scale of these series, in their order.

    The numbers of colors, dashes and markers have no common factor, so that all three agree
    only after 504 series. Lines that come later, on top, are thinner: where two curves are
    the same, both show.
    """
    domain = list(names)
    around = range(len(domain))
    under = [(len(domain) - 1 - i) / max(1, len(domain) - 1) for i in around]
    return {
        "width": {"domain": domain, "range": [round(1.5 + 1.2 * u, 2) for u in under]},
        "color": {"domain": domain, "range": [COLORS[i % len(COLORS)] for i in around]},
        "dash": {"domain": domain, "range": [list(DASHES[i % len(DASHES)]) for i in around]},
        "shape": {"domain": domain, "range": [SHAPES[i % len(SHAPES)] for i in around]},
    }


@dataclass(frozen=True)
class SeriesStyle:
    """Draws one line per value of a field, each with its own color, dashes and marker."""

    alt: Any
    names: Sequence[str]
    field: str
    title: str

    def in_color(self, chart: Any) -> Any:
        """Give each series its color."""
        return chart.encode(color=self._channel(self.alt.Color, "color"))

    def areas(self, chart: Any) -> Any:
        """Draw shaded areas in the color of each series; the legend stays that of the markers."""
        # A fill of its own with its legend turned off would turn off the legend of the color too.
        filled = chart.mark_area(opacity=0.2)
        color = self._by_name(ranges(self.names)["color"])
        return filled.encode(fill=color, detail=self.alt.Detail(self.field, type="nominal"))

    def lines(self, chart: Any) -> Any:
        """Draw lines that differ in color, dashes and width; the legend shows no dashes."""
        # In the legend, dashes would fray the outlines of the markers.
        return self._stroke(chart.mark_line(), self._by_name(ranges(self.names)["dash"]))

    def outlines(self, chart: Any) -> Any:
        """Draw lines with steps, which have no markers; the legend shows their dashes."""
        dash = self._channel(self.alt.StrokeDash, "dash")
        return self._stroke(chart.mark_line(interpolate="step"), dash)

    def markers(self, chart: Any) -> Any:
        """Draw markers that differ in color and shape; hollow, so that none hides another."""
        hollow = chart.mark_point(filled=False, opacity=1, size=48, strokeWidth=1.7)
        return self.in_color(hollow).encode(shape=self._channel(self.alt.Shape, "shape"))

    def _stroke(self, chart: Any, dash: Any) -> Any:
        width = self._by_name(ranges(self.names)["width"])
        return self.in_color(chart).encode(strokeDash=dash, strokeWidth=width)

    def _channel(self, kind: Any, channel: str) -> Any:
        scale = self.alt.Scale(**ranges(self.names)[channel])
        legend = self.alt.Legend(title=self.title, symbolStrokeWidth=1.7)
        return kind(self.field, type="nominal", scale=scale, legend=legend)

    def _by_name(self, scale: dict[str, Any]) -> Any:
        """Return the values of a scale as conditions, of which a legend knows nothing."""
        *cases, (_, last) = zip(scale["domain"], scale["range"], strict=True)
        chosen: Any = self.alt
        for name, value in cases:
            test = f"datum[{json.dumps(self.field)}] === {json.dumps(name)}"
            chosen = chosen.when(test).then(self.alt.value(value))
        return chosen.otherwise(self.alt.value(last)) if cases else self.alt.value(last)


def read_mechanisms(mechanisms: Mapping[str, Mechanism]) -> dict[str, Mechanism]:
    """Read the mechanisms of a chart: a mapping from names to mechanisms, at least one."""
    if not isinstance(mechanisms, Mapping):
        raise InputError(
            f"give mechanisms by name, as in {{'GM': mechanism}}; got {type(mechanisms).__name__}."
        )
    if not mechanisms:
        raise InputError("give at least one mechanism, as in {'GM': mechanism}; got none.")
    for name, mechanism in mechanisms.items():
        if not isinstance(mechanism, Mechanism):
            raise InputError(
                f"{name!r} is a {type(mechanism).__name__}; it must be a mechanism. For a design "
                "give its .mechanism."
            )
    return {str(name): mechanism for name, mechanism in mechanisms.items()}
