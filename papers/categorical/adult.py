"""Section 4 on real data: a census table randomized row by row, and what can still be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.report import estimate_chart, save_chart
from papers.claims import Claim, Grid, Picture, Setting, Verdict, judge
from papers.data_files import ADULT, read_adult
from papers.page import write_csv

EPSILON = 2
"""For each of the two columns."""

# From the description of the data set, in the order of the years of school; not from the data.
EDUCATION = (
    "Preschool",
    "1st-4th",
    "5th-6th",
    "7th-8th",
    "9th",
    "10th",
    "11th",
    "12th",
    "HS-grad",
    "Some-college",
    "Assoc-voc",
    "Assoc-acdm",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
)
INCOME = ("<=50K", ">50K")

_SAYS = (
    "A product sanitization randomizes a database row by row; the sanitized copy can be published, "
    "and any query on it is as private (Theorems 1 and 6). The paper has no experiment."
)
_TITLE = "Adult's education and income from a randomized copy"


def read_columns(path: Path) -> dict[str, list[str]]:
    """Read education and income of each person."""
    rows = read_adult(path)
    for number, row in enumerate(rows, 1):
        if row[3] not in EDUCATION or row[14] not in INCOME:
            raise ADULT.refuse(path, f"row {number} has another education or income")
    return {"education": [row[3] for row in rows], "income": [row[14] for row in rows]}


def _truth(columns: dict[str, list[str]]) -> NDArray[np.int64]:
    counts = np.zeros((len(EDUCATION), len(INCOME)), dtype=np.int64)
    for education, income in zip(columns["education"], columns["income"], strict=True):
        counts[EDUCATION.index(education), INCOME.index(income)] += 1
    return counts


def education_and_income(setting: Setting) -> Claim:
    """The joint table with intervals, beside the truth; and how often intervals cover."""
    path = setting.data.get(ADULT.name)
    if path is None:
        return Claim("Section 4, data", _TITLE, _SAYS, ADULT.absence, Verdict.NOT_RUN)
    columns = read_columns(path)
    people = len(columns["income"])
    truth = _truth(columns)
    mechanism = nw.combine.product(
        education=nw.randomized_response(nw.Categories(EDUCATION), epsilon=EPSILON),
        income=nw.randomized_response(nw.Categories(INCOME), epsilon=EPSILON),
    )
    total = nw.tight_epsilon(mechanism)
    releases = setting.pick(200, 10)
    covered = np.zeros(truth.shape)
    errors: dict[str, list[float]] = {"unbiased": [], "projected": [], "likelihood": []}
    first: Any = None
    for number in range(releases):
        released = mechanism.sample(columns, source=nw.randomness.SeededSource(f"adult/{number}"))
        found = nw.estimate(released, mechanism, about="people").counts
        covered += (found.lows <= truth) & (truth <= found.highs)
        if number < setting.pick(20, 2):
            for method, seen in errors.items():
                other = nw.estimate(released, mechanism, about="people", method=method).counts
                seen.append(float(abs(other.values - truth).mean()))
        first = found if number == 0 else first
    share = float(covered.mean() / releases)
    rows = [
        {
            "education": education,
            "income": income,
            "truth": int(truth[e, i]),
            "estimate": float(first.values[e, i]),
            "low": float(first.lows[e, i]),
            "high": float(first.highs[e, i]),
        }
        for e, education in enumerate(EDUCATION)
        for i, income in enumerate(INCOME)
    ]
    missed = sum(not row["low"] <= row["truth"] <= row["high"] for row in rows)
    by_income = nw.estimate(
        mechanism.sample(columns, source=nw.randomness.SeededSource("adult/0")),
        mechanism,
        of=("income", "education"),
        about="people",
    )
    save_chart(estimate_chart(by_income, truth=truth.T, counts=True), setting.out / "adult.png")
    largest = max(rows, key=lambda row: row["truth"])
    small = min(rows, key=lambda row: row["truth"])
    width = float((first.highs - first.lows).mean() / 2)
    return Claim(
        "Section 4, data",
        _TITLE,
        _SAYS,
        f"{people:,} people, both columns randomized with ε = {EPSILON} each: exactly ε = "
        f"{total:g} for the two together. From one copy `nw.estimate` gives the 32 cells of the "
        f"joint table with 95% intervals of ± {width:,.0f} people on average; {32 - missed} of 32 "
        f"hold the truth. The largest cell, {largest['education']} with {largest['income']}, has "
        f"{largest['truth']:,} people, and the estimate is {largest['estimate']:,.0f} "
        f"({largest['low']:,.0f} to {largest['high']:,.0f}). Over {releases} copies {share:.1%} of "
        f"all intervals cover. Small cells drown: {small['education']} with {small['income']}, "
        f"{small['truth']:,} people, gets {small['low']:,.0f} to {small['high']:,.0f}.",
        judge(abs(total - 2 * EPSILON) < 1e-9 and 0.93 <= share <= 0.97),
        grids=(
            Grid(
                "Mean distance from the truth over the cells, in people",
                ("method", "mean absolute error"),
                [[method, float(np.mean(seen))] for method, seen in errors.items()],
            ),
        ),
        pictures=(
            Picture(
                "adult.png",
                "Upright bars: the truth. Points: estimates with 95% intervals from one "
                f"randomized copy, ε = {EPSILON} per column.",
            ),
        ),
        files=(write_csv(setting.out / "adult.csv", rows),),
        numbers={"coverage": share, "epsilon": total, "half_width": width},
    )


CLAIMS = {"education-and-income": education_and_income}
