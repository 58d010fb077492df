"""What a workload asks for is what is counted: conditions, prefixes, ranges, few columns."""

from fractions import Fraction
from functools import cache
from typing import Any, Literal

import numpy as np
import pytest

import noisewright as nw
from noisewright.sampling import SeededSource
from noisewright.synthetic.by_points.asked_for import AskedFor
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.steps.noise import MARGINAL, QUERY
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Counting
from noisewright.synthetic.tallies import Tallies
from noisewright.synthetic.workloads.counting_queries import Marginal

Workload = nw.workloads.Workload
ROWS = 3_000
SIZES = {"age": 12, "job": 4, "sex": 2, "area": 5, "own": 2}
DOMAIN = nw.Records({name: nw.Counts(size - 1) for name, size in SIZES.items()})
DEFAULT = Workload.marginals(DOMAIN, ways=2)
CONDITIONS = [
    {"age": {"at_most": 5}, "sex": 1, "job": [0, 1]},
    {"age": {"at_least": 4}, "area": [0, 2, 3], "own": 1},
]
KINDS = {
    "two columns": Workload(DOMAIN, (Marginal(("job", "own")),)),
    "three columns": Workload(DOMAIN, (Marginal(("job", "sex", "own")),)),
    "prefixes": Workload.prefixes(DOMAIN, "age"),
    "prefixes of two": Workload.prefixes(DOMAIN, ["age", "area"]),
    "ranges": Workload.ranges(DOMAIN, "age"),
    "listed ranges": Workload.ranges(DOMAIN, "age", [(0, 5), (3, 8)]),
    "conditions": Workload.conjunctions(DOMAIN, CONDITIONS),
}


