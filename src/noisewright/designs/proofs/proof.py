"""Dual values that prove a bound, written so that a stranger can add them up.

A mechanism pays `weights[x] · cost(x, y)` for its mass on output y of input x. Give each
inequality that it must keep a dual value λ ≥ 0, and charge it λ for each unit by which it breaks
it: for neighbors x, z, P(y|x) ≤ e^ε P(y|z) adds λ to the cost of (x, y) and takes e^ε λ from that
of (z, y), or e^(ε·d) λ where ε counts per unit of distance. A private mechanism never pays more
than before. The properties are inequalities between two entries and are charged in the same way.
After that the cheapest entry of each row bounds what the row must pay, whatever the dual values are
(weak duality).

With δ > 0 the excesses of one ordered pair sum to at most δ, so charging for them may cost a
private mechanism δ times the largest of their dual values, which is taken off. For the worst input
the weights may be any that sum to 1, since the worst is no better than an average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from noisewright.designs.problem import Problem
from noisewright.exact import as_text, floor_float, scale_epsilon
from noisewright.mechanisms import Guarantee, Table

PROVABLE = frozenset(("RH", "RM", "CH", "CM", "F", "WH", "S"))
"""The properties whose inequalities a proof can charge for."""

_WITH_SLACK = 1 - Fraction(1, 1 << 60)
"""The checker encloses e^ε on its own; what it proves may differ far behind the decimal point."""


@dataclass
class DualValues:
    """Dual values of the inequalities of a problem, as integers over 2^scale, none negative."""

    problem: Problem
    scale: int
    privacy: dict[tuple[int, int], list[int]] = field(default_factory=dict[Any, Any])
    """(x, z) → the dual value of P(y|x) ≤ e^ε P(y|z) for each output y."""
    properties: dict[tuple[str, int, int], int] = field(default_factory=dict[Any, Any])
    """(code, a, b) → that of one inequality of a property, in the order of the checker."""

    def add(self, x: int, z: int, y: int, value: int) -> None:
        """Add to the dual value of P(y|x) ≤ e^ε P(y|z)."""
        if value:
            self.privacy.setdefault((x, z), [0] * self.problem.outputs.size)[y] += value

    def add_property(self, code: str, a: int, b: int, value: int) -> None:
        """Add to the dual value of one inequality.

        Fairness and symmetry are equations, so theirs may be negative: the inequality the
        other way round then has the value.
        """
        if value < 0:
            last = self.problem.space.size - 1
            a, b = (b, a) if code == "F" else (last - a, last - b)
            value = -value
        if value:
            key = (code, a, b)
            self.properties[key] = self.properties.get(key, 0) + value

    def add_mirrored(self, x: int, z: int, y: int, value: int) -> None:
        """Add to the dual value of P(y|x) ≤ e^ε P(y|z) and to that of its mirror image."""
        last = self.problem.space.size - 1
        self.add(x, z, y, value)
        self.add(last - x, last - z, self.problem.outputs.size - 1 - y, value)

    def add_property_mirrored(self, code: str, a: int, b: int, value: int) -> None:
        """Add to an inequality and to its mirror image, once if they are the same."""
        last = self.problem.space.size - 1
        self.add_property(code, a, b, value)
        if (last - a, last - b) != (a, b):
            self.add_property(code, last - a, last - b, value)

    def proof(self, weights: tuple[Fraction, ...] | None = None) -> Proof:
        """Return what they prove with these weights on the inputs, the prior by default."""
        return Proof(self.problem, self.problem.prior if weights is None else weights, self)


@dataclass(frozen=True)
class Proof:
    """Weights on the inputs and dual values, which together prove a lower bound on the loss."""

    problem: Problem
    weights: tuple[Fraction, ...]
    duals: DualValues

    @property
    def bound(self) -> Fraction:
        """What the dual values prove, in exact arithmetic; costs and e^ε are rounded safely."""
        scale = self.duals.scale
        charged = [
            _over(weight, row, scale)
            for weight, row in zip(self.weights, self.problem.loss.costs, strict=True)
        ]
        constant = Fraction(0)
        epsilon, apart = self.problem.guarantee.epsilon, self.problem.space.neighbor_distance
        for (x, z), line in self.duals.privacy.items():
            _, ratio = scale_epsilon(epsilon, apart(x, z)).ratio_bounds(scale)
            above, below = charged[x], charged[z]
            for y, value in enumerate(line):
                if value:
                    above[y] += value
                    below[y] -= -(-value * ratio >> scale)
            constant -= self.problem.guarantee.delta * max(line)
        size = len(charged)
        for (code, a, b), value in self.duals.properties.items():
            (x, y), (z, w) = entries(code, a, b, size - 1)
            charged[x][y] -= value
            if code == "WH":
                constant += Fraction(value, size)
            else:
                charged[z][w] += value
        return (sum(min(row) for row in charged) + constant) / (1 << scale)

    def speaks_of(self, guarantee: Guarantee, properties: Iterable[str]) -> bool:
        """Tell whether it is about mechanisms with this guarantee, and some of these properties."""
        return guarantee == self.problem.guarantee and self.problem.properties <= set(properties)

    def describe(self) -> dict[str, Any]:
        """Return the proof as a certificate writes it; the bound is a double, rounded down.

        Costs are not negative, so no dual values at all prove that a loss is not below 0.
        """
        if self.bound <= 0 and (self.duals.privacy or self.duals.properties):
            return replace(self, duals=DualValues(self.problem, self.duals.scale)).describe()
        lines = sorted(self.duals.privacy.items())
        others = sorted(self.duals.properties.items())
        return {
            "goal": self.problem.goal,
            "loss": [[str(cost) for cost in row] for row in self.problem.loss.costs],
            "weights": [as_text(weight) for weight in self.weights],
            "properties": sorted(self.problem.properties),
            "bound": as_text(Fraction(floor_float(self.bound * _WITH_SLACK))),
            "log2_scale": self.duals.scale,
            "privacy_duals": [[x, z, [f"{value:x}" for value in line]] for (x, z), line in lines],
            "property_duals": [[*key, f"{value:x}"] for key, value in others],
        }


@dataclass(frozen=True)
class Solution:
    """What a route of design returns: a mechanism, a proven bound, and how they came about.

    No mechanism's loss is below the bound. `proof` spells it out for a certificate; it is written
    when asked for, because it may be longer than the mechanism, and is None when a certificate
    cannot speak of the problem.
    """

    mechanism: Table
    bound: Fraction
    proof: Callable[[], Proof | None]
    route: str


def _over(weight: Fraction, row: Sequence[Fraction | int], scale: int) -> list[int]:
    """Return weighted costs as integers over 2^scale, rounded down."""
    # Most rows repeat few costs, and fractions are slow.
    whole = {cost: (weight * cost * (1 << scale)).__floor__() for cost in set(row)}
    return [whole[cost] for cost in row]


def entries(code: str, a: int, b: int, n: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return two entries (input, output) of which the first is the likelier, by a property.

    Over all points a and b these are the inequalities that make up the property. WH compares
    with 1 / (n + 1) instead of a second entry.
    """
    nearer = b + (a > b) - (a < b)
    match code:
        case "RH":
            return (a, a), (b, a)
        case "RM":
            return (nearer, a), (b, a)
        case "CH":
            return (a, a), (a, b)
        case "CM":
            return (a, nearer), (a, b)
        case "F":
            return (a, a), (b, b)
        case "S":
            return (a, b), (n - a, n - b)
        case _:
            return (a, a), (a, a)
