"""Fits by mbi against other ways to the same answer; what happens without it, or when it fails."""

import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ParameterError, TooLargeError
from noisewright.synthetic.by_mbi import fitted_by_mbi, require_mbi
from noisewright.synthetic.by_mst.mst import Mst, gap_score
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.by_mwem.mwem_on_graph import MwemOnGraph, scale_tables
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.run_budget import MARGINAL, Noise, RunBudget
from noisewright.synthetic.tallies import Tallies
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

WORKLOAD = nw.Workload.marginals(DOMAIN, ways=2)

pytest.importorskip("jax", reason="needs: the extra mbi")


def test_the_fit_is_the_nearest_and_then_the_most_even() -> None:
    """Least squares decide the pairs; the entropy decides what no pair tells."""
    seen = counted(people(), Noise(Fraction(1, 5), "epsilon", MARGINAL), spread=25)
    # Not all counts are alike: one of the columns is known much better.
    seen[1] = Measurement(DOMAIN, ("b",), seen[1].counts, Noise(Fraction(2), "epsilon", 2), ROWS)
    told: list[tuple[str, int, int | None]] = []
    found = joint_of(fitted_by_mbi(SIZES, seen, progress=lambda *step: told.append(step)))
    best = nearest(seen)
    for names in GROUPS:
        assert marginal_of(found, names) == pytest.approx(marginal_of(best, names), abs=1e-3)
    assert found == pytest.approx(most_even(best), abs=1e-3)
    # The right answer is not the noisy one, nor the same without weights.
    assert np.abs(marginal_of(best, ("a", "b")) - seen[3].counts / ROWS).max() > 5e-3
    assert (
        np.abs(marginal_of(best, ("b",)) - marginal_of(nearest(seen[:1] + seen[2:]), ("b",))).max()
        > 2e-3
    )
    assert told[0][:2] == ("fit", 0)
    assert [step[1] for step in told] == sorted({step[1] for step in told})


def test_counts_without_noise_are_reproduced() -> None:
    joint = people()
    exact = Noise(Fraction(200), "epsilon", MARGINAL)
    found = fitted_by_mbi(SIZES, counted(joint, exact, spread=0))
    for names in GROUPS:
        assert found.marginal(names) * ROWS == pytest.approx(marginal_of(joint, names), abs=0.5)
    # No pair says all about three columns, and no fit may pretend to know it.
    assert np.abs(joint_of(found) * ROWS - most_even(joint / ROWS) * ROWS).max() < 0.5


def table() -> Any:
    import pyarrow as pa

    cells = np.repeat(np.arange(12), people().reshape(-1))
    return pa.table(dict(zip(SIZES, np.unravel_index(cells, SHAPE), strict=True)))


def synthesized(**more: Any) -> nw.results.Synthesis:
    source = nw.SeededSource("mbi")
    return nw.synthesize(table(), DOMAIN, epsilon=1, ledger=None, source=source, **more)


def test_runs_repeat_and_promise_what_a_tree_promises() -> None:
    import jax

    before = jax.numpy.zeros(1).dtype
    tree, *graphs = (synthesized(inference=how) for how in ("tree", "mbi", "mbi"))
    assert graphs[0].table == graphs[1].table
    assert graphs[0].table.schema == tree.table.schema
    assert not graphs[0].notes
    for made in graphs:
        assert (made.guarantee, made.spent, made.neighbors) == (
            tree.guarantee,
            tree.spent,
            tree.neighbors,
        )
        # The tree spends a tenth on choices. Here all pairs are counted, and none is chosen.
        for one, other in zip(made.spends[:3], tree.spends[:3], strict=True):
            assert (one.what, one.amount) == (other.what, other.amount * Fraction(10, 9))
        assert [one.columns for one in made.measurements[:3]] == [("a",), ("b",), ("c",)]
        assert {frozenset(one.columns) for one in made.measurements[3:]} == {
            frozenset(pair) for pair in combinations(SIZES, 2)
        }
    assert jax.numpy.zeros(1).dtype == before
    assert '"inference": "mbi"' in graphs[0].to_json()


def test_a_fit_that_fails_does_not_lose_what_was_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    mbi = require_mbi()

    def full(*_: Any, **__: Any) -> None:
        raise MemoryError("0.31 of the noisy counts")

    monkeypatch.setattr(mbi.estimation.MirrorDescent, "estimate", full)
    made = synthesized(inference="mbi")
    assert made.rows == ROWS
    assert len(made.measurements) == 6
    (note,) = made.notes
    assert "MemoryError" in note
    assert "0.31" not in note


