"""GM and EM from the paper's formulas in fractions, and its seven properties word for word.

Nothing of noisewright is used here, so that these checks are independent of it. P[i][j] is
P(i|j), as the paper prints its matrices: one column per input.
"""

from __future__ import annotations

from fractions import Fraction

Matrix = list[list[Fraction]]


def geometric(n: int, a: Fraction) -> Matrix:
    """Return GM as in Figure 3."""
    x, y = 1 / (1 + a), (1 - a) / (1 + a)
    return [
        [(x if i in (0, n) else y) * a ** abs(i - j) for j in range(n + 1)] for i in range(n + 1)
    ]


def exponent(n: int, i: int, j: int) -> int:
    """Return the power of α at output i and input j of EM, equation (17)."""
    near = min(j, n - j)
    return abs(i - j) if abs(i - j) < near else -(-(abs(i - j) + near) // 2)


def diagonal(n: int, a: Fraction) -> Fraction:
    """Return y of EM: 1 / Σ_i α^|i−m| for a middle input m."""
    if n % 2 == 0:
        return (1 - a) / (1 + a - 2 * a ** (n // 2 + 1))
    return (1 - a) / ((1 + a) * (1 - a ** ((n + 1) // 2)))


def fair(n: int, a: Fraction) -> Matrix:
    """Return EM by equation (17), with the diagonal that makes columns sum to 1."""
    y = diagonal(n, a)
    return [[y * a ** exponent(n, i, j) for j in range(n + 1)] for i in range(n + 1)]


def column_sums(P: Matrix) -> list[Fraction]:
    """Return what each input's probabilities sum to."""
    return [sum(column, Fraction(0)) for column in zip(*P, strict=True)]


def is_private(P: Matrix, a: Fraction) -> bool:
    """Check Definition 2 with products instead of ratios, because of zeros."""
    n = len(P) - 1
    return all(a * row[j + 1] <= row[j] and a * row[j] <= row[j + 1] for row in P for j in range(n))


def properties(P: Matrix) -> frozenset[str]:
    """Return the codes of (8) to (12), (14) and (15) that hold."""
    n = len(P) - 1
    every = range(n + 1)
    holds = {
        "RH": all(P[i][i] >= P[i][j] for i in every for j in every),
        "RM": all(P[i][j - 1] <= P[i][j] for i in every for j in range(1, i + 1))
        and all(P[i][j + 1] <= P[i][j] for i in every for j in range(i, n)),
        "CH": all(P[j][j] >= P[i][j] for i in every for j in every),
        "CM": all(P[i - 1][j] <= P[i][j] for j in every for i in range(1, j + 1))
        and all(P[i + 1][j] <= P[i][j] for j in every for i in range(j, n)),
        "F": len({P[i][i] for i in every}) == 1,
        "WH": all(P[i][i] * (n + 1) >= 1 for i in every),
        "S": all(P[i][j] == P[n - i][n - j] for i in every for j in every),
    }
    return frozenset(code for code, held in holds.items() if held)


def rescaled_l0(P: Matrix) -> Fraction:
    """Return equation (1): (n + 1)/n − trace/n."""
    n = len(P) - 1
    return Fraction(n + 1, n) - sum((P[i][i] for i in range(n + 1)), Fraction(0)) / n


SEVEN = frozenset({"RH", "RM", "CH", "CM", "F", "WH", "S"})
ALPHAS = tuple(
    Fraction(a) for a in ("1/10", "1/3", "1/2", "62/100", "2/3", "3/4", "9/10", "99/100")
)
