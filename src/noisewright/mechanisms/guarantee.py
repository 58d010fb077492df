"""What a mechanism promises about neighbors: (ε, δ)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, as_text, exactly, show
from noisewright.given import of_kind
from noisewright.meanings import DELTA


def read_delta(delta: Number) -> Fraction:
    """Read δ exactly; it must lie in [0, 1]."""
    value = exactly(delta, name="delta")
    if not 0 <= value <= 1:
        raise ParameterError(
            f"delta is {show(value)}; it must lie between 0 and 1. {DELTA} 0, or well below "
            "1 / number of people, is common."
        )
    return value


@dataclass(frozen=True)
class Guarantee:
    """P(A | x) ≤ e^ε · P(A | x') + δ for all neighbors x, x' and all events A.

    Which neighbors it is for, and whether ε counts per unit of distance, is stated by the `unit` of
    a mechanism's space, of a verdict or of a certificate.
    What δ is, and what it is not: `noisewright.meanings`.
    """

    epsilon: Epsilon
    delta: Fraction

    def __init__(
        self,
        epsilon: Number | Epsilon | None = None,
        delta: Number = 0,
        *,
        alpha: Number | None = None,
    ) -> None:
        object.__setattr__(self, "epsilon", Epsilon.of(epsilon, alpha=alpha))
        object.__setattr__(self, "delta", read_delta(delta))

    def describe(self) -> dict[str, Any]:
        """Return the claim as a certificate writes it."""
        return {"epsilon": describe_number(self.epsilon), "delta": as_text(self.delta)}

    def __str__(self) -> str:
        if self.delta == 0:
            return f"epsilon={self.epsilon}"
        return f"epsilon={self.epsilon}, delta={show(self.delta)}"

    def __repr__(self) -> str:
        return f"Guarantee({self})"


def require_dependence(claim: Guarantee, *, most: bool = False) -> None:
    """Raise ParameterError if outputs may not depend on inputs; with `most` also at δ = 1."""
    if claim.epsilon.is_zero and claim.delta == 0:
        raise ParameterError(
            "epsilon and delta are both 0, so outputs may not depend on inputs at all. Use "
            "nw.uniform(space) for that."
        )
    if most and claim.delta == 1:
        raise ParameterError("delta is 1, which promises nothing; give one below 1.")


def describe_number(epsilon: Epsilon | None) -> dict[str, str]:
    """Write ε exactly, as certificates do: a rational, the log of one, or infinity for None."""
    if epsilon is None:
        return {"ln": "infinity"}
    if epsilon.ratio is None:
        return {"value": as_text(epsilon.rational)}
    return {"ln": as_text(epsilon.ratio)}


def require_guarantee(value: Any, *, name: str = "guarantee") -> None:
    """Raise ParameterError unless this is a guarantee."""
    of_kind(
        value, Guarantee, name=name, such_as="a guarantee such as nw.accounting.Guarantee(1, 1e-6)"
    )
