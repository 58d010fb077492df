"""All that a synthesizer will do to the data, written down before it does anything.

A certificate is about this list, the ledger is debited for it, and noise is drawn from it: see
`noisy_steps.py`. What was chosen in private is not in it; that a pair will be chosen and counted,
and with which noise, is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

from noisewright.certificates import Certificate, certify_steps
from noisewright.errors import ParameterError
from noisewright.exact import as_text
from noisewright.synthetic.steps.balanced_law import MOST_CELLS
from noisewright.synthetic.steps.noise import MARGINAL, QUERY, Noise
from noisewright.synthetic.steps.run_budget import RunBudget

DISTANCE = "distance of "
"""How what a comparison says of itself begins."""

_COUNTED = {MARGINAL: "marginal", QUERY: "query"}


@final
@dataclass(frozen=True)
class Counting:
    """Counts that get noise: of a marginal or of one query, by what was chosen before.

    `noises` has one for each of the two that is possible, all for the same part of the whole.
    """

    what: str
    noises: tuple[Noise, ...]

    @property
    def amount(self) -> Fraction:
        """Its part of the whole."""
        return self.noises[0].amount

    def noise(self, change: int) -> Noise:
        """Return the noise for counts that one row changes by this, or refuse."""
        for noise in self.noises:
            if noise.change == change:
                return noise
        raise ParameterError(
            f"the counts of a {_COUNTED[change]} are not what this step was certified for: "
            f"{self.what}. Please report this."
        )

    def describe(self) -> dict[str, Any]:
        """Return the step as a certificate writes it."""
        is_pure = self.noises[0].unit == "epsilon"
        scale = "decay" if is_pure else "deviation"
        return {
            "kind": "geometric" if is_pure else "normal",
            "what": self.what,
            "amount": as_text(self.amount),
            "noise": [
                {
                    "counts": _COUNTED[noise.change],
                    scale: as_text(noise.scale),
                    **({"balanced_cells": MOST_CELLS} if noise.may_balance else {}),
                }
                for noise in self.noises
            ],
        }


@final
@dataclass(frozen=True)
class Comparing:
    """A distance of counts from what a model says, which one row changes by 1, and its noise."""

    what: str
    noise: Noise

    @property
    def amount(self) -> Fraction:
        """Its part of the whole."""
        return self.noise.amount

    def describe(self) -> dict[str, Any]:
        """Return the step as a certificate writes it: one number, as a query is."""
        return Counting(self.what, (self.noise,)).describe()


@final
@dataclass(frozen=True)
class Choosing:
    """A choice by the exponential mechanism, of scores that one row changes by `change`."""

    what: str
    amount: Fraction
    epsilon: Fraction
    change: int
    rows_per_person: int

    @property
    def sensitivity(self) -> int:
        """By how much one person changes a score."""
        return self.change * self.rows_per_person

    def describe(self) -> dict[str, Any]:
        """Return the step as a certificate writes it."""
        return {
            "kind": "choice",
            "what": self.what,
            "amount": as_text(self.amount),
            "factor": as_text(self.epsilon / (2 * self.sensitivity)),
            "change": self.change,
        }


Step = Counting | Comparing | Choosing


@final
@dataclass(frozen=True)
class Schedule:
    """The steps in their order; they spend all of the budget, exactly."""

    budget: RunBudget
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        found = sum((step.amount for step in self.steps), Fraction(0))
        if found != self.budget.total:
            raise ParameterError(
                f"the steps spend {found} of {self.budget.total}. Please report this: the "
                "budget was divided wrongly."
            )

    @cached_property
    def certificate(self) -> Certificate:
        """The proof that these steps have the guarantee, whatever is chosen on the way.

        Ensures: the stand-alone checker has proven it.
        """
        budget = self.budget
        return certify_steps(
            [step.describe() for step in self.steps],
            unit=budget.unit,
            total=budget.total,
            guarantee=budget.guarantee,
            rows_per_person=budget.rows_per_person,
        )


def counting(
    budget: RunBudget, what: str, amount: Fraction, changes: Sequence[int] = (MARGINAL,)
) -> Counting:
    """Return a step that counts with the noise that a part of the budget buys."""
    return Counting(what, tuple(budget.noise(amount, change) for change in changes))


def comparing(budget: RunBudget, names: Sequence[str], time: int, amount: Fraction) -> Comparing:
    """Return a step that tells how far a table is from the model, for the first or second time."""
    return Comparing(distance_name(names, time), budget.noise(amount, QUERY))


def distance_name(names: Sequence[str], time: int) -> str:
    """Return what a comparison says of itself, for the first or second time."""
    return f"{DISTANCE}{' × '.join(names)} from the model, {time} of 2"


def choosing(budget: RunBudget, what: str, amount: Fraction, *, change: int = MARGINAL) -> Choosing:
    """Return a step that chooses with the ε that a part of the budget buys."""
    epsilon = budget.choice_epsilon(amount)
    return Choosing(what, amount, epsilon, change, budget.rows_per_person)
