"""Points against the graph, on tables that numbers of the synthesizer were not set on, or hardly.

    python -m benchmarks.synthesis_never_worse [--data ../shared/data] [--runs 3] [--only chain]

delta = 1e-9, neighbors replace one row, the workload is all pairs. Shown are the means over the
runs of the error of a pair: the sum of |share − true share| over its cells, and how many times as
large it is by points (the default) as by the graph (inference="graph").

- retail, groceries: the 16 most frequent items as columns of 0 and 1. Their names are taken from
  the data, which is not private: this compares two methods, and releases nothing.
- electricity: the demand of a day at 12 hours, a grid of 1 MW from 0 to 4,095, in bins.
- chain: 12 columns of 6 labels, each equal to the one before in 60% of the rows.
- star: 12 columns of 6 labels, all equal to a first one in 60% of the rows.
- triple: 9 columns of 3 labels in threes, the third of each the sum of the others modulo 3 in 80%
  of the rows: no pair is linked.

- survey: 11 columns of which few are linked, two of them numbers on fine grids that are not.

The survey has 8,000 made-up rows, the three before it 20,000. Real tables are left out where
--data does not have them: retail.dat is FIMI's (Brijs et al. 1999), groceries.csv that of Hahsler,
Hornik and Reutterer (2006), and sa_electricity_demand_3556x48.csv the half-hourly demand of South
Australia.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import noisewright as nw

DELTA = 1e-9
EPSILONS = (0.1, 1.0, 10.0)
_ITEMS, _ROWS, _COLUMNS = 16, 20_000, 12
_HERE = Path(__file__).parents[2] / "shared" / "data"

Case = tuple[Any, dict[str, Any]]


def _baskets(baskets: Sequence[Sequence[str]]) -> Case:
    often = Counter(item for basket in baskets for item in set(basket))
    items = [item for item, _ in often.most_common(_ITEMS)]
    inside = {item: [int(item in basket) for basket in map(set, baskets)] for item in items}
    return inside, {item: nw.Counts(1) for item in items}


def retail(data: Path) -> Case:
    lines = (data / "retail.dat").read_text(encoding="utf-8").splitlines()
    return _baskets([line.split() for line in lines])


def groceries(data: Path) -> Case:
    with open(data / "groceries.csv", encoding="utf-8", newline="") as file:
        return _baskets([row for row in csv.reader(file) if row])


def electricity(data: Path) -> Case:
    with open(data / "sa_electricity_demand_3556x48.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) == 48]
    demand = np.clip(np.rint(np.array(rows, dtype=np.float64)), 0, 4095).astype(np.int64)
    names = {f"hour {hour}": 2 * hour for hour in range(0, 24, 2)}
    return (
        {name: demand[:, place].tolist() for name, place in names.items()},
        {name: nw.Counts(4095) for name in names},
    )


def _table(columns: Sequence[Any], labels: int) -> Case:
    names = [f"column {place}" for place in range(len(columns))]
    spaces = {name: nw.Counts(labels - 1) for name in names}
    return {name: codes.tolist() for name, codes in zip(names, columns, strict=True)}, spaces


def chain(data: Path) -> Case:
    rng = np.random.default_rng(1)
    found = [rng.integers(0, 6, _ROWS)]
    while len(found) < _COLUMNS:
        found.append(np.where(rng.random(_ROWS) < 0.6, found[-1], rng.integers(0, 6, _ROWS)))
    return _table(found, 6)


def star(data: Path) -> Case:
    rng = np.random.default_rng(2)
    first = rng.integers(0, 6, _ROWS)
    others = [
        np.where(rng.random(_ROWS) < 0.6, first, rng.integers(0, 6, _ROWS))
        for _ in range(_COLUMNS - 1)
    ]
    return _table([first, *others], 6)


def triple(data: Path) -> Case:
    rng = np.random.default_rng(3)
    found: list[Any] = []
    for _ in range(3):
        one, two, noise = (rng.integers(0, 3, _ROWS) for _ in range(3))
        found += [one, two, np.where(rng.random(_ROWS) < 0.8, (one + two) % 3, noise)]
    return _table(found, 3)


def survey(data: Path) -> Case:
    rng, rows = np.random.default_rng(11), 8_000
    age = np.clip(rng.normal(46, 16, rows).astype(int), 18, 95)
    job = rng.choice(5, rows, p=[0.17, 0.17, 0.25, 0.25, 0.16])
    job = np.where((age >= 65) & (rng.random(rows) < 0.6), 4, job)
    pay = np.clip(np.exp(rng.normal(10.3 - 0.3 * (job == 2), 0.5, rows)).astype(int), 0, 200_000)
    columns: dict[str, tuple[Any, Any]] = {
        "region": (rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1]), nw.Counts(3)),
        "job": (job, nw.Counts(4)),
        "pay": (np.where((job == 4) & (rng.random(rows) < 0.5), 0, pay), nw.Counts(200_000)),
        "age": (age, nw.Interval(18, 95, step=1)),
        "day": (rng.integers(0, 1096, rows), nw.Counts(1095)),
        "smokes": (rng.random(rows) < np.where(job == 2, 0.35, 0.18), nw.Counts(1)),
        "gardens": (rng.random(rows) < np.where(age < 40, 0.2, 0.5), nw.Counts(1)),
    }
    for place, share in enumerate((0.6, 0.3, 0.3, 0.3)):
        columns[f"likes {place}"] = (rng.random(rows) < share, nw.Counts(1))
    return (
        {name: codes.astype(int).tolist() for name, (codes, _) in columns.items()},
        {name: space for name, (_, space) in columns.items()},
    )


CASES: dict[str, Callable[[Path], Case]] = {
    one.__name__: one for one in (retail, groceries, electricity, chain, star, triple, survey)
}


def errors(case: Case, epsilon: float, inference: Any, runs: int, ways: int = 2) -> list[float]:
    """Return the errors of some runs."""
    table, spaces = case
    found: list[float] = []
    for _ in range(runs):
        made = nw.synthesize(
            table,
            spaces,
            ledger=None,
            epsilon=epsilon,
            delta=DELTA,
            workload=ways,
            method=nw.planning.Method(inference=inference),
            out=nw.planning.Output(evaluation=True),
        )
        assert made.evaluation is not None
        found.append(made.evaluation.distance.l1)
    return found


def main() -> int:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=_HERE, help="the folder of the real tables")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=sorted(CASES))
    parser.add_argument("--ways", type=int, default=2, help="columns of each table asked for")
    given = parser.parse_args()
    print("| table | epsilon | graph | points | points by graph | range of points |")
    print("|---|---|---|---|---|---|")
    for name, make in CASES.items():
        if given.only not in (None, name):
            continue
        try:
            case = make(given.data)
        except FileNotFoundError as problem:
            print(f"{name} is left out: {problem.filename} is missing. See the top of this file.")
            continue
        for epsilon in EPSILONS:
            old, new = (
                errors(case, epsilon, inference, given.runs, given.ways)
                for inference in ("graph", "points")
            )
            before, after = float(np.mean(old)), float(np.mean(new))
            print(
                f"| {name} | {epsilon:g} | {before:.4f} | {after:.4f} | {after / before:.2f} | "
                f"{min(new):.4f} to {max(new):.4f} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
