"""A private choice that is ready to be made: proven, then paid for, and then drawn.

Its certificate has what is drawn by, the factor, and by how much one person can change a quality.
All of it is known without the data: no qualities, no candidates and no number of rows are in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar, final

from noisewright import certificates, sampling
from noisewright.exact import Epsilon, as_text
from noisewright.mechanisms import Guarantee, least
from noisewright.public import public_methods
from noisewright.transaction import Job, LedgerLike, Progress, transact

Chosen = TypeVar("Chosen")

LARGEST = 1 << 12
MOST_ALIKE = 1 << 12
"""Exponents, and rounds that compose with a δ: the checker of certificates goes no further."""

EXPONENTIAL: Mapping[str, str] = {"by": "exponential mechanism"}


@public_methods
class PrivateChoice(ABC, Generic[Chosen]):
    """One choice among candidates, for the data of one dataset; `sample` makes it."""

    claim: Guarantee

    @cached_property
    def certificate(self) -> certificates.Certificate:
        """The proof of the claim; nothing in it is about the data, not even how many rows.

        Ensures: the stand-alone checker has proven it, or CertificateError.
        """
        return self._certify()

    @abstractmethod
    def _certify(self) -> certificates.Certificate:
        """Prove the claim for what is drawn by, its factor, and what one person can change."""

    @property
    @abstractmethod
    def _words(self) -> str:
        """What the ledger says of it."""

    @abstractmethod
    def _prepare(self) -> Callable[[sampling.Source | None], Chosen]:
        """Return what draws; whatever can fail fails here, before the debit."""

    def sample(
        self,
        *,
        ledger: LedgerLike = None,
        dataset: str | None = None,
        what: str = "",
        source: sampling.Source | None = None,
    ) -> Chosen:
        """Draw, exactly as the certificate says.

        It is proven first. With a `ledger` the claim is then debited from `dataset`, before the
        draw; `what` says in the ledger what it is for. Without a ledger nothing is debited.
        """
        job = ChoiceJob(
            what or self._words, self.claim, lambda: self.certificate, self._prepare, source
        )
        return transact(job, ledger=ledger, dataset=dataset, source=source)


@final
@dataclass
class ChoiceJob(Job[Chosen], Generic[Chosen]):
    """The job of `sample`: the data is known by qualities already, so that none is read."""

    what: str
    price: Guarantee
    certify: Callable[[], certificates.Certificate]
    prepare: Callable[[], Callable[[sampling.Source | None], Chosen]]
    source: sampling.Source | None
    _draw: Callable[[sampling.Source | None], Chosen] = field(init=False)

    def prove(self) -> certificates.Certificate:
        """Prove the claim."""
        return self.certify()

    def open(self, *, accounted: bool) -> nullcontext[Any]:
        """Prepare what draws."""
        self._draw = self.prepare()
        return nullcontext()

    def draw(self, progress: Progress | None) -> Chosen:
        """Make the choice."""
        return self._draw(self.source)


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
) -> certificates.Certificate:
    """Return the certificate of a choice, or of several rounds that are all the same.

    Ensures: the stand-alone checker has proven it, or CertificateError. It depends on nothing but
    these arguments, of which none may come from the data.
    """
    return certificates.certify_steps(
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
