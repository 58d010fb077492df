"""Which mechanisms are the geometric one, relabeled: the test of Gupte and Sundararajan.

The facts about EM and WM correct Section 6.3 of the count paper, which says that no optimum with
weak honesty is derivable.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

import noisewright as nw
from noisewright.designs.analysis.derivable import sign_at
from noisewright.exact import Epsilon
from noisewright.mechanisms import Table

ROUNDING = 1e-9


def geometric_matrix(n: int, a: Fraction) -> list[list[Fraction]]:
    share = [1 / (1 + a) if k in (0, n) else (1 - a) / (1 + a) for k in range(n + 1)]
    return [[share[k] * a ** abs(j - k) for k in range(n + 1)] for j in range(n + 1)]


def solved(matrix: list[list[Fraction]], right: list[list[Fraction]]) -> list[list[Fraction]]:
    """Gaussian elimination with fractions: R with matrix · R = right."""
    size = len(matrix)
    rows = [list(a) + list(b) for a, b in zip(matrix, right, strict=True)]
    for k in range(size):
        pivot = next(r for r in range(k, size) if rows[r][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for r in range(size):
            if r != k and rows[r][k]:
                rows[r] = [x - rows[r][k] * y for x, y in zip(rows[r], rows[k], strict=True)]
    return [row[size:] for row in rows]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Tables near the uniform one, so that both answers are common."""
    size = draw(st.integers(2, 4))
    spread = draw(st.integers(0, 60))
    weights = np.empty((size, size), dtype=object)
    for j in range(size):
        row = [200 + draw(st.integers(-spread, spread)) for _ in range(size - 1)]
        weights[j] = [*row, 1024 - sum(row)]
    return Table(nw.Counts(size - 1), weights, total=1 << 10)


@settings(max_examples=300)
@given(tables(), st.sampled_from(["1/3", "1/2", "3/4", "9/10"]), st.sampled_from(["0", "1/10"]))
def test_the_verdict_is_the_sign_of_the_only_relabeling(
    table: Table, alpha: str, tolerance: str
) -> None:
    """Solve M = G R with fractions: derivable just when no entry of R is negative."""
    a = Fraction(alpha)
    n = table.space.size - 1
    matrix = [[Fraction(w, table.total) for w in row] for row in table.weights.tolist()]
    relabeling = solved(geometric_matrix(n, a), matrix)
    least = min(min(row) for row in relabeling)
    verdict = nw.analysis.is_derivable(table, alpha=alpha, tolerance=tolerance)
    assert verdict.holds == (least >= -Fraction(tolerance))
    assert bool(verdict) == verdict.holds == (verdict.witness is None)
    if verdict.witness is not None:
        witness = verdict.witness
        assert witness.entry == pytest.approx(float(least), rel=1e-12)
        entry = relabeling[witness.input][witness.output]
        assert float(entry) == pytest.approx(witness.entry, rel=1e-12)
        assert witness.here == matrix[witness.input][witness.output]


@given(
    st.integers(-(10**6), 10**6),
    st.integers(-(10**6), 10**6),
    st.integers(-(10**6), 10**6),
    st.fractions("1/100", 3, max_denominator=100),
)
def test_signs_of_polynomials_in_e_to_the_epsilon(a: int, b: int, c: int, e: Fraction) -> None:
    value = a + b * np.exp(float(e)) + c * np.exp(2 * float(e))
    sign = sign_at(Epsilon.of(e), (a, b, c))
    assert sign == 0 if a == b == c == 0 else sign != 0
    if abs(value) > 1e-6:
        assert sign == np.sign(value)


def test_signs_that_doubles_cannot_tell() -> None:
    """P − e^ε Q with the ratio P/Q next to e^ε, 150 digits down."""
    exact = Epsilon.of("1/10")
    low, high = exact.ratio_bounds(500)
    assert sign_at(exact, (-low, 1 << 500, 0)) == 1
    assert sign_at(exact, (-high, 1 << 500, 0)) == -1
    half = Epsilon.of(alpha="1/2")
    assert sign_at(half, (4, -4, 1)) == 0


