"""What happens to each column of a table, under one budget: the plan of a release."""

from noisewright.plans.column import DROP, PUBLIC, Column, Treatment
from noisewright.plans.draft import Draft, Proposal, draft_plan
from noisewright.plans.epsilon_for import PlannedEpsilon, epsilon_for
from noisewright.plans.parts import Part
from noisewright.plans.plan import Person, Plan
from noisewright.plans.wanted import Wanted

__all__ = [
    "DROP",
    "PUBLIC",
    "Column",
    "Draft",
    "Part",
    "Person",
    "Plan",
    "PlannedEpsilon",
    "Proposal",
    "Treatment",
    "Wanted",
    "draft_plan",
    "epsilon_for",
]
