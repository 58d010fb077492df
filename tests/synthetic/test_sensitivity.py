"""Every vector and score that gets noise, on all tiny tables and all their neighbors."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.sampling import SeededSource
from noisewright.synthetic.bins import Bins
from noisewright.synthetic.by_mst.choose_pairs import independence_score
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem, marginal_of
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.by_points.choose_cliques import score
from noisewright.synthetic.steps.joined_bins import add_up
from noisewright.synthetic.steps.noise import MARGINAL, QUERY
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Choosing, Schedule, choosing
from noisewright.synthetic.tallies import Tallies
from noisewright.synthetic.workloads.counting_queries import Marginal

DOMAIN = nw.Records(a=nw.Categories(["x", "y"]), b=nw.Counts(2))
WORKLOAD = (
    nw.workloads.Workload.marginals(DOMAIN, ways=2)
    + nw.workloads.Workload.marginals(DOMAIN, ways=1)
    + nw.workloads.Workload.ranges(DOMAIN, "b")
)
ROWS = 3
UNITS = (("epsilon", 0), ("rho", 1e-6))
POINTS = list(product(range(2), range(3)))


def tallies_of(rows: tuple[tuple[int, int], ...]) -> Tallies:
    codes = {"a": np.array([r[0] for r in rows]), "b": np.array([r[1] for r in rows])}
    return Tallies.of([codes], DOMAIN, (("a",), ("b",), ("a", "b")))


TABLES = {rows: tallies_of(rows) for rows in product(POINTS, repeat=ROWS)}


def pairs(k: int) -> list[tuple[Tallies, Tallies]]:
    """All tables with all that come from replacing the first k rows, which are one person's."""
    return [
        (table, TABLES[(*others, *rows[k:])])
        for rows, table in TABLES.items()
        for others in product(POINTS, repeat=k)
    ]


def sensitivities(schedule: Schedule) -> set[int]:
    """What the choices of a run are made for."""
    return {step.sensitivity for step in schedule.steps if isinstance(step, Choosing)}


@pytest.mark.parametrize("k", [1, 2])
def test_what_a_person_changes_is_what_the_noise_is_for(k: int) -> None:
    """In L1 for geometric noise, in L2² for normal noise; neither more nor less."""
    allowed = {unit: RunBudget.of(1, delta, rows_per_person=k) for unit, delta in UNITS}
    for names in (("a",), ("b",), ("a", "b")):
        gaps = [one.counts[names] - other.counts[names] for one, other in pairs(k)]
        assert max(int(np.abs(gap).sum()) for gap in gaps) == 2 * k
        assert max(int((gap**2).sum()) for gap in gaps) == 2 * k**2
    for change, l1, l2_squared in ((MARGINAL, 2 * k, 2 * k**2), (QUERY, k, k**2)):
        amount = Fraction(1, 7)
        decay = allowed["epsilon"].noise(amount, change).scale
        assert decay * l1 == amount
        scale = allowed["rho"].noise(amount, change).scale
        spent = Fraction(l2_squared) / (2 * scale**2)
        assert amount * (1 - Fraction(1, 10**9)) < spent <= amount


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("shares", [(0.5, (0.2, 0.3, 0.5)), (0.9, (1.0, 0.0, 0.0))])
def test_the_score_of_a_pair_changes_by_twice_the_rows(shares: tuple[float, Any], k: int) -> None:
    first, second = np.array([shares[0], 1 - shares[0]]), np.array(shares[1])
    scores = {
        id(table): independence_score(table, ("a", "b"), first, second) for table in TABLES.values()
    }
    found = max(abs(scores[id(one)] - scores[id(other)]) for one, other in pairs(k))
    # With two columns there is nothing to choose; with three there is, and of the same scores.
    three = nw.Records(a=nw.Counts(1), b=nw.Counts(2), c=nw.Counts(1))
    asked = nw.workloads.Workload.marginals(three, ways=2)
    mst = Mst(three, asked, RunBudget.of(1, rows_per_person=k))
    assert {2 * k} == {found} == sensitivities(mst.schedule)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("weight", [1, 4])
