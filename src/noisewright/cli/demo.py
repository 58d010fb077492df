"""`noisewright demo`: the main job on a made-up survey, from raw table to checked estimates."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from noisewright.cli.checker import say_what_the_checker_says
from noisewright.cli.say import heading, say

HELP = """Release a whole table: make a survey up, plan, release, estimate, compare with the truth.

\b
Examples:
  noisewright demo
  noisewright demo --people 200000 --out /tmp/demo
"""

_BUDGET = 10
_EPSILON = 8
_DATASET = "survey"
_MARK = "made-by-noisewright-demo.txt"


def demo(
    out: Annotated[Path, typer.Option(help="The folder for what the demo writes.")] = Path(
        "noisewright-demo"
    ),
    people: Annotated[
        int, typer.Option(min=100, max=5_000_000, help="How many people to make up.")
    ] = 50_000,
) -> None:
    """Release a whole table: make a survey up, plan, release, estimate, compare with the truth."""
    import noisewright as nw
    from noisewright.cli import survey

    began = time.perf_counter()
    _require_own(out)
    heading("1. A survey")
    table = survey.make_survey(people)
    raw = _write(table, out / "survey.parquet")
    say(
        f"{people:,} made-up people told their age, job, children, commute, interests, whether "
        f"they smoke, and what their household draws from the grid in each hour of a day. Their "
        f"answers are in {raw}. Nobody is to see that file."
    )

    heading("2. A plan")
    plan = demo_plan()
    path = plan.save(out / "plan.toml")
    for line in plan.words():
        say(f"  {line}")
    say(f"The plan is in {path}: short, and yours to edit.")

    heading("3. A budget")
    ledger = nw.Ledger.create(out / "budget.db")
    ledger.grant(_DATASET, epsilon=_BUDGET, data=raw, why="the demo's budget")
    say(
        f"A ledger holds what these people may give away in all: epsilon={_BUDGET}. Whoever "
        "releases something about them has to spend from it first."
    )

    heading("4. The release")
    start = time.perf_counter()
    release = nw.release(
        raw, plan, out=nw.planning.Output(out / "private.parquet", what="the demo"), ledger=ledger
    )
    say(
        f"{release.rows:,} rows were checked, paid for, randomized and written in "
        f"{time.perf_counter() - start:.1f} s. Beside the private table lie its certificate, the "
        "recipe for estimates, and a report to read."
    )

    heading("5. A certificate that needs no trust in us")
    say_what_the_checker_says(release.files["certificate"])

    heading("6. Estimates, and the truth")
    say(
        "From here on only the private file is used. Because this demo made the people up, it "
        "knows the truth and can tell how far off the estimates are; you could not."
    )
    _compare(release, table, out / "estimates.png")

    heading("7. What is left")
    balance = ledger.balance(_DATASET)
    say(f"{balance}")
    try:
        nw.release(
            raw,
            plan,
            out=nw.planning.Output(out / "again.parquet", what="the demo, again"),
            ledger=ledger,
        )
    except nw.errors.OverBudgetError as refused:
        say(f"A second release like this one is refused. {refused}")

    heading("What next")
    for path in _files(out):
        if path.exists():
            say(f"  {path}")
    program = "noisewright" if shutil.which("noisewright") else sys.argv[0]
    say(f"Read {release.files['report']} in a browser. Then try your own table:")
    say(f"  {program} plan data.csv -o plan.toml")
    say(f"All of this took {time.perf_counter() - began:.0f} s.")


def demo_plan() -> Any:
    """Return the plan for the survey: all kinds of columns under one budget."""
    import noisewright as nw
    from noisewright.cli import survey

    return nw.Plan(
        {
            "person": "drop",
            "region": "public",
            "age_group": nw.Column(survey.AGES),
            "job": nw.Column(survey.JOBS, null="no answer"),
            "smokes": nw.Column([False, True]),
            "children": nw.Column(nw.Counts(survey.MOST_CHILDREN)),
            "commute": nw.Column(nw.Interval(0, survey.LONGEST_COMMUTE, step=5), off_grid="round"),
            "interests": nw.Column(
                nw.Subsets(survey.INTERESTS, largest=survey.MOST_INTERESTS), share=2
            ),
            "power": nw.Column(
                nw.Curves(range(survey.HOURS), low=0, high=survey.MOST_POWER),
                basis="fourier",
                coefficients=9,
                share=3,
            ),
        },
        epsilon=_EPSILON,
        together=[("age_group", "job")],
        title="A survey of made-up people",
    )


def _require_own(out: Path) -> None:
    """Make the folder, or empty the one that an earlier demo made; never touch another."""
    from noisewright.errors import InputError

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
    private = "private"
    names = [
        "survey.parquet",
        "plan.toml",
        "budget.db",
        f"{private}.parquet",
        f"{private}.certificate.json",
        f"{private}.recipe.json",
        f"{private}.report.html",
        "estimates.png",
    ]
    return [out / name for name in names]


def _write(table: Any, path: Path) -> Path:
    import pyarrow.parquet as pq

    pq.write_table(table, path)
    return path


def _compare(release: Any, table: Any, picture: Path) -> None:
    """Show how far the estimates are from the truth, in words and as a picture."""
    from noisewright.cli.demo_truth import TITLES, truths
    from noisewright.report import estimate_chart, save_chart, side_by_side

    truth = truths(table)
    estimates = release.estimate(
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
    say()
    say("  jobs          estimated, and the truth (|)")
    _bars(estimates["job"], truth["job"])
    charts = [
        estimate_chart(estimates[name], truth=truth[name], title=title)
        for name, title in TITLES.items()
    ]
    save_chart(side_by_side(charts, columns=2), picture)
    say(f"These and others are in the picture {picture}.")


_UNITS = {"commute": "min", "power": "kW"}


def _size(error: float, unit: str | None) -> str:
    return f"{100 * error:.2f} points" if unit is None else f"{error:.2g} {unit}"


def _bars(found: Any, known: Any) -> None:
    """Draw shares as bars, with a mark where the truth is."""
    width = 40 / max(float(found.values.max()), float(known.max()))
    for label, share, true in zip(found.axes[0].labels, found.values, known, strict=True):
        bar = ["▆"] * max(round(width * share), 0)
        place = round(width * true)
        bar += [" "] * (place + 1 - len(bar))
        bar[place] = "|"
        say(f"  {label:<11}{100 * share:>6.1f}% {100 * true:>6.1f}%  {''.join(bar)}")
