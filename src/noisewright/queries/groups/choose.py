"""Which mechanism the groups of a size get: an optimal design, or one by its name."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.designs import Design, binomial, design, read_properties
from noisewright.errors import ParameterError
from noisewright.mechanisms import (
    Geometric,
    Guarantee,
    Mechanism,
    Table,
    explicit_fair,
    geometric,
    positive_epsilon,
    uniform,
)
from noisewright.queries.groups.size_design import SizeDesign
from noisewright.spaces import Counts

_LONG_NAMES = {"GM": "geometric", "EM": "explicit_fair", "UM": "uniform"}
MECHANISMS = ("design", "WM", *_LONG_NAMES, *_LONG_NAMES.values())
"""What groups may ask for, by name."""

_WM = ("WH", "RM", "CM")
_L0: dict[str, Any] = {"loss": "L0", "goal": "expected", "prior": None}
_LONGEST_TABLE = 128
"""The geometric mechanism of larger groups is a formula, also in the certificate."""


@dataclass(frozen=True)
class GroupChoice:
    """What is asked of the mechanism of every group, whatever its size."""

    name: str
    guarantee: Guarantee
    loss: Any
    goal: str
    prior: Any
    properties: Any

    def __post_init__(self) -> None:
        if self.name != "design" and self.guarantee.delta:
            raise ParameterError(
                f"mechanism={self.name!r} needs no delta: leave it out, or use 'design'."
            )

    def of_size(self, size: int) -> SizeDesign:
        """Return the mechanism for groups of so many people.

        Ensures: it has all the properties; ParameterError if one by name has not.
        """
        space = Counts(size)
        asked = {"loss": self.loss, "goal": self.goal, "prior": self._prior(size)}
        codes = read_properties(self.properties, space, space)
        name = _LONG_NAMES.get(self.name, self.name)
        if name == "design" and asked == _L0 and size > _LONGEST_TABLE and not codes:
            name = "geometric"  # which is the optimum (Theorem 5 of the count paper)
        made = self._make(name, space, asked, codes)
        mechanism = made.mechanism if isinstance(made, Design) else made
        assert isinstance(mechanism, Table | Geometric)
        loss = (self.loss, self.goal, asked["prior"])
        one = SizeDesign(size, mechanism, made if isinstance(made, Design) else None, loss)
        if missing := codes - one.properties:
            raise ParameterError(
                f"mechanism={self.name!r} has not {', '.join(sorted(missing))} for a group of "
                f"{size:,} people. Leave it out of properties, or use mechanism='design'."
            )
        return one

    def _make(
        self, name: str, space: Counts, asked: dict[str, Any], codes: frozenset[str]
    ) -> Design | Mechanism:
        epsilon = self.guarantee.epsilon
        match name:
            case "geometric":
                formula = space.n > _LONGEST_TABLE and not codes
                return geometric(space, epsilon=epsilon, table=not formula)
            case "explicit_fair":
                return explicit_fair(space, epsilon=epsilon)
            case "uniform":
                return uniform(space)
            case "WM":
                positive_epsilon(epsilon, None, instead="Use mechanism='UM' for that.")
                made = design(space, epsilon=epsilon, properties=_WM, **_L0)
                return made if asked == _L0 else made.mechanism
            case _:
                delta = self.guarantee.delta
                return design(space, epsilon=epsilon, delta=delta, properties=codes, **asked)

    def _prior(self, size: int) -> Any:
        if callable(self.prior):
            return self.prior(size)
        if isinstance(self.prior, int | float | str | Fraction):
            return binomial(size, self.prior)
        return self.prior
