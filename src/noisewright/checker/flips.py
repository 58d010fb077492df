"""Proof for sets of items that are released with some items flipped.

**Statement.** An answer that differs from the set in j of m items has the probability levels[j] /
2^k. This is ε-private for any two sets if no level is larger than e^ε times another one.

**Why.** C(m, j) answers differ from a set in j items, so the levels, each so many times, must sum
to 2^k. Any set may replace any other, so an answer may be at any distance from the one and at any
distance from the other: the largest and the smallest level decide. A δ is not needed.
"""

from fractions import Fraction
from math import comb

from .claim import PrivacyClaim
from .document import is_type, read_fields
from .items import count_items
from .numbers import Number
from .report import Findings, fail, need

_PART = "mechanism"
_SHAPE = "form: flips, items: list, log2_total: whole, levels: list"


def prove_flips(claim: PrivacyClaim) -> Findings:
    """Prove that no two levels differ by more than e^ε."""
    _, items, k, levels = read_fields(claim.mechanism, _PART, _SHAPE)
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    names = count_items(items)
    ok = len(levels) == names + 1 and all(is_type("hex", v) for v in levels) and k <= 2**20
    need(ok, _PART, f"need {names + 1} levels in hex digits, and log2_total up to 2^20")
    weights = [int(level, 16) for level in levels]
    total = sum(comb(names, j) * weight for j, weight in enumerate(weights))
    need(total == 1 << k and min(weights) > 0, "row sums", f"the answers must sum to 2^{k}")
    cost = Number(Fraction(0), Fraction(max(weights), min(weights)))
    if not claim.covers(cost):
        fail("epsilon", f"{cost} is needed; claimed is {claim.epsilon}")
    yield f"Answers about {names} items sum to 2^{k}; no two levels differ by more than e^epsilon."
