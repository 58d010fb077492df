"""Repeated experiments on groups: simulated errors beside their exact distribution.

What is drawn is drawn from the integer tables by `mechanism.sample`; data and noise have stated
seeds, so that a run can be repeated. Our tables also give the exact value of every quantity,
which the simulation must hit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from papers.counts.optimal_face import OptimalFace, Range, fixed

SEED = 2018
FAR = 6.0
"""Standard errors that no mean of a right sampler should be away, however many one looks at."""

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Score:
    """A number made of a distribution of errors −n..n: the mean of a cost, or its root."""

    cost: Callable[[Whole], Array]
    root: bool = False

    def of(self, shares: Array) -> Array:
        """Return the score of each distribution along the last axis."""
        mean = shares @ self.cost(_errors_of(shares))
        return np.sqrt(mean) if self.root else mean

    def expected_error(self, exact: Array, draws: int) -> float:
        """Return the standard error that so many independent draws must have."""
        cost = self.cost(_errors_of(exact))
        mean = float(exact @ cost)
        error = math.sqrt(max(0.0, float(exact @ cost**2) - mean * mean) / draws)
        return error / (2 * math.sqrt(mean)) if self.root and mean > 0 else error

    def weighted(self, weights: Array) -> Array:
        """Return the coefficients of P(i|j), rows = inputs, for inputs with these weights."""
        points = np.arange(len(weights))
        return weights[:, None] * self.cost(points - points[:, None])


def beyond(d: int, power: int = 0) -> Score:
    """Return the score `more than d away`: its probability, or the mean of |error|^power there."""
    return Score(lambda error: np.where(np.abs(error) > d, np.abs(error) ** float(power), 0.0))


def share_of(wanted: int) -> Score:
    """Return the score `exactly this error`."""
    return Score(lambda error: (error == wanted).astype(float))


def difference_of(one: int, other: int) -> Score:
    """Return the score `this error` minus `that error`."""
    return Score(lambda error: (error == one).astype(float) - (error == other))


rmse = Score(lambda error: error.astype(float) ** 2, root=True)
"""The root of the mean squared error."""


def _errors_of(shares: Array) -> Whole:
    n = shares.shape[-1] // 2
    return np.arange(-n, n + 1)


@dataclass(frozen=True)
class Measured:
    """Mean, standard deviation and standard error over repetitions, and the exact value.

    `expected_error` is the standard error that the mean must have, from the exact distribution.
    `over_optima` is the range of the exact value over all optimal mechanisms.
    """

    mean: float
    deviation: float
    error: float
    exact: float
    expected_error: float
    over_optima: Range

    @property
    def off(self) -> float:
        """How many standard errors the mean is away from the exact value."""
        distance = abs(self.mean - self.exact)
        if self.expected_error > 0:
            return distance / self.expected_error
        return 0.0 if distance < 1e-12 else math.inf


@dataclass(frozen=True)
class Errors:
    """The errors of one mechanism: observed in each repetition (a row), and exactly.

    `weights` are the probabilities of the inputs. `face` are all mechanisms that are as good as
    this one, or None if it is the only one meant.
    """

    observed: Array
    exact: Array
    groups: int
    weights: Array
    face: OptimalFace | None = None

    def measure(self, score: Score) -> Measured:
        """Return a score over the repetitions and its exact value."""
        values = score.of(self.observed)
        deviation = float(values.std(ddof=1))
        return Measured(
            float(values.mean()),
            deviation,
            deviation / math.sqrt(len(values)),
            float(score.of(self.exact)),
            score.expected_error(self.exact, self.groups * len(values)),
            self.over_optima(score),
        )

    def over_optima(self, score: Score) -> Range:
        """Return the range of a score over all mechanisms that are as good."""
        if self.face is None:
            return fixed(float(score.of(self.exact)))
        found = self.face.range(score.weighted(self.weights))
        return found.map(lambda value: math.sqrt(max(value, 0.0))) if score.root else found

    def minus(self, other: Errors, score: Score) -> Range:
        """Return the range of the difference to the same mechanism on other inputs.

        One mechanism meets both, so the difference has a range of its own. Of a score that is a
        root it is the difference of the squares.
        """
        if self.face is None:
            cost = score.cost(_errors_of(self.exact))
            return fixed(float((self.exact - other.exact) @ cost))
        return self.face.range(score.weighted(self.weights) - score.weighted(other.weights))


def exact_errors(matrix: Array, weights: Array) -> Array:
    """Return the distribution of output − input for inputs with these weights."""
    n = len(matrix) - 1
    shares = np.zeros(2 * n + 1)
    for j in range(n + 1):
        shares[n - j : 2 * n + 1 - j] += weights[j] * matrix[j]
    return shares


def observe(
    mechanism: nw.Mechanism,
    truths: NDArray[np.int64],
    weights: Array,
    *,
    seed: str,
    face: OptimalFace | None = None,
) -> Errors:
    """Release each group's count once; `truths` has one row per repetition."""
    drawn = mechanism.sample(truths.ravel(), source=nw.randomness.SeededSource(seed))
    released = np.asarray(drawn).reshape(truths.shape)
    return compare(released, truths, mechanism.matrix, weights, face=face)


def compare(
    released: Whole, truths: Whole, matrix: Array, weights: Array, *, face: OptimalFace | None
) -> Errors:
    """Return the errors of released counts, beside their exact distribution."""
    n = len(matrix) - 1
    errors = released - truths
    observed = np.stack([np.bincount(row + n, minlength=2 * n + 1) for row in errors])
    exact = exact_errors(matrix, weights)
    return Errors(observed / truths.shape[1], exact, truths.shape[1], weights, face)


def binomial_weights(n: int, p: float) -> Array:
    """Return the probabilities of the counts of n people who each have the bit with p."""
    return np.array([math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)])


def binomial_groups(
    n: int, p: float, *, people: int, repetitions: int, seed: int = SEED
) -> NDArray[np.int64]:
    """Return the counts of groups of n out of a population, one row per repetition."""
    generator = np.random.default_rng([seed, n, round(p * 1000)])
    return generator.binomial(n, p, size=(repetitions, people // n))


def agreement(measured: Iterable[Measured]) -> str:
    """Return in words how well simulation and exact values agree."""
    off = [one.off for one in measured]
    near = sum(value <= 2 for value in off) / len(off)
    word = "agree" if max(off) < FAR else "DISAGREE"
    return (
        f"Simulation and exact values {word}: of {len(off)} simulated means {near:.0%} are within "
        f"two standard errors of the exact value, and the farthest is {max(off):.1f} away."
    )


def row_of(measured: Measured, **where: Any) -> dict[str, Any]:
    """Return a row for a chart and a table of values."""
    return {
        **where,
        "mean": measured.mean,
        "deviation": measured.deviation,
        "error": measured.error,
        "exact": measured.exact,
        "least": measured.over_optima.low,
        "largest": measured.over_optima.high,
    }
