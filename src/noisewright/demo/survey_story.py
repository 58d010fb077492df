"""The main job on a made-up survey, from the raw table to checked estimates and the truth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import report
from noisewright.demo.narrator import Narrator
from noisewright.demo.survey import make_survey, survey_plan, true_answers
from noisewright.errors import InputError, OverBudgetError
from noisewright.estimation import Estimate
from noisewright.ledger import Ledger
from noisewright.on_use import pq
from noisewright.releases import Output, Release, release

_BUDGET = 10
_EPSILON = 8
_DATASET = "survey"
_MARK = "made-by-noisewright-demo.txt"
_UNITS = {"commute": "min", "power": "kW"}
_TITLES = {
    "job": "Jobs",
    "children": "Children",
    "interests": "Interests",
    "power": "Power drawn in each hour, in kilowatts",
}


def tell_survey(out: Path, *, people: int, narrator: Narrator) -> None:
    """Make a survey up, plan, release, estimate, compare with the truth; write it all to `out`.

    Requires: a folder that is new, empty, or made by an earlier demo, whose files are replaced.
    """
    say, heading = narrator.say, narrator.heading
    began = time.perf_counter()
    _require_own(out)
    heading("1. A survey")
    table = make_survey(people)
    raw = _write(table, out / "survey.parquet")
    say(
        f"{people:,} made-up people told their age, job, children, commute, interests, whether "
        f"they smoke, and what their household draws from the grid in each hour of a day. Their "
        f"answers are in {raw}. Nobody is to see that file."
    )

    heading("2. A plan")
    plan = survey_plan(epsilon=_EPSILON)
    path = plan.save(out / "plan.toml")
    for line in plan.words():
        say(f"  {line}")
    say(f"The plan is in {path}: short, and yours to edit.")

    heading("3. A budget")
    ledger = Ledger.create(out / "budget.db")
    ledger.grant(_DATASET, epsilon=_BUDGET, data=raw, why="the demo's budget")
    say(
        f"A ledger holds what these people may give away in all: epsilon={_BUDGET}. Whoever "
        "releases something about them has to spend from it first."
    )

    heading("4. The release")
    start = time.perf_counter()
    released = release(
        raw, plan, out=Output(out / "private.parquet", what="the demo"), ledger=ledger
    )
    say(
        f"{released.rows:,} rows were checked, paid for, randomized and written in "
        f"{time.perf_counter() - start:.1f} s. Beside the private table lie its certificate, the "
        "recipe for estimates, and a report to read."
    )

    heading("5. A certificate that needs no trust in us")
    narrator.check(released.files["certificate"])

    heading("6. Estimates, and the truth")
    say(
        "From here on only the private file is used. Because this demo made the people up, it "
        "knows the truth and can tell how far off the estimates are; you could not."
    )
    _compare(released, table, out / "estimates.png", say=say)

    heading("7. What is left")
    say(str(ledger.balance(_DATASET)))
    try:
        again = Output(out / "again.parquet", what="the demo, again")
        release(raw, plan, out=again, ledger=ledger)
    except OverBudgetError as refused:
        say(f"A second release like this one is refused. {refused}")

    heading("What next")
    for path in _files(out):
        if path.exists():
            say(f"  {path}")
    say(f"Read {released.files['report']} in a browser. Then try your own table:")
    say(f"  {narrator.program} plan data.csv -o plan.toml")
    say(f"All of this took {time.perf_counter() - began:.0f} s.")


def _require_own(out: Path) -> None:
    """Make the folder, or empty the one that an earlier demo made; never touch another."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()) and not (out / _MARK).exists():
            raise InputError(
                f"cannot use the folder {out}: it holds files that no demo made. Choose another "
                "one by --out."
            )
        (out / _MARK).write_text("Run the demo again and it overwrites what is here.\n")
        for old in _files(out):
            old.unlink(missing_ok=True)
    except OSError as problem:
        raise InputError(f"cannot make the folder {out}: {problem.strerror}.") from problem


def _files(out: Path) -> list[Path]:
    """Return all that the demo writes, which is what it may remove when it is run again."""
    names = [
        "survey.parquet",
        "plan.toml",
        "budget.db",
        "private.parquet",
        "private.certificate.json",
        "private.recipe.json",
        "private.report.html",
        "estimates.png",
    ]
    return [out / name for name in names]


def _write(table: Any, path: Path) -> Path:
    pq.write_table(table, path)
    return path


def _compare(released: Release, table: Any, picture: Path, *, say: Callable[[str], None]) -> None:
    """Show how far the estimates are from the truth, in words and as a picture."""
    truth = true_answers(table)
    estimates = released.estimate(
        of=list(truth), question={"children": "shares", "commute": "mean"}, about="people"
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
    charts = [
        report.estimate_chart(estimates[name], truth=truth[name], title=title)
        for name, title in _TITLES.items()
    ]
    report.save_chart(report.side_by_side(charts, columns=2), picture)
    say(f"These and others are in the picture {picture}.")


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
