"""Parts of dates in whole numbers: the proleptic Gregorian calendar, from days since 1970.

Years are counted from March, so that the leap day comes last; 400 years, an era, have 146,097 days.
"""

from __future__ import annotations

from noisewright.errors import ParameterError
from noisewright.relations import (
    Node,
    add,
    choose,
    clip,
    compare,
    divide,
    literal,
    modulo,
    multiply,
    subtract,
)
from noisewright.spaces import Dates

_ERA = 146_097
_TO_MARCH_OF_YEAR_0 = 719_468
_MONTHS_TO_1970 = 1970 * 12


def year_node(steps: Node, dates: Dates) -> Node:
    """Return the year of a step since 1970."""
    if dates.every == "year":
        return add(steps, literal(1970))
    if dates.every == "month":
        return divide(add(steps, literal(_MONTHS_TO_1970)), 12)
    days = _days(steps, dates)
    year, month = _from_march(days)
    after = choose(compare("at most", month, literal(2)), literal(1), literal(0))
    first, last = (int(str(dates.show(end))[:4]) for end in (steps.low, steps.high))
    return clip(add(year, after), first, last)


def month_node(steps: Node, dates: Dates) -> Node:
    """Return the month of a step since 1970, 1 to 12."""
    if dates.every == "year":
        raise ParameterError("dates in steps of a year have no months.")
    if dates.every == "month":
        return add(modulo(add(steps, literal(_MONTHS_TO_1970)), 12), literal(1))
    return _from_march(_days(steps, dates))[1]


def weekday_node(steps: Node, dates: Dates) -> Node:
    """Return the day of the week of a step since 1970, from 1 for Monday to 7."""
    if dates.every in ("year", "month", "week"):
        raise ParameterError(f"dates in steps of a {dates.every} have no days of the week.")
    # 1970 began on a Thursday.
    return add(modulo(add(_days(steps, dates), literal(3)), 7), literal(1))


def _days(steps: Node, dates: Dates) -> Node:
    """Return days since 1970."""
    if dates.every == "week":
        return subtract(multiply(steps, literal(7)), literal(3))
    per_day = {"day": 1, "hour": 24, "minute": 24 * 60}[dates.every]
    return steps if per_day == 1 else divide(steps, per_day)


def _from_march(days: Node) -> tuple[Node, Node]:
    """Return the year that began in the March before a day, and the month, 1 to 12."""
    shifted = add(days, literal(_TO_MARCH_OF_YEAR_0))
    era, day = divide(shifted, _ERA), modulo(shifted, _ERA)
    leap = subtract(divide(day, 1460), divide(day, 36_524))
    corrected = subtract(subtract(day, leap), divide(day, _ERA - 1))
    year = clip(divide(corrected, 365), 0, 399)
    begun = add(multiply(year, literal(365)), subtract(divide(year, 4), divide(year, 100)))
    of_year = clip(subtract(day, begun), 0, 365)
    place = divide(add(multiply(of_year, literal(5)), literal(2)), 153)
    month = modulo(add(place, literal(2)), 12)
    return add(year, multiply(era, literal(400))), add(month, literal(1))
