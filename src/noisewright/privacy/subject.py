"""Which table decides the privacy of a mechanism that is built from others."""

from __future__ import annotations

from noisewright.errors import InputError
from noisewright.mechanisms import ColumnProduct, Geometric, Mechanism, RowProduct, Table


def essential(mechanism: Mechanism) -> Mechanism:
    """Return the part that decides: a product over rows is as private as one row.

    Holohan–Leith–Mason 2016, Theorem 6 and Corollary 3.
    """
    while isinstance(mechanism, RowProduct):
        mechanism = mechanism.row
    return mechanism


def table_under_test(mechanism: Mechanism) -> Table:
    """Return the table whose privacy is that of the mechanism."""
    part = essential(mechanism)
    if isinstance(part, Table):
        return part
    if isinstance(part, ColumnProduct):
        return part.table()
    if isinstance(part, Geometric):
        raise InputError(
            f"{part!r} has no table to look through. tight_epsilon, tight_delta and verify know "
            "its formula; or build it with table=True."
        )
    raise InputError(f"expected a finite mechanism; got {type(mechanism).__name__}.")
