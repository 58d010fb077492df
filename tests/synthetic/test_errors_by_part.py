"""What is said about errors before a table is made: true of the counts, and not less than of rows.

Seeds are fixed, so there are no false alarms.
"""

from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, NoisewrightError, ParameterError
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.tallies import Tallies

SIZES = {"a": 2, "b": 3, "c": 5, "d": 8}
DOMAIN = nw.Records({name: nw.Counts(size - 1) for name, size in SIZES.items()})
PAIRS = nw.workloads.Workload.marginals(DOMAIN, ways=2)
ROWS = 5_000


def codes() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    made: dict[str, Any] = {}
    before = rng.integers(0, 9, ROWS)
    for name, size in SIZES.items():
        fresh = rng.choice(size, ROWS, p=rng.dirichlet(np.ones(size)))
        made[name] = before = np.where(rng.random(ROWS) < 0.5, fresh, before % size)
    return made


@pytest.mark.parametrize("delta", [0, 1e-9], ids=["epsilon", "rho"])
@pytest.mark.parametrize("method", [Mst, Mwem])
def test_what_is_expected_is_the_error_of_the_noisy_counts_and_rows_are_not_worse(
    method: type[Mst] | type[Mwem], delta: float
) -> None:
    made = method(DOMAIN, PAIRS, RunBudget.of(1, delta))
    expected = {part.columns: part.expected for part in made.predict(ROWS).parts}
    tallies = Tallies.of([codes()], DOMAIN, made.groupings)
    truth = Tallies.of([codes()], DOMAIN, tuple(expected)).counts
    told, noisy, rows = [0.0], [0.0], [0.0]
    for seed in range(12):
        drawn = made.draw(tallies, ROWS, source=nw.randomness.SeededSource(seed))
        own = Tallies.of([drawn.codes], DOMAIN, tuple(expected)).counts
        for one in drawn.measurements:
            told.append(expected[one.columns])
            noisy.append(float(np.abs(one.counts - truth[one.columns]).sum()) / ROWS)
            rows.append(float(np.abs(own[one.columns] - truth[one.columns]).sum()) / ROWS)
    assert sum(noisy) == pytest.approx(sum(told), rel=0.12)
    assert 0.4 * sum(told) < sum(rows) < 1.05 * sum(told)


def test_queries_that_add_up_cells_are_expected_to_gather_their_noise() -> None:
    domain = nw.Records(a=nw.Counts(40))
    prefixes = nw.workloads.Workload.prefixes(domain, "a")
    for delta in (0, 1e-6):
        made = Mst(domain, prefixes, RunBudget.of(0.5, delta))
        part, counts = made.predict(1000).parts
        assert (part.queries, counts.name, counts.in_workload) == (40, "a", False)
        tallies = Tallies.of([{"a": np.zeros(1000, dtype=np.int64)}], domain, made.groupings)
        errors: list[float] = []
        for seed in range(60):
            (one,) = made.draw(tallies, 10, source=nw.randomness.SeededSource(seed)).measurements
            noise = one.counts - tallies.counts["a",]
            # The total is known: its excess is taken off, of which geometric noise here has none.
            assert delta or noise.sum() == 0
            running = np.cumsum(noise - noise.mean())[:-1]
            errors.append(float(np.abs(running).sum()) / 1000)
        assert np.mean(errors) == pytest.approx(part.expected, rel=0.2)


