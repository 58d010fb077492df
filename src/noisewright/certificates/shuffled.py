"""The certificate of rows that are published in random order."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from noisewright.certificates.certificate import Certificate, seal_proven
from noisewright.errors import CertificateError
from noisewright.exact import Number, as_text, exactly
from noisewright.mechanisms import Guarantee, Mechanism, any_change
from noisewright.privacy import ShuffledGuarantee, grid_step


def certify_shuffled(
    mechanism: Mechanism,
    *,
    guarantee: ShuffledGuarantee,
    epsilon: Number | None = None,
    public: Sequence[str] = (),
) -> Certificate:
    """Return the certificate of rows of this mechanism in random order.

    It proves `guarantee`, or a larger `epsilon` with the same δ, against whoever sees only the
    published file, and states what holds row by row. With `public` columns rows are shuffled within
    each group of equal public values, and the guarantee must be that of the smallest group.
    Ensures: the stand-alone checker has proven it, or CertificateError.
    """
    row = any_change(mechanism)
    if row is None or row.delta:
        raise CertificateError(
            f"{mechanism!r} has no epsilon with delta=0 for replacing a record by any other."
        )
    return certify_shuffled_rows(
        mechanism.describe(), row, guarantee=guarantee, epsilon=epsilon, public=public
    )


def certify_shuffled_rows(
    described: dict[str, Any],
    row: Guarantee,
    *,
    guarantee: ShuffledGuarantee,
    epsilon: Number | None = None,
    public: Sequence[str] = (),
) -> Certificate:
    """Return the certificate of rows of a mechanism that is described as certificates do.

    Requires: `row` holds for it and any change of a record, with δ = 0.
    Ensures: as `certify_shuffled`.
    """
    claimed = Fraction(repr(guarantee.upper)) if epsilon is None else exactly(epsilon)
    central = Guarantee(claimed, guarantee.delta)
    most = row.epsilon.times(guarantee.rows_per_person)
    if most <= central.epsilon or guarantee.upper >= most.ceiling():
        central = Guarantee(most if epsilon is None else claimed, guarantee.delta)
    mechanism_section: dict[str, Any] = {
        "form": "shuffled",
        "rows": guarantee.rows,
        "rows_per_person": guarantee.rows_per_person,
        "public": list(public),
        "step": as_text(grid_step(guarantee, claimed)),
        "parent": {
            "mechanism": described,
            "neighbors": {"relation": "replace"},
            "claims": row.describe(),
        },
    }
    sections: dict[str, Any] = {
        "mechanism": mechanism_section,
        "neighbors": {"relation": "replace"},
        "claims": {**central.describe(), "properties": []},
    }
    return seal_proven(sections, central, what=f"these {guarantee.rows:,} rows in random order")
