"""A question: what is asked about which groups of a private table, and what that will cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

from noisewright.certificates import Certificate, certify_query
from noisewright.errors import ParameterError
from noisewright.estimation import read_confidence
from noisewright.exact import Number
from noisewright.given import brief, of_kind
from noisewright.public import public_methods
from noisewright.queries.asked import MeasurementPlan, plan_measurements
from noisewright.queries.binding import BoundExpression
from noisewright.queries.expressions import Aggregate, Expression, count
from noisewright.queries.measurements import QueryMeasurement, Unit
from noisewright.queries.noise import CellNoise
from noisewright.queries.private import Private
from noisewright.relations import columns_in
from noisewright.synthetic import RunBudget

if TYPE_CHECKING:
    from noisewright.queries.answer import Answer
    from noisewright.queries.prediction import Prediction
    from noisewright.sampling import Source
    from noisewright.transaction import Progress


@public_methods
@final
@dataclass(frozen=True, eq=False)
class GroupBy:
    """Groups of rows with the same keys, about which something can be asked."""

    table: Private
    keys: Mapping[str, BoundExpression]
    public: Any = None

    def agg(self, **aggregates: Aggregate) -> Question:
        """Ask something about each group: counts, sums, means, quantiles …, each by a name."""
        if self.public is not None:
            raise ParameterError(
                "public groups are for .count(condition); for more, join the public table and "
                "group by its columns."
            )
        return Question.of(self.table, self.keys, aggregates)

    def count(
        self,
        condition: Expression | None = None,
        *,
        mechanism: str = "design",
        sizes: str | None = None,
        **options: Any,
    ) -> Any:
        """Ask how many rows each group has; or, of public groups, how many fulfill a condition.

        Public groups are those of an nw.Public, whose column `sizes` says how many people each has.
        Each person is in one of them, and says yes or no. `mechanism` is "design", the optimal one
        for `loss`, `goal`, `prior` and `properties`, or "GM", "EM", "WM" or "UM".
        """
        if self.public is None:
            if condition is not None:
                raise ParameterError(
                    "a count of a condition by a designed mechanism needs public groups: "
                    "group_by(nw.Public(…)). Otherwise write .agg(n=condition.sum())."
                )
            return self.agg(count=count())
        from noisewright.queries.groups.group_question import GroupQuestion

        if condition is None:
            raise ParameterError("give the condition that is counted: .count(nw.col('smokes')).")
        return GroupQuestion.of(
            self.table, self.public, condition, sizes, mechanism=mechanism, **options
        )


@final
@dataclass(frozen=True)
class Priced:
    """Measurements with their noise and their parts of the whole, which are certified together."""

    measurements: tuple[QueryMeasurement, ...]
    noises: tuple[CellNoise, ...]
    amounts: tuple[Fraction, ...]
    budget: RunBudget

    def describe(self) -> list[dict[str, Any]]:
        """Return the measurements as a certificate writes them."""
        parts = zip(self.measurements, self.noises, self.amounts, strict=True)
        return [one.describe(noise, amount) for one, noise, amount in parts]


@public_methods
@final
@dataclass(frozen=True, eq=False)
class Question:
    """A question to a private table, which costs nothing until it is released.

    `explain` says what will be computed and charged, `predict` how large errors will be, and
    `epsilon_for` how much a wanted error costs. `release` answers it.
    """

    table: Private
    keys: Mapping[str, BoundExpression]
    aggregates: Mapping[str, Aggregate]

    @classmethod
    def of(
        cls,
        table: Private,
        keys: Mapping[str, BoundExpression],
        aggregates: Mapping[str, Aggregate],
    ) -> Question:
        """Return the question; refuse what cannot be asked of such columns."""
        if not aggregates:
            raise ParameterError("nothing was asked; try .agg(n=nw.count()).")
        for name, one in aggregates.items():
            of_kind(one, Aggregate, name=name, such_as="an aggregate such as nw.count()")
            if name in keys:
                raise ParameterError(f"{name!r} is a key already; choose another name.")
        question = cls(table, dict(keys), dict(aggregates))
        for measurement in question.asked.measurements:
            # What cannot be computed is refused here, and not when it is released.
            _ = measurement.bound, measurement.tally()
        return question

    @cached_property
    def asked(self) -> MeasurementPlan:
        """The measurements that answer it, and how answers follow from them."""
        return plan_measurements(self.table.rows, self.table.columns, self.keys, self.aggregates)

    def price(self, epsilon: Number | None, delta: Number = 0) -> Priced:
        """Return the noise that a budget buys: geometric, or normal where δ makes that better."""
        whole = RunBudget.of(epsilon, delta)
        found = self._with_noise(whole)
        if whole.unit == "rho":
            pure = self._with_noise(whole.without_delta())
            if _spread(pure) <= _spread(found):
                return pure
        return found

    def _with_noise(self, budget: RunBudget) -> Priced:
        measurements = self.asked.measurements
        amounts = tuple(budget.divide([1] * len(measurements)))
        unit: Unit = budget.unit
        noises = tuple(
            one.noise(amount, unit, self.table.budget.change)
            for one, amount in zip(measurements, amounts, strict=True)
        )
        return Priced(measurements, noises, amounts, budget)

    def explain(self, *, epsilon: Number | None = None, delta: Number = 0) -> str:
        """Say what will be computed, what one person can change in it, and what is charged."""
        from noisewright.queries.explanation import explain

        return explain(self, None if epsilon is None else self.price(epsilon, delta))

    def predict(
        self,
        *,
        epsilon: Number,
        people: float,
        delta: Number = 0,
        confidence: float = 0.95,
    ) -> Prediction:
        """Return how large errors will be, with so many people evenly spread; nothing is spent.

        `people` is a public number, or a guess: how many rows count, in all groups together.
        """
        from noisewright.queries.prediction import predict

        level = read_confidence(confidence)
        return predict(self, self.price(epsilon, delta), read_people(people), level)

    def epsilon_for(self, *, people: float, delta: Number = 0, **wanted: float) -> Fraction:
        """Return the least ε at which predicted standard errors are as small as wanted.

        Name columns of the answer: `epsilon_for(people=30_000, hours=0.05)`.
        """
        from noisewright.queries.prediction import least_epsilon

        if not wanted:
            raise ParameterError("name a column of the answer, as in epsilon_for(…, hours=0.05).")
        return least_epsilon(
            wanted, lambda epsilon: self.predict(epsilon=epsilon, people=people, delta=delta)
        )

    def certify(self, *, epsilon: Number, delta: Number = 0) -> Certificate:
        """Return the certificate of this question at this price; nothing is spent or read."""
        return self.certify_priced(self.price(epsilon, delta))

    def certify_priced(self, priced: Priced) -> Certificate:
        """Return the certificate of this question with this noise."""
        return certify_measurements(self.table, priced.describe(), priced.budget)

    def release(
        self,
        *,
        epsilon: Number,
        delta: Number = 0,
        what: str = "",
        progress: Progress | None = None,
        source: Source | None = None,
    ) -> Answer:
        """Answer the question: prove, debit, compute, draw, in this order.

        `what` is what the ledger calls it; by default, the question itself.
        Requires: a budget for `epsilon` and `delta` in the ledger of the table, if it has one.
        Ensures: (ε, δ)-private for the change that the table says. With delta=0 noise is two-sided
        geometric; else it is rounded normal noise, or geometric where that is better.
        """
        from noisewright.queries.query_job import QueryJob
        from noisewright.transaction import transact

        priced = self.price(epsilon, delta)
        budget = self.table.budget
        job = QueryJob(self, priced, source, what)
        return transact(
            job, ledger=budget.ledger, dataset=budget.dataset, source=source, progress=progress
        )

    def __str__(self) -> str:
        what = ", ".join(f"{name}={one}" for name, one in self.aggregates.items())
        return f"{what} by {', '.join(self.keys)}" if self.keys else what

    @property
    def guarantee_words(self) -> str:
        """What a guarantee of this question is about."""
        return f"for {self.table.unit}"


def read_people(people: float) -> float:
    """Return how many people are assumed; refuse what is no such number."""
    if isinstance(people, bool) or not isinstance(people, int | float) or not people > 0:
        raise ParameterError(f"people is {brief(people)}; it must be a number above 0.")
    return people


def certify_measurements(
    table: Private, measurements: list[dict[str, Any]], budget: RunBudget
) -> Certificate:
    """Return the certificate of measurements of a table that together spend a budget."""
    known = columns_in(table.rows)
    ranges = {name: [str(node.low), str(node.high)] for name, node in known.items()}
    return certify_query(
        measurements,
        columns=ranges,
        unit=budget.unit,
        total=budget.total,
        guarantee=budget.guarantee,
        change=table.budget.change,
    )


def _spread(priced: Priced) -> float:
    """Return the sum of the variances of all noise, each in the unit of what one row adds."""
    pairs = zip(priced.measurements, priced.noises, strict=True)
    return sum(noise.variance / one.row_change[0] ** 2 for one, noise in pairs)
