"""What is to be said about a synthetic table before it is made: of its noise, errors and delta.

All of it follows from the declared columns, the number of rows and the budget.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.exact import shown
from noisewright.mechanisms import Guarantee
from noisewright.synthetic import Marginal, Workload, WorkloadErrors

_NEAR = 0.9
"""An expected error of so much of the largest possible one is no knowledge."""


def noise_remark(asked: Guarantee, times: float) -> str:
    """Say why a delta is not spent: normal noise would make errors so many times as large."""
    larger = f"{times:.3g} times as large" if times > 1 else "no smaller"
    return (
        "Noise is two-sided geometric, and no delta is spent: rounded normal noise, which "
        f"delta={shown(asked.delta)} would allow, is expected to make the errors {larger} here "
        "(before they are cut off at the largest possible). It helps where there are more steps. "
        f"The promise is epsilon={shown(asked.epsilon.rational)} alone."
    )


def remarks_on(errors: WorkloadErrors, workload: Workload, guarantee: Guarantee) -> tuple[str, ...]:
    """Say whether the table will tell anything, and whether delta is too large for so many rows."""
    return (*_vacuous(errors, workload), *_large_delta(guarantee.delta, errors.people))


def _vacuous(errors: WorkloadErrors, workload: Workload) -> list[str]:
    if errors.bound is not None:
        if errors.bound < 1:
            return []
        return [
            "Nothing is promised about any answer: the bound on the errors is 100% of all rows or "
            f"more. The table may say nothing about the data. {_WHAT_HELPS}"
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
    return [
        f"Noise drowns {sum(drowned):,} of the {len(drowned):,} parts of the workload: if these "
        f"are counted, their counts say nothing about the data. {_WHAT_HELPS}"
    ]


_WHAT_HELPS = "More people, a larger epsilon, fewer columns or coarser ones would help."


def _large_delta(delta: Fraction, people: int) -> list[str]:
    if delta * people < 1:
        return []
    return [
        f"delta={shown(delta)} is large for {people:,} rows: publishing a row drawn at random, in "
        f"full, would be allowed with a delta of 1/{people:,}. Choose one well below that, such as "
        f"{0.01 / people:.0e}, or none (delta=0)."
    ]
