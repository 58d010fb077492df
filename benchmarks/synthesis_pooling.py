"""How often intervals pooled over several synthetic tables cover, on made-up tables.

    python -m benchmarks.synthesis_pooling --runs 100

In each run a table is drawn from a known population and synthesized, and `Synthesis.tables(10)` is
pooled: about the people (the truth is that of the table), and about the population. `bias` is the
mean error, in standard errors of the pooled answer about the people. "beyond pairs" is a statistic
of three columns whose pairs alone are counted: its error is the model's, which pooling cannot see.
`--people rare` measures the mean of a count with many rare values alone: negative noisy counts
become 0, which moves it.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pyarrow as pa

import noisewright as nw

SETTINGS = [(3000, 0.3, 0), (3000, 1, 0), (3000, 1, 1e-9), (3000, 5, 1e-9)]
TABLES, POPULATION = 10, 3_000_000

COLUMNS = {
    "smokes": nw.Counts(1),
    "group": nw.Counts(3),
    "visits": nw.Counts(9),
    "age": nw.Counts(79),
}
STATISTICS = (
    "share of one",
    "share of two",
    "mean",
    "mean on a fine grid",
    "slope",
    "beyond pairs",
)
RARE_COLUMNS = {
    "x": nw.Counts(19),
    "y": nw.Counts(99),
    "s": nw.Counts(1),
    "a": nw.Counts(3),
    "b": nw.Counts(5),
}
RARE_STATISTICS = ("mean of a count with 20 values",)


def draw(n: int, rng: Any) -> dict[str, Any]:
    age = np.clip(rng.normal(40, 15, n), 0, 79).astype(int)
    smokes = (rng.random(n) < 0.2 + 0.3 * (age > 45)).astype(int)
    group = rng.integers(0, 4, n)
    # The link of smokes and visits depends on the group: pairs do not tell.
    rate = 1 + 1.5 * smokes + 1.5 * (smokes == group % 2)
    return {
        "smokes": smokes,
        "group": group,
        "visits": np.minimum(rng.poisson(rate), 9),
        "age": age,
    }


def statistics(table: Any) -> tuple[list[float], list[float]]:
    """Return the statistics of a table, and their squared standard errors."""
    smokes, group, visits, age = (np.asarray(table[name]).astype(float) for name in COLUMNS)
    n = smokes.size
    flags = [
        smokes,
        smokes * (visits >= 3),
        visits,
        age,
        smokes * (group == 1) * (visits >= 4),
    ]
    means = [flag.mean() for flag in flags]
    errors = [flag.var() / n for flag in flags]
    centered = smokes - smokes.mean()
    slope = float(centered @ visits / (centered @ centered))
    left = visits - visits.mean() - slope * centered
    spread = float((left**2 * centered**2).sum() / (centered @ centered) ** 2)
    return [*means[:4], slope, means[4]], [*errors[:4], spread, errors[4]]


def draw_rare(n: int, rng: Any) -> dict[str, Any]:
    """Return a count `x` of 20 values, a third of which are in few rows or none, and what else."""
    group = rng.integers(0, 3, n)
    return {
        "x": np.minimum(rng.poisson(np.where(group == 0, 0.5, 6)), 19),
        "y": np.minimum((rng.exponential(1, n) * (4 + 15 * group)).astype(int), 99),
        "s": (rng.random(n) < 0.1 + 0.3 * group).astype(int),
        "a": (group + (rng.random(n) < 0.3)) % 4,
        "b": rng.integers(0, 6, n),
    }


def mean_of_rare(table: Any) -> tuple[list[float], list[float]]:
    """Return the mean of the count, and its squared standard error."""
    count = np.asarray(table["x"]).astype(float)
    return [count.mean()], [count.var() / count.size]


PEOPLE = {
    "usual": (COLUMNS, draw, statistics, STATISTICS),
    "rare": (RARE_COLUMNS, draw_rare, mean_of_rare, RARE_STATISTICS),
}
"""Columns, how rows are drawn, and what is asked of them."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--people", choices=list(PEOPLE), nargs="*", default=list(PEOPLE))
    given = parser.parse_args()
    print("epsilon  delta  statistic                       people  population    bias")
    for kind in given.people:
        measure(kind, given.runs, np.random.default_rng(given.seed))


def measure(kind: str, runs: int, rng: Any) -> None:
    """Print the coverage for one kind of people, setting by setting."""
    columns, drawn, asked, names = PEOPLE[kind]
    whole = np.array(asked(drawn(POPULATION, rng))[0])
    for n, epsilon, delta in SETTINGS:
        hits: list[Any] = []
        for _ in range(runs):
            table = drawn(n, rng)
            truth = np.array(asked(table)[0])
            made = nw.synthesize(
                pa.table(table), columns, epsilon=epsilon, delta=delta, ledger=None
            )
            several = made.tables(TABLES)
            own = several.estimate(lambda each: asked(each)[0])
            wide = several.estimate(asked, about="population")
            hits.append(
                [
                    (own.lows <= truth) & (truth <= own.highs),
                    (wide.lows <= whole) & (whole <= wide.highs),
                    (own.values - truth) / np.maximum(own.standard_errors, 1e-12),
                ]
            )
        shares = np.array(hits, dtype=float).mean(axis=0)
        for place, name in enumerate(names):
            people, population, bias = shares[:, place]
            print(
                f"{epsilon:7}  {delta:5}  {name:30}  {people:6.0%}  {population:10.0%}  "
                f"{bias:6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
