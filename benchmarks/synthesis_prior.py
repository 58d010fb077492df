"""How much a public table to start from helps a synthetic table, and how little a wrong one hurts.

    python -m benchmarks.synthesis_prior [path/of/adult.data] [--runs 3] [--only generated]

All with delta = 1e-9, neighbors replace one row. The mean over all pairs of columns of the sum of
|share − true share|, for half of the rows of Adult (9 columns of categories) and for generated
rows, with priors that are near, small, of a part of the people, or wrong.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import noisewright as nw
from benchmarks.adult_release import HOW, PLACES
from benchmarks.synthesis import adult, columns

DELTA = 1e-9
EPSILONS = (0.1, 1.0, 10.0)
SIZES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 3, 5)


def generated(rows: int, seed: int) -> dict[str, Any]:
    """Twelve columns, each with probability 0.6 by one hidden number."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(rows)
    found: dict[str, Any] = {}
    for place, size in enumerate(SIZES):
        own = np.where(rng.random(rows) < 0.6, hidden, rng.random(rows))
        found[f"c{place}"] = (own ** (1 + 0.2 * place) * size).astype(np.int64)
    return found


def generated_tables(rows: int) -> tuple[Any, Any, dict[str, Any]]:
    declared = {f"c{place}": nw.Counts(size - 1) for place, size in enumerate(SIZES)}
    near = generated(rows, 2)
    far = {
        name: SIZES[place] - 1 - codes if place % 2 else codes
        for place, (name, codes) in enumerate(near.items())
    }
    return generated(rows, 1), declared, {"none": None, "near": near, "upside down": far}


def adult_tables(path: Path) -> tuple[Any, Any, dict[str, Any]]:
    table, declared = adult(path), columns()
    order = np.random.default_rng(3).permutation(table.num_rows)
    half, other = (table.take(part) for part in np.array_split(order, 2))
    men = other.filter([sex == "Male" for sex in other["sex"].to_pylist()])
    shifted = {
        name: [labels[(labels.index(one) + 1) % len(labels)] for one in other[name].to_pylist()]
        for name, labels in declared.items()
    }
    priors = {
        "none": None,
        "other half": other,
        "1,000 rows": other.slice(0, 1_000),
        "men": men,
        "next labels": shifted,
    }
    return half, declared, priors


def error_of(data: Any, declared: Any, epsilon: float, prior: Any) -> float:
    made = nw.synthesize(
        data,
        declared,
        ledger=None,
        epsilon=epsilon,
        delta=DELTA,
        prior=prior,
        out=nw.planning.Output(evaluation=True),
    )
    assert made.evaluation is not None
    return made.evaluation.distance.l1


def main() -> int:
    """Print the mean error, and its deviation, for each table, prior and epsilon."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, help="the file adult.data")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=["adult", "generated"])
    given = parser.parse_args()
    path = given.path or next((place for place in PLACES if place.exists()), None)
    if path is None and given.only != "generated":
        print(HOW.replace("adult_release", "synthesis_prior"))
        return 2
    tables: dict[str, Any] = {}
    if given.only != "generated" and path is not None:
        tables["half of Adult"] = adult_tables(path)
    if given.only != "adult":
        tables["generated, 5,000 rows"] = generated_tables(5_000)
    print("| data | prior | epsilon | mean | deviation |")
    print("|---|---|---|---|---|")
    for name, (data, declared, priors) in tables.items():
        for what, prior in priors.items():
            for epsilon in EPSILONS:
                runs = [error_of(data, declared, epsilon, prior) for _ in range(given.runs)]
                mean, spread = np.mean(runs), np.std(runs)
                print(f"| {name} | {what} | {epsilon:g} | {mean:.4f} | {spread:.4f} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
