"""What several questions cost together, and how good their answers will be; nothing is spent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

from noisewright.certificates import Certificate
from noisewright.errors import ParameterError
from noisewright.estimation import read_confidence
from noisewright.exact import Number, exactly
from noisewright.given import brief, of_kind, one_of, quantity, several
from noisewright.public import public, public_methods
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.noise import CellNoise
from noisewright.queries.planning.best_precisions import Goal
from noisewright.queries.prediction import (
    ColumnError,
    Prediction,
    as_prediction,
    expect_errors,
    half_width,
)
from noisewright.queries.private import Private
from noisewright.queries.question import Question, certify_measurements, read_people
from noisewright.queries.readings import Measured
from noisewright.queries.together.shared_counts import (
    AssumedTables,
    CountsInTable,
    CountsOfTables,
    SharedCounts,
    SharedTable,
    as_table,
)
from noisewright.synthetic import RunBudget

Place = tuple[int, int]
"""A question, and one of its measurements."""


@final
@dataclass(frozen=True)
class OwnMeasurement:
    """A measurement that no other question shares, with its noise and its part of the budget."""

    measurement: QueryMeasurement
    noise: CellNoise
    amount: Fraction


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class JointPlan:
    """Several questions to one private table, planned together; `nw.ask` carries it out.

    Counts share their measurements. All others have parts of the budget in proportion to the
    weights of their questions.
    """

    questions: tuple[Question, ...]
    weights: tuple[Fraction, ...]
    budget: RunBudget
    tables: Mapping[Place, SharedTable]
    shared: SharedCounts | None
    own: Mapping[Place, OwnMeasurement]

    @property
    def private(self) -> Private:
        """The table that all questions are about."""
        return self.questions[0].table

    def certify(self) -> Certificate:
        """Return the certificate of all questions together; nothing is spent or read."""
        described = [] if self.shared is None else self.shared.describe()
        described += [one.measurement.describe(one.noise, one.amount) for one in self.own.values()]
        return certify_measurements(self.private, described, self.budget)

    def predict(self, *, people: float, confidence: float = 0.95) -> tuple[Prediction, ...]:
        """Return how large the errors of each question will be, with so many people evenly spread.

        The errors of counts do not depend on how many people there are.
        """
        level, many = read_confidence(confidence), read_people(people)
        counts = None
        if self.shared is not None:
            counts = AssumedTables(self.shared.strategy, many)
        return tuple(
            self._predict(place, counts, many, level) for place in range(len(self.questions))
        )

    def _predict(
        self, place: int, counts: AssumedTables | None, people: float, confidence: float
    ) -> Prediction:
        question = self.questions[place]
        found: list[ColumnError] = []
        for reading in question.asked.readings:
            at = (place, reading.place)
            if at in self.own:
                one = self.own[at]
                found += expect_errors(
                    question, reading, one.measurement, one.noise, people, confidence
                )
                continue
            for column in self._counts_at(at, counts).read(reading, confidence):
                error = float(column.answered.standard_errors.reshape(-1)[0])
                found.append((column.name, error, half_width(column.answered)))
        words = tuple(one.noise.describe() for at, one in self.own.items() if at[0] == place)
        return as_prediction(question, found, people, confidence, words)

    def measured_of(
        self, place: int, counts: CountsOfTables | None, own: Mapping[Place, Measured]
    ) -> tuple[Measured, ...]:
        """Return the measurements of one question, from those of all."""
        places = [(place, k) for k in range(len(self.questions[place].asked.measurements))]
        return tuple(own[at] if at in own else self._counts_at(at, counts) for at in places)

    def _counts_at(self, at: Place, counts: CountsOfTables | None) -> CountsInTable:
        assert counts is not None
        return CountsInTable(counts, self.tables[at], list(self.tables).index(at))

    @cached_property
    def gain(self) -> float:
        """How many times smaller the errors of shared counts are than those of separate questions.

        By the root of the weighted mean square over all counts, where each separate question has
        the same part of the budget. 1 if nothing is shared.
        """
        if self.shared is None:
            return 1.0
        together = separate = 0.0
        parts = divide_budget(self.questions, self.weights, self.budget)
        for number, (at, table) in enumerate(self.tables.items()):
            weight = float(self.weights[at[0]]) * table.answers
            alone = self._alone(at, parts[at])
            together += weight * self.shared.variance(number)
            separate += weight * alone.variance
        return math.sqrt(separate / together)

    def _alone(self, at: Place, amount: Fraction) -> CellNoise:
        measurement = self.questions[at[0]].asked.measurements[at[1]]
        return measurement.noise(amount, self.budget.unit, self.private.budget.change)

    @property
    def summary(self) -> str:
        """How much better this is than asking separately, in a sentence or two."""
        others = quantity(len(self.own), "measurement")
        if self.shared is None:
            return f"Nothing is shared: {others}, each with its part of the budget."
        gain = self.gain
        times, how = (gain, "smaller") if gain >= 1 else (1 / gain, "larger")
        words = (
            f"{quantity(len(self.tables), 'table')} of counts are measured together and agree: "
            f"errors are {times:.3g} times {how} than those of separate questions with the same "
            "parts of the budget."
        )
        return f"{words} Not shared: {others}." if self.own else words

    def loss(self, goal: Goal) -> float:
        """Return the weighted sum of the variances of all numbers, or the largest one of them.

        Each is in the unit of what one row adds.
        """
        numbers: list[tuple[float, int]] = []
        for number, (at, table) in enumerate(self.tables.items()):
            assert self.shared is not None
            weight = float(self.weights[at[0]])
            numbers.append((weight * self.shared.variance(number), table.answers))
        for at, one in self.own.items():
            each = one.noise.variance / one.measurement.row_change[0] ** 2
            size = one.measurement.cells * one.measurement.numbers
            numbers.append((float(self.weights[at[0]]) * each, size))
        if goal == "worst":
            return max(variance for variance, _ in numbers)
        return sum(variance * size for variance, size in numbers)

    def __repr__(self) -> str:
        lines = [f"{place}. {one}" for place, one in enumerate(self.questions, start=1)]
        cost = f"{self.budget.guarantee} for {self.private.unit}; nothing was spent"
        return "\n".join([*lines, self.summary, cost])


@public
def plan_together(
    questions: Sequence[Question],
    *,
    epsilon: Number,
    delta: Number = 0,
    weights: Sequence[Number] | None = None,
    goal: Goal = "total",
) -> JointPlan:
    """Plan several questions about the same rows together; nothing is spent or read.

    All parameters are those of `ask`.
    """
    asked = _read_questions(questions)
    given = _read_weights(weights, len(asked))
    one_of(goal, ("total", "worst"), name="goal")
    budget = RunBudget.of(epsilon, delta)
    best = plan_within(asked, given, budget, goal)
    if budget.unit == "rho":
        pure = plan_within(asked, given, budget.without_delta(), goal)
        best = min(pure, best, key=lambda plan: plan.loss(goal))
    return best


def plan_within(
    questions: tuple[Question, ...], weights: tuple[Fraction, ...], budget: RunBudget, goal: Goal
) -> JointPlan:
    """Plan within a budget of ε, or of ρ."""
    parts = divide_budget(questions, weights, budget)
    tables = {at: as_table(questions[at[0]], at[1]) for at in parts}
    known = {at: table for at, table in tables.items() if table is not None}
    if len(known) == 1:
        known = {}  # There is nothing to share it with.
    private = questions[0].table
    shared = None
    if known:
        shared = SharedCounts.plan(
            private,
            list(known.values()),
            [float(weights[at[0]]) for at in known],
            amount=sum((parts[at] for at in known), Fraction(0)),
            unit=budget.unit,
            goal=goal,
        )
    own: dict[Place, OwnMeasurement] = {}
    for at, amount in parts.items():
        if at not in known:
            measurement = questions[at[0]].asked.measurements[at[1]]
            noise = measurement.noise(amount, budget.unit, private.budget.change)
            own[at] = OwnMeasurement(measurement, noise, amount)
    return JointPlan(questions, weights, budget, known, shared, own)


def divide_budget(
    questions: Sequence[Question], weights: Sequence[Fraction], budget: RunBudget
) -> dict[Place, Fraction]:
    """Return the part of each measurement: by weights among questions, and evenly within one."""
    whole = sum(weights)
    found: dict[Place, Fraction] = {}
    for place, (question, weight) in enumerate(zip(questions, weights, strict=True)):
        count = len(question.asked.measurements)
        for number in range(count):
            found[place, number] = budget.total * weight / whole / count
    return found


def _read_questions(questions: Sequence[Question]) -> tuple[Question, ...]:
    asked = several(questions, name="questions", of="questions such as people.count()")
    if not asked:
        raise ParameterError("no questions were given; at least one is needed.")
    for place, one in enumerate(asked, start=1):
        of_kind(one, Question, name=f"question {place}", such_as="a question as .agg returns it")
        first, table = asked[0].table, one.table
        if table.budget is not first.budget or table.rows != first.rows:
            raise ParameterError(
                f"question {place} is about other rows than question 1. Questions that are asked "
                "together are about the same rows of one private table: make it once, with its "
                "filters and limits, and derive all questions from it. Conditions can be keys, or "
                "within aggregates, as in (nw.col('age') >= 60).sum()."
            )
    return tuple(asked)


def _read_weights(weights: Sequence[Number] | None, count: int) -> tuple[Fraction, ...]:
    if weights is None:
        return (Fraction(1),) * count
    found = [
        exactly(one, name="a weight") for one in several(weights, name="weights", of="numbers")
    ]
    if len(found) != count:
        raise ParameterError(
            f"{quantity(len(found), 'weight')} were given for {quantity(count, 'question')}; give "
            "one for each."
        )
    for given, weight in zip(weights, found, strict=True):
        if weight <= 0:
            raise ParameterError(f"a weight is {brief(given)}; it must be above 0.")
    return tuple(found)
