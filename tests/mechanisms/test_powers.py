"""Integer weights of one dataset: private by construction, whatever the qualities are.

The neighbors are never listed by the code, so they are here: pairs of quality vectors one step of
the sensitivity apart, flat ones, deep ones, and ones at which a weight falls to its floor.
"""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings, strategies as st

from noisewright.mechanisms.quality.powers import mixed_weights
from tests.mechanisms.independent import EPSILONS, is_private


def weights(qualities: list[int], epsilon: Fraction) -> list[int]:
    return mixed_weights(
        [Fraction(q) for q in qualities],
        [1] * len(qualities),
        factor=epsilon / 2,
        epsilon=epsilon,
    )


def over_one_total(rows: list[list[int]]) -> tuple[list[list[int]], int]:
    """Rows have different totals; bring them to one, so that they compare as probabilities."""
    first, second = map(sum, rows)
    return [[w * second for w in rows[0]], [w * first for w in rows[1]]], first * second


PAIRS = st.lists(
    st.tuples(
        st.one_of(st.integers(-3, 3), st.integers(-(10**6), 10**6)), st.sampled_from([-1, 0, 1])
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=100)
@given(PAIRS, EPSILONS)
@example([(0, 1), (0, -1)], 1e-6)
@example([(0, 1), (-180, -1)], 1.0)
@example([(0, -1), (-179, 1), (-178, 1)], 1.0)
@example([(0, 1), (-(10**6), -1)], 20.0)
def test_neighbors_are_within_epsilon(pairs: list[tuple[int, int]], epsilon: float) -> None:
    exact = Fraction(epsilon)
    rows = [weights([q for q, _ in pairs], exact), weights([q + d for q, d in pairs], exact)]
    assert min(map(min, rows)) > 0
    compared, total = over_one_total(rows)
    assert is_private(compared, total, [(0, 1)], exact)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1), Fraction(20)])
def test_the_room_for_rounding_is_small(epsilon: Fraction) -> None:
    """The worst neighbors spend all of ε but a relative 2^-30, so nothing is given away."""
    # The better candidate has nearly all of the probability, and the other is far above its floor.
    far = int(80 / epsilon)
    rows = [weights([0, far], epsilon), weights([1, far - 1], epsilon)]
    compared, total = over_one_total(rows)
    assert is_private(compared, total, [(0, 1)], epsilon)
    less = epsilon * (1 - Fraction(1, 2**30))
    assert not is_private(compared, total, [(0, 1)], less)


def test_levels_with_many_candidates_are_candidates_many_times() -> None:
    one_by_one = weights([5, 5, 5, 2, 2], Fraction(1))
    grouped = mixed_weights(
        [Fraction(5), Fraction(2)], [3, 2], factor=Fraction(1, 2), epsilon=Fraction(1)
    )
    assert one_by_one[0] * sum([3 * grouped[0], 2 * grouped[1]]) == pytest.approx(
        grouped[0] * sum(one_by_one), rel=1e-15
    )
