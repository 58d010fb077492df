"""Proof for one coin and blocks of outputs: the randomizers of reports about one of many values.

**Statement.** Each value x has a block of s of K outputs. With probability keep / total the report
is a uniform output inside the block of the value, else a uniform one outside. This is ε-private for
any two values if

    e^ε ≥ max(r, 1 / r),    r = (keep / s) / ((total − keep) / (K − s)).

**Why.** An output has the probability keep / (s total) if it lies in the block of the value, and
(total − keep) / ((K − s) total) if it does not. For two values, the quotient of its probabilities
is r, 1 / r or 1. That every block has s outputs is all that is used of the blocks. It holds

- for `points`, where the block of a value is the value: K = values, s = 1;
- for `projective` spaces over the field with q elements, q a power of a prime, where the block of a
  point is the hyperplane of all points orthogonal to it, the solutions of one equation in t
  coordinates: K = (q^t − 1) / (q − 1), s = (q^(t−1) − 1) / (q − 1);
- for `sets` of `size` of the values, where the block of a value holds the sets that contain it:
  K = C(values, size), s = C(values − 1, size − 1);
- for `hashes`, where the report tells a hash function, drawn without looking at the value, and for
  each function the block of a value is its hash: K = hashes, s = 1;
- for `windows`, where the block of the x-th value are the `width` outputs from x stride on:
  K = (values − 1) stride + width, s = width;
- for `halves`, where outputs are strings of `bits` bits, and the block of a value are the strings
  in which one bit, which the value tells, is 0, or in which it is 1: K = 2^bits, s = K / 2;
- for `ends`, where a number is first rounded to one of two ends, at random, and the block is the
  end that it became: K = 2, s = 1. A report then has a mixture of the probabilities that it has on
  the ends, and quotients of mixtures lie between the quotients of what is mixed.

A value that is itself drawn at random, as one item of a set, is covered: the probability of a
report is then a mean of such probabilities, and so are both sides of what is to be shown.

**Padded sets.** `padded` is about sets of items of any size. A set of fewer than `largest` items is
filled up with dummy items, all different, each of which is a value of its own; then one item of the
set, drawn uniformly, goes through a response on `points`. With b the probability of a report on any
other item and r b that on its own, a set of m ≥ largest different items has the report with
probability b, or with b (r + m − 1) / m if the report is one of the items. So

    e^ε ≥ (r + largest − 1) / largest,    r ≥ 1.

(Wang, Li and Jha 2018, "Locally differentially private frequent itemset mining".)

**On trust.** That devices draw as stated, from secret random bits, and hash functions beforehand.
"""

from fractions import Fraction
from math import comb
from typing import Any

from .claim import PrivacyClaim
from .document import read_fields
from .numbers import Number
from .report import Findings, need

_PART = "mechanism"
_SHAPE = "form: blocks, family: object, log2_total: whole, keep: hex"
_PADDED = "form: padded, items: whole, largest: whole, log2_total: whole, keep: hex"
_FAMILIES = (
    "kind: points, values: whole",
    "kind: projective, values: whole, q: whole, t: whole",
    "kind: sets, values: whole, size: whole",
    "kind: hashes, values: whole, hashes: whole",
    "kind: windows, values: whole, width: whole, stride: whole",
    "kind: halves, values: whole, bits: whole",
    "kind: ends, values: whole",
)
_MOST_LOG2_TOTAL = 2**12
_MOST_IN_SETS = 2**14
_MOST_COORDINATES = 2**6
_LARGEST_FIELD = 2**20
_MOST_BITS = 2**16


def prove_blocks(claim: PrivacyClaim) -> Findings:
    """Prove that an output inside a block is likelier than one outside by no more than e^ε."""
    _, family, log2_total, keep = read_fields(claim.mechanism, _PART, _SHAPE)
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    outputs, inside = _read_sizes(family)
    ratio = _read_ratio(outputs, inside, log2_total, keep)
    covered = claim.covers(Number(Fraction(0), max(ratio, 1 / ratio)))
    need(covered, "epsilon", "outputs inside and outside of a block differ by more")
    yield (
        f"Each value has a block of {_brief(inside)} of {_brief(outputs)} outputs; one inside and "
        "one outside differ in probability by no more than e^epsilon."
    )