def test_where_no_circle_fits_the_tree_is_counted_again() -> None:
    """Three columns of 150 points are too large together: the rest goes to the pairs there are."""
    domain = nw.Records({name: nw.Counts(149) for name in "xyz"})
    rng = np.random.default_rng(2)
    codes = {name: rng.integers(0, 150, 500) for name in "xyz"}
    made = Mst(domain, nw.Workload.marginals(domain, ways=2), RunBudget.of(1, 1e-6), (), "mbi")
    steps = made.draw(Tallies.of([codes], domain, made.groupings), 500, source=nw.SeededSource(3))
    names = [one.columns for one in steps.measurements]
    assert made.more == 1
    assert names[5] in names[3:5]
    assert len(names) == 6
    assert sum((one.amount for one in steps.spends), Fraction(0)) == made.budget.total
    assert not steps.notes


def test_rounds_go_beyond_a_million_points_and_count_again_where_nothing_fits() -> None:
    """128³ points; two pairs make a path of 32,768 cells, and the third would make a circle."""
    domain, codes = BEYOND, beyond()
    workload = nw.Workload.marginals(domain, ways=2)
    with pytest.raises(TooLargeError, match="inference='graph'"):
        Mwem(domain, workload, RunBudget.of(1), 3)
    made = MwemOnGraph(domain, workload, RunBudget.of(20), 3, (), "mbi")
    steps = made.draw(Tallies.of([codes], domain, made.groupings), 3000, source=nw.SeededSource(7))
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


def test_scaling_between_rounds_nears_what_was_counted() -> None:
    seen = counted(people(), Noise(Fraction(200), "epsilon", MARGINAL), spread=0)[3:]
    model = GraphModel(SIZES, ())
    for known in range(1, 4):
        model = scale_tables(model, seen[:known])
    for _ in range(20):
        model = scale_tables(model, seen)
    for one in seen:
        assert model.marginal(one.columns) * ROWS == pytest.approx(one.counts, abs=0.5)


@pytest.mark.parametrize("seed", range(3))
def test_one_row_changes_the_score_of_a_pair_by_two_at_most(seed: int) -> None:
    """All 144 replacements of one row by another, against shares of no particular kind."""
    rng = np.random.default_rng(seed)
    joint, shares = people(), rng.dirichlet(np.ones(6)).reshape(2, 3)

    def score(table: np.ndarray) -> int:
        return gap_score(
            Tallies(DOMAIN, ROWS, {("a", "b"): marginal_of(table, ("a", "b"))}), ("a", "b"), shares
        )

    changes: set[int] = set()
    for old in np.ndindex(SHAPE):
        for new in np.ndindex(SHAPE):
            other = joint.copy()
            other[old] -= 1
            other[new] += 1
            changes.add(abs(score(other) - score(joint)))
    assert changes == {0, 2}


def test_what_it_is_of_no_use_for_is_refused() -> None:
    with pytest.raises(ParameterError, match="fits nothing"):
        synthesized(inference="mbi", method="blr")
    with pytest.raises(ParameterError, match="must be 'graph', 'tree' or 'mbi'"):
        synthesized(inference="pgm")
    prefixes = nw.Workload.prefixes(DOMAIN, "b")
    with pytest.raises(ParameterError, match="whole marginals"):
        synthesized(inference="mbi", method="mwem", workload=prefixes)
    wide = nw.Records(x=nw.Counts(999), y=nw.Counts(999))
    with pytest.raises(TooLargeError, match="262,144 cells"):
        MwemOnGraph(wide, nw.Workload.marginals(wide, ways=2), RunBudget.of(1))


WITHOUT = """
import sys
sys.modules["jax"] = None
import noisewright as nw, pyarrow as pa
from noisewright.errors import MissingPartError
book = nw.Ledger.create("budget.db")
book.grant("people", epsilon=3)
table = pa.table({"a": [0, 1, 1], "b": [1, 1, 0]})
domain = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
try:
    nw.synthesize(table, domain, epsilon=1, inference="mbi", ledger=book, dataset="people")
except MissingPartError as problem:
    print(problem)
print(book.left("people"))
nw.synthesize(table, domain, epsilon=1, ledger=book, dataset="people")
print("mbi" in sys.modules)
"""


def test_without_it_nothing_is_spent_and_one_is_told_what_to_install(tmp_path: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    said, left, loaded = done.stdout.splitlines()
    assert "pip install 'noisewright[mbi]'" in said
    assert left == str(nw.accounting.Guarantee(3))
    assert loaded == "False"
