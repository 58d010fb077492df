"""HiGHS proposes: a vertex of the program in doubles, with its basis.

Tolerances are absolute, so what the solver sees must be near size 1. Entries are scaled by how
large they can be far from the truth: below the tolerance it would see no constraint between
them at all. Costs are magnified: the cost of a scaled entry is tiny, and a basis that ignores it
has dual values out there that prove nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.designs.problem import Problem
from noisewright.designs.programs.program import Program
from noisewright.errors import InfeasibleError, MissingPartError, UnsolvedError

_TOLERANCE = 1e-10
_LARGE = 4000
"""Programs with more variables start with the interior point method."""

Triples = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


@dataclass(frozen=True)
class Scaling:
    """How a program is shown to the solver.

    Entries are scaled by e^(-ε · steps from the truth), but by no less than `smallest`; the costs
    are multiplied so that they sum to `costs`.
    """

    smallest: float
    costs: float


@dataclass(frozen=True)
class Vertex:
    """A float solution: values of the variables, dual values of the constraints, and its basis."""

    values: NDArray[np.float64]
    duals: NDArray[np.float64]
    basic_columns: NDArray[np.intp]
    active_rows: NDArray[np.intp]


class Solver:
    """HiGHS with one program loaded, as one scaling shows it."""

    def __init__(self, program: Program, scaling: Scaling, triples: Triples) -> None:
        try:
            import highspy
        except ImportError as problem:
            raise MissingPartError(
                "designing by linear program needs HiGHS, which comes with noisewright and is "
                "missing here: pip install highspy."
            ) from problem
        self._highspy: Any = highspy
        self.scale = _scales(program, scaling.smallest)
        model, self.row_scale, self.cost_scale = _model(
            program, self.scale, scaling.costs, triples, highspy
        )
        large = program.variables > _LARGE
        self._highs: Any = highspy.Highs()
        for option, value in {
            "output_flag": False,
            "threads": 1,
            "primal_feasibility_tolerance": _TOLERANCE,
            "dual_feasibility_tolerance": _TOLERANCE,
            "ipm_optimality_tolerance": _TOLERANCE,
            "small_matrix_value": 1e-12,
            # One that cycles is better asked again in another scaling; large ones do not cycle.
            "time_limit": math.inf if large else 2 + program.variables / 200,
            "solver": "ipm" if large else "choose",
        }.items():
            self._highs.setOptionValue(option, value)
        self._highs.passModel(model)

    def solve(self) -> Vertex:
        """Solve the program in doubles; raise InfeasibleError when there is no solution."""
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
            np.array(solution.row_dual) * self.row_scale / self.cost_scale,
            np.flatnonzero(columns),
            np.flatnonzero(rows),
        )


def _scales(program: Program, smallest: float) -> NDArray[np.float64]:
    """Return about how large each variable may be: e^(-ε · steps between input and output)."""
    problem = program.problem
    scale = np.ones(program.variables)
    nearest = _nearest_inputs(problem)
    if nearest is not None:
        rate = problem.guarantee.epsilon.ceiling()
        sizes = np.exp(-np.minimum(rate * _steps(problem)[:, nearest], 700))
        sizes = np.maximum(sizes, smallest)
        scale[program.variable_of.ravel()] = sizes.ravel()
    for constraint in program.constraints:
        if constraint.kind == "excess":
            # An excess is at most the entry that it is taken from.
            entry = next(v for v, r, _ in constraint.terms if r > 0)
            scale[constraint.terms[-1][0]] = scale[entry]
    worst = [constraint for constraint in program.constraints if constraint.kind == "worst"]
    if worst:
        # The worst case is as large as the costs, which may be of any size.
        scale[-1] = (
            max(
                sum(abs(float(r)) * scale[v] for v, r, _ in constraint.terms[:-1])
                for constraint in worst
            )
            or 1.0
        )
    return scale


def _nearest_inputs(problem: Problem) -> NDArray[np.intp] | None:
    """Return for each output the input that is nearest to it; None where none is near."""
    if problem.outputs == problem.space:
        return np.arange(problem.space.size)
    places = problem.places
    if places.inputs is None or places.outputs is None:
        return None
    inputs, outputs = (
        np.array([float(p) for p in line]) for line in (places.inputs, places.outputs)
    )
    return np.abs(outputs[:, None] - inputs).argmin(axis=1)


def _steps(problem: Problem) -> NDArray[np.float64]:
    """Return how many steps from neighbor to neighbor it takes between any two points."""
    size = problem.space.size
    if problem.space.neighbors == "adjacent":
        codes = np.arange(size)
        return np.abs(codes[:, None] - codes).astype(float)
    if problem.space.by_distance:
        return problem.space.distances()
    if problem.space.neighbors == "replace":
        return 1.0 - np.eye(size)
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import shortest_path

    first, second = problem.pairs.T
    graph: Any = csr_matrix((np.ones(len(first)), (first, second)), shape=(size, size))
    steps = shortest_path(graph, directed=False, unweighted=True)
    return np.where(np.isfinite(steps), steps, 0.0)


def coefficients(program: Program) -> Triples:
    """Return the matrix as (row, column, double) triples."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, constraint in enumerate(program.constraints):
        ratio = min(program.ratio_bounds(constraint, 80)[0], 10**300) / (1 << 80)
        for variable, rational, multiple in constraint.terms:
            rows.append(row)
            columns.append(variable)
            values.append(float(rational) + multiple * ratio)
    return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp), np.array(values)


def _model(
    program: Program, scale: NDArray[np.float64], cost_sum: float, triples: Triples, highspy: Any
) -> tuple[Any, NDArray[np.float64], float]:
    """Return the scaled model, what its rows and what its costs were multiplied with."""
    from scipy.sparse import csr_matrix

    rows, columns, values = triples
    shape = (len(program.constraints), program.variables)
    scaled = values * scale[columns]
    # Rows are brought to size 1 as well, so that one tolerance means the same everywhere.
    largest = np.zeros(shape[0])
    np.maximum.at(largest, rows, np.abs(scaled))
    row_scale = 1 / np.where(largest > 0, largest, 1)
    matrix: Any = csr_matrix((scaled * row_scale[rows], (rows, columns)), shape=shape)
    costs = np.array([float(cost) for cost in program.costs]) * scale
    cost_scale = cost_sum / (float(costs.sum()) or 1)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = program.variables, len(program.constraints)
    lp.col_cost_ = costs * cost_scale
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
    return lp, row_scale, cost_scale
