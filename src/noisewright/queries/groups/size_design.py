"""The mechanism for groups of one size: its loss, the bound, its properties and typical errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from noisewright.designs import Design, exact_loss
from noisewright.exact import ceiling_float
from noisewright.mechanisms import Geometric, Table, properties
from noisewright.queries.groups.output_readings import read_outputs, squared_errors

_BITS = 128


@dataclass(frozen=True)
class SizePrediction:
    """How well groups of one size will be counted, before anything is spent.

    Over counts that are equally likely: `truth` is the chance that a count is released as it is,
    `rmse` the root mean squared error and `width` the mean length of an interval; `worst_rmse` is
    that of the count with the largest. `loss` is the one that was asked to be small, and no
    mechanism's is below `bound`; None where it is not worked out.
    """

    size: int
    groups: int
    loss: float | None
    bound: float | None
    truth: float
    rmse: float
    worst_rmse: float
    width: float


@dataclass(frozen=True, eq=False)
class SizeDesign:
    """The mechanism for groups of `size` people; of long lines the formula instead of a table."""

    size: int
    mechanism: Table | Geometric
    design: Design | None
    """How it was designed, with the proof of its bound; None of a mechanism by name."""
    loss_asked: tuple[Any, str, Any]
    """The loss, the goal and the prior that `loss` is about."""

    @cached_property
    def loss(self) -> float | None:
        """The loss of the mechanism, rounded up; None of a formula for other losses than L0."""
        if self.design is not None:
            return self.design.loss
        loss, goal, prior = self.loss_asked
        if isinstance(self.mechanism, Table):
            return ceiling_float(exact_loss(self.mechanism, loss, goal=goal, prior=prior))
        if self.loss_asked != ("L0", "expected", None):
            return None
        power = self.mechanism.epsilon.power_enclosure(_BITS).low
        return ceiling_float(Fraction(self.size, self.size + 1) * 2 / (1 + power))

    @property
    def bound(self) -> float | None:
        """What no mechanism's loss is below; None of a mechanism by name."""
        return None if self.design is None else self.design.bound

    @cached_property
    def properties(self) -> frozenset[str]:
        """The structural properties, decided on the integers; none is reported of a formula."""
        return properties(self.mechanism) if isinstance(self.mechanism, Table) else frozenset()

    def predict(self, groups: int, confidence: Fraction) -> SizePrediction:
        """Return how well so many groups of this size will be counted."""
        errors = squared_errors(self.mechanism)
        if isinstance(self.mechanism, Table):
            matrix = self.mechanism.matrix
            truth = float(np.trace(matrix)) / len(matrix)
            read = read_outputs(self.mechanism, np.arange(len(matrix)), confidence)
            width = float(matrix.mean(axis=0) @ (read.highs - read.lows))
        else:
            alpha = math.exp(-float(self.mechanism.epsilon))
            inside = (self.size - 1) * -math.expm1(-float(self.mechanism.epsilon))
            truth = (inside + 2) / (1 + alpha) / (self.size + 1)
            middle = np.array([self.size // 2])
            read = read_outputs(self.mechanism, middle, confidence)
            width = float((read.highs - read.lows)[0])
        rmse, worst = math.sqrt(errors.mean()), math.sqrt(errors.max())
        return SizePrediction(self.size, groups, self.loss, self.bound, truth, rmse, worst, width)
