"""The least ε at a δ, and the least δ at an ε."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from noisewright.errors import InputError, TooLargeError
from noisewright.exact import Enclosure, Epsilon, Number, log_bounds, refined_ceiling
from noisewright.mechanisms import (
    Additive,
    ColumnProduct,
    CurveMechanism,
    Geometric,
    Mechanism,
    PersonMechanism,
    Response,
    RowProduct,
    SetMechanism,
    Table,
    read_delta,
)
from noisewright.privacy.by_distance import (
    ceiling_of,
    claim_of,
    delta_by_distance,
    least_by_distance,
)
from noisewright.privacy.events import widest_event, worst_event
from noisewright.privacy.formulas.noise import as_noise, noise_tight_delta, noise_tight_epsilon
from noisewright.privacy.formulas.sets import sets_tight_delta, sets_tight_epsilon
from noisewright.privacy.subject import essential, subject_of
from noisewright.public import public

_LONGEST = 1 << 24
"""Ratios of more bits are not written out."""


@public
def tight_epsilon(mechanism: Mechanism, *, delta: Number = 0) -> float:
    """Return the least ε for which the mechanism is (ε, δ)-private (inf if there is none).

    Ensures: the smallest double that is not below the true value, so a mechanism that claims
    a double ε never measures above it. With neighbors="metric" it is the ε per unit of distance.
    Source: Holohan–Leith–Mason 2016, Section 3: the event {y : P(y|x) > e^ε P(y|x')} decides.
    """
    spare = read_delta(delta)
    part = essential(mechanism)
    if isinstance(part, Geometric) and spare == 0:
        return part.pure_epsilon(part.reach).ceiling()
    if isinstance(part, (Geometric, Additive)):
        return noise_tight_epsilon(as_noise(part), spare)
    if isinstance(part, (ColumnProduct, CurveMechanism, PersonMechanism)) and spare == 0:
        return _ceiling(change_of_all(part))
    if isinstance(part, SetMechanism):
        return sets_tight_epsilon(part, spare)
    table = subject_of(part)
    if isinstance(table, Table) and table.space.by_distance:
        return ceiling_of(least_by_distance(table, spare))
    ratio = tight_ratio(part, delta=spare)
    return math.inf if ratio is None else Epsilon.log(ratio).ceiling()


def tight_claim(mechanism: Mechanism, *, delta: Number = 0) -> Epsilon | None:
    """Return the least ε to claim, None if no ε is enough.

    Exact where it is the logarithm of a rational that can be written out; otherwise a rational
    just above it.
    """
    part = essential(mechanism)
    if isinstance(part, SetMechanism) and read_delta(delta) == 0:
        return Epsilon.log(part.tight_ratio()).brief()
    table = subject_of(mechanism)
    if isinstance(table, Table) and table.space.by_distance:
        return claim_of(least_by_distance(table, read_delta(delta)))
    ratio = tight_ratio(mechanism, delta=delta)
    return None if ratio is None else Epsilon.log(ratio).brief()


def tight_ratio(mechanism: Mechanism, *, delta: Number = 0) -> Fraction | None:
    """Return e^ε of the least ε as an exact rational; None if no ε is enough.

    Requires: a table, a randomized response, or a product of tables; not neighbors="metric".
    """
    spare = read_delta(delta)
    part = essential(mechanism)
    if isinstance(part, (ColumnProduct, PersonMechanism)) and spare == 0:
        change = change_of_all(part)
        if change is None:
            return None
        if change.rational == 0:
            return change.ratio
    if isinstance(part, SetMechanism) and spare == 0:
        return part.tight_ratio()
    table = subject_of(part)
    if table.space.by_distance:
        raise InputError(
            "with neighbors='metric' e^epsilon need not be rational. Ask tight_epsilon."
        )
    if spare == 0:
        return _widest_ratio(table, any_two=False)
    return _ratio_with_delta(table, spare)


def _widest_ratio(table: Table | Response, *, any_two: bool) -> Fraction | None:
    widest = widest_event(table, any_two=any_two)
    if widest is None:
        return Fraction(1)
    return Fraction(widest.p, widest.q) if widest.q else None


@dataclass(frozen=True)
class WorstChange:
    """The tight ε = rational + ln(ratio) between any two inputs, neighbors or not."""

    rational: Fraction
    ratio: Fraction

    def within(self, epsilon: Epsilon) -> bool:
        """Tell exactly whether rational + ln(ratio) ≤ ε."""
        if epsilon.ratio is not None:
            # rational + ln(ratio) ≤ ln(r) says e^rational · ratio ≤ r.
            claimed = epsilon.ratio / self.ratio
            return Epsilon(rational=self.rational).sign(*claimed.as_integer_ratio()) >= 0
        rest = epsilon.rational - self.rational
        if rest < 0:
            return False
        return Epsilon(rational=rest).sign(*self.ratio.as_integer_ratio()) <= 0

    def times(self, count: int) -> WorstChange:
        """Return the change of `count` independent parts like this one."""
        if self.ratio.numerator.bit_length() * count > _LONGEST:
            raise TooLargeError(
                f"the exact epsilon of {count:,} rows that all change takes too long to write out. "
                "certify adds up the claims of the rows instead.",
                size=count,
            )
        return WorstChange(self.rational * count, self.ratio**count)


def change_of_all(mechanism: Mechanism) -> WorstChange | None:
    """Return the tight ε when all of a record changes; None if no ε is enough.

    Ratios of independent parts multiply, and each part may change to its worst.
    """
    if isinstance(mechanism, (RowProduct, PersonMechanism)):
        row = change_of_all(mechanism.row)
        return row and row.times(mechanism.count)
    if isinstance(mechanism, ColumnProduct):
        total = WorstChange(Fraction(0), Fraction(1))
        for _, column in mechanism.columns:
            change = change_of_all(column)
            if change is None:
                return None
            total = WorstChange(total.rational + change.rational, total.ratio * change.ratio)
        return total
    if isinstance(mechanism, Geometric):
        n, epsilon = mechanism.space.n, mechanism.epsilon
        return WorstChange(epsilon.rational * n, (epsilon.ratio or Fraction(1)) ** n)
    if isinstance(mechanism, Additive):
        whole = mechanism.pure_epsilon(mechanism.space.size - 1)
        return WorstChange(whole.rational, whole.ratio or Fraction(1))
    if isinstance(mechanism, CurveMechanism):
        return _change_of_curves(mechanism)
    if isinstance(mechanism, SetMechanism):
        return WorstChange(Fraction(0), mechanism.tight_ratio())
    whole = mechanism if isinstance(mechanism, Response) else mechanism.table()
    ratio = _widest_ratio(whole, any_two=True)
    return None if ratio is None else WorstChange(Fraction(0), ratio)


def _change_of_curves(mechanism: CurveMechanism) -> WorstChange | None:
    pure = mechanism.pure_epsilon()
    if pure is not None and not mechanism.is_tight:
        raise InputError(
            f"the least epsilon of {mechanism!r} is not known: how far curves move its numbers is "
            "bounded, and its claim is what the bound proves. verify and certify know it."
        )
    return pure and WorstChange(pure.rational, pure.ratio or Fraction(1))


def _ceiling(change: WorstChange | None) -> float:
    if change is None:
        return math.inf
    return refined_ceiling(
        lambda bits: Enclosure.over(log_bounds(change.ratio, bits), bits) + change.rational
    )


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


@public
def tight_delta(mechanism: Mechanism, *, epsilon: Number | Epsilon) -> float:
    """Return the least δ for which the mechanism is (ε, δ)-private.

    Ensures: the smallest double that is not below the true value: that of the largest
    Σ_y max(0, P(y|x) − e^ε P(y|x')) over neighbors (Holohan–Leith–Mason 2016, Section 3).
    """
    exact = Epsilon.of(epsilon)
    part = essential(mechanism)
    if isinstance(part, Geometric) and part.pure_epsilon(part.reach) <= exact:
        return 0.0
    if isinstance(part, (Geometric, Additive)):
        return noise_tight_delta(as_noise(part), exact)
    if isinstance(part, SetMechanism):
        return sets_tight_delta(part, exact)
    table = subject_of(part)
    if isinstance(table, Table) and table.space.by_distance:
        return delta_by_distance(table, exact)
    worst = worst_event(table, exact)
    return refined_ceiling(lambda bits: worst.delta_enclosure(exact, bits).or_more(0))
