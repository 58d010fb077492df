"""How a continual count is measured: a tree over the steps, its noise, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import Certificate, certify_query
from noisewright.given import of_kind, one_of, whole_number
from noisewright.queries.answers.bin_tree import MOST_BINS, BinTree
from noisewright.queries.answers.quantiles import critical_values
from noisewright.queries.continual.online_tree import OnlineTree, online_tree_for
from noisewright.queries.measurements import Change, QueryMeasurement
from noisewright.queries.noise import CellNoise
from noisewright.queries.private import CHANGES
from noisewright.relations import Limit, Rows, SourceRows, column
from noisewright.spaces import Counts
from noisewright.synthetic import RunBudget
from noisewright.tables import Field, Person

if TYPE_CHECKING:
    from noisewright.exact import Number


_SMOOTH = 4
"""Sums of noise of this deviation are as good as continuous."""
_ROUGH = 0.75
"""Sums of noise of a smaller one are lumpy even if they are weighted."""
_UNSEEN = 1e-13


def _sums_within(chances: NDArray[np.float64], most: int, confidence: float) -> list[int]:
    """Return the least k with P(|sum of m draws| ≤ k) ≥ confidence, for m = 0 … most."""
    found, law = list[int](), np.ones(1)
    for _ in range(most + 1):
        middle = len(law) // 2
        inside = np.concatenate([law[middle : middle + 1], 2 * law[middle + 1 :]]).cumsum()
        found.append(int(np.argmax(inside >= confidence * inside[-1])))
        law = np.convolve(law, chances)
        cut = int(np.argmax(law > _UNSEEN))
        law = law[cut : len(law) - cut]
    return found


@final
@dataclass(frozen=True)
class CountScheme:
    """A tree over the steps, with the noise of its nodes."""

    tree: BinTree
    noise: CellNoise

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> CountScheme:
        """Return what the file of a count tells."""
        noise = CellNoise(facts["unit"], Fraction(facts["scale"]))
        return cls(BinTree(facts["steps"], tuple(facts["widths"])), noise)

    @property
    def law(self) -> OnlineTree:
        """What is known of estimated totals."""
        return OnlineTree.of(self.tree, self.noise.variance, self.noise.fourth_cumulant)

    def half_widths(self, steps: NDArray[np.int64], confidence: float) -> NDArray[np.float64]:
        """Return how far the totals after so many steps are off, at most, with the confidence.

        Sums of a few whole numbers take few values: where noise is small, their law itself decides.
        """
        law = self.law
        half = critical_values(*law.spread(steps), confidence)
        if self.noise.deviation >= _SMOOTH:
            return half
        nodes, whole = law.nodes(steps)
        exact = np.array(_sums_within(self.noise.chances, int(nodes.max(initial=0)), confidence))[
            nodes
        ]
        if self.noise.deviation >= _ROUGH:
            return np.where(whole, exact, half)
        # Estimates of wide nodes are near whole numbers, and have less noise than single counts.
        return np.where(whole, exact, np.maximum(half, exact + 0.5))


@final
@dataclass(frozen=True)
class PricedCount:
    """A scheme with what it costs, and for which change of a person."""

    scheme: CountScheme
    measurement: QueryMeasurement
    budget: RunBudget
    person: Person | None
    change: Change

    @classmethod
    def of(
        cls, steps: int, epsilon: Number, delta: Number, person: Person | None, change: Change
    ) -> PricedCount:
        """Return the best tree for so many steps, with the noise that the budget buys."""
        number = whole_number(steps, name="steps", least=2, most=MOST_BINS)
        one_of(change, CHANGES, name="change")
        if person is not None:
            of_kind(person, Person, name="person", such_as="nw.Person('patient', rows=3)")
        given = RunBudget.of(epsilon, delta)
        budgets = [given] if given.unit == "epsilon" else [given, given.without_delta()]
        found = [cls._at(number, budget, person, change) for budget in budgets]
        every = np.arange(1, number + 1)
        return min(found, key=lambda one: float(one.scheme.law.spread(every)[0].mean()))

    @classmethod
    def _at(
        cls, steps: int, budget: RunBudget, person: Person | None, change: Change
    ) -> PricedCount:
        tree = online_tree_for(steps, budget.unit)
        whose = None if person is None else person.column
        rows: Rows = SourceRows(_Stream(), {"step": Field(Counts(steps - 1))}, whose)
        if person is not None:
            rows = Limit(rows, person.rows, "")
        step = column("step", 0, steps - 1, nullable=False)
        measurement = QueryMeasurement("rows up to each step", rows, (), "levels", step, tree=tree)
        noise = measurement.noise(budget.total, budget.unit, change)
        return cls(CountScheme(tree, noise), measurement, budget, person, change)

    def certify(self) -> Certificate:
        """Return the proof of what all steps cost together."""
        total = self.budget.total
        return certify_query(
            [self.measurement.describe(self.scheme.noise, total)],
            columns={"step": ["0", str(self.scheme.tree.bins - 1)]},
            unit=self.budget.unit,
            total=total,
            guarantee=self.budget.guarantee,
            change=self.change,
        )


@dataclass(frozen=True)
class _Stream:
    """The rows of all steps, which no table holds."""

    name: str = "all steps"
