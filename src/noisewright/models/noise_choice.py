"""Which noise the tables of a model get, and how much of the whole each of them.

A person is in one cell of each table. Replacing a record takes one out of a cell and puts one into
another: two cells of a table change, so that geometric noise on all of them costs twice its ε
(with one record more or less it would be once: parallel composition). Over the tables costs add up.

The cells of a table add up to the number of rows, which is public. Geometric noise on a small table
adds up to 0; independent noise is moved to the known total, which takes 1/K of its variance away.
Noises are compared, and the whole is divided, by what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from noisewright.exact import Number
from noisewright.mechanisms import read_delta
from noisewright.synthetic import MARGINAL, NOISES, RunBudget, variance_share

_GRAIN = 1 << 12


@final
@dataclass(frozen=True)
class NoiseChoice:
    """The budget that tables of these sizes are measured with, and each one's part of it."""

    budget: RunBudget
    amounts: tuple[Fraction, ...]
    cells: tuple[int, ...]

    @property
    def expected_error(self) -> float:
        """The expected sum of squared errors over all cells, once their total is known."""
        return sum(
            (size - 1) * self.budget.noise(amount, MARGINAL).on(size).fit_deviation ** 2
            for size, amount in zip(self.cells, self.amounts, strict=True)
        )

    @property
    def words(self) -> str:
        """What the noise is."""
        return NOISES[self.budget.unit]


def choices(
    epsilon: Number, delta: Number, cells: Sequence[int], *, rows_per_person: int = 1
) -> list[NoiseChoice]:
    """Return what is possible, best first: geometric noise, and with a δ also normal noise.

    The squared error of a table is as w/ε² or w/ρ of its part, where w = K − 1 for independent
    noise on K cells. The least sum has parts of ε as the cube roots of w, or of ρ as the square
    roots.
    """
    pure = RunBudget.of(epsilon, rows_per_person=rows_per_person)
    found = [_divide(pure, cells, 1 / 3)]
    if read_delta(delta):
        normal = RunBudget.of(epsilon, delta, rows_per_person=rows_per_person)
        found.append(_divide(normal, cells, 1 / 2))
    return sorted(found, key=lambda choice: choice.expected_error)


def _divide(budget: RunBudget, cells: Sequence[int], power: float) -> NoiseChoice:
    weights = [max(1, round(_GRAIN * _spread(budget, size) ** power)) for size in cells]
    return NoiseChoice(budget, tuple(budget.divide(weights)), tuple(cells))


def _spread(budget: RunBudget, cells: int) -> float:
    """Return the squared error of a table, but for what its part of the whole does."""
    if budget.noise(budget.total, MARGINAL).on(cells).balanced_cells is None:
        return cells - 1
    return cells * variance_share(cells)
