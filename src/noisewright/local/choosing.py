"""Which way to report one of k values: the least error, then the shortest reports.

With e = e^ε, no method has a smaller variance of rare shares than about 4 e / (e − 1)² / n. k-ary
response comes near it for few values, k < 3 e + 2; unary encoding, subset selection and hashing
with g = e + 1 always do, with reports of k bits, d log k bits, and a seed. Projective response does
with log₂ K bits if q is near e + 1. Of all ways whose variance is within 8% of the best, the one
with the shortest reports is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.local.families.chosen import ChosenSets
from noisewright.local.families.fields import LARGEST, is_prime
from noisewright.local.families.hashed import Hashed
from noisewright.local.families.points import PointBlocks
from noisewright.local.families.projective import MOST_SUMMED, Projective, points_in
from noisewright.local.randomizer import PureRandomizer, block_response
from noisewright.local.unary import unary_encoding
from noisewright.local.wire import OVERHEAD

METHODS = (
    "response",
    "projective",
    "unary",
    "symmetric unary",
    "subset",
    "hashing",
    "hadamard",
)

_NEAR = 1.08
"""Variances that differ by less are as good as the same."""
_NEARER = 1.03
_MOST_VALUES = 1 << 20
_LARGEST_BINARY = 1 << 26
_LARGEST_PRIME = 1 << 23


@dataclass(frozen=True)
class ReportChoice:
    """A randomizer, the word for it, and why it was taken."""

    method: str
    randomizer: PureRandomizer
    why: str


def choose_randomizer(values: int, epsilon: Epsilon, method: str | None) -> ReportChoice:
    """Return the randomizer for so many values, or the one that was asked for by name."""
    if not 2 <= values <= _MOST_VALUES:
        raise ParameterError(
            f"there are {values:,} values; frequencies are for 2 to {_MOST_VALUES:,}. For "
            "more, or for open domains, use nw.local.heavy_hitters."
        )
    if method is not None:
        return ReportChoice(
            method, make_randomizer(values, epsilon, method), "You chose this method."
        )
    candidates = [
        (name, make_randomizer(values, epsilon, name))
        for name in ("response", "projective", "unary")
        if name != "unary" or values <= 1 << 12
    ]
    best = min(one.variance for _, one in candidates)
    near = [(name, one) for name, one in candidates if one.variance <= _NEAR * best]
    name, chosen = min(near, key=lambda pair: (pair[1].length, pair[1].variance))
    return ReportChoice(name, chosen, _why(name, chosen, candidates))


def _why(name: str, chosen: PureRandomizer, candidates: list[tuple[str, PureRandomizer]]) -> str:
    others = "; ".join(
        f"{other}: {one.variance / chosen.variance:.3g} times the variance, {_bytes(one.length)}"
        for other, one in candidates
        if other != name
    )
    return (
        f"{name.capitalize()} has the shortest reports ({_bytes(chosen.length)} before framing, "
        f"which adds {OVERHEAD}) of all methods whose variance is within 8% of the least. In "
        f"comparison, {others}."
    )


def _bytes(length: int) -> str:
    return f"{length:,} byte{'s' * (length != 1)}"


def make_randomizer(values: int, epsilon: Epsilon, method: str) -> PureRandomizer:
    """Return the randomizer of a method."""
    if method == "response":
        return block_response(PointBlocks(values), epsilon)
    if method == "projective":
        return _best_projective(values, epsilon)
    if method == "hadamard":
        dimension = max(values.bit_length(), 2)
        return block_response(Projective(values, 2, dimension), epsilon)
    if method == "subset":
        size = min(max(round(values / (math.exp(min(epsilon.floor(), 50.0)) + 1)), 1), values - 1)
        return block_response(ChosenSets(values, size), epsilon)
    if method == "hashing":
        bits = min(max(round(math.log2(math.exp(min(epsilon.floor(), 20.0)) + 1)), 1), 12)
        return block_response(Hashed(values, bits), epsilon)
    return unary_encoding(values, epsilon, symmetric=method == "symmetric unary")


def _best_projective(values: int, epsilon: Epsilon) -> PureRandomizer:
    """Return the response that is counted fastest, of those within 3% of the least variance."""
    power = min(epsilon.floor(), 50.0)
    e, gain = math.exp(power), math.expm1(power)
    found = [(_variance(one, e, gain), one) for one in _projective_families(values)]
    best = min(variance for variance, _ in found)
    near = [(one.work, variance, one) for variance, one in found if variance <= _NEARER * best]
    return block_response(min(near, key=lambda each: each[:2])[2], epsilon)


def _variance(family: Projective, e: float, gain: float) -> float:
    """Return the variance near 0 as a double, which is enough to choose by."""
    k, s, shared = family.outputs, family.inside, family.shared or 0
    whole = s * e + k - s
    other = (shared * e + s - shared) / whole
    return other * (1 - other) / ((s - shared) * gain / whole) ** 2


def _projective_families(values: int) -> Iterator[Projective]:
    for q in range(2, LARGEST + 1):
        binary = q & (q - 1) == 0
        if not binary and not is_prime(q):
            continue
        t = 2
        while points_in(q, t) < values:
            t += 1
        transform = q**t <= (_LARGEST_BINARY if binary else _LARGEST_PRIME)
        summed = values * points_in(q, t - 1) <= MOST_SUMMED
        if transform or (summed and points_in(q, t) <= _LARGEST_BINARY):
            yield Projective(values, q, t)
