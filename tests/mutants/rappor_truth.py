"""Is a claim about RAPPOR true? Decided by looking at every two filters and every count of ones."""

import itertools
import re
from decimal import Decimal
from functools import cache
from math import comb
from random import Random
from typing import Any

from tests.certificates.handmade import certificate, one_value, rappor_of, rappor_part
from tests.mutants import forged_bases as bases
from tests.mutants.unit_truth import NOISE, Masses, UnjudgedError, UntrueError, excess, widest

UNIT = re.compile(
    "for replacing the value of one person, who never changes it, by any other, in "
    r"(?:(?P<one>one report)|all of (?P<all>\d+) reports|any number of reports)"
)
MOST_BITS, MOST_REPORTS, MOST_OUTPUTS = 8, 400, 20_000
MANY = (1, 2, 5, 20, 400)
"""Of any number of reports these are looked at."""


@cache
def differences(bits: int, hashes: int) -> frozenset[tuple[int, int]]:
    """How many bits only the first of two values sets, and only the second: all that there are."""
    if bits > MOST_BITS:
        raise UnjudgedError
    filters = [
        frozenset(places)
        for size in range(1, min(hashes, bits) + 1)
        for places in itertools.combinations(range(bits), size)
    ]
    return frozenset((len(x - z), len(z - x)) for x in filters for z in filters)


def bit_masses(part: Any, reports: int) -> Masses:
    """P(k ones | the value sets the bit), P(k ones | it does not), for each k."""
    g = Decimal(int(part["flip"], 16)) / int(part["flip_total"], 16)
    p, q = (Decimal(int(part[n], 16)) / int(part["report_total"], 16) for n in ("low", "high"))
    if not (0 <= g <= Decimal("0.5") and 0 <= p <= 1 and 0 <= q <= 1):
        raise UntrueError("a chance is none")
    if reports > MOST_REPORTS:
        raise UnjudgedError

    def power(base: Decimal, exponent: int) -> Decimal:
        return base**exponent if exponent else Decimal(1)

    found: Masses = []
    for k in range(reports + 1):
        one = comb(reports, k) * power(q, k) * power(1 - q, reports - k)
        zero = comb(reports, k) * power(p, k) * power(1 - p, reports - k)
        found.append(((1 - g) * one + g * zero, g * one + (1 - g) * zero))
    return found


def largest_loss(parts: list[Any], reports: int) -> Decimal:
    """The largest log ratio of any sequence of reports, for any two values."""
    total = Decimal(0)
    for part in parts:
        masses = bit_masses(part, reports)
        up, down = widest(masses), widest([(z, x) for x, z in masses])
        ways = differences(part["bits"], part["hashes"])
        total += max((_times(a, up) + _times(b, down) for a, b in ways), default=Decimal(0))
    return total


def _times(count: int, loss: Decimal) -> Decimal:
    return count * loss if count else Decimal(0)


def require_rappor(mechanism: Any, words: str, epsilon: Decimal, delta: Decimal) -> None:
    """Raise unless the claim holds for every two values, after as many reports as it says."""
    unit = UNIT.fullmatch(words)
    if unit is None:
        raise UntrueError(f"it is about the value of one person in some reports: {words}")
    looked = MANY if unit["all"] is unit["one"] else (int(unit["all"] or 1),)
    for reports in looked:
        if largest_loss(mechanism["parts"], reports) <= epsilon * (1 + NOISE) + NOISE:
            continue
        if delta == 0 or needed(mechanism["parts"], reports, epsilon) > delta + NOISE:
            raise UntrueError(f"{reports} reports give away more than epsilon {epsilon}")


def needed(parts: list[Any], reports: int, epsilon: Decimal) -> Decimal:
    """The least δ at ε, from the probabilities of all counts of all bits that differ."""
    choices = [sorted(differences(part["bits"], part["hashes"])) for part in parts]
    worst = Decimal(0)
    for chosen in itertools.product(*choices):
        joint: Masses = [(Decimal(1), Decimal(1))]
        for part, (a, b) in zip(parts, chosen, strict=True):
            masses = bit_masses(part, reports)
            for masses_of_bit in [masses] * a + [[(z, x) for x, z in masses]] * b:
                joint = [(p * x, q * z) for p, q in joint for x, z in masses_of_bit]
                if len(joint) > MOST_OUTPUTS:
                    raise UnjudgedError
        worst = max(worst, excess(joint, epsilon.exp()))
    return worst


def rappor(draw: Random) -> Any:
    """A true certificate at the edge: one or two small filters, some reports or any number."""
    while True:
        parts = [_part(draw) for _ in range(draw.choice([1, 1, 2]))]
        reports: Any = draw.choice([1, 1, 2, 3, 7, "forever"])
        if reports == "forever":
            halves = [Decimal(int(x["flip"], 16)) / int(x["flip_total"], 16) for x in parts]
            if 0 in halves:
                continue
            most = [max(a + b for a, b in differences(x["bits"], x["hashes"])) for x in parts]
            losses = [((1 - g) / g).ln() * often for g, often in zip(halves, most, strict=True)]
            loss = sum(losses, Decimal(0))
        else:
            loss = largest_loss(parts, reports)
        if loss.is_finite():
            return certificate(rappor_of(*parts), one_value(reports), bases.above(loss))


def _part(draw: Random) -> Any:
    flips, total = draw.randint(4, 60), draw.randint(3, 60)
    low = draw.choice([0, draw.randint(0, total - 1)])
    high = draw.choice([total, draw.randint(low + 1, total)])
    flip = draw.choice([0, 1, draw.randint(1, flips // 2)])
    return rappor_part(*(draw.randint(2, 4), draw.randint(1, 3), (flip, flips), (low, high, total)))
