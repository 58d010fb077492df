"""Pairs that are screened: distances from a model, what they change by, what is counted."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ParameterError
from noisewright.sampling import SeededSource
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.by_points.screening import (
    allot,
    noise_in,
    part_above_noise,
    shrink,
)
from noisewright.synthetic.graphs.forest import spanning_forest
from noisewright.synthetic.steps.noise import QUERY
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Choosing, Comparing, Counting, Schedule, comparing
from noisewright.synthetic.tallies import Tallies

Workload = nw.workloads.Workload
NAMES = "abcdefg"
DOMAIN = nw.Records({name: nw.Counts(4) for name in NAMES})
PAIRS = Workload.marginals(DOMAIN, ways=2)
ROWS, BUDGET = 6_000, RunBudget.of(2, 1e-9)


def chain() -> dict[str, Any]:
    """Each column is equal to the one before in 60% of the rows."""
    rng = np.random.default_rng(1)
    codes = {"a": rng.integers(0, 5, ROWS)}
    for first, second in pairwise(NAMES):
        other = rng.integers(0, 5, ROWS)
        codes[second] = np.where(rng.random(ROWS) < 0.6, codes[first], other)
    return codes


def synthesizer(budget: RunBudget = BUDGET, rows: int = ROWS) -> ByPoints:
    return ByPoints(DOMAIN, PAIRS, budget, (), rows)


def draw(made: ByPoints | Mst, codes: dict[str, Any], seed: int) -> Any:
    tallies = Tallies.of([codes], made.domain, made.groupings)
    return made.draw(tallies, len(codes["a"]), source=SeededSource(seed))


def error(codes: dict[str, Any], made: Any) -> float:
    own, truth = (
        Tallies.of([each], DOMAIN, PAIRS.groupings).answers(PAIRS) for each in (made, codes)
    )
    return own.distance(truth).l1


def test_public_facts_decide_whether_pairs_are_screened() -> None:
    assert synthesizer().division.screens
    much, little = synthesizer(rows=10**7).division, synthesizer(rows=600).division
    assert much.counts_all_pairs
    assert little.chosen_pairs
    assert not much.screens
    assert not little.screens
    # Parts of ε add up as they are: so many numbers would cost too much.
    assert not synthesizer(RunBudget.of(2)).division.screens
    bits = nw.Records({name: nw.Counts(1) for name in NAMES})
    for rows in (600, 6_000, 60_000, 10**7):
        small = ByPoints(bits, Workload.marginals(bits, ways=2), BUDGET, (), rows)
        assert not small.division.screens
    three = nw.Records({name: nw.Counts(9) for name in "abc"})
    assert not ByPoints(three, Workload.marginals(three, ways=2), BUDGET, (), ROWS).division.screens


def test_the_steps_are_certified_before_any_data() -> None:
    made = synthesizer()
    steps = made.schedule.steps
    assert sum((step.amount for step in steps), Fraction(0)) == BUDGET.total
    assert nw.check(made.schedule.certificate)
    distances = [step for step in steps if isinstance(step, Comparing)]
    counts = [step for step in steps if isinstance(step, Counting)]
    assert not any(isinstance(step, Choosing) for step in steps)
    assert len(distances) == 2 * len(made.pairs)
    assert len(counts) == len(NAMES) + len(made.pairs)
    assert {step.noise.change for step in distances} == {QUERY}
    assert len({step.what for step in steps}) == len(steps)


def test_a_certificate_with_less_noise_on_a_distance_is_refused() -> None:
    proof = synthesizer().schedule.certificate
    text = proof.to_json()
    steps = proof.document["mechanism"]["steps"]
    (noise,) = next(step for step in steps if step["what"].startswith("distance"))["noise"]
    assert noise["counts"] == "query"
    less = str(Fraction(noise["deviation"]) * Fraction(99, 100))
    forged = text.replace(f'"{noise["deviation"]}"', f'"{less}"')
    assert forged != text
    assert not nw.check(forged)


def test_what_is_spent_does_not_depend_on_the_data() -> None:
    made = synthesizer()
    others = {name: np.zeros(ROWS, dtype=np.int64) for name in NAMES}
    found = [draw(made, codes, 1) for codes in (chain(), others)]
    amounts = [[one.amount for one in each.spends] for each in found]
    assert amounts[0] == amounts[1] == [step.amount for step in made.schedule.steps]
    assert {one.columns for one in found[0].comparisons} == set(made.pairs)


@pytest.mark.parametrize("k", [1, 2])
def test_a_person_changes_a_distance_by_their_rows_at_most(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tables of three rows over two columns, against several models, and all neighbors."""
    domain = nw.Records(a=nw.Counts(1), b=nw.Counts(2))
    budget = RunBudget.of(1, 1e-6, rows_per_person=k)
    step = comparing(budget, "ab", 1, budget.total)
    monkeypatch.setattr(
        "noisewright.synthetic.steps.noisy_steps.add_noise", lambda counts, *_: counts
    )
    points = list(product(range(2), range(3)))
    rng = np.random.default_rng(2)
    models = [np.full((2, 3), 1 / 6), np.zeros((2, 3)), *rng.dirichlet(np.ones(6), 6)]
    largest = 0
    for model in models:
        found: dict[Any, int] = {}
        for rows in product(points, repeat=3):
            codes = dict(zip("ab", np.array(rows).T, strict=True))
            tallies = Tallies.of([codes], domain, [("a", "b")])
            steps = NoisySteps(tallies, Schedule(budget, (step,)), None)
            found[rows] = steps.distance(("a", "b"), np.reshape(model, (2, 3)))
        for rows, others in product(found, found):
            if rows[k:] == others[k:]:
                largest = max(largest, abs(found[rows] - found[others]))
    assert largest == k * step.noise.change == k


