"""The certificate of what a person's device sends to a collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from noisewright.certificates.certificate import Certificate, seal_proven
from noisewright.mechanisms import Guarantee


def certify_collection(
    parts: Sequence[tuple[dict[str, Any], Guarantee]],
    *,
    sends: Literal["one", "all"] = "one",
    guarantee: Guarantee,
) -> Certificate:
    """Return the certificate of a device that sends one of these reports, or all of them.

    Requires: each part as certificates describe mechanisms, with what holds for it.
    Ensures: the stand-alone checker has proven it, or CertificateError.
    """
    sections: dict[str, Any] = {
        "mechanism": {
            "form": "collection",
            "sends": sends,
            "parts": [{"mechanism": inner, "claims": own.describe()} for inner, own in parts],
        },
        "neighbors": {"relation": "replace"},
        "claims": {**guarantee.describe(), "properties": []},
    }
    return seal_proven(sections, guarantee, what="these reports")
