"""A private choice that is ready to be made: proven, then paid for, and then drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, final

from noisewright.public import public_methods
from noisewright.transaction import Job, LedgerLike, Progress, transact

if TYPE_CHECKING:
    from noisewright.certificates import Certificate
    from noisewright.mechanisms import Guarantee
    from noisewright.sampling import Source

Chosen = TypeVar("Chosen")


@public_methods
class PrivateChoice(ABC, Generic[Chosen]):
    """One choice among candidates, for the data of one dataset; `sample` makes it."""

    claim: Guarantee

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of the claim; nothing in it is about the data, not even how many rows.

        Ensures: the stand-alone checker has proven it, or CertificateError.
        """
        return self._certify()

    @abstractmethod
    def _certify(self) -> Certificate:
        """Prove the claim for what is drawn by, its factor, and what one person can change."""

    @property
    @abstractmethod
    def _words(self) -> str:
        """What the ledger says of it."""

    @abstractmethod
    def _prepare(self) -> Callable[[Source | None], Chosen]:
        """Return what draws; whatever can fail fails here, before the debit."""

    def sample(
        self,
        *,
        ledger: LedgerLike = None,
        dataset: str | None = None,
        what: str = "",
        source: Source | None = None,
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
    certify: Callable[[], Certificate]
    prepare: Callable[[], Callable[[Source | None], Chosen]]
    source: Source | None
    _draw: Callable[[Source | None], Chosen] = field(init=False)

    def prove(self) -> Certificate:
        """Prove the claim."""
        return self.certify()

    def open(self, *, accounted: bool) -> nullcontext[Any]:
        """Prepare what draws."""
        self._draw = self.prepare()
        return nullcontext()

    def draw(self, progress: Progress | None) -> Chosen:
        """Make the choice."""
        return self._draw(self.source)
