"""Counts of several questions as tables of the same rows, which are planned and measured together.

A key that may be null is an attribute with one more value for the rows without one, so that every
row is in some cell of every table and tables by fewer keys are sums of tables by more. The same
goes for the rows that a histogram leaves out. What nobody asked for is cut off the answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import as_text
from noisewright.queries.answers.answered import Answered
from noisewright.queries.answers.top import tails_of_choice
from noisewright.queries.asked import (
    AggregateReading,
    MeasurementPlan,
    conditions_of,
    settle_limits,
)
from noisewright.queries.measurements import QueryMeasurement, Unit, bound_of, describe_rows
from noisewright.queries.planning.attribute import MOST_CELLS
from noisewright.queries.planning.best_precisions import Goal
from noisewright.queries.planning.contrast_cost import Neighbors
from noisewright.queries.planning.measurements import CountMeasurement
from noisewright.queries.planning.plan_tables import plan_tables
from noisewright.queries.planning.question_parts import TableQuestion
from noisewright.queries.planning.strategy import Strategy
from noisewright.queries.readings import AnswerColumn, histogram_columns, top_columns
from noisewright.relations import (
    Filter,
    Limit,
    Node,
    Numbers,
    Paired,
    Rows,
    SourceRows,
    choose,
    count_tables,
    fill,
    literal,
    sources,
)

if TYPE_CHECKING:
    from noisewright.queries.private import Private
    from noisewright.queries.question import Question
    from noisewright.sampling import Source


@final
@dataclass(frozen=True)
class SharedTable:
    """One measurement as a table: its attributes, and which cells of each the answer has."""

    nodes: tuple[Node, ...]
    kept: tuple[slice, ...]

    @property
    def cells(self) -> int:
        """How many cells the table has."""
        return math.prod(_size(node) for node in self.nodes)

    @property
    def answers(self) -> int:
        """How many of its cells are asked for."""
        return math.prod(part.stop - part.start for part in self.kept)


def as_table(question: Question, place: int) -> SharedTable | None:
    """Return a measurement as a table of the rows that all questions share; None if it is none."""
    asked, measurement = question.asked, question.asked.measurements[place]
    skipped = _find_conditions(asked, measurement)
    if measurement.adds != "rows" or skipped is None or _limits_groups(asked.rows):
        return None
    nodes = [_with_null(node) for node in measurement.by]
    kept = [slice(0, _size(node)) for node in measurement.by]
    for condition in skipped:
        if len(nodes) > len(question.keys):
            # Rows in no bin of a histogram have one of their own.
            bins = measurement.by[-1]
            nodes[-1] = _with_null(choose(condition, bins, literal(bins.high + 1)), bins.high + 1)
        else:
            nodes.append(fill(condition, 0))
            kept.append(slice(1, 2))
    table = SharedTable(tuple(nodes), tuple(kept))
    is_possible = len(set(nodes)) == len(nodes) and table.cells <= MOST_CELLS
    return table if is_possible else None


def _size(node: Node) -> int:
    return node.high - node.low + 1


def _with_null(node: Node, value: int | None = None) -> Node:
    return fill(node, node.high + 1 if value is None else value)


def _find_conditions(asked: MeasurementPlan, measurement: QueryMeasurement) -> list[Node] | None:
    """Return by which conditions an aggregate skips rows; None if it counts other rows."""
    rows = measurement.rows
    if rows is asked.rows:
        return []
    return [rows.condition] if isinstance(rows, Filter) and rows.rows is asked.rows else None


def _limits_groups(rows: Rows) -> bool:
    """Tell whether it depends on the groups which rows count."""
    if isinstance(rows, SourceRows):
        return False
    if isinstance(rows, Paired):
        return _limits_groups(rows.left) or _limits_groups(rows.right)
    return (isinstance(rows, Limit) and rows.groups is not None) or _limits_groups(rows.rows)


class CountsOfTables(Protocol):
    """Answers to the counts of all tables, at any confidence."""

    def at(self, confidence: float) -> tuple[Answered, ...]:
        """Return the answers of each table."""
        ...


@final
@dataclass(frozen=True, eq=False)
class SharedCounts:
    """Tables of the same rows with the strategy that measures them, for a part of the budget.

    `nodes` are all attributes, by the names that the strategy has for them.
    """

    rows: Rows
    nodes: Mapping[str, Node]
    tables: tuple[SharedTable, ...]
    strategy: Strategy
    amount: Fraction

    @classmethod
    def plan(
        cls,
        private: Private,
        tables: Sequence[SharedTable],
        weights: Sequence[float],
        *,
        amount: Fraction,
        unit: Unit,
        goal: Goal,
    ) -> SharedCounts:
        """Plan all tables together; each number that is asked for counts with its weight."""
        nodes = {f"attribute {k}": node for k, node in enumerate(_distinct(tables), start=1)}
        names = {node: name for name, node in nodes.items()}
        read = [*nodes.values(), *conditions_of(private.rows)]
        rows = settle_limits(private.rows, (), read)
        bound = bound_of(rows, ())
        assert bound is not None
        each_row = bound.total == 1 and all(source.person is None for source in sources(rows))
        questions = [
            TableQuestion(
                tuple(names[node] for node in table.nodes), weight * table.answers / table.cells
            )
            for table, weight in zip(tables, weights, strict=True)
        ]
        strategy = plan_tables(
            {name: _size(node) for name, node in nodes.items()},
            questions,
            budget=amount,
            unit=unit,
            neighbors=Neighbors(private.budget.change, bound.total, each_row=each_row),
            goal=goal,
        )
        return cls(rows, nodes, tuple(tables), strategy, amount)

    def variance(self, place: int) -> float:
        """Return the variance of each number of a table."""
        errors = self.strategy.standard_errors(self.strategy.asked.questions[place])
        return float(errors.reshape(-1)[0]) ** 2

    def describe(self) -> list[dict[str, Any]]:
        """Return what is measured as a certificate writes it."""
        counted = [m for m in self.strategy.measurements if isinstance(m, CountMeasurement)]
        if counted:
            return [
                self._by(m.attributes).describe(m.noise, self.amount * m.share) for m in counted
            ]
        return [
            {
                "what": f"{len(self.tables)} tables of counts together",
                "rows": describe_rows(self.rows),
                "by": [self.nodes[axis.name].describe() for axis in self.strategy.asked.axes],
                "adds": {"kind": "rows"},
                "noise": self.strategy.describe_contrasts(),
                "amount": as_text(self.amount),
            }
        ]

    def _by(self, names: Sequence[str]) -> QueryMeasurement:
        nodes = tuple(self.nodes[name] for name in names)
        return QueryMeasurement("a table of counts for several questions", self.rows, nodes)

    def measure(self, source: Source | None) -> MeasuredTables:
        """Count the rows, add noise, and return what that says about all tables."""
        wanted = self.strategy.tables
        tables = [tuple(self.nodes[name] for name in names) for names in wanted]
        counts = dict(zip(wanted, count_tables(self.rows, tables), strict=True))
        return MeasuredTables(self.strategy, tuple(self.strategy.measure(counts, source)))


def _distinct(tables: Sequence[SharedTable]) -> list[Node]:
    return list(dict.fromkeys(node for table in tables for node in table.nodes))


@final
@dataclass(frozen=True, eq=False)
class MeasuredTables:
    """The noisy numbers of a strategy, and the answers that follow from all of them together."""

    strategy: Strategy
    noisy: tuple[NDArray[np.int64], ...]
    _known: dict[float, tuple[Answered, ...]] = field(default_factory=dict[float, Any])

    def at(self, confidence: float) -> tuple[Answered, ...]:
        """Return the answers of each table, with intervals of this confidence."""
        if confidence not in self._known:
            found = self.strategy.reconstruct(self.noisy, confidence=confidence)
            self._known[confidence] = found
        return self._known[confidence]


@final
@dataclass(frozen=True, eq=False)
class AssumedTables:
    """What answers look like if so many people are spread evenly over all cells."""

    strategy: Strategy
    people: float
    _known: dict[float, tuple[Answered, ...]] = field(default_factory=dict[float, Any])

    def at(self, confidence: float) -> tuple[Answered, ...]:
        """Return the answers of each table, with intervals of this confidence."""
        if confidence not in self._known:
            self._known[confidence] = tuple(self._assume(confidence))
        return self._known[confidence]

    def _assume(self, confidence: float) -> Iterator[Answered]:
        for question in self.strategy.asked.questions:
            errors = self.strategy.standard_errors(question)
            values = np.full(errors.shape, self.people / max(errors.size, 1))
            below, above = self.strategy.reach_of_intervals(errors, confidence)
            lows, highs = np.maximum(values - below, 0), values + above
            all_counts = (0.0, math.inf)
            yield Answered("count", values, errors, lows, highs, values, all_counts, confidence)


@final
@dataclass(frozen=True, eq=False)
class CountsInTable:
    """The counts of one question within the answers to all; they agree, and are no whole numbers.

    `place` is that of its table.
    """

    counts: CountsOfTables
    table: SharedTable
    place: int

    def read(self, reading: AggregateReading, confidence: float) -> list[AnswerColumn]:
        """Return the columns that answer one aggregate."""
        function, kind = reading.aggregate.function, Numbers()
        if function == "histogram":
            return histogram_columns(reading, self._kept(reading, confidence), kind)
        if function != "top":
            found = self._kept(reading, confidence).pick(np.ravel)
            return [AnswerColumn(reading.name, found, kind)]
        # As in `answers/top.py`: intervals allow for the choice.
        (k,) = reading.aggregate.parameters
        labels = len(reading.labels)
        down, up = (
            self._kept(reading, 1 - 2 * tail) for tail in tails_of_choice(k, labels, confidence)
        )
        counts = replace(down, highs=up.highs, confidence=confidence)
        # Equal counts may differ in their last digits.
        places = np.argsort(-np.round(counts.values, 6), axis=1, kind="stable")[:, :k]
        listed = counts.pick(lambda array: np.take_along_axis(array, places, axis=1))
        return top_columns(reading, places, listed, kind)

    def _kept(self, reading: AggregateReading, confidence: float) -> Answered:
        """Return the counts that were asked for: a line for each group."""
        width = max(len(reading.labels), 1)
        every = self.counts.at(confidence)[self.place]
        return every.pick(lambda array: array[self.table.kept].reshape(-1, width))
