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
def test_at_a_rational_alpha_it_is_the_formula(n: int, alpha: Fraction) -> None:
    """Definition 4 entry by entry, and the loss of Theorem 5, without any rounding."""
    table = nw.geometric(nw.Counts(n), alpha=alpha).table()
    for j in range(n + 1):
        for i in range(n + 1):
            at_end = 1 if i in (0, n) else 1 - alpha
            assert table.probability(j, i) == at_end / (1 + alpha) * alpha ** abs(i - j)
    right = sum(table.probability(j, j) for j in range(n + 1)) / (n + 1)
    assert Fraction(n + 1, n) * (1 - right) == 2 * alpha / (1 + alpha)
    assert nw.tight_epsilon(table) == nw.accounting.Epsilon.of(alpha=alpha).ceiling()


def beside(alpha: Fraction) -> list[Fraction]:
    """α itself, and rationals closer to it on both sides than doubles are."""
    return [alpha - Fraction(1, 10**20), alpha, alpha + Fraction(1, 10**20)]


@pytest.mark.parametrize("n", [*range(2, 13), 19, 40])
def test_lemma_3_and_4(n: int) -> None:
    """At equality too: there α = n/(n + 2), and α = 1/2."""
    boundaries = [*beside(Fraction(n, n + 2)), *beside(Fraction(1, 2))]
    for alpha in (*(ALPHAS if n < 9 else ()), *boundaries):
        found = nw.properties(nw.geometric(nw.Counts(n), alpha=alpha))
        assert ("WH" in found) == (n >= 2 * alpha / (1 - alpha))
        assert ("CM" in found) == ("CH" in found) == (alpha <= Fraction(1, 2))
        assert found >= {"S", "RM", "RH"}
        assert "F" not in found
