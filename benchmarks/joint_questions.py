"""Many tables of Adult asked together, against the same tables with even shares of the budget.

    python -m benchmarks.joint_questions [path of adult.data]

Neighbors add or remove one row, (ε, δ) = (1, 1e-6) as ρ, and ε = 1 alone. Errors follow from the
numbers of categories; with the file, the questions are also asked of it, and the errors of answers
without negative counts are measured. These are for comparison only: nothing here is for release.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def main() -> int:
    """Print what is gained; it fails where that is less than required."""
    units: tuple[Unit, ...] = ("rho", "epsilon")
    found = [plan(unit, ways) for unit in units for ways in WAYS]
    print(*found, sep="\n")
    beside = Path(__file__).parents[2] / "shared" / "data" / "adult.data"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else beside
    if path.exists():
        columns = read(path)
        for one in found:
            if one.ways == (1, 2, 3):
                print(f"{one.unit}: {asked(one.strategy, columns, 1)}")
    return int(not all(one.is_enough for one in found))


if __name__ == "__main__":
    raise SystemExit(main())
