"""Graphs of columns fitted by ourselves: against all distributions, against mbi, and in trouble."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import TooLargeError
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.by_mwem.mwem_on_graph import MwemOnGraph
from noisewright.synthetic.graphs.descent import lowest
from noisewright.synthetic.graphs.graph_fit import fit_graph
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.graphs.tree_model import fit_tree
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL, Noise
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.tallies import Tallies
from noisewright.synthetic.workloads.counting_queries import Marginal
from tests.synthetic.three_columns import (
    BEYOND,
    DOMAIN,
    GROUPS,
    ROWS,
    SHAPE,
    SIZES,
    beyond,
    counted,
    joint_of,
    marginal_of,
    most_even,
    nearest,
    people,
)

NOISY = Noise(Fraction(1, 5), "epsilon", MARGINAL)
SURE = Noise(Fraction(200), "epsilon", MARGINAL)
UNIFORM = GraphModel(SIZES, ())


def unlike() -> list[Measurement]:
    """Not all counts are alike: one of the columns is known much better."""
    seen = counted(people(), NOISY, spread=25)
    seen[1] = Measurement(DOMAIN, ("b",), seen[1].counts, Noise(Fraction(2), "epsilon", 2), ROWS)
    return seen


@pytest.mark.parametrize("start", ["uniform", "tree"])
def test_the_fit_is_the_best_of_all_distributions(start: str) -> None:
    seen = unlike()
    tree = fit_tree(seen[:3], seen[3:5]).as_graph()
    simpler = UNIFORM if start == "uniform" else tree
    found = joint_of(fit_graph(SIZES, seen, simpler))
    pull = 1 / max(one.deviation for one in seen)
    best = nearest(seen, pull=pull, to=joint_of(simpler))
    assert found == pytest.approx(best, abs=1e-3)
    # The right answer is neither where it began nor the same from another beginning.
    assert np.abs(best - joint_of(simpler)).max() > 0.01
    other = tree if start == "uniform" else UNIFORM
    assert np.abs(best - nearest(seen, pull=pull, to=joint_of(other))).max() > 5e-3


def test_pairs_are_about_those_of_least_squares_alone() -> None:
    seen = unlike()
    tree = fit_tree(seen[:3], seen[3:5]).as_graph()
    found, best = joint_of(fit_graph(SIZES, seen, tree)), nearest(seen)
    usual = NOISY.deviation / ROWS
    for names in GROUPS:
        assert marginal_of(found, names) == pytest.approx(marginal_of(best, names), abs=usual)


def test_counts_without_noise_are_reproduced() -> None:
    joint = people()
    for names, model in (("nothing", UNIFORM), ("a tree", None)):
        seen = counted(joint, SURE, spread=0)
        start = model or fit_tree(seen[:3], seen[3:5]).as_graph()
        found = fit_graph(SIZES, seen, start)
        for each in GROUPS:
            told = found.marginal(each) * ROWS
            assert told == pytest.approx(marginal_of(joint, each), abs=1.0), names
    # No pair says all about three columns, and no fit may pretend to know it.
    even = most_even(joint / ROWS)
    assert joint_of(fit_graph(SIZES, seen, UNIFORM)) == pytest.approx(even, abs=2e-3)


def test_mbi_finds_nearly_the_same_from_the_same_counts() -> None:
    """A cycle of four columns; mbi has no simpler model to stay near to, and noise is small."""
    pytest.importorskip("mbi", reason="needs: mbi, of the extra dev")
    from benchmarks.mbi_fit import fit_by_mbi

    rng, rows = np.random.default_rng(3), 20_000
    sizes = {"a": 4, "b": 3, "c": 5, "d": 3}
    domain = nw.Records({name: nw.Counts(size - 1) for name, size in sizes.items()})
    joint = rng.multinomial(rows, rng.dirichlet(np.full(180, 0.3))).reshape(4, 3, 5, 3)
    groups = [*"abcd", "ab", "bc", "dc", "ad"]
    noise, seen = Noise(Fraction(1, 10), "epsilon", MARGINAL), list[Measurement]()
    for each in groups:
        counts = np.einsum(f"abcd->{each}", joint)
        counts = counts + rng.normal(0, noise.deviation, counts.shape).round().astype(np.int64)
        seen.append(Measurement(domain, tuple(each), counts, noise, rows))
    tree = fit_tree(seen[:4], seen[4:7]).as_graph()
    models = [fit_graph(sizes, seen, tree), fit_by_mbi(sizes, seen), tree]
    for each in groups:
        ours, theirs, _ = (one.marginal(tuple(each)) * rows for one in models)
        assert ours == pytest.approx(theirs, abs=noise.deviation)
        assert np.abs(ours - theirs).mean() < 0.5 * noise.deviation
    ours, theirs, trees = (
        sum(
            float(
                np.abs(one.marginal(pair) - np.einsum(f"abcd->{''.join(pair)}", joint) / rows).sum()
            )
            for pair in combinations("abcd", 2)
        )
        for one in models
    )
    assert ours < 1.03 * theirs
    assert ours < 0.9 * trees


def test_no_order_matters() -> None:
    seen = unlike()
    tree = fit_tree(seen[:3], seen[3:5]).as_graph()
    first = fit_graph(SIZES, seen, tree)
    turned = [
        Measurement(DOMAIN, one.columns[::-1], one.counts.T, one.noise, ROWS) for one in seen[::-1]
    ]
    backwards = dict(reversed(SIZES.items()))
    simpler = GraphModel(backwards, tree.potentials)
    second = fit_graph(backwards, turned, simpler)
    for names in GROUPS:
        # Sums are added up in another order; steps are the same.
        assert second.marginal(names) == pytest.approx(first.marginal(names), abs=1e-9)
    again = fit_graph(SIZES, seen, tree)
    for (_, one), (_, other) in zip(first.potentials, again.potentials, strict=True):
        assert np.array_equal(one, other)


def test_a_pair_that_was_counted_twice_counts_twice() -> None:
    """Two counts with one noise are as one count of their mean with half of its variance."""
    seen = counted(people(), NOISY, spread=25)
    more = Measurement(DOMAIN, ("b", "a"), seen[3].counts.T + 8, NOISY, ROWS)
    # ε 1/5 has deviation d; a normal deviation of d / √2 is written as its ρ.
    half = NOISY.deviation**2 / 2
    mean = Noise(Fraction(1 / (half - 1 / 12)), "rho", MARGINAL)
    assert mean.deviation**2 == pytest.approx(half)
    one = Measurement(DOMAIN, ("a", "b"), seen[3].counts + 4, mean, ROWS)
    twice = fit_graph(SIZES, [*seen, more], UNIFORM)
    once = fit_graph(SIZES, [*seen[:3], one, *seen[4:]], UNIFORM)
    assert joint_of(twice) == pytest.approx(joint_of(once), abs=1e-4)


def test_marginals_of_a_fit_agree_with_each_other() -> None:
    seen = counted(people(), NOISY, spread=60)
    found = fit_graph(SIZES, seen, UNIFORM)
    shares = {names: found.marginal(names) for names in GROUPS}
    for names, table in shares.items():
        assert table.sum() == pytest.approx(1)
        assert table.min() >= 0
        for place, name in enumerate(names):
            others = tuple(axis for axis in range(len(names)) if axis != place)
            assert table.sum(axis=others) == pytest.approx(shares[name,], abs=1e-12)


TROUBLE = {
    "all zero": lambda counts: counts * 0,
    "far below zero": lambda counts: counts - 10**9,
    "far above the rows": lambda counts: counts + 10**12,
    "one cell has everything": lambda counts: (
        np.where(np.arange(counts.size) == 0, ROWS, 0).reshape(counts.shape).astype(np.int64)
    ),
    "as large as noise can be": lambda counts: np.where(counts % 2, 1, -1) * (1 << 62),
}


@pytest.mark.parametrize("noise", [NOISY, SURE, Noise(Fraction(1, 10**12), "rho", MARGINAL)])
@pytest.mark.parametrize("trouble", TROUBLE)
def test_whatever_the_counts_are_a_distribution_comes_out(trouble: str, noise: Noise) -> None:
    seen = [
        Measurement(DOMAIN, names, TROUBLE[trouble](marginal_of(people(), names)), noise, ROWS)
        for names in GROUPS
    ]
    tree = fit_tree(seen[:3], seen[3:5]).as_graph()
    joint = joint_of(fit_graph(SIZES, seen, tree))
    assert np.isfinite(joint).all()
    assert joint.sum() == pytest.approx(1)


def test_the_lowest_place_of_a_bent_bowl() -> None:
    """Against SciPy's own: scales from 1 to 10^6, and not quadratic."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(1)
    size = 30
    turn = rng.normal(size=(size, size)) / 6
    scales = 10.0 ** rng.uniform(0, 6, size)

    def bowl(x: np.ndarray) -> tuple[float, np.ndarray]:
        y = turn @ x
        value = float(np.logaddexp(y, -2 * y).sum() + (scales * (x - 1) ** 2).sum() / 2)
        share = 1 / (1 + np.exp(-3 * y))
        return value, turn.T @ (share - 2 * (1 - share)) + scales * (x - 1)

    asked: list[int] = []

    def is_enough(done: int, slope: np.ndarray) -> bool:
        asked.append(done)
        return float(np.abs(slope).max()) < 1e-9

    found = lowest(bowl, np.zeros(size), scales + 1, steps=200, is_enough=is_enough)
    best = minimize(bowl, np.ones(size), jac=True, method="BFGS", options={"gtol": 1e-7})
    assert found == pytest.approx(best.x, abs=1e-6)
    assert asked == list(range(len(asked)))
    assert len(asked) < 60
    assert np.array_equal(
        found, lowest(bowl, np.zeros(size), scales + 1, steps=200, is_enough=is_enough)
    )


