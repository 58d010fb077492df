"""A design problem as a value: what may come in and go out, what is promised, what errors cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.designs.losses.loss import Loss, exact_loss, read_goal, read_loss
from noisewright.designs.losses.priors import read_prior
from noisewright.designs.property_names import read_properties
from noisewright.mechanisms import Guarantee, Table
from noisewright.spaces import Counts, Places, Space, numbers


@dataclass(frozen=True)
class Problem:
    """Minimize a loss over all mechanisms with a guarantee and structural properties."""

    space: Space
    outputs: Space
    guarantee: Guarantee
    loss: Loss
    goal: str
    prior: tuple[Fraction, ...]
    properties: frozenset[str]

    @property
    def shape(self) -> tuple[int, int]:
        """Inputs and outputs."""
        return self.space.size, self.outputs.size

    @cached_property
    def pairs(self) -> NDArray[np.intp]:
        """The unordered pairs of neighboring inputs; without a δ those that imply the others."""
        if self.guarantee.delta == 0:
            return self.space.direct_codes()
        return self.space.neighbor_codes()

    @property
    def is_path(self) -> bool:
        """Whether counts come out, and the promise to adjacent counts is that to all others."""
        if not isinstance(self.space, Counts) or self.guarantee.delta or self.outputs != self.space:
            return False
        return self.space.neighbors == "adjacent" or (
            self.space.by_distance and self.space.metric == "absolute"
        )

    @property
    def is_complete(self) -> bool:
        """Whether every two points are promised the same."""
        return self.space.neighbors == "replace" or (
            self.space.by_distance and self.space.metric == "discrete"
        )

    @property
    def is_zero_one(self) -> bool:
        """Whether the loss is 1 for any wrong answer and 0 for the right one."""
        return self.outputs == self.space and all(
            row[x] == 0 and row.count(1) == len(row) - 1 for x, row in enumerate(self.loss.costs)
        )

    @property
    def is_uniform(self) -> bool:
        """Whether all inputs have the same weight."""
        return len(set(self.prior)) == 1

    def loss_of(self, table: Table) -> Fraction:
        """Return the exact loss of a table: what is to be minimized."""
        return exact_loss(table, self.loss, goal=self.goal, prior=self.prior)

    @cached_property
    def places(self) -> Places:
        """Where inputs and outputs lie, and which output is the truth."""
        return Places.of(self.space, self.outputs)

    @cached_property
    def certain(self) -> dict[int, int]:
        """Inputs that have one possible answer: unbiased on the least or the largest output."""
        if "U" not in self.properties:
            return {}
        outputs = numbers(self.outputs)
        ends = {value: outputs.index(value) for value in (min(outputs), max(outputs))}
        values = enumerate(numbers(self.space))
        return {x: ends[value] for x, value in values if value in ends}

    @cached_property
    def nearest(self) -> Fraction:
        """How often ε counts between the two neighbors where it counts least."""
        if not self.space.by_distance:
            return Fraction(1)
        pairs = self.pairs.tolist()
        return Fraction(min((self.space.neighbor_distance(a, b) for a, b in pairs), default=1))

    @cached_property
    def is_centrosymmetric(self) -> bool:
        """Whether turning inputs and outputs around changes nothing.

        Then averaging a mechanism with its mirror image keeps everything, and one may look
        among symmetric mechanisms only (Cormode–Kulkarni–Srivastava 2018, Theorem 1, which
        needs the prior to be symmetric too).
        """
        last_input, last_output = self.space.size - 1, self.outputs.size - 1
        if not self.space.ordered or not self.outputs.ordered:
            return False
        if self.properties and self.outputs != self.space and not self.places.is_mirrored:
            return False
        if self.goal == "expected" and self.prior != self.prior[::-1]:
            return False
        costs = self.loss.costs
        if any(row != costs[last_input - x][::-1] for x, row in enumerate(costs)):
            return False
        apart = self.space.neighbor_distance
        pairs = {(a, b): apart(a, b) for a, b in self.pairs.tolist()}
        mirrored = {(last_input - b, last_input - a): d for (a, b), d in pairs.items()}
        return last_output >= 0 and pairs == mirrored


def read_problem(
    space: Space,
    outputs: Space,
    guarantee: Guarantee,
    loss: Any,
    goal: str,
    prior: Any,
    properties: Any,
) -> Problem:
    """Read a problem from what the caller of `design` gave."""
    return Problem(
        space,
        outputs,
        guarantee,
        read_loss(loss, space, outputs),
        read_goal(goal),
        read_prior(prior, space),
        read_properties(properties, space, outputs),
    )
