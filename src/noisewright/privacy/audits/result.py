"""What an audit found: a lower bound on ε, with the inputs and the events that show it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, show
from noisewright.given import brief, quantity
from noisewright.public import public_methods
from noisewright.spaces import Distance, Unit


@dataclass(frozen=True)
class AuditWitness:
    """Two neighboring inputs, an event, and how often it happened under each of them.

    `p` is a lower bound on P(event | input), `q` an upper bound on P(event | neighbor). They are
    by Clopper and Pearson, from draws that had no part in choosing the event, and hold together
    with the confidence of the audit.
    """

    input: Any
    neighbor: Any
    event: str
    hits: int
    neighbor_hits: int
    draws: int
    p: Fraction
    q: Fraction
    epsilon: float
    """The ε that they show: ln((p − δ) / q) per unit of distance, rounded down, or 0."""
    distance: Distance = 1
    simple: bool = True
    """Whether the event is about a single output, number or bit."""

    def __str__(self) -> str:
        away = "" if self.distance == 1 else f" at a distance of {self.distance}"
        return (
            f"{brief(self.input)} gives a report where {self.event} in {self.hits:,} of "
            f"{self.draws:,} draws (probability at least {_shown_down(self.p)}), its neighbor "
            f"{brief(self.neighbor)}{away} in {self.neighbor_hits:,} (at most {_shown_up(self.q)})"
        )


@public_methods
@dataclass(frozen=True)
class Audit:
    """A lower bound on the ε of a client, with the inputs and the event that show it.

    With probability `confidence` or more, over the draws of the audit, the client is not
    (ε, δ)-private for any ε below `lower`. `unit` says for which changes of the input. An audit
    finds leaks and cannot prove that there are none: a `lower` of 0 says that none was found.
    """

    witnesses: tuple[AuditWitness, ...]
    """What was tested, the most telling first. All bounds in it hold together."""
    delta: Fraction
    confidence: Fraction
    unit: Unit
    draws: int
    """How many outputs the client gave."""
    inputs: int
    pairs: int
    """How many ordered pairs of neighbors were looked at."""
    note: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise ParameterError(
                f"confidence is {show(self.confidence)}; it must lie between 0 and 1."
            )
        if not self.witnesses:
            raise ParameterError("witnesses is empty; an audit tests at least one event.")
        ordered = sorted(self.witnesses, key=lambda one: -one.epsilon)
        object.__setattr__(self, "witnesses", tuple(ordered))

    @property
    def lower(self) -> float:
        """The lower bound on ε; 0 if nothing was found."""
        return self.witness.epsilon

    @property
    def witness(self) -> AuditWitness:
        """The two inputs and the event that show the lower bound."""
        return self.witnesses[0]

    def refutes(self, epsilon: Number | Epsilon) -> bool:
        """Tell whether the audit shows that the client is not (ε, δ)-private, at its δ.

        Ensures: a claim that is true is refuted with probability at most 1 − confidence. If this
        is false, the claim may be true or not.
        """
        return Epsilon.of(epsilon) < Epsilon.of(self.lower)

    def __repr__(self) -> str:
        spare = f" at delta={show(self.delta)}" if self.delta else ""
        looked = f"{quantity(self.draws, 'draw')} of {quantity(self.inputs, 'input')}"
        if self.lower > 0:
            head = f"epsilon is at least {_shown_down(Fraction(self.lower))}{spare}"
        else:
            head = f"no lower bound above 0 was found for epsilon{spare}"
        simpler = next((one for one in self.witnesses if one.simple), self.witness)
        lines = [
            f"Audit: {head}, {self.unit}, with confidence {_shown_confidence(self.confidence)}.",
            f"Input {self.witness}.",
            *([_in_short(simpler)] if simpler.epsilon > 0 and not self.witness.simple else []),
            f"From {looked}; {quantity(self.pairs, 'ordered pair')} of neighbors looked at, "
            f"{quantity(len(self.witnesses), 'event')} tested. An audit finds leaks; it proves no "
            "privacy.",
        ]
        return "\n".join([*lines, self.note] if self.note else lines)


def _in_short(witness: AuditWitness) -> str:
    least = _shown_down(Fraction(witness.epsilon))
    return f"Easier to see, with an epsilon of at least {least}: input {witness}."


def _shown_confidence(value: Fraction) -> str:
    """Return a confidence in digits, or by what it lacks where they would round it to 1."""
    text = show(value)
    return text if text != "1" else f"1 - {_shown_up(1 - value)}"


def _shown_down(value: Fraction) -> str:
    """Return a probability or an ε in few digits, rounded down."""
    if value <= 0:
        return "0"
    power = Fraction(10) ** (4 - math.ceil(math.log10(value)))
    return show(math.floor(value * power) / power)


def _shown_up(value: Fraction) -> str:
    """Return a probability in few digits, rounded up."""
    power = Fraction(10) ** (4 - math.ceil(math.log10(value)))
    return show(math.ceil(value * power) / power)
