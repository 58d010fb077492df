"""The certificate of many private steps, each of which may depend on the answers before it.

It is made before the first of them: it lists how many there are, the kind of each, its noise and
its part of the whole, and nothing that was learned from data.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from noisewright.certificates.certificate import Certificate, seal_proven
from noisewright.exact import as_text
from noisewright.mechanisms import Guarantee
from noisewright.privacy import ZeroConcentrated


def certify_steps(
    steps: Sequence[dict[str, Any]],
    *,
    unit: Literal["epsilon", "rho"],
    total: Fraction,
    guarantee: Guarantee,
    rows_per_person: int = 1,
) -> Certificate:
    """Return the certificate of steps that together spend `total` of ε or ρ.

    `steps` are as the reference of certificates describes them. Neighbors replace all rows of one
    person, up to `rows_per_person`; the number of rows is public.
    Ensures: the stand-alone checker has proven it, or CertificateError.
    """
    mechanism: dict[str, Any] = {
        "form": "steps",
        "unit": unit,
        "total": as_text(total),
        "steps": list(steps),
    }
    if unit == "rho":
        # Any order above 1 proves something; this one proves the most.
        mechanism["order"] = as_text(ZeroConcentrated(total).order(guarantee.epsilon))
    sections: dict[str, Any] = {
        "mechanism": mechanism,
        "neighbors": {"relation": "one person", "rows_per_person": rows_per_person},
        "claims": {**guarantee.describe(), "properties": []},
    }
    return seal_proven(sections, guarantee, what="these steps")
