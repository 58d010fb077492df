"""How far are private answers off, and do their intervals hold? By simulation of the noise.

    python -m benchmarks.query_errors [path/of/adult.data] [--runs 1000]

**Errors** on Adult at ε = 1, where a person is added or removed and hours lie between 0 and 100:
mean and variance by sex and of all, from sums of degree 2 of one budget; counts by education.

**Intervals** of 95% for every aggregate, for groups of 1 to 200 people and ε from 0.1 to 10, with
values at the ends of their range, in the middle, at both ends and spread over it. Required: no case
below 93%, by more than chance allows. A case counts as *loose* where an interval has to cover more
often: the truth is an end of what is possible, so that one side cannot miss; noise takes few
values; or the interval is most of what is possible. All others must stay at or below 97%.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.adult_release import HOW, PLACES
from noisewright.queries.answers.answered import Answered
from noisewright.queries.answers.bin_tree import bins_for
from noisewright.queries.answers.counts import answer_counts
from noisewright.queries.answers.moments import answer_moments
from noisewright.queries.answers.quantiles import answer_quantiles, rank_of_extreme
from noisewright.queries.answers.tree_law import tree_for
from noisewright.queries.noise import CellNoise
from noisewright.sampling import SeededSource

Whole = NDArray[np.int64]

BARS = {
    "mean hours, women": 0.0100,
    "mean hours, men": 0.0050,
    "variance of hours, women": 0.66,
    "variance of hours, men": 0.31,
    "variance of hours, all": 0.21,
    "counts by education": 1.39,
}
EPSILONS = (Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(3), Fraction(10))
PEOPLE = (1, 2, 5, 20, 200)
AGGREGATES = ("count", "sum", "mean", "var", "std", "share", "quantiles", "min", "max", "counts")
LEAST, MOST = 0.93, 0.97
AT = (0.1, 0.25, 0.5, 0.9)
TOP = 100


@dataclass(frozen=True)
class Covered:
    """How often the intervals of one case held, and whether they have to hold more often."""

    aggregate: str
    people: int
    epsilon: Fraction
    values: str
    held: float
    width: float
    loose: bool
    runs: int

    @property
    def fails(self) -> bool:
        """Whether it is out of bounds beyond four standard errors of chance."""
        least, most = ((limit * (1 - limit) / self.runs) ** 0.5 * 4 for limit in (LEAST, MOST))
        return self.held < LEAST - least or (not self.loose and self.held > MOST + most)


def sums(k: Whole, degree: int, top: int) -> Whole:
    """Return the sums of a group of values in 0 … top."""
    return np.array(
        [(math.comb(degree, j) * k**j * (top - k) ** (degree - j)).sum() for j in range(degree + 1)]
    )


def noisy(numbers: Whole, noise: CellNoise, runs: int, seed: str) -> NDArray[Any]:
    """Return numbers with noise, in a row for each run."""
    return numbers + noise.draw(runs * numbers.size, SeededSource(seed)).reshape(runs, -1)


def hours(path: Path) -> tuple[Whole, NDArray[np.str_], NDArray[np.str_]]:
    """Return hours, sexes and levels of education of Adult."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    columns = [np.array([row[place] for row in rows]) for place in (12, 9, 3)]
    return np.clip(columns[0].astype(np.int64), 0, TOP), columns[1], columns[2]


def errors(path: Path, runs: int) -> dict[str, float]:
    """Return the root mean square errors on Adult."""
    worked, sex, education = hours(path)
    noise = CellNoise("epsilon", Fraction(1, TOP**2))
    found: dict[str, float] = {}
    groups = {"women": sex == "Female", "men": sex == "Male", "all": sex != ""}
    for name, group in groups.items():
        k = worked[group]
        numbers = noisy(sums(k, 2, TOP), noise, runs, name)
        for words, what, truth in (("mean", "mean", k.mean()), ("variance of", "var", k.var())):
            answer = answer_moments(numbers, noise, low=0, high=TOP, unit=1, what=what)
            found[f"{words} hours, {name}"] = _error(answer, truth)
    counts = np.unique(education, return_counts=True)[1]
    one = CellNoise("epsilon", Fraction(1))
    answer = answer_counts(noisy(counts, one, runs, "education"), one)
    found["counts by education"] = _error(answer, counts)
    return found


def _error(answer: Answered, truth: Any) -> float:
    return float(np.sqrt(((answer.values - truth) ** 2).mean()))


