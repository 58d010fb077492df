"""Which table decides the privacy of a mechanism that is built from others."""

from __future__ import annotations

from collections.abc import Iterator

from noisewright.errors import InputError
from noisewright.mechanisms import (
    Additive,
    ColumnProduct,
    Geometric,
    Guarantee,
    Mechanism,
    PersonMechanism,
    Response,
    RowProduct,
    SetMechanism,
    Table,
    any_change,
    require_mechanism,
)


def essential(mechanism: Mechanism) -> Mechanism:
    """Return the part that decides: a product over rows is as private as one row.

    Holohan–Leith–Mason 2016, Theorem 6 and Corollary 3.
    """
    while isinstance(mechanism, RowProduct):
        mechanism = mechanism.row
    return mechanism


def subject_of(mechanism: Mechanism) -> Table | Response:
    """Return the integers that decide: a table, or the two weights of a randomized response."""
    part = essential(mechanism)
    return part if isinstance(part, Response) else table_under_test(part)


def table_under_test(mechanism: Mechanism) -> Table:
    """Return the table whose privacy is that of the mechanism."""
    part = essential(mechanism)
    if isinstance(part, Table):
        return part
    if isinstance(part, SetMechanism):
        return part.table()
    if isinstance(part, (ColumnProduct, PersonMechanism)):
        _require_tables(part)
        return part.table()
    if isinstance(part, (Additive, Geometric, Response)):
        raise InputError(
            f"{part!r} has no table to examine. tight_epsilon, tight_delta and verify know its "
            "formula; or build it with table=True."
        )
    require_mechanism(mechanism)
    raise InputError(f"expected a finite mechanism; got {type(mechanism).__name__}.")


def _require_tables(column: Mechanism) -> None:
    """Refuse formulas: the table of a formula is rounded, and it is not what is sampled."""
    part = essential(column)
    if isinstance(part, ColumnProduct):
        for _, inner in part.columns:
            _require_tables(inner)
    elif isinstance(part, PersonMechanism):
        _require_tables(part.row)
    elif not isinstance(part, (Table, SetMechanism)):
        raise InputError(
            f"a product with the column {part!r} has no table to look through. Build the column "
            "with table=True; or use tight_epsilon at delta=0, or certify, which add up columns."
        )


def parts_to_prove(
    whole: ColumnProduct | PersonMechanism,
) -> Iterator[tuple[str, Mechanism, Guarantee | None]]:
    """Return parts with a name for messages and with what each is to be proven for."""
    if isinstance(whole, PersonMechanism):
        yield "a row", whole.row, whole.row_claim
        return
    for name, mechanism in whole.columns:
        yield f"the column {name!r}", mechanism, any_change(mechanism)
