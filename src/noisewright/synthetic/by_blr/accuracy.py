"""What BLR promises before a draw: how many records it needs, and how large the error can be.

A random sample of m rows answers k counting queries within a, with probability more than 0, if
2k e^(−2ma²) < 1 (Hoeffding and a union bound); so some database of m records over the universe has
an error of at most a = √(ln(2k) / (2m)). The survey's constants are larger: m = 8 ln k / a² for an
error of a (its Theorem 3), 32 ln k / a² for one of a/2. The exponential mechanism loses at most
2/(εn) · ln(R/β) on the best of R candidates, with probability 1 − β (its Theorem 2).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, ceiling_float, exactly, log_bounds, sqrt_bounds
from noisewright.given import one_of
from noisewright.public import public
from noisewright.selection import rational_below
from noisewright.spaces import whole_number
from noisewright.synthetic.by_blr.multisets import multiset_count

_BITS = 128

_COUNTED = 10_000
"""Up to here multisets are counted to the last one."""


@public
def blr_size(
    queries: int, *, within: Number, bound: Literal["hoeffding", "survey"] = "hoeffding"
) -> int:
    """Return how many records m a synthetic database needs, so that the best has half this error.

    Requires: 0 < within; `bound`: "hoeffding", m = 2 ln(2k) / within² (Hoeffding 1963 and a union
    bound), or "survey", 32 ln k / within², the printed constant of Blum–Ligett–Roth 2008.
    Ensures: some database of m records is within/2 of the data on all queries; the other half is
    left to the exponential mechanism.
    """
    k = whole_number(queries, name="queries", least=1)
    error = exactly(within, name="within")
    if error <= 0:
        raise ParameterError(f"within is {within}; it must be positive.")
    bound = one_of(bound, ("hoeffding", "survey"), name="bound")
    times, of = (2, 2 * k) if bound == "hoeffding" else (32, k)
    return max(1, math.ceil(times * _log(Fraction(of)) / error**2))


@public
def blr_accuracy(
    universe: int,
    *,
    queries: int,
    rows: int,
    m: int,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    beta: Number = 0.05,
    measure: Literal["multisets", "sequences"] = "multisets",
) -> float:
    """Return the error that BLR stays within on all queries, with probability 1 − beta.

    Ensures: √(ln(2k) / (2m)) + 2/(εn) · ln(R/beta), rounded up, where R is |X|^m for sequences and
    the number of multisets, which is smaller, for those (Blum–Ligett–Roth 2008; the second term is
    that of the exponential mechanism, McSherry–Talwar 2007).
    """
    points = whole_number(universe, name="universe", least=1)
    k = whole_number(queries, name="queries", least=1)
    n = whole_number(rows, name="rows", least=1)
    records = whole_number(m, name="m", least=1)
    kind = read_measure(measure)
    square = _log(Fraction(2 * k)) / (2 * records)
    best = ceiling_float(Fraction(sqrt_bounds(square, _BITS)[1], 1 << _BITS))
    risk = exactly(beta, name="beta")
    if not 0 < risk <= 1:
        raise ParameterError(f"beta is {beta}; it is a probability and must lie in (0, 1].")
    read = Epsilon.of(epsilon, alpha=alpha)
    if read.is_zero:
        raise ParameterError("epsilon is 0, so the draw says nothing; it must be positive.")
    several = kind == "multisets"
    size = _log_multisets(points, records) if several else records * _log(Fraction(points))
    lost = 2 * (size + _log(1 / risk)) / (rational_below(read) * n)
    return math.nextafter(best + ceiling_float(lost), math.inf)


def _log_multisets(points: int, records: int) -> Fraction:
    """Return at least ln C(points + records − 1, records)."""
    whole, part = points + records - 1, min(records, points - 1)
    if part <= _COUNTED:
        return _log(Fraction(multiset_count(points, records)))
    # C(a, b) ≤ a^a / (b^b (a−b)^(a−b)): far less work, and a few digits too large.
    below = sum(b * _log(Fraction(whole, b)) for b in (part, whole - part))
    return Fraction(below)


def _log(value: Fraction) -> Fraction:
    """Return at least ln(value), by less than 2^-127."""
    return Fraction(log_bounds(value, _BITS)[1], 1 << _BITS)


def read_measure(measure: Any) -> Literal["multisets", "sequences"]:
    """Read what counts as one candidate."""
    return one_of(measure, ("multisets", "sequences"), name="measure")
