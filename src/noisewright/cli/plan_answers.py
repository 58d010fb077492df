"""What `noisewright plan` answers to machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noisewright.plans import Plan, Proposal


def proposal_facts(proposal: Proposal) -> dict[str, Any]:
    """Return what a draft proposes for one column."""
    from noisewright.plans import space_words

    treatment = proposal.treatment
    if treatment is None:
        words = "to be declared"
    elif isinstance(treatment, str):
        words = {"drop": "not released", "public": "released as it is"}[treatment]
    else:
        words = f"randomized, as {space_words(treatment.space)}"
    return {
        "column": proposal.field.name,
        "type": proposal.field.written or None,
        "proposal": words,
        "why": proposal.why,
    }


def plan_facts(plan: Plan, people: int | None) -> dict[str, Any]:
    """Return what a plan will do, part by part, and its words."""
    from noisewright.plans import outlook_of, planned_error

    parts: list[dict[str, Any]] = []
    for part in plan.parts:
        outlook = outlook_of(part)
        errors = {}
        for name in part.columns if people is not None else ():
            planned = planned_error(part, name, rows=people or 1)
            if planned is not None:
                errors[name] = {"question": planned.question, "standard_error": planned.error}
        parts.append(
            {
                "columns": list(part.columns),
                "epsilon": str(part.guarantee.epsilon.rational)
                if part.guarantee.epsilon.ratio is None
                else str(part.guarantee.epsilon),
                "delta": str(part.guarantee.delta),
                "truth": None if outlook.truth is None else list(outlook.truth),
                "off_by": outlook.off,
                "kept": outlook.kept,
                "added": outlook.added,
                "noise": outlook.noise,
                "errors": errors,
            }
        )
    return {
        "digest": plan.digest,
        "epsilon": str(plan.guarantee.epsilon),
        "delta": str(plan.guarantee.delta),
        "rows_per_person": plan.rows_per_person,
        "shares": plan.shares,
        "private": list(plan.private),
        "public": list(plan.public),
        "dropped": list(plan.dropped),
        "parts": parts,
        "words": list(plan.words(rows=people)),
        "cautions": list(plan.cautions(rows=people)),
    }
