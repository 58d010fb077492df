"""All optimal mechanisms of a problem, and the range of a number over them.

An optimum is often not unique, and the paper does not say how its solver chose one. What its
figures plot is linear in P(i|j) (or the root of something linear), so the least and the largest
value over all optima are two more linear programs: the paper's own, with the loss held at its
optimum. They are solved in floating point; `SLACK` says what they can be relied on for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from papers.claims import Verdict
from papers.counts import plain_program
from papers.counts.optima import WM, costs

SLACK = 1e-6
"""Values closer than this are not told apart; the programs are solved to about 1e-9."""

_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Range:
    """The least and the largest value over all optimal mechanisms."""

    low: float
    high: float

    @property
    def wide(self) -> bool:
        """Whether the number depends on which optimum is taken."""
        return self.high - self.low > SLACK

    def map(self, grow: Callable[[float], float]) -> Range:
        """Return the range of an increasing function of the number."""
        return Range(grow(self.low), grow(self.high))

    def words(self, digits: int = 3) -> str:
        """Return one number, or two if there is a difference to see."""
        # Adding 0 makes nothing of the minus of a rounded -0.0.
        low, high = (f"{round(end, digits) + 0.0:.{digits}f}" for end in (self.low, self.high))
        return low if low == high else f"{low}–{high}"


def fixed(value: float) -> Range:
    """Return the range of a number that depends on no tie-break."""
    return Range(value, value)


def below(one: Range, other: Range) -> Verdict:
    """Return whether one number is less than another, whichever optima are taken."""
    if one.high < other.low - SLACK:
        return Verdict.HOLDS
    return Verdict.TIES if one.low < other.high - SLACK else Verdict.FAILS


def at_most(one: Range, other: Range) -> Verdict:
    """Return whether one number is at most another, whichever optima are taken."""
    if one.high <= other.low + SLACK:
        return Verdict.HOLDS
    return Verdict.TIES if one.low <= other.high + SLACK else Verdict.FAILS


class OptimalFace:
    """The optimal mechanisms for a loss under properties, each P(i|j) a variable."""

    def __init__(
        self,
        n: int,
        alpha: Fraction,
        objective: NDArray[np.float64],
        codes: Iterable[str],
        *,
        floor: float = 0.0,
    ):
        import highspy

        codes = frozenset(codes)
        unequal, equal = plain_program.property_rows(codes, n)
        rows = [*plain_program.private_rows(n, float(alpha)), *unequal]
        sums = [{(i, j): 1.0 for i in range(n + 1)} for j in range(n + 1)]
        every = [*rows, *equal, *sums, _row(objective)]
        matrix = csc_array(plain_program.sparse(every, n))
        size = (n + 1) ** 2
        low = np.full((n + 1, n + 1), floor)
        if "WH" in codes:
            np.fill_diagonal(low, max(floor, 1 / (n + 1)))
        ends = [0.0] * len(equal) + [1.0] * (n + 1)
        model: Any = highspy.HighsLp()
        model.num_col_, model.num_row_ = size, len(every)
        model.col_cost_ = objective.ravel()
        model.col_lower_, model.col_upper_ = low.ravel(), np.ones(size)
        model.row_lower_ = np.array([-np.inf] * len(rows) + ends + [-np.inf])
        model.row_upper_ = np.array([0.0] * len(rows) + ends + [np.inf])
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = matrix.indptr
        model.a_matrix_.index_ = matrix.indices
        model.a_matrix_.value_ = matrix.data
        self._highs: Any = highspy.Highs()
        self._done: Any = highspy.HighsModelStatus.kOptimal
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("primal_feasibility_tolerance", _TOLERANCE),
            ("dual_feasibility_tolerance", _TOLERANCE),
        ):
            self._highs.setOptionValue(name, value)
        self._highs.passModel(model)
        self._places = np.arange(size, dtype=np.int32)
        self.optimum = self._least(objective)
        self._highs.changeRowBounds(len(every) - 1, -np.inf, self.optimum + 10 * _TOLERANCE)

    def _least(self, weights: NDArray[np.float64]) -> float:
        self._highs.changeColsCost(len(self._places), self._places, weights.ravel().astype(float))
        # From the last basis, which is quick; from scratch; and by an interior point.
        for solver, fresh in (("choose", False), ("simplex", True), ("ipm", True)):
            if fresh:
                self._highs.clearSolver()
            self._highs.setOptionValue("solver", solver)
            self._highs.run()
            if self._highs.getModelStatus() == self._done:
                return float(self._highs.getInfo().objective_function_value)
        raise ArithmeticError("a program over the optimal mechanisms was not solved")

    def range(self, weights: NDArray[np.float64]) -> Range:
        """Return the range of Σ weights[j, i] P(i|j)."""
        return Range(self._least(weights), -self._least(-weights))


def _row(weights: NDArray[np.float64]) -> plain_program.Row:
    return {(i, j): float(w) for j, row in enumerate(weights) for i, w in enumerate(row)}


SEVEN = ("RH", "RM", "CH", "CM", "F", "WH", "S")

FREE = {
    "L0": {"WH": ("WH",), "WM": WM},
    "L1": {"UCM": (), "WH": ("WH",), "FM": ("F",), "AM": SEVEN},
}
"""Which of the mechanisms of Figures 9 to 18 are one of several optima, and under what
properties. GM is the only optimum; EM and UM are given by formulas."""


def faces(family: str, n: int, alpha: str) -> dict[str, OptimalFace]:
    """Return the optima behind each name of a family of mechanisms, L0, L1 or L2."""
    free = FREE.get(family, FREE["L1"])
    return {name: optimal_face(n, alpha, family, codes) for name, codes in free.items()}


@lru_cache(maxsize=512)
def optimal_face(n: int, alpha: str, loss: str, codes: tuple[str, ...]) -> OptimalFace:
    """Return the optima for a uniform prior."""
    return OptimalFace(n, Fraction(alpha), costs(n, loss), codes)