@pytest.mark.parametrize("n", [1, 2, 5, 9])
@pytest.mark.parametrize("parameter", [{"alpha": "1/2"}, {"alpha": "9/10"}, {"epsilon": "0.3"}])
def test_the_geometric_mechanism_and_what_follows_it(n: int, parameter: dict[str, str]) -> None:
    base = nw.geometric(nw.Counts(n), table=True, **parameter)
    assert nw.analysis.is_derivable(base, **parameter, tolerance=ROUNDING)
    merged = base.then(lambda count: count // 2)
    assert nw.analysis.is_derivable(merged, **parameter, tolerance=ROUNDING)
    assert nw.analysis.is_derivable(nw.uniform(nw.Counts(n)), **parameter)
    # Under a smaller epsilon it is not even private, so it cannot come from that mechanism.
    assert not nw.analysis.is_derivable(base, epsilon="0.05", tolerance=ROUNDING)


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("alpha", ["1/4", "0.62", "10/11"])
def test_the_explicit_fair_mechanism_is_derivable_only_for_one_person(n: int, alpha: str) -> None:
    mechanism = nw.explicit_fair(nw.Counts(n), alpha=alpha)
    assert nw.analysis.is_derivable(mechanism, alpha=alpha, tolerance=ROUNDING).holds == (n == 1)


def least_wrong_when_derivable(n: int, alpha: float, codes: set[str]) -> float:
    """Minimize L0 over relabelings R of the geometric mechanism, by an independent program."""
    exact = geometric_matrix(n, Fraction(alpha).limit_denominator(1000))
    g = np.array([[float(p) for p in row] for row in exact])
    size = n + 1

    def entry(j: int, i: int) -> np.ndarray:
        """P(i|j) = Σ_k G(k|j) R(i|k) as a row over the entries of R."""
        row = np.zeros((size, size))
        row[:, i] = g[j]
        return row.ravel()

    at_most, limits = [], []
    for j in range(size):
        if "WH" in codes:
            at_most.append(-entry(j, j))
            limits.append(-1 / size)
        for i in range(size):
            if "CM" in codes and i != j:
                at_most.append(entry(j, i) - entry(j, i + (1 if i < j else -1)))
                limits.append(0.0)
            if "RM" in codes and i != j:
                at_most.append(entry(j, i) - entry(j + (1 if j < i else -1), i))
                limits.append(0.0)
    truth = np.sum([entry(j, j) for j in range(size)], axis=0) / size
    rows = np.kron(np.eye(size), np.ones(size))
    found = linprog(-truth, A_ub=at_most, b_ub=limits, A_eq=rows, b_eq=np.ones(size))
    assert found.status == 0
    return 1 + found.fun


@pytest.mark.parametrize("n", [2, 4, 6])
@pytest.mark.parametrize("alpha", ["0.62", "9/10"])
def test_the_optimum_with_weak_honesty_alone_is_derivable(n: int, alpha: str) -> None:
    best = nw.design(nw.Counts(n), alpha=alpha, properties="WH")
    assert nw.analysis.is_derivable(best.mechanism, alpha=alpha, tolerance=ROUNDING)
    relabeled = least_wrong_when_derivable(n, float(Fraction(alpha)), {"WH"})
    assert relabeled == pytest.approx(best.loss, abs=1e-8)


@pytest.mark.parametrize(
    ("n", "alpha", "attained"),
    [(2, "9/10", True), (2, "10/11", True), (4, "2/3", True), (4, "9/10", False)],
)
def test_wm_is_attained_by_a_derivable_mechanism(n: int, alpha: str, attained: bool) -> None:
    """The paper says never. Optima are not unique: some may be derivable and others not."""
    best = nw.design(nw.Counts(n), alpha=alpha, properties="WH, RM, CM")
    relabeled = least_wrong_when_derivable(n, float(Fraction(alpha)), {"WH", "RM", "CM"})
    assert (relabeled <= best.loss + 1e-8) == attained
    verdict = nw.analysis.is_derivable(best.mechanism, alpha=alpha, tolerance=ROUNDING)
    assert attained or not verdict
    if n == 2:
        assert verdict


def test_no_privacy_budget_leaves_constant_answers() -> None:
    assert nw.analysis.is_derivable(nw.uniform(nw.Counts(3)), epsilon=0)
    verdict = nw.analysis.is_derivable(nw.geometric(nw.Counts(3), epsilon=1), epsilon=0)
    assert not verdict
    assert "False" in str(verdict)


def test_the_verdict_says_why() -> None:
    verdict = nw.analysis.is_derivable(nw.explicit_fair(nw.Counts(4), epsilon=0.1), epsilon=0.1)
    assert "relabeling would have to send 1 to 2 with probability -" in str(verdict)
    geometric = nw.geometric(nw.Counts(4), epsilon=0.1)
    assert "True up to" in str(nw.analysis.is_derivable(geometric, epsilon=0.1, tolerance=ROUNDING))


def test_only_paths_can_be_asked_about() -> None:
    colors = nw.randomized_response(nw.Categories(["red", "blue"]), epsilon=1)
    with pytest.raises(nw.errors.ParameterError, match="adjacent"):
        nw.analysis.is_derivable(colors, epsilon=1)
    with pytest.raises(nw.errors.ParameterError, match="tolerance"):
        nw.analysis.is_derivable(nw.geometric(nw.Counts(2), epsilon=1), epsilon=1, tolerance=-1)
