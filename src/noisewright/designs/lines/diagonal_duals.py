"""Dual values that prove how large a diagonal can be.

For each output i the diagonal entry pays the middle row along the column: P(i|i) ≤ e^ε P(i|i+1)
≤ …, with dual values that fall by α at each step. What else there is:

    CH or CM   y_i ≤ e^ε P(i|i+1) and P(i|i+1) ≤ y_i+1 let an outer entry pay the next one, κ_i;
               with an even n the middle entry is at least 1/(n + 1), which CH says of its row;
    WH         an entry that pays more than it earns is held up by y_i ≥ 1/(n + 1).

Earnings are 1 for each y_i, all over n + 1. W is what the middle asks for a unit of y_m.
"""

from __future__ import annotations

from noisewright.designs.problem import Problem
from noisewright.designs.programs.refine import BITS
from noisewright.designs.proofs.proof import DualValues, Proof
from noisewright.exact import fixed_powers

_ONE = 1 << BITS


def column_proof(problem: Problem) -> Proof:
    """Prove the bound for CH or CM, from Σ_t α^(t−m) = (number of t) · W over t = 0..last."""
    halves = _Halves(problem)
    n, middle = halves.n, halves.middle
    code = "CM" if "CM" in problem.properties else "CH"
    last = middle - 1 if n % 2 == 0 else middle
    rising = [_ONE * _ONE // power for power in halves.powers[: middle + 1]]
    share = sum(rising[middle - t] for t in range(last + 1)) // (last + 1)
    halves.add_columns(share)
    owed = 0
    for i in range(middle):
        # κ_i = (1 − W α^(m−i) + κ_(i−1)) / α
        owed += _ONE - (share * halves.powers[middle - i] >> BITS)
        passed = owed * _ONE // halves.alpha
        halves.add(i, i + 1, i, owed)
        halves.add_property(code, i + 1, i, passed)
        owed = max(0, passed)
    if n % 2 == 0:
        held = share - _ONE
        if "WH" in problem.properties:
            halves.add_property("WH", middle, middle, held)
        else:
            for i in range(middle):
                # CM leads from the middle to entry i over all entries between them.
                often = i + 1 if code == "CM" else 1
                halves.add_property(code, middle, i, often * held // (n + 1))
    return halves.duals.proof()


def weak_proof(problem: Problem) -> Proof:
    """Prove the bound for WH: the two ends earn what they pay, W α^m = 1."""
    halves = _Halves(problem)
    middle = halves.middle
    share = _ONE * _ONE // halves.powers[middle]
    halves.add_columns(share)
    last = middle if halves.n % 2 == 0 else middle + 1
    for i in range(1, last):
        halves.add_property("WH", i, i, (share * halves.powers[middle - i] >> BITS) - _ONE)
    if halves.n % 2 == 0 and halves.n:
        halves.add_property("WH", middle, middle, share - _ONE)
    return halves.duals.proof()


class _Halves:
    """Dual values in units of 1/(n + 1), written for both halves of the line."""

    def __init__(self, problem: Problem) -> None:
        self.n = problem.space.size - 1
        self.middle = self.n // 2
        self.alpha = problem.guarantee.epsilon.alpha_bounds(BITS)[0]
        self.powers = fixed_powers(self.alpha, self.middle, BITS, up=False)
        self.duals = DualValues(problem, BITS)

    def add(self, x: int, z: int, y: int, value: int) -> None:
        """Charge P(y|x) ≤ e^ε P(y|z) and its mirror image."""
        self.duals.add_mirrored(x, z, y, max(0, value) // (self.n + 1))

    def add_property(self, code: str, a: int, b: int, value: int) -> None:
        """Charge an inequality and its mirror image, once if they are the same."""
        self.duals.add_property_mirrored(code, a, b, max(0, value) // (self.n + 1))

    def add_columns(self, share: int) -> None:
        """Let each output's diagonal entry pay its share of the middle row, or of both.

        Between two inputs all outputs on the far side pay the same.
        """
        n, middle = self.n, self.middle
        if n % 2:
            self._add_lines(middle, share * self.alpha // (_ONE + self.alpha))
        for j in range(middle):
            self._add_lines(j, share * self.powers[middle - j] >> BITS)

    def _add_lines(self, j: int, value: int) -> None:
        """Charge P(i|j) ≤ e^ε P(i|j+1) for i = 0..j, and the mirror image."""
        n, duals = self.n, self.duals.privacy
        line = [value // (n + 1)] * (j + 1) + [0] * (n - j)
        duals[j, j + 1] = line
        duals[n - j, n - j - 1] = line[::-1]
