"""What a report that hides among others gives away, if it is made by blocks of outputs or by bits.

In the words of `shuffled.py`: laws of (u, v) = (P(y | a), P(y | b)) / B(y), with masses B(y).

**Blocks** (`blocks.py`). Each value has a block of s of K outputs. One inside has the probability
r c, with r ≥ 1, and one outside c = 1 / (r s + K − s). Take B(y) = c for all y. If the blocks of a
and b share λ outputs, the masses are

    (s − λ) c  for (r, 1) and for (1, r),    λ c  for (r, r),    (K − 2 s + λ) c  for (1, 1).

A smaller λ gives a larger law: with E = e^ε ≥ 1 the gains r − E and 1 − r E of (r, 1) and (1, r)
enclose r − r E and 1 − E, those of (r, r) and (1, 1), and have the same sum. So the law of the
least λ is above those of all pairs of values. Two different points of a projective space have
hyperplanes that share (q^(t−2) − 1) / (q − 1) points; two values are together in
C(values − 2, size − 2) sets; and any two blocks share at least 2 s − K outputs. Hash functions are
drawn beforehand: for each of them a and b have different hashes, λ = 0, or the same one, λ = 1,
and a mixture of laws that are below one law is below it.

A value may be drawn at random first, as one item of a set. Then u and v are means of those of
values, and so are the gains: by Jensen's inequality the law is below the largest of theirs.

**Padded sets** (`padded` in `blocks.py`). The set with its dummies has M of K values, where M is at
least ℓ = largest. With c the probability of any other report, and r c that of the item that was
drawn, B = c, and u is 1 + (r − 1) / M for the M reports of the set and 1 elsewhere. That is the
mean, over all parts of ℓ items of the set, of 1 + (r − 1) / ℓ on the part and 1 elsewhere. So the
gains are means of those of blocks of s = ℓ outputs with the ratio (r + ℓ − 1) / ℓ, any two of which
share at least 2 ℓ − K outputs.

**Bits** (`items.py`, sets of at most one item). The bit of the value is set with probability p,
every other one with q < p, independently. Let Q be the law of bits that are all set with q. Then
P(y | a) is p / q times Q(y) if the bit of a is set in y, and φ = (1 − p) / (1 − q) < 1 times Q(y)
if it is not. B = φ Q gives u = R = p (1 − q) / (q (1 − p)) and u = 1. Under Q the bits of a and b
are independent, so that the masses are

    φ q (1 − q)  for (R, 1) and for (1, R),    φ q²  for (R, R),    φ (1 − q)²  for (1, 1).

The empty set has v = 1 / φ everywhere, which is the mean of v over the bit of b, whatever that of a
is: its gain is a conditional mean, and its law is smaller.

**One of several reports** (`collection` that sends one), of a part that is drawn beforehand. B is a
mixture of those of the parts, and so is the law. Whatever the weights are, E max(0, G − t) is at
most the largest of those of the parts, for each t. Where a and b agree in a part, λ = s, and the
law is smaller.
"""

from fractions import Fraction
from typing import Any

from .blocks import least_shared, padded_sizes, ratio_of

Atom = tuple[Fraction, Fraction, Fraction]
"""u, v and the mass of the blanket."""


def laws_of_reports(mechanism: dict[str, Any]) -> list[list[Atom]]:
    """Return the laws of a report that has been proven; none if nothing better than ε is known."""
    form = mechanism["form"]
    if form == "blocks":
        outputs, inside, shared = least_shared(mechanism["family"])
        ratio = ratio_of(mechanism, outputs, inside)
        return [_law_of_blocks(ratio, outputs, inside, shared)] if ratio >= 1 else []
    if form == "padded":
        outputs, largest = padded_sizes(mechanism)
        ratio = (ratio_of(mechanism, outputs, 1) + largest - 1) / largest
        return [_law_of_blocks(ratio, outputs, largest, max(2 * largest - outputs, 0))]
    if form == "items" and mechanism["largest"] == 1:
        total = 2 ** mechanism["log2_total"]
        p, q = (Fraction(int(mechanism[name], 16), total) for name in ("present", "absent"))
        mass = (1 - p) / (1 - q)
        masses = mass * q * (1 - q), mass * q**2, mass * (1 - q) ** 2
        return [_law(p * (1 - q) / (q * (1 - p)), *masses)]
    if form == "collection" and mechanism["sends"] == "one":
        parts = [laws_of_reports(part["mechanism"]) for part in mechanism["parts"]]
        return [law for part in parts for law in part] if all(parts) else []
    return []


def _law_of_blocks(ratio: Fraction, outputs: int, inside: int, shared: int) -> list[Atom]:
    outside = 1 / (ratio * inside + outputs - inside)
    apart, neither = inside - shared, outputs - 2 * inside + shared
    return _law(ratio, apart * outside, shared * outside, neither * outside)


def _law(ratio: Fraction, apart: Fraction, both: Fraction, neither: Fraction) -> list[Atom]:
    one = Fraction(1)
    return [(ratio, one, apart), (one, ratio, apart), (ratio, ratio, both), (one, one, neither)]
