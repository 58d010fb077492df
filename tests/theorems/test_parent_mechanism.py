"""Holohan–Leith–Mason 2016, Theorem 6 and Corollary 3; Holohan–Leith–Mason 2015, Theorem 5.

A product over rows is (ε, δ)-private iff its parent, the mechanism of one row, is.
"""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from tests.theorems.databases import needed
from tests.theorems.strategies import RATIOS, distributions


def exact_rows(mechanism: Any) -> list[list[Fraction]]:
    table = mechanism.table()
    return [[Fraction(w, table.total) for w in row] for row in table.weights.tolist()]


@settings(max_examples=40)
@given(st.lists(distributions(size=3), min_size=3, max_size=3), RATIOS, st.sampled_from([1, 2, 3]))
def test_a_product_is_as_private_as_its_parent(
    rows: list[list[Fraction]], ratio: Fraction, count: int
) -> None:
    parent = nw.from_matrix(nw.Categories(range(3)), rows)
    alone = max(needed(p, q, ratio) for p in rows for q in rows)
    product = parent**count
    table = exact_rows(product)
    pairs = product.space.neighbor_codes().tolist()
    together = max(needed(table[x], table[y], ratio) for a, b in pairs for x, y in ((a, b), (b, a)))
    assert together == alone
    epsilon = nw.accounting.Epsilon.log(ratio)
    assert nw.verify(product, epsilon=epsilon, delta=alone)
    if alone:
        assert not nw.verify(product, epsilon=epsilon, delta=alone - Fraction(1, 10**30))
    assert nw.tight_delta(product, epsilon=epsilon) == nw.tight_delta(parent, epsilon=epsilon)


@pytest.mark.parametrize("count", [1, 2, 1000])
def test_the_library_reads_a_product_off_its_parent(count: int) -> None:
    parent = nw.randomized_response(nw.Categories(["a", "b", "c"]), epsilon=0.7, delta=0.1)
    assert nw.tight_epsilon(parent**count, delta=0.1) == nw.tight_epsilon(parent, delta=0.1)
    assert (parent**count).claim == parent.claim
    # The table of a small product, looked at without knowing that it is one.
    if count == 2:
        flat = (parent**count).table()
        assert nw.tight_delta(flat, epsilon=0.7) == nw.tight_delta(parent, epsilon=0.7)
