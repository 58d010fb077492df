"""The least ε at a δ, and the least δ at an ε."""

from __future__ import annotations

import math
from fractions import Fraction

from noisewright.exact import Epsilon, Number, ceiling_float
from noisewright.mechanisms import (
    ColumnProduct,
    Geometric,
    Mechanism,
    Response,
    Table,
    any_change,
    read_delta,
)
from noisewright.privacy.events import widest_event, worst_event
from noisewright.privacy.formula import geometric_tight_delta, geometric_tight_epsilon
from noisewright.privacy.subject import essential, subject_of


def tight_epsilon(mechanism: Mechanism, *, delta: Number = 0) -> float:
    """Return the least ε for which the mechanism is (ε, δ)-private (inf if there is none).

    Ensures: the smallest double that is not below the true value, so a mechanism that claims
    a double ε never measures above it.
    """
    spare = read_delta(delta)
    part = essential(mechanism)
    if isinstance(part, Geometric):
        return geometric_tight_epsilon(part.epsilon, spare)
    ratio = tight_ratio(part, delta=spare)
    return math.inf if ratio is None else Epsilon.log(ratio).ceiling()


def tight_ratio(mechanism: Mechanism, *, delta: Number = 0) -> Fraction | None:
    """Return e^ε of the least ε as an exact rational; None if no ε is enough.

    Requires: a table, a randomized response, or a product of tables.
    """
    spare = read_delta(delta)
    part = essential(mechanism)
    if isinstance(part, ColumnProduct) and spare == 0:
        return _product_ratio(part)
    table = subject_of(part)
    if spare == 0:
        widest = widest_event(table)
        if widest is None:
            return Fraction(1)
        return Fraction(widest.p, widest.q) if widest.q else None
    return _ratio_with_delta(table, spare)


def _product_ratio(product: ColumnProduct) -> Fraction | None:
    """Ratios of independent columns multiply, and each column may change to its worst."""
    ratio = Fraction(1)
    for _, mechanism in product.columns:
        claim = None
        if isinstance(mechanism, (Table, ColumnProduct)):
            worst = _worst_change(mechanism)
            if worst is None:
                return None
            ratio *= worst
            continue
        claim = any_change(mechanism)
        if claim is None or claim.epsilon.ratio is None:
            return tight_ratio(product.table())
        ratio *= claim.epsilon.ratio
    return ratio


def _worst_change(mechanism: Table | ColumnProduct) -> Fraction | None:
    if isinstance(mechanism, ColumnProduct):
        return _product_ratio(mechanism)
    widest = Fraction(1)
    for column in mechanism.weights.T.tolist():
        most, least = max(column), min(column)
        if most and not least:
            return None
        widest = max(widest, Fraction(most, least)) if most else widest
    return widest


def _ratio_with_delta(table: Table | Response, delta: Fraction) -> Fraction | None:
    """Find E with max over events of P − E·Q = δ by Newton's method, exactly.

    The maximum is convex in E and piecewise linear, so each step from the left lands on the
    zero of a supporting line, never beyond the answer, and after finitely many on it.
    """
    ratio = Fraction(1)
    while True:
        worst = worst_event(table, Epsilon.log(ratio))
        spare = delta * worst.total
        if worst.p <= spare + ratio * worst.q:
            return ratio
        if worst.q == 0:
            return None
        ratio = (worst.p - spare) / worst.q


def tight_delta(mechanism: Mechanism, *, epsilon: Number | Epsilon) -> float:
    """Return the least δ for which the mechanism is (ε, δ)-private.

    Ensures: the smallest double that is not below the true value.
    """
    exact = Epsilon.of(epsilon)
    part = essential(mechanism)
    if isinstance(part, Geometric):
        return geometric_tight_delta(part.epsilon, exact)
    worst = worst_event(subject_of(part), exact)
    bits = 192
    while True:
        needed = worst.delta_enclosure(exact, bits)
        upper = max(0.0, ceiling_float(needed.high))
        if upper == max(0.0, ceiling_float(needed.low)):
            return upper
        bits *= 2
