"""Synthetic tables of Adult at small, usual and large budgets: pairs, triples, and what they teach.

    python -m benchmarks.synthesis_budgets [path/of/adult.data] [--runs 5] [--only pairs]

All with delta = 1e-9, neighbors replace one row. "pairs" and "triples": the 9 columns of
categories, the mean over all pairs, or triples, of the sum of |share − true share|, where the
workload asks for these. "wide": the pairs of all 15 columns, numbers in 32 bins. "learning": a
gradient boosting of scikit-learn is trained on a synthetic table of all 15 columns and predicts
the income of a fifth of the rows, which the synthetic table was not made from: each run keeps the
next fifth back, since fifths differ by more than noise does. Seconds are those of the processor,
and memory is the most that the process had.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import noisewright as nw
from benchmarks.adult_release import HOW, PLACES
from benchmarks.synthesis import RUNS, adult, columns

BARS = {
    ("pairs", 0.1): 0.155,
    ("pairs", 1.0): 0.048,
    ("pairs", 10.0): 0.012,
    ("triples", 1.0): 0.105,
    ("triples", 10.0): 0.045,
    ("wide", 1.0): 0.07,
    ("learning", 1.0): 0.90,
    ("learning", 10.0): 0.915,
}
"""The largest error, or the least area under the curve."""

DELTA = 1e-9
_KEPT_BACK = 5


def synthesized(table: Any, declared: Any, epsilon: float, ways: int = 2) -> tuple[Any, float]:
    """Return a synthetic table, compared with the raw data, and the seconds that it took."""
    start = time.process_time()
    made = nw.synthesize(
        table,
        declared,
        ledger=None,
        epsilon=epsilon,
        delta=DELTA,
        workload=ways,
        out=nw.planning.Output(evaluation=True),
    )
    return made, time.process_time() - start


def error_of(table: Any, declared: Any, epsilon: float, ways: int) -> tuple[float, float]:
    made, seconds = synthesized(table, declared, epsilon, ways)
    assert made.evaluation is not None
    return made.evaluation.distance.l1, seconds


def area_under_curve(
    table: Any, declared: Any, epsilon: float, fifth: int = 0
) -> tuple[float, float]:
    """Return how well a model of synthetic rows ranks real ones by income, and the seconds."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    place = np.arange(table.num_rows) % _KEPT_BACK
    fifth %= _KEPT_BACK
    made, seconds = synthesized(table.filter(place != fifth), declared, epsilon)
    (rows, truth), (tested, labels) = (
        _as_numbers(each, declared) for each in (made.table, table.filter(place == fifth))
    )
    names = [name for name in declared if name != "income"]
    kinds: Any = [isinstance(declared[name], list) for name in names]
    model = HistGradientBoostingClassifier(categorical_features=kinds)
    model.fit(rows, truth)
    return float(roc_auc_score(labels, model.predict_proba(tested)[:, 1])), seconds


def _as_numbers(table: Any, declared: Any) -> tuple[Any, Any]:
    found: dict[str, Any] = {}
    for name, space in declared.items():
        values = table[name].to_pylist()
        places = {label: n for n, label in enumerate(space)} if isinstance(space, list) else None
        found[name] = [float(value) if places is None else places[value] for value in values]
    rows = np.array([found[name] for name in declared if name != "income"]).T
    return rows, np.array(found["income"])


def main() -> int:
    """Print what was measured beside what is required; fail if one is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, help="the file adult.data")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--only", choices=sorted({what for what, _ in BARS}))
    given = parser.parse_args()
    path = given.path or next((place for place in PLACES if place.exists()), None)
    if path is None:
        print(HOW.replace("adult_release", "synthesis_budgets"))
        return 2
    nine, declared = adult(path), columns()
    whole, wide = adult(path, numbers=True), columns(numbers=True)
    ways: dict[str, Callable[[float, int], tuple[float, float]]] = {
        "pairs": lambda epsilon, _: error_of(nine, declared, epsilon, 2),
        "triples": lambda epsilon, _: error_of(nine, declared, epsilon, 3),
        "wide": lambda epsilon, _: error_of(whole, wide, epsilon, 2),
        "learning": lambda epsilon, run: area_under_curve(whole, wide, epsilon, run),
    }
    print("| what | epsilon | mean | from | to | required | seconds | MB |")
    print("|---|---|---|---|---|---|---|---|")
    good = True
    for (what, epsilon), bar in BARS.items():
        if given.only in (None, what):
            runs = [ways[what](epsilon, run) for run in range(given.runs)]
            found = [value for value, _ in runs]
            mean, seconds = float(np.mean(found)), max(second for _, second in runs)
            good &= mean >= bar if what == "learning" else mean <= bar
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(
                f"| {what} | {epsilon:g} | {mean:.4f} | {min(found):.4f} | {max(found):.4f} | "
                f"{bar:g} | {seconds:.1f} | {most:,} |",
                flush=True,
            )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
