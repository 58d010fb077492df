"""Several mechanisms in one chart: their names, and how each is told from the others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from noisewright.errors import InputError
from noisewright.mechanisms import Mechanism
from noisewright.report.palette import ranges


@dataclass(frozen=True)
class SeriesStyle:
    """Draws one line per value of a field, each with its own color, dashes and marker."""

    alt: Any
    names: Sequence[str]
    field: str
    title: str

    def colored(self, chart: Any) -> Any:
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
        return self._stroked(chart.mark_line(), self._by_name(ranges(self.names)["dash"]))

    def outlines(self, chart: Any) -> Any:
        """Draw lines with steps, which have no markers; the legend shows their dashes."""
        dash = self._channel(self.alt.StrokeDash, "dash")
        return self._stroked(chart.mark_line(interpolate="step"), dash)

    def markers(self, chart: Any) -> Any:
        """Draw markers that differ in color and shape; hollow, so that none hides another."""
        hollow = chart.mark_point(filled=False, opacity=1, size=48, strokeWidth=1.7)
        return self.colored(hollow).encode(shape=self._channel(self.alt.Shape, "shape"))

    def _stroked(self, chart: Any, dash: Any) -> Any:
        width = self._by_name(ranges(self.names)["width"])
        return self.colored(chart).encode(strokeDash=dash, strokeWidth=width)

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