@cache
def people() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    age, sex = np.minimum(rng.geometric(0.2, ROWS) - 1, 11), rng.integers(0, 2, ROWS)
    job = np.where(rng.random(ROWS) < 0.5, (age // 3 + sex) % 4, rng.integers(0, 4, ROWS))
    area = rng.choice(5, ROWS, p=[0.4, 0.3, 0.1, 0.1, 0.1])
    own = (job + sex) % 2 ^ (rng.random(ROWS) < 0.2)
    return {"age": age, "job": job, "sex": sex, "area": area, "own": own}


def synthesizer(workload: Any, delta: float = 1e-9, epsilon: float = 1) -> ByPoints:
    return ByPoints(DOMAIN, workload, RunBudget.of(epsilon, delta), (), ROWS)


def draw(made: ByPoints, seed: int) -> Any:
    tallies = Tallies.of([people()], DOMAIN, made.groupings)
    return made.draw(tallies, ROWS, source=SeededSource(seed))


def error(workload: Any, codes: Any) -> float:
    own, truth = (
        Tallies.of([each], DOMAIN, workload.groupings).answers(workload)
        for each in (codes, people())
    )
    return float(np.abs(own.shares - truth.shares).mean())


@cache
def by_default(delta: float, seed: int) -> Any:
    return draw(synthesizer(DEFAULT, delta), seed)


@pytest.mark.parametrize("delta", [0, 1e-9])
@pytest.mark.parametrize("kind", KINDS)
def test_a_workload_lowers_its_own_error(kind: str, delta: float) -> None:
    """Means of six runs of fixed seeds.

    Of six such means with other seeds, ratios were 0.05 to 0.63 on average, by kind, and at most
    0.74. Errors were 0.72 to 1.2 times what was predicted, and 0.57 to 1.95 times for one mean.
    """
    made = synthesizer(KINDS[kind], delta)
    own, usual = (
        float(np.mean([error(KINDS[kind], one.codes) for one in each]))
        for each in (
            [draw(made, seed) for seed in range(6)],
            [by_default(delta, seed) for seed in range(6)],
        )
    )
    assert own < 0.9 * usual
    # What was predicted is about the noise, and the fit takes some of it away.
    parts = [part for part in made.predict(ROWS).parts if part.in_workload]
    predicted = sum(part.expected for part in parts) / sum(part.queries for part in parts)
    assert 0.3 < own / predicted < 2.5


@pytest.mark.parametrize("kind", KINDS)
def test_errors_found_stand_beside_those_predicted(kind: str) -> None:
    made = synthesizer(KINDS[kind])
    drawn = draw(made, 1)
    seen = tuple({one.columns: None for one in drawn.measurements})
    own = Tallies.of([drawn.codes], DOMAIN, seen)
    found = made.predict(ROWS).compare(DOMAIN, KINDS[kind], own, drawn.measurements)
    for part in found.parts:
        if part.in_workload:
            assert part.counted
            assert part.found is not None
            # Rows are near the counts that they come from.
            assert part.found < 3 * part.expected + 2 * part.queries / ROWS


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("delta", [0, 1e-9])
def test_conditions_are_certified_as_queries(delta: float, k: int) -> None:
    budget = RunBudget.of(1, delta, rows_per_person=k)
    made = ByPoints(DOMAIN, DEFAULT + KINDS["conditions"], budget, (), ROWS)
    schedule = made.schedule
    assert nw.check(schedule.certificate)
    counts = [step for step in schedule.steps if isinstance(step, Counting)]
    queries = [step for step in counts if step.noises[0].change == QUERY]
    assert [step.what for step in queries] == [
        f"counts of {label}" for label in KINDS["conditions"].labels()
    ]
    drawn = draw(made, 1)
    alone = [one for one in drawn.measurements if one.cells is not None]
    assert [one.noise for one in alone] == [step.noises[0] for step in queries]


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_queries_are_counted_by_themselves_while_that_is_less_noise(
    unit: Literal["epsilon", "rho"],
) -> None:
    """Against the variances of both ways, with the same budget."""
    for k in range(1, 40):
        ends = [(place % 7, place % 7 + 3 + place // 7) for place in range(k)]
        asked = AskedFor(Workload.ranges(DOMAIN, "age", [e for e in ends if e[1] < 12]), unit)
        queries = asked.workload.queries
        budget = RunBudget.of(1, 0 if unit == "epsilon" else 1e-9)
        table, one = (
            budget.noise(budget.total, MARGINAL),
            budget.noise(budget.total / queries, QUERY),
        )
        masks = asked.workload.parts[0].masks((12,))
        sizes = masks.sum(axis=1)
        # On 12 cells geometric noise may add up to 0; the rule takes it as independent.
        by_table = float(np.mean(sizes * (1 - sizes / 12))) * table.deviation**2
        alone = one.deviation**2
        if not 0.9 < alone / by_table < 1.1:
            assert bool(asked.conditions) == (alone < by_table)


def test_workloads_that_ask_alike_for_all_columns_divide_alike() -> None:
    """Pairs, triples, columns and pairs: what decides is how large a table is, as before."""
    for ways in (1, 2, 3, [1, 2]):
        asked = AskedFor(Workload.marginals(DOMAIN, ways=ways), "rho")
        names = list(SIZES)
        assert asked.worth([(name,) for name in names]) == [1.0] * 5
        assert not asked.conditions


def test_a_column_that_nobody_asks_for_gets_little_and_not_nothing() -> None:
    known = synthesizer(KINDS["prefixes"]).division.parts[0]
    whole = sum(known.values(), Fraction(0))
    assert known["age",] > whole / 2
    assert all(0 < known[name,] < whole / 8 for name in SIZES if name != "age")


def test_few_larger_cliques_are_counted_without_a_choice() -> None:
    made = synthesizer(KINDS["three columns"])
    assert made.division.counts_all_larger
    assert not made.division.choices
    assert ("job", "sex", "own") in made.division.parts[0]
    # With too much noise it is not counted at all.
    noisy = ByPoints(DOMAIN, KINDS["three columns"], RunBudget.of(0.1), (), 30)
    assert noisy.noise(("job", "sex", "own")) is None


def test_conditions_on_constants_and_empty_ones_are_no_obstacle() -> None:
    domain = nw.Records({**dict(DOMAIN.columns), "one": nw.Categories(["x"])})
    asked = Workload.conjunctions(
        domain, [{"one": "x"}, {"one": "x", "age": {"at_most": 3}, "job": [0, 1]}]
    )
    made = ByPoints(domain, asked, RunBudget.of(5, 1e-9), (), ROWS)
    codes = {**people(), "one": np.zeros(ROWS, dtype=np.int64)}
    drawn = made.draw(
        Tallies.of([codes], domain, made.groupings), ROWS, source=SeededSource(1)
    ).codes
    inside, truth = (
        float(((each["age"] <= 3) & (each["job"] <= 1)).mean()) for each in (drawn, codes)
    )
    assert inside == pytest.approx(truth, abs=0.01)
