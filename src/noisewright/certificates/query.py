"""The certificate of a question: what is computed of rows, what a person can change, the noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from noisewright.certificates.certificate import Certificate, seal_proven
from noisewright.exact import as_text
from noisewright.mechanisms import Guarantee
from noisewright.privacy import ZeroConcentrated


def certify_query(
    measurements: Sequence[dict[str, Any]],
    *,
    columns: Mapping[str, Sequence[str]],
    unit: Literal["epsilon", "rho"],
    total: Fraction,
    guarantee: Guarantee,
    change: Literal["replace", "add or remove"],
) -> Certificate:
    """Return the certificate of measurements that together spend `total` of ε or ρ.

    `measurements` are as the reference of certificates describes them, and `columns` are the ranges
    of whole numbers that cells are read as.
    Ensures: the stand-alone checker has proven it, or CertificateError.
    """
    mechanism: dict[str, Any] = {
        "form": "query",
        "unit": unit,
        "total": as_text(total),
        "columns": dict(columns),
        "measurements": list(measurements),
    }
    if unit == "rho":
        # Any order above 1 proves something; this one proves the most.
        mechanism["order"] = as_text(ZeroConcentrated(total).order(guarantee.epsilon))
    sections: dict[str, Any] = {
        "mechanism": mechanism,
        "neighbors": {"relation": "one person", "change": change},
        "claims": {**guarantee.describe(), "properties": []},
    }
    return seal_proven(sections, guarantee, what="this question")
