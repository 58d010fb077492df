"""Proof for sets of items, of which each is released by a coin of its own.

**Statement.** An item that is in the set is in the answer with probability p = present / 2^k, one
that is not with probability q = absent / 2^k, q < p, independently. Sets have at most `largest`
of m items. This is ε-private for any two sets if

    e^ε ≥ max(r, s)^largest min(r, s)^min(largest, m − largest),

with r = p / q and s = (1 − q) / (1 − p).

**Why.** Replacing a set by another one removes some items and adds some, at most `largest` each,
and together at most m. An item that is removed changes the probability of an answer by a factor
of at most r, one that is added by at most s, and some answer attains all of these at once. A δ is
not needed.
"""

from fractions import Fraction
from typing import Any

from .claim import PrivacyClaim
from .document import read_fields
from .numbers import Number
from .points import read_points
from .report import Findings, need

_PART = "mechanism"
_SHAPE = "form: items, items: list, largest: whole, log2_total: whole, present: hex, absent: hex"
_MOST_LOG2_TOTAL = 2**16
_LONGEST = 2**24


def prove_items(claim: PrivacyClaim) -> Findings:
    """Prove that the factors of all items that may change are at most e^ε."""
    _, items, largest, k, present, absent = read_fields(claim.mechanism, _PART, _SHAPE)
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    names = count_items(items)
    need(0 < largest <= names, _PART, f"largest is {largest}; need 1 to {names}")
    p, q, total = int(present, 16), int(absent, 16), 2 ** min(k, _MOST_LOG2_TOTAL)
    ok = 0 < q < p < total and k <= _MOST_LOG2_TOTAL
    need(ok, _PART, "need 0 < absent < present < 2^log2_total")
    removed, added = Fraction(p, q), Fraction(total - q, total - p)
    often, seldom = largest, min(largest, names - largest)
    short = (often + seldom) * (total.bit_length() + 1) < _LONGEST
    need(short, _PART, "these are too many items for exact numbers")
    factor = max(removed, added) ** often * min(removed, added) ** seldom
    covered = claim.covers(Number(Fraction(0), factor))
    need(covered, "epsilon", "two sets differ by more than is claimed")
    yield (
        f"Replacing a set changes at most {often + seldom} of {names} items, and probabilities by "
        "no more than e^epsilon."
    )


def count_items(items: list[Any]) -> int:
    """Return how many items there are, which must be different."""
    return len(read_points({"kind": "labels", "labels": items}))
