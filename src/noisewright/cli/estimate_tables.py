"""Estimates as lines of a terminal: aligned, with as many digits as the error allows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noisewright.estimation import Estimate

_MOST_WIDE = 32
"""Labels are cut after so many letters."""


def table_lines(found: Estimate, most: int | None) -> list[str]:
    """Return a table of answers as lines; of many only the largest, with a note.

    Shares are shown as percent and as numbers of people, other answers as they are.
    """
    hidden = found.withheld.reshape(-1).tolist()
    order = [place for place, hide in enumerate(hidden) if not hide]
    size = len(order)
    if not order:
        return [f"  {note}" for note in found.sentences]
    cut = most is not None and size > most
    values = found.values.reshape(-1).tolist()
    if cut and found.what in ("share", "count"):
        order.sort(key=lambda place: (math.isnan(values[place]), -values[place]))
    order = order[:most] if cut else order
    cells = _share_cells(found, order) if found.what == "share" else _number_cells(found, order)
    labels = found.labels()
    head = [axis.name for axis in found.axes]
    rows = [
        [*(_label(column[place]) for column in labels), *shown]
        for place, shown in zip(order, cells[1:], strict=True)
    ]
    lines = _align([[*head, *cells[0]], *rows], left=len(head))
    if cut:
        kind = "largest" if found.what in ("share", "count") else "first"
        lines.append(f"  … and {size - len(order):,} more; these are the {kind}. --all shows all.")
    outside = [place for place in order if not 0 <= values[place] <= 1]
    if outside and found.what == "share" and found.method == "unbiased":
        lines.append(
            "  Shares below 0% or above 100% come from noise; intervals show only what is possible."
            " --method projected gives no such shares."
        )
    if found.method not in ("unbiased", "exact"):
        lines.append(f"  By method {found.method}.")
    return [*lines, *(f"  {note}" for note in found.sentences)]


def _share_cells(found: Estimate, order: list[int]) -> list[list[str]]:
    import numpy as np

    behind = np.broadcast_to(found.behind, found.values.shape).reshape(-1).tolist()
    flat = [
        array.reshape(-1).tolist()
        for array in (found.values, found.standard_errors, *found.shown_intervals)
    ]
    digits = _digits([100 * flat[1][place] for place in order], least=1)
    rows = [["share", "error", "interval", "people", "interval"]]
    for place in order:
        value, error, low, high = (100 * column[place] for column in flat)
        people = [behind[place] * number / 100 for number in (value, low, high)]
        rows.append(
            [
                f"{_number(value, digits)}%",
                f"{_number(error, digits)}",
                f"{_number(low, digits)}% to {_number(high, digits)}%",
                _number(people[0], 0),
                f"{_number(people[1], 0)} to {_number(people[2], 0)}",
            ]
        )
    return rows


def _number_cells(found: Estimate, order: list[int]) -> list[list[str]]:
    flat = [
        array.reshape(-1).tolist()
        for array in (found.values, found.standard_errors, *found.shown_intervals)
    ]
    digits = _digits([flat[1][place] for place in order], least=0)
    if found.what == "quantile":
        # Quantiles are points of the space, and shown as such.
        digits = max(_decimals(flat[column][place]) for column in (0, 2, 3) for place in order)
    rows = [[found.what, "error", "interval"]]
    for place in order:
        value, error, low, high = (_number(column[place], digits) for column in flat)
        if found.dates is not None:
            ends = (flat[column][place] for column in (0, 2, 3))
            value, low, high = (
                found.dates.show(one) if math.isfinite(one) else "unknown" for one in ends
            )
        rows.append([value, error, f"{low} to {high}"])
    return rows


def _digits(errors: list[float], *, least: int) -> int:
    """Return how many decimals show two digits of the smallest error."""
    known = [error for error in errors if math.isfinite(error) and error > 0]
    if not known:
        return max(least, 2)
    return min(max(1 - math.floor(math.log10(min(known))), least), 6)


def _decimals(value: float) -> int:
    """Return how many decimals a point of a grid needs, up to six."""
    return next(
        (d for d in range(6) if abs(round(value, d) - value) < 1e-9 * max(1, abs(value))), 6
    )


def _number(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return "unknown"
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.,") else text


def _label(label: Any) -> str:
    text = "(empty)" if label is None else f"{label:g}" if type(label) is float else str(label)
    return text if len(text) <= _MOST_WIDE else text[: _MOST_WIDE - 1] + "…"


def _align(rows: list[list[str]], *, left: int) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines: list[str] = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines
