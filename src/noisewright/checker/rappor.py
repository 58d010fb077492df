"""Proof for RAPPOR: what a person gives away whose device reports the same value again and again.

**Statement.** A value sets 1 to `hashes` of the `bits` bits of a filter. Once and for all, each bit
is flipped with probability g = flip / flip_total. In each report, a bit is then sent as 1 with
probability q = high / report_total if it is 1, with p = low / report_total if it is 0. After T
reports of a value that never changes, this is ε-private for any two values if

    e^ε ≥ max(r, s)^A min(r, s)^B,    A = min(hashes, bits − 1), B = min(hashes, bits − A),

    r = ((1−g) q^T + g p^T) / (g q^T + (1−g) p^T)
    s = ((1−g) (1−p)^T + g (1−q)^T) / (g (1−p)^T + (1−g) (1−q)^T).

For any number of reports both are (1−g) / g. A value that goes through several filters, all parts
at once, multiplies the bounds of the parts.

**Why.** T reports of a bit with k ones have the probability (1−g) q^k (1−q)^(T−k) +
g p^k (1−p)^(T−k) if the value sets the bit, and the same with g and 1 − g exchanged if not. With
x = q^k (1−q)^(T−k) / (p^k (1−p)^(T−k)) the ratio is ((1−g) x + g) / (g x + 1 − g). As g ≤ 1/2 it
grows with x, and as p < q, x grows with k: the extremes are T ones, which is r, and T zeros, which
is 1/s. Both are at most (1−g) / g, whatever T is. Given the two filters the bits are
independent. One filter sets a bits that the other does not, and that sets b which the first does
not: a, b ≤ hashes and a + b ≤ bits; and as no filter is empty, a, b ≤ bits − 1. Both r and s are at
least 1, so that the most bits count, and more of them for the larger factor. A δ is not needed.

**On trust.** That a device keeps its permanent response and never draws a second one; that its
cohort, and which parts of a value it sends, do not depend on the value and stay what they are. What
is proven hides which value it is. If a value changes, nothing is said about when.
"""

from fractions import Fraction
from typing import Any

from .claim import PrivacyClaim
from .document import read_fields
from .numbers import LONGEST_POWER, Number
from .report import Findings, fail, need

_PART = "mechanism"
_FILTER = (
    "bits: whole, hashes: whole, flip: hex, flip_total: hex, low: hex, high: hex, report_total: hex"
)
_MOST_PARTS = 16
_MOST = 2**20

Factors = tuple[Fraction, Fraction]


def prove_rappor(claim: PrivacyClaim) -> Findings:
    """Prove that the factors of all bits that may differ are at most e^ε."""
    _, parts = read_fields(claim.mechanism, _PART, "form: rappor, parts: list")
    shapes = ("relation: one value, reports: whole", "relation: one value, reports: forever")
    _, reports = read_fields(claim.neighbors, "neighbors", *shapes)
    need(reports != 0, "neighbors", "found 0 reports; need 1 or more")
    need(0 < len(parts) <= _MOST_PARTS, _PART, f"need 1 to {_MOST_PARTS} parts")
    factor: Fraction | None = Fraction(1)
    for part in parts:
        one = _factor_of(part, reports)
        factor = None if factor is None or one is None else factor * one
    needed = None if factor is None else Number(Fraction(0), factor)
    if not claim.covers(needed):
        said = "no finite epsilon" if needed is None else str(needed)
        fail("epsilon", f"{said} is needed; claimed is {claim.epsilon}")
    yield (
        "Assuming: a device keeps its permanent response and its cohort, which does not depend on "
        "the value."
    )
    yield (
        "Reports of all bits that can differ between two values, all ones or all zeros, differ by "
        "no more than e^epsilon."
    )


def _factor_of(part: Any, reports: Any) -> Fraction | None:
    """Return the largest ratio of one filter; None is infinity."""
    bits, hashes, flip, flips, low, high, total = read_fields(part, _PART, _FILTER)
    need(2 <= bits <= _MOST and 1 <= hashes <= _MOST, _PART, "need 2 bits or more, and hashes")
    often = min(hashes, bits - 1)
    seldom = min(hashes, bits - often)
    times = 1 if reports == "forever" else reports
    longest = max(len(text) for text in (flips, total))
    short = 8 * longest * times * (often + seldom) < 2 * LONGEST_POWER
    need(short, _PART, "these are too many reports or bits for exact numbers")
    flip, flips, low, high, total = (int(text, 16) for text in (flip, flips, low, high, total))
    ok = 2 * flip <= flips and flips > 0 and low < high <= total
    need(ok, _PART, "need flip <= flip_total / 2 and low < high <= report_total")
    g = Fraction(flip, flips)
    if reports == "forever":
        return None if g == 0 else ((1 - g) / g) ** (often + seldom)
    # Powers of T over total^T, which cancels.
    ones = _ratio(g, high**reports, low**reports)
    zeros = _ratio(g, (total - low) ** reports, (total - high) ** reports)
    if ones is None or zeros is None:
        return None
    return max(ones, zeros) ** often * min(ones, zeros) ** seldom


def _ratio(g: Fraction, more: int, less: int) -> Fraction | None:
    below = g * more + (1 - g) * less
    return None if below == 0 else ((1 - g) * more + g * less) / below
