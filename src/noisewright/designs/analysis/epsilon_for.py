"""The smallest ε whose best mechanism reaches a target loss.

More ε allows more mechanisms, so the least loss never rises with ε and one can search. Every
step solves a design: its true loss proves that the target is reached, its bound that it is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.designs.analysis.loss_by_epsilon import constant_design, least_possible, quick_loss
from noisewright.designs.design import Design, design
from noisewright.designs.problem import Problem, read_problem
from noisewright.errors import ParameterError
from noisewright.exact import Number, exactly, show
from noisewright.mechanisms import Guarantee
from noisewright.spaces import Space

_SMALLEST, _LARGEST = 2.0**-20, 32.0
"""Searched between these: from a millionth to where one answer in 10^13 is wrong."""

_FINEST = Fraction(1e-12)
_GROWTH, _POWER, _SLACK = 0.2, 2.0, 1


@dataclass(frozen=True)
class SmallestEpsilon:
    """The answer to `epsilon_for`: lower ≤ the smallest ε ≤ epsilon.

    `design` is private with `epsilon` and its loss is at most `target`: that is proven. So is
    that no mechanism reaches the target with an ε of `lower` or less (nothing is claimed at 0).
    """

    epsilon: float
    lower: float
    target: Fraction
    design: Design

    def __str__(self) -> str:
        problem = self.design.problem
        reached = f"{problem.goal} {problem.loss.name} {show(self.target)}"
        missed = f"; epsilon={self.lower:.9g} does not" if self.lower else ""
        return f"epsilon={self.epsilon:.9g} reaches {reached}{missed}."


def epsilon_for(
    space: Space,
    *,
    target: Number,
    loss: Any = "L0",
    goal: str = "expected",
    prior: Any = None,
    properties: Any = (),
    delta: Number = 0,
    tolerance: Number = 1e-6,
    tie_break: str | None = "L1",
) -> SmallestEpsilon:
    """Find the smallest epsilon whose best mechanism has a loss of at most the target.

    Requires: a problem as for `design`, without its epsilon; a target above what the best
    answers lose without any privacy (0 for the named losses); `tolerance`, how far apart
    `epsilon` and `lower` may be relative to `epsilon`, at least 1e-12 (below some 1e-9 the
    proof of a design may be too coarse to separate them; then they stay further apart).
    Ensures: `design.loss` ≤ target at `epsilon`, and the bound of the design at `lower` is above
    it. An epsilon of 0 means that a constant answer reaches the target; below 2^-20 nothing
    finer is tried. The search interpolates, truncates and projects (Oliveira–Takahashi 2020).
    """
    wanted = exactly(target, name="target")
    fine = exactly(tolerance, name="tolerance")
    if not _FINEST <= fine < 1:
        raise ParameterError(f"tolerance is {show(fine)}; it must be at least 1e-12 and below 1.")
    problem = read_problem(space, space, Guarantee(1, delta), loss, goal, prior, properties)

    def solve(epsilon: float, tie_break: str | None = None) -> Design:
        return design(
            space,
            epsilon=epsilon,
            delta=problem.guarantee.delta,
            loss=problem.loss,
            goal=goal,
            prior=problem.prior,
            properties=problem.properties,
            tie_break=tie_break,
        )

    if problem.guarantee.delta:
        at_zero = solve(0.0)
    else:
        at_zero = constant_design(problem, at_most=wanted)
    if at_zero is not None and at_zero.exact_loss <= wanted:
        return SmallestEpsilon(0.0, 0.0, wanted, at_zero)
    _require_reachable(problem, wanted)
    search = _EpsilonSearch(solve, wanted, float(fine))
    search.run(_start(problem, wanted, float(fine)))
    plain = search.solve(search.high)
    settled = plain if tie_break is None else solve(search.high, tie_break)
    # Breaking ties may cost a trace of the loss, and the target is a promise.
    kept = settled if settled.exact_loss <= wanted else plain
    return SmallestEpsilon(search.high, search.proven, wanted, kept)


def _require_reachable(problem: Problem, target: Fraction) -> None:
    least = least_possible(problem)
    # All inputs that count would need their best answers for certain; then, at δ = 0 on a
    # connected space, one answer is best for all of them, and it was tried before.
    strict = (
        problem.guarantee.delta == 0
        and problem.space.neighbors in ("adjacent", "replace", "metric")
        and (problem.goal == "expected" or least == 0)
    )
    if target < least or (strict and target == least):
        raise ParameterError(
            f"the target is a loss of {show(target)}; it must be "
            f"{'above' if strict else 'at least'} {show(least)}, the loss of the best answers "
            "without any privacy. Ask for a larger target."
        )


def _start(problem: Problem, target: Fraction, fine: float) -> float:
    """Return an ε near the answer where a closed form gives it, else a common one."""
    curve = quick_loss(problem)
    if curve is None:
        return 1.0

    def excess(epsilon: float) -> float:
        return math.log(max(curve(epsilon), 5e-324)) - _log(target)

    low = high = 1.0
    while excess(high) > 0:
        if high >= _LARGEST:
            return _LARGEST
        low, high = high, high * 2
    while low == high or excess(low) <= 0:
        if low <= _SMALLEST:
            return _SMALLEST
        low, high = low / 2, low
    return crossing(excess, low, high, width=max(low * fine / 100, 1e-15 * low))[1]


class _EpsilonSearch:
    """Two ends that close in: at `low` the target is missed, at `high` it is reached.

    `proven` is the largest ε at which a bound showed that the target cannot be reached; it is
    `low` unless the design's own gap got in between.
    """

    def __init__(self, design_at: Callable[[float], Design], target: Fraction, fine: float) -> None:
        self._design_at = design_at
        self._solved: dict[float, Design] = {}
        self.target, self.fine = target, fine
        self.low = self.proven = 0.0
        self.high = math.inf

    def solve(self, epsilon: float) -> Design:
        if epsilon not in self._solved:
            self._solved[epsilon] = self._design_at(epsilon)
        return self._solved[epsilon]

    def excess(self, epsilon: float) -> float:
        """Return ln(loss / target), never above 0 when the target is reached; move the ends."""
        found = self.solve(epsilon)
        if found.exact_loss <= self.target:
            self.high = min(self.high, epsilon)
            return min(-5e-324, _log(found.exact_loss) - _log(self.target))
        self.low = max(self.low, epsilon)
        if found.exact_bound > self.target:
            self.proven = max(self.proven, epsilon)
        return max(5e-324, _log(found.exact_loss) - _log(self.target))

    def run(self, start: float) -> None:
        """Bracket the answer, starting close around the first guess, and close in."""
        step = self.fine / 3
        trial = min(start * (1 + step), _LARGEST)
        while self.excess(trial) > 0:
            if trial == _LARGEST:
                self._give_up()
            trial = min(trial * 2, _LARGEST)
        trial = max(min(start, self.high) * (1 - step), _SMALLEST)
        while self.low == 0 and self.excess(trial) <= 0:
            if trial == _SMALLEST:
                return
            trial = max(trial / 2, _SMALLEST)
        width = self.fine * self.low
        crossing(self.excess, self.low, self.high, width=width)
        self._prove_below(width)

    def _prove_below(self, width: float) -> None:
        """Step down from an ε that was missed without proof until a bound proves it."""
        while self.low - width > self.proven and width < self.low:
            if self.solve(self.low - width).exact_bound > self.target:
                self.proven = self.low - width
                return
            width *= 4

    def _give_up(self) -> None:
        found = self.solve(_LARGEST)
        raise ParameterError(
            f"the target is a loss of {show(self.target)}; the best mechanism with "
            f"epsilon={_LARGEST:g} loses {found.loss:.6g}. Ask for a larger target or for fewer "
            "properties."
        )


def _log(value: Fraction) -> float:
    if value <= 0:
        return -1e300
    return math.log(value.numerator) - math.log(value.denominator)


def crossing(
    function: Callable[[float], float], low: float, high: float, *, width: float
) -> tuple[float, float]:
    """Return low < high at most `width` apart with function(low) > 0 ≥ function(high).

    Requires: low < high, function(low) > 0 ≥ function(high).
    Ensures: at most one evaluation more than bisection, and far fewer on smooth functions.
    Source: Oliveira–Takahashi 2020, the ITP method: interpolate, truncate, project.
    """
    above, below = function(low), function(high)
    half_width = width / 2
    steps = max(0, math.ceil(math.log2((high - low) / width))) + _SLACK
    reach = half_width * 2.0**steps
    growth = _GROWTH / (high - low)
    while high - low > width:
        middle = (low + high) / 2
        point = _interpolate(low, high, above, below)
        toward = math.copysign(1.0, middle - point)
        # A step towards the middle lets the far end move as well.
        shift = growth * (high - low) ** _POWER
        truncated = point + toward * shift if shift <= abs(middle - point) else middle
        radius = reach - (high - low) / 2
        near = abs(truncated - middle) <= radius
        trial = truncated if near else middle - toward * radius
        if not low < trial < high:
            trial = middle
            if not low < trial < high:
                break  # neighboring doubles
        value = function(trial)
        if value > 0:
            low, above = trial, value
        else:
            high, below = trial, value
        reach /= 2
    return low, high


def _interpolate(low: float, high: float, above: float, below: float) -> float:
    if not (math.isfinite(above) and math.isfinite(below)):
        return (low + high) / 2
    return (above * high - below * low) / (above - below)
