"""Cliques chosen in rounds, and weights of points: steps that are certified, and what they make."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.sampling import SeededSource
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_points.by_points import ByPoints
from noisewright.synthetic.by_points.choose_cliques import clique_weights, most_linked
from noisewright.synthetic.steps.measurement import Measurement, add_noise
from noisewright.synthetic.steps.noise import MARGINAL, Noise
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Choosing, Counting
from noisewright.synthetic.tallies import Tallies
from noisewright.synthetic.workloads.counting_queries import Marginal

Workload = nw.workloads.Workload
NAMES = "abcdef"
DOMAIN = nw.Records({name: nw.Counts(2) for name in NAMES})
PAIRS, TRIPLES = (Workload.marginals(DOMAIN, ways=ways) for ways in (2, 3))
BUDGETS = [(1, 0), (1, 1e-9), (20, 0), (20, 1e-9)]


def people(rows: int) -> dict[str, Any]:
    """Six columns, each but the first two nearly the sum of the two before it."""
    rng = np.random.default_rng(5)
    codes = {"a": rng.integers(0, 3, rows), "b": rng.integers(0, 3, rows)}
    for first, second, name in zip(NAMES, NAMES[1:], NAMES[2:], strict=False):
        changed = rng.integers(0, 3, rows) * (rng.random(rows) < 0.2)
        codes[name] = (codes[first] + codes[second] + changed) % 3
    return codes


def draw(made: ByPoints | Mst, codes: dict[str, Any], seed: int = 1) -> Any:
    rows = len(codes["a"])
    return made.draw(
        Tallies.of([codes], made.domain, made.groupings), rows, source=SeededSource(seed)
    )


def distance(workload: Any, codes: dict[str, Any], made: Any) -> float:
    own, truth = (
        Tallies.of([each], workload.domain, workload.groupings).answers(workload)
        for each in (made, codes)
    )
    return own.distance(truth).l1


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
@pytest.mark.parametrize("workload", [PAIRS, TRIPLES], ids=["pairs", "triples"])
@pytest.mark.parametrize("rows", [30, 3_000, 10**6])
def test_the_steps_are_certified_before_any_data(
    workload: Any, epsilon: float, delta: float, rows: int
) -> None:
    """Their number and their parts follow from public facts, and add up to the whole, exactly."""
    budget = RunBudget.of(epsilon, delta)
    made = ByPoints(DOMAIN, workload, budget, (), rows)
    schedule = made.schedule
    assert sum((step.amount for step in schedule.steps), Fraction(0)) == budget.total
    assert nw.check(schedule.certificate)
    choices = [step for step in schedule.steps if isinstance(step, Choosing)]
    assert len(choices) == made.division.choices
    again = ByPoints(DOMAIN, workload, budget, (), rows)
    assert again.schedule.certificate.to_json() == schedule.certificate.to_json()


def test_all_pairs_are_counted_where_noise_is_small_and_some_where_it_is_not() -> None:
    few, many = (ByPoints(DOMAIN, PAIRS, RunBudget.of(1, 1e-9), (), n) for n in (300, 10**6))
    assert not few.division.counts_all_pairs
    assert len(NAMES) - 1 <= few.division.chosen_pairs < len(few.pairs)
    assert many.division.counts_all_pairs
    assert many.division.choices == 0
    counts = [step for step in many.schedule.steps if isinstance(step, Counting)]
    assert len(counts) == len(NAMES) + len(many.pairs)


@pytest.mark.parametrize("delta", [0, 1e-9])
def test_nothing_is_spent_on_a_choice_of_one(delta: float) -> None:
    """Two columns have one pair, however much noise there is."""
    two = nw.Records({name: nw.Counts(9) for name in "ab"})
    made = ByPoints(two, Workload.marginals(two, ways=2), RunBudget.of(0.1, delta), (), 20)
    assert made.division.counts_all_pairs
    assert made.division.choices == 0


def test_what_is_spent_does_not_depend_on_the_data() -> None:
    made = ByPoints(DOMAIN, PAIRS, RunBudget.of(1, 1e-9), (), 200)
    assert made.division.chosen_pairs
    tables = [people(200), {name: np.zeros(200, dtype=np.int64) for name in NAMES}]
    found = [draw(made, codes) for codes in tables]
    amounts = [[one.amount for one in each.spends] for each in found]
    assert amounts[0] == amounts[1] == [step.amount for step in made.schedule.steps]
    # What was counted is what was scheduled, with the noise of the certificate.
    steps = [step for step in made.schedule.steps if isinstance(step, Counting)]
    for step, one in zip(steps, found[0].measurements, strict=True):
        assert one.noise.amount == step.amount


def test_a_link_of_three_columns_is_found_if_the_workload_asks_for_it() -> None:
    """c = a + b modulo 3: every pair is independent, and only the triple tells."""
    rng = np.random.default_rng(2)
    domain = nw.Records({name: nw.Counts(2) for name in "abcd"})
    codes = {name: rng.integers(0, 3, 4_000) for name in "abd"}
    codes["c"] = (codes["a"] + codes["b"]) % 3
    kept: list[float] = []
    for ways in (2, 3):
        made = ByPoints(
            domain, Workload.marginals(domain, ways=ways), RunBudget.of(5, 1e-9), (), 4_000
        )
        drawn = draw(made, codes)
        own = drawn.codes
        kept.append(float(((own["a"] + own["b"]) % 3 == own["c"]).mean()))
        counted = {frozenset(one.columns) for one in drawn.measurements}
        assert (frozenset("abc") in counted) == (ways == 3)
    assert kept[0] < 0.5 < 0.9 < kept[1]


@pytest.mark.parametrize("delta", [0, 1e-9])
@pytest.mark.parametrize("epsilon", [0.3, 3])
def test_it_is_no_worse_than_a_graph(epsilon: float, delta: float) -> None:
    """Means of four runs of fixed seeds; runs of one kind differ by some 5%."""
    codes = people(4_000)
    budget = RunBudget.of(epsilon, delta)
    ways: list[ByPoints | Mst] = [
        ByPoints(DOMAIN, PAIRS, budget, (), 4_000),
        Mst(DOMAIN, PAIRS, budget, (), "graph", 4_000),
    ]
    points, graph = (
        np.mean([distance(PAIRS, codes, draw(made, codes, seed).codes) for seed in range(4)])
        for made in ways
    )
    assert points <= 1.1 * graph


def test_rows_are_as_many_as_asked_for_and_constants_stay() -> None:
    domain = nw.Records({"one": nw.Categories(["x"]), "a": nw.Counts(2), "b": nw.Counts(1)})
    codes = {name: people(50)["a"] % size for name, size in (("one", 1), ("a", 3), ("b", 2))}
    workload = Workload.marginals(domain, ways=2)
    made = ByPoints(domain, workload, RunBudget.of(1), (), 50)
    tallies = Tallies.of([codes], domain, made.groupings)
    drawn = made.draw(tallies, 7, source=SeededSource(1))
    assert {len(column) for column in drawn.codes.values()} == {7}
    assert not drawn.codes["one"].any()


def test_weights_say_in_how_many_parts_a_clique_is() -> None:
    pairs = list(combinations("abc", 2))
    assert set(clique_weights(pairs, pairs).values()) == {1}
    parts = [("a", "b"), ("a", "b"), ("a", "b", "c"), ("b", "c")]
    assert clique_weights(parts, pairs) == {("a", "b"): 4, ("a", "c"): 2, ("b", "c"): 3}


def test_choices_are_made_for_the_largest_weight() -> None:
    """Pairs that several parts ask for score more, and move more."""
    parts = (Marginal(("a", "b")), Marginal(("a", "b", "c")), *PAIRS.parts)
    made = ByPoints(DOMAIN, Workload(DOMAIN, parts), RunBudget.of(1, rows_per_person=3), (), 300)
    choices = [step for step in made.schedule.steps if isinstance(step, Choosing)]
    assert choices
    assert {step.sensitivity for step in choices} == {2 * 4 * 3}
    assert nw.check(made.schedule.certificate)


@pytest.mark.parametrize("rows", [200, 4_000])
def test_a_fit_that_fails_is_no_run_that_fails(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise MemoryError("about counts")

    monkeypatch.setattr("noisewright.synthetic.by_points.rounds.tilt_points", full)
    drawn = draw(ByPoints(DOMAIN, PAIRS, RunBudget.of(1, 1e-9), (), rows), people(rows))
    (note,) = drawn.notes
    assert "MemoryError" in note
    assert "about counts" not in note
    assert {len(column) for column in drawn.codes.values()} == {rows}


def test_what_stops_the_work_is_raised() -> None:
    class StopError(Exception):
        pass

    def progress(step: str, done: int, total: int | None, /) -> None:
        if step == "fit":
            raise StopError

    made = ByPoints(DOMAIN, PAIRS, RunBudget.of(1, 1e-9), (), 400)
    tallies = Tallies.of([people(400)], DOMAIN, made.groupings)
    with pytest.raises(StopError):
        made.draw(tallies, 400, source=SeededSource(1), progress=progress)


def test_a_prediction_follows_the_workload() -> None:
    """Of many rows, triples are counted if asked for; each part says whether it will be."""
    for workload, few in ((PAIRS, True), (TRIPLES, None)):
        made = ByPoints(DOMAIN, workload, RunBudget.of(10, 1e-9), (), 10**5)
        errors = made.predict(10**5)
        assert {part.counted for part in errors.parts if part.in_workload} == {few}
    poor = ByPoints(DOMAIN, TRIPLES, RunBudget.of(0.1, 1e-9), (), 1_000).predict(1_000)
    assert {part.counted for part in poor.parts if part.in_workload} == {False}


def test_very_many_columns_are_fitted_by_a_graph() -> None:
    """What is declared decides it, and not the data."""
    columns = {f"c{n}": [0, 1] for n in range(120)}
    rng = np.random.default_rng(1)
    data = {name: rng.integers(0, 2, 60).tolist() for name in columns}
    made = nw.synthesize(data, columns, epsilon=1, ledger=None, source=SeededSource(1))
    assert made.inference == "graph"
    few = list(columns)[:5]
    made = nw.synthesize(
        {name: data[name] for name in few},
        {name: columns[name] for name in few},
        epsilon=1,
        ledger=None,
        source=SeededSource(1),
    )
    assert made.inference == "points"


@pytest.mark.parametrize("delta", [0, 1e-9])
def test_the_most_linked_pair_is_found_through_noise(delta: float) -> None:
    """One of three columns follows a number; noise has a deviation of less than 60 of 10,000 rows.

    The link is 5,000 rows in L1, and 48 cells of noise differ by some hundred: never a false alarm.
    """
    rng = np.random.default_rng(4)
    number = rng.integers(0, 8, 10_000)
    codes = {"number": number, "none": rng.integers(0, 2, 10_000)}
    codes |= {"linked": (number > 3) ^ (rng.random(10_000) < 0.1)}
    codes |= {"large": rng.integers(0, 6, 10_000)}
    sizes = {"number": 8, "none": 2, "linked": 2, "large": 6}
    domain = nw.Records({name: nw.Counts(size - 1) for name, size in sizes.items()})
    pairs = [("number", name) for name in ("none", "linked", "large")]
    tallies = Tallies.of([codes], domain, pairs)
    noise = Noise(Fraction(1, 20) if not delta else Fraction(1, 1000), "epsilon", MARGINAL)
    noise = replace(noise, unit="rho") if delta else noise
    seen = [
        Measurement(domain, pair[::-1], add_noise(counts.T, noise, None), noise, 10_000)
        for pair, counts in tallies.counts.items()
    ]
    assert most_linked(seen, pairs) == ("number", "linked")


def test_a_large_pair_is_chosen_for_its_link_though_most_of_its_cells_are_below_noise() -> None:
    """Noise was charged in all of 900 cells, so that two columns nine tenths alike came last."""
    rng, rows = np.random.default_rng(1), 20_000
    sizes = {"code": 30, "town": 30, **{f"c{n}": 6 for n in range(6)}}
    spaces = {
        name: nw.Categories([f"{name} {n}" for n in range(size)]) for name, size in sizes.items()
    }
    domain = nw.Records(spaces)
    codes = {name: rng.integers(0, size, rows) for name, size in sizes.items()}
    codes["town"] = np.where(rng.random(rows) < 0.9, codes["code"], codes["town"])
    pairs = Workload.marginals(domain, ways=2)
    made = ByPoints(domain, pairs, RunBudget.of(0.3, 1e-9), (), rows)
    assert made.division.chosen_pairs
    assert not made.division.chooses_few
    tallies = Tallies.of([codes], domain, made.groupings)
    for seed in range(3):
        counted = made.draw(tallies, rows, source=SeededSource(seed)).measurements
        first = next(one.columns for one in counted if len(one.columns) == 2)
        assert first == ("code", "town")
