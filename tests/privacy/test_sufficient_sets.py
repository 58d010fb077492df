"""Sufficient sets (Holohan–Leith–Mason 2016, Section 3), with Example 2's count done right."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product as tuples

import pytest
from hypothesis import given, settings

import noisewright as nw
from noisewright.errors import InputError, SpaceError
from tests.oracles import brute_force
from tests.oracles.tables import Case, cases, epsilons


def example_2() -> nw.Mechanism:
    """D = {0, 1, 2}, two rows, weight 2^-‖d − d'‖₁ instead of e^-‖·‖: the same ties, exactly."""
    databases = list(tuples(range(3), repeat=2))
    raw = [
        [Fraction(1, 2 ** (abs(a - c) + abs(b - d))) for c, d in databases] for a, b in databases
    ]
    rows = [[weight / sum(row) for weight in row] for row in raw]
    return nw.from_matrix(nw.Categories(range(3)) ** 2, rows)


def test_example_2_needs_924_subsets() -> None:
    """24 of the 36 ordered pairs need 7 subsets and 12 need 63; doubles split ties (1,092)."""
    mechanism = example_2()
    points = mechanism.space.points
    counts = Counter(
        nw.sufficient_sets(mechanism, x, y).subset_count
        for x, y in tuples(points, repeat=2)
        if mechanism.space.are_neighbors(x, y)
    )
    assert counts == {7: 24, 63: 12}
    assert sum(size * pairs for size, pairs in counts.items()) == 924


@given(cases(), epsilons)
@settings(max_examples=100)
def test_the_deciding_event_is_the_worst_of_all(case: Case, epsilon: Fraction) -> None:
    table = case.table()
    for a, b in brute_force.both_ways(case.pairs):
        x, z = table.space.point(a), table.space.point(b)
        sets = nw.sufficient_sets(table, x, z)
        event = [table.outputs.code(y) for y in sets.deciding(epsilon)]
        p, q = (sum(case.rows[row][y] for y in event) for row in (a, b))
        low, high = brute_force.e_to_the(epsilon, 60)
        for first, _, _, other_p, other_q in brute_force.events(
            [case.rows[a], case.rows[b]], [(0, 1)]
        ):
            if first == 0:
                # p − E q is at least the other's, for some E within the enclosure of e^ε.
                assert max(p - other_p - e * (q - other_q) for e in (low, high)) >= 0


@given(cases())
@settings(max_examples=100)
def test_cells_partition_the_likelier_outputs_by_ratio(case: Case) -> None:
    table = case.table()
    for a, b in brute_force.both_ways(case.pairs):
        sets = nw.sufficient_sets(table, table.space.point(a), table.space.point(b))
        likelier = {y for y in range(len(case.rows[0])) if case.rows[a][y] > case.rows[b][y]}
        assert {table.outputs.code(y) for y in sets.worst_outputs} == likelier
        assert sets.subset_count == 2 ** len(likelier) - 1
        ratios = [math.inf if cell.ratio is None else cell.ratio for cell in sets.cells]
        assert ratios == sorted(set(ratios), reverse=True)
        for cell in sets.cells:
            codes = [table.outputs.code(y) for y in cell.outputs]
            assert cell.p * case.total == sum(case.rows[a][y] for y in codes)
            assert cell.q * case.total == sum(case.rows[b][y] for y in codes)
            assert (cell.ratio is None) == (cell.q == 0)
            assert cell.ratio is None or all(
                case.rows[a][y] == cell.ratio * case.rows[b][y] for y in codes
            )


def test_points_that_are_no_neighbors_are_refused() -> None:
    mechanism = nw.geometric(nw.Counts(5), epsilon=1)
    with pytest.raises(SpaceError, match="not neighbors"):
        nw.sufficient_sets(mechanism, 0, 2)
    with pytest.raises(SpaceError, match="not neighbors"):
        nw.sufficient_sets(mechanism, 3, 3)


def test_a_formula_has_no_sets_to_list() -> None:
    formula = nw.geometric(nw.Counts(10**6), epsilon=1)
    with pytest.raises(InputError, match="table=True"):
        nw.sufficient_sets(formula, 0, 1)
    with pytest.raises(InputError, match="table=True"):
        nw.profile(formula)
