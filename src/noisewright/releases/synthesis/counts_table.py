"""The noisy counts behind a synthetic table as one long table, with a row for each cell."""

from __future__ import annotations

import csv
import datetime
import io
import os
import re
from itertools import product
from math import inf, nextafter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noisewright.errors import InputError, ReleaseError, TooLargeError
from noisewright.files import require_path, save_whole
from noisewright.on_use import pa
from noisewright.releases.files.target import COUNTS, TargetFiles
from noisewright.synthetic import Measurement, number_counts

if TYPE_CHECKING:
    from noisewright.releases.synthesis.result import Synthesis

_MOST_CELLS = 1 << 22
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What spreadsheets take for the beginning of a formula, or skip to find one."""


def counts_table(made: Synthesis) -> Any:
    """Return the noisy counts as an Arrow table; see `Synthesis.noisy_counts`."""
    cells = sum(one.counts.size for one in made.measurements)
    if cells > _MOST_CELLS:
        raise TooLargeError(
            f"there are {cells:,} noisy counts (at most {_MOST_CELLS:,} fit into one table). Take "
            "those of one count after the other: made.measurements[0].estimate.table().",
            size=cells,
        )
    widest = max((len(one.columns) for one in made.measurements), default=1)
    names = [f"{what}_{place}" for place in range(1, widest + 1) for what in ("column", "value")]
    found: dict[str, list[Any]] = {name: [] for name in ("table", "time", *names)}
    numbers = ("noisy_count", "standard_deviation", "low_95", "high_95")
    found |= {name: [] for name in numbers}
    numbered = number_counts(made.measurements)
    for one, (time, _) in zip(made.measurements, numbered, strict=True):
        counts = one.counts.reshape(-1).tolist()
        half = one.noise.half_width
        found["table"] += [one.name] * len(counts)
        found["time"] += [time] * len(counts)
        for place in range(widest):
            column = one.columns[place] if place < len(one.columns) else None
            found[f"column_{place + 1}"] += [column] * len(counts)
        for place, values in enumerate(_values(one, widest), start=1):
            found[f"value_{place}"] += values
        found["noisy_count"] += counts
        found["standard_deviation"] += [one.deviation] * len(counts)
        found["low_95"] += [count - half for count in counts]
        found["high_95"] += [count + half for count in counts]
    kinds = {"time": pa.int64(), "noisy_count": pa.int64(), "standard_deviation": pa.float64()}
    lows, highs = _ends(found.pop("low_95"), -inf), _ends(found.pop("high_95"), inf)
    plain = {name: pa.array(many, kinds.get(name, pa.string())) for name, many in found.items()}
    return pa.table({**plain, "low_95": lows, "high_95": highs})


def _ends(values: list[int], outward: float) -> Any:
    """Return the ends of intervals as whole numbers, or as doubles where 64 bits do not hold them.

    Doubles are rounded outward, so that no interval becomes narrower.
    """
    try:
        return pa.array(values, pa.int64())
    except OverflowError:
        return pa.array([nextafter(float(value), outward) for value in values], pa.float64())


def _values(one: Measurement, widest: int) -> list[list[Any]]:
    """Return the values of the cells of a count, a list for each column."""
    if one.cells is not None:
        return [[None] for _ in range(widest)]
    texts = [[_text(point) for point in space.points] for space in one.spaces]
    cells = list(zip(*product(*texts), strict=True))
    empty: list[Any] = [None] * one.counts.size
    return [list(cells[place]) if place < len(cells) else empty for place in range(widest)]


def _text(point: Any) -> str:
    if isinstance(point, str | bool | int | datetime.date):
        return str(point)
    return point.hex() if isinstance(point, bytes) else f"{float(point):.12g}"


def save_counts(
    made: Synthesis, path: str | os.PathLike[str] | None, *, overwrite: bool = False
) -> Path:
    """Write the noisy counts as CSV; see `Synthesis.save_counts`."""
    if path is not None:
        require_path(path)
        target = Path(path)
    elif made.path is not None:
        target = TargetFiles.at(made.path).beside(COUNTS)
    else:
        raise ReleaseError(
            "this table is in memory, so there is no folder for its counts. Give a path: "
            ".save_counts('counts.csv')."
        )
    if target.suffix.lower() != ".csv":
        raise InputError(f"the noisy counts are CSV; {target.name!r} must end in .csv.")
    if target.exists() and not overwrite:
        raise ReleaseError(
            f"{str(target)!r} exists already. Choose another name, or pass overwrite=True."
        )
    table = counts_table(made)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    columns = [column.to_pylist() for column in table.columns]
    writer.writerows([_harmless(cell) for cell in row] for row in zip(*columns, strict=True))
    return save_whole(target, text.getvalue().encode(), what="the noisy counts")


def _harmless(cell: Any) -> Any:
    """Return a text that a spreadsheet does not compute; a number, such as -5, stays one."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"
