"""Dealing values to rows: each row gets one of its group, and every way is equally likely."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import chi2

import noisewright as nw
from noisewright.synthetic.deal_rows import deal_values

SOURCE = nw.randomness.SeededSource("dealing")


@settings(max_examples=60)
@given(
    groups=st.lists(st.sampled_from([0, 1, 5, 300, 70_000]), max_size=60),
    largest=st.sampled_from([0, 1, 9, 1 << 20, 1 << 50]),
    seed=st.integers(0, 99),
)
def test_each_group_gets_its_values(groups: list[int], largest: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.array(groups, dtype=np.int64)
    # Each group has its rows' values in two lots: some of one, the rest of another.
    owners = np.repeat(np.unique(rows), 2)
    first = rng.binomial(np.unique(rows, return_counts=True)[1], 0.5)
    times = np.stack([first, np.unique(rows, return_counts=True)[1] - first], axis=1).reshape(-1)
    values = rng.integers(0, largest + 1, times.size)
    found = deal_values(values, times, SOURCE, owners=owners, groups=rows)
    assert found.dtype == np.min_scalar_type(int(values.max(initial=0)))
    for group in set(groups):
        expected = np.repeat(values[owners == group], times[owners == group])
        assert sorted(found[rows == group].tolist()) == sorted(expected.tolist())
    everywhere = sorted(np.repeat(values, times).tolist())
    assert sorted(deal_values(values, times, SOURCE).tolist()) == everywhere


@pytest.mark.parametrize("scale", [1, 1 << 40], ids=["in one word", "apart"])
def test_every_order_within_a_group_is_equally_likely(scale: int) -> None:
    """All 2! · 3! orders, by a chi-squared test; the seed is fixed, so it always says the same."""
    source = nw.randomness.SeededSource("orders")
    groups, owners = np.array([7, 2, 7, 2, 7]), np.array([2, 2, 7, 7, 7])
    values, once = np.array([1, 2, 3, 4, 5]) * scale, np.ones(5, dtype=np.int64)
    orders = [
        (seven[0], two[0], seven[1], two[1], seven[2])
        for two in permutations((1, 2))
        for seven in permutations((3, 4, 5))
    ]
    draws = 6_000
    seen = Counter(
        tuple((deal_values(values, once, source, owners=owners, groups=groups) // scale).tolist())
        for _ in range(draws)
    )
    assert set(seen) <= set(orders)
    expected = draws / len(orders)
    distance = sum((seen[order] - expected) ** 2 / expected for order in orders)
    assert distance < chi2.isf(1e-4, len(orders) - 1)
