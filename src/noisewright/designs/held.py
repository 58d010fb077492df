"""Which of the properties that were asked for a table has."""

from __future__ import annotations

from noisewright.designs.problem import Problem
from noisewright.mechanisms import Table, properties


def holds_all(problem: Problem, table: Table) -> bool:
    """Tell whether a table has every property that the problem asks for, decided on integers."""
    asked = problem.properties
    return not asked or asked <= properties(table, epsilon=problem.guarantee.epsilon)
