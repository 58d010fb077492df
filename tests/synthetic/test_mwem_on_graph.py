"""Rounds and pairs on a graph of columns: what is scored, scaled, counted again, and refused."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ParameterError, TooLargeError
from noisewright.synthetic.by_mst.choose_pairs import gap_score
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem_on_graph import MwemOnGraph, scale_tables
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.steps.noise import MARGINAL, Noise
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.tallies import Tallies
from tests.synthetic.three_columns import (
    DOMAIN,
    ROWS,
    SHAPE,
    SIZES,
    counted,
    marginal_of,
    people,
)


def test_where_no_cycle_fits_the_tree_is_counted_again() -> None:
    """Three columns of 150 points are too large together: the rest goes to the pairs there are."""
    domain = nw.Records({name: nw.Counts(149) for name in "xyz"})
    rng = np.random.default_rng(2)
    codes = {name: rng.integers(0, 150, 500) for name in "xyz"}
    made = Mst(
        domain, nw.workloads.Workload.marginals(domain, ways=2), RunBudget.of(1, 1e-6), (), "graph"
    )
    steps = made.draw(
        Tallies.of([codes], domain, made.groupings), 500, source=nw.randomness.SeededSource(3)
    )
    names = [one.columns for one in steps.measurements]
    assert made.more == 1
    assert names[5] in names[3:5]
    assert len(names) == 6
    assert sum((one.amount for one in steps.spends), Fraction(0)) == made.budget.total
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


def test_rounds_refuse_what_no_graph_is_fitted_to() -> None:
    with pytest.raises(ParameterError, match="whole marginals"):
        MwemOnGraph(DOMAIN, nw.workloads.Workload.prefixes(DOMAIN, "b"), RunBudget.of(1))
    wide = nw.Records(x=nw.Counts(999), y=nw.Counts(999))
    with pytest.raises(TooLargeError, match="262,144 cells"):
        MwemOnGraph(wide, nw.workloads.Workload.marginals(wide, ways=2), RunBudget.of(1))


def test_inference_is_one_of_three_words() -> None:
    pgm: Any = "pgm"
    with pytest.raises(
        ParameterError, match="inference is 'pgm'; it must be 'points', 'graph' or 'tree'"
    ):
        nw.planning.Method(inference=pgm)