def table() -> Any:
    import pyarrow as pa

    cells = np.repeat(np.arange(12), people().reshape(-1))
    return pa.table(dict(zip(SIZES, np.unravel_index(cells, SHAPE), strict=True)))


def synthesized(**more: Any) -> nw.results.Synthesis:
    source = nw.randomness.SeededSource("graph")
    return nw.synthesize(
        table(),
        DOMAIN,
        epsilon=1,
        ledger=None,
        source=source,
        method=nw.planning.Method(inference="graph"),
        **more,
    )


def test_runs_repeat_and_spend_the_whole() -> None:
    told: list[tuple[str, int, int | None]] = []
    first, second = synthesized(progress=lambda *step: told.append(step)), synthesized()
    assert first.table == second.table
    assert first.inference == "graph"
    assert first.how == "mst on a graph"
    assert not first.limits
    assert {frozenset(one.columns) for one in first.measurements[3:]} == {
        frozenset(pair) for pair in combinations(SIZES, 2)
    }
    assert sum((one.amount for one in first.spends), Fraction(0)) == 1
    fits = [step[1] for step in told if step[0] == "fit" and step[2] is not None]
    assert fits == sorted(fits)
    assert len(fits) > 2
    assert fits[-1] == next(step[2] for step in told[::-1] if step[0] == "fit")


