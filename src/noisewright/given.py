"""What a caller gave: shown in messages without surprises, and checked for its kind.

Public functions read their arguments here, or refuse them in the same words: what was given, what
is required. Numbers are read in `exact`, points in `spaces`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from noisewright.errors import ParameterError

Name = TypeVar("Name", bound=str)

_SHOWN = 80
"""So many characters of what was given are shown."""

_LONGEST = 14_000
"""Whole numbers of more bits are refused: Python would not even write them out."""


def brief(value: Any) -> str:
    """Return what was given as Python writes it, cut to one short line; its type if it cannot."""
    try:
        text = repr(value)
    except Exception:  # What was given may be anything, and so may what its text raises.
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def amount(count: int) -> str:
    """Write a count; one of 2^64 or more by its power of two, since Python may refuse to."""
    return f"{count:,}" if count.bit_length() <= 64 else f"2^{count.bit_length() - 1} or more"


def quantity(count: int, what: str) -> str:
    """Write a count and what is counted: "1 row", "2 rows"."""
    return f"{amount(count)} {what}{'' if count == 1 else 's'}"


def one_of(value: Any, names: Sequence[Name], *, name: str, where: str = "") -> Name:
    """Return the value if it is one of these names."""
    if isinstance(value, str):
        for each in names:
            if value == each:
                return each
    *most, last = map(repr, names)
    listed = f"{', '.join(most)} or {last}" if most else last
    raise ParameterError(f"{name} is {brief(value)}; {where}it must be {listed}.")


def of_kind(value: Any, kind: type | tuple[type, ...], *, name: str, such_as: str) -> None:
    """Raise ParameterError unless the value is of this kind, which `such_as` describes."""
    if not isinstance(value, kind):
        raise ParameterError(f"{name} is of type {type(value).__name__}; it must be {such_as}.")


def flag(value: Any, *, name: str) -> bool:
    """Return True or False; nothing else counts as one of them."""
    if isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}:
        return bool(value)
    raise ParameterError(f"{name} is {brief(value)}; it must be True or False.")


def several(values: Any, *, name: str, of: str) -> list[Any]:
    """Return a list of what was given; a text, or what cannot be looked through, is refused."""
    if not isinstance(values, str | bytes) and isinstance(values, Iterable):
        try:
            return list(values)  # pyright: ignore[reportUnknownArgumentType]
        except TypeError:
            pass  # an array without dimensions
    raise ParameterError(f"{name} is of type {type(values).__name__}; it must be a list of {of}.")


def whole_number(
    value: Any, *, name: str, least: int, most: int | None = None, longest: float = _LONGEST
) -> int:
    """Read a whole number, refusing bools, floats and what is not between `least` and `most`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ParameterError(
            f"{name} is {brief(value)}; it must be a whole number of at least {least}."
        ) from None
    if number.bit_length() > longest:
        raise ParameterError(
            f"{name} has {number.bit_length():,} bits, which is almost certainly a mistake."
        )
    if number < least:
        raise ParameterError(f"{name} is {number}; it must be at least {least}.")
    if most is not None and number > most:
        raise ParameterError(f"{name} is {brief(number)}; it must be at most {most:,}.")
    return number
