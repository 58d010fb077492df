"""Shuffled plans: what whoever sees only the file learns, and what each row may then give away.

ε, δ     the central guarantee: for replacing one person, against whoever sees only the released
         rows, which come in a uniformly random order that nobody sees
ε₀       what one row gives away by itself, even to whoever learns the order
n        how many rows are shuffled together; with public columns, those of the smallest group of
         rows with equal public values: everybody knows which group a person is in
k        the most rows of one person

At δ = 0 shuffling adds nothing (all rows may come out the same), so a shuffled plan without a δ
promises what its rows do. With one, ε₀ is the largest that is found for which (ε, δ) is proven: it
is never below ε/k, for which shuffling is not needed at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from noisewright.errors import InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, show
from noisewright.mechanisms import Guarantee, Mechanism

if TYPE_CHECKING:
    from noisewright.certificates import Certificate
    from noisewright.plans.budget import BudgetRequest
    from noisewright.plans.plan import Plan

_DIGITS = 4
_NEAR = 0.002
_PROOFS = 6
_TRIALS = 24
_SLOPE = 0.6
"""By about how much ln ε grows with ε₀."""


def require_shufflable(requests: Sequence[BudgetRequest], *, is_limited: bool) -> None:
    """Refuse what leaves rows fewer others to hide among than is known.

    Columns with a δ of their own: it would count once for each row. Public columns where only so
    many rows of a person are released (`is_limited`): how large groups are is then random.
    """
    if is_limited:
        raise ParameterError(
            "with [person], which rows remain of each group with equal public values is not known "
            "before, so nothing is known about hiding among them. Drop the public columns, say "
            "order = 'kept', or leave delta out."
        )
    for request in requests:
        if request.delta:
            raise ParameterError(
                f"{', '.join(request.names)} has a delta of {show(request.delta)} of its own. In a "
                "shuffled plan delta is for the whole table, and rows give away epsilon alone. "
                "Leave the column's delta out, use a mechanism without one, or say order = 'kept'."
            )


def central_guarantee(
    mechanism: Mechanism, *, rows: int, delta: Fraction, rows_per_person: int
) -> Guarantee:
    """Return what a person gives away to whoever sees only the shuffled rows."""
    if rows <= rows_per_person:
        claim = mechanism.claim
        assert claim is not None
        return Guarantee(claim.epsilon.times(rows_per_person), 0)
    from noisewright.privacy import shuffled  # exact sums, which few plans need

    found = shuffled(mechanism=mechanism, rows=rows, delta=delta, rows_per_person=rows_per_person)
    return Guarantee(Fraction(repr(found.upper)), delta)


def certify_central(plan: Plan) -> Certificate:
    """Prove (ε, δ) for the shuffled rows of a plan, or say what is proven instead."""
    from noisewright.certificates import certify_shuffled
    from noisewright.privacy import shuffled

    delta, wanted = plan.guarantee.delta, plan.guarantee.epsilon
    if plan.rows is None:
        raise InputError("how many rows are shuffled is not known yet; see plan.for_rows(n).")
    found = shuffled(
        mechanism=plan.mechanism,
        rows=plan.rows,
        delta=delta,
        rows_per_person=plan.rows_per_person,
    )
    if not Epsilon.of(repr(found.upper)) <= wanted:
        raise NotPrivateError(
            f"{plan.rows:,} shuffled rows with a row_epsilon of {found.row_epsilon} have epsilon="
            f"{found.upper} at delta={show(delta)}; the plan says epsilon={wanted}. Lower "
            "row_epsilon, or leave it out. Nothing was spent."
        )
    return certify_shuffled(
        plan.mechanism, guarantee=found, epsilon=wanted.rational, public=plan.public
    )


def largest_row_epsilon(
    build: Callable[[Fraction], Mechanism],
    *,
    given: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    rows: int,
    rows_per_person: int,
) -> Fraction:
    """Return the largest ε₀ that is found with which shuffled rows have (ε, δ).

    `build` returns the row mechanism with an ε₀ above `given`, which columns have of their own.
    Ensures: never below ε/k; to four digits, rounded down, where it is above.
    """
    least = epsilon / rows_per_person
    if rows <= rows_per_person:
        return least
    whole: Any = {"rows": rows, "delta": delta, "rows_per_person": rows_per_person}
    low = _roughly_largest(build, epsilon, float(max(least, given)), whole)
    candidate = _short(low)
    for _ in range(_PROOFS):
        if candidate <= least:
            break
        proven = central_guarantee(build(candidate), **whole).epsilon
        if proven <= Epsilon(rational=epsilon):
            return candidate
        # ε grows about as e^(ε₀/2), or faster.
        more = 2 * math.log(float(proven) / epsilon)
        lower = float(candidate) - max(more, _NEAR * float(candidate))
        if lower <= least:
            break
        candidate = _short(lower)
    return least


def _roughly_largest(
    build: Callable[[Fraction], Mechanism], epsilon: Fraction, low: float, whole: Any
) -> float:
    """About the largest ε₀, in doubles, from `low` on: proposes, and never decides."""
    from noisewright.privacy import roughly_shuffled_epsilon, row_law

    high, before = math.inf, None
    # ε is about 8 √(e^ε₀ / n) for any mechanism, and less for those of several columns.
    at = max(1.1 * low, 2 * math.log(max(float(epsilon) * math.sqrt(whole["rows"]) / 8, 1.1)))
    for _ in range(_TRIALS):
        found = roughly_shuffled_epsilon(row_law(build(Fraction(at))), **whole)
        excess = math.log(max(found, 1e-9) / epsilon)
        low, high = (at, high) if excess <= 0 else (low, min(high, at))
        if -_NEAR < excess <= 0 or high - low < _NEAR * low:
            break
        slope = _SLOPE if before is None else (excess - before[1]) / (at - before[0])
        slope = slope if _SLOPE / 4 < slope < 8 * _SLOPE else _SLOPE
        before, guess = (at, excess), at - (excess + _NEAR / 2) / slope
        most = 2 * at if high == math.inf else high
        at = guess if low < guess < most else (low + most) / 2
    return low


def _short(value: float) -> Fraction:
    """Return a number to a few digits, rounded down."""
    power = Fraction(10) ** (_DIGITS - 1 - math.floor(math.log10(value)))
    return math.floor(Fraction(value) * power) / power
