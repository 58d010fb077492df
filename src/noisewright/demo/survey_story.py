"""The main job on a made-up survey: which tool, answers, a synthetic table, a private copy."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from noisewright.advice import advise
from noisewright.demo.comparison import compare_answers, compare_copy, compare_shares, draw_picture
from noisewright.demo.narrator import Narrator
from noisewright.demo.survey import make_survey, survey_columns, survey_plan
from noisewright.errors import InputError, OverBudgetError
from noisewright.ledger import Ledger
from noisewright.on_use import pq
from noisewright.plans import Column
from noisewright.queries import Answer, Private, col, count
from noisewright.releases import Output, release, synthesize
from noisewright.spaces import Curves, Subsets

_DELTA = "1e-9"
_ASKED, _SYNTHETIC, _COPY = Fraction(1, 4), Fraction(3, 4), 1
_DATASET = "survey"
_MARK = "made-by-noisewright-demo.txt"
_QUESTIONS = ("shares", "mean:commute")


def tell_survey(out: Path, *, people: int, narrator: Narrator) -> None:
    """Make a survey up, choose a tool, ask, synthesize, release, compare; write it all to `out`.

    Requires: a folder that is new, empty, or made by an earlier demo, whose files are replaced.
    """
    say, heading = narrator.say, narrator.heading
    began = time.perf_counter()
    _require_own(out)
    heading("1. A survey")
    table = make_survey(people)
    raw = _write(table, out / "survey.parquet")
    say(
        f"{people:,} made-up people told their region, age, job, children, commute, interests, "
        f"whether they smoke, and what their household draws from the grid in each hour of a day. "
        f"Their answers are in {raw}. Nobody is to see that file."
    )
    columns = survey_columns()
    plan = survey_plan(people=people, epsilon=_COPY, delta=_DELTA)
    say(f"What each column can hold is declared in {plan.save(out / 'plan.toml')}.")

    heading("2. Which tool?")
    advice = advise(raw, columns, epsilon=1, delta=_DELTA, questions=_QUESTIONS)
    for line in str(advice).splitlines():
        say(f"  {line}")
    say("Nothing was read but names, types and the number of rows; nothing was spent.")

    heading("3. A budget")
    ledger = Ledger.create(out / "budget.db")
    ledger.grant(_DATASET, epsilon=2, delta="1e-8", data=raw, why="the demo's budget")
    say(
        "A ledger holds what these people may give away in all: epsilon=2, delta=1e-8, for "
        "replacing the answers of one person by any others. Everything below spends from it first."
    )

    heading(f"4. Questions, for epsilon={float(_ASKED):g}")
    answer = _ask(raw, columns, ledger)
    for line in answer.as_text().splitlines():
        say(f"  {line}")
    compare_answers(answer, table, say=say)

    heading(f"5. A synthetic table, for epsilon={float(_SYNTHETIC):g}")
    start = time.perf_counter()
    synthetic = synthesize(
        raw,
        _countable(columns),
        epsilon=_SYNTHETIC,
        delta=_DELTA,
        out=Output(out / "synthetic.parquet", what="the demo's synthetic table"),
        ledger=ledger,
    )
    say(
        f"{synthetic.rows:,} rows that belong to nobody were made from noisy counts in "
        f"{time.perf_counter() - start:.1f} s. Use them like the real ones: what they say is off "
        "by"
    )
    compare_shares(synthetic.table, table, say=say)

    heading(f"6. A private copy in random order, for epsilon={_COPY}")
    start = time.perf_counter()
    released = release(
        raw,
        plan,
        out=Output(out / "private.parquet", what="the demo's private copy"),
        ledger=ledger,
    )
    say(
        f"{released.rows:,} rows were checked, paid for, randomized, shuffled and written in "
        f"{time.perf_counter() - start:.1f} s, with sets and curves, which the synthetic "
        "table above was made without."
    )
    alone = plan.guarantee_in_order
    say(
        f"epsilon={_COPY}, delta={_DELTA} holds against whoever sees only the file, where each row "
        f"hides among {people:,}. Against whoever also sees the order, the noise in each row by "
        f"itself gives {alone}."
    )
    estimates = compare_copy(released, table, say=say)
    draw_picture(answer, estimates, table, out / "estimates.png")
    say(f"These and others are in the picture {out / 'estimates.png'}.")

    heading("7. Certificates that need no trust in us")
    for made in (synthetic, released):
        narrator.check(made.files["certificate"])

    heading("8. What is left")
    say(str(ledger.balance(_DATASET)))
    try:
        _ask(raw, columns, ledger)
    except OverBudgetError as refused:
        say(f"The same questions again are refused. {refused}")

    heading("What next")
    for path in _files(out):
        if path.exists():
            say(f"  {path}")
    say(f"Read {released.files['report']} in a browser. Then try your own table:")
    say(f"  {narrator.program} plan data.csv -o plan.toml")
    say(f"  {narrator.program} advise data.csv --plan plan.toml --epsilon 1")
    say(f"All of this took {time.perf_counter() - began:.0f} s.")


def _countable(columns: dict[str, Any]) -> dict[str, Any]:
    """Return the columns with one label or number in a cell."""
    return {
        name: how
        for name, how in columns.items()
        if isinstance(how, Column) and not isinstance(how.space, Subsets | Curves)
    }


def _ask(raw: Path, columns: dict[str, Any], ledger: Ledger) -> Answer:
    """Ask how many people there are in each region, and how long they commute."""
    people = Private(raw, columns=_countable(columns), ledger=ledger)
    question = people.group_by("region").agg(people=count(), commute=col("commute").mean())
    return question.release(epsilon=_ASKED)


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
        "synthetic.parquet",
        "synthetic.certificate.json",
        "synthetic.synthesis.json",
        "synthetic.report.html",
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
