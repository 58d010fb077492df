"""Errors of collected shares against the formulas of the papers, and how often intervals hold.

    python -m benchmarks.local_accuracy [--collections 1000] [--method projective]

For k in {10, 100, 1000, 10000} and ε in {½, 1, 2, 4}: collections of a thousand people each, or as
many as give each value 50 reports by chance, drawn and counted by the code that devices and servers
run. `n MSE` is the mean squared error of all shares times the number of people, next to what Wang,
Blocki, Li and Jha (2017) have for the method, from e^ε alone. Required: within 5% of the formula
(and four standard errors of this measurement); intervals of 95% that hold 93% to 97% of the time.
A collection of 10,000 values has as many intervals: there a twentieth of the collections is enough.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np

import noisewright as nw
from noisewright.local.families.hashed import Hashed
from noisewright.local.families.projective import Projective
from noisewright.local.randomizer import BlockResponse

VALUES = (10, 100, 1_000, 10_000)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
METHODS = ("response", "projective", "hadamard", "unary", "symmetric unary", "subset", "hashing")
NEAR, LEAST, MOST = 0.05, 0.93, 0.97


@dataclass(frozen=True)
class Measured:
    """One method on one grid point."""

    method: str
    values: int
    epsilon: float
    error: float
    formula: float
    noise: float
    """The standard error of `error`, as a share of it."""
    covered: float
    collections: int

    @property
    def off(self) -> float:
        """By which share the error differs from the formula."""
        return self.error / self.formula - 1

    @property
    def passed(self) -> bool:
        """Whether both requirements are met."""
        near = abs(self.off) <= NEAR + 4 * self.noise
        return near and LEAST <= self.covered <= MOST

    def __str__(self) -> str:
        verdict = "ok" if self.passed else "FAILS"
        return (
            f"{self.method:16} {self.values:6,} {self.epsilon:4} {self.error:10.4g} "
            f"{self.formula:10.4g} {self.off:+7.1%} {self.covered:8.3f} {self.collections:6,}  "
            f"{verdict}"
        )


def chances(
    method: str, k: int, e: float, collected: nw.local.FrequencyCollection
) -> tuple[float, float]:
    """Return p* and q* by the formulas, from e^ε and the integers of the method."""
    made = collected.randomizer
    if method == "unary":
        return 0.5, 1 / (e + 1)
    if method == "symmetric unary":
        return math.sqrt(e) / (math.sqrt(e) + 1), 1 / (math.sqrt(e) + 1)
    assert isinstance(made, BlockResponse)
    if method == "response":
        return e / (e + k - 1), 1 / (e + k - 1)
    if method == "subset":
        d = round(k / (e + 1)) or 1
        whole = d * e + k - d
        return d * e / whole, ((d - 1) * d * e + (k - d) * d) / ((k - 1) * whole)
    family = made.family
    if isinstance(family, Hashed):
        return e / (e + family.outputs - 1), 1 / family.outputs
    assert isinstance(family, Projective)
    q, t = family.q, family.t
    points, s, shared = ((q**n - 1) // (q - 1) for n in (t, t - 1, t - 2))
    whole = s * e + points - s
    return s * e / whole, (shared * e + s - shared) / whole


def measure(method: str, values: int, epsilon: float, *, collections: int, people: int) -> Measured:
    """Collect from the same people again and again."""
    collected = nw.local.frequencies(nw.Counts(values - 1), epsilon=epsilon, method=method)
    p, q = chances(method, values, math.exp(epsilon), collected)
    people = max(people, math.ceil(50 / q))
    weights = 1 / np.arange(1, values + 1)
    codes = np.random.default_rng(1).choice(values, people, p=weights / weights.sum())
    truth = np.bincount(codes, minlength=values) / people
    formula = q * (1 - q) / (p - q) ** 2 + float(truth.mean()) * (1 - p - q) / (p - q)
    errors, held = np.empty(collections), 0
    for number in range(collections):
        answer = collected.server().add(collected.reports(codes)).estimate()
        errors[number] = people * float(((answer.values - truth) ** 2).mean())
        held += int(((answer.lows <= truth) & (truth <= answer.highs)).sum())
    error = float(errors.mean())
    noise = float(errors.std() / math.sqrt(collections)) / error
    return Measured(
        method, values, epsilon, error, formula, noise, held / (collections * values), collections
    )


def grid(
    *, collections: int = 1000, methods: tuple[str, ...] = METHODS, people: int = 1_000
) -> list[Measured]:
    """Measure everything; fewer collections where each has thousands of values already."""
    print(
        f"{'method':16} {'k':>6} {'ε':>4} {'n MSE':>10} {'formula':>10} {'off':>7} {'covered':>8}"
    )
    found: list[Measured] = []
    for method in methods:
        for values in VALUES:
            for epsilon in EPSILONS:
                few = max(2, collections if values < 10_000 else collections // 20)
                found.append(measure(method, values, epsilon, collections=few, people=people))
                print(found[-1], flush=True)
    return found


def main() -> int:
    """Run the grid; fail if a requirement is not met."""
    said = argparse.ArgumentParser(description=__doc__)
    said.add_argument("--collections", type=int, default=1000)
    said.add_argument("--method", choices=METHODS, action="append")
    asked = said.parse_args()
    found = grid(collections=asked.collections, methods=tuple(asked.method or METHODS))
    return 0 if all(one.passed for one in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
