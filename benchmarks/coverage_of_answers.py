"""How often do intervals of private answers hold? Every aggregate, by a question of its own.

    python -m benchmarks.coverage_of_answers [--runs 1000] [--only var]

Three groups of 5, 50 or 1,000 people each, under both changes and ε from 0.2 to 10: the numbers of
a question are computed as for a release, noise of its law is added many times, and its intervals of
95% are compared with what is true of the rows. Required: nowhere less than 93%, up to chance; and
at most 97%, but for the aggregates of `MAY_HOLD_MORE` and for noise of so few values that fewer
whole numbers than the interval has would hold less than 95%.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.queries import Aggregate, design_groups, plan_together
from noisewright.queries.answers.answered import Answered
from noisewright.queries.answers.quantiles import rank_of_extreme
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.noise import CellNoise
from noisewright.queries.readings import NoisyNumbers
from noisewright.sampling import SeededSource, Source

EPSILONS = ("0.2", "1", "3", "10")
PEOPLE = (5, 50, 1_000)
CHANGES = ("replace", "add or remove")
LEAST, MOST = 0.93, 0.97

MAY_HOLD_MORE = ("median", "quantiles", "min", "max", "top", "joint", "design")
"""Many rows share a value; who is listed is chosen; sums of few values; tables of few outputs."""

GROUPS, JOBS, TOP, K = ("a", "b", "c"), tuple("uvwxyz"), 100, 2
EDGES = (0, 25, 50, 75, 100)
AT = (0.1, 0.25, 0.5, 0.9)

Rows = dict[str, NDArray[Any]]
Truth = Callable[[Rows, int], Any]
Ends = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""What is true, and the ends of intervals, a line for each run."""


def rows_of(people: int) -> list[Rows]:
    """Return the rows of each group: hours spread over the range, near 40, and mostly small."""
    random = np.random.default_rng(people)
    places = (np.arange(people) + 0.5) / people
    hours = (
        np.floor(places * (TOP + 1)),
        np.clip(np.round(random.normal(40, 12, people)), 0, TOP),
        np.floor(TOP * places**3),
    )
    return [
        {
            "hours": each.astype(np.int64),
            "works": np.arange(people) % 5 < 2 + place,
            "job": np.minimum(random.geometric(0.4, people) - 1, len(JOBS) - 1),
            "product": random.integers(0, 40, people),
        }
        for place, each in enumerate(hours)
    ]


def table_of(groups: list[Rows], change: Any) -> nw.Private:
    """Return the rows as a private table."""
    rows = [
        {
            "g": name,
            "hours": int(hours),
            "works": "yes" if works else "no",
            "job": JOBS[job],
            "product": int(one),
        }
        for name, group in zip(GROUPS, groups, strict=True)
        for hours, works, job, one in zip(*group.values(), strict=True)
    ]
    columns: dict[str, Any] = {
        "g": GROUPS,
        "hours": nw.Interval(0, TOP, step=1),
        "works": nw.Column(["no", "yes"]),
        "job": JOBS,
        "product": nw.Counts(39),
    }
    return nw.Private(rows, columns=columns, change=change, ledger=None)


def _of_hours(what: Callable[[Any], Any]) -> Truth:
    return lambda rows, _: [what(rows["hours"])]


def _ranked(rows: Rows, rank: int, from_above: bool) -> list[Any]:
    values = np.sort(rows["hours"])
    if rank > len(values):
        return [0 if from_above else TOP]
    return [values[-rank if from_above else rank - 1]]


def _quantiles(*at: float) -> Truth:
    return lambda rows, _: np.quantile(rows["hours"], at, method="inverted_cdf")


HOURS = nw.col("hours")
AGGREGATES: dict[str, tuple[Aggregate, Truth]] = {
    "count": (nw.count(), _of_hours(np.size)),
    "count_people": (nw.count_people(), _of_hours(np.size)),
    "sum": (HOURS.sum(), _of_hours(np.sum)),
    "mean": (HOURS.mean(), _of_hours(np.mean)),
    "var": (HOURS.var(), _of_hours(np.var)),
    "std": (HOURS.std(), _of_hours(np.std)),
    "share": ((nw.col("works") == "yes").share(), lambda rows, _: [rows["works"].mean()]),
    "median": (HOURS.median(), _quantiles(0.5)),
    "quantiles": (HOURS.quantiles(list(AT)), _quantiles(*AT)),
    "min": (HOURS.min(), lambda rows, rank: _ranked(rows, rank, False)),
    "max": (HOURS.max(), lambda rows, rank: _ranked(rows, rank, True)),
    "histogram": (
        HOURS.histogram(list(EDGES)),
        lambda rows, _: np.histogram(rows["hours"], EDGES)[0],
    ),
    "count_distinct": (
        nw.col("product").count_distinct(),
        lambda rows, _: [np.unique(rows["product"]).size],
    ),
    "top": (nw.col("job").top(K), lambda rows, _: np.bincount(rows["job"], minlength=len(JOBS))),
}
CASES = (*AGGREGATES, "joint", "design")


@dataclass(frozen=True)
class Covered:
    """How often intervals held, the least and the most over answers, and their mean width."""

    least: float
    most: float
    width: float
    runs: int
    may_hold: float
    """How often they may hold."""

    @property
    def fails(self) -> bool:
        """Whether it is out of bounds beyond four standard errors of chance."""
        under, over = (
            4 * (limit * (1 - limit) / self.runs) ** 0.5 for limit in (LEAST, self.may_hold)
        )
        return self.least < LEAST - under or self.most > self.may_hold + over

    def __str__(self) -> str:
        mark = " OUT OF BOUNDS" if self.fails else ""
        return f"{100 * self.least:.1f}–{100 * self.most:.1f}%{mark}"


