"""The certificate of counts of groups: one mechanism for each size that a group has.

It lists the mechanisms and how many groups have each; which people are in a group, and what they
answered, is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from noisewright.certificates.certificate import Certificate, seal_proven
from noisewright.certificates.certify import Designed
from noisewright.mechanisms import Guarantee, Mechanism


def certify_groups(
    parts: Iterable[tuple[int, Mechanism | Designed]],
    *,
    guarantee: Guarantee,
    properties: Iterable[str],
) -> Certificate:
    """Return the certificate of groups with public sizes, of which one person's answer changes.

    Requires: for each size that occurs, how many groups have it, and their mechanism on counts or
    its design; `properties`, of those that certificates know, that all mechanisms have.
    Ensures: the stand-alone checker has proven the guarantee, the properties of each mechanism and
    the bounds of designs, or CertificateError.
    """
    codes = sorted(properties)
    claims = {**guarantee.describe(), "properties": codes}
    sections: dict[str, Any] = {
        "mechanism": {
            "form": "groups",
            "parts": [_describe(groups, one, guarantee, codes) for groups, one in parts],
        },
        "neighbors": {"relation": "one answer"},
        "claims": claims,
    }
    return seal_proven(sections, guarantee, what="these groups")


def _describe(
    groups: int, one: Mechanism | Designed, guarantee: Guarantee, codes: list[str]
) -> dict[str, Any]:
    if isinstance(one, Mechanism):
        return {"groups": groups, "mechanism": one.describe()}
    part: dict[str, Any] = {"groups": groups, "mechanism": one.mechanism.describe()}
    proof = one.proof
    if proof is not None and proof.speaks_of(guarantee, codes):
        part["optimality"] = proof.describe()
    return part
