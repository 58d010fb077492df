"""How good is a synthetic table? All two-way marginals of Adult: of 9 columns, and of all 15.

    python -m benchmarks.synthesis [path/of/adult.data] [--runs 5] [--inference graph]

Each run makes a synthetic table of 32,561 rows with epsilon = 1, and counts its pairs of columns.
The error of a pair is the sum of |share − true share| over its cells; shown is the mean over the
pairs and over the runs. First the 9 columns of categories, at delta = 1e-9 and at delta = 0; then
all 15 at delta = 1e-9, whose numbers are counted in 32 bins, and point by point; all of
it with a graph and with a tree. At the end, where it is installed, mbi fits the very counts that
our graph was fitted to, 9 columns at delta = 1e-9: how much larger are our errors, and how much of
its time does our fit take? Labels come from adult.names, not from the data.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

import noisewright as nw
from benchmarks.adult_release import COLUMNS, HOW, PLACES

ALL = {**COLUMNS, "income": (14, "<=50K >50K")}
NUMBERS: dict[str, tuple[int, Any]] = {
    "age": (0, nw.Interval(17, 90, step=1)),
    "fnlwgt": (2, nw.Counts(1_499_999)),
    "education-num": (4, nw.Interval(1, 16, step=1)),
    "capital-gain": (10, nw.Counts(99_999)),
    "capital-loss": (11, nw.Counts(4_999)),
    "hours-per-week": (12, nw.Interval(1, 99, step=1)),
}
RUNS = 5
REQUIRED_ERROR, REQUIRED_ON_GRAPHS, REQUIRED_SECONDS = 0.13, 0.115, 60.0
"""The error of a tree and of graphs with cycles; dpmm's MST has 0.088 in 72 s."""

REQUIRED_RATIO = 1.03
"""Our errors by those of mbi, from the same counts."""

Inference = Literal["graph", "tree"]


@dataclass(frozen=True)
class Measured:
    """Errors and times of some runs."""

    inference: str
    delta: float
    errors: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def error(self) -> float:
        return float(np.mean(self.errors))

    @property
    def is_good(self) -> bool:
        """Whether it is at or below the bar of the 9 columns at delta = 1e-9."""
        most = REQUIRED_ERROR if self.inference == "tree" else REQUIRED_ON_GRAPHS
        return self.error <= most and max(self.seconds) <= REQUIRED_SECONDS


def adult(path: Path, *, numbers: bool = False) -> Any:
    """Read the 9 columns of categories, and the 6 of numbers too if asked."""
    import csv

    import pyarrow as pa

    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    found: dict[str, list[Any]] = {
        name: [row[place] for row in rows] for name, (place, _) in ALL.items()
    }
    if numbers:
        found |= {name: [int(row[place]) for row in rows] for name, (place, _) in NUMBERS.items()}
    return pa.table(found)


def columns(*, numbers: bool = False) -> dict[str, Any]:
    labels = {name: labels.split() for name, (_, labels) in ALL.items()}
    return labels | ({name: space for name, (_, space) in NUMBERS.items()} if numbers else {})


def measured(
    table: Any,
    declared: Any,
    *,
    delta: float,
    runs: int = RUNS,
    epsilon: float = 1,
    inference: Inference = "graph",
    source: Any = None,
) -> Measured:
    """Synthesize a table some times, and compare with the raw data: not for release."""
    errors: list[float] = []
    seconds: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        made = nw.synthesize(
            table,
            declared,
            ledger=None,
            epsilon=epsilon,
            delta=delta,
            method=nw.planning.Method(inference=inference),
            out=nw.planning.Output(evaluation=True),
            source=source,
        )
        seconds.append(time.perf_counter() - start)
        assert made.evaluation is not None
        errors.append(made.evaluation.distance.l1)
    return Measured(inference, delta, tuple(errors), tuple(seconds))


def main() -> int:
    """Print errors and times; fail if they are above what is required."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, help="the file adult.data")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--inference", choices=["graph", "tree"], help="one of them only")
    given = parser.parse_args()
    path = given.path or next((place for place in PLACES if place.exists()), None)
    if path is None:
        print(HOW.replace("adult_release", "synthesis"))
        return 2
    table = adult(path)
    print(f"{table.num_rows:,} people, {len(ALL)} columns, {given.runs} runs, epsilon = 1\n")
    print("| inference | columns | delta | mean error of a pair | largest of the runs | seconds |")
    print("|---|---|---|---|---|---|")
    whole, good = adult(path, numbers=True), True
    inferences: tuple[Inference, ...] = ("graph", "tree")
    for inference in [given.inference] if given.inference else inferences:
        for count, delta in ((9, 1e-9), (9, 0), (15, 1e-9)):
            one = measured(
                table if count == 9 else whole,
                columns(numbers=count == 15),
                delta=delta,
                runs=given.runs,
                inference=inference,
            )
            good &= one.is_good or (count, delta) != (9, 1e-9)
            print(
                f"| {inference} | {count} | {delta:g} | {one.error:.4f} | {max(one.errors):.4f} | "
                f"{max(one.seconds):.2f} |",
                flush=True,
            )
    if given.inference is None and importlib.util.find_spec("mbi"):
        ratio, seconds = beside_mbi(table, columns(), runs=given.runs)
        good &= ratio <= REQUIRED_RATIO
        print(f"\nThe same counts: {ratio:.3f} of the errors of mbi, in {seconds:.3f} of its time.")
    return 0 if good else 1


def beside_mbi(
    table: Any,
    declared: dict[str, Any],
    *,
    runs: int = RUNS,
    epsilon: float = 1,
    source: Any = None,
) -> tuple[float, float]:
    """Return the errors and the processor time of our fit by those of mbi, from the same counts.

    Errors are those of the fitted models, without any rows drawn from them.
    """
    from benchmarks.mbi_fit import fit_by_mbi
    from noisewright.synthetic.graphs.graph_fit import fit_graph
    from noisewright.synthetic.graphs.tree_model import fit_tree

    sizes = {name: len(labels) for name, labels in declared.items()}
    pairs = nw.workloads.Workload.marginals(declared, ways=2)
    truth = pairs.answers(table).shares
    errors, seconds = np.zeros(2), np.zeros(2)
    for _ in range(runs):
        made = nw.synthesize(
            table,
            declared,
            ledger=None,
            epsilon=epsilon,
            delta=1e-9,
            method=nw.planning.Method(inference="graph"),
            source=source,
        )
        seen = list(made.measurements)
        edges = seen[len(sizes) : 2 * len(sizes) - 1]
        tree = fit_tree(seen[: len(sizes)], edges).as_graph()
        for place in range(2):
            start = time.process_time()
            model = fit_by_mbi(sizes, seen) if place else fit_graph(sizes, seen, tree)
            seconds[place] += time.process_time() - start
            shares = [model.marginal(part.columns).reshape(-1) for part in pairs.parts]
            errors[place] += float(np.abs(np.concatenate(shares) - truth).sum())
    return float(errors[0] / errors[1]), float(seconds[0] / seconds[1])


if __name__ == "__main__":
    raise SystemExit(main())
