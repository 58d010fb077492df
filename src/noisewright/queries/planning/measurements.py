"""What is measured: whole numbers of a table of counts, each with exact noise of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import product
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.noise import CellNoise
from noisewright.queries.planning.attribute import Attribute, Floats
from noisewright.queries.planning.contrast_cost import Levels
from noisewright.queries.planning.contrasts import part_places, squared_norms, to_contrasts
from noisewright.sampling import Source, rounded_normals

_FARTHEST = 1 << 62
_UP = 1 + 2.0**-49


@dataclass(frozen=True)
class PartMeasurement:
    """Numbers of one table: `axes` are its attributes, `levels` how finely each is divided (≥ 1).

    `share` is its part of the budget.
    """

    axes: tuple[Attribute, ...]
    levels: Levels
    share: Fraction

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of its table."""
        return tuple(axis.name for axis in self.axes)

    @cached_property
    def cut_axes(self) -> tuple[Attribute, ...]:
        """The attributes, divided only as finely as is measured."""
        return tuple(
            Attribute(axis.name, -(-axis.cells // axis.block_sizes[level]), axis.branching[:level])
            for axis, level in zip(self.axes, self.levels, strict=True)
        )

    def count(self, table: NDArray[Any]) -> NDArray[np.int64]:
        """Return its table of counts from the one by all cells of its attributes."""
        out = np.asarray(table, dtype=np.int64)
        for place, (axis, level) in enumerate(zip(self.axes, self.levels, strict=True)):
            starts = np.arange(0, axis.cells, axis.block_sizes[level])
            out = np.add.reduceat(out, starts, axis=place)
        return out

    def add_noise(self, numbers: NDArray[np.int64], noise: NDArray[Any]) -> NDArray[np.int64]:
        """Add noise; sums, and never noise alone, are moved into what 64 bits hold."""
        noisy = numbers.astype(noise.dtype) + noise.reshape(numbers.shape)
        return np.asarray(np.clip(noisy, -_FARTHEST, _FARTHEST), dtype=np.int64)


@final
@dataclass(frozen=True)
class ContrastMeasurement(PartMeasurement):
    """The contrasts of one part, with rounded normal noise of variance at least m_r / precision."""

    precision: Fraction

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of numbers."""
        places = part_places(self.axes, self.levels)
        return tuple(place.stop - place.start for place in places)

    @cached_property
    def deviations(self) -> Floats:
        """The deviation of the noise of each number: a double, at least √(m_r / precision).

        The quotient, its product with m_r < 2^53 and the root are each within 2^-53 of themselves;
        the factor 1 + 2^-49 outweighs that.
        """
        norms = [squared_norms(axis, lv) for axis, lv in zip(self.axes, self.levels, strict=True)]
        whole = reduce(np.multiply.outer, norms, np.ones((), dtype=np.int64))
        return np.sqrt(whole * float(1 / self.precision)) * _UP

    def measure(self, table: NDArray[Any], source: Source | None) -> NDArray[np.int64]:
        """Return the contrasts of a table by its attributes, with noise."""
        numbers = to_contrasts(self.count(table), self.cut_axes)
        numbers = np.asarray(numbers[part_places(self.cut_axes, self.levels)])
        return self.add_noise(numbers, rounded_normals(self.deviations, source))

    @property
    def variance(self) -> float:
        """The variance that each cell of the part's table would have, with that of the rounding.

        Rounding adds 1/12 to the variance of a contrast, and m_r ≥ 2^(number of attributes).
        """
        return float(1 / self.precision) + 1 / (12 * 2 ** len(self.levels))


@final
@dataclass(frozen=True)
class CountMeasurement(PartMeasurement):
    """All counts of a table, with noise on each."""

    noise: CellNoise

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of numbers."""
        return tuple(axis.cells for axis in self.cut_axes)

    @property
    def cells(self) -> int:
        """How many numbers there are."""
        return math.prod(self.shape)

    def measure(self, table: NDArray[Any], source: Source | None) -> NDArray[np.int64]:
        """Return the counts of a table by its attributes, with noise."""
        numbers = self.count(table)
        # Noise may add up to 0 over one more cell, which is not shown.
        drawn = self.noise.draw(self.noise.balanced_cells or numbers.size, source)
        return self.add_noise(numbers, drawn[: numbers.size])

    @property
    def variance(self) -> float:
        """The variance of independent noise on each cell that tells as much of all but the total.

        Noise that adds up to 0 on K cells has the covariance of independent noise from which its
        mean is taken: K / (K − 1) times the variance of one cell.
        """
        cells = self.noise.balanced_cells
        return self.noise.variance * (cells / max(cells - 1, 1) if cells else 1)

    def contrasts(self, noisy: NDArray[np.int64]) -> dict[Levels, NDArray[Any]]:
        """Return the contrasts of all parts of the noisy table, by levels of its attributes."""
        numbers = to_contrasts(noisy, self.cut_axes)
        every = product(*(range(axis.height + 1) for axis in self.cut_axes))
        return {levels: numbers[part_places(self.cut_axes, levels)] for levels in every}
