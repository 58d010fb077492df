"""Which noise the tables of a model get, and how much of the whole each of them.

A person is in one cell of each table. Replacing a record takes one out of a cell and puts one into
another: two cells of a table change, so that geometric noise on all of them costs twice its ε
(with one record more or less it would be once: parallel composition). Over the tables costs add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from noisewright.exact import Number
from noisewright.mechanisms import read_delta
from noisewright.synthetic.allowance import MARGINAL, NOISES, Allowance

_GRAIN = 1 << 12


@final
@dataclass(frozen=True)
class NoiseChoice:
    """The allowance that tables of these sizes are measured with, and each one's part of it."""

    allowance: Allowance
    amounts: tuple[Fraction, ...]
    cells: tuple[int, ...]

    @property
    def expected_error(self) -> float:
        """The expected sum of squared errors over all cells."""
        return sum(
            size * self.allowance.noise(amount, MARGINAL).deviation ** 2
            for size, amount in zip(self.cells, self.amounts, strict=True)
        )

    @property
    def words(self) -> str:
        """What the noise is."""
        return named(self.allowance)


def named(allowance: Allowance) -> str:
    """Return what the noise of an allowance is called."""
    return NOISES[allowance.unit]


def choices(
    epsilon: Number, delta: Number, cells: Sequence[int], *, rows_per_person: int = 1
) -> list[NoiseChoice]:
    """Return what is possible, best first: geometric noise, and with a δ also normal noise.

    A table of K cells has K times the squared error of a cell, which is as 1/ε² or 1/ρ of its
    part. The least sum has parts of ε as the cube roots of K, or of ρ as the square roots.
    """
    pure = Allowance.of(epsilon, rows_per_person=rows_per_person)
    found = [_divided(pure, cells, 1 / 3)]
    if read_delta(delta):
        normal = Allowance.of(epsilon, delta, rows_per_person=rows_per_person)
        found.append(_divided(normal, cells, 1 / 2))
    return sorted(found, key=lambda choice: choice.expected_error)


def _divided(allowance: Allowance, cells: Sequence[int], power: float) -> NoiseChoice:
    weights = [round(_GRAIN * size**power) for size in cells]
    return NoiseChoice(allowance, tuple(allowance.divided(weights)), tuple(cells))