def test_a_prediction_needs_no_data_and_is_what_the_table_carries() -> None:
    spaces = {"a": ["x", "y"], "b": nw.Counts(4), "c": nw.Interval(0, 5, step=1)}
    data = {"a": ["x"] * 300, "b": [1] * 300, "c": [2.0] * 300}
    ways: list[Any] = [("mst", {}), ("mwem", {"rounds": 2}), ("blr", {"rows": 1})]
    for method, more in ways:
        how = nw.planning.Method(method, inference="tree", **more)
        asked: Any = {"epsilon": 1, "method": how}
        before = nw.planning.predict_synthesis(spaces, people=300, **asked)
        import pyarrow as pa

        made = nw.synthesize(pa.table(data), spaces, ledger=None, **asked)
        assert made.expected_error == before.expected == made.errors.expected
        assert before.found is None
        assert made.workload_error == made.errors.found
        kept = {part.name: part.expected for part in made.errors.parts}
        assert kept == {part.name: part.expected for part in before.parts}
        if method == "blr":
            assert (before.parts, before.bound) == ((), before.expected)
            assert "with probability 95%" in str(before)
            continue
        counted = {one.name for one in made.measurements}
        assert {part.name for part in made.errors.parts if part.counted} == counted
        assert all((part.found is not None) == part.counted for part in made.errors.parts)
        assert "depends on the data" in str(before)
        assert "if chosen" in str(before)
        assert "Only 2 of 3 will be counted" in str(before)


def test_parts_that_are_never_counted_together_say_so() -> None:
    triples = nw.workloads.Workload.marginals(DOMAIN, ways=3) + nw.workloads.Workload.conjunctions(
        DOMAIN, [{"a": 0, "b": 1, "c": 2}]
    )
    errors = nw.planning.predict_synthesis(
        workload=triples, people=ROWS, epsilon=1, method=nw.planning.Method(inference="graph")
    )
    asked = [part for part in errors.parts if part.in_workload]
    assert {part.counted for part in asked} == {False}
    assert asked[-1].name == "a=0, b=1, c=2"
    assert 0 < asked[-1].expected < asked[0].expected
    wide = nw.Records(a=nw.Counts(4000), b=nw.Counts(4000), c=nw.Counts(2))
    apart = nw.planning.predict_synthesis(
        wide, people=10**6, epsilon=1, method=nw.planning.Method(bins=None)
    )
    by_name = {part.name: part for part in apart.parts}
    assert by_name["a × b"].counted is False
    assert by_name["a × b"].expected == pytest.approx(2 * by_name["a"].expected)
    assert by_name["a × c"].counted is True
    assert apart.worst(1)[0].expected == max(p.expected for p in apart.parts if p.in_workload)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"plan": DOMAIN, "people": 0, "epsilon": 1}, NoisewrightError),
        ({"plan": DOMAIN, "people": 10}, ParameterError),
        ({"people": 10, "epsilon": 1}, ParameterError),
        ({"plan": DOMAIN, "people": 10, "epsilon": 1, "method": "magic"}, ParameterError),
        ({"plan": 7, "people": 10, "epsilon": 1}, InputError),
    ],
    ids=["nobody", "epsilon", "columns", "method", "plan"],
)
def test_what_cannot_be_predicted_is_refused(
    given: dict[str, Any], error: type[NoisewrightError]
) -> None:
    with pytest.raises(error):
        nw.planning.predict_synthesis(**given)


def test_a_query_that_is_counted_alone_is_compared_alone() -> None:
    wanted = nw.workloads.Workload.marginals(DOMAIN, ways=2) + nw.workloads.Workload.conjunctions(
        DOMAIN, [{"a": 0, "b": 1}]
    )
    made = Mwem(DOMAIN, wanted, RunBudget.of(1), 7)
    tallies = Tallies.of([codes()], DOMAIN, made.groupings)
    drawn = made.draw(tallies, ROWS, source=nw.randomness.SeededSource(1))
    own = Tallies.of([drawn.codes], DOMAIN, tuple({one.columns for one in drawn.measurements}))
    errors = made.predict(ROWS).compare(DOMAIN, wanted, own, drawn.measurements)
    assert [part.in_workload for part in errors.parts] == [True] * 7
    query = next(one for one in drawn.measurements if one.query)
    assert query.cells is not None
    rows = own.counts[query.columns][query.cells].sum()
    assert errors.parts[-1].found == abs(rows / ROWS - query.counts[0] / ROWS)
