"""Prices that prove a bound, written so that a stranger can add them up.

A mechanism pays `weights[x] · cost(x, y)` for its mass on output y of input x. Charge it more for
what it may not do: for neighbors x, z the price p of P(y|x) ≤ e^ε P(y|z) adds p to the cost of
(x, y) and takes e^ε p from that of (z, y), or e^(ε·d) p where ε counts per unit of distance; a
private mechanism never pays more than before. The properties are inequalities between two
entries and are charged in the same way. After that the cheapest entry of each row bounds what the
row must pay, whatever the prices are.

With δ > 0 the excesses of one ordered pair sum to at most δ, so charging for them may cost a
private mechanism δ times the largest of their prices, which is taken off. For the worst input
the weights may be any that sum to 1, since the worst is no better than an average.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from noisewright.designs.problem import Problem
from noisewright.exact import as_text, floor_float, scaled
from noisewright.mechanisms import Guarantee

PROVABLE = frozenset(("RH", "RM", "CH", "CM", "F", "WH", "S"))
"""The properties whose inequalities a proof can charge for."""

_A_HAIR_BELOW = 1 - Fraction(1, 1 << 60)
"""The checker encloses e^ε on its own; what it proves may differ far behind the comma."""


@dataclass
class Prices:
    """Prices on the inequalities of a problem, as integers over 2^scale, none negative."""

    scale: int
    last: int
    """The position of the last input."""
    privacy: dict[tuple[int, int], list[int]] = field(default_factory=dict[Any, Any])
    """(x, z) → the price of P(y|x) ≤ e^ε P(y|z) for each output y."""
    properties: dict[tuple[str, int, int], int] = field(default_factory=dict[Any, Any])
    """(code, a, b) → the price of one inequality of a property, in the order of the checker."""

    def charge(self, x: int, z: int, y: int, price: int, *, outputs: int) -> None:
        """Add to the price of P(y|x) ≤ e^ε P(y|z)."""
        if price:
            self.privacy.setdefault((x, z), [0] * outputs)[y] += price

    def charge_property(self, code: str, a: int, b: int, price: int) -> None:
        """Add to the price of one inequality.

        Fairness and symmetry are equations, so theirs may be negative: the inequality the
        other way round then has the price.
        """
        if price < 0:
            a, b = (b, a) if code == "F" else (self.last - a, self.last - b)
            price = -price
        if price:
            key = (code, a, b)
            self.properties[key] = self.properties.get(key, 0) + price


@dataclass(frozen=True)
class Proof:
    """Weights on the inputs and prices, which together prove a lower bound on the loss."""

    problem: Problem
    weights: tuple[Fraction, ...]
    prices: Prices

    @property
    def bound(self) -> Fraction:
        """What the prices prove, in exact arithmetic; costs and e^ε are rounded safely."""
        scale = self.prices.scale
        charged = [
            _over(weight, row, scale)
            for weight, row in zip(self.weights, self.problem.loss.costs, strict=True)
        ]
        constant = Fraction(0)
        epsilon, apart = self.problem.guarantee.epsilon, self.problem.space.neighbor_distance
        for (x, z), line in self.prices.privacy.items():
            _, ratio = scaled(epsilon, apart(x, z)).ratio_bounds(scale)
            above, below = charged[x], charged[z]
            for y, price in enumerate(line):
                if price:
                    above[y] += price
                    below[y] -= -(-price * ratio >> scale)
            constant -= self.problem.guarantee.delta * max(line)
        size = len(charged)
        for (code, a, b), price in self.prices.properties.items():
            (x, y), (z, w) = entries(code, a, b, size - 1)
            charged[x][y] -= price
            if code == "WH":
                constant += Fraction(price, size)
            else:
                charged[z][w] += price
        return (sum(min(row) for row in charged) + constant) / (1 << scale)

    def speaks_of(self, guarantee: Guarantee, properties: Iterable[str]) -> bool:
        """Tell whether it is about mechanisms with this guarantee, and some of these properties."""
        return guarantee == self.problem.guarantee and self.problem.properties <= set(properties)

    def describe(self) -> dict[str, Any]:
        """Return the proof as a certificate writes it; the bound is a double, rounded down.

        Costs are not negative, so no prices at all prove that a loss is not below 0.
        """
        if self.bound <= 0 and (self.prices.privacy or self.prices.properties):
            plain = Prices(self.prices.scale, self.prices.last)
            return replace(self, prices=plain).describe()
        lines = sorted(self.prices.privacy.items())
        others = sorted(self.prices.properties.items())
        return {
            "goal": self.problem.goal,
            "loss": [[str(cost) for cost in row] for row in self.problem.loss.costs],
            "weights": [as_text(weight) for weight in self.weights],
            "properties": sorted(self.problem.properties),
            "bound": as_text(Fraction(floor_float(self.bound * _A_HAIR_BELOW))),
            "log2_scale": self.prices.scale,
            "privacy_duals": [[x, z, [f"{p:x}" for p in line]] for (x, z), line in lines],
            "property_duals": [[*key, f"{price:x}"] for key, price in others],
        }


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
