"""The certificate of keys that nobody declared: the coins by which they are kept."""

from __future__ import annotations

from typing import Any, Literal

from noisewright.certificates.certificate import Certificate, seal_proven
from noisewright.mechanisms import Guarantee


def certify_keys(
    selection: dict[str, Any],
    *,
    guarantee: Guarantee,
    change: Literal["replace", "add or remove"],
    each_row: bool = False,
) -> Certificate:
    """Return the certificate of a selection of keys, as the reference of certificates describes it.

    It is about all rows of a person; or, with `each_row`, about rows that are people.
    Ensures: the stand-alone checker has proven it, or CertificateError.
    """
    sections: dict[str, Any] = {
        "mechanism": {"form": "keys", "selection": selection},
        "neighbors": {
            "relation": "one person",
            "change": change,
            **({"rows": 1} if each_row else {}),
        },
        "claims": {**guarantee.describe(), "properties": []},
    }
    return seal_proven(sections, guarantee, what="this selection of keys")
