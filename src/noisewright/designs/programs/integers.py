"""Integer programs, solved by HiGHS: a proposal in whole numbers, which the caller checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import MissingPartError, UnsolvedError

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class IntegerProgram:
    """The least Σ costs · x over whole numbers 0 ≤ x ≤ upper with lowest ≤ A x ≤ highest.

    Row r of A has `values[starts[r]:starts[r + 1]]` in the columns `places` of the same range.
    """

    costs: Array
    upper: Array
    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    values: Array
    lowest: Array
    highest: Array
    is_unimodular: bool = False
    """Whether every vertex is whole anyway, so that a linear program will do."""

    def solve(self, *, seconds: float, what: str) -> NDArray[np.int64] | None:
        """Return a best solution, or the best that was found in time; None if there is none.

        `what` says in errors what needs it. Raises UnsolvedError if time is up without any.
        """
        try:
            import highspy
        except ImportError as problem:
            raise MissingPartError(
                f"{what} needs HiGHS, which comes with noisewright and is missing here: "
                "pip install highspy."
            ) from problem
        model: Any = highspy.HighsLp()
        model.num_col_, model.num_row_ = self.costs.size, self.lowest.size
        model.col_cost_, model.col_upper_ = self.costs, self.upper
        model.col_lower_ = np.zeros(self.costs.size)
        model.row_lower_, model.row_upper_ = self.lowest, self.highest
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = self.starts
        model.a_matrix_.index_, model.a_matrix_.value_ = self.places, self.values
        if not self.is_unimodular:
            model.integrality_ = [highspy.HighsVarType.kInteger] * self.costs.size
        solver: Any = highspy.Highs()
        for option, value in {"output_flag": False, "threads": 1, "time_limit": seconds}.items():
            solver.setOptionValue(option, value)
        solver.passModel(model)
        solver.run()
        if (
            solver.getInfo().primal_solution_status
            == highspy.SolutionStatus.kSolutionStatusFeasible
        ):
            return np.rint(np.array(solver.getSolution().col_value)).astype(np.int64)
        if solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return None
        word = solver.modelStatusToString(solver.getModelStatus())
        raise UnsolvedError(f"{what} was not solved in {seconds:g} seconds: {word}.")
