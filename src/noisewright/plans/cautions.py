"""What somebody should think about twice before a plan is carried out.

None of it is an error: a plan may be right all the same. It follows from the plan, from the number
of rows, and from columns that are public anyway; private values have no say in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from noisewright.exact import Epsilon
from noisewright.plans.name_hints import hint_of
from noisewright.plans.outlook import planned_error
from noisewright.plans.plan import Plan
from noisewright.plans.words import amounts, error_of

_WEAK = Epsilon(rational=Fraction(10))
"""Above this epsilon a promise is hardly one: e^10 is 22,026."""

_FEW = 10
"""Rows that share a public value on average; with fewer, it points at people."""

_LEAST = 20
"""Public columns with fewer different values than this point at nobody by their number."""


def plan_cautions(plan: Plan, *, rows: int | None = None) -> tuple[str, ...]:
    """Return what is to be thought about, one sentence after the other; nothing for most plans."""
    said: list[str] = []
    if not plan.guarantee.epsilon <= _WEAK:
        said.append(
            f"The privacy loss of each person is up to {amounts(plan.guarantee)}. Above "
            f"epsilon={_WEAK} the guarantee is weak: an output may be more than 22,000 times as "
            "likely with a person's data as with other data in their place. Use a smaller "
            "epsilon, or fewer columns."
        )
    for name in plan.public:
        hint = hint_of(name)
        if hint is not None and hint.suggestion in ("identifier", "person"):
            said.append(
                f"The column {name!r} is public, and its name looks like {hint.why}. It would be "
                "released unchanged, so every row could be traced to a person. Drop it (use = "
                '"drop"), unless everybody already knows which row is whose.'
            )
    return (*said, *_vacuous(plan, rows))


def _vacuous(plan: Plan, rows: int | None) -> list[str]:
    if rows is None:
        return []
    drowned: list[str] = []
    for part in plan.parts:
        for name in part.columns:
            planned = planned_error(part, name, rows=rows)
            if planned is not None and planned.says_little:
                drowned.append(f"{name} (standard error {error_of(planned, part, name)})")
    if not drowned:
        return []
    return [
        f"From {rows:,} rows, estimates will say little or nothing about {', '.join(drowned)}: "
        "the noise is as large as anything they could show. Use more rows, a larger epsilon, or "
        "fewer columns."
    ]


def public_cautions(different: Mapping[str, int], rows: int) -> tuple[str, ...]:
    """Return what is to be said of public columns with so many different values in so many rows."""
    return tuple(
        f"The public column {name!r} has {count:,} different values in {rows:,} rows. Few people "
        'share a value, so a value may identify a person. Drop the column (use = "drop"), or '
        "make it coarser, unless everybody already knows which row is whose."
        for name, count in different.items()
        if count >= _LEAST and count * _FEW > rows
    )
