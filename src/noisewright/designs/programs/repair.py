"""From a sharp solution to a table of integers that has every property exactly.

Mix in a trace of the interior mechanism, round, and give what is missing in each row to
entries off the diagonal, mirror images alike; where the mean must be exact, to two or three of the
likeliest so that it is. The result is checked in exact arithmetic; if
the trace was too small for the solution's leftovers, a larger one is tried.

Outputs lie on a grid, and steps whose greatest common divisor is 1 combine to any whole correction
of a mean: units move between two or three of the likeliest outputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noisewright.designs.problem import Problem
from noisewright.designs.programs.interior import interior_weights
from noisewright.designs.programs.program import Program
from noisewright.designs.programs.refine import BITS, Refined
from noisewright.errors import TableError, UnrepairedError
from noisewright.mechanisms import Table, properties
from noisewright.privacy import verify
from noisewright.spaces import numbers

_TRACES = (*range(100, 0, -3), 0)
"""The interior mechanism is mixed in with weight 2^-100, or more if need be, up to all of it."""


_ROOM = 8
"""Weights have this many bits less than values."""


def repair(program: Program, solution: Refined) -> Table:
    """Return a table near the solution that satisfies all constraints exactly."""
    rows = [[max(0, solution.values[v]) for v in row] for row in program.variable_of.tolist()]
    return table_near(program.problem, rows, free=_is_free(program, solution))


def table_near(problem: Problem, near: list[list[int]], *, free: bool = False) -> Table:
    """Return a table near some rows that satisfies all constraints exactly.

    Requires: entries that are not negative; `free` if they cost nothing.
    """
    one = 1 << BITS
    rows = [_normalize(row) for row in near]
    if "F" in problem.properties and problem.places.truth is not None:
        rows = _level_truth(rows, problem.places.truth)
    weights, whole = interior_weights(problem)
    share = (1 << 2 * BITS) // whole
    center = [[weight * share >> BITS for weight in row] for row in weights]
    for x, only in problem.certain.items():
        rows[x] = center[x] = [one if y == only else 0 for y in range(len(rows[x]))]
    total = one >> _ROOM

    def mixed_in(part: int) -> Table | None:
        mixed = [
            [((one - part) * v + part * c) >> (BITS + _ROOM) for v, c in zip(a, b, strict=True)]
            for a, b in zip(rows, center, strict=True)
        ]
        try:
            table = _table(problem, mixed, total)
        except TableError:
            # A weight that should make up for rounding was smaller than that.
            return None
        return table if _is_feasible(problem, table) else None

    # A loss of nothing should stay nothing; any other one hardly notices 2^-100.
    best = mixed_in(0) if free else None
    best = best or mixed_in(one >> _TRACES[0])
    if best is not None:
        return best
    # What is feasible stays so with more of the interior mixed in, because the set is convex.
    low, high = 1, len(_TRACES)
    while low < high:
        middle = (low + high) // 2
        table = mixed_in(one >> _TRACES[middle])
        if table is None:
            low = middle + 1
        else:
            best, high = table, middle
    if best is not None:
        return best
    raise UnrepairedError(
        "the solver's answer could not be turned into a proven mechanism. Try a slightly "
        f"different epsilon, and please report {problem.space!r} with {problem.guarantee}."
    )


def _normalize(row: list[int]) -> list[int]:
    """Scale a row to a sum of 2^BITS; what is missing by rounding is made up for later."""
    one = 1 << BITS
    total = sum(row) or one
    if abs(total - one) < 1 << (BITS // 4):
        return row
    return [value * one // total for value in row]


def _is_free(program: Program, solution: Refined) -> bool:
    costs = zip(program.costs, solution.values, strict=True)
    return sum(abs(cost * value) for cost, value in costs) < 1 << 20


def _level_truth(rows: list[list[int]], truth: tuple[int, ...]) -> list[list[int]]:
    """Make the truth equally likely in all rows; a row's difference goes to its other entries."""
    level = sum(row[own] for row, own in zip(rows, truth, strict=True)) // len(rows)
    leveled: list[list[int]] = []
    for own, row in zip(truth, rows, strict=True):
        rest = sum(row) - row[own]
        wanted = sum(row) - level
        if rest == 0:
            share = wanted // max(1, len(row) - 1)
            leveled.append([level if k == own else share for k in range(len(row))])
            continue
        leveled.append([level if k == own else v * wanted // rest for k, v in enumerate(row)])
    return leveled


def _table(problem: Problem, mixed: list[list[int]], total: int) -> Table:
    size = len(mixed)
    symmetric = problem.is_centrosymmetric or "S" in problem.properties
    # Without properties other outputs have no entry that should be the largest.
    known = problem.outputs == problem.space or problem.properties
    truth = problem.places.truth if known else None
    fair = "F" in problem.properties
    scale = OutputScale.of(problem) if "U" in problem.properties else None
    if symmetric:
        # One integer stands for an entry and its mirror image.
        mixed = [
            list(map(min, row, reversed(mirrored)))
            for row, mirrored in zip(mixed, reversed(mixed), strict=True)
        ]
    if fair and truth is not None:
        level = min(row[own] for row, own in zip(mixed, truth, strict=True)) & ~1
        for row, own in zip(mixed, truth, strict=True):
            row[own] = level
    weights = np.empty((size, len(mixed[0])), dtype=object)
    for j, row in enumerate(mixed):
        own = None if truth is None else truth[j]
        self_mirrored = symmetric and 2 * j == size - 1
        if scale is None or self_mirrored:
            # A row that is its own mirror image has its mean in the middle.
            weights[j] = _complete(row, total, own, self_mirrored, fair)
        else:
            weights[j] = scale.balance(j, row, total, own if fair else None)
    if symmetric:
        # Rows were completed by the same rule; the second half is the mirror of the first.
        half = size // 2
        weights[size - half :] = weights[:half][::-1, ::-1]
    return Table(
        problem.space,
        weights,
        total=total,
        outputs=problem.outputs,
        claim=problem.guarantee,
        name="designed mechanism",
    )


def _complete(
    row: list[int], total: int, own: int | None, self_mirrored: bool, fair: bool
) -> list[int]:
    """Add what is missing to the total: to the truth if it may move, else beside it."""
    missing = total - sum(row)
    done = list(row)
    last = len(row) - 1
    if own is not None and not fair:
        done[own] += missing
        return done
    if own is None:
        largest = max(range(len(row)), key=row.__getitem__)
        if not self_mirrored:
            done[largest] += missing
            return done
        # With an even number of outputs what is missing is even; else there is a middle one.
        done[largest] += missing // 2
        done[last - largest] += missing // 2
        done[last // 2] += missing % 2
        return done
    others = [i for i in (own - 1, own + 1) if 0 <= i <= last] or [own]
    if self_mirrored:
        done[others[0]] += missing // 2
        done[others[-1]] += missing - missing // 2
    else:
        done[others[0]] += missing
    return done


def _is_feasible(problem: Problem, table: Table) -> bool:
    asked = problem.properties
    if asked and not asked <= properties(table, epsilon=problem.guarantee.epsilon):
        return False
    return verify(table, epsilon=problem.guarantee.epsilon, delta=problem.guarantee.delta).holds


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
