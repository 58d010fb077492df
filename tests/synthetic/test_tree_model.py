"""The tree model: its tables agree with each other, and its rows with its tables."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import noisewright as nw
from noisewright.synthetic.deal_rows import round_at_random
from noisewright.synthetic.graphs.tree_model import fit_tree
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL, Noise

NOISE = Noise(Fraction(1, 10), "epsilon", MARGINAL)
DOMAIN = nw.Records(a=nw.Counts(2), b=nw.Counts(3), c=nw.Counts(1), alone=nw.Counts(4))


def counted(names: tuple[str, ...], rng: np.random.Generator, rows: int = 1000) -> Measurement:
    spaces = dict(DOMAIN.columns)
    shape = tuple(spaces[name].size for name in names)
    counts = rng.multinomial(rows, rng.dirichlet(np.ones(int(np.prod(shape))))).reshape(shape)
    return Measurement(DOMAIN, names, counts + rng.integers(-40, 41, shape), NOISE, rows)


@pytest.mark.parametrize("seed", range(5))
def test_marginals_are_consistent_and_rows_follow_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    singles = [counted((name,), rng) for name, _ in DOMAIN.columns]
    pairs = [counted(("a", "b"), rng), counted(("c", "b"), rng)]
    model = fit_tree(singles, pairs)
    for (first, second), joint in model.edges.items():
        assert joint.min() >= 0
        assert joint.sum(axis=1) == pytest.approx(model.shares[first], abs=1e-6)
        assert joint.sum(axis=0) == pytest.approx(model.shares[second], abs=1e-6)
    rows = 5_000
    drawn = model.draw(rows, nw.randomness.SeededSource(seed))
    assert [name for name, _ in model.steps] == ["a", "b", "c", "alone"]
    for (first, second), joint in model.edges.items():
        found = np.zeros(joint.shape)
        np.add.at(found, (drawn[first], drawn[second]), 1)
        # Each count is rounded once for its column and once within the parent's value.
        assert np.abs(found - joint * rows).max() <= 3
    alone = np.bincount(drawn["alone"], minlength=5)
    assert np.abs(alone - model.shares["alone"] * rows).max() <= 1


def test_more_certain_counts_weigh_more() -> None:
    names, exact = ("a",), Noise(Fraction(50), "epsilon", MARGINAL)
    domain = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
    sure = Measurement(domain, names, np.array([700, 300]), exact, 1000)
    other = Measurement(domain, ("b",), np.array([500, 500]), exact, 1000)
    vague = Measurement(domain, ("a", "b"), np.array([[100, 100], [400, 400]]), NOISE, 1000)
    assert fit_tree([sure, other], [vague]).shares["a"] == pytest.approx([0.7, 0.3], abs=1e-3)


@given(
    shares=st.lists(st.floats(0.001, 1), min_size=1, max_size=20),
    total=st.integers(0, 500),
    seed=st.integers(0, 1000),
)
def test_rounding_at_random_keeps_the_total_and_stays_within_one(
    shares: list[float], total: int, seed: int
) -> None:
    exact = np.array(shares) / sum(shares)
    counts = round_at_random(exact, total, nw.randomness.SeededSource(seed))
    assert counts.sum() == total
    assert np.abs(counts - exact * total).max() < 1 + 1e-9


def test_rounding_at_random_is_right_on_average() -> None:
    """2,000 seeded roundings of 0.7, 1.1 and 1.2; 0.05 is four standard errors."""
    bits, exact = nw.randomness.SeededSource("rounding"), np.array([0.7, 1.1, 1.2])
    mean = np.mean([round_at_random(exact / 3, 3, bits) for _ in range(2_000)], axis=0)
    assert mean == pytest.approx(exact, abs=0.05)