@pytest.mark.parametrize("starts", [None, (0, 1), (0, 2)])
@pytest.mark.parametrize("shares", [(0.5, (0.2, 0.3, 0.5)), (0.9, (1.0, 0.0, 0.0))])
def test_the_score_of_a_clique_changes_by_twice_its_weight_and_rows(
    shares: tuple[float, Any], starts: tuple[int, ...] | None, weight: int, k: int
) -> None:
    """Pairs, and the score of a round: whatever the model says, cost and weight are public.

    In joined bins the scores and the counts change by as much.
    """
    model = np.outer([shares[0], 1 - shares[0]], shares[1])
    joined = {} if starts is None else {("a", "b"): {"b": Bins(DOMAIN, ()).join("b", starts)}}
    scores = {
        id(table): score(table, ("a", "b"), model, 3, weight, joined) for table in TABLES.values()
    }
    tables = [
        [add_up(one.counts["a", "b"], ("a", "b"), joined.get(("a", "b"), {})) for one in both]
        for both in pairs(k)
    ]
    assert max(int(np.abs(one - other).sum()) for one, other in tables) == 2 * k
    assert max(int(((one - other) ** 2).sum()) for one, other in tables) == 2 * k**2
    found = max(abs(scores[id(one)] - scores[id(other)]) for one, other in pairs(k))
    four = nw.Records({name: nw.Counts(1) for name in "abcd"})
    asked = [*combinations("abcd", 2)] if weight == 1 else [*combinations("abcd", 2), ("a", "b")]
    workload = nw.workloads.Workload(four, tuple(Marginal(pair) for pair in asked))
    made = ByPoints(four, workload, RunBudget.of(1, rows_per_person=k), (), 30)
    assert {2 * weight * k} == {found} == sensitivities(made.schedule)


def test_the_score_of_a_triple_changes_by_two() -> None:
    """All tables of two rows with three columns, and all their neighbors."""
    three = nw.Records(a=nw.Counts(1), b=nw.Counts(2), c=nw.Counts(1))
    points = list(product(range(2), range(3), range(2)))
    model = np.random.default_rng(1).dirichlet(np.ones(12)).reshape(2, 3, 2)
    scores = {
        rows: score(
            Tallies.of(
                [dict(zip("abc", np.array(rows).T, strict=True))], three, (("a", "b", "c"),)
            ),
            ("a", "b", "c"),
            model,
            0,
            1,
            {},
        )
        for rows in product(points, repeat=2)
    }
    found = max(
        abs(scores[first, second] - scores[other, second])
        for first, second in scores
        for other in points
    )
    assert found == 2


@pytest.mark.parametrize("k", [1, 2])
def test_scores_of_mwem_change_by_twice_the_rows_and_its_queries_by_the_rows(k: int) -> None:
    mwem = Mwem(DOMAIN, WORKLOAD, RunBudget.of(1, rows_per_person=k), 3)
    weights = np.array([[0.1, 0.2, 0.05], [0.3, 0.15, 0.2]])
    names = ("a", "b")
    scores = {
        id(table): mwem._scores(  # pyright: ignore[reportPrivateUsage]
            mwem.targets, names, table.counts[names], weights
        )
        for table in TABLES.values()
    }
    gaps = [np.abs(np.subtract(scores[id(a)], scores[id(b)])) for a, b in pairs(k)]
    assert np.max(gaps, axis=0).tolist()[:3] == [2 * k] * 3
    assert {2 * k} == {int(np.max(gaps))} == sensitivities(mwem.schedule)
    singles = [target for target in mwem.targets if target.cells is not None]
    assert len(singles) == 6
    for target in singles:
        counts = {
            id(t): int(target.counts(marginal_of(t.counts[names], names, target.columns))[0])
            for t in TABLES.values()
        }
        assert max(abs(counts[id(a)] - counts[id(b)]) for a, b in pairs(k)) <= k


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_choice_is_made_for_what_a_person_changes(k: int, delta: float) -> None:
    """Two scores 2k apart: at most e^ε between their chances and those of the scores swapped.

    4,000 choices of a fixed seed with ε = 2 of the choice: the chance is e/(1 + e) = 0.731 for any
    k, and would be 0.95 if k = 3 rows counted as one, 0.62 or 0.88 if ε were half or twice that.
    """
    amount = Fraction(2) if not delta else Fraction(1, 2)
    unit = "rho" if delta else "epsilon"
    whole = RunBudget(nw.accounting.Guarantee(9_000, delta), 4_000 * amount, unit, k)
    it = choosing(whole, "it", amount)
    assert float(it.epsilon) == pytest.approx(2)
    steps = NoisySteps(TABLES[(POINTS[0],) * ROWS], Schedule(whole, (it,) * 4_000), SeededSource(5))
    chosen = [steps.choice(["low", "high"], [0, 2 * k]) for _ in range(4_000)]
    steps.require_done()
    assert chosen.count("high") / 4_000 == pytest.approx(0.731, abs=0.03)


def test_candidates_and_budget_depend_on_the_declared_columns_alone() -> None:
    mst = Mst(DOMAIN, WORKLOAD, RunBudget.of(1))
    spends = {
        tuple(mst.draw(table, 2, source=nw.randomness.SeededSource(1)).spends)
        for table in list(TABLES.values())[::20]
    }
    assert len(spends) == 1