def prove_padded(claim: PrivacyClaim) -> Findings:
    """Prove that one item, drawn of at least so many, tells no more than e^ε about the set."""
    _, items, largest, log2_total, keep = read_fields(claim.mechanism, _PART, _PADDED)
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    need(items > 0 and largest > 0, _PART, "need at least one item, and sets of at least one")
    ratio = _read_ratio(items + largest, 1, log2_total, keep)
    need(ratio >= 1, _PART, "an item must be at least as likely as any other report")
    covered = claim.covers(Number(Fraction(0), (ratio + largest - 1) / largest))
    need(covered, "epsilon", "sets with and without an item differ by more")
    yield (
        f"One of at least {largest} items of a set is drawn and sent by a response on "
        f"{items + largest} items: two sets differ by no more than e^epsilon."
    )


def ratio_of(mechanism: dict[str, Any], outputs: int, inside: int) -> Fraction:
    """Return how much likelier an output inside is, of a mechanism that has been proven."""
    return _read_ratio(outputs, inside, mechanism["log2_total"], mechanism["keep"])


def padded_sizes(mechanism: dict[str, Any]) -> tuple[int, int]:
    """Return how many values the response has, and how many a set is filled up to."""
    return mechanism["items"] + mechanism["largest"], mechanism["largest"]


def least_shared(family: dict[str, Any]) -> tuple[int, int, int]:
    """Return K, s, and how many outputs the blocks of any two values share at least."""
    outputs, inside = _read_sizes(family)
    if family["kind"] == "projective":
        q, t = family["q"], family["t"]
        return outputs, inside, (q ** (t - 2) - 1) // (q - 1)
    if family["kind"] == "sets" and family["size"] > 1:
        return outputs, inside, comb(family["values"] - 2, family["size"] - 2)
    return outputs, inside, max(2 * inside - outputs, 0)


def _read_ratio(outputs: int, inside: int, log2_total: int, keep: str) -> Fraction:
    """Return how much likelier an output inside is than one outside."""
    total, heads = 2 ** min(log2_total, _MOST_LOG2_TOTAL), int(keep, 16)
    ok = log2_total <= _MOST_LOG2_TOTAL and 0 < heads < total
    need(ok, _PART, "need 0 < keep < 2^log2_total")
    return Fraction(heads * (outputs - inside), (total - heads) * inside)


def _read_sizes(family: dict[str, Any]) -> tuple[int, int]:
    """Return K and s of a family, whose blocks are all of one size, and not all there is."""
    kind, values, *numbers = read_fields(family, _PART, *_FAMILIES)
    need(values > 1, _PART, f"found {values} values; need at least 2")
    if kind == "points":
        return values, 1
    if kind == "projective":
        q, t = numbers
        ok = 2 <= t <= _MOST_COORDINATES and q <= _LARGEST_FIELD and _is_prime_power(q)
        need(ok, _PART, f"found q = {q} and t = {t}; need a power of a prime, and 2 or more")
        outputs = (q**t - 1) // (q - 1)
        need(values <= outputs, _PART, f"found {values} values; there are {outputs} points")
        return outputs, (q ** (t - 1) - 1) // (q - 1)
    if kind == "sets":
        (size,) = numbers
        ok = 0 < size < values <= _MOST_IN_SETS
        need(ok, _PART, f"found sets of {size} of {values}; need fewer than all, and not too many")
        return comb(values, size), comb(values - 1, size - 1)
    if kind == "hashes":
        need(numbers[0] > 1, _PART, f"found {numbers[0]} hashes; need at least 2")
        return numbers[0], 1
    if kind == "halves":
        (bits,) = numbers
        ok = 0 < bits <= _MOST_BITS and values <= 2 * bits
        need(ok, _PART, f"found strings of {bits} bits; need two values a bit at most")
        return 2**bits, 2 ** (bits - 1)
    if kind == "ends":
        return 2, 1
    width, stride = numbers
    need(width > 0 < stride, _PART, "windows need a width and a stride")
    return (values - 1) * stride + width, width


def _is_prime_power(q: int) -> bool:
    factor = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    while q > 1 and q % factor == 0:
        q //= factor
    return factor > 1 and q == 1


def _brief(number: int) -> str:
    return str(number) if number < 10**15 else f"about 2^{number.bit_length()}"