def cover(
    case: str, people: int, epsilon: str, change: str, runs: int, factor: float = 1
) -> Covered:
    """Return how often the intervals of one case hold, `factor` times as wide as they are."""
    groups, source = rows_of(people), SeededSource(f"{case} {people} {epsilon} {change}")
    may_hold = 1.0 if case in MAY_HOLD_MORE else MOST
    if case == "joint":
        true, lows, highs = _joint(groups, epsilon, change, runs, source)
    elif case == "design":
        true, lows, highs = _design(groups, epsilon, runs, source)
    else:
        question = table_of(groups, change).group_by("g").agg(x=AGGREGATES[case][0])
        priced = question.price(epsilon)
        (measurement,), (noise,) = priced.measurements, priced.noises
        true, lows, highs = _alone(case, question, measurement, noise, groups, runs, source)
        if measurement.adds in ("rows", "distinct"):
            may_hold = max(may_hold, _chance_of_run(noise))
        if case == "share" and noise.deviation < 1:
            may_hold = 1.0
    middle, half = (lows + highs) / 2, (highs - lows) / 2 * factor
    held = np.abs(true - middle) <= half + 1e-9 * (1 + np.abs(true))
    if case == "top":
        held = held.mean(axis=-1)
    each = held.mean(axis=0)
    width = float((highs - lows).mean())
    return Covered(float(each.min()), float(each.max()), width, runs, may_hold)


def _chance_of_run(noise: CellNoise) -> float:
    """Return how often the shortest run of whole numbers holds that reaches 95%."""
    below, above = noise.shortest_run(0.95)
    return (noise.chance_within(below) + noise.chance_within(above)) / 2


def _alone(
    case: str,
    question: Any,
    measurement: QueryMeasurement,
    noise: CellNoise,
    groups: list[Rows],
    runs: int,
    source: Source,
) -> Ends:
    (reading,), numbers = question.asked.readings, measurement.compute()
    more = noise.balanced_cells is not None
    size = numbers.size + more
    drawn = [noise.draw(size, source) for _ in range(runs)] if more else None
    z = np.array(drawn)[:, :-1] if drawn else noise.draw(size * runs, source)
    noisy = np.tile(numbers, (runs, 1)) + np.asarray(z).reshape(-1, numbers.shape[1])
    columns = NoisyNumbers(measurement, noise, noisy).read(reading, 0.95)
    rank = 0 if measurement.tree is None else rank_of_extreme(measurement.tree, noise)
    true = np.array([AGGREGATES[case][1](rows, rank) for rows in groups], dtype=np.float64)
    lows, highs = (
        np.stack([getattr(one.answered, end) for one in columns], axis=-1)
        for end in ("lows", "highs")
    )
    shape = (runs, len(groups), -1)
    if case == "top":
        places = np.array([[JOBS.index(label) for label in one.labels or ()] for one in columns])
        listed = places.T.reshape(runs, len(groups), K)
        true = true[np.arange(len(groups))[None, :, None], listed]
    return true, lows.reshape(shape), highs.reshape(shape)


def _joint(groups: list[Rows], epsilon: str, change: str, runs: int, source: Source) -> Ends:
    """Counts by group, and by group and job, asked together."""
    table = table_of(groups, change)
    questions = [table.group_by("g").count(), table.group_by("g", "job").count()]
    plan = plan_together(questions, epsilon=epsilon)
    assert plan.shared is not None
    by_job = np.array([np.bincount(rows["job"], minlength=len(JOBS)) for rows in groups])
    true = np.concatenate([by_job.sum(axis=1), by_job.ravel()])
    kept = [one.kept for one in plan.tables.values()]

    def ends(found: tuple[Answered, ...], end: str) -> NDArray[Any]:
        parts = zip(found, kept, strict=True)
        return np.concatenate([getattr(one, end)[part].ravel() for one, part in parts])

    found = [plan.shared.measure(source).at(0.95) for _ in range(runs)]
    lows, highs = (np.array([ends(one, end) for one in found]) for end in ("lows", "highs"))
    return true, lows, highs


def _design(groups: list[Rows], epsilon: str, runs: int, source: Source) -> Ends:
    """Counts of yes in public groups, by the design for their size."""
    sizes = {name: rows["works"].size for name, rows in zip(GROUPS, groups, strict=True)}
    designs = design_groups(sizes, epsilon=epsilon)
    true = np.array([rows["works"].sum() for rows in groups])
    found = [designs.estimate(designs.draw(true, source)) for _ in range(runs)]
    return true, np.array([one.lows for one in found]), np.array([one.highs for one in found])


def main() -> int:
    """Print how often intervals held; fail if that is not as required."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--only", choices=CASES)
    given = parser.parse_args()
    failed = 0
    settings = list(product(CHANGES, EPSILONS))
    print("| | people |", *(f"{change}, ε = {epsilon} |" for change, epsilon in settings))
    print("|---|---|" + "---|" * len(settings))
    for case in [given.only] if given.only else CASES:
        for people in PEOPLE:
            found = [
                cover(case, people, epsilon, change, given.runs) for change, epsilon in settings
            ]
            print(f"| {case} | {people:,} |", *(f"{one} |" for one in found), flush=True)
            failed |= any(one.fails for one in found)
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
