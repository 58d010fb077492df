"""A plan for many tables: what is measured, how good all answers will be, and the answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from statistics import NormalDist
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import as_text
from noisewright.queries.answers.answered import Answered
from noisewright.queries.noise import CellNoise
from noisewright.queries.planning.attribute import Floats
from noisewright.queries.planning.contrast_cost import Levels, Neighbors, contrast_cost
from noisewright.queries.planning.contrasts import from_contrasts, part_places
from noisewright.queries.planning.measurements import ContrastMeasurement, CountMeasurement
from noisewright.queries.planning.non_negative import make_non_negative
from noisewright.queries.planning.question_parts import QuestionParts, TableQuestion
from noisewright.sampling import Source

Measurements = tuple[ContrastMeasurement, ...] | tuple[CountMeasurement, ...]
Names = tuple[str, ...]

_UNSEEN, _STEEPEST = 1e-9, 64.0
"""Noise of a smaller standard error is never seen; it has this decay."""


@final
@dataclass(frozen=True, eq=False)
class Strategy:
    """What is measured for all questions together, within `budget` of ε or ρ for each person.

    `alone` are the sums of the variances of each question's answers if all were asked separately,
    each planned for itself with an even share.
    """

    asked: QuestionParts
    neighbors: Neighbors
    unit: Literal["epsilon", "rho"]
    budget: Fraction
    measurements: Measurements
    alone: tuple[float, ...]

    @cached_property
    def cost(self) -> Fraction:
        """What the measurements cost: ε or ρ, exactly; at most the budget."""
        if self.unit == "epsilon":
            return sum(
                (m.noise.scale * count_change(m.levels, self.neighbors) for m in self._counts),
                Fraction(0),
            )
        precisions = {self.part_of(m): m.precision for m in self._contrasts}
        return contrast_cost(self.asked.axes, precisions, self.neighbors)

    @property
    def _contrasts(self) -> list[ContrastMeasurement]:
        return [m for m in self.measurements if isinstance(m, ContrastMeasurement)]

    @property
    def _counts(self) -> list[CountMeasurement]:
        return [m for m in self.measurements if isinstance(m, CountMeasurement)]

    def part_of(
        self, measured: ContrastMeasurement | CountMeasurement, levels: Levels | None = None
    ) -> Levels:
        """Return the levels of all attributes in a measurement, or in a part of its table."""
        part = [0] * len(self.asked.axes)
        for name, level in zip(measured.attributes, levels or measured.levels, strict=True):
            part[self.asked.place[name]] = level
        return tuple(part)

    def describe_contrasts(self) -> dict[str, Any]:
        """Return the noise of all contrasts as a certificate writes it (`checker/contrasts.py`)."""
        return {
            "kind": "contrasts",
            "branching": [list(axis.branching) for axis in self.asked.axes],
            "parts": [
                {"levels": list(self.part_of(m)), "precision": as_text(m.precision)}
                for m in self._contrasts
            ],
        }

    @cached_property
    def tables(self) -> tuple[Names, ...]:
        """By which attributes rows have to be counted; all other tables are sums of these."""
        return _maximal([m.attributes for m in self.measurements])

    def measure(
        self, tables: Mapping[Names, NDArray[Any]], source: Source | None = None
    ) -> list[NDArray[np.int64]]:
        """Return the noisy numbers of each measurement, from the exact counts of all `tables`."""
        found: list[NDArray[np.int64]] = []
        for measured in self.measurements:
            found.append(measured.measure(_from_larger(tables, measured.attributes), source))
        return found

    @cached_property
    def part_variances(self) -> Mapping[Levels, float]:
        """By part, the variance that each cell of its table would have: 1 / p_B."""
        nothing = (0,) * len(self.asked.axes)
        found = {nothing: 0.0} if self.neighbors.total_is_public else {}
        if self.unit == "rho":
            return found | {self.part_of(m): m.variance for m in self._contrasts}
        precisions: dict[Levels, float] = {}
        for m in self._counts:
            for levels, weight in _weights(m):
                part = self.part_of(m, levels)
                precisions[part] = precisions.get(part, 0.0) + weight
        return {part: 1 / p for part, p in precisions.items()} | found

    def standard_errors(self, question: TableQuestion) -> Floats:
        """Return the standard error of each answer, before anything is moved to 0 or more."""
        axes = self.asked.axes_of(question.attributes)
        spreads = [axis.spreads_of(kind) for axis, kind in zip(axes, question.kinds, strict=True)]
        variances = self._variances(question, spreads)
        return np.broadcast_to(np.sqrt(variances), tuple(axis.cells for axis in axes))

    def standard_error_of(
        self, question: TableQuestion, weights: Mapping[str, NDArray[Any]]
    ) -> float:
        """Return the standard error of a weighted sum of cells: a vector for each attribute.

        Attributes without one are summed up.
        """
        axes = self.asked.axes_of(question.attributes)
        vectors = [np.asarray(weights.get(axis.name, np.ones(axis.cells))) for axis in axes]
        spreads = [axis.spread(v[None]) for axis, v in zip(axes, vectors, strict=True)]
        return math.sqrt(self._variances(question, spreads).item())

    def _variances(self, question: TableQuestion, spreads: Sequence[Floats]) -> Floats:
        total = np.zeros(tuple(len(spread) for spread in spreads))
        for levels, part in self.asked.parts_of(question.attributes):
            vectors = [spread[:, level] for spread, level in zip(spreads, levels, strict=True)]
            one = reduce(np.multiply.outer, vectors, np.ones(()))
            total = total + one * self.part_variances[part]
        return total

    @cached_property
    def question_losses(self) -> Floats:
        """The sum of the variances of each question's answers."""
        return self.asked.losses @ np.array([self.part_variances[b] for b in self.asked.parts])

    @property
    def rmse(self) -> float:
        """The root of the weighted mean of all variances."""
        return self._root(self.question_losses)

    @property
    def separate_rmse(self) -> float:
        """The same if the questions were asked separately, with even shares."""
        return self._root(np.array(self.alone))

    @property
    def gain(self) -> float:
        """How many times smaller the errors are than those of separate questions."""
        return self.separate_rmse / self.rmse if self.rmse else math.inf

    def _root(self, losses: Floats) -> float:
        weights = self.asked.weights
        return math.sqrt(float(weights @ losses) / float(weights @ self.asked.answers))

    def reconstruct(
        self,
        noisy: Sequence[NDArray[np.int64]],
        *,
        total: int | None = None,
        non_negative: bool = True,
        confidence: float = 0.95,
    ) -> tuple[Answered, ...]:
        """Return the answers to all questions, from the noisy numbers of each measurement.

        Requires: the total where it is public. Ensures: `unbiased` are least-squares estimates,
        which agree with each other exactly; `values` are these, or with `non_negative` tables near
        them without negative counts, which agree as far as 20 rounds of corrections bring them.
        """
        if (total is None) == self.neighbors.total_is_public:
            raise ParameterError(
                f"total is {total}; it must be given if and only if it is public, which the plan "
                f"says it is{'' if self.neighbors.total_is_public else ' not'}."
            )
        contrasts = self._estimates(noisy, total)
        wanted = {self._in_order(question.attributes) for question in self.asked.questions}
        tables = {names: self._table(contrasts, names) for names in sorted(wanted)}
        kept = tables
        if non_negative:
            maximal = {names: tables[names] for names in _maximal(list(tables))}
            near = make_non_negative(maximal, {n: self.asked.axes_of(n) for n in maximal})
            kept = {names: _from_larger(near, names) for names in tables}
        found: list[Answered] = []
        for question in self.asked.questions:
            names = self._in_order(question.attributes)
            values, unbiased = (
                _accumulate(_sum_to(each[names], names, question.attributes), question)
                for each in (kept, tables)
            )
            errors = self.standard_errors(question)
            below, above = self.reach_of_intervals(errors, confidence)
            least = 0.0 if non_negative else -math.inf
            found.append(
                Answered(
                    what="count",
                    values=values,
                    standard_errors=errors,
                    lows=np.maximum(unbiased - below, least),
                    highs=np.maximum(unbiased + above, least),
                    unbiased=unbiased,
                    possible=(least, math.inf),
                    confidence=confidence,
                )
            )
        return tuple(found)

    def reach_of_intervals(self, errors: Floats, confidence: float) -> tuple[Floats, Floats]:
        """Return how far intervals go down and up, from standard errors.

        Sums of geometric numbers lie between one of them and a normal number: intervals are those
        of the larger one. One of them takes whole numbers alone, as counts do.
        """
        normal = NormalDist().inv_cdf((1 + confidence) / 2) * errors
        if self.unit == "rho":
            return normal, normal
        different, places = np.unique(errors, return_inverse=True)
        runs = np.array([_geometric(error).shortest_run(confidence) for error in different])
        below, above = (runs[:, side][places].reshape(errors.shape) for side in (0, 1))
        return np.maximum(below, normal), np.maximum(above, normal)

    def _in_order(self, names: Names) -> Names:
        return tuple(sorted(names, key=self.asked.place.__getitem__))

    def _estimates(
        self, noisy: Sequence[NDArray[np.int64]], total: int | None
    ) -> Mapping[Levels, Floats]:
        """Return the least-squares estimates of the contrasts of each part."""
        if len(noisy) != len(self.measurements):
            raise ParameterError(
                f"{len(noisy)} arrays of noisy numbers were given for {len(self.measurements)} "
                "measurements; each needs its own."
            )
        sums: dict[Levels, Floats] = {}
        if self.unit == "rho":
            for m, numbers in zip(self._contrasts, noisy, strict=True):
                sums[self.part_of(m)] = numbers.astype(np.float64).ravel()
        else:
            for m, numbers in zip(self._counts, noisy, strict=True):
                found = m.contrasts(numbers)
                for levels, weight in _weights(m):
                    part = self.part_of(m, levels)
                    share = weight * self.part_variances[part]
                    sums[part] = sums.get(part, 0.0) + share * found[levels].ravel()
        if total is not None:
            sums[(0,) * len(self.asked.axes)] = np.array([float(total)])
        return sums

    def _table(self, contrasts: Mapping[Levels, Floats], names: Names) -> Floats:
        axes = self.asked.axes_of(names)
        out = np.zeros(tuple(axis.widths[-1] for axis in axes))
        for levels, part in self.asked.parts_of(names):
            places = part_places(axes, levels)
            out[places] = contrasts[part].reshape(out[places].shape)
        return from_contrasts(out, axes)


