"""`ask`: several questions under one guarantee, with one certificate and one debit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final, overload

from noisewright.certificates import Certificate
from noisewright.exact import Number
from noisewright.mechanisms import Guarantee
from noisewright.public import public, public_methods
from noisewright.queries.answer import Answer, with_payment
from noisewright.queries.planning.best_precisions import Goal
from noisewright.queries.query_job import add_noise
from noisewright.queries.question import Question
from noisewright.queries.readings import NoisyNumbers
from noisewright.queries.together.joint_plan import JointPlan, Place, plan_together
from noisewright.transaction import Job, Payment, Progress, Subject, transact

if TYPE_CHECKING:
    from noisewright.sampling import Source


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class JointAnswers(Sequence[Answer]):
    """The answers to questions that were asked together, in their order.

    One certificate covers all. Counts that were measured together agree: `unbiased` exactly, and
    the values of `table` as far as no count may be negative. They are no whole numbers.
    """

    answers: tuple[Answer, ...]
    plan: JointPlan
    certificate: Certificate

    @property
    def guarantee(self) -> Guarantee:
        """What each person gave away for all answers, for the change that the table says."""
        return self.certificate.guarantee

    @property
    def gain(self) -> float:
        """How many times smaller errors of counts are than those of separate questions."""
        return self.plan.gain

    @property
    def summary(self) -> str:
        """How much better this is than asking separately, in a sentence or two."""
        return self.plan.summary

    def __len__(self) -> int:
        return len(self.answers)

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Answer, ...]: ...
    def __getitem__(self, place: int | slice) -> Answer | tuple[Answer, ...]:
        return self.answers[place]

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    def __repr__(self) -> str:
        shown = [f"{one.question}\n{one!r}" for one in self.answers[:5]]
        more = [f"… {len(self) - 5:,} more answers"] if len(self) > 5 else []
        return "\n\n".join([*shown, *more, self.summary])


@final
@dataclass
class JointJob(Job[JointAnswers]):
    """All questions of a plan. No step before the debit reads rows."""

    plan: JointPlan
    source: Source | None
    _certificate: Certificate | None = None

    @property
    def what(self) -> str:
        """What the ledger says of it."""
        text = "questions: " + "; ".join(map(str, self.plan.questions))
        return text if len(text) <= 1000 else f"{text[:999]}…"

    @property
    def price(self) -> Guarantee:
        """The privacy loss of each person."""
        return self.plan.budget.guarantee

    @property
    def subject(self) -> Subject:
        """Whose privacy is spent."""
        return self.plan.private.budget.subject

    def prove(self) -> Certificate:
        """Prove what a person can change in all measurements, and what their noise costs."""
        self._certificate = self.plan.certify()
        return self._certificate

    def draw(self, progress: Progress | None) -> JointAnswers:
        """Compute the numbers and add noise to them."""
        plan, steps, done = self.plan, len(self.plan.own) + 1, 0
        own: dict[Place, NoisyNumbers] = {}
        for done, (at, one) in enumerate(plan.own.items(), start=1):
            numbers = add_noise(one.measurement, one.noise, self.source)
            own[at] = NoisyNumbers(one.measurement, one.noise, numbers)
            if progress is not None:
                progress("draw", done, steps)
        counts = None if plan.shared is None else plan.shared.measure(self.source)
        if progress is not None:
            progress("draw", steps, steps)
        assert self._certificate is not None
        answers = tuple(
            Answer(question, plan.measured_of(place, counts, own), self._certificate)
            for place, question in enumerate(plan.questions)
        )
        return JointAnswers(answers, plan, self._certificate)

    def note(self, made: JointAnswers, payment: Payment) -> JointAnswers:
        """Return the answers with what the ledger was charged."""
        answers = tuple(with_payment(one, payment, self.source) for one in made.answers)
        return JointAnswers(answers, made.plan, made.certificate)


@public
def ask(
    questions: Sequence[Question],
    *,
    epsilon: Number,
    delta: Number = 0,
    weights: Sequence[Number] | None = None,
    goal: Goal = "total",
    progress: Progress | None = None,
    source: Source | None = None,
) -> JointAnswers:
    """Answer several questions about the same rows together, for one ε, better than separately.

    Counts by keys, histograms and the most frequent labels are measured together, so that what
    they have in common is paid for once, and their answers agree. With delta above 0 the noise is
    normal and on contrasts (Xiao, He, Zhang, Kifer 2023), with delta=0 geometric and on whole
    tables; where that is better, also with a delta. Other aggregates have parts of their own.

    `weights` say how much each question matters (1 if left out): by them the budget is divided
    among measurements that are not shared, and each shared count adds the weight of its question
    times its variance to what is made least. With goal="worst" that is the largest mean of these
    over the counts of one question. `plan_together` says beforehand how good answers will be.

    Requires: questions that begin from one private table, after its filters and limits; a budget
    for `epsilon` and `delta` in its ledger, if it has one.
    Ensures: all answers together are (ε, δ)-private for the change that the table says.
    """
    plan = plan_together(questions, epsilon=epsilon, delta=delta, weights=weights, goal=goal)
    budget = plan.private.budget
    return transact(
        JointJob(plan, source),
        ledger=budget.ledger,
        dataset=budget.dataset,
        source=source,
        progress=progress,
    )
