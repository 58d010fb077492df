"""The smallest ε for a purpose: a loss of one answer, or the error of an estimate from many."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from noisewright import designs
from noisewright.designs import SmallestEpsilon
from noisewright.errors import InputError, ParameterError
from noisewright.estimation import Estimate, expected_error, normal_quantile, read_confidence
from noisewright.exact import Number, exactly
from noisewright.mechanisms import Mechanism
from noisewright.plans.column import Column
from noisewright.plans.plan import Plan
from noisewright.public import public
from noisewright.spaces import Records, Space

_SMALLEST, _LARGEST = 2.0**-20, 64.0

Maker = Callable[[float], Mechanism]


@dataclass(frozen=True)
class PlannedEpsilon:
    """The answer to `epsilon_for` with people: with `epsilon` the planned error meets the target.

    `lower` is an epsilon that misses it, as close as the tolerance asked for; `expected` is the
    planned estimate and `mechanism` the one that it needs.
    """

    epsilon: float
    lower: float
    target: float
    mechanism: Mechanism
    expected: Estimate

    def __str__(self) -> str:
        # As many digits as it takes to tell the two apart.
        apart = (d for d in range(6, 17) if f"{self.epsilon:.{d}g}" != f"{self.lower:.{d}g}")
        digits = next(apart, 17)
        return (
            f"epsilon={self.epsilon:.{digits}g} reaches an error of {self.target:g} with "
            f"{self.expected.people:,} people; epsilon={self.lower:.{digits}g} does not."
        )


@overload
def epsilon_for(
    space: Space,
    *,
    target: Number,
    people: None = ...,
    delta: Number = ...,
    tolerance: Number = ...,
    **problem: Any,
) -> SmallestEpsilon: ...


@overload
def epsilon_for(
    space: Space,
    *,
    target: Number,
    people: int,
    delta: Number = ...,
    tolerance: Number = ...,
    **problem: Any,
) -> PlannedEpsilon: ...


@public
def epsilon_for(
    space: Space,
    *,
    target: Number,
    people: int | None = None,
    delta: Number = 0,
    tolerance: Number = 1e-6,
    **problem: Any,
) -> SmallestEpsilon | PlannedEpsilon:
    """Find the smallest epsilon that reaches a target.

    Without `people` the target is a loss, and the answer the smallest epsilon whose best mechanism
    has a loss of at most that. `problem` is as for `design`: loss="L0", goal="expected", prior,
    properties, tie_break. Requires: a target above what the best answers lose without any privacy
    (0 for the named losses); a tolerance of at least 1e-12 (below some 1e-9 the proof may be too
    coarse to separate the two ends). Ensures: `design.loss` ≤ target at `epsilon`, and a proven
    bound above it at `lower`; an epsilon of 0 means that a constant answer reaches the target.

    With `people` the target is the largest standard error of an estimate from that many released
    rows, or with `confidence` half of the length of its interval. `problem` is as for
    `expected_error`: of, at, shares, about; and `mechanism`, a function from epsilon to the
    mechanism to be used, by default the one with which a `Plan` releases a column of this space
    (columns of Records with equal parts of epsilon). There a row is one person's, and any value may
    become any other: for counts of groups give `mechanism`, such as
    lambda e: nw.geometric(space, epsilon=e). Requires: errors that fall when epsilon grows, as
    they do for these.
    """
    if people is None:
        return designs.epsilon_for(
            space, target=target, delta=delta, tolerance=tolerance, **problem
        )
    return _plan_epsilon(
        space, float(exactly(target, name="target")), people, delta, tolerance, problem
    )


def _plan_epsilon(
    space: Space,
    target: float,
    people: int,
    delta: Number,
    tolerance: Number,
    problem: dict[str, Any],
) -> PlannedEpsilon:
    known = ("of", "at", "shares", "about", "confidence", "mechanism")
    unknown = sorted(set(problem) - set(known))
    if unknown:
        raise InputError(
            f"with people given, {', '.join(unknown)} has no effect; give some of "
            f"{', '.join(known)}."
        )
    if not target > 0:
        raise ParameterError(f"the target is an error of {target:g}; it must be above 0.")
    make: Maker = problem.pop("mechanism", None) or default_mechanism(space, delta)
    confidence = problem.pop("confidence", None)
    scale = 1.0 if confidence is None else normal_quantile(read_confidence(confidence))

    def plan(epsilon: float) -> tuple[Mechanism, Estimate, float]:
        mechanism = make(epsilon)
        level = {} if confidence is None else {"confidence": confidence}
        expected = expected_error(mechanism, people=people, **level, **problem)
        if not isinstance(expected, Estimate):
            raise InputError("epsilon_for() plans one table; name it with of=.")
        return mechanism, expected, scale * float(np.max(expected.standard_errors))

    low, high = 0.0, 1.0
    while plan(high)[2] > target:
        low, high = high, 2 * high
        if high > _LARGEST:
            left = plan(_LARGEST)[2]
            raise ParameterError(
                f"the target is an error of {target:g}; from {people:,} people it is {left:.3g} "
                "even without noise, because they are a sample. Ask for a larger target, for "
                "more people, or about='people'."
            )
    while low == 0 and plan(high / 2)[2] <= target:
        high /= 2
        if high < _SMALLEST:
            break
    low = low or high / 2
    fine = float(exactly(tolerance, name="tolerance"))
    while high - low > fine * high:
        middle = math.sqrt(low * high)
        if plan(middle)[2] <= target:
            high = middle
        else:
            low = middle
    mechanism, expected, _ = plan(high)
    return PlannedEpsilon(high, low, target, mechanism, expected)


def default_mechanism(space: Space, delta: Number) -> Maker:
    """Return what a plan of this column alone, or of these columns, releases for each epsilon."""
    spaces = dict(space.columns) if isinstance(space, Records) else {"value": space}
    columns = {name: Column(one) for name, one in spaces.items()}

    def make(epsilon: float) -> Mechanism:
        plan = Plan(columns, epsilon=epsilon, delta=delta)
        return plan.mechanism if isinstance(space, Records) else plan.parts[0].mechanism

    return make