def patterns(n: int, top: int) -> Iterator[tuple[str, Whole]]:
    """Name groups of n values in 0 … top."""
    last = (np.arange(n) == n - 1).astype(np.int64)
    yield "at the low end", np.zeros(n, dtype=np.int64)
    yield "at the high end", np.full(n, top)
    yield "all alike", np.full(n, top // 3)
    yield "two values", top // 4 + top // 2 * (np.arange(n) % 2)
    yield "at both ends", top * (np.arange(n) % 2)
    yield "all but one at the low end", top * last
    yield "spread", np.round((np.arange(n) + 0.5) / n * top).astype(np.int64)


def cover(aggregate: str, people: int, epsilon: Fraction, runs: int) -> Iterator[Covered]:
    """Simulate the cases of one aggregate."""
    top = 1 if aggregate in ("share", "counts") else TOP
    for values, k in patterns(people, top):
        seed = f"{aggregate} {people} {epsilon} {values}"
        answer, truth = _answered(aggregate, k, epsilon, top, runs, seed)
        close = 1e-9 * (1 + np.abs(truth))
        held = (answer.lows <= truth + close) & (truth - close <= answer.highs)
        least, most = answer.possible
        width = float((answer.highs - answer.lows).mean())
        reach = most - least if np.isfinite(most) else np.inf
        at_end = bool(np.any((truth == least) | (truth == most)))
        few = (top == 1 and epsilon > 1) or aggregate in ("quantiles", "min", "max", "counts")
        whole = aggregate in ("count", "sum") and epsilon > 1
        loose = at_end or few or whole or width > 0.6 * reach
        yield Covered(
            aggregate,
            people,
            epsilon,
            values,
            float(held.mean(axis=0).min()),
            width / reach if np.isfinite(reach) else width,
            loose,
            runs,
        )


def _answered(
    aggregate: str, k: Whole, epsilon: Fraction, top: int, runs: int, seed: str
) -> tuple[Answered, Any]:
    """Return answers of all runs, and the truth."""
    if aggregate == "counts":
        noise = CellNoise("epsilon", epsilon)
        return answer_counts(noisy(np.array([k.size]), noise, runs, seed)[:, 0], noise), k.size
    if aggregate in ("quantiles", "min", "max"):
        tree, binning = tree_for(top + 1), bins_for(0, top)
        noise = CellNoise("epsilon", epsilon / len(tree.widths))
        rank = min(rank_of_extreme(tree, noise), k.size + 1)
        ranked = np.sort(k).tolist()
        truths = {
            "quantiles": np.quantile(k, AT, method="inverted_cdf"),
            "min": np.array([[*ranked, top][rank - 1]]),
            "max": np.array([[0, *ranked][-rank]]),
        }
        numbers = noisy(tree.tally(np.bincount(k, minlength=top + 1)), noise, runs, seed)
        at = {"quantiles": AT, "min": (0,), "max": (1,)}[aggregate]
        found = answer_quantiles(numbers, noise, tree=tree, binning=binning, unit=1, at=at)
        return found, truths[aggregate]
    degree = 1 if aggregate == "share" else 2
    noise = CellNoise("epsilon", epsilon / top**degree)
    numbers = noisy(sums(k, degree, top), noise, runs, seed)
    what: Any = aggregate
    found = answer_moments(numbers, noise, low=0, high=top, unit=1, what=what)
    truth = {"count": k.size, "sum": k.sum(), "var": k.var(), "std": k.std()}
    return found, truth.get(aggregate, k.mean())


def grid(runs: int) -> int:
    """Print how often intervals held; return whether some do so less, or more, than they must."""
    failed = 0
    print("| aggregate | cases | least | greatest, where not loose | loose | their greatest |")
    print("|---|---|---|---|---|---|")
    for aggregate in AGGREGATES:
        found = [
            one
            for n in PEOPLE
            for epsilon in EPSILONS
            for one in cover(aggregate, n, epsilon, runs)
        ]
        tight = [one.held for one in found if not one.loose]
        loose = [one.held for one in found if one.loose]
        print(
            f"| {aggregate} | {len(found)} | {min(one.held for one in found):.1%} | "
            f"{f'{max(tight):.1%}' if tight else '–'} | {len(loose)} | "
            f"{f'{max(loose):.1%}' if loose else '–'} |"
        )
        for one in (one for one in found if one.fails):
            print(f"  OUT OF BOUNDS: {one}")
            failed = 1
    return failed


def main() -> int:
    """Print errors and intervals; fail if one is not as required."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, help="the file adult.data")
    parser.add_argument("--runs", type=int, default=1_000)
    given = parser.parse_args()
    path = given.path or next((place for place in PLACES if place.exists()), None)
    if path is None:
        print(HOW.replace("adult_release", "query_errors"))
        return 2
    failed = 0
    print("| Adult, ε = 1 | root mean square error | required |")
    print("|---|---|---|")
    for name, error in errors(path, max(given.runs, 1_000)).items():
        bar = BARS.get(name)
        print(f"| {name} | {error:.4f} | {'' if bar is None else bar} |")
        failed |= bar is not None and error > bar
    print()
    return failed | grid(given.runs)


if __name__ == "__main__":
    raise SystemExit(main())
