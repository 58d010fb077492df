"""Every vector and score that gets noise, on all tiny tables and all their neighbors."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.synthetic.allowance import Allowance
from noisewright.synthetic.mst import Mst, independence_score
from noisewright.synthetic.mwem import Mwem, summed
from noisewright.synthetic.tallies import Tallies

DOMAIN = nw.Records(a=nw.Categories(["x", "y"]), b=nw.Counts(2))
WORKLOAD = (
    nw.Workload.marginals(DOMAIN, ways=2)
    + nw.Workload.marginals(DOMAIN, ways=1)
    + nw.Workload.ranges(DOMAIN, "b")
)
ROWS = 3
POINTS = list(product(range(2), range(3)))


def tallies_of(rows: tuple[tuple[int, int], ...]) -> Tallies:
    codes = {"a": np.array([r[0] for r in rows]), "b": np.array([r[1] for r in rows])}
    return Tallies.of([codes], DOMAIN, (("a",), ("b",), ("a", "b")))


TABLES = {rows: tallies_of(rows) for rows in product(POINTS, repeat=ROWS)}


def pairs() -> list[tuple[Tallies, Tallies]]:
    """All tables with all that come from replacing their first row; order does not matter."""
    return [
        (table, TABLES[(other, *rows[1:])]) for rows, table in TABLES.items() for other in POINTS
    ]


def test_counts_of_a_marginal_change_by_two() -> None:
    for names in (("a",), ("b",), ("a", "b")):
        gaps = [one.counts[names] - other.counts[names] for one, other in pairs()]
        assert max(int(np.abs(gap).sum()) for gap in gaps) == 2
        assert max(int((gap**2).sum()) for gap in gaps) == 2


@pytest.mark.parametrize("shares", [(0.5, (0.2, 0.3, 0.5)), (0.9, (1.0, 0.0, 0.0))])
def test_the_score_of_a_pair_changes_by_two(shares: tuple[float, Any]) -> None:
    first, second = np.array([shares[0], 1 - shares[0]]), np.array(shares[1])
    scores = [
        [independence_score(table, ("a", "b"), first, second) for table in pair] for pair in pairs()
    ]
    assert max(abs(one - other) for one, other in scores) == 2


def test_scores_of_mwem_change_by_two_and_its_queries_by_one() -> None:
    mwem = Mwem(DOMAIN, WORKLOAD, Allowance.of(1))
    weights = np.array([[0.1, 0.2, 0.05], [0.3, 0.15, 0.2]])
    names = ("a", "b")
    scores = {
        id(table): mwem._scores(  # pyright: ignore[reportPrivateUsage]
            mwem.targets, names, table.counts[names], weights, Fraction(1, 9)
        )
        for table in TABLES.values()
    }
    gaps = [np.abs(np.subtract(scores[id(a)], scores[id(b)])) for a, b in pairs()]
    assert np.max(gaps, axis=0).tolist()[:3] == [2, 2, 2]
    assert np.max(gaps) == 2
    singles = [target for target in mwem.targets if target.cells is not None]
    assert len(singles) == 6
    for target in singles:
        found = [
            [target.counts(summed(t.counts[names], names, target.columns))[0] for t in pair]
            for pair in pairs()
        ]
        assert max(abs(int(a) - int(b)) for a, b in found) <= 1


def test_candidates_and_budget_depend_on_the_declared_columns_alone() -> None:
    mst = Mst(DOMAIN, WORKLOAD, Allowance.of(1))
    spends = {
        tuple(mst.draw(table, 2, source=nw.SeededSource(1)).spends)
        for table in list(TABLES.values())[::20]
    }
    assert len(spends) == 1
