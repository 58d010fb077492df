"""Many tables of Adult asked together, against the same tables with even shares of the budget.

    python -m benchmarks.joint_questions [path of adult.data] [--runs 10]

Neighbors add or remove one row, (ε, δ) = (1, 1e-6) as ρ, and ε = 1 alone. Errors follow from the
numbers of categories; with the file, the questions are also asked of it, and the errors of answers
without negative counts are measured; and `nw.ask` asks all 92 tables, so many times, beside noise
of even shares that is drawn as well. This is for comparison only: nothing here is for release.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import noisewright as nw
from noisewright.queries.noise import CellNoise
from noisewright.queries.planning.contrast_cost import Neighbors
from noisewright.queries.planning.plan_tables import Unit, plan_tables
from noisewright.queries.planning.question_parts import TableQuestion
from noisewright.queries.planning.strategy import Strategy
from noisewright.sampling import SeededSource
from noisewright.synthetic import RunBudget

SIZES = {
    "workclass": 9,
    "education": 16,
    "marital-status": 7,
    "occupation": 15,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native-country": 42,
}
PLACES = (1, 3, 5, 6, 7, 8, 9, 13)
REQUIRED: dict[tuple[str, tuple[int, ...]], float] = {("rho", (1, 2, 3)): 1.7, ("rho", (2,)): 1.3}
WAYS = ((1,), (2,), (1, 2), (3,), (1, 2, 3))


@dataclass(frozen=True)
class Shared:
    """What asking together gains."""

    unit: Unit
    ways: tuple[int, ...]
    strategy: Strategy
    seconds: float

    @property
    def is_enough(self) -> bool:
        return self.strategy.gain >= REQUIRED.get((self.unit, self.ways), 1)

    def __str__(self) -> str:
        s = self.strategy
        return (
            f"{self.unit:<8} {'–'.join(map(str, self.ways)):<6} ways, {len(s.alone):>3} tables: "
            f"RMSE {s.separate_rmse:7.2f} separately, {s.rmse:7.2f} together, {s.gain:5.3f} times "
            f"smaller; planned in {self.seconds:.3f} s"
        )


def plan(unit: Unit, ways: tuple[int, ...], sizes: Mapping[str, int] = SIZES) -> Shared:
    questions = [TableQuestion(names) for k in ways for names in combinations(sizes, k)]
    budget = RunBudget.of(1, "1e-6").total if unit == "rho" else Fraction(1)
    start = time.perf_counter()
    strategy = plan_tables(
        sizes, questions, budget=budget, unit=unit, neighbors=Neighbors("add or remove")
    )
    return Shared(unit, ways, strategy, time.perf_counter() - start)


def read(path: Path) -> dict[str, NDArray[np.int64]]:
    """The columns as codes."""
    rows = [line.split(", ") for line in path.read_text().splitlines() if line]
    return {
        name: np.unique([row[place] for row in rows], return_inverse=True)[1]
        for name, place in zip(SIZES, PLACES, strict=True)
    }


def counts(columns: Mapping[str, NDArray[np.int64]], names: tuple[str, ...]) -> NDArray[Any]:
    table = np.zeros([SIZES[name] for name in names], dtype=np.int64)
    np.add.at(table, tuple(columns[name] for name in names), 1)
    return table


def asked(strategy: Strategy, columns: Mapping[str, NDArray[np.int64]], seed: int) -> str:
    """Ask, and compare with the truth."""
    tables = {names: counts(columns, names) for names in strategy.tables}
    start = time.perf_counter()
    noisy = strategy.measure(tables, SeededSource(seed))
    drawn = time.perf_counter()
    answers = strategy.reconstruct(noisy)
    done = time.perf_counter()
    raw = kept = cells = 0.0
    for question, answer in zip(strategy.asked.questions, answers, strict=True):
        truth = counts(columns, question.attributes)
        raw += float(((answer.unbiased - truth) ** 2).sum())
        kept += float(((answer.values - truth) ** 2).sum())
        cells += truth.size
    return (
        f"asked of the file: RMSE {(raw / cells) ** 0.5:.2f} unbiased, {(kept / cells) ** 0.5:.2f} "
        f"without negative counts; {drawn - start:.2f} s to draw, {done - drawn:.2f} s to answer"
    )


def errors_of_ask(
    columns: Mapping[str, NDArray[np.int64]], delta: str, ways: tuple[int, ...] = (1, 2, 3)
) -> tuple[float, float, float]:
    """Ask `nw.ask` once: root mean square errors of even shares, of unbiased answers, of tables."""
    declared = {name: nw.Counts(SIZES[name] - 1) for name in columns}
    people = nw.Private(
        pa.table(dict(columns)), columns=declared, change="add or remove", ledger=None
    )
    names = [some for k in ways for some in combinations(columns, k)]
    questions = [people.group_by(*some).count() for some in names]
    answers = nw.ask(questions, epsilon=1, delta=delta)
    truth = np.concatenate([counts(columns, some).ravel() for some in names])
    found = [
        np.concatenate([np.array(table["count"].to_pylist(), dtype=float) for table in tables])
        for tables in ([a.unbiased for a in answers], [a.table for a in answers])
    ]
    if Fraction(delta):
        rho = RunBudget.of(1, delta).total / len(names)
        even = CellNoise("rho", Fraction((2 * float(rho)) ** -0.5))
    else:
        even = CellNoise("epsilon", Fraction(1, len(names)))
    drawn = even.draw(truth.size, None).astype(float)
    off = [drawn, *(one - truth for one in found)]
    a, b, c = (float((one**2).mean() ** 0.5) for one in off)
    return a, b, c


def compare_ask(columns: Mapping[str, NDArray[np.int64]], runs: int) -> bool:
    """Print the errors of several runs; return whether they are as required."""
    enough = True
    for unit, delta in (("rho", "1e-6"), ("epsilon", "0")):
        start = time.process_time()
        found = np.array([errors_of_ask(columns, delta) for _ in range(runs)])
        spent = (time.process_time() - start) / runs
        even, together, table = np.sqrt((found**2).mean(axis=0))
        enough &= even / together >= REQUIRED.get((unit, (1, 2, 3)), 1)
        print(
            f"{unit:<8} nw.ask, {runs} runs: RMSE {even:.2f} with even shares, {together:.2f} "
            f"together, {even / together:.3f} times smaller (each run within "
            f"{min(found[:, 0] / found[:, 1]):.2f} to {max(found[:, 0] / found[:, 1]):.2f}); "
            f"{table:.2f} without negative counts; {spent:.2f} s a run"
        )
    return enough


def main() -> int:
    """Print what is gained; it fails where that is less than required."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, help="the file adult.data")
    parser.add_argument("--runs", type=int, default=10)
    given = parser.parse_args()
    units: tuple[Unit, ...] = ("rho", "epsilon")
    found = [plan(unit, ways) for unit in units for ways in WAYS]
    print(*found, sep="\n")
    beside = Path(__file__).parents[2] / "shared" / "data" / "adult.data"
    path = given.path or beside
    enough = all(one.is_enough for one in found)
    if path.exists():
        columns = read(path)
        for one in found:
            if one.ways == (1, 2, 3):
                print(f"{one.unit}: {asked(one.strategy, columns, 1)}")
        enough &= compare_ask(columns, given.runs)
    return int(not enough)


if __name__ == "__main__":
    raise SystemExit(main())
