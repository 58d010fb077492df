"""Holohan–Leith–Mason 2016, Theorem 2.

If (5) holds on every subset of S = {y : P(y|d) > P(y|d')}, it holds on every event. It is true of
any two distributions, not only of those of a discrete exponential mechanism.
"""

from fractions import Fraction

from hypothesis import given, settings

import noisewright as nw
from tests.theorems.databases import holds, likelier, needed, subsets
from tests.theorems.strategies import DELTAS, RATIOS, distributions


@settings(max_examples=60)
@given(distributions(), distributions(), RATIOS, DELTAS)
def test_subsets_of_the_likelier_outputs_decide(
    p: list[Fraction], q: list[Fraction], ratio: Fraction, delta: Fraction
) -> None:
    worst = likelier(p, q)
    on_subsets = all(holds(p, q, event, ratio, delta) for event in subsets(worst))
    on_all = all(holds(p, q, event, ratio, delta) for event in subsets(range(6)))
    assert on_subsets == on_all == (needed(p, q, ratio) <= delta)
    found = nw.sufficient_sets(nw.from_matrix(nw.Counts(1), [p, q]), 0, 1)
    assert sorted(found.worst_outputs) == list(worst)
    assert found.subset_count == sum(1 for _ in subsets(worst))


@settings(max_examples=60)
@given(distributions(), distributions(), RATIOS, DELTAS)
def test_one_event_decides_for_every_delta(
    p: list[Fraction], q: list[Fraction], ratio: Fraction, delta: Fraction
) -> None:
    found = nw.sufficient_sets(nw.from_matrix(nw.Counts(1), [p, q]), 0, 1)
    event = found.deciding(nw.accounting.Epsilon.log(ratio))
    assert holds(p, q, event, ratio, delta) == (needed(p, q, ratio) <= delta)
