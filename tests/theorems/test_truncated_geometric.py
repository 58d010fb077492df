"""Cormode–Kulkarni–Srivastava 2018, Theorem 5 and Lemmas 3 and 4.

GM adds two-sided geometric noise and clamps. L0 = 2α/(1+α). It is weakly honest iff
n ≥ 2α/(1−α), and column monotone iff column honest iff α ≤ 1/2 (n ≥ 2).
"""

from fractions import Fraction

import pytest

import noisewright as nw

ALPHAS = [Fraction(k, 20) for k in range(1, 20)] + [Fraction(10, 11), Fraction(62, 100)]


def clamped(n: int, alpha: Fraction, far: int = 400) -> list[list[Fraction]]:
    """The noise P(z) = (1−α)/(1+α) α^|z|, added to each count and clamped, up to a tiny tail."""
    share = (1 - alpha) / (1 + alpha)
    rows = [[Fraction(0)] * (n + 1) for _ in range(n + 1)]
    for j, row in enumerate(rows):
        for z in range(-far, far + 1):
            row[min(max(j + z, 0), n)] += share * alpha ** abs(z)
    return rows


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(62, 100), Fraction(9, 10)])
def test_it_is_clamped_noise(n: int, alpha: Fraction) -> None:
    table = nw.geometric(nw.Counts(n), alpha=alpha)
    for weights, ideal in zip(table.weights.tolist(), clamped(n, alpha), strict=True):
        for weight, p in zip(weights, ideal, strict=True):
            assert abs(Fraction(weight, table.total) - p) < p / 10**15


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_its_rescaled_loss(n: int, alpha: Fraction) -> None:
    table = nw.geometric(nw.Counts(n), alpha=alpha)
    right = Fraction(sum(table.weights[j, j] for j in range(n + 1)), (n + 1) * table.total)
    loss = Fraction(n + 1, n) * (1 - right)
    assert float(loss) == pytest.approx(float(2 * alpha / (1 + alpha)), rel=1e-14)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [2, 3, 8, 19])
def test_lemma_3_and_4(n: int, alpha: Fraction) -> None:
    found = nw.properties(nw.geometric(nw.Counts(n), alpha=alpha))
    threshold = 2 * alpha / (1 - alpha)
    # On a boundary itself, rounding the table to integers may fall on either side.
    if n != threshold:
        assert ("WH" in found) == (n > threshold)
    if alpha != Fraction(1, 2):
        assert ("CM" in found) == ("CH" in found) == (alpha < Fraction(1, 2))
    assert found >= {"S", "RM", "RH"}
    assert "F" not in found
