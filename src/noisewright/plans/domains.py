"""From what a codebook says about a column to the space of its values."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.errors import InputError, NoisewrightError
from noisewright.exact import as_text, exactly
from noisewright.plans.codebook import CodebookEntry
from noisewright.plans.fields import NamedType
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Space, Subsets

_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")
_FALSE, _TRUE = ("false", "no", "0"), ("true", "yes", "1")


@dataclass(frozen=True)
class Domain:
    """A space, and what was decided about it that the codebook did not say."""

    space: Space
    off_grid: str = "error"
    null: Any = None
    other: Any = None
    remark: str = ""


def domain_of(entry: CodebookEntry | None, field: NamedType) -> Domain | None:
    """Return the space of a column, or nothing when too little was declared.

    Booleans need no declaration. Whole numbers lie on a grid of 1; other numbers without a step
    get a decimal grid of 100 to 1,000 steps and are rounded to it.
    """
    kind = entry.kind if entry is not None else ""
    if kind == "boolean" or (field.type == "boolean" and (entry is None or not entry.labels)):
        return Domain(Categories([False, True]))
    if entry is None:
        return None
    if entry.labels:
        return _listed_domain(entry, field)
    if entry.low is None or entry.high is None:
        if entry.low is not None or entry.high is not None:
            missing = "high" if entry.high is None else "low"
            return _nothing(entry, field, f"it has no {missing}")
        return None
    if entry.kind == "dates" or field.type == "date" or _DATE.match(str(entry.low)):
        return _dates(entry, field)
    return _numbers(entry, field)


def _nothing(entry: CodebookEntry, field: NamedType, why: str) -> None:
    if entry.kind:
        raise InputError(f"{entry.where} calls {field.name!r} {entry.kind}, but {why}.")


def _listed_domain(entry: CodebookEntry, field: NamedType) -> Domain:
    labels = tuple(_label(label, entry, field) for label in entry.labels)
    null = None if entry.null is None else _label(entry.null, entry, field)
    other = None if entry.other is None else _label(entry.other, entry, field)
    is_set = entry.kind == "" and entry.largest is not None
    if is_set or entry.kind == "subsets" or field.type.startswith("list"):
        return Domain(Subsets(labels, largest=entry.largest))
    return Domain(Categories(labels), null=null, other=other)


def _label(label: Any, entry: CodebookEntry, field: NamedType) -> Any:
    """Return a label as a value of the column's type; CSV writes all of them as text."""
    try:
        if field.type == "whole":
            return int(label)
        if field.type in ("number", "list of numbers"):
            return float(label)
    except (TypeError, ValueError):
        raise InputError(
            f"{entry.where}: {label!r} is a label of {field.name!r}, whose values are numbers "
            f"({field.written})."
        ) from None
    if field.type == "boolean":
        word = str(label).lower()
        if word not in _FALSE + _TRUE:
            raise InputError(
                f"{entry.where}: {label!r} is a label of {field.name!r}, whose values are true and "
                "false. Booleans need no labels."
            )
        return word in _TRUE
    return str(label) if field.type in ("text", "list of text") else label


def _dates(entry: CodebookEntry, field: NamedType) -> Domain:
    step, remark = entry.step, ""
    if step is None:
        step, remark = "day", "step day was chosen; a coarser step gives smaller errors"
    try:
        dates = Dates(entry.low, entry.high, step=step)
    except NoisewrightError as problem:
        raise InputError(f"{entry.where}, dates of {field.name!r}: {problem}") from None
    return Domain(dates, null=entry.null, remark=remark)


def _numbers(entry: CodebookEntry, field: NamedType) -> Domain:
    low = exactly(str(entry.low), name=f"low of {field.name!r}")
    high = exactly(str(entry.high), name=f"high of {field.name!r}")
    if not low < high:
        raise InputError(
            f"{entry.where}: {field.name!r} reaches from {entry.low} to {entry.high}; low must be "
            "below high."
        )
    null = None if entry.null is None else float(exactly(str(entry.null), name="null"))
    if entry.kind == "curves" or field.type == "list of numbers":
        return _curves(entry, field, low, high)
    if entry.step is not None:
        step, remark = exactly(entry.step, name=f"step of {field.name!r}"), ""
    elif field.type == "whole" or entry.kind == "counts":
        step, remark = Fraction(1), ""
    else:
        step = decimal_step(low, high)
        remark = f"step {as_text(step)} was chosen from the bounds; values are rounded to it"
    off_grid = "round" if remark else "error"
    plain = low == 0 and step == 1 and high.denominator == 1 and not remark
    if plain and entry.kind in ("", "counts"):
        whole = None if null is None else int(null)
        return Domain(Counts(int(high), neighbors="replace"), null=whole)
    numbers = Interval(as_text(low), as_text(high), step=as_text(step))
    return Domain(numbers, off_grid, null, remark=remark)


def _curves(entry: CodebookEntry, field: NamedType, low: Fraction, high: Fraction) -> Domain:
    if entry.positions is None:
        raise InputError(
            f"{entry.where}: {field.name!r} is a list of numbers; give the number of its values "
            "as positions (or minItems = maxItems)."
        )
    return Domain(
        Curves(range(entry.positions), low=as_text(low), high=as_text(high), step=entry.step)
    )


def decimal_step(low: Fraction, high: Fraction) -> Fraction:
    """Return a step of 1, 2 or 5 times a power of ten that makes 100 to 1,000 steps, if it can."""
    width = high - low
    power = math.floor(math.log10(width)) - 2
    for factor in (1, 2, 5):
        step = factor * Fraction(10) ** power
        if width % step == 0:
            return step
    return width / 100
