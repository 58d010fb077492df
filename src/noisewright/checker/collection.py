"""Proof for what one person's device sends: one of several kinds of reports, or all of them.

**Statement.** Each part is (ε_i, δ_i)-private for any change of the value behind it. If the device
sends `one` report, of a part that it draws without looking at its value (a cohort, a level, one of
several questions), then that report, together with which part it is of, is
(max ε_i, max δ_i)-private. If it sends reports of `all` parts, drawn independently, about the same
value or several, then these are (Σ ε_i, Σ δ_i)-private.

**Why.** Which part is drawn does not depend on the value; given the part, its own guarantee holds,
and a mixture over parts of what holds in each holds for the whole. Several reports compose (Dwork,
McSherry, Nissim and Smith 2006; Dwork and Roth 2014, Theorem 3.16), also if later parts are chosen
after earlier reports were seen.

**On trust.** That each person sends as many reports as stated and no more, and that a report that
is sent again is the same one, or counts again.
"""

from collections.abc import Callable
from fractions import Fraction

from .claim import PrivacyClaim, read_epsilon_delta
from .document import read_fields
from .numbers import LONGEST_POWER, Number
from .report import Findings, fail, need

_SHAPES = ("form: collection, sends: one, parts: list", "form: collection, sends: all, parts: list")
_PART = "mechanism: object, claims: object"


def prove_collection(claim: PrivacyClaim, prove: Callable[[PrivacyClaim], Findings]) -> Findings:
    """Prove each part, and that the largest of them, or all together, cost no more than claimed."""
    _, sends, parts = read_fields(claim.mechanism, "mechanism", *_SHAPES)
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    need(parts, "mechanism", "need at least one part")
    spent: Number | None = Number(Fraction(0))
    lost = Fraction(0)
    for part in parts:
        inner, claims = read_fields(part, "mechanism", _PART)
        epsilon, delta = read_epsilon_delta(claims)
        yield from prove(PrivacyClaim(inner, {"relation": "replace"}, epsilon, delta))
        if sends == "all":
            lost += delta
            spent = spent and epsilon and _add(spent, epsilon)
        else:
            lost = max(lost, delta)
            spent = spent and epsilon and max(spent, epsilon)
    if not claim.covers(spent):
        fail("epsilon", f"the reports cost {spent or 'infinity'}; claimed is {claim.epsilon}")
    need(lost <= claim.delta, "delta", f"the reports cost {Number(lost)}, more than that")
    if len(parts) > 1:
        yield (
            f"A person sends reports of all {len(parts)} parts, which add up."
            if sends == "all"
            else f"A person sends one report, of one of {len(parts)} parts drawn beforehand."
        )


def _add(a: Number, b: Number) -> Number:
    ratio = a.ratio * b.ratio
    short = ratio.numerator.bit_length() < LONGEST_POWER
    need(short, "claims", "these are too many parts for the logarithm of so long a number")
    return Number(a.value + b.value, ratio)
