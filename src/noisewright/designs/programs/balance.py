"""Integer weights with an exact sum and an exact mean.

Rounding leaves a row a few units short of its total, and its mean a few units off. Both are mended
by moving units between two or three of the likeliest outputs: outputs lie on a grid, and steps
whose greatest common divisor is 1 combine to any whole correction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from noisewright.designs.problem import Problem
from noisewright.errors import TableError
from noisewright.spaces import numbers


@dataclass(frozen=True)
class OutputScale:
    """Outputs as whole steps from the first one, and inputs in the same steps."""

    outputs: tuple[int, ...]
    inputs: tuple[Fraction, ...]

    @classmethod
    def of(cls, problem: Problem) -> OutputScale:
        """Measure the inputs and outputs of a problem in the largest step that fits."""
        inputs, outputs = numbers(problem.space), numbers(problem.outputs)
        under = math.lcm(*(value.denominator for value in outputs))
        away = [int((value - outputs[0]) * under) for value in outputs]
        step = math.gcd(*away) or 1
        return cls(
            tuple(value // step for value in away),
            tuple((value - outputs[0]) * under / step for value in inputs),
        )

    def balance(self, x: int, row: list[int], total: int, fixed: int | None) -> list[int]:
        """Return the row with the total and the mean of input x; `fixed` is left as it is.

        Requires: `total` times the place of x is whole.
        Ensures: both hold exactly; an entry may have become negative if all were tiny. Raises
        TableError when the outputs that are not fixed cannot make up for the mean.
        """
        missing = total - sum(row)
        moment = int(total * self.inputs[x]) - sum(
            weight * place for weight, place in zip(row, self.outputs, strict=True)
        )
        likeliest = sorted((y for y in range(len(row)) if y != fixed), key=lambda y: (-row[y], y))
        first, *others = likeliest
        step, moves = self._smallest_step(first, others)
        # The first output takes what is missing; the others then move the mean where it belongs.
        off, left = divmod(moment - missing * self.outputs[first], step)
        if left:
            raise TableError(f"the mean on input {x} is between what the other outputs can reach.")
        done = list(row)
        done[first] += missing
        for y, often in moves.items():
            done[y] += often * off
            done[first] -= often * off
        return done

    def _smallest_step(self, first: int, others: list[int]) -> tuple[int, dict[int, int]]:
        """Return the least shift of the mean, and how often to move a unit to whom for it.

        It is 1 unless a fixed output was needed to reach all places.
        """
        reached, moves = 0, dict[int, int]()
        for y in others:
            step = self.outputs[y] - self.outputs[first]
            divisor, keep, add = _bezout(reached, step)
            if divisor == reached:
                continue
            moves = {z: keep * often for z, often in moves.items()}
            moves[y] = add
            reached = divisor
            if reached == 1:
                break
        return reached or 1, moves


def _bezout(a: int, b: int) -> tuple[int, int, int]:
    """Return g = gcd(a, b) ≥ 0 and x, y with a x + b y = g."""
    old, rest = (a, 1, 0), (b, 0, 1)
    while rest[0]:
        quotient = old[0] // rest[0]
        old, rest = rest, tuple(p - quotient * q for p, q in zip(old, rest, strict=True))
    sign = -1 if old[0] < 0 else 1
    return sign * old[0], sign * old[1], sign * old[2]
