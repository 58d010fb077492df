"""Naive Bayes for income on Adult, from private counts: accuracy with and without privacy.

    python -m benchmarks.models [path/of/adult.data] [--splits 20]

The table is that of `benchmarks.adult_release`, with its label; numbers are binned by declared
spaces. Each split takes a fifth of the people at random to test on. Without privacy means the
same model with noise that is zero. diffprivlib's GaussianNB, where it is installed, gets the same
epsilon, declared bounds, and the columns that suit it best: numbers alone, or with categories as
zeros and ones. Its counts of labels are protected for one person more or less, a weaker promise.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import noisewright as nw
from benchmarks.adult_release import COLUMNS, HOW, PLACES

EPSILON = 1
REQUIRED = 0.02
"""How much accuracy privacy may cost."""

LABEL, LABELS = "income", ["<=50K", ">50K"]
NUMBERS: dict[str, tuple[int, int, int, int]] = {
    "age": (0, 20, 80, 5),
    "education-num": (4, 1, 16, 1),
    "hours-per-week": (12, 10, 70, 10),
    "capital-gain": (10, 0, 10_000, 2_500),
    "capital-loss": (11, 0, 3_000, 1_000),
}
"""Where a number is in a row, and the grid that it is declared on."""

NOISELESS = 4_000
"""At this epsilon the noise is zero, but for a chance that no number here would show."""

Table = dict[str, Any]


@dataclass(frozen=True)
class Accuracy:
    """The mean accuracy over some splits, and the standard error of that mean."""

    what: str
    mean: float
    error: float

    @classmethod
    def of(cls, what: str, scores: list[float]) -> Accuracy:
        spread = np.std(scores, ddof=1) / len(scores) ** 0.5 if len(scores) > 1 else 0.0
        return cls(what, float(np.mean(scores)), float(spread))


def read(path: Path) -> tuple[Table, Any]:
    """Return the features and the labels."""
    with path.open(newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.reader(lines, skipinitialspace=True) if len(row) == 15]
    table: Table = {
        name: np.array([row[place] for row in rows]) for name, (place, _) in COLUMNS.items()
    }
    for name, (place, *_) in NUMBERS.items():
        table[name] = np.array([float(row[place]) for row in rows])
    return table, np.array([row[14] for row in rows])


CATEGORIES: dict[str, Any] = {name: labels.split() for name, (_, labels) in COLUMNS.items()}
GRIDS: dict[str, Any] = {
    name: nw.Interval(low, high, step=step).reading(outside="clamp", off_grid="round")
    for name, (_, low, high, step) in NUMBERS.items()
}
DOMAINS: dict[str, dict[str, Any]] = {
    "8 columns of categories": {**CATEGORIES, LABEL: LABELS},
    "5 columns of numbers": {**GRIDS, LABEL: LABELS},
    "all 13": {**CATEGORIES, **GRIDS, LABEL: LABELS},
}


def compared(
    X: Table, y: Any, spaces: dict[str, Any], splits: int, *, source: Any = None
) -> list[Accuracy]:
    """Return accuracies without privacy, with ε, and with (ε, δ), on the same splits."""
    kinds: dict[str, dict[str, Any]] = {
        "without privacy": {"epsilon": NOISELESS},
        f"epsilon = {EPSILON}": {"epsilon": EPSILON},
        f"epsilon = {EPSILON}, delta = 1e-9": {"epsilon": EPSILON, "delta": "1e-9"},
        "epsilon = 0.1": {"epsilon": "0.1"},
    }
    scores: dict[str, list[float]] = {what: [] for what in kinds}
    for train, test in _splits(len(y), splits):
        for what, options in kinds.items():
            model = nw.models.PrivateNaiveBayes(
                spaces, label=LABEL, ledger=None, source=source, **options
            )
            model.fit({name: X[name][train] for name in spaces if name != LABEL}, y[train])
            known = {name: X[name][test] for name in spaces if name != LABEL}
            scores[what].append(model.score(known, y[test]))
    return [Accuracy.of(what, found) for what, found in scores.items()]


def against_diffprivlib(X: Table, y: Any, splits: int) -> list[Accuracy]:
    """Return what diffprivlib's GaussianNB does with the same budget."""
    from diffprivlib.models import GaussianNB  # pyright: ignore[reportMissingImports]

    numbers = np.column_stack(
        [np.clip(X[name], low, high) for name, (_, low, high, _) in NUMBERS.items()]
    )
    bounds = np.array([(low, high) for _, low, high, _ in NUMBERS.values()], dtype=float)
    flags = np.column_stack(
        [X[name] == label for name, (_, labels) in COLUMNS.items() for label in labels.split()]
    ).astype(float)
    both = np.column_stack([numbers, flags])
    all_bounds = np.concatenate([bounds, np.tile([0.0, 1.0], (flags.shape[1], 1))])
    found: list[Accuracy] = []
    kinds = (("categories", flags, all_bounds[len(bounds) :]), ("numbers", numbers, bounds))
    for what, matrix, limits in (*kinds, ("all", both, all_bounds)):
        scores: list[float] = []
        for train, test in _splits(len(y), splits):
            model = GaussianNB(epsilon=EPSILON, bounds=(limits[:, 0], limits[:, 1]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(matrix[train], y[train])
                scores.append(float(model.score(matrix[test], y[test])))
        found.append(Accuracy.of(f"diffprivlib GaussianNB, {what}", scores))
    return found


def _splits(rows: int, count: int) -> list[tuple[Any, Any]]:
    random = np.random.default_rng(7)
    orders = [random.permutation(rows) for _ in range(count)]
    return [(order[rows // 5 :], order[: rows // 5]) for order in orders]


def show(title: str, results: list[Accuracy]) -> None:
    print(title)
    for one in results:
        print(f"  {one.what:40} {one.mean:8.2%} ± {one.error:.2%}")


def main(arguments: list[str] | None = None) -> int:
    """Measure; fail if privacy costs more accuracy than it may."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path)
    parser.add_argument("--splits", type=int, default=20)
    given = parser.parse_args(arguments)
    places = PLACES if given.path is None else (given.path,)
    path = next((place for place in places if place.exists()), None)
    if path is None:
        print(HOW.replace("adult_release", "models"))
        return 2
    X, y = read(path)
    failed = 0
    for title, spaces in DOMAINS.items():
        results = compared(X, y, spaces, given.splits)
        show(title, results)
        failed |= results[1].mean < results[0].mean - REQUIRED
    show("for comparison", [Accuracy("the more frequent label always", _most(y), 0.0)])
    if importlib.util.find_spec("diffprivlib") is not None:
        show("the same epsilon elsewhere", against_diffprivlib(X, y, given.splits))
    return int(failed)


def _most(y: Any) -> float:
    return float(max((y == label).mean() for label in LABELS))


if __name__ == "__main__":
    raise SystemExit(main())
