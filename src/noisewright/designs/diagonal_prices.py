"""Prices that prove how large a diagonal can be.

For each output i the diagonal entry pays the middle row along the column: P(i|i) ≤ e^ε P(i|i+1)
≤ …, with prices that fall by α at each step. What else there is:

    CH or CM   y_i ≤ e^ε P(i|i+1) and P(i|i+1) ≤ y_i+1 let an outer entry pay the next one, κ_i;
               with an even n the middle entry is at least 1/(n + 1), which CH says of its row;
    WH         an entry that pays more than it earns is held up by y_i ≥ 1/(n + 1).

Earnings are 1 for each y_i, all over n + 1. W is what the middle asks for a unit of y_m.
"""

from __future__ import annotations

from noisewright.designs.problem import Problem
from noisewright.designs.proof import Prices, Proof
from noisewright.designs.refine import BITS

_ONE = 1 << BITS


def column_proof(problem: Problem) -> Proof:
    """Prove the bound for CH or CM, from Σ_t α^(t−m) = (number of t) · W over t = 0..last."""
    paid = _Paid(problem)
    n, middle = paid.n, paid.middle
    code = "CM" if "CM" in problem.properties else "CH"
    last = middle - 1 if n % 2 == 0 else middle
    rising = [_ONE * _ONE // power for power in paid.powers[: middle + 1]]
    share = sum(rising[middle - t] for t in range(last + 1)) // (last + 1)
    paid.charge_columns(share)
    owed = 0
    for i in range(middle):
        # κ_i = (1 − W α^(m−i) + κ_(i−1)) / α
        owed += _ONE - (share * paid.powers[middle - i] >> BITS)
        passed = owed * _ONE // paid.alpha
        paid.charge(i, i + 1, i, owed)
        paid.charge_property(code, i + 1, i, passed)
        owed = max(0, passed)
    if n % 2 == 0:
        held = share - _ONE
        if "WH" in problem.properties:
            paid.charge_property("WH", middle, middle, held)
        else:
            for i in range(middle):
                # CM leads from the middle to entry i over all entries between them.
                often = i + 1 if code == "CM" else 1
                paid.charge_property(code, middle, i, often * held // (n + 1))
    return paid.proof


def weak_proof(problem: Problem) -> Proof:
    """Prove the bound for WH: the two ends earn what they pay, W α^m = 1."""
    paid = _Paid(problem)
    middle = paid.middle
    share = _ONE * _ONE // paid.powers[middle]
    paid.charge_columns(share)
    last = middle if paid.n % 2 == 0 else middle + 1
    for i in range(1, last):
        paid.charge_property("WH", i, i, (share * paid.powers[middle - i] >> BITS) - _ONE)
    if paid.n % 2 == 0 and paid.n:
        paid.charge_property("WH", middle, middle, share - _ONE)
    return paid.proof


class _Paid:
    """Prices in units of 1/(n + 1), written for both halves of the line."""

    def __init__(self, problem: Problem) -> None:
        self.n = problem.space.size - 1
        self.middle = self.n // 2
        self.alpha = problem.guarantee.epsilon.alpha_bounds(BITS)[0]
        self.powers = [_ONE]
        for _ in range(self.middle):
            self.powers.append(self.powers[-1] * self.alpha >> BITS)
        self.proof = Proof(problem, problem.prior, Prices(BITS, self.n))

    def charge(self, x: int, z: int, y: int, price: int) -> None:
        """Charge P(y|x) ≤ e^ε P(y|z) and its mirror image."""
        share, n = max(0, price) // (self.n + 1), self.n
        self.proof.prices.charge(x, z, y, share, outputs=n + 1)
        self.proof.prices.charge(n - x, n - z, n - y, share, outputs=n + 1)

    def charge_property(self, code: str, a: int, b: int, price: int) -> None:
        """Charge an inequality and its mirror image, once if they are the same."""
        share, n = max(0, price) // (self.n + 1), self.n
        self.proof.prices.charge_property(code, a, b, share)
        if (n - a, n - b) != (a, b):
            self.proof.prices.charge_property(code, n - a, n - b, share)

    def charge_columns(self, share: int) -> None:
        """Let each output's diagonal entry pay its share of the middle row, or of both.

        Between two inputs all outputs on the far side pay the same.
        """
        n, middle = self.n, self.middle
        if n % 2:
            self._charge_lines(middle, share * self.alpha // (_ONE + self.alpha))
        for j in range(middle):
            self._charge_lines(j, share * self.powers[middle - j] >> BITS)

    def _charge_lines(self, j: int, price: int) -> None:
        """Charge P(i|j) ≤ e^ε P(i|j+1) for i = 0..j, and the mirror image."""
        n, prices = self.n, self.proof.prices.privacy
        line = [price // (n + 1)] * (j + 1) + [0] * (n - j)
        prices[j, j + 1] = line
        prices[n - j, n - j - 1] = line[::-1]
