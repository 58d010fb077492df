"""What a person gives away by many reports: one, those of a day, and those of a lifetime.

**Without a memo** every report is drawn afresh. T reports cost T ε (Dwork, McSherry, Nissim and
Smith 2006), and no less if the value stays the same: for two values, the output whose probabilities
differ most can be drawn T times, and its T-fold probabilities differ by the T-th power.

**With a memo** the answer to each value is drawn once and sent again, so that all that is drawn in
a lifetime are answers to c different values. These cost c ε, however often they are sent. Which
reports are the same and which are not shows when the value changed, and when it came back. So the
promise is about persons whose values change at the same times: neighbors are two persons with other
values but with the same pattern of equal and different ones. A value that never changes costs ε.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from noisewright.certificates import Certificate, certify_collection
from noisewright.errors import ParameterError, TooLargeError
from noisewright.given import quantity, whole_number
from noisewright.local.memo import MemoUse, day_of
from noisewright.mechanisms import Guarantee
from noisewright.public import public_methods

if TYPE_CHECKING:
    from noisewright.local.collection import Collection

_MOST = 10**9
_MOST_CERTIFIED = 1000

_WITH_MEMO = (
    "any two people whose values are equal and different at the same times: the memo does not "
    "hide when a value changes"
)
_WITHOUT = "any two people, whatever their values are and whenever they change"


@public_methods
@dataclass(frozen=True, repr=False)
class Lifetime:
    """What holds for one report, for the reports of a day, and for all of them together.

    `draws` of a lifetime are what is paid for: all reports, or with a memo the answers to different
    values. `neighbors` says between whom it is hard to tell.
    """

    reports: int
    values: int
    memo: bool
    reports_a_day: int
    report: Guarantee
    day: Guarantee
    life: Guarantee
    draws: int
    neighbors: str
    _collection: Collection = field(compare=False)

    def certificate(self) -> Certificate:
        """Return the proof of what holds for life: a certificate with a part for each draw."""
        if self.draws > _MOST_CERTIFIED:
            raise TooLargeError(
                f"a certificate lists each draw, and there are {self.draws:,} (at most "
                f"{_MOST_CERTIFIED:,}). The certificate of one report holds for each of them.",
                size=self.draws,
            )
        parts, one = list(self._collection.parts()), self._collection
        if len(parts) > 1:
            inner = [{"mechanism": found, "claims": own.describe()} for found, own in parts]
            whole: dict[str, Any] = {"form": "collection", "sends": one.sends, "parts": inner}
            parts = [(whole, one.guarantee)]
        return certify_collection(parts * self.draws, sends="all", guarantee=self.life)

    def __repr__(self) -> str:
        kept = (
            f"the answers to {quantity(self.values, 'value')} are kept and sent again"
            if self.memo
            else "each is drawn afresh"
        )
        return (
            f"{quantity(self.reports, 'report')}, {self.reports_a_day:,} a day; {kept}.\n"
            f"  one report: {self.report}\n"
            f"  one day:    {self.day}\n"
            f"  for life:   {self.life}\n"
            f"Neighbors are {self.neighbors}."
        )


@dataclass(frozen=True)
class Spent:
    """What a person has given away so far: `answers` drawn, reports sent `today` and in all.

    `guarantee` holds for all of it together, for persons whose values change at the same times.
    """

    answers: int
    reports: int
    today: int
    guarantee: Guarantee

    def __str__(self) -> str:
        return (
            f"{quantity(self.reports, 'report')} ({self.today:,} today) of "
            f"{quantity(self.answers, 'drawn answer')}: {self.guarantee} so far"
        )


def lifetime_of(
    collection: Collection, reports: Any, values: Any, memo: bool, reports_a_day: Any
) -> Lifetime:
    """Return what so many reports of so many different values cost."""
    require_kept_answers(collection)
    reports = whole_number(reports, name="reports", least=1, most=_MOST)
    values = whole_number(values, name="values", least=1, most=_MOST)
    a_day = whole_number(reports_a_day, name="reports_a_day", least=1, most=_MOST)
    each = collection.guarantee
    daily = min(a_day, reports)
    draws, of_a_day = (min(values, reports), min(values, daily)) if memo else (reports, daily)
    return Lifetime(
        reports=reports,
        values=values,
        memo=memo,
        reports_a_day=a_day,
        report=each,
        day=multiply(each, of_a_day),
        life=multiply(each, draws),
        draws=draws,
        neighbors=_WITH_MEMO if memo else _WITHOUT,
        _collection=collection,
    )


def require_kept_answers(collection: Collection) -> None:
    """Refuse collections whose reports are drawn anew from what a memo keeps."""
    if not collection.keeps_answers:
        raise ParameterError(
            f"{collection!r} draws every report anew, also from what a memo keeps, so that its "
            "cost is not that of kept answers. Ask the collection's own accounting."
        )


def spent_by(use: MemoUse, each: Guarantee) -> Spent:
    """Return what the answers of a memo have cost."""
    today = use.by_day.get(day_of(time.time()), 0)
    return Spent(use.answers, use.reports, today, multiply(each, use.answers))


def multiply(each: Guarantee, count: int) -> Guarantee:
    """Return what holds for so many reports, drawn independently."""
    return Guarantee(each.epsilon.times(count), min(each.delta * count, Fraction(1)))
