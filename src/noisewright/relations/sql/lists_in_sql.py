"""Lists of a database: is an item in it, or what is at a place; NULL for what is not allowed."""

from __future__ import annotations

from typing import Any

from noisewright.errors import InputError
from noisewright.on_use import pa
from noisewright.relations.list_fields import ItemField, PlaceField
from noisewright.relations.sql.dialects import Dialect
from noisewright.relations.sql.terms import (
    Term,
    case,
    is_null,
    join,
    negation,
    null,
    text,
    whole,
)
from noisewright.tables import is_text


def require_lists(field: ItemField, name: str, kind: Any) -> None:
    """Raise InputError unless a database has such items in lists of their own type."""
    kinds = {type(item) for item in field.sets.items}
    if kinds not in ({str}, {int}):
        raise InputError(
            f"the items of the column {name!r} are neither all texts nor all whole numbers; of a "
            "table in a database only such sets are counted. Read the table from a file."
        )
    if any(isinstance(item, str) and "\0" in item for item in field.sets.items):
        raise InputError(
            f"an item of the column {name!r} has a character that SQL cannot write. Leave it out, "
            "or let other=… count such items."
        )
    values = getattr(kind, "value_type", None)
    fits = values is not None and (
        is_text(values) if kinds == {str} else pa.types.is_integer(values)
    )
    if not fits or pa.types.is_dictionary(kind):
        wanted = "texts" if kinds == {str} else "whole numbers"
        raise InputError(
            f"the column {name!r} has the type {kind}; in a database a set is a list of {wanted}. "
            "Make a view that splits texts, such as string_split(basket, ';') of DuckDB, "
            "string_to_array(basket, ';') of PostgreSQL or split(basket, ';') of Spark."
        )
    if field.whole.outside == "sample":
        raise InputError(
            f"outside='sample' of the column {name!r} chooses items at random, which a database "
            "does not do alike. Cut the sets in a view, declare a larger `largest`, or read the "
            "table from a file."
        )


def require_numbers(field: PlaceField, name: str, kind: Any) -> None:
    """Raise InputError unless a database has curves in lists of numbers."""
    if not field.whole.cells.accepts(kind):
        raise InputError(
            f"the column {name!r} has the type {kind}; in a database a curve is a list of numbers, "
            "or it is stored in several columns of numbers, which columns=… names."
        )


def place_in_sql(dialect: Dialect, field: PlaceField, cell: Term, value: Term) -> Term:
    """Return a value that was read of a list; at the first place NULL for a wrong length."""
    if field.place:
        return value
    length = join("EQ", dialect.length(cell), whole(len(field.curves.grid)))
    return case((length, value))


def item_in_sql(dialect: Dialect, field: ItemField, cell: Term) -> Term:
    """Return 1 if the item is in the list, else 0; NULL if the cell is not allowed."""
    known = field.whole
    missing = null() if field.checks else whole(0)
    if known.null is not None:
        missing = whole(int(field.item in known.null))
    branches = [(is_null(cell), missing)]
    strange = negation(dialect.holds_only(cell.copy(), [_write(item) for item in field.sets.items]))
    if field.checks and known.other is None:
        branches.append((strange, null()))
    if field.checks and field.sets.largest is not None:
        held = [_holds(dialect, field, item, cell, strange) for item in field.sets.items]
        size: Term = None
        for one in held:
            number = case((one, whole(1)), otherwise=whole(0))
            size = number if size is None else join("Add", size, number)
        branches.append((join("GT", size, whole(field.sets.largest)), null()))
    found = _holds(dialect, field, field.item, cell, strange)
    return case(*branches, (found, whole(1)), otherwise=whole(0))


def _holds(dialect: Dialect, field: ItemField, item: Any, cell: Term, strange: Term) -> Term:
    found = dialect.holds(cell.copy(), _write(item))
    is_other = field.whole.other is not None and field.whole.other == item
    return join("Or", found, strange.copy()) if is_other else found


def _write(item: Any) -> Term:
    return text(item) if isinstance(item, str) else whole(item)
