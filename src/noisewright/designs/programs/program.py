"""A design problem as a sparse linear program over the entries of the matrix.

Every coefficient is a rational or −e^(ε·d), d the distance of a pair of inputs that are neighbors
by their distance and 1 otherwise, and is kept that way: the solver sees doubles, the
proof sees the numbers themselves. A constraint is `Σ coefficient · entry ≤ limit` or `= limit`.
With centrosymmetry one variable stands for an entry and its mirror image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from noisewright.designs.losses.loss import Loss
from noisewright.designs.problem import Problem
from noisewright.exact import Bounds, scale_epsilon
from noisewright.spaces import Distance, numbers

Terms = tuple[tuple[int, Fraction | int, int], ...]
"""(variable, rational part, multiple): the coefficient is rational + multiple · e^(ε·distance)."""

Origin = tuple[int, ...]
"""Which inequality a constraint comes from: (x, z, y) where x must not exceed its neighbor z on
output y; (a, b) for a property, read as the checker reads it; (x,) for the loss of one input."""


@dataclass(frozen=True)
class Constraint:
    """Σ terms ≤ limit, or = limit; `kind` says where it comes from."""

    kind: str
    terms: Terms
    limit: Fraction | int
    equal: bool
    origins: tuple[Origin, ...] = ()
    """Which inequalities of the full program it stands for."""
    distance: Distance = 1
    """How often ε counts in it."""


@dataclass
class Program:
    """Variables, costs and constraints of a design problem."""

    problem: Problem
    variable_of: NDArray[np.intp]
    """For each entry (input, output) its variable."""
    entries: int
    """How many variables are entries; slack variables and the worst case follow."""
    costs: list[Fraction] = field(default_factory=list[Fraction])
    constraints: list[Constraint] = field(default_factory=list[Constraint])
    _ratios: dict[tuple[Distance, int], Bounds] = field(
        default_factory=dict[tuple[Distance, int], Bounds], repr=False
    )

    @property
    def variables(self) -> int:
        """How many variables there are."""
        return len(self.costs)

    def ratio_bounds(self, constraint: Constraint, bits: int) -> Bounds:
        """Bound e^(ε·distance) as it stands in a constraint."""
        key = (constraint.distance, bits)
        if key not in self._ratios:
            allowed = scale_epsilon(self.problem.guarantee.epsilon, constraint.distance)
            self._ratios[key] = allowed.ratio_bounds(bits)
        return self._ratios[key]

    def costs_of(self, loss: Loss) -> list[Fraction]:
        """Return what each variable adds to a loss that is averaged by the prior."""
        costs = [Fraction(0)] * self.variables
        for weight, row, line in zip(
            self.problem.prior, self.variable_of.tolist(), loss.costs, strict=True
        ):
            for variable, cost in zip(row, line, strict=True):
                costs[variable] += weight * cost
        return costs

    def with_second_goal(self, costs: list[Fraction], *, limit: Fraction) -> Program:
        """Return the program that minimizes second costs while the first stay within a limit."""
        keep = Constraint(
            "first goal",
            tuple((v, cost, 0) for v, cost in enumerate(self.costs) if cost),
            limit,
            equal=False,
        )
        return Program(
            self.problem, self.variable_of, self.entries, costs, [*self.constraints, keep]
        )


def program_for(problem: Problem, *, symmetric: bool | None = None) -> Program:
    """Write down the program of a problem, with one variable per orbit of its symmetry.

    `symmetric=False` leaves its symmetry unused.
    """
    return _Writer(problem, problem.is_centrosymmetric if symmetric is None else symmetric).program


class _Writer:
    def __init__(self, problem: Problem, symmetric: bool) -> None:
        self.problem = problem
        inputs, outputs = problem.shape
        codes = np.arange(inputs * outputs).reshape(inputs, outputs)
        self.symmetric = symmetric
        mirrored = codes[::-1, ::-1] if self.symmetric else codes
        smallest, variable_of = np.unique(np.minimum(codes, mirrored), return_inverse=True)
        self.variable_of = variable_of.reshape(codes.shape)
        self.program = Program(problem, self.variable_of, len(smallest))
        self.program.costs = [Fraction(0)] * len(smallest)
        self.seen: dict[tuple[str, Terms, Fraction | int, bool, Distance], list[Origin]] = {}
        self._rows()
        self._privacy()
        self._properties()
        self._objective()
        for (kind, terms, limit, equal, distance), origins in self.seen.items():
            self.program.constraints.append(
                Constraint(kind, terms, limit, equal, tuple(origins), distance)
            )

    def _add(
        self,
        kind: str,
        terms: Sequence[tuple[int, Fraction | int, int]],
        limit: Fraction | int = 0,
        *,
        equal: bool = False,
        origin: Origin = (),
        distance: Distance = 1,
    ) -> None:
        if len(terms) == 2 and terms[0][0] != terms[1][0]:
            kept: Terms = tuple(sorted(terms))
        else:
            kept = _merge(terms)
        if not kept:
            return
        key = (kind, kept, limit, equal, distance)
        self.seen.setdefault(key, []).append(origin)

    def _new(self, cost: Fraction = Fraction(0)) -> int:
        self.program.costs.append(cost)
        return len(self.program.costs) - 1

    def _rows(self) -> None:
        for row in self.variable_of.tolist():
            self._add("row", [(v, 1, 0) for v in row], 1, equal=True)

    def _privacy(self) -> None:
        delta = self.problem.guarantee.delta
        grid = self.variable_of.tolist()
        slack_of: dict[tuple[Terms, Distance], int] = {}
        for a, b in self.problem.pairs.tolist():
            distance = self.problem.space.neighbor_distance(a, b)
            for over, under in ((a, b), (b, a)):
                lines = [
                    [(p, 1, 0), (q, 0, -1)] for p, q in zip(grid[over], grid[under], strict=True)
                ]
                if delta == 0:
                    for output, terms in enumerate(lines):
                        if not self._is_implied(over, under, output):
                            origin = (over, under, output)
                            self._add("privacy", terms, origin=origin, distance=distance)
                    continue
                slacks: list[int] = []
                for output, terms in enumerate(lines):
                    key = (tuple(terms), distance)
                    if key not in slack_of:
                        slack_of[key] = self._new()
                    slacks.append(slack_of[key])
                    excess = [*terms, (slacks[-1], -1, 0)]
                    origin = (over, under, output)
                    self._add("excess", excess, origin=origin, distance=distance)
                self._add("budget", [(s, 1, 0) for s in slacks], delta)

    def _is_implied(self, over: int, under: int, output: int) -> bool:
        """Row monotony already keeps an input further from the output below a nearer one."""
        if "RM" not in self.problem.properties:
            return False
        inputs, outputs = self._line
        at, near, far = outputs[output], inputs[under], inputs[over]
        return (at <= near < far) or (far < near <= at)

    @property
    def _line(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """The positions of inputs and outputs, for properties that need an order."""
        inputs, outputs = self.problem.places.inputs, self.problem.places.outputs
        assert inputs is not None
        assert outputs is not None
        return inputs, outputs

    def _properties(self) -> None:
        codes = self.problem.properties
        grid = self.variable_of.tolist()
        columns = [list(column) for column in zip(*grid, strict=True)]
        if "RM" in codes:
            inputs, outputs = self._line
            self._falling("RM", columns, inputs, outputs)
        if "CM" in codes:
            inputs, outputs = self._line
            self._falling("CM", grid, outputs, inputs)
        if "OD" in codes:
            for x, row in enumerate(grid):
                for y, (one, other) in enumerate(pairwise(row)):
                    self._add("OD", [(one, 1, 0), (other, 0, -1)], origin=(x, y, y + 1))
                    self._add("OD", [(other, 1, 0), (one, 0, -1)], origin=(x, y + 1, y))
        if "S" in codes and not self.symmetric:
            self._symmetry(grid)
        if "U" in codes:
            self._means(grid)
        if self.problem.places.truth is not None:
            self._honesty(grid, columns, self.problem.places.truth)

    def _honesty(
        self, grid: list[list[int]], columns: list[list[int]], truth: tuple[int, ...]
    ) -> None:
        """What is asked of the true answers."""
        codes = self.problem.properties
        truths = [row[y] for row, y in zip(grid, truth, strict=True)]
        if "RH" in codes and "RM" not in codes:
            self._peak("RH", [columns[y] for y in truth], range(len(grid)))
        if "CH" in codes and "CM" not in codes:
            self._peak("CH", grid, truth)
        if "F" in codes:
            for i, entry in enumerate(truths[1:], start=1):
                self._add("F", [(entry, 1, 0), (truths[0], -1, 0)], equal=True, origin=(0, i))
        if "WH" in codes and not codes & {"CH", "CM"}:
            for i, entry in enumerate(truths):
                self._add("WH", [(entry, -1, 0)], Fraction(-1, len(columns)), origin=(i, i))

    def _symmetry(self, grid: list[list[int]]) -> None:
        last, last_output = len(grid) - 1, len(grid[0]) - 1
        for j, row in enumerate(grid):
            for i, entry in enumerate(row):
                mirror = grid[last - j][last_output - i]
                if entry < mirror:
                    terms = [(entry, 1, 0), (mirror, -1, 0)]
                    self._add("S", terms, equal=True, origin=(last - j, last_output - i))

    def _means(self, grid: list[list[int]]) -> None:
        """The mean output is the input; of two mirrored inputs one equation is enough."""
        inputs, outputs = numbers(self.problem.space), numbers(self.problem.outputs)
        for x, row in enumerate(grid):
            if self.symmetric and 2 * x > len(grid) - 1:
                return
            terms = [(v, y - inputs[x], 0) for v, y in zip(row, outputs, strict=True)]
            self._add("U", [term for term in terms if term[1]], equal=True, origin=(x,))

    def _falling(
        self,
        kind: str,
        lines: list[list[int]],
        along: tuple[Fraction, ...],
        peaks: tuple[Fraction, ...],
    ) -> None:
        """Each line rises up to the position of its peak and falls after it."""
        for place, (peak, line) in enumerate(zip(peaks, lines, strict=True)):
            for k in range(len(line) - 1):
                if along[k] < peak < along[k + 1]:
                    continue
                far, near = (k, k + 1) if along[k + 1] <= peak else (k + 1, k)
                low, high = line[far], line[near]
                if low != high:
                    self._add(kind, [(low, 1, 0), (high, -1, 0)], origin=(place, far))

    def _peak(self, kind: str, lines: list[list[int]], peaks: Sequence[int]) -> None:
        """In each line the entry at its peak is the largest."""
        for place, (peak, line) in enumerate(zip(peaks, lines, strict=True)):
            for k, variable in enumerate(line):
                if k != peak and variable != line[peak]:
                    self._add(kind, [(variable, 1, 0), (line[peak], -1, 0)], origin=(place, k))

    def _objective(self) -> None:
        grid = self.variable_of.tolist()
        if self.problem.goal == "expected":
            self.program.costs = self.program.costs_of(self.problem.loss)
            return
        worst = self._new(Fraction(1))
        for x, (row, line) in enumerate(zip(grid, self.problem.loss.costs, strict=True)):
            terms = [(v, c, 0) for v, c in zip(row, line, strict=True) if c]
            self._add("worst", [*terms, (worst, -1, 0)], origin=(x,))


def _merge(terms: Sequence[tuple[int, Fraction | int, int]]) -> Terms:
    """Add up the coefficients of variables that stand for several entries of one constraint."""
    merged: dict[int, tuple[Fraction | int, int]] = {}
    for variable, rational, multiple in terms:
        r, m = merged.get(variable, (0, 0))
        merged[variable] = (r + rational, m + multiple)
    return tuple(sorted((v, r, m) for v, (r, m) in merged.items() if r or m))
