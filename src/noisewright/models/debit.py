"""Debit before draw: what a fit costs is in the ledger before any noise is."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from noisewright.ledger import Ledger
from noisewright.privacy import Certificate
from noisewright.releases import Payment, paid, payer_for
from noisewright.sampling import Source


def debited(
    ledger: Ledger | str | os.PathLike[str] | None,
    dataset: str | None,
    certificate: Certificate,
    *,
    what: str,
    person: str | None,
    source: Source | None,
) -> AbstractContextManager[Payment]:
    """Return a block that runs after the debit; if it raises, the spend is marked as wasted.

    The debit is of what the certificate proves, and its entry has the digest. The rows of a fit may
    be any part of a table, so they have no fingerprint: `dataset` says whose budget pays. `person`
    is the column that names the people, if the promise is for all of a person's rows.
    """
    price = certificate.guarantee
    payer = payer_for(ledger, None, dataset, price=price, shown=None, person=person, source=source)
    return paid(payer, certificate, what=what)
