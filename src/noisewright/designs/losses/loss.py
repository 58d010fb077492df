"""What an error costs: a matrix of exact numbers, one row per input and one column per output.

L0      1 for any wrong answer
L0,d    1 for an answer more than d away (the paper prints ≥, which contradicts L0 = L0,0)
L1, L2  the distance of the answer, and its square
distance  the space's own metric
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from noisewright.designs.losses.priors import read_prior
from noisewright.errors import ParameterError
from noisewright.exact import ceiling_float, exactly
from noisewright.given import one_of
from noisewright.mechanisms import Mechanism, Table
from noisewright.public import public
from noisewright.spaces import Counts, Interval, Space, numbers

GOALS = ("expected", "worst")

Cost = int | Fraction
Costs = tuple[tuple[Cost, ...], ...]


_MOST_POINTS = 1 << 14
"""A matrix of costs for more points would not fit into memory."""


@dataclass(frozen=True)
class Loss:
    """A named matrix of costs: `costs[x][y]` is what output y costs on input x."""

    name: str
    costs: Costs

    def __repr__(self) -> str:
        return f"Loss({self.name})"


def read_loss(loss: Any, space: Space, outputs: Space) -> Loss:
    """Read a loss: a name, a matrix, or a function of (input, output).

    Requires: finite costs of at least 0. L1, L2 and L0,d need points that are numbers or a
    space with a metric that tells how far apart two points are.
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str):
        return Loss(loss, _by_name(loss, space, outputs))
    if callable(loss):
        return Loss(getattr(loss, "__name__", "loss"), _matrix(loss, space, outputs))
    rows = loss.tolist() if isinstance(loss, np.ndarray) else loss
    try:
        costs = tuple(tuple(_cost(cost) for cost in row) for row in rows)
    except TypeError as problem:
        raise ParameterError(
            "loss must be a name (L0, L1, L2, 'L0,1', distance), a matrix or a function of "
            "(input, output)."
        ) from problem
    if len(costs) != space.size or any(len(row) != outputs.size for row in costs):
        raise ParameterError(
            f"the loss matrix must have {space.size} rows (inputs) and {outputs.size} columns "
            "(outputs)."
        )
    return Loss("matrix", _require_costs(costs))


def cost_of_distance(name: str) -> Callable[[Any], Any] | None:
    """Return a named loss as a function of how far off an answer is; None for no such name."""
    within = re.fullmatch(r"L0,(\d+)", name.replace(" ", ""))
    if within:
        limit = int(within.group(1))
        return lambda away: (away > limit) * 1
    named: dict[str, Callable[[Any], Any]] = {
        "L0": lambda away: (away > 0) * 1,
        "L1": lambda away: away,
        "distance": lambda away: away,
        "L2": lambda away: away * away,
    }
    return named.get(name)


def _by_name(name: str, space: Space, outputs: Space) -> Costs:
    cost = cost_of_distance(name)
    if cost is None:
        raise ParameterError(
            f"loss is {name!r}; the named ones are 'L0', 'L1', 'L2', 'L0,d' for a whole d, and "
            "'distance'. A matrix or a function of (input, output) is fine too."
        )
    if isinstance(space, Counts) and outputs == space and space.metric == "absolute":
        # All differences of codes at once.
        space.require_enumerable("all losses", most=_MOST_POINTS)
        codes = np.arange(space.size)
        matrix = cost(np.abs(codes[:, None] - codes))
        return tuple(map(tuple, matrix.tolist()))
    if name == "L0":
        return _matrix(lambda x, y: int(x != y), space, outputs)
    away = _distance(space, outputs)
    return _matrix(lambda x, y: cost(away(x, y)), space, outputs)


def _distance(space: Space, outputs: Space) -> Callable[[Any, Any], Any]:
    """Return the distance of an input and an output: the metric, or that of the numbers."""
    if outputs == space:
        return space.distance
    if isinstance(space, (Counts, Interval)):
        before = dict(zip(space.points, numbers(space), strict=True))
        after = dict(zip(outputs.points, numbers(outputs), strict=True))
        return lambda x, y: abs(before[x] - after[y])
    raise ParameterError(
        "this loss needs a distance between inputs and outputs, which are different points "
        "here. Give a matrix or a function of (input, output)."
    )


def _matrix(cost: Callable[[Any, Any], Any], space: Space, outputs: Space) -> Costs:
    points = list(outputs.points)
    return _require_costs(tuple(tuple(_cost(cost(x, y)) for y in points) for x in space.points))


def _cost(value: Any) -> Cost:
    """Read a cost; whole ones stay Python integers, which are far quicker than fractions."""
    if type(value) is int:
        return value
    exact = exactly(value, name="a cost")
    return exact.numerator if exact.denominator == 1 else exact


def _require_costs(costs: Costs) -> Costs:
    for x, row in enumerate(costs):
        for y, cost in enumerate(row):
            if cost < 0:
                raise ParameterError(
                    f"the cost at row {x}, column {y} is {cost}; costs must be at least 0."
                )
    return costs


def read_goal(goal: str) -> str:
    """Read the goal: the expected loss under the prior, or that of the worst input."""
    return one_of(goal, GOALS, name="goal")


@public
def loss(
    mechanism: Mechanism, loss: Any = "L0", *, goal: str = "expected", prior: Any = None
) -> float:
    """Return the loss of a mechanism: the smallest double that is not below the true value.

    `goal="expected"` averages over inputs by the prior (uniform by default);
    `goal="worst"` takes the worst input, unweighted.
    Source: Cormode–Kulkarni–Srivastava 2018, Definition 3, without the factor (n + 1)/n of L0.
    """
    return ceiling_float(exact_loss(mechanism.table(), loss, goal=goal, prior=prior))


def exact_loss(
    table: Table, loss: Any = "L0", *, goal: str = "expected", prior: Any = None
) -> Fraction:
    """Return the loss of a table as an exact rational."""
    costs = read_loss(loss, table.space, table.outputs).costs
    by_input = [
        Fraction(sum(map(mul, row, line)), table.total)
        for row, line in zip(table.weights.tolist(), costs, strict=True)
    ]
    if read_goal(goal) == "worst":
        return max(by_input)
    weights = read_prior(prior, table.space)
    return sum((w * one for w, one in zip(weights, by_input, strict=True)), Fraction(0))
