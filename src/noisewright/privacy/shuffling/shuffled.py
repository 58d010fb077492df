"""Rows that are published in random order: the ε that remains for whoever sees only the file."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, ceiling_float, exp_bounds, show
from noisewright.given import whole_number
from noisewright.mechanisms import Mechanism, read_delta
from noisewright.privacy.shuffling.laws import RowLaw, gains, row_law
from noisewright.privacy.shuffling.lower import lower_epsilon, shorten
from noisewright.privacy.shuffling.proposal import Doubles, in_doubles, roughly_log_delta
from noisewright.privacy.shuffling.sums import mean_gain, natural_step
from noisewright.public import public, public_methods

_BITS = 128
_DIGITS = 5
_ROOM = Fraction(1, 512)
_MOST_TRIES = 12
_MOST_ROWS = 10**12
_MOST_PER_PERSON = 1 << 10
_LARGEST = 50
"""Random order is not looked at for rows with a larger ε: it would take e^50 rows to help."""
_LEAST = Fraction(1, 1 << 255)
"""Nor for a smaller δ, whose logarithm no double may have."""


@public_methods
@dataclass(frozen=True)
class ShuffledGuarantee:
    """What whoever sees only a table in random order learns about one of its records.

    Two tables with the same public number of rows that differ in one record are indistinguishable
    up to (`upper`, `delta`). Whoever sees the order is bound by `row_epsilon` only.
    """

    upper: float
    """(upper, delta) is proven."""
    lower: float
    """No smaller ε than this holds: for the mechanism, or for every mechanism with this ε."""
    rows: int
    delta: Fraction
    row_epsilon: Epsilon
    """The ε of one row in kept order, for replacing its record by any other."""
    law: RowLaw = field(repr=False)
    rows_per_person: int = 1

    @property
    def reduction(self) -> str:
        """Which proof was used: "clones" for any row with this ε, "responses", "table" or "blocks".

        "responses" uses the labels of k-ary responses as well (variation ratio), "table" all
        probabilities of the row mechanism, "blocks" what reports of a local collection are made of.
        """
        return self.law.reduction

    def delta_at(self, epsilon: Number | Epsilon) -> float:
        """Return a δ for which (ε, δ) holds, the smallest that is proven here."""
        given = Epsilon.of(epsilon)
        low = Fraction(given.bounds(_BITS)[0], 1 << _BITS)
        if self.row_epsilon.times(self.rows_per_person) <= given:
            return 0.0
        aim = max(self.delta, Fraction(1, 10**12)) / 1000
        return min(ceiling_float(delta_above(self.law, self, low, aim)), 1.0)

    def __str__(self) -> str:
        whose = "one record" if self.rows_per_person == 1 else "all records of one person"
        less = f"; no epsilon below {self.lower} holds" if self.lower else ""
        return (
            f"epsilon={self.upper}, delta={show(self.delta)} for replacing {whose}, against "
            f"whoever sees only the {self.rows:,} rows in random order (their number is public"
            f"{less}). Against whoever sees the order: epsilon="
            f"{self.row_epsilon.times(self.rows_per_person)}"
        )

    def __repr__(self) -> str:
        return f"<shuffled: {self}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(str(self))}.</p>"


@public
def shuffled(
    *,
    epsilon: Number | Epsilon | None = None,
    mechanism: Mechanism | None = None,
    rows: int,
    delta: Number,
    rows_per_person: int = 1,
) -> ShuffledGuarantee:
    """Return the ε that remains when rows of an ε-private mechanism come out in random order.

    Every one of `rows` records goes through the same row mechanism, independently, and the results
    are published in a uniformly random order that nobody sees. Give the row mechanism, or only its
    `epsilon` for replacing a record by *any* other: what the mechanism is gives a smaller result.

    Requires: δ of the row mechanism 0; 0 < delta < 1; the number of rows is public.
    Ensures: (upper, delta) holds for replacing one record, or up to `rows_per_person` of them; all
    roundings are outward.
    Source: Balle, Bell, Gascón and Nissim 2019, Lemma 5.3; Feldman, McMillan and Talwar 2023; Wang
    et al. 2023; for several rows of a person Dwork and Roth 2014, Theorem 2.2.
    """
    if (epsilon is None) == (mechanism is None):
        given = "neither was" if epsilon is None else "both were"
        raise ParameterError(f"give epsilon= or mechanism=; {given} given.")
    law = RowLaw(rest=Epsilon.of(epsilon)) if mechanism is None else row_law(mechanism)
    return shuffled_rows(
        law,
        rows=rows,
        delta=delta,
        rows_per_person=rows_per_person,
        known=mechanism is not None,
    )


@lru_cache(maxsize=8)
def shuffled_rows(
    law: RowLaw, *, rows: int, delta: Number, rows_per_person: int = 1, known: bool = True
) -> ShuffledGuarantee:
    """Return the guarantee of rows with this law; see `shuffled`."""
    count, exact, several = _read(rows, delta, rows_per_person)
    most = law.epsilon
    unproven = ShuffledGuarantee(0.0, 0.0, count, exact, most, law, several)
    upper = _settle(unproven)
    looked_at = several == 1 and exact >= _LEAST
    lower = lower_epsilon(law, count, exact, upper, known=known) if looked_at else 0.0
    return ShuffledGuarantee(upper, lower, count, exact, most, law, several)


def _read(rows: int, delta: Number, rows_per_person: int) -> tuple[int, Fraction, int]:
    count = whole_number(rows, name="rows", least=1, most=_MOST_ROWS)
    most = min(count, _MOST_PER_PERSON)
    several = whole_number(rows_per_person, name="rows_per_person", least=1, most=most)
    exact = read_delta(delta)
    if not 0 < exact < 1:
        raise ParameterError(
            f"delta is {show(exact)}; shuffling needs one above 0 and below 1: without it the rows "
            "are as private as in kept order. Well below 1 / number of rows is common, as 1e-9."
        )
    return count, exact, several


def roughly_shuffled_epsilon(
    law: RowLaw, *, rows: int, delta: Number, rows_per_person: int = 1
) -> float:
    """About the ε that `shuffled_rows` will find, for a search; never to be reported."""
    limit, exact = law.epsilon.times(rows_per_person).ceiling(), read_delta(delta)
    if not limit or law.epsilon.ceiling() > _LARGEST or exact < _LEAST:
        return limit
    target = math.log(exact)
    return _crossing(_roughly(law, rows, rows_per_person, target), target, limit)


def holds_shuffled(
    law: RowLaw, *, epsilon: Number | Epsilon, rows: int, delta: Number, rows_per_person: int = 1
) -> bool:
    """Tell whether (ε, δ) is proven for rows with this law: one evaluation, for a search."""
    wanted, exact = Epsilon.of(epsilon), read_delta(delta)
    unproven = ShuffledGuarantee(0.0, 0.0, rows, exact, law.epsilon, law, rows_per_person)
    if law.epsilon.times(rows_per_person) <= wanted:
        return True
    if law.epsilon.ceiling() > _LARGEST or exact < _LEAST:
        return False
    low = Fraction(wanted.bounds(_BITS)[0], 1 << _BITS)
    return delta_above(law, unproven, low, exact) <= exact * (1 - _ROOM)


def delta_above(
    law: RowLaw, guarantee: ShuffledGuarantee, epsilon: Fraction, aim: Fraction
) -> Fraction:
    """Bound δ at ε from above.

    With m rows for each person, ε/m and δ' of one row give ε and δ' (1 + e^(ε/m) + … ) with m
    terms (Dwork and Roth 2014, Theorem 2.2: replace one record after the other).
    """
    one = epsilon / guarantee.rows_per_person
    low, high = exp_bounds(one, _BITS)
    high_power, times = Fraction(high, 1 << _BITS), Fraction(0)
    for _ in range(guarantee.rows_per_person):
        times = Fraction(math.ceil((times * high_power + 1) * (1 << 64)), 1 << 64)
    laws = [gains(atoms, Fraction(low, 1 << _BITS)) for atoms in law.atoms]
    rows, aim = guarantee.rows, aim / times
    return times * mean_gain(laws, rows, aim, natural_step(laws, rows, aim))


def grid_step(guarantee: ShuffledGuarantee, epsilon: Fraction) -> Fraction:
    """Return the step of the grid on which δ at ε is best bounded; any step proves something."""
    power = Fraction(exp_bounds(epsilon / guarantee.rows_per_person, _BITS)[0], 1 << _BITS)
    laws = [gains(atoms, power) for atoms in guarantee.law.atoms]
    return natural_step(laws, guarantee.rows, guarantee.delta)


def _settle(guarantee: ShuffledGuarantee) -> float:
    """Return the least ε of a few digits at which δ is met, as far as doubles find it."""
    law, delta, several = guarantee.law, guarantee.delta, guarantee.rows_per_person
    limit = guarantee.row_epsilon.times(several).ceiling()
    if not limit or guarantee.row_epsilon.ceiling() > _LARGEST or delta < _LEAST:
        return limit
    target = math.log(delta)
    roughly = _roughly(law, guarantee.rows, several, target)
    # Whoever proves it again rounds in other places: that takes some room.
    room = delta * (1 - _ROOM)
    if roughly(0.0) <= target and delta_above(law, guarantee, Fraction(0), delta) <= room:
        return 0.0
    start = _crossing(roughly, target, limit)
    low, high = (0.0, math.inf), (limit, -math.inf)
    candidate = _short(start)
    for _ in range(_MOST_TRIES):
        if not low[0] < candidate < high[0]:
            break
        found = delta_above(law, guarantee, _both(candidate), delta)
        excess = math.log(found / room) if found else -math.inf
        low, high = (low, (candidate, excess)) if excess <= 0 else ((candidate, excess), high)
        if -0.004 < excess <= 0:
            break
        candidate = _short(_between(low, high, roughly))
    return high[0]


def _between(
    low: tuple[float, float], high: tuple[float, float], roughly: Callable[[float], float]
) -> float:
    """Propose the next ε to try between one with too large a δ and one with a small enough one."""
    (left, over), (right, under) = low, high
    if math.isfinite(over) and math.isfinite(under):
        # A line in ln δ, with some room on the safe side.
        part = min(max(over / (over - under) * 1.001, 0.05), 0.95)
        return left + (right - left) * part
    known, excess = low if math.isfinite(over) else high
    slope = (roughly(known * 1.02) - roughly(known)) / (known * 0.02)
    if not -math.inf < slope < 0 or not math.isfinite(excess):
        return (left + right) / 2
    proposed = known - excess / slope * (1.02 if excess > 0 else 1.1)
    return proposed if left < proposed < right else (left + right) / 2


def _roughly(law: RowLaw, rows: int, several: int, target: float) -> Callable[[float], float]:
    """Return a function that tells about ln δ at ε, near the target."""
    laws = _doubles_of(law)

    def log_delta(epsilon: float) -> float:
        times = math.log(sum(math.exp(epsilon * place / several) for place in range(several)))
        return roughly_log_delta(laws, rows, epsilon / several, target - times) + times

    return log_delta


@lru_cache(maxsize=1)
def _doubles_of(law: RowLaw) -> list[Doubles]:
    """Return the law in doubles, kept for the next δ of a search."""
    return in_doubles(law.atoms)


def _crossing(roughly: Callable[[float], float], target: float, limit: float) -> float:
    """About the ε at which ln δ falls to the target; the limit if it does not."""
    low, high = limit / 1024, limit
    if roughly(limit * 0.9999) > target:
        return limit
    while high > low * 1.001:
        middle = math.sqrt(low * high)
        below = roughly(middle) > target
        low, high = (middle, high) if below else (low / (4 if low * 1.1 > middle else 1), middle)
        if high < limit * 1e-9:
            break
    return high


def _short(value: float) -> float:
    """Return a double of a few digits, not below the value but for its last bits."""
    if not value > 0:
        return 0.0
    digits = _DIGITS - 1 - math.floor(math.log10(value))
    return float(f"{math.ceil(value * 10**digits) / 10**digits:.{max(digits, 0)}f}")


def _both(epsilon: float) -> Fraction:
    """Return the smaller of the double and of the decimal that shows it: both are proven."""
    return min(Fraction(epsilon), Fraction(repr(epsilon)))


@public
def epsilon_before_shuffling(
    *, epsilon: Number | Epsilon, rows: int, delta: Number, rows_per_person: int = 1
) -> Fraction:
    """Return the largest ε of a row mechanism that shuffling brings down to the wanted `epsilon`.

    It holds for any row mechanism with that ε for replacing a record by any other; what the
    mechanism is can allow more. It is exact, of four digits and rounded down, and never below
    `epsilon` (per row, if a person has several): shuffling does no harm.
    Ensures: `shuffled(epsilon=result, …).upper` is at most the wanted epsilon.
    """
    wanted = Epsilon.of(epsilon)
    rows, exact, rows_per_person = _read(rows, delta, rows_per_person)
    least = Fraction(wanted.bounds(_BITS)[0], 1 << _BITS) / rows_per_person
    if wanted.ratio is None:
        least = wanted.rational / rows_per_person
    if exact < _LEAST:
        return least
    target, aim = wanted.floor(), math.log(exact)
    low, high = 0.0, min(target + math.log(rows) + 8, float(_LARGEST))
    for _ in range(20):
        middle = (low + high) / 2
        law = RowLaw(rest=Epsilon.of(middle))
        fits = middle * rows_per_person <= target
        fits = fits or _roughly(law, rows, rows_per_person, aim)(target) <= aim
        low, high = (middle, high) if fits else (low, middle)
    for slack in (1.0, 0.999, 0.997, 0.99, 0.97):
        candidate = Fraction(repr(shorten(low * slack)))
        if candidate <= least:
            break
        law = RowLaw(rest=Epsilon(rational=candidate))
        found = shuffled_rows(law, rows=rows, delta=delta, rows_per_person=rows_per_person)
        if Epsilon.of(found.upper) <= wanted:
            return candidate
    return least
