"""The program for one end of a long line of counts.

Far from both ends the best mechanism is the geometric one, whatever the ends look like. Let the
first b + 1 inputs and outputs be free, and let

    P(i|j) = c α^|i−j|           for b < i < n − b,  c = (1 − α)/(1 + α)
    P(i|j) = α^(j−b) P(i|b)      for i ≤ b < j

and the mirror image at the other end. Rows b..n−b sum to 1 exactly if Σ_i≤b P(i|b) = 1/(1 + α),
and row j ≤ b does if its first b + 1 entries sum to 1 − α^(b−j) α/(1 + α). So the rest of the
mechanism enters one end through constants only, and n through the costs of row b.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from noisewright.designs.problem import Problem
from noisewright.designs.programs.program import Constraint, Program
from noisewright.designs.programs.refine import BITS
from noisewright.designs.proofs.proof import entries
from noisewright.exact import fixed_powers
from noisewright.spaces import Counts

ONE = 1 << BITS

_STRONGER: dict[str, frozenset[str]] = {
    "RM": frozenset(),
    "RH": frozenset(("RM",)),
    "CM": frozenset(),
    "CH": frozenset(("CM",)),
    "WH": frozenset(("CH", "CM")),
}
"""Properties of an end, and which others imply them."""


@dataclass(frozen=True)
class End:
    """Inputs and outputs 0..last are free; α and its powers are integers over 2^BITS."""

    problem: Problem
    last: int

    @property
    def n(self) -> int:
        """The largest count."""
        return self.problem.space.size - 1

    @cached_property
    def alpha(self) -> int:
        """e^-ε, rounded up, which is the private side."""
        return self.problem.guarantee.epsilon.alpha_bounds(BITS)[1]

    @cached_property
    def powers(self) -> list[int]:
        """α^0, α^1, …, α^n."""
        return fixed_powers(self.alpha, self.n, BITS, up=True)

    @property
    def middle(self) -> int:
        """The constant c of the geometric mechanism."""
        return ((ONE - self.alpha) << BITS) // (ONE + self.alpha)

    def costs(self, away: list[Fraction]) -> list[Fraction]:
        """Return what each entry adds to a loss that only depends on how far off an answer is.

        An entry of row b stands for all entries that follow it in its column.
        """
        b, n, powers = self.last, self.n, self.powers
        costs = [away[abs(i - j)] for j in range(b) for i in range(b + 1)]
        for i in range(b + 1):
            whole = sum((powers[j - b] * away[j - i] for j in range(b, n + 1)), Fraction(0))
            costs.append(whole / ONE)
        return costs

    def program(self, costs: list[Fraction]) -> Program:
        """Return the program; its first constraints are the sums of the rows."""
        size = self.last + 1
        grid = np.arange(size * size).reshape(size, size)
        short = replace(self.problem, space=Counts(self.last), outputs=Counts(self.last))
        rows = [
            Constraint("row", tuple((v, 1, 0) for v in line), total, equal=True)
            for line, total in zip(grid.tolist(), self._row_totals(), strict=True)
        ]
        constraints = [*rows, *self._privacy(), *self._properties()]
        return Program(short, grid, size * size, costs, constraints)

    def _row_totals(self) -> list[Fraction]:
        alpha, powers = self.alpha, self.powers
        beyond = Fraction(alpha, ONE + alpha)
        return [1 - beyond * powers[self.last - j] / ONE for j in range(self.last + 1)]

    def _privacy(self) -> list[Constraint]:
        """List what neighbors may do; row monotony implies half of it."""
        monotone = "RM" in self.problem.properties
        size = self.last + 1
        found: list[Constraint] = []
        for j in range(self.last):
            for i in range(size):
                near, far = (j, j + 1) if i <= j else (j + 1, j)
                for x, z in ((near, far),) if monotone else ((near, far), (far, near)):
                    terms = tuple(sorted([(x * size + i, 1, 0), (z * size + i, 0, -1)]))
                    found.append(Constraint("privacy", terms, 0, equal=False, origins=((x, z, i),)))
        return found

    def _properties(self) -> list[Constraint]:
        """List the inequalities of the properties that no other one implies."""
        codes = self.problem.properties
        kept = [code for code in _STRONGER if code in codes and not codes & _STRONGER[code]]
        points = range(self.last + 1)
        return [
            self._inequality(code, a, b)
            for code in kept
            for a in points
            for b in points
            if (a == b) == (code == "WH")
        ]

    def _inequality(self, code: str, a: int, b: int) -> Constraint:
        size = self.last + 1
        (x, y), (z, w) = entries(code, a, b, self.last)
        more = (x * size + y, -1, 0)
        if code == "WH":
            least = Fraction(-1, self.n + 1)
            return Constraint(code, (more,), least, equal=False, origins=((a, b),))
        terms = tuple(sorted([more, (z * size + w, 1, 0)]))
        return Constraint(code, terms, 0, equal=False, origins=((a, b),))
