"""A plan as a table: what each column can hold, what is released of it, and how good that is."""

from __future__ import annotations

from noisewright.exact import plain_power
from noisewright.plans.column import DROP, PUBLIC
from noisewright.plans.outlook import outlook_of, planned_error
from noisewright.plans.parts import Part
from noisewright.plans.plan import Plan
from noisewright.plans.words import about, error_of, space_words, unit_of
from noisewright.spaces import Records, Space


def plan_rows(plan: Plan, *, rows: int | None = None) -> list[list[str]]:
    """Return the cells of the table, its head first; with `rows` also the planned errors."""
    whose = "epsilon before shuffling" if plan.is_central else "epsilon per person"
    head = ["column", "values", whose, "a released value"]
    errors = [] if rows is None else [f"standard error, {rows:,} rows"]
    body = [
        [
            part.name,
            _values(part.space),
            part.guarantee.epsilon.times(plan.rows_per_person).in_digits(),
            _outcome_words(part),
            *([] if rows is None else [_errors(part, rows)]),
        ]
        for part in (plan.parts if plan.has_mechanisms else ())
    ]
    if not plan.has_mechanisms:
        body = [
            [" × ".join(names), _values(space), "", "depends on the number of rows"]
            for names, space in plan.groups
        ]
    fixed = {PUBLIC: "unchanged, not protected", DROP: "not released"}
    body += [
        [name, use, "", fixed[use], *("" for _ in errors)]
        for use, names in ((PUBLIC, plan.public), (DROP, plan.dropped))
        for name in names
    ]
    return [[*head, *errors], *body]


def _values(space: Space) -> str:
    joint = isinstance(space, Records)
    return f"{space.size:,} combinations" if joint else space_words(space)


def _outcome_words(part: Part) -> str:
    outlook = outlook_of(part)
    if outlook.kept is not None and outlook.added is not None:
        return f"items kept {_share(outlook.kept)}, added {_share(outlook.added)}"
    if outlook.noise is not None:
        return f"noise {about(outlook.noise)} at each position"
    if outlook.off is not None:
        unit = "" if part.is_joint else unit_of(part, part.name)
        return f"off by {about(outlook.off)}{unit} on average"
    if outlook.truth is not None:
        low, high = map(_share, outlook.truth)
        return f"true with probability {low}" + ("" if low == high else f" to {high}")
    return "by a mechanism of its own"


def _share(value: float) -> str:
    return plain_power(f"{value:.3g}")


def _errors(part: Part, rows: int) -> str:
    said: list[str] = []
    for name in part.columns:
        planned = planned_error(part, name, rows=rows)
        if planned is None:
            continue
        of = f"{name}: " if part.is_joint else ""
        said.append(of + error_of(planned, part, name) + ", says little" * planned.says_little)
    return "; ".join(said)
