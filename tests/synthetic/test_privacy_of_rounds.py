"""Runs in rounds on all tiny tables: what one person changes in every step, and in every choice.

Neighbors replace all rows of one person, who has k of them; the number of rows is public.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.exact import exp_bounds
from noisewright.sampling import SeededSource
from noisewright.selection import exponential
from noisewright.synthetic import Bins
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.by_points.rounds import ModelInRounds
from noisewright.synthetic.by_points.starting_points import StartingPoints
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Choosing, Counting
from noisewright.synthetic.tallies import Tallies
from noisewright.synthetic.workloads.counting_queries import Marginal

Workload = nw.workloads.Workload
ROWS = 2
BITS = 256
UNITS = pytest.mark.parametrize("delta", [0, 1e-6], ids=["epsilon", "rho"])
PEOPLE = pytest.mark.parametrize("k", [1, 2])


class EnoughError(Exception):
    """Nothing more is wanted of a run."""


def tables(domain: nw.Records) -> list[dict[str, Any]]:
    """All tables of two rows."""
    names, sizes = [n for n, _ in domain.columns], [s.size for _, s in domain.columns]
    points = list(product(*map(range, sizes)))
    return [
        dict(zip(names, np.array(rows).T, strict=True)) for rows in product(points, repeat=ROWS)
    ]


def neighbors(count: int, k: int) -> list[tuple[int, int]]:
    """Places of tables that differ in the first row, or in both."""
    points = round(count ** (1 / ROWS))
    same = points if k == 1 else 1
    return [(i, j) for i in range(count) for j in range(count) if i % same == j % same or k == 2]


@UNITS
@PEOPLE
def test_every_count_changes_by_what_its_noise_is_for(
    k: int, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns, points of one in bins, pairs, a triple, conditions, and points with another column.

    Which column that is follows from earlier answers, which are taken to be the same.
    """
    declared = nw.Records(a=nw.Counts(1), b=nw.Counts(1), c=nw.Counts(3))
    bins = Bins.of(declared, 2)
    asked = bins.workload(
        Workload.marginals(declared, ways=3)
        + Workload.conjunctions(declared, [{"a": 1, "b": 0}, {"b": 1, "c": {"at_least": 2}}])
    )
    budget = RunBudget.of(1, delta, rows_per_person=k)
    # So many rows are said to come that everything is counted.
    made = ByPoints(bins.domain, asked, budget, bins.counted, 10**9, grid=bins)
    monkeypatch.setattr(
        "noisewright.synthetic.by_points.by_points.most_linked", lambda _, pairs: pairs[-1]
    )
    steps = made.schedule.steps
    assert all(isinstance(step, Counting) for step in steps)
    assert {(*made.singles,), (*bins.counted,)} == {("a", "b", "c"), ("c, point by point",)}
    seen: list[Any] = []

    def record(counts: Any, noise: Any, source: Any) -> Any:
        seen.append(counts.reshape(-1))
        if len(seen) == len(steps):
            raise EnoughError
        return counts

    monkeypatch.setattr("noisewright.synthetic.steps.noisy_steps.add_noise", record)
    every: list[list[Any]] = []
    for codes in tables(declared):
        tallies = Tallies.of([bins.codes(codes)], bins.wide, made.groupings)
        seen.clear()
        with pytest.raises(EnoughError):
            made.draw(tallies, ROWS)
        every.append(list(seen))
    first, second = np.array(neighbors(len(every), k)).T
    changes: list[int] = []
    for place, step in enumerate(steps):
        assert isinstance(step, Counting)
        (noise,) = step.noises
        counts = np.array([one[place] for one in every])
        gaps = counts[first] - counts[second]
        assert int(np.abs(gaps).sum(axis=1).max()) == noise.change * k
        assert int((gaps**2).sum(axis=1).max()) == noise.change * k**2
        changes.append(noise.change)
    # Three columns, the points of one, three pairs, the triple; two conditions; points with b.
    assert changes == [2] * 8 + [1] * 2 + [2]


