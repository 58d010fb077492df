"""How much a mechanism errs, exactly."""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

from noisewright.designs.losses.costs import read_loss
from noisewright.designs.losses.priors import read_prior
from noisewright.exact import ceiling_float
from noisewright.given import one_of
from noisewright.mechanisms import Mechanism, Table
from noisewright.public import public

GOALS = ("expected", "worst")


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
