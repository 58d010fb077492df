"""The question of the count paper: how many people of each public group say yes to something?

Groups and their sizes are public, and each person has one private yes or no. The answer of each
group lies within 0 … its size, and has the properties that the design promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import Certificate
from noisewright.errors import ParameterError
from noisewright.exact import Number
from noisewright.given import brief, whole_number
from noisewright.mechanisms import Guarantee
from noisewright.public import public_methods
from noisewright.queries.answer import SEEDED
from noisewright.queries.asked import conditions_of, settle_limits
from noisewright.queries.binding import BoundExpression, bind, bind_condition
from noisewright.queries.expressions import Expression, col
from noisewright.queries.groups.group_designs import GroupDesigns, design_groups
from noisewright.queries.measurements import bound_of
from noisewright.queries.public_table import Public
from noisewright.relations import Filter, Rows, TallyRequest, tally
from noisewright.sampling import source_or_default
from noisewright.transaction import Job, Payment, Progress, Subject, transact

if TYPE_CHECKING:
    from noisewright.queries.answers.answered import Answered
    from noisewright.queries.groups.size_design import SizePrediction
    from noisewright.queries.private import Private
    from noisewright.sampling import Source


@public_methods
@final
@dataclass(frozen=True, eq=False)
class GroupQuestion:
    """How many people of each public group fulfill a condition; it costs nothing until released."""

    table: Private
    name: str
    key: BoundExpression
    sizes: Mapping[Any, int]
    condition: Expression
    options: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        table: Private,
        public: Public,
        condition: Expression,
        sizes: str | None,
        **options: Any,
    ) -> GroupQuestion:
        """Return the question; refuse groups, sizes or conditions that cannot be used."""
        if not isinstance(public, Public):
            raise ParameterError("give the public groups and their sizes as an nw.Public.")
        bind_condition(condition, table.columns)
        if bound_of(table.rows, ()) is None or bound_of(table.rows, ()).total != 1:  # pyright: ignore[reportOptionalMemberAccess]
            raise ParameterError(
                "each person gives one yes or no: add .limit(rows=1) if people have several rows."
            )
        key = bind(col(public.key), table.columns)
        return cls(table, public.key, key, _read_sizes(public, sizes), condition, options)

    def designs(
        self, *, epsilon: Number | None = None, alpha: Number | None = None
    ) -> GroupDesigns:
        """Return the mechanism for each size; nothing is spent."""
        return design_groups(self.sizes, epsilon=epsilon, alpha=alpha, **self.options)

    def predict(
        self,
        *,
        epsilon: Number | None = None,
        alpha: Number | None = None,
        confidence: float = 0.95,
    ) -> tuple[SizePrediction, ...]:
        """Return for each size how well its groups will be counted; nothing is spent."""
        return self.designs(epsilon=epsilon, alpha=alpha).predict(confidence=confidence)

    def release(
        self,
        *,
        epsilon: Number | None = None,
        alpha: Number | None = None,
        progress: Progress | None = None,
        source: Source | None = None,
    ) -> GroupAnswer:
        """Answer it: ε is spent once for each person, however many groups there are.

        Ensures: ε-private for changing the answer of one person, whose group and its size are
        public; the certificate of all groups is proven before the debit.
        """
        designs = self.designs(epsilon=epsilon, alpha=alpha)
        budget = self.table.budget
        return transact(
            GroupJob(self, designs, source),
            ledger=budget.ledger,
            dataset=budget.dataset,
            source=source,
            progress=progress,
        )

    def count(self) -> dict[Any, int]:
        """Return the true counts of yes, for the job alone."""
        condition = bind_condition(self.condition, self.table.columns)
        read = [self.key.node, condition, *conditions_of(self.table.rows)]
        rows: Rows = Filter(settle_limits(self.table.rows, (), read), condition)
        counts = tally(TallyRequest(rows, (self.key.node,)))[:, 0].tolist()
        return dict(zip(self.key.points, counts, strict=True))

    def __str__(self) -> str:
        return f"how many say yes to {self.condition} in each public group of {self.name}"


@final
@dataclass
class GroupJob(Job["GroupAnswer"]):
    """The job of `GroupQuestion.release`."""

    question: GroupQuestion
    designs: GroupDesigns
    source: Source | None

    @property
    def what(self) -> str:
        """What the ledger says of it."""
        return f"question: {self.question}"[:1000]

    @property
    def price(self) -> Guarantee:
        """The privacy loss of each person."""
        return self.designs.guarantee

    @property
    def subject(self) -> Subject:
        """Whose privacy is spent."""
        return self.question.table.budget.subject

    def prove(self) -> Certificate:
        """Prove the mechanisms of all sizes."""
        return self.designs.certificate

    def draw(self, progress: Progress | None) -> GroupAnswer:
        """Count, and draw from the mechanism of each group's size."""
        drawn = self.designs.draw(self.question.count(), self.source)
        private = source_or_default(self.source).private
        return GroupAnswer(self.question, self.designs, drawn, is_private=private)

    def publish(self, made: GroupAnswer, payment: Payment) -> GroupAnswer:
        """Note the entry of the ledger."""
        return replace(made, entry=payment.entry)


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class GroupAnswer:
    """Released counts of public groups, always within 0 and the group's size."""

    question: GroupQuestion
    designs: GroupDesigns
    counts: NDArray[np.int64]
    entry: int | None = None
    is_private: bool = True
    """Whether the noise came from private entropy; a seeded one promises nothing."""

    @property
    def certificate(self) -> Certificate:
        """The proof for all groups."""
        return self.designs.certificate

    @property
    def guarantee(self) -> Guarantee:
        """What each person gave away."""
        return self.designs.guarantee

    def estimate(self, *, confidence: float = 0.95) -> Answered:
        """Return values with errors and intervals, in the order of the groups."""
        return self.designs.estimate(self.counts, confidence=confidence)

    @property
    def table(self) -> Any:
        """The groups, their public sizes and the released counts, as an Arrow table."""
        import pyarrow as pa

        sizes = self.designs.sizes
        return pa.table(
            {
                self.question.name: list(sizes),
                "size": list(sizes.values()),
                "count": pa.array(self.counts),
            }
        )

    def intervals(self, confidence: float = 0.95) -> Any:
        """Return the table with the ends of intervals that cover the true counts."""
        import pyarrow as pa

        found = self.estimate(confidence=confidence)
        ends = {"count_low": found.lows, "count_high": found.highs}
        table = self.table
        for name, values in ends.items():
            table = table.append_column(name, pa.array(values.astype(np.int64)))
        return table

    def __repr__(self) -> str:
        promise = f"{'' if self.is_private else SEEDED}{self.guarantee} {self.certificate.unit}"
        return f"<counts of {len(self.counts):,} groups, {promise}>"


def _read_sizes(public: Public, sizes: str | None) -> dict[Any, int]:
    whole = [
        name
        for name in public.names
        if all(isinstance(one, int) and not isinstance(one, bool) for one in public.columns[name])
    ]
    if sizes is None and len(whole) != 1:
        raise ParameterError(
            "name the column of the public table that has the sizes of the groups: sizes='people'."
        )
    name = whole[0] if sizes is None else sizes
    if name not in whole:
        raise ParameterError(
            f"sizes is {brief(name)}; it must name a column of whole numbers of the public table."
        )
    return {
        group: whole_number(size, name=f"the size of {brief(group)}", least=0)
        for group, size in zip(public.columns[public.key], public.columns[name], strict=True)
    }
