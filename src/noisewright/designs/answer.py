"""What a route of design returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from noisewright.designs.proof import Proof
from noisewright.mechanisms import Table


@dataclass(frozen=True)
class Answer:
    """A mechanism, a proven lower bound on the loss of any, and how they came about.

    `proof` spells the bound out for a certificate. It is written when asked for, because it
    may be longer than the mechanism; None when a certificate cannot speak of the problem.
    """

    mechanism: Table
    bound: Fraction
    proof: Callable[[], Proof | None]
    route: str
