"""The type of a released column: that of the input where it can hold every output.

It depends on the declared outputs and on the type of the input, never on what the input holds.
And not on what libraries make of what it holds either: pandas turns whole numbers into doubles when
one is missing, and gives categories wider indices when there are many.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from noisewright.errors import InputError
from noisewright.on_use import pa
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Lattice, Space, Subsets
from noisewright.tables.cell_types import is_list


def released_type(outputs: Space, given: Any) -> Any:
    """Return the Arrow type of a released column whose input has the type `given`.

    Texts stay what they are, and dictionaries too: of the declared labels in their order, with
    indices of 32 bits. When all outputs are whole numbers, they are released as such, in the width
    of the input if it holds them all, else in 64 bits with a sign. Other numbers become doubles,
    except that floats of 32 bits stay so if they hold every output to the last bit.
    Dates are days without a time, or times to the second without a zone.
    Lists stay lists; sets lose a fixed size, and curves are lists of doubles.
    """
    if isinstance(outputs, Categories):
        if pa.types.is_dictionary(given):
            return pa.dictionary(pa.int32(), _label_type(outputs.labels, given.value_type))
        return _label_type(outputs.labels, given)
    if isinstance(outputs, Dates):
        return pa.timestamp("s") if outputs.has_times else pa.date32()
    if isinstance(outputs, (Counts, Interval, Lattice)):
        return _number_type(outputs, _value_type(given))
    if isinstance(outputs, Subsets):
        given_items = given.value_type if is_list(given) else pa.null()
        encoded = pa.types.is_dictionary(given_items)
        values = given_items.value_type if encoded else given_items
        # Lists that are all empty have no type of their own.
        values = pa.string() if pa.types.is_null(values) else values
        item = _label_type(outputs.items, values)
        kind = pa.dictionary(pa.int32(), item) if encoded else item
        return pa.large_list(kind) if pa.types.is_large_list(given) else pa.list_(kind)
    if isinstance(outputs, Curves):
        return curve_type(given, len(outputs.grid))
    raise InputError(f"released values of {outputs!r} do not fit into a column of a table.")


def curve_type(given: Any, length: int) -> Any:
    """Return the type of released curves."""
    if pa.types.is_fixed_size_list(given):
        return pa.list_(pa.float64(), length)
    return pa.large_list(pa.float64()) if pa.types.is_large_list(given) else pa.list_(pa.float64())


def public_type(given: Any) -> Any:
    """Return the type in which a public column leaves: no dictionaries, no metadata inside.

    A dictionary may hold labels that no row has.
    """
    if isinstance(given, pa.BaseExtensionType):
        return public_type(given.storage_type)
    if pa.types.is_dictionary(given):
        return public_type(given.value_type)
    if pa.types.is_string_view(given):
        return pa.large_string()
    if pa.types.is_binary_view(given):
        return pa.large_binary()
    if pa.types.is_fixed_size_list(given):
        return pa.list_(public_type(given.value_type), given.list_size)
    if pa.types.is_large_list(given):
        return pa.large_list(public_type(given.value_type))
    if pa.types.is_list(given):
        return pa.list_(public_type(given.value_type))
    if pa.types.is_struct(given):
        fields = [given.field(place) for place in range(given.num_fields)]
        return pa.struct([pa.field(field.name, public_type(field.type)) for field in fields])
    if pa.types.is_nested(given):
        raise InputError(
            f"a public column has the type {given}, which is not released. Convert it to lists or "
            "structs."
        )
    return given


def _value_type(given: Any) -> Any:
    return given.value_type if pa.types.is_dictionary(given) else given


def _largest(kind: Any) -> int:
    return (1 << (kind.bit_width - (0 if str(kind).startswith("u") else 1))) - 1


def _label_type(labels: tuple[Any, ...], given: Any) -> Any:
    """Return the type of labels, guided by the type of the input."""
    kinds = {type(label) for label in labels}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {str}:
        # A column of empty cells only has no type of its own. With one text among them it would be
        # a plain text in Arrow, and in pandas columns of objects.
        plain = pa.types.is_string(given) or pa.types.is_null(given)
        return pa.string() if plain else pa.large_string()
    if kinds == {bytes}:
        return pa.large_binary() if pa.types.is_large_binary(given) else pa.binary()
    if kinds <= {int, float}:
        return _fitting([Fraction(label) for label in labels], given)
    raise InputError(
        "the declared labels are of several kinds (texts, numbers, booleans), which a column of a "
        "table cannot hold. Declare labels of one kind."
    )


def _number_type(outputs: Counts | Interval | Lattice, given: Any) -> Any:
    if isinstance(outputs, Counts):
        return _fitting([Fraction(0), Fraction(outputs.n)], given)
    if isinstance(outputs, Interval):
        return _fitting([outputs.low, outputs.low + outputs.step, outputs.high], given)
    # Without bounds no width is enough; whole numbers beyond 64 bits are moved to the last.
    whole = outputs.origin.denominator == outputs.step.denominator == 1
    return pa.int64() if whole else pa.float64()


def _fitting(values: list[Fraction], given: Any) -> Any:
    """Return the type of the input if it holds such values, else a wider one."""
    low, high = min(values), max(values)
    whole = all(value.denominator == 1 for value in values)
    if not whole or low < -(1 << 63) or high >= 1 << 63:
        narrow = pa.types.is_float32(given) and _are_short(values)
        return given if narrow else pa.float64()
    # Libraries take this type when one number is too large for a sign: it would tell.
    if pa.types.is_integer(given) and not pa.types.is_uint64(given):
        signed = not str(given).startswith("u")
        if (low >= 0 or (signed and -low <= _largest(given) + 1)) and high <= _largest(given):
            return given
    return pa.int64()


def _are_short(values: list[Fraction]) -> bool:
    """Tell whether floats of 32 bits hold these numbers, and all between them on their grid."""
    parts = math.lcm(*(value.denominator for value in values))
    return parts.bit_count() == 1 and max(map(abs, values)) * parts <= 1 << 24 and parts <= 1 << 100
