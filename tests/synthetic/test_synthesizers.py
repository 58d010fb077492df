"""MST and MWEM from the inside: the noise on their counts is what they are accounted for."""

import math
from fractions import Fraction

import numpy as np
import pytest

import noisewright as nw
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.tallies import Tallies

SIDE = 150
WIDE = nw.Records(a=nw.Counts(SIDE - 1), b=nw.Counts(SIDE - 1))


def wide_tallies(rows: int = 30_000) -> Tallies:
    rng = np.random.default_rng(3)
    a = rng.integers(0, SIDE, rows)
    codes = {"a": a, "b": (a + rng.integers(0, 9, rows)) % SIDE}
    return Tallies.of([codes], WIDE, (("a",), ("b",), ("a", "b")))


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("method", [Mst, Mwem])
def test_the_noise_on_counts_is_that_of_replacing_one_row(
    method: type[Mst] | type[Mwem], delta: float
) -> None:
    """22,500 cells of a fixed seed: a deviation is known to 2%, and √2 times it is another one.

    The part of the pair is taken from the spends, not from the measurement, and the scale from the
    textbook: e^-ε per change of 2 in L1, or ρ = 2 / (2 s²) for a change of √2 in L2.
    """
    tallies = wide_tallies()
    workload = nw.workloads.Workload.marginals(WIDE, ways=2)
    drawn = method(WIDE, workload, RunBudget.of(1, delta)).draw(
        tallies, 100, source=nw.randomness.SeededSource("wide")
    )
    pair = drawn.measurements[-1]
    noise = pair.counts - tallies.counts["a", "b"]
    (amount,) = [float(s.amount) for s in drawn.spends if s.what == "counts of a × b"]
    if delta:
        wanted = math.sqrt(1 / amount + 1 / 12)
    else:
        ratio = math.exp(-amount / 2)
        wanted = math.sqrt(2 * ratio) / (1 - ratio)
    assert np.std(noise) == pytest.approx(wanted, rel=0.03)
    assert abs(np.mean(noise)) < 5 * wanted / SIDE
    assert (
        sum((spend.amount for spend in drawn.spends), Fraction(0)) == RunBudget.of(1, delta).total
    )


def chain(rows: int) -> tuple[nw.Records, dict[str, np.ndarray]]:
    """Five columns, each a noisy copy of the one before: the tree is a path."""
    rng = np.random.default_rng(9)
    codes = {"c0": rng.integers(0, 4, rows)}
    for place in range(1, 5):
        before = codes[f"c{place - 1}"]
        codes[f"c{place}"] = np.where(rng.random(rows) < 0.25, rng.integers(0, 4, rows), before)
    return nw.Records({name: nw.Counts(3) for name in codes}), codes


def test_the_tree_is_found() -> None:
    domain, codes = chain(20_000)
    mst = Mst(domain, nw.workloads.Workload.marginals(domain, ways=2), RunBudget.of(1, 1e-9))
    tallies = Tallies.of([codes], domain, mst.groupings)
    drawn = mst.draw(tallies, 20_000, source=nw.randomness.SeededSource(2))
    pairs = {one.columns for one in drawn.measurements if len(one.columns) == 2}
    assert pairs == {("c0", "c1"), ("c1", "c2"), ("c2", "c3"), ("c3", "c4")}


@pytest.mark.parametrize("method", [Mst, Mwem])
def test_more_epsilon_is_less_error_and_much_is_next_to_none(
    method: type[Mst] | type[Mwem],
) -> None:
    domain, codes = chain(20_000)
    workload = nw.workloads.Workload.marginals(domain, ways=2)
    truth = Tallies.of([codes], domain, workload.groupings).answers(workload)
    errors: list[float] = []
    for epsilon in (0.05, 1, 1000):
        made = method(domain, workload, RunBudget.of(epsilon))
        tallies = Tallies.of([codes], domain, made.groupings)
        drawn = made.draw(tallies, 20_000, source=nw.randomness.SeededSource(4))
        own = Tallies.of([drawn.codes], domain, workload.groupings).answers(workload)
        errors.append(own.distance(truth).l1)
        assert made.predict(20_000).expected >= 0
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02


def test_rows_may_be_far_more_or_fewer_than_there_were() -> None:
    domain, codes = chain(50)
    mst = Mst(domain, nw.workloads.Workload.marginals(domain, ways=2), RunBudget.of(1))
    tallies = Tallies.of([codes], domain, mst.groupings)
    for rows in (1, 5_000):
        drawn = mst.draw(tallies, rows, source=nw.randomness.SeededSource(1))
        assert {len(column) for column in drawn.codes.values()} == {rows}
        assert all(0 <= column.min() <= column.max() <= 3 for column in drawn.codes.values())


def test_one_column_and_one_point_are_tables_too() -> None:
    for domain in (nw.Records(a=nw.Counts(3)), nw.Records(a=nw.Categories(["x"]), b=nw.Counts(1))):
        names = [name for name, _ in domain.columns]
        workload = nw.workloads.Workload.marginals(domain, ways=len(names))
        codes = {name: np.zeros(9, dtype=np.int64) for name in names}
        for method in (Mst, Mwem):
            made = method(domain, workload, RunBudget.of(1))
            drawn = made.draw(Tallies.of([codes], domain, made.groupings), 7)
            assert sum((s.amount for s in drawn.spends), Fraction(0)) == 1
            assert {len(column) for column in drawn.codes.values()} == {7}