def test_what_the_progress_raises_is_raised() -> None:
    """It is how a caller stops a long fit, and no reason to go on with a simpler model."""

    class StopFittingError(Exception):
        pass

    def stop(step: str, done: int, total: int | None, /) -> None:
        if step == "fit" and done == 1:
            raise StopFittingError

    with pytest.raises(StopFittingError):
        synthesized(progress=stop)


def test_a_fit_that_fails_does_not_lose_what_was_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise MemoryError("0.31 of the noisy counts")

    monkeypatch.setattr("noisewright.synthetic.graphs.graph_fit.fit_graph", full)
    made = synthesized()
    assert made.rows == ROWS
    (note,) = made.limits
    assert "MemoryError" in note
    assert "0.31" not in note


@pytest.mark.parametrize("sizes", [(3,), (1,), (1, 1), (2, 1, 3)], ids=str)
def test_few_and_constant_columns(sizes: tuple[int, ...]) -> None:
    import pyarrow as pa

    rng = np.random.default_rng(0)
    names = [f"c{place}" for place in range(len(sizes))]
    columns = {name: [str(v) for v in range(size)] for name, size in zip(names, sizes, strict=True)}
    data = pa.table(
        {name: rng.choice(columns[name], 50) for name in names},
    )
    made = nw.synthesize(
        data,
        columns,
        epsilon=1,
        ledger=None,
        source=nw.randomness.SeededSource(1),
        method=nw.planning.Method(inference="graph"),
    )
    assert made.rows == 50
    assert not made.limits


def test_cycles_among_columns_without_a_way_between_them() -> None:
    """A workload of two parts: cycles in each, and nothing between them."""
    domain = nw.Records({name: nw.Counts(2) for name in "abcxyz"})
    parts = [*combinations("abc", 2), *combinations("xyz", 2)]
    workload = nw.workloads.Workload(domain, tuple(Marginal(pair) for pair in parts))
    rng = np.random.default_rng(4)
    codes = {name: rng.integers(0, 3, 400) for name in "ax"}
    codes |= {"b": codes["a"], "c": (codes["a"] + 1) % 3, "y": codes["x"], "z": codes["x"]}
    mst = Mst(domain, workload, RunBudget.of(20), (), "graph", 400)
    drawn = mst.draw(
        Tallies.of([codes], domain, mst.groupings), 400, source=nw.randomness.SeededSource(2)
    )
    assert mst.edges == 4
    assert mst.more == 2
    assert {frozenset(one.columns) for one in drawn.measurements[6:]} == set(map(frozenset, parts))
    assert (drawn.codes["a"] == drawn.codes["b"]).mean() > 0.9
    assert (drawn.codes["x"] == drawn.codes["z"]).mean() > 0.9


def test_rounds_go_beyond_a_million_points() -> None:
    """128³ points: two pairs make a path, and the third would make a cycle."""
    domain, codes = BEYOND, beyond()
    workload = nw.workloads.Workload.marginals(domain, ways=2)
    with pytest.raises(TooLargeError, match="inference='graph'"):
        Mwem(domain, workload, RunBudget.of(1), 3)
    made = MwemOnGraph(domain, workload, RunBudget.of(20), 3)
    steps = made.draw(
        Tallies.of([codes], domain, made.groupings), 3000, source=nw.randomness.SeededSource(7)
    )
    first, second, third = (one.columns for one in steps.measurements)
    assert first != second
    assert third in (first, second)
    assert sum((one.amount for one in steps.spends), Fraction(0)) == 20
    own = Tallies.of([steps.codes], domain, [first, second]).counts
    truth = Tallies.of([codes], domain, [first, second]).counts
    for names in (first, second):
        # Most rows lie where the 128 true cells of 16,384 are.
        assert own[names][truth[names] > 0].sum() > 2_700
    assert not steps.notes
