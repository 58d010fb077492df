"""One claim: this mechanism is (ε, δ)-private for these neighbors."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .document import read_fields
from .numbers import Number, read_number


@dataclass(frozen=True)
class PrivacyClaim:
    """What is to be proven; the mechanism and the neighbors are as the certificate has them."""

    mechanism: dict[str, Any]
    neighbors: dict[str, Any]
    epsilon: Number | None
    """None is infinity, with which everything is private."""
    delta: Fraction
    properties: tuple[str, ...] = ()
    """Codes of structural properties, which only a table can claim."""
    optimality: dict[str, Any] | None = None
    """The proof that no mechanism has a smaller loss, which only a table can claim."""

    def covers(self, cost: Number | None) -> bool:
        """Tell whether the claimed epsilon is at least a cost; None is infinity."""
        return self.epsilon is None or (cost is not None and not cost > self.epsilon)


def read_epsilon_delta(claims: Any) -> tuple[Number | None, Fraction]:
    """Read the ε and the δ that are claimed of a part, such as a column."""
    epsilon, delta = read_fields(claims, "claims", "epsilon: object, delta: chance")
    return read_number(epsilon, "claims"), Fraction(delta)
