"""An independent path to e^x and ln: the standard library's decimals."""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction


def precise(digits: int) -> Context:
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)


def as_decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def scaled_exp(x: Fraction, bits: int, *, digits: int = 0) -> Fraction:
    """Return e^x · 2^bits with a relative error far below 10^-40 of a unit."""
    digits = digits or 60 + abs(bits) // 3 + int(abs(x))
    context = precise(digits)
    return Fraction(context.exp(as_decimal(x, context))) * Fraction(2) ** bits


def scaled_log(r: Fraction, bits: int) -> Fraction:
    """Return ln(r) · 2^bits with an error far below 10^-40 of a unit."""
    longest = max(r.numerator.bit_length(), r.denominator.bit_length())
    context = precise(60 + abs(bits) // 3 + longest)
    return Fraction(context.ln(as_decimal(r, context))) * Fraction(2) ** bits


SLACK = Fraction(1, 10**40)
"""How far the decimals may be off, in units of the last bit asked for."""
