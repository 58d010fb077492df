"""Debit before draw: a choice is proven, then in the ledger, and then made.

A ledger may be open, or a path or an address, as for `release`.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from noisewright.errors import ParameterError
from noisewright.mechanisms import Guarantee

if TYPE_CHECKING:
    from noisewright.privacy import Certificate
    from noisewright.sampling import Source


class Account(Protocol):
    """What a ledger is, for a choice: `nw.Ledger` is one."""

    def spend(
        self, dataset: str, guarantee: Guarantee, *, what: str, certificate: Certificate
    ) -> AbstractContextManager[Any]:
        """Debit a dataset's budget; the block that follows may draw."""
        ...


def debited(
    ledger: Account | str | os.PathLike[str] | None,
    dataset: str | None,
    certificate: Certificate,
    *,
    what: str,
    source: Source | None,
) -> AbstractContextManager[Any]:
    """Return a block that runs after the debit; without a ledger nobody accounts.

    What is debited is what the certificate proves, and the entry has its digest. If the block
    raises, the spend is marked as wasted, and stays spent. No ledger pays for a seeded draw.
    """
    if ledger is None:
        if dataset is not None:
            raise ParameterError(
                f"dataset is {dataset!r}, but there is no ledger in which it could have a budget. "
                "Give ledger=, or leave dataset= out."
            )
        return nullcontext()
    if dataset is None:
        raise ParameterError(
            "say which budget of the ledger pays for the draw: dataset= is missing."
        )
    if isinstance(ledger, (str, os.PathLike)):
        from noisewright.ledger import Ledger

        ledger = Ledger.open(ledger)
    if not hasattr(ledger, "spend"):
        raise ParameterError(
            f"ledger is of type {type(ledger).__name__}; give a Ledger, a path or a PostgreSQL URL."
        )
    from noisewright.sampling import require_private

    require_private(source)
    return ledger.spend(dataset, certificate.guarantee, what=what, certificate=certificate)
