"""The certificate of RAPPOR: Bloom filters and coins of what a device sends, for its lifetime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noisewright.certificates.certificate import Certificate, seal_proven
from noisewright.mechanisms import Guarantee


def certify_rappor(
    parts: Sequence[dict[str, Any]], *, guarantee: Guarantee, reports: int | None
) -> Certificate:
    """Return the certificate of filters that one value is sent through, together.

    Requires: parts as the reference of certificates describes them; how many reports of a value
    that never changes the guarantee is about, None for any number.
    Ensures: the stand-alone checker has proven it, or CertificateError.
    """
    often: int | str = "forever" if reports is None else reports
    sections: dict[str, Any] = {
        "mechanism": {"form": "rappor", "parts": list(parts)},
        "neighbors": {"relation": "one value", "reports": often},
        "claims": {**guarantee.describe(), "properties": []},
    }
    return seal_proven(sections, guarantee, what="these Bloom filters")
