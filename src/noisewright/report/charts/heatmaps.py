"""A mechanism as a picture: one row of cells for each input, one column for each output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, TooLargeError
from noisewright.given import amount
from noisewright.mechanisms import Mechanism
from noisewright.report.charts.library import load_altair
from noisewright.report.charts.series import SEQUENTIAL, read_mechanisms
from noisewright.report.charts.ticks import (
    DARK_BELOW,
    LONGEST,
    MOST_WITH_NUMBERS,
    HeatmapLayout,
    cell_text,
    has_numbers,
)

if TYPE_CHECKING:
    import altair as alt

Scale = Literal["linear", "sqrt"]

MOST_POINTS = 300
"""Inputs or outputs of a heatmap; more cells take long to draw and are too small to see."""

_SIDE = 400
"""Pixels that a heatmap aims at; cells are whole pixels, so that no seams show."""

_SIDE_OF_SEVERAL = 300


def heatmap(
    mechanism: Mechanism,
    *,
    title: str | None = None,
    scale: Scale | None = None,
    most: float | None = None,
    side: int = _SIDE,
    legend: bool = True,
) -> alt.LayerChart:
    """Draw the probabilities of a mechanism: rows are true inputs, columns published outputs.

    Cells carry their numbers when there are at most 12 inputs and outputs: 0 is a probability
    that is exactly zero, <.01 one that is not. `scale` says how color grows with probability:
    "linear", or "sqrt", which sets small probabilities apart and is the default for more than
    12. It ends at `most`, by default the largest probability. `side` is the width in pixels that
    the cells together aim at; `legend` shows which color is which probability.
    Requires: at most 300 inputs and outputs.
    """
    _require_drawable(mechanism)
    shade = _read_scale(scale, [mechanism])
    top = float(mechanism.matrix.max()) if most is None else most
    chart = _picture(load_altair(), mechanism, shade, top, side, legend=legend)
    return chart if title is None else chart.properties(title=title)


def heatmaps(
    mechanisms: Mapping[str, Mechanism],
    *,
    title: str | None = None,
    scale: Scale | None = None,
    columns: int | None = None,
) -> alt.ConcatChart:
    """Draw several mechanisms side by side under one color scale, each with its name above.

    `columns` is how many stand in one row: by default three, or four when they are small. The
    rest is as for `heatmap`.
    """
    named = read_mechanisms(mechanisms)
    for mechanism in named.values():
        _require_drawable(mechanism)
    alt = load_altair()
    shade = _read_scale(scale, named.values())
    top = max(float(mechanism.matrix.max()) for mechanism in named.values())
    pictures = [
        _picture(alt, mechanism, shade, top, _SIDE_OF_SEVERAL).properties(title=name)
        for name, mechanism in named.items()
    ]
    across = columns or _across([picture.width for picture in pictures])
    chart = alt.concat(*pictures, columns=across, spacing=24).resolve_scale(color="shared")
    if title is None:
        return chart
    return chart.properties(title=alt.TitleParams(title, anchor="middle"))


def _across(widths: list[int]) -> int:
    """Return how many pictures go into a row; four stand two by two rather than three and one."""
    if sum(widths) <= 1200 or len(widths) <= 3:
        return len(widths)
    return 2 if len(widths) == 4 else 3


def _picture(
    alt: Any, mechanism: Mechanism, shade: Scale, top: float, side: int, *, legend: bool = True
) -> Any:
    layout = HeatmapLayout.of(mechanism, side=side)
    inputs, outputs, across, down = layout.inputs, layout.outputs, layout.x_title, layout.y_title
    base = _cells(alt, mechanism.matrix, inputs, outputs).encode(
        x=alt.X("column:O", axis=_axis(alt, across, outputs, layout.across, tilt=layout.tilt)),
        y=alt.Y("row:O", axis=_axis(alt, down, inputs, layout.down)),
    )
    height = layout.cell * len(inputs)
    color = alt.Color(
        "probability:Q",
        title="probability",
        scale=alt.Scale(type=shade, scheme=SEQUENTIAL, domain=[0, top], clamp=True),
        legend=alt.Legend(gradientLength=max(80, min(height, 240)), tickCount=5, format=".3~g")
        if legend
        else None,
    )
    tooltip = [
        alt.Tooltip("input:N", title=down),
        alt.Tooltip("output:N", title=across),
        alt.Tooltip("probability:Q", format=".4~g"),
    ]
    layers = [base.mark_rect().encode(color=color, tooltip=tooltip)]
    if has_numbers(mechanism):
        dark = DARK_BELOW if shade == "linear" else DARK_BELOW**2
        layers.append(_numbers(alt, base, mechanism, dark_below=dark * top))
    return alt.layer(*layers).properties(
        width=layout.cell * len(outputs), height=height, view=alt.ViewBackground(stroke=None)
    )


def _require_drawable(mechanism: Mechanism) -> None:
    if not isinstance(mechanism, Mechanism):
        raise InputError(
            f"a heatmap shows a mechanism; got {type(mechanism).__name__}. For a design give "
            "its .mechanism."
        )
    require_visible(max(mechanism.space.size, mechanism.outputs.size))


def require_visible(size: int) -> None:
    """Raise TooLargeError when a heatmap of this many points would show nothing."""
    if size > MOST_POINTS:
        raise TooLargeError(
            f"a heatmap shows at most {MOST_POINTS} inputs and outputs; this mechanism has "
            f"{amount(size)}. Draw a smaller mechanism of the same kind.",
            size=size,
        )


def _read_scale(scale: Any, mechanisms: Iterable[Mechanism]) -> Scale:
    if scale is None:
        return "linear" if all(map(has_numbers, mechanisms)) else "sqrt"
    if scale not in ("linear", "sqrt"):
        raise InputError(f"scale is {scale!r}; it must be 'linear' or 'sqrt'.")
    return scale


def _cells(alt: Any, matrix: NDArray[np.float64], inputs: list[str], outputs: list[str]) -> Any:
    """Return a chart over the cells; it carries each probability once and each name once."""
    # As a text the numbers are one value for Altair to check, not ten thousand.
    numbers = "\n".join(["probability", *(f"{p:.4g}" for p in matrix.ravel().tolist())])
    form = alt.CsvDataFormat(type="csv", parse={"probability": "number"})
    place = f"(datum.place - 1) / {len(outputs)}"
    return (
        alt.Chart(alt.InlineData(values=numbers, format=form))
        .transform_window(place="row_number()")
        .transform_calculate(
            row=f"floor({place})",
            column=f"(datum.place - 1) % {len(outputs)}",
        )
        .transform_calculate(
            input=_name_of("datum.row", inputs),
            output=_name_of("datum.column", outputs),
        )
    )


def _name_of(code: str, names: list[str]) -> str:
    """Write in Vega's language, where lists and text look as in JSON, how a code is called."""
    if names == [str(number) for number in range(len(names))]:
        # Counts are their own names; a list would be made anew for every cell.
        return code
    return f"{json.dumps(names)}[{code}]"


def _numbers(alt: Any, base: Any, mechanism: Mechanism, *, dark_below: float) -> Any:
    """Return the layer of numbers, light on dark cells and dark on light ones."""
    numbers = zip(mechanism.matrix.flat, mechanism.weights.flat, strict=True)
    texts = [cell_text(float(p), impossible=weight == 0) for p, weight in numbers]
    ink = (
        alt.when(f"datum.probability < {dark_below}")
        .then(alt.value("#ffffff"))
        .otherwise(alt.value("#111111"))
    )
    return (
        base.transform_calculate(text=_name_of("datum.place - 1", texts))
        .mark_text(fontSize=11, baseline="middle")
        .encode(text="text:N", color=ink)
    )


def _axis(alt: Any, title: str, names: list[str], codes: list[int], *, tilt: int = 0) -> Any:
    return alt.Axis(
        title=title,
        values=codes,
        labelAngle=-tilt,
        labelExpr=_name_of("datum.value", names),
        labelLimit=LONGEST,
        labelOverlap=False,
        ticks=len(names) > MOST_WITH_NUMBERS,
        tickSize=3,
        domain=False,
        labelPadding=4,
    )
