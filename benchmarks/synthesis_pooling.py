"""How often intervals pooled over several synthetic tables cover, on made-up tables.

    python -m benchmarks.synthesis_pooling --runs 100

In each run a table is drawn from a known population and synthesized, and `Synthesis.tables(10)` is
pooled: about the people (the truth is that of the table), and about the population. `bias` is the
mean error, in standard errors of the pooled answer about the people. "beyond pairs" is a statistic
of three columns whose pairs alone are counted: its error is the model's, which pooling cannot see.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pyarrow as pa

import noisewright as nw

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
SETTINGS = [(3000, 0.3, 0), (3000, 1, 0), (3000, 1, 1e-9), (3000, 5, 1e-9)]
TABLES, POPULATION = 10, 3_000_000


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    whole = np.array(statistics(draw(POPULATION, rng))[0])
    print("epsilon  delta  statistic            people  population    bias")
    for n, epsilon, delta in SETTINGS:
        hits: list[Any] = []
        for _ in range(given.runs):
            table = draw(n, rng)
            truth = np.array(statistics(table)[0])
            made = nw.synthesize(
                pa.table(table), COLUMNS, epsilon=epsilon, delta=delta, ledger=None
            )
            several = made.tables(TABLES)
            own = several.estimate(lambda each: statistics(each)[0])
            wide = several.estimate(statistics, about="population")
            hits.append(
                [
                    (own.lows <= truth) & (truth <= own.highs),
                    (wide.lows <= whole) & (whole <= wide.highs),
                    (own.values - truth) / np.maximum(own.standard_errors, 1e-12),
                ]
            )
        shares = np.array(hits, dtype=float).mean(axis=0)
        for place, name in enumerate(STATISTICS):
            people, population, bias = shares[:, place]
            print(
                f"{epsilon:7}  {delta:5}  {name:19}  {people:6.0%}  {population:10.0%}  "
                f"{bias:6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
