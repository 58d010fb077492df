"""Calibration: the exact price of a factor, and never more than ε."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noisewright as nw
from noisewright.errors import InputError, ParameterError
from tests.mechanisms.independent import adjacent, is_private, rows_of


@settings(max_examples=25, deadline=None)
@given(st.floats(0.01, 5), st.data())
def test_a_calibrated_table_is_private_and_no_worse(epsilon: float, data: st.DataObject) -> None:
    n, options = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 4))
    quality = [[data.draw(st.integers(0, 5)) for _ in range(options)] for _ in range(n + 1)]
    quality[0] = [0] * (options - 1) + [1]
    quality[1] = [1] + [0] * (options - 1)
    space = nw.Counts(n)
    usual = nw.exponential(range(options), quality, space=space, epsilon=epsilon)
    best = nw.exponential(range(options), quality, space=space, epsilon=epsilon, calibrated=True)
    assert is_private(rows_of(best), best.total, adjacent(n + 1), Fraction(epsilon))
    assert nw.tight_epsilon(best) >= nw.tight_epsilon(usual) - 1e-9
    values = np.array(quality, dtype=float)
    assert ((best.matrix * values).sum(1) >= (usual.matrix * values).sum(1) - 1e-9).all()


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize(
    ("candidates", "width", "change"), [(2, 2, 1), (3, 2, 1), (3, 1, 1), (2, 3, 2)]
)
def test_the_worst_case_in_a_range(
    candidates: int, width: int, change: int, monotonic: bool
) -> None:
    """All datasets with whole qualities in the range, all neighbors: the closed form is exact."""
    vectors = list(itertools.product(range(width + 1), repeat=candidates))

    def near(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        moves = [x - y for x, y in zip(a, b, strict=True)]
        small = max(map(abs, moves)) <= change
        return small and not (monotonic and min(moves) < 0 < max(moves))

    labels = [str(i) for i in range(len(vectors))]
    pairs = [
        (labels[i], labels[j])
        for i, j in itertools.combinations(range(len(vectors)), 2)
        if near(vectors[i], vectors[j])
    ]
    space = nw.Categories(labels, neighbors=pairs)
    table = nw.exponential(
        range(candidates), [list(v) for v in vectors], space=space, epsilon=1, calibrated=True
    )
    worst = vectors.index((0,) + (width,) * (candidates - 1))
    one = nw.exponential(
        range(candidates),
        vectors[worst],
        sensitivity=change,
        epsilon=1,
        monotonic=monotonic,
        calibrated=True,
        quality_range=(0, width),
    )
    assert np.allclose(table.matrix[worst], one.probabilities, rtol=1e-7)
    assert one.factor > Fraction(1, (1 if monotonic else 2) * change)


def test_a_wide_range_leaves_the_usual_factor() -> None:
    one = nw.exponential(
        ["a", "b"], [0, 1], sensitivity=1, epsilon=1, calibrated=True, quality_range=(0, 1000)
    )
    assert float(one.factor) == pytest.approx(0.5, rel=1e-9)


def test_a_quality_outside_of_the_range_is_not_shown() -> None:
    with pytest.raises(InputError, match="outside of quality_range") as caught:
        nw.exponential(
            ["a", "b"], [0, 777], sensitivity=1, epsilon=1, calibrated=True, quality_range=(0, 10)
        )
    assert "777" not in str(caught.value)


def test_a_range_is_not_for_tables() -> None:
    with pytest.raises(ParameterError, match="a table shows all qualities"):
        nw.exponential(
            nw.Counts(2), lambda x, y: -abs(x - y), epsilon=1, quality_range=(0, 2), calibrated=True
        )


@pytest.mark.parametrize("maker", [nw.exponential, nw.permute_and_flip, nw.noisy_max])
def test_a_hair_more_than_calibrated_is_refuted(maker: Any) -> None:
    quality = [[0, 2, 1], [1, 1, 1], [2, 0, 1]]
    more = maker(range(3), quality, space=nw.Counts(2), epsilon=1.001, calibrated=True)
    assert nw.verify(more, epsilon=1.001)
    verdict = nw.verify(more, epsilon=1)
    assert not verdict
    assert verdict.witness is not None
