"""Many powers of e at once, in fixed point: for thousands of exponents, a few products each.

Cut x ≥ 0 into its whole part, two digits of eight bits, and a rest r < 2^-16. Powers of the first
three come from short lists, each made by repeated multiplication; e^-r from its series:

    e^-x = e^-n · e^(-i/2^8) · e^(-j/2^16) · e^-r

Every product of numbers of at most 1 loses less than one unit of the working precision and passes
on what was lost before. An entry of a list has lost at most two units for each step it took (at
most `bits` and twice 2^8 of them), the series three for each term, and x less than one by being
cut. That is less than 4 · bits + 2^12 units in all, fewer than the spare bits hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from noisewright.exact.bounds import exp_bounds

_DIGIT = 8


def many_powers(exponents: Iterable[Fraction], bits: int) -> list[int]:
    """Return about e^-x · 2^bits for each x, rounded down.

    Requires: every x ≥ 0; bits ≥ 0.
    Ensures: at least e^-x · 2^bits − 2, and at most e^-x · 2^bits.
    """
    work = bits + bits.bit_length() + 16
    whole = _Falling(Fraction(1), work)
    first = _Falling(Fraction(1, 1 << _DIGIT), work)
    second = _Falling(Fraction(1, 1 << 2 * _DIGIT), work)
    mask, rest_bits = (1 << _DIGIT) - 1, work - 2 * _DIGIT
    found: list[int] = []
    for x in exponents:
        # Cut upwards, so that the power is too small, if anything. e^-t < 2^-t.
        fixed = -((-x.numerator << work) // x.denominator)
        n = fixed >> work
        if n > bits:
            found.append(0)
            continue
        power = (whole.to(n) * first.to((fixed >> (work - _DIGIT)) & mask)) >> work
        power = (power * second.to((fixed >> rest_bits) & mask)) >> work
        power = (power * _series(fixed & ((1 << rest_bits) - 1), work)) >> work
        found.append(power >> (work - bits))
    return found


def even_powers(step: Fraction, count: int, bits: int) -> list[int]:
    """Return about e^(-k step) · 2^bits for k = 0, 1, …, count − 1, rounded down: a product each.

    Requires: step ≥ 0; count ≥ 1; bits ≥ 0.
    Ensures: each as in `many_powers`. Two units of the longer precision are lost at each step.
    """
    spare = count.bit_length() + 2
    falling = _Falling(step, bits + spare)
    found = [0] * count
    for k in range(count):
        found[k] = falling.to(k) >> spare
        if not found[k]:
            break
    return found


class _Falling:
    """Powers e^(-k step) · 2^work, rounded down, each made from the one before."""

    def __init__(self, step: Fraction, work: int) -> None:
        self._work = work
        self._known = [1 << work]
        # e^-t < 2^-t: whatever the step, there is an answer.
        self._factor = exp_bounds(-step, work)[0] if step <= work else 0

    def to(self, k: int) -> int:
        while len(self._known) <= k:
            self._known.append((self._known[-1] * self._factor) >> self._work)
        return self._known[k]


def _series(rest: int, work: int) -> int:
    """Return e^-r · 2^work for r = rest / 2^work < 2^-16, rounded down."""
    total = term = 1 << work
    index = 0
    while term:
        index += 1
        # A term is too small by less than two units; every other one is taken away.
        term = (term * rest >> work) // index
        total += term if index % 2 == 0 else -(term + 2)
    return total
