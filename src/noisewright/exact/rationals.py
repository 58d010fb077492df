"""Numbers taken at their word: a float, a string or a fraction means exactly that number."""

from __future__ import annotations

import math
import operator
from decimal import Decimal
from fractions import Fraction
from typing import SupportsIndex

from noisewright.errors import ParameterError

_ACCEPTED = "a float, an integer, a Fraction, a Decimal or a string such as '0.1' or '1/3'"

_LARGEST_POWER = 4_000
"""Decimal exponents beyond this are refused: such a number would be too long to write out."""

_LONGEST = 14_000
"""Bits of a numerator or a denominator that was given: some 4,200 digits. Python converts integers
of at most 4,300 digits to text, and no number that is meant has as many."""

_LONGEST_TEXT = 4_300

Number = int | float | str | Fraction | Decimal
"""What may be given where an exact number is wanted."""


def exactly(value: Number | SupportsIndex, *, name: str = "the number") -> Fraction:
    """Return the rational number that `value` is, without rounding.

    The float 0.1 is 3602879701896397/36028797018963968; the string "0.1" is 1/10.

    Requires: a finite number; not a bool, which is almost always a mistake.
    Ensures: the result equals the value exactly.
    """
    if isinstance(value, bool):
        raise ParameterError(f"{name} is {value}; it must be {_ACCEPTED}.")
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int):
        if value.bit_length() > _LONGEST:
            raise ParameterError(
                f"{name} is a whole number of {value.bit_length():,} bits; at most {_LONGEST:,} "
                "are read. Such a number is almost always a mistake."
            )
        return Fraction(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ParameterError(f"{name} is {value}; it must be finite.")
        return Fraction(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ParameterError(f"{name} is {value}; it must be finite.")
        _require_moderate(value.adjusted(), name)
        _require_moderate(int(value.as_tuple().exponent), name)
        return short(Fraction(value), name)
    if isinstance(value, str):
        return _parse(value, name)
    try:
        return Fraction(operator.index(value))
    except TypeError:
        pass
    numerical = getattr(value, "as_integer_ratio", None)
    if numerical is None or isinstance(value, type):
        raise ParameterError(f"{name} is of type {type(value).__name__}; it must be {_ACCEPTED}.")
    try:
        numerator, denominator = numerical()
    except (OverflowError, ValueError) as problem:
        raise ParameterError(f"{name} is {value}; it must be finite.") from problem
    return Fraction(int(numerator), int(denominator))


def _parse(text: str, name: str) -> Fraction:
    if len(text) > 2 * _LONGEST_TEXT:
        raise ParameterError(f"{name} is a text of {len(text)} characters; a number was expected.")
    _, _, power = text.lower().partition("e")
    try:
        exponent = int(power or 0)
    except ValueError:
        exponent = 0  # not a number at all, as Fraction will say
    _require_moderate(exponent, name)
    try:
        return short(Fraction(text.strip()), name)
    except (ValueError, ZeroDivisionError) as problem:
        if isinstance(problem, ParameterError):
            raise
        given = repr(text) if len(text) < 80 else f"a text of {len(text)} characters"
        raise ParameterError(f"{name} is {given}; it must be {_ACCEPTED}.") from problem


def short(value: Fraction, name: str) -> Fraction:
    """Return a number that was read, unless it is too long to write out."""
    longest = max(value.numerator.bit_length(), value.denominator.bit_length())
    if longest > _LONGEST:
        raise ParameterError(
            f"{name} is a number of some {longest * 3 // 10:,} digits; at most 4,200 are read. "
            "Such a number is almost always a mistake."
        )
    return value


def _require_moderate(power: int, name: str) -> None:
    if abs(power) > _LARGEST_POWER:
        raise ParameterError(
            f"{name} has the decimal exponent {power:,}; at most ±{_LARGEST_POWER:,} is read. Such "
            "a number is almost always a mistake."
        )


def as_text(value: Fraction) -> str:
    """Return the shortest exact text of a rational: '3', '1/10'."""
    return str(value)


def ceiling_float(value: Fraction) -> float:
    """Return the smallest double that is at least `value` (inf when none is)."""
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.nextafter(math.inf, 0.0)
    if math.isinf(near):
        return near if near > 0 else -math.nextafter(math.inf, 0.0)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def floor_float(value: Fraction) -> float:
    """Return the largest double that is at most `value` (-inf when none is)."""
    return 0.0 - ceiling_float(-value)  # A minus sign alone would make -0.0 of 0.


def show_total(total: int) -> str:
    """Return a positive integer for messages: as a power of two, in digits, or by its length."""
    if total & (total - 1) == 0:
        return f"2^{total.bit_length() - 1}"
    return str(total) if total < 10**12 else f"an integer of {total.bit_length():,} bits"


def plain_power(text: str) -> str:
    """Return a number as people write its power of ten: '1e-08' is '1e-8', '1e+15' is '1e15'."""
    digits, e, power = text.partition("e")
    return f"{digits}e{int(power)}" if e else text


def shown_up(value: Fraction, digits: int) -> str:
    """Return a positive number to so many digits, rounded up, with thousands apart.

    A double that so many digits denote is written with them: what was given as 1e-9 is not 1.01e-9.
    """
    power = digits - 1 - math.floor(math.log10(value))
    rounded = math.ceil(value * Fraction(10) ** power) / Fraction(10) ** power
    near = Fraction(f"{float(value):.{digits}g}")
    if Fraction(float(near)) == value:
        rounded = near
    return f"{float(rounded):,.0f}" if 1000 <= rounded < 10**12 else show(rounded, digits)


def show(value: Fraction, digits: int = 6) -> str:
    """Return a short decimal for messages; never used in a decision."""
    if value == 0:
        return "0"
    if value.denominator == 1 and abs(value) < 10**digits:
        return str(value.numerator)
    try:
        near = float(value)
    except OverflowError:
        near = 0.0
    if near:
        return plain_power(f"{near:.{digits}g}")
    sign = "-" if value < 0 else ""
    return f"about {sign}2^{value.numerator.bit_length() - value.denominator.bit_length()}"
