"""Holohan–Leith–Mason 2015, Theorem 4.

Answering any query from a private output keeps (ε, δ), for functions and for random kernels.
"""

from fractions import Fraction

from hypothesis import given, strategies as st

import noisewright as nw
from tests.theorems.databases import needed
from tests.theorems.strategies import RATIOS, distributions


def exact(mechanism: nw.Mechanism) -> list[list[Fraction]]:
    return [[Fraction(w, mechanism.total) for w in row] for row in mechanism.weights.tolist()]


@given(
    st.lists(distributions(size=4), min_size=3, max_size=3),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    st.lists(distributions(size=3), min_size=4, max_size=4),
    RATIOS,
)
def test_no_query_loses_privacy(
    rows: list[list[Fraction]],
    query: list[int],
    kernel: list[list[Fraction]],
    ratio: Fraction,
) -> None:
    mechanism = nw.from_matrix(nw.Categories(range(3)), rows, outputs=range(4))
    before = max(needed(p, q, ratio) for p in rows for q in rows)
    for answered in (mechanism.then(query.__getitem__), mechanism.then(kernel)):
        after = exact(answered)
        assert max(needed(p, q, ratio) for p in after for q in after) <= before
        assert nw.verify(answered, epsilon=nw.accounting.Epsilon.log(ratio), delta=before)
        assert answered.claim is None


def test_a_claim_is_kept() -> None:
    response = nw.randomized_response(nw.Categories(["a", "b", "c"]), epsilon=1)
    merged = response.then({"a": "x", "b": "x", "c": "y"})
    assert merged.claim == response.claim
    assert nw.tight_epsilon(merged) <= 1
    assert nw.tight_epsilon(response.then(lambda _: "always")) == 0
