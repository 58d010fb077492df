"""Holohan–Leith–Mason 2016, Theorem 3.

Split S into cells of equal ratio P(y|d) / P(y|d'). If (5) holds on a cell, it holds on every subset
of the cell.
"""

from fractions import Fraction

from hypothesis import given

import noisewright as nw
from tests.theorems.databases import cells, holds, mass, subsets
from tests.theorems.strategies import DELTAS, RATIOS, distributions


@given(distributions(), distributions(), RATIOS, DELTAS)
def test_a_cell_is_sufficient_for_itself(
    p: list[Fraction], q: list[Fraction], ratio: Fraction, delta: Fraction
) -> None:
    split = cells(p, q)
    for cell in split:
        if holds(p, q, cell, ratio, delta):
            assert all(holds(p, q, event, ratio, delta) for event in subsets(cell))
    found = nw.sufficient_sets(nw.from_matrix(nw.Counts(1), [p, q]), 0, 1).cells
    assert {cell.outputs for cell in found} == set(split)
    assert all(cell.p == mass(p, cell.outputs) for cell in found)
    assert all(cell.q == mass(q, cell.outputs) for cell in found)
    ratios = [cell.ratio for cell in found if cell.ratio is not None]
    assert ratios == sorted(ratios, reverse=True)
    assert all(cell.ratio == (cell.p / cell.q if cell.q else None) for cell in found)
