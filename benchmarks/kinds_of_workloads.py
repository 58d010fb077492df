"""Does a workload lower its own error? A generated table, once by default and once as it asks.

    python -m benchmarks.kinds_of_workloads [--runs 6]

Neighbors replace one row. 20,000 rows of eight columns, numbers without bins. For each kind of
workload: the mean of |share − true share| over its queries in a table that is made by default (for
all pairs of columns), in one that is made for it, and what `predict_synthesis` expects of that.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import noisewright as nw

ROWS = 20_000
BUDGETS = ((1, 1e-9), (10, 1e-9))
SIZES = {"age": 32, "hours": 20, "job": 10, "area": 8, "sex": 2, "level": 12, "kids": 5, "own": 2}
DOMAIN = nw.Records({name: nw.Counts(size - 1) for name, size in SIZES.items()})
Workload = nw.workloads.Workload

KINDS = {
    "one pair of columns": Workload.marginals(DOMAIN, ways=2, columns=["job", "level"]),
    "triples of four columns": Workload.marginals(
        DOMAIN, ways=3, columns=["job", "sex", "level", "kids"]
    ),
    "prefixes of a column": Workload.prefixes(DOMAIN, "age"),
    "prefixes of two columns": Workload.prefixes(DOMAIN, ["age", "hours"]),
    "all ranges of a column": Workload.ranges(DOMAIN, "hours"),
    "four ranges": Workload.ranges(DOMAIN, "age", [(0, 4), (5, 12), (8, 20), (20, 31)]),
    "four conditions on three columns": Workload.conjunctions(
        DOMAIN,
        [
            {"age": {"at_most": 9}, "sex": 1, "level": {"at_least": 6}},
            {"age": {"at_least": 20}, "job": [1, 2, 3], "own": 1},
            {"hours": {"at_least": 12}, "kids": 0, "area": [0, 1, 2]},
            {"sex": 0, "level": {"at_most": 3}, "job": [0, 4]},
        ],
    ),
}


def people() -> dict[str, Any]:
    """Return rows of linked columns, always the same."""
    rng = np.random.default_rng(11)
    age = np.minimum(rng.gamma(4, 4, ROWS).astype(int), 31)
    sex = rng.integers(0, 2, ROWS)
    level = np.clip((rng.normal(5, 2.5, ROWS) + age / 12).astype(int), 0, 11)
    job = np.where(rng.random(ROWS) < 0.6, (level + 3 * sex) % 10, rng.integers(0, 10, ROWS))
    hours = np.clip(10 + 2 * rng.standard_normal(ROWS) + 2 * sex - 5 * (age > 25), 0, 19)
    area = rng.choice(8, ROWS, p=np.arange(8, 0, -1) / 36)
    kids = np.clip(age / 8 + rng.normal(0, 1, ROWS) - sex / 2, 0, 4).astype(int)
    own = ((kids + level // 3 + area) % 3 > 0).astype(int) ^ (rng.random(ROWS) < 0.2)
    columns = (age, hours.astype(int), job, area, sex, level, kids, own)
    return dict(zip(SIZES, columns, strict=True))


def error(workload: Any, made: Any, truth: Any) -> float:
    """Return the mean error of all queries."""
    return float(np.abs(workload.answers(made).shares - truth.shares).mean())


def main() -> None:
    """Print a line for each kind and budget."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=6)
    runs = range(parser.parse_args().runs)
    table, how = people(), nw.planning.Method(bins=None)
    print("| epsilon, delta | workload | by default | made for it | predicted |")
    print("|---|---|---|---|---|")
    for epsilon, delta in BUDGETS:
        given: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "method": how}
        usual = [nw.synthesize(table, DOMAIN, ledger=None, **given).table for _ in runs]
        for kind, workload in KINDS.items():
            own = [
                nw.synthesize(table, DOMAIN, ledger=None, workload=workload, **given).table
                for _ in runs
            ]
            truth = workload.answers(table)
            found = [
                np.mean([error(workload, one, truth) for one in each]) for each in (usual, own)
            ]
            expected = nw.planning.predict_synthesis(
                DOMAIN, people=ROWS, workload=workload, **given
            )
            parts = [part for part in expected.parts if part.in_workload]
            noise = sum(part.expected for part in parts) / workload.queries
            print(
                f"| {epsilon:g}, {delta:g} | {kind} | {found[0]:.5f} | {found[1]:.5f} | "
                f"{noise:.5f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