def count_change(levels: Levels, neighbors: Neighbors) -> int:
    """Return by how much one person changes the counts of a table, in L1; the total alone by less.

    A row adds 1 to one cell; two sums of up to r rows differ by at most 2r.
    """
    is_table = any(levels)
    return neighbors.rows * (2 if neighbors.change == "replace" and is_table else 1)


def _weights(measured: CountMeasurement) -> list[tuple[Levels, float]]:
    """Return what a table of counts adds to the precision of each of its parts."""
    found: list[tuple[Levels, float]] = []
    axes = measured.cut_axes
    levels_of: list[Levels] = [()]
    for axis in axes:
        levels_of = [(*levels, level) for levels in levels_of for level in range(axis.height + 1)]
    for levels in levels_of:
        balanced = measured.noise.balanced_cells
        if balanced == measured.cells and not any(levels):
            continue  # Its total is public, and known without noise.
        blocks = math.prod(axis.block_sizes[lv] for axis, lv in zip(axes, levels, strict=True))
        # The noise of K of K + 1 cells adds up to minus that of one: 1 / (K + 1) of the variance.
        times = balanced if balanced and not any(levels) else 1
        found.append((levels, times / (measured.variance * blocks)))
    return found


def _maximal(names: Sequence[Names]) -> tuple[Names, ...]:
    """Return those whose attributes are not all among those of another one."""
    found: list[Names] = []
    for each in sorted(names, key=len, reverse=True):
        if not any(set(each) <= set(other) for other in found):
            found.append(each)
    return tuple(found)


def _from_larger(tables: Mapping[Names, Floats], names: Names) -> Floats:
    whole = next(each for each in tables if set(names) <= set(each))
    return _sum_to(tables[whole], whole, names)


def _sum_to(table: NDArray[Any], names: Names, wanted: Names) -> NDArray[Any]:
    """Return a table by fewer attributes, in the wanted order."""
    out = np.asarray(table)
    out = out.sum(axis=tuple(k for k, name in enumerate(names) if name not in wanted))
    kept = [name for name in names if name in wanted]
    return np.transpose(out, [kept.index(name) for name in wanted])


def _accumulate(table: Floats, question: TableQuestion) -> Floats:
    for place, kind in enumerate(question.kinds):
        if kind == "prefixes":
            table = np.cumsum(table, axis=place)
    return table


def _geometric(error: float) -> CellNoise:
    """Return geometric noise of this standard error."""
    decay = 2 * math.asinh(1 / (error * math.sqrt(2))) if error > _UNSEEN else _STEEPEST
    return CellNoise("epsilon", Fraction(decay))
