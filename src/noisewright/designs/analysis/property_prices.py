"""What each structural property costs: the least loss with it and without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from noisewright.designs.analysis.compare import align
from noisewright.designs.design import Design, design
from noisewright.designs.property_names import WORDS, read_properties
from noisewright.exact import Epsilon, Number, ceiling_float, floor_float
from noisewright.public import public
from noisewright.spaces import Space

_IMPLIED = (
    ({"RM"}, "RH"),
    ({"CM"}, "CH"),
    ({"CH"}, "WH"),
    ({"F", "RH"}, "CH"),
    ({"F", "CH"}, "RH"),
)
"""Cormode–Kulkarni–Srivastava 2018, Section 4: some properties bring others with them."""


@dataclass(frozen=True)
class PropertyPrice:
    """The price of one property among others.

    `alone` is the optimum with only this property, `without` that with all others but not this
    one. Optima come with proven bounds, so each price does too: `added` is what asking for it
    alone adds to the loss, `saved` what dropping it from the full set saves, each at most this
    much, and `added_for_sure` and `saved_for_sure` at least this much.
    """

    property: str
    alone: Design
    without: Design
    added: float
    added_for_sure: float
    saved: float
    saved_for_sure: float


@dataclass(frozen=True)
class PropertyPrices:
    """The price of each property; print it, or take its `rows()`."""

    none: Design
    full: Design
    prices: tuple[PropertyPrice, ...]

    def __getitem__(self, property: str) -> PropertyPrice:
        return next(price for price in self.prices if price.property == property)

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict per property, with the same keys in the same order."""
        return [
            {
                "property": price.property,
                "meaning": WORDS.get(price.property, price.property),
                "alone": price.alone.loss,
                "added": _surely(price.added, price.added_for_sure),
                "without": price.without.loss,
                "saved": _surely(price.saved, price.saved_for_sure),
            }
            for price in self.prices
        ]

    def __str__(self) -> str:
        problem = self.full.problem
        asked = ", ".join(price.property for price in self.prices) or "nothing"
        return (
            f"{problem.goal} {problem.loss.name} on {problem.space!r}, {problem.guarantee}: "
            f"{self.none.loss:.6g} with no property, {self.full.loss:.6g} with {asked}.\n"
            f"{align(self.rows()) if self.prices else ''}"
        ).rstrip()


@public
def price_of_properties(
    space: Space,
    *,
    properties: Any = "all",
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    delta: Number = 0,
    loss: Any = "L0",
    goal: str = "expected",
    prior: Any = None,
) -> PropertyPrices:
    """Find what each property adds to the least loss, alone and on top of all the others.

    Requires: a problem as for `design`; properties by code or word, or "all".
    Ensures: every loss is that of an optimal mechanism with its proven bound. Sets of properties
    that imply each other (column monotone brings column honesty) are solved once, and then the
    price is exactly 0; a price below what the bounds can tell apart is shown as 0 in `rows()`.
    Source: Cormode–Kulkarni–Srivastava 2018, Sections 4 and 7.1.
    """
    asked = read_properties(properties, space, space)
    promised = Epsilon.of(epsilon, alpha=alpha)
    solved: dict[frozenset[str], Design] = {}

    def best(codes: frozenset[str]) -> Design:
        key = closure(codes)
        if key not in solved:
            solved[key] = design(
                space,
                epsilon=promised,
                delta=delta,
                loss=loss,
                goal=goal,
                prior=prior,
                properties=key,
                tie_break=None,
            )
        return solved[key]

    none, full = best(frozenset()), best(asked)
    order = [code for code in WORDS if code in asked] + sorted(asked - WORDS.keys())
    prices: list[PropertyPrice] = []
    for code in order:
        alone, without = best(frozenset({code})), best(asked - {code})
        added, saved = _difference(alone, none), _difference(full, without)
        prices.append(PropertyPrice(code, alone, without, added[1], added[0], saved[1], saved[0]))
    return PropertyPrices(none, full, tuple(prices))


def closure(codes: frozenset[str]) -> frozenset[str]:
    """Return the properties with all that they imply."""
    closed = set(codes)
    while True:
        more = {then for needed, then in _IMPLIED if needed <= closed} - closed
        if not more:
            return frozenset(closed)
        closed |= more


def _difference(more: Design, less: Design) -> tuple[float, float]:
    """Return two numbers with the true difference of the optima between them, at least 0."""
    if more is less:
        return 0.0, 0.0
    low = more.exact_bound - less.exact_loss
    high = more.exact_loss - less.exact_bound
    return max(0.0, floor_float(low)), max(0.0, ceiling_float(high))


def _surely(most: float, least: float) -> float:
    return most if least > 0 else 0.0