DOMAIN = nw.Records({name: nw.Counts(1) for name in "abc"})
PAIRS = [Marginal(pair) for pair in combinations("abc", 2)]
WEIGHTED = Workload(DOMAIN, (*PAIRS, PAIRS[0]))


@cache
def scores(k: int, delta: float, after: str) -> tuple[Choosing, list[tuple[int, ...]]]:
    """The step, and the scores that it chooses by, for every table and the same earlier answers.

    `after` is what the model was fitted to before: columns alone, or a chosen pair besides.
    """
    budget = RunBudget.of(1, delta, rows_per_person=k)
    made = ByPoints(DOMAIN, WEIGHTED, budget, (), ROWS)
    assert set(made.weights.values()) == {2, 4}
    seen: list[tuple[int, ...]] = []

    def stop(candidates: Any, found: Any) -> Any:
        seen.append(tuple(found))
        raise EnoughError

    every = tables(DOMAIN)
    first = NoisySteps(
        Tallies.of([every[11]], DOMAIN, made.groupings), made.schedule, SeededSource(1)
    )
    singles = [first.count((name,)) for name in "abc"]
    known: list[Any] = []
    if after == "a pair":
        first.choosing()
        known = [first.count(("b", "c"))]
    step = made.schedule.steps[len(first.spends)]
    assert isinstance(step, Choosing)
    for codes in every:
        steps = NoisySteps(
            Tallies.of([codes], DOMAIN, made.groupings),
            made.schedule,
            SeededSource(1),
            spends=list(first.spends),
        )
        steps.choice = stop  # pyright: ignore[reportAttributeAccessIssue]
        start = StartingPoints(made.sizes, steps.tallies.rows, made.known, steps.source)
        model = ModelInRounds(steps, made.sizes, made.weights, singles, known, start)
        choose = model.choose_larger if known else model.choose_pairs
        with pytest.raises(EnoughError):
            choose(made.pairs, made.division.chosen_pairs)
    return step, seen


def largest_ratios(step: Choosing, found: Any, k: int, sensitivity: Fraction) -> Any:
    """Of one probability to that for a neighbor, and of two such ratios, exactly."""
    laws: dict[tuple[int, ...], tuple[int, ...]] = {}
    for one in set(found):
        made = exponential(
            range(len(one)), list(one), epsilon=step.epsilon, sensitivity=sensitivity
        )
        assert made.weights is not None
        laws[one] = made.weights
    alone, apart = Fraction(0), Fraction(0)
    for one, other in {(found[i], found[j]) for i, j in neighbors(len(found), k)}:
        p, q = laws[one], laws[other]
        ratios = [Fraction(a * sum(q), b * sum(p)) for a, b in zip(p, q, strict=True)]
        alone, apart = max(alone, *ratios), max(apart, max(ratios) / min(ratios))
    return alone, apart


@UNITS
@PEOPLE
@pytest.mark.parametrize("after", ["columns", "a pair"])
def test_a_choice_keeps_its_share_between_all_neighbors(after: str, k: int, delta: float) -> None:
    """Exactly: every probability by e^ε at most, and the range of their logarithms is ε at most.

    The second is what a part of ρ = ε²/8 is for (Cesar–Rogers 2021). With half of the sensitivity,
    as if a weight or a row of a person had been forgotten, the same test fails.
    """
    step, found = scores(k, delta, after)
    assert step.epsilon == step.amount if not delta else step.epsilon**2 <= 8 * step.amount
    below = Fraction(exp_bounds(step.epsilon, BITS)[0], 1 << BITS)
    alone, apart = largest_ratios(step, found, k, Fraction(step.sensitivity))
    assert 1 < alone <= apart <= below
    _, halved = largest_ratios(step, found, k, Fraction(step.sensitivity, 2))
    assert halved > below


@PEOPLE
def test_scores_with_weights_change_by_their_sensitivity(k: int) -> None:
    """The largest weight is reached by some neighbors, and passed by none."""
    step, found = scores(k, 0, "columns")
    values = np.array(found)
    first, second = np.array(neighbors(len(found), k)).T
    assert int(np.abs(values[first] - values[second]).max()) == step.sensitivity == 8 * k
