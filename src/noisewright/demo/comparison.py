"""How far what the demo published is from the truth, which it knows since it made the people up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import report
from noisewright.demo.survey import REGIONS, true_answers
from noisewright.estimation import Estimate
from noisewright.on_use import pc
from noisewright.queries import Answer
from noisewright.releases import Release

Say = Callable[[str], None]

_UNITS = {"commute": "min", "power": "kW"}
_SHARES = ("region", "age_group", "job", "smokes", "children")


def compare_answers(answer: Answer, table: Any, *, say: Say) -> None:
    """Say how many of the intervals hold."""
    truth = _true_regions(table)
    shown = answer.intervals()
    inside = sum(
        low <= true <= high
        for name, values in truth.items()
        for low, true, high in zip(
            shown[f"{name}_low"].to_pylist(), values, shown[f"{name}_high"].to_pylist(), strict=True
        )
    )
    say(
        "Because this demo made the people up, it knows the truth, which nobody else could. It is "
        f"in {inside} of these {2 * len(REGIONS)} intervals."
    )


def compare_shares(synthetic: Any, table: Any, *, say: Say) -> None:
    """Say how far shares and the mean commute of synthetic rows are off."""
    found, truth = (true_answers(one, countable=True) for one in (synthetic, table))
    for name in (*_SHARES, "commute"):
        error = float(((found[name] - truth[name]) ** 2).mean() ** 0.5)
        say(f"  {name:<11}{_size(error, _UNITS.get(name)):>15}")


def compare_copy(released: Release, table: Any, *, say: Say) -> Mapping[str, Estimate]:
    """Say how far estimates from the private copy are off, and show one column; return them."""
    truth = true_answers(table)
    estimates = released.estimate(
        of=list(truth),
        question={"children": "shares", "commute": "mean"},
        about="people",
        show="all",
    )
    say(f"  {'':<11}{'answers':>7}{'typical error':>15}{'predicted':>13}   in 95% intervals")
    for name, known in truth.items():
        found = estimates[name]
        error = float(((found.values - known) ** 2).mean() ** 0.5)
        predicted = float((found.standard_errors**2).mean() ** 0.5)
        inside = int(((found.lows <= known) & (known <= found.highs)).sum())
        unit = _UNITS.get(name)
        say(
            f"  {name:<11}{found.values.size:>7}{_size(error, unit):>15}"
            f"{_size(predicted, unit):>13}   {inside} of {found.values.size}"
        )
    say(
        "The typical error is what the demo measures; the predicted one is what the private file "
        "says about itself. Power is written in nine waves, which bend the true curve a little: "
        "that is in the first number and not in the second."
    )
    say("")
    say("  jobs          estimated, and the truth (|)")
    for line in _bars(estimates["job"], truth["job"]):
        say(line)
    return estimates


def draw_picture(
    answer: Answer, estimates: Mapping[str, Estimate], table: Any, picture: Path
) -> None:
    """Draw answers and estimates with their intervals, and the truth beside them."""
    truth, regions = true_answers(table), _true_regions(table)
    charts = [
        report.estimate_chart(
            answer.estimate("commute"),
            truth=np.array(regions["commute"]),
            title="Asked: minutes of commute, by region",
        )
    ]
    titles = {
        "job": "Private copy: jobs",
        "interests": "Private copy: interests",
        "power": "Private copy: power drawn in each hour, in kilowatts",
    }
    charts += [
        report.estimate_chart(estimates[name], truth=truth[name], title=title)
        for name, title in titles.items()
    ]
    report.save_chart(report.side_by_side(charts, columns=2), picture)


def _true_regions(table: Any) -> dict[str, list[float]]:
    rounded = pc.multiply(
        pc.call_function("round", [pc.divide(pc.cast(table["commute"], "float64"), 5.0)]), 5.0
    )
    found: dict[str, list[float]] = {"people": [], "commute": []}
    for region in REGIONS:
        here = rounded.filter(pc.equal(table["region"], region))
        found["people"].append(len(here))
        found["commute"].append(pc.call_function("mean", [here]).as_py() or 0.0)
    return found


def _size(error: float, unit: str | None) -> str:
    return f"{100 * error:.2f} points" if unit is None else f"{error:.2g} {unit}"


def _bars(found: Estimate, known: NDArray[np.float64]) -> Iterator[str]:
    """Yield shares as bars, with a mark where the truth is."""
    width = 40 / max(float(found.values.max()), float(known.max()))
    for label, share, true in zip(found.axes[0].labels, found.values, known, strict=True):
        bar = ["▆"] * max(round(width * share), 0)
        place = round(width * true)
        bar += [" "] * (place + 1 - len(bar))
        bar[place] = "|"
        yield (f"  {label:<11}{100 * share:>6.1f}% {100 * true:>6.1f}%  {''.join(bar)}")
