"""Exact arithmetic: integers that enclose e^x and ln(x), and the sum that decides (ε, δ).

Nothing here is a floating-point number. A real number that is not rational is enclosed between
two fractions, and the fractions are moved closer until the question at hand has only one answer.

**The exponential.** For 0 ≤ x < N, (1 + x/N)^N ≤ e^x ≤ 1 / (1 − x/N)^N. With N = 2^k the powers
are k squarings. Each product is rounded down, which keeps the first a lower bound, and keeps the
second an upper bound of e^x, as it divides by a number that is too small.

**The sum that decides.** A mechanism is (ε, δ)-private for a pair of inputs, in one direction, if
p(S) ≤ e^ε q(S) + δ for every set S of outputs, where p and q are the distributions of the output.
The worst S has the outputs with p(y) > e^ε q(y), so what decides is whether

    Σ_y max(0, p(y) − e^ε q(y)) ≤ δ.

**It ends.** Each sum is compared with two enclosing values of e^ε. If the lower one already
passes, the claim holds; if the upper one still fails, it does not; else the enclosure is made
finer. There are no ties that would go on forever: a tie would make e^ε the quotient of two
integers, and e^r is irrational for each rational r except 0 (Lambert 1761). For ε = 0 and ε =
ln(fraction) the value of e^ε is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, ROUND_UP, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import count
from typing import Any

from .document import brief, is_type, read_fields
from .report import need

FIRST_BITS = 192
"""The first precision that is tried; it doubles until the answer is certain."""

LARGEST_EXPONENT = 2**12
"""Exponents beyond it belong to no sensible claim, and would take forever."""

LONGEST_POWER = 2**20
"""The bits of a power of a fraction that are worked out."""

_LONGEST_TEXT = 1000


@cache
def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Return integers low ≤ 2^bits e^x ≤ high, for x ≥ 0."""
    k = bits + 3 * int(x + 2).bit_length()
    wide = 2 * k + 4 * int(x + 2)  # bits to work with, as each squaring doubles the rounding error
    above_one = (1 << wide) + (x.numerator << wide) // (x.denominator << k)  # 1 + x/N, or less
    below_one = (2 << wide) - above_one - (x > 0)  # 1 - x/N, or less
    for _ in range(k):
        above_one = above_one * above_one >> wide
        below_one = below_one * below_one >> wide
    return above_one >> wide - bits, -((-1 << wide + bits) // below_one)


def log_below(x: Fraction) -> Fraction:
    """Return a fraction that is at most ln(x), and close to it, for x ≥ 1.

    With x = 2^k m and 1 ≤ m < 2, ln(x) = k ln(2) + ln(m).
    """
    k = x.numerator.bit_length() - x.denominator.bit_length()  # or one less
    k -= x < 2**k
    bits = 256 + x.denominator.bit_length()
    m = x / 2**k
    units = k * _log_series_below(Fraction(1, 3), bits) + _log_series_below((m - 1) / (m + 1), bits)
    return Fraction(units, 1 << bits)


def _log_series_below(z: Fraction, bits: int) -> int:
    """Return an integer that is at most 2^bits ln((1 + z) / (1 − z)), for 0 ≤ z < 1.

    The logarithm is 2 (z + z³/3 + z⁵/5 + ...). No term is negative, so rounding terms down, and
    leaving out those that round to 0, can only make the sum smaller.
    """
    power, square = (2 * z.numerator << bits) // z.denominator, z * z
    units, odd = 0, 1
    while power:
        units, odd = units + power // odd, odd + 2
        power = power * square.numerator // square.denominator
    return units


@dataclass(frozen=True)
class Number:
    """The real number value + ln(ratio), known exactly; value ≥ 0 and ratio ≥ 1 in an epsilon."""

    value: Fraction
    ratio: Fraction = Fraction(1)

    def times(self, distance: Any) -> "Number":
        """Return the number times a distance, which is whole if a logarithm is in the number."""
        whole = self.ratio == 1 or distance == int(distance) < LARGEST_EXPONENT
        need(whole, "epsilon", "ln(...) needs whole distances")
        return Number(self.value * distance, self.ratio ** int(distance))

    def repeat(self, times: int) -> "Number":
        """Return the number added to itself; `can_repeat` tells whether that is feasible."""
        return Number(self.value * times, self.ratio**times)

    def can_repeat(self, times: int) -> bool:
        """Tell whether the argument of the logarithm stays short enough to be worked out."""
        return self.ratio == 1 or times * self.ratio.numerator.bit_length() < LONGEST_POWER

    def power_bounds(self, bits: int) -> tuple[int, int, int]:
        """Return low, high and scale: low / scale ≤ e^self ≤ high / scale, for value ≥ 0."""
        low, high = (bound * self.ratio.numerator for bound in exp_bounds(self.value, bits))
        return low, high, self.ratio.denominator << bits

    def __gt__(self, other: "Number") -> bool:
        x, s = self.value - other.value, other.ratio / self.ratio  # the question is: e^x > s?
        if x > 0:  # there are no ties: e^x > s unless s > e^x
            return find_excess([s.numerator], [s.denominator], Number(x)) is None
        return find_excess([s.denominator], [s.numerator], Number(-x)) is not None

    def __str__(self) -> str:
        return self.to_decimal(ROUND_HALF_EVEN)

    def to_decimal(self, rounding: str = ROUND_UP, digits: int = 20) -> str:
        """Return the number with so many digits, rounded up unless told otherwise.

        A short fraction that is not a decimal, such as 1/3, is written as it is.
        """
        if self.ratio == 1 and len(str(self.value)) < 10 and 10**9 % self.value.denominator:
            return str(self.value)
        with localcontext(Context(300, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=rounding)):
            logarithm = (Decimal(self.ratio.numerator) / self.ratio.denominator).ln()
            text = (
                f"{Decimal(self.value.numerator) / self.value.denominator + logarithm:.{digits}g}"
            )
        start, e, power = text.partition("e")
        return (start.rstrip("0").rstrip(".") if "." in start else start) + e + power


def find_excess(
    p: Sequence[int], q: Sequence[int], epsilon: Number, allowed: int | Fraction = 0
) -> Fraction | None:
    """Return None if Σ max(0, p − e^ε q) ≤ allowed; else a bound of e^ε from above that shows it.

    From e^cap on, which is above each p, only the outputs with q = 0 matter: so no larger e^ε is
    ever worked out.
    """
    likelier = [(a, b) for a, b in zip(p, q, strict=True) if a > b]  # others add nothing
    cap = max((a for a, _ in likelier), default=1).bit_length()
    capped = Number(min(epsilon.value, Fraction(cap)), epsilon.ratio)
    for doublings in count():
        low, high, scale = capped.power_bounds(FIRST_BITS << doublings)
        if sum(max(0, a * scale - low * b) for a, b in likelier) <= allowed * scale:
            return None
        if sum(max(0, a * scale - high * b) for a, b in likelier) > allowed * scale:
            return Fraction(high, scale)
    return None


def read_number(section: Any, part: str) -> Number | None:
    """Read {"value": fraction} or {"ln": fraction}; {"ln": "infinity"} is None."""
    (text,) = read_fields(section, part, "value: fraction", "ln: fraction", "ln: infinity")
    if text == "infinity":
        return None
    least, number = (1 if "ln" in section else 0), Fraction(text)
    need(number >= least, part, f"found {text}; need at least {least}")
    return Number(Fraction(0), number) if "ln" in section else Number(number)


def read_positive(text: str, part: str) -> Fraction:
    """Read a fraction above 0 that is not absurdly long."""
    short = all(len(digits) <= _LONGEST_TEXT for digits in text.split("/"))
    ok = short and Fraction(text) > 0
    need(ok, part, f"found {brief(text)}; need a number above 0, not too long")
    return Fraction(text)


def read_integer(text: Any, part: str) -> int:
    """Read a whole number, which may be negative, of fewer than 99 decimal digits."""
    ok = is_type("fraction", text) and "/" not in text and len(text.lstrip("-")) < 99
    need(ok, part, f"found {brief(text)}; need a whole number in digits")
    return int(text)
