"""The certificate of a private choice: made and proven before the debit, and before any draw.

It has what is drawn by, the factor, and by how much one person can change a quality. All of it is
known without the data: no qualities, no candidates and no number of rows are in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, final

from noisewright.exact import Epsilon, as_text
from noisewright.mechanisms import Guarantee, least

if TYPE_CHECKING:
    from noisewright.certificates import Certificate

LARGEST = 1 << 12
MOST_ALIKE = 1 << 12
"""Exponents, and rounds that compose with a δ: the checker of certificates goes no further."""

EXPONENTIAL: Mapping[str, str] = {"by": "exponential mechanism"}


@final
@dataclass(frozen=True)
class QualitySensitivity:
    """What one person can do to qualities: a promise of the caller, or known from the question.

    One of them changes by at most `change`; with `one_way` all of them rise or all of them fall.
    `width`, if it is known, is that of a range in which all possible qualities lie.
    """

    change: Fraction
    one_way: bool = False
    width: Fraction | None = None

    @property
    def spread(self) -> Fraction:
        """By how much two qualities can move apart: what a factor of 1 costs, at most."""
        return self.change if self.one_way else 2 * self.change


@final
@dataclass(frozen=True)
class Step:
    """One choice as a certificate writes it: by what it is drawn, its factor, and its part.

    `law` names what is drawn by. Of how many `candidates` matters only if there is a range.
    """

    what: str
    law: Mapping[str, str]
    factor: Fraction
    sensitivity: QualitySensitivity
    candidates: int | None = None

    def describe(self, amount: Fraction) -> dict[str, Any]:
        """Return the step with its part of the whole."""
        known = self.sensitivity
        step: dict[str, Any] = {
            "kind": "choice",
            "what": self.what,
            "amount": as_text(amount),
            "by": self.law["by"],
            "moves": "one way" if known.one_way else "both ways",
            "factor": as_text(self.factor),
            "change": as_text(known.change),
            **{name: text for name, text in self.law.items() if name != "by"},
        }
        if known.width is not None:
            step |= {"candidates": self.candidates, "width": as_text(known.width)}
        return step


def certify_choice(
    step: Step,
    amount: Fraction,
    guarantee: Guarantee,
    *,
    rounds: int = 1,
    unit: Literal["epsilon", "rho"] = "epsilon",
) -> Certificate:
    """Return the certificate of a choice, or of several rounds that are all the same.

    Ensures: the stand-alone checker has proven it, or CertificateError. It depends on nothing but
    these arguments, of which none may come from the data.
    """
    from noisewright.certificates import certify_steps

    return certify_steps(
        [step.describe(amount)] * rounds,
        unit=unit,
        total=amount * rounds,
        guarantee=guarantee,
    )


def rational_below(claim: Guarantee | Epsilon) -> Fraction:
    """Return ε as a rational; the log of a rational is rounded down, never to 0."""
    # By less than the rounding of a table costs anyway.
    epsilon = claim.epsilon if isinstance(claim, Guarantee) else claim
    if epsilon.ratio is None:
        return epsilon.rational
    return max(Fraction(epsilon.bounds(192)[0], 1 << 192), least(epsilon))
