"""HiGHS proposes: a vertex of the program in doubles, with its basis.

Entries are scaled so that those that must be tiny (far from the truth) are near 1 for the
solver: below its tolerance it would see no constraint between them at all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.designs.program import Program
from noisewright.errors import MissingPartError, NoisewrightError

_TOLERANCE = 1e-10
_SMALLEST_SCALE = 1e-8
_LARGE = 4000
"""Programs with more variables start with the interior point method."""


@dataclass(frozen=True)
class Vertex:
    """A float solution: values of the variables, duals of the constraints, and its basis."""

    values: NDArray[np.float64]
    duals: NDArray[np.float64]
    basic_columns: NDArray[np.intp]
    active_rows: NDArray[np.intp]


class InfeasibleError(NoisewrightError):
    """No mechanism satisfies all constraints."""


class UnsolvedError(NoisewrightError):
    """The solver gave up."""


class Solver:
    """HiGHS with one program loaded; it can be asked again about the same program up close."""

    def __init__(self, program: Program) -> None:
        try:
            import highspy
        except ImportError as problem:
            raise MissingPartError(
                "designing by linear program needs HiGHS: pip install 'noisewright[design]'."
            ) from problem
        self._highspy: Any = highspy
        self.program = program
        self.scale = _scales(program)
        model, self.row_scale = _model(program, self.scale, highspy)
        self._costs, self._limits = model.col_cost_, model.row_upper_
        self._equal = np.array([constraint.equal for constraint in program.constraints])
        self._highs: Any = highspy.Highs()
        for option, value in {
            "output_flag": False,
            "threads": 1,
            "primal_feasibility_tolerance": _TOLERANCE,
            "dual_feasibility_tolerance": _TOLERANCE,
            "ipm_optimality_tolerance": _TOLERANCE,
            "small_matrix_value": 1e-12,
            "solver": "ipm" if program.variables > _LARGE else "choose",
        }.items():
            self._highs.setOptionValue(option, value)
        self._highs.passModel(model)

    def solve(self) -> Vertex:
        """Solve the program in doubles; raise InfeasibleError when there is no solution."""
        return self._run()

    def solve_close(
        self,
        costs: NDArray[np.float64],
        limits: NDArray[np.float64],
        lower: NDArray[np.float64],
    ) -> Vertex:
        """Solve the same program with other costs, limits and lower bounds, from the last basis.

        Used with what a sharp solution leaves over, magnified: the solver then sees at size 1
        what was below its tolerance before.
        """
        rows, columns = len(limits), len(costs)
        infinite = np.full(columns, math.inf)
        scaled = np.clip(limits * self.row_scale, -1e15, 1e15)
        self._highs.changeColsCost(columns, np.arange(columns, dtype=np.int32), costs * self.scale)
        self._highs.changeColsBounds(
            columns,
            np.arange(columns, dtype=np.int32),
            np.maximum(lower / self.scale, -1e15),
            infinite,
        )
        self._highs.changeRowsBounds(
            rows,
            np.arange(rows, dtype=np.int32),
            np.where(self._equal, scaled, -math.inf),
            scaled,
        )
        self._highs.setOptionValue("solver", "simplex")
        return self._run()

    def _run(self) -> Vertex:
        highspy = self._highspy
        self._highs.run()
        status = self._highs.getModelStatus()
        if status in (
            highspy.HighsModelStatus.kInfeasible,
            highspy.HighsModelStatus.kUnboundedOrInfeasible,
        ):
            raise InfeasibleError("no mechanism satisfies all of these constraints.")
        if status != highspy.HighsModelStatus.kOptimal:
            word = self._highs.modelStatusToString(status)
            raise UnsolvedError(f"the solver stopped without an answer: {word}.")
        solution, basis = self._highs.getSolution(), self._highs.getBasis()
        basic = highspy.HighsBasisStatus.kBasic
        columns = np.array([status == basic for status in basis.col_status])
        rows = np.array([status != basic for status in basis.row_status])
        return Vertex(
            np.array(solution.col_value) * self.scale,
            np.array(solution.row_dual) * self.row_scale,
            np.flatnonzero(columns),
            np.flatnonzero(rows),
        )


def _scales(program: Program) -> NDArray[np.float64]:
    """Return about how large each variable may be: e^(-ε · steps between input and output)."""
    problem = program.problem
    scale = np.ones(program.variables)
    is_path = problem.space.ordered and problem.space.neighbors == "adjacent"
    if is_path and problem.outputs == problem.space and problem.guarantee.delta == 0:
        codes = np.arange(problem.space.size)
        steps = np.abs(codes[:, None] - codes)
        rate = min(problem.guarantee.epsilon.ceiling(), 700.0)
        sizes = np.maximum(np.exp(-np.minimum(rate * steps, 700)), _SMALLEST_SCALE)
        scale[program.variable_of.ravel()] = sizes.ravel()
    return scale


def coefficients(program: Program) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return the matrix as (row, column, double) triples."""
    low, _ = program.problem.guarantee.epsilon.ratio_bounds(80)
    ratio = low / 2.0**80
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, constraint in enumerate(program.constraints):
        for variable, rational, multiple in constraint.terms:
            rows.append(row)
            columns.append(variable)
            values.append(float(rational) + multiple * ratio)
    return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp), np.array(values)


def _model(
    program: Program, scale: NDArray[np.float64], highspy: Any
) -> tuple[Any, NDArray[np.float64]]:
    """Return the scaled model, and what its rows were multiplied with."""
    from scipy.sparse import csr_matrix

    rows, columns, values = coefficients(program)
    shape = (len(program.constraints), program.variables)
    scaled = values * scale[columns]
    # Rows are brought to size 1 as well, so that one tolerance means the same everywhere.
    largest = np.zeros(shape[0])
    np.maximum.at(largest, rows, np.abs(scaled))
    row_scale = 1 / largest
    matrix: Any = csr_matrix((scaled * row_scale[rows], (rows, columns)), shape=shape)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = program.variables, len(program.constraints)
    lp.col_cost_ = np.array([float(cost) for cost in program.costs]) * scale
    lp.col_lower_ = np.zeros(program.variables)
    lp.col_upper_ = np.full(program.variables, math.inf)
    limits = row_scale * np.array([float(c.limit) for c in program.constraints])
    equal = np.array([constraint.equal for constraint in program.constraints])
    lp.row_lower_ = np.where(equal, limits, -math.inf)
    lp.row_upper_ = limits
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    return lp, row_scale
