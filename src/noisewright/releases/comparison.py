"""How far shares of labels are off in a private copy, and in what could have been made instead."""

from __future__ import annotations

import math

from noisewright.errors import DesignError, InputError, NoisewrightError, TooLargeError
from noisewright.mechanisms import marginal
from noisewright.plans import Column, Plan, mechanism_error
from noisewright.releases.synthesis.method import Method
from noisewright.releases.synthesis.task import SynthesisTask
from noisewright.spaces import Categories, Curves, Records, Subsets
from noisewright.synthetic import CliqueSynthesizer, ExpectedFit, RunBudget, Workload

IMPOSSIBLE = (InputError, TooLargeError, DesignError)
"""What a tool raises that is not for such columns, or not for so many."""


def expected_synthesis(
    domain: Records, budget: RunBudget, rows: int
) -> tuple[ExpectedFit, SynthesisTask]:
    """Return the errors of a synthetic table with these columns, as it is made by default."""
    workload = Workload.marginals(domain, ways=min(2, len(domain.columns)))
    task = SynthesisTask(domain, workload, budget, Method())
    task.require_possible()
    task = task.with_better_noise()
    made = task.synthesizer(rows)
    assert isinstance(made, CliqueSynthesizer)
    return ExpectedFit(made, rows), task


def compare_shares(plan: Plan, rows: int) -> tuple[tuple[str, float], ...]:
    """Return the typical error of shares of labels, by tool, all under the guarantee of the plan.

    Only for plans whose rows hide among each other, and that have labels: others have no choice.
    """
    columns = {name: how for name, how in plan.columns if isinstance(how, Column)}
    labels = [name for name, how in columns.items() if isinstance(how.space, Categories)]
    if not plan.is_central or not labels:
        return ()
    whole = plan.guarantee
    found = {"this private copy, in random order": _error_of(plan, labels, rows)}
    try:
        kept = Plan(
            columns,
            epsilon=whole.epsilon.rational,
            together=plan.together,
            person=plan.person,
            shares="equal" if plan.shares == "equal" else "given",
        )
        found["a private copy with rows in their order"] = _error_of(kept, labels, rows)
        countable = {
            name: how.space
            for name, how in columns.items()
            if not isinstance(how.space, Subsets | Curves)
        }
        budget = RunBudget.of(
            whole.epsilon.rational, whole.delta, rows_per_person=plan.rows_per_person
        )
        fit, _ = expected_synthesis(Records(countable), budget, rows)
        found["a synthetic table"] = _mean([fit.share(name) for name in labels])
    except NoisewrightError:
        pass  # Not every plan can be carried out in another way, or with this budget.
    return tuple((name, error) for name, error in found.items() if error is not None)


def _error_of(plan: Plan, labels: list[str], rows: int) -> float | None:
    errors: list[float | None] = []
    for part in plan.parts:
        for name in set(part.columns) & set(labels):
            one = marginal(part.mechanism, name) if part.is_joint else part.mechanism
            errors.append(mechanism_error(one, "shares", rows=rows))
    return _mean(errors)


def _mean(errors: list[float | None]) -> float | None:
    known = [error for error in errors if error is not None]
    return math.sqrt(sum(error**2 for error in known) / len(known)) if known else None
