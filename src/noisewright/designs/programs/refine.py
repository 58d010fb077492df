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
    system = _System.of(program, vertex, triples)
    if system is None:
        return Refined(values, duals)
    basic = vertex.basic_columns.tolist()
    active = vertex.active_rows.tolist()
    exact_values = [0] * program.variables
    for variable in basic:
        exact_values[variable] = values[variable]
    exact_duals = [0] * len(program.constraints)
    for row in active:
        exact_duals[row] = duals[row]
    limits = [fixed_floor(program.constraints[row].limit, BITS) for row in active]
    costs = [fixed_floor(program.costs[variable], BITS) for variable in basic]
    good = _sharpen(
        exact_values, basic, lambda x: system.leftover_rows(x, limits), system.solve
    ) and _sharpen(
        exact_duals, active, lambda y: system.leftover_columns(y, costs), system.solve_transposed
    )
    return Refined(exact_values, exact_duals) if good else Refined(values, duals)


def _sharpen(unknown: list[int], places: list[int], leftover: Any, solve: Any) -> bool:
    """Add corrections until the leftovers are down to rounding; False if they do not shrink."""
    previous = None
    for _ in range(_ROUNDS):
        rest = leftover(unknown)
        size = max((abs(r) for r in rest), default=0)
        if size <= 1 << 12:
            return True
        if previous is not None and size > previous >> 4:
            return size <= 1 << (BITS // 2)
        previous = size
        # Doubles have no room for 2^-160; the leftovers are sent at size 1 and brought back.
        shift = size.bit_length()
        step = solve(np.array([r / (1 << shift) for r in rest]))
        if not np.all(np.isfinite(step)):
            return False
        for place, part in zip(places, step.tolist(), strict=True):
            unknown[place] += fixed_floor(part, shift)
    return False


class _System:
    """The active constraints in the basic variables: exact in integers, factored in doubles."""

    def __init__(self, program: Program, vertex: Vertex, factors: Any) -> None:
        self.factors = factors
        basic = set(vertex.basic_columns.tolist())
        self.rows = [
            [term for term in program.constraints[row].terms if term[0] in basic]
            for row in vertex.active_rows.tolist()
        ]
        self.active = vertex.active_rows.tolist()
        self.ratios = [
            program.ratio_bounds(program.constraints[row], BITS)[0] for row in self.active
        ]
        self.column_place = {v: k for k, v in enumerate(vertex.basic_columns.tolist())}

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
            return cls(program, vertex, splu(matrix))
        except RuntimeError:
            return None

    def solve(self, right: Any) -> Any:
        return self.factors.solve(right)

    def solve_transposed(self, right: Any) -> Any:
        return self.factors.solve(right, trans="T")

    def leftover_rows(self, values: list[int], limits: list[int]) -> list[int]:
        """Limit − Σ coefficient · value, for each active row."""
        rest: list[int] = []
        for terms, limit, ratio in zip(self.rows, limits, self.ratios, strict=True):
            for variable, rational, multiple in terms:
                value = values[variable]
                if rational:
                    limit -= rational.numerator * value // rational.denominator
                if multiple:
                    limit -= (multiple * ratio * value) >> BITS
            rest.append(limit)
        return rest

    def leftover_columns(self, duals: list[int], costs: list[int]) -> list[int]:
        """Cost − Σ coefficient · dual, for each basic column."""
        rest = list(costs)
        for row, terms, ratio in zip(self.active, self.rows, self.ratios, strict=True):
            dual = duals[row]
            if not dual:
                continue
            for variable, rational, multiple in terms:
                place = self.column_place[variable]
                if rational:
                    rest[place] -= rational.numerator * dual // rational.denominator
                if multiple:
                    rest[place] -= (multiple * ratio * dual) >> BITS
        return rest
