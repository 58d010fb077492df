"""From a vertex in doubles to the same vertex with fifty digits.

A basis says which constraints hold with equality. That is a square linear system, solved
again and again for what is left over, with the leftovers computed in integers: each round adds
the digits of a double (iterative refinement, after Gleixner–Steffy–Wolter 2016). e^ε enters as
an integer over 2^160, rounded down, which is the private side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisewright.designs.programs.program import Program
from noisewright.designs.programs.solver import Scaling, Solver, Triples, Vertex, coefficients
from noisewright.errors import InfeasibleError, NoisewrightError, UnsolvedError
from noisewright.exact import fixed_floor

BITS = 160
"""Values are integers over 2^160."""

_ROUNDS = 16

_SCALINGS = (
    Scaling(smallest=1e-8, costs=1e6),
    Scaling(smallest=1e-8, costs=1e3),
    Scaling(smallest=1e-4, costs=1e3),
    Scaling(smallest=1e-4, costs=1e6),
    Scaling(smallest=1e-12, costs=1e6),
    Scaling(smallest=1.0, costs=1e6),
    Scaling(smallest=1e-8, costs=1.0),
)
"""Tried in this order until the mechanism and the bound meet."""


@dataclass(frozen=True)
class Refined:
    """Values and duals as integers over 2^BITS."""

    values: list[int]
    duals: list[int]


def sharp_solutions(program: Program, *, attempts: int | None = None) -> Iterator[Refined]:
    """Solve a program and sharpen the answer; try again for as long as the caller asks.

    The sharp solution of a basis may still break constraints that were below the solver's
    tolerance. Each further solver attempt shows it the program in another scaling; one may
    have the better mechanism and another the better bound.
    """
    triples = coefficients(program)
    solved = 0
    failures: list[NoisewrightError] = []
    for scaling in _SCALINGS[:attempts]:
        try:
            vertex = Solver(program, scaling, triples).solve()
        except (InfeasibleError, UnsolvedError) as failure:
            failures.append(failure)
            continue
        solved += 1
        yield refine(program, vertex, triples)
    if not solved:
        raise failures[0]


def refine(program: Program, vertex: Vertex, triples: Triples) -> Refined:
    """Sharpen a vertex; where its basis is unusable, return it as it came."""
    values = [fixed_floor(value, BITS) for value in vertex.values.tolist()]
    duals = [fixed_floor(dual, BITS) for dual in vertex.duals.tolist()]
    basic, active = vertex.basic_columns.tolist(), vertex.active_rows.tolist()
    system = _System.of(program, vertex, triples)
    if system is None:
        return Refined(values, duals)
    x, y = [values[variable] for variable in basic], [duals[row] for row in active]
    limits = [fixed_floor(program.constraints[row].limit, BITS) for row in active]
    costs = [fixed_floor(program.costs[variable], BITS) for variable in basic]
    if not system.sharpen(x, limits) or not system.sharpen(y, costs, transposed=True):
        return Refined(values, duals)
    sharp = Refined([0] * program.variables, [0] * len(program.constraints))
    for variable, value in zip(basic, x, strict=True):
        sharp.values[variable] = value
    for row, dual in zip(active, y, strict=True):
        sharp.duals[row] = dual
    return sharp


@dataclass(frozen=True)
class _System:
    """The active constraints in the basic variables: exact in integers, factored in doubles."""

    factors: Any
    entries: list[tuple[int, int, int]]
    """(row, column, coefficient over 2^BITS), rounded down."""

    @classmethod
    def of(cls, program: Program, vertex: Vertex, triples: Triples) -> _System | None:
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        basic, active = vertex.basic_columns, vertex.active_rows
        if len(basic) != len(active) or len(basic) == 0:
            return None
        rows, columns, values = triples
        row_place = np.full(len(program.constraints), -1)
        row_place[active] = np.arange(len(active))
        column_place = np.full(program.variables, -1)
        column_place[basic] = np.arange(len(basic))
        inside = (row_place[rows] >= 0) & (column_place[columns] >= 0)
        matrix: Any = csc_matrix(
            (values[inside], (row_place[rows[inside]], column_place[columns[inside]])),
            shape=(len(active), len(basic)),
        )
        try:
            factors = splu(matrix)
        except RuntimeError:
            return None
        places, entries = column_place.tolist(), list[tuple[int, int, int]]()
        for row, constraint in enumerate(program.constraints[index] for index in active.tolist()):
            ratio = program.ratio_bounds(constraint, BITS)[0]
            for variable, rational, multiple in constraint.terms:
                if places[variable] >= 0:
                    coefficient = fixed_floor(rational, BITS) + multiple * ratio
                    entries.append((row, places[variable], coefficient))
        return cls(factors, entries)

    def sharpen(self, unknown: list[int], right: list[int], *, transposed: bool = False) -> bool:
        """Add corrections until the leftovers are down to rounding; False if they do not shrink."""
        previous = None
        for _ in range(_ROUNDS):
            rest = self._leftovers(unknown, right, transposed)
            size = max((abs(r) for r in rest), default=0)
            if size <= 1 << 12:
                return True
            if previous is not None and size > previous >> 4:
                return size <= 1 << (BITS // 2)
            previous = size
            # Doubles have no room for 2^-160; the leftovers are sent at size 1 and brought back.
            shift = size.bit_length()
            scaled = np.array([r / (1 << shift) for r in rest])
            step = self.factors.solve(scaled, trans="T" if transposed else "N")
            if not np.all(np.isfinite(step)):
                return False
            for place, part in enumerate(step.tolist()):
                unknown[place] += fixed_floor(part, shift)
        return False

    def _leftovers(self, unknown: list[int], right: list[int], transposed: bool) -> list[int]:
        """Return right − matrix · unknown; with `transposed`, of the transposed matrix."""
        rest = list(right)
        for row, column, coefficient in self.entries:
            if transposed:
                row, column = column, row
            rest[row] -= coefficient * unknown[column] >> BITS
        return rest
