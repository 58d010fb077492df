"""What noise for curves costs, by every two curves."""

import itertools
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.mutants.unit_truth import NOISE, UnjudgedError, UntrueError, decimal

MOST_CURVES = 400


def require_curves(mechanism: Any, epsilon: Decimal) -> None:
    """The numbers of two curves differ by some units in all; each costs a decay."""
    inputs, shift = mechanism["inputs"], mechanism["shift"]
    low, high, step = (Fraction(inputs[name]) for name in ("low", "high", "step"))
    steps, positions = int((high - low) / step), len(inputs["grid"])
    if (steps + 1) ** positions > MOST_CURVES:
        raise UnjudgedError
    matrix = mechanism["matrix"]
    if matrix == "identity":
        matrix = [[int(i == j) for j in range(positions)] for i in range(positions)]
    whole = [[int(entry) for entry in row] for row in matrix]

    def numbers(curve: tuple[int, ...]) -> list[int]:
        exact = [
            sum(a * (v - steps // 2) for a, v in zip(row, curve, strict=True)) for row in whole
        ]
        return [int((Fraction(n, 1 << shift) + Fraction(1, 2)).__floor__()) for n in exact]

    curves = {tuple(numbers(c)) for c in itertools.product(range(steps + 1), repeat=positions)}
    apart = max(
        sum(abs(a - b) for a, b in zip(one, other, strict=True))
        for one in curves
        for other in curves
    )
    needed = apart * decimal(mechanism["decay"]["value"])
    if needed > epsilon + NOISE:
        raise UntrueError(
            f"two curves are {apart} units apart, which costs {needed}, not {epsilon}"
        )
