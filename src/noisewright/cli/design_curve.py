"""`noisewright design curve`: noise for curves, and what it will cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import noisewright as nw
from noisewright import curves, report
from noisewright.cli.options import (
    AlphaOption,
    DeltaOption,
    EpsilonOption,
    JsonOption,
    split_commas,
)
from noisewright.cli.say import answer, say
from noisewright.errors import ParameterError


def curve(
    positions: Annotated[
        str, typer.Argument(help="How many positions, or a list of them.", show_default=False)
    ],
    low: Annotated[str, typer.Option(help="The lower bound of the values.")],
    high: Annotated[str, typer.Option(help="The upper bound of the values.")],
    step: Annotated[
        str | None, typer.Option(help="The grid of the values; 4,096 steps if left out.")
    ] = None,
    epsilon: EpsilonOption = None,
    alpha: AlphaOption = None,
    delta: DeltaOption = "0",
    basis: Annotated[str, typer.Option(help="What the noise is added to; see above.")] = "values",
    coefficients: Annotated[
        int | None, typer.Option(help="How many coefficients of the basis or process.")
    ] = None,
    length: Annotated[
        str | None, typer.Option(help="The length of a kernel; a fifth of the grid if left out.")
    ] = None,
    bound: Annotated[
        str | None,
        typer.Option(help="Scale the coordinates of a curve down to at most this length."),
    ] = None,
    rows: Annotated[int, typer.Option(help="Plan for the mean of this many curves.")] = 1,
    chart: Annotated[
        Path | None, typer.Option(help="Draw the band of the noise: .png, .svg, .html or .json.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Plan noise for curves: how much, and how far off a curve or a mean will be.

    Positions are a number of them (0, 1, 2, …), or a list separated by commas.

    The basis is 'values' (noise at each position), 'fourier', 'bspline' or 'bernstein',
    or the kernel of a Gaussian process: 'gaussian', 'matern' or 'exponential'.

    Examples:
      noisewright design curve 48 --low 500 --high 3500 --epsilon 1 --basis fourier
      noisewright design curve 24 --low 0 --high 9 --epsilon 1 --rows 500 --chart m.png
      noisewright design curve 1,2,4,8,16 --low 60 --high 210 --epsilon 2 --basis bspline
      noisewright design curve 24 --low 0 --high 9 --epsilon 1 --delta 1e-6 --basis matern
    """
    if chart is not None:
        report.require_format(chart)
    space = nw.Curves(_positions(positions), low=low, high=high, step=step)
    common: dict[str, Any] = {"epsilon": epsilon, "alpha": alpha, "delta": delta}
    common |= {"coefficients": coefficients, "bound": bound}
    if basis in curves.KERNELS:
        mechanism = nw.gaussian_process(space, kernel=basis, length=length, **common)
    elif length is not None:
        raise ParameterError(f"--length is for a kernel; the basis is {basis!r}.")
    else:
        mechanism = nw.curves.curve_noise(space, basis=basis, **common)
    found = _facts(mechanism, rows)
    if chart is not None:
        what = "noise in one curve" if rows == 1 else f"noise in the mean of {rows:,} curves"
        band = mechanism.noise_band(rows=rows, simultaneous=False)
        report.save_chart(report.curve_bands({"95% band": band}, y_title=what), chart)
        found["chart"] = str(chart)
    if as_json:
        answer(found)
    else:
        _tell(mechanism, found, rows)


def _positions(text: str) -> list[Any]:
    parts = split_commas(text)
    if len(parts) == 1 and parts[0].isdigit() and int(parts[0]) > 0:
        if int(parts[0]) > 1_000_000:
            raise ParameterError(f"{int(parts[0]):,} positions are too many; at most 1,000,000.")
        return list(range(int(parts[0])))
    return parts


def _facts(mechanism: Any, rows: int) -> dict[str, Any]:
    expected = mechanism.expected_error(rows=rows)
    return {
        "epsilon": float(mechanism.claim.epsilon),
        "delta": float(mechanism.claim.delta),
        "noise": mechanism.noise,
        "coordinates": mechanism.coordinates.name,
        "sensitivity": float(mechanism.sensitivity),
        "sensitivity_is_exact": mechanism.sensitivity_is_exact,
        "scale": float(mechanism.scale) / rows,
        "bound": None if mechanism.bound is None else float(mechanism.bound),
        "rows": rows,
        "expected_error": expected,
        "positions": mechanism.space.positions.tolist(),
        "standard_error": mechanism.standard_error(rows=rows).tolist(),
    }


def _tell(mechanism: Any, found: dict[str, Any], rows: int) -> None:
    kind = "Laplace" if mechanism.noise == "laplace" else "normal"
    count = mechanism.coordinates.count
    what = "one curve" if rows == 1 else f"the mean of {rows:,} curves"
    say(f"Exact {kind} noise in {count} numbers ({mechanism.coordinates.name}), {mechanism.claim}.")
    say(f"That is {mechanism.space.unit}.")
    say(
        f"One curve moves them by at most {found['sensitivity']:.6g} "
        f"({'sum of sizes' if mechanism.noise == 'laplace' else 'length'}): proven"
        f"{', and some two curves reach it' if found['sensitivity_is_exact'] else ''}."
    )
    if mechanism.bound is not None:
        say(f"Curves whose coordinates are longer than {found['bound']:.6g} are scaled down to it.")
    worst = max(found["standard_error"])
    say(
        f"In {what} the noise has a deviation of {found['expected_error']:.6g} over the grid, at "
        f"most {worst:.6g} at a position."
    )
    if "chart" in found:
        say(f"The chart is in {found['chart']}.")
