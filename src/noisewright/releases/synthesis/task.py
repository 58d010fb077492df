"""What a synthesizer is to do, before any data: columns, workload, and what may be spent."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from noisewright.errors import InputError, ParameterError
from noisewright.exact import Number, show
from noisewright.mechanisms import Guarantee
from noisewright.plans import Plan
from noisewright.public import public
from noisewright.releases.synthesis.declared import Columns
from noisewright.releases.synthesis.knowledge import GivenKnowledge
from noisewright.releases.synthesis.memory import require_memory
from noisewright.releases.synthesis.method import Method
from noisewright.spaces import Records, whole_number
from noisewright.synthetic import (
    MOST_POINTS,
    Bins,
    ByBlr,
    ByPoints,
    CliqueSynthesizer,
    Inference,
    Marginal,
    Mst,
    Mwem,
    MwemOnGraph,
    PublicKnowledge,
    RunBudget,
    Synthesizer,
    Workload,
    WorkloadErrors,
    varying,
)

_MANY = 1 << 60

WorkloadLike = Workload | str | os.PathLike[str] | int | list[int] | None
"""Which counting queries to answer well: see `synthesize`."""


@dataclass(frozen=True)
class SynthesisTask:
    """All that was asked for that needs no data; `synthesize` and its prediction share it."""

    domain: Records
    workload: Workload
    budget: RunBudget
    method: Method
    about_noise: tuple[str, ...] = ()
    known: GivenKnowledge = field(default_factory=GivenKnowledge)

    @cached_property
    def grid(self) -> Bins:
        """Which columns are counted in bins.

        Queries that are no marginals need the points of their columns, except of "mst", which
        counts columns and pairs whatever is asked. BLR counts nothing besides.
        """
        whole = {
            name
            for part in self.workload.parts
            for name in part.columns
            if self.method.name != "mst" and not isinstance(part, Marginal)
        } | self.known.columns_with_totals
        if self.method.name == "blr":
            return Bins.of(self.domain, self.method.bins, whole=whole, most_counted=0)
        return Bins.of(self.domain, self.method.bins, whole=whole)

    @cached_property
    def knowledge(self) -> PublicKnowledge:
        """What is public about the table, on the grid; zeros that leave nothing are refused."""
        return self.known.on(self.grid)

    @cached_property
    def asked(self) -> Workload:
        """The workload in bins."""
        return self.grid.workload(self.workload)

    @property
    def fitted_as(self) -> Inference:
        """How the counts are fitted: nothing is by BLR, and points need no graph while they fit."""
        method = self.method
        if method.name == "mst" and method.inference == "points":
            return "points" if self._by_points(1).is_possible else "graph"
        if method.inference != "tree" and method.name != "mst":
            few = self.grid.domain.size <= MOST_POINTS
            others = any(not isinstance(part, Marginal) for part in self.workload.parts)
            return "tree" if method.name == "blr" or few or others else "graph"
        return method.inference

    def require_possible(self) -> None:
        """Refuse what the declared columns alone show to be impossible."""
        if self.method.rows is not None:
            self.require_memory(self.method.rows)
        if self.known.is_some and self.fitted_as != "points":
            raise InputError(_only_points(self.method, self.fitted_as))
        self.synthesizer(1)

    def require_memory(self, people: int) -> None:
        """Refuse more rows than memory holds."""
        require_memory(self.rows(people), len(self.domain.columns))

    def synthesizer(self, people: int) -> Synthesizer:
        """Return the synthesizer for a table of so many rows."""
        domain, workload, budget = self.grid.domain, self.asked, self.budget
        if self.method.name == "mwem":
            given = (domain, workload, budget, self.method.rounds, self.grid.counted)
            return Mwem(*given) if self.fitted_as == "tree" else MwemOnGraph(*given)
        if self.method.name == "mst" and self.fitted_as == "points":
            return self._by_points(people)
        if self.method.name == "mst":
            return Mst(domain, workload, budget, self.grid.counted, self.fitted_as, people)
        return ByBlr(domain, workload, budget, self.rows(people), people)

    def _by_points(self, people: int) -> ByPoints:
        return ByPoints(
            self.grid.domain,
            self.asked,
            self.budget,
            self.grid.counted,
            people,
            self.knowledge,
            self.grid,
        )

    def with_better_noise(self) -> SynthesisTask:
        """Return the task with the noise that is expected to make smaller errors.

        A δ allows rounded normal noise, and does not forbid two-sided geometric noise, which is
        better when there are few steps, and spends none of it.
        Requires: it is possible.
        Ensures: what is chosen depends on columns, workload and budget alone.
        """
        asked = self.budget
        if asked.unit == "epsilon":
            return self
        pure = replace(self, budget=asked.without_delta())
        # For so many people no error is as large as is possible: the ratio is that of the noise.
        normal, geometric = (one.synthesizer(_MANY).predict(_MANY) for one in (self, pure))
        if normal.expected < geometric.expected:
            return self
        times = normal.expected / geometric.expected if geometric.expected else 1.0
        return replace(pure, about_noise=(noise_remark(asked.guarantee, times),))

    def predict(self, people: int) -> WorkloadErrors:
        """Return the errors to be expected of so many rows, with what is to be said about them."""
        made = self.synthesizer(people)
        errors = made.predict(people)
        said = (
            *remarks_on(errors, self.asked, self.budget.guarantee),
            *_only_pairs(made, errors, self.asked),
        )
        return replace(errors, remarks=(*self.about_noise, *self.known.remarks, *said))

    def rows(self, people: int) -> int:
        """Return how many rows are made from so many."""
        if self.method.rows is not None:
            return self.method.rows
        return ByBlr.usual_rows(self.grid.domain, people) if self.method.name == "blr" else people


@public
def predict_synthesis(
    plan: Any = None,
    *,
    people: int,
    epsilon: Number | None = None,
    delta: Number | None = None,
    method: Method | Literal["mst", "mwem", "blr"] = "mst",
    workload: WorkloadLike = None,
    zeros: Any = None,
    prior: Any = None,
    totals: Any = None,
) -> WorkloadErrors:
    """Return the errors to be expected of a synthetic table, before any data is read or spent.

    `people` is how many rows will be counted, which is public; where a plan has a `person`, those
    that are left when each person has at most as many as the plan allows. All else is as in
    `synthesize`.
    Ensures: for each part of the workload the mean error that noise alone causes if the part is
    counted by itself, in shares added up over its cells; for "blr" the bound that holds with
    probability 95%. What zeros, a prior and totals spare is not taken off; those that contradict
    each other, or the number of rows, are refused as `synthesize` does. Links between columns that
    are not counted together are not covered: how far a model is off there depends on the data.
    """
    count = whole_number(people, name="people", least=1)
    declaring = declaring_plan(plan, workload)
    columns = Columns.of(declaring)
    task = SynthesisTask(
        columns.domain,
        columns.workload(workload),
        budget_for(declaring, columns, epsilon, delta),
        Method.of(method),
        known=GivenKnowledge.of(columns, zeros=zeros, prior=prior, totals=totals),
    )
    task.require_possible()
    task.require_memory(count)
    task.knowledge.require_possible(count, task.rows(count))
    found = task.with_better_noise().predict(count)
    return replace(found, remarks=(*found.remarks, *task.grid.even_words()))


def _only_points(method: Method, fitted_as: str) -> str:
    given = f"method={method.name!r}" if method.name != "mst" else f"inference={method.inference!r}"
    if method.name == "mst" and method.inference == "points":
        return (
            "zeros, prior and totals need weights of points, and these columns are too many or too "
            f"large for that: they would be fitted as a {fitted_as}. Name fewer columns, declare "
            "coarser ones, or ask for fewer marginals in the workload."
        )
    return (
        f"zeros, prior and totals were given with {given}. They need weights of points: use "
        "method='mst' with inference='points', which is the default."
    )


def declaring_plan(plan: Any, workload: Any) -> Any:
    """Return what declares the columns: the plan, or else the domain of the workload."""
    if plan is not None:
        return plan
    if not isinstance(workload, Workload):
        raise ParameterError(
            "the columns are not declared. Give a plan, a mapping from names to spaces or lists "
            "of labels, or a workload, whose domain declares them."
        )
    return workload.domain


def budget_for(
    plan: Any, columns: Columns, epsilon: Number | None, delta: Number | None
) -> RunBudget:
    """Return what may be spent: what was asked for, and else what the plan says of each."""
    given, spare = columns.budget
    if epsilon is None and (given is None or not isinstance(plan, Plan | str | os.PathLike)):
        raise ParameterError("epsilon is missing: it is the privacy budget per person. Try 1.")
    whole = given if epsilon is None else epsilon
    slack = spare if delta is None else delta
    return RunBudget.of(whole, slack, rows_per_person=columns.rows_per_person)


_NEAR = 0.9
"""From this part of the largest possible error on, an expected error says nothing."""


def noise_remark(asked: Guarantee, times: float) -> str:
    """Say why a delta is not spent: normal noise would make errors so many times as large."""
    larger = f"{times:.3g} times as large" if times > 1 else "no smaller"
    return (
        "Noise is two-sided geometric, and no delta is spent: rounded normal noise, which "
        f"delta={show(asked.delta)} would allow, is expected to make the errors {larger} here "
        "(before they are capped at the largest possible). It helps where there are more steps. "
        f"The guarantee is epsilon={asked.epsilon} with delta=0."
    )


def remarks_on(errors: WorkloadErrors, workload: Workload, guarantee: Guarantee) -> tuple[str, ...]:
    """Say whether the table will tell anything, and whether delta is too large for so many rows."""
    return (*_vacuous(errors, workload), *_large_delta(guarantee.delta, errors.people))


def _vacuous(errors: WorkloadErrors, workload: Workload) -> list[str]:
    if errors.bound is not None:
        if errors.bound < 1:
            return []
        return [
            "No error is guaranteed for any answer: the bound on the errors is 100% of all rows "
            f"or more. The table may say nothing about the data. {_WHAT_HELPS}"
        ]
    asked = [part for part in errors.parts if part.in_workload]
    most = [
        2.0 if isinstance(part, Marginal) else float(part.count(workload.domain))
        for part in workload.parts
    ]
    drowned = [part.expected >= _NEAR * top for part, top in zip(asked, most, strict=True)]
    besides = [part.expected >= _NEAR * 2.0 for part in errors.parts if not part.in_workload]
    if all(drowned) and all(besides):
        return [
            "The table will say nothing about the data: noise alone is expected to move every "
            f"count as far as it can be moved. {_WHAT_HELPS}"
        ]
    if errors.expected < _NEAR * sum(most) / len(most):
        return []
    if errors.may_join:
        return [
            f"If all their cells were counted, noise would drown {sum(drowned):,} of the "
            f"{len(drowned):,} parts of the workload. Pairs that are selected are counted in "
            "fewer, joined bins of their numbers, and show only coarse associations. "
            f"{_WHAT_HELPS}"
        ]
    return [
        f"Noise drowns {sum(drowned):,} of the {len(drowned):,} parts of the workload: if these "
        f"are counted, their counts say nothing about the data. {_WHAT_HELPS}"
    ]


def _only_pairs(made: Synthesizer, errors: WorkloadErrors, workload: Workload) -> list[str]:
    """Say so where marginals of three columns and more are asked for, and none is counted."""
    asked = [part for part in errors.parts if part.in_workload]
    larger = [
        part.counted
        for part, queries in zip(asked, workload.parts, strict=False)
        if isinstance(queries, Marginal) and len(varying(workload.domain, part.columns)) > 2
    ]
    if not isinstance(made, CliqueSynthesizer) or not larger or any(c is not False for c in larger):
        return []
    if len(larger) == 1:
        which, they = "The marginal of three or more columns in the workload is not", "it follows"
    else:
        which = f"None of the {len(larger):,} marginals of three or more columns in the workload is"
        they = "they follow"
    why = "this way of fitting counts pairs at most"
    if isinstance(made, ByPoints):
        why = "they have too many cells" if len(larger) > 1 else "it has too many cells"
        if made.larger:
            why = "noise would drown such counts at this budget"
    return [f"{which} counted together: {why}, so {they} from pairs of columns."]


_WHAT_HELPS = "More people, a larger epsilon, fewer columns or coarser ones would help."


def _large_delta(delta: Fraction, people: int) -> list[str]:
    if delta * people < 1:
        return []
    return [
        f"delta={show(delta)} is large for {people:,} rows: publishing a row drawn at random, in "
        f"full, would be allowed with a delta of 1/{people:,}. Choose one well below that, such as "
        f"{0.01 / people:.0e}, or none (delta=0)."
    ]