def test_a_distance_has_the_noise_of_its_step() -> None:
    """4,000 draws of one step: their deviation is off by 5% with a chance of 1 in 100,000."""
    budget = RunBudget.of(1, 1e-6)
    step = comparing(budget, "ab", 1, budget.total)
    tallies = Tallies.of([chain()], DOMAIN, [("a", "b")])
    schedule, even = Schedule(budget, (step,)), np.full((5, 5), 1 / 25)
    drawn = [
        NoisySteps(tallies, schedule, SeededSource(seed)).distance(("a", "b"), even)
        for seed in range(4_000)
    ]
    apart = np.maximum(tallies.counts["a", "b"] - ROWS // 25, 0).sum()
    assert abs(np.mean(drawn) - apart) < 4.5 * step.noise.deviation / math.sqrt(4_000)
    assert 0.95 < np.std(drawn) / step.noise.deviation < 1.05


def test_a_distance_is_refused_where_a_count_is_next() -> None:
    made = synthesizer()
    steps = NoisySteps(
        Tallies.of([chain()], DOMAIN, made.groupings), made.schedule, SeededSource(1)
    )
    with pytest.raises(ParameterError, match="comparing is not what was certified as step 1"):
        steps.distance(("a", "b"), np.full((5, 5), 1 / 25))


def test_slots_go_where_errors_are_expected_to_be_least() -> None:
    """By trying all ways to divide five slots among four tables."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        distances, noises = rng.exponential(1, 4) * rng.integers(0, 2, 4), rng.exponential(1, 4)
        weights = rng.integers(1, 5, 4).tolist()

        def expected(counts: Any, d: Any = distances, s: Any = noises, w: Any = weights) -> float:
            left = (np.maximum(d, 1e-9) ** -2 + np.array(counts) * s**-2) ** -0.5
            return float((w * left).sum())

        every = (c for c in product(range(6), repeat=4) if sum(c) == 5)
        found = allot(distances, noises, weights, 5)
        assert sum(found) == 5
        assert expected(found) == pytest.approx(min(map(expected, every)), rel=1e-9)


def test_slots_that_gain_nothing_go_to_all_tables_alike() -> None:
    assert allot(np.zeros(4), np.ones(4), [1, 1, 1, 1], 10) == [3, 3, 2, 2]


def test_rows_in_cells_below_noise_do_not_tell_a_distance() -> None:
    assert part_above_noise(np.array([20.0, 30.0]), 10.0) == 1
    assert part_above_noise(np.array([5.0, 5.0]), 10.0) == pytest.approx(0.5)
    assert part_above_noise(np.array([5.0, 15.0, 0.0]), 10.0) == pytest.approx(0.875)
    assert part_above_noise(np.zeros(3), 10.0) == 0
    assert part_above_noise(np.array([0.0, 1.0]), 0.0) == 1


def survey() -> tuple[dict[str, Any], nw.Records]:
    """Few columns are linked; of two with many values each cell has fewer rows than noise."""
    rng = np.random.default_rng(5)
    job = rng.integers(0, 5, ROWS)
    codes = {
        "job": job,
        "pay": np.clip((rng.gamma(3, 4, ROWS) * np.where(job == 2, 0.7, 1)).astype(int), 0, 31),
        "day": rng.integers(0, 32, ROWS),
        "age": rng.integers(0, 26, ROWS),
        "smokes": (rng.random(ROWS) < np.where(job == 2, 0.5, 0.15)).astype(int),
        **{f"likes {n}": (rng.random(ROWS) < 0.4).astype(int) for n in range(4)},
    }
    return codes, nw.Records({n: nw.Counts(int(c.max())) for n, c in codes.items()})


def test_pairs_that_noise_drowns_are_not_counted_again_and_again() -> None:
    """Where distances alone decided, they had 16 to 20 of the 36 counts, which told nothing."""
    codes, domain = survey()
    made = ByPoints(domain, Workload.marginals(domain, ways=2), RunBudget.of(3, 1e-9), (), ROWS)
    assert made.division.screens
    tallies = Tallies.of([codes], domain, made.groupings)
    for seed in range(4):
        counted = made.draw(tallies, ROWS, source=SeededSource(seed)).measurements
        pairs = [frozenset(one.columns) for one in counted if len(one.columns) == 2]
        assert frozenset(("job", "smokes")) in pairs
        assert sum(pairs.count(frozenset(p)) for p in combinations(("pay", "day", "age"), 2)) <= 2


def test_what_noise_adds_is_taken_away() -> None:
    assert shrink(np.array([0.0, -9.0, 1.0]), 1.0).tolist() == [0, 0, 0]
    assert shrink(np.array([1e6]), 1.0) == pytest.approx(1e6)
    assert noise_in(np.array([0.0, 1.0, 100.0]), 5.0) == 6.0


def test_a_forest_joins_what_pairs_connect() -> None:
    assert spanning_forest([("a", "b"), ("b", "c"), ("a", "c"), ("d", "e")]) == [
        ("a", "b"),
        ("b", "c"),
        ("d", "e"),
    ]
    assert len(spanning_forest(combinations(NAMES, 2))) == len(NAMES) - 1
    assert spanning_forest([]) == []


def test_counts_go_to_the_pairs_that_explain_the_others() -> None:
    codes, made = chain(), synthesizer()
    links = set(pairwise(NAMES))
    counted = [
        one.columns
        for seed in range(3)
        for one in draw(made, codes, seed).measurements
        if len(one.columns) == 2
    ]
    assert len(counted) == 3 * len(made.pairs)
    assert all(counted.count(pair) >= 3 for pair in links)
    assert sum(pair in links for pair in counted) > len(counted) / 2


def test_a_chain_is_no_worse_than_by_a_graph() -> None:
    """Means of six runs of fixed seeds; runs of one kind differ by some 10%."""
    codes = chain()
    ways: list[ByPoints | Mst] = [synthesizer(), Mst(DOMAIN, PAIRS, BUDGET, (), "graph", ROWS)]
    points, graph = (
        np.mean([error(codes, draw(made, codes, seed).codes) for seed in range(6)]) for made in ways
    )
    assert points <= 1.15 * graph
