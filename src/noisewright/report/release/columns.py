"""The part of a page about one column: what was done to it, and what can be said about it now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import NoisewrightError
from noisewright.estimation import Estimate, TypicalError, expected_error, typical_error
from noisewright.mechanisms import Mechanism, marginal
from noisewright.plans import Part
from noisewright.report.guarantee import epsilon_text
from noisewright.report.release.estimates import EstimateBlock, view_estimate
from noisewright.report.release.facts import ReleaseFacts
from noisewright.report.release.pictures import Picture, picture_mechanism, try_to_draw
from noisewright.report.release.treatments import (
    how_cells_were_read,
    mechanism_name,
    space_words,
    survival_words,
    unit_of,
    what_happened,
)
from noisewright.report.texts import digits_for, number
from noisewright.spaces import Subsets

MOST_SECTIONS = 16
"""Columns that get a section of their own; the others share a table, so that a page stays small."""


@dataclass(frozen=True)
class KnownAnswer:
    """An estimate about a column, what released it, and what simulations say of its error."""

    name: str
    mechanism: Mechanism | CurveNoise
    estimate: Estimate
    typical: TypicalError | None


@dataclass(frozen=True)
class ColumnSection:
    """What a page says about one part of a plan."""

    name: str
    happened: str
    picture: Picture | None
    definitions: tuple[tuple[str, str], ...]
    readings: list[tuple[str, str]]
    blocks: tuple[EstimateBlock, ...]


@dataclass(frozen=True)
class ColumnLine:
    """A column that has no section of its own, in one row; `largest` are names with numbers."""

    name: str
    words: tuple[str, str]
    numbers: tuple[str, str]
    largest: tuple[tuple[str, str], ...]


def collect_answers(facts: ReleaseFacts, part: Part) -> Iterator[KnownAnswer]:
    """Yield the estimates about a part: of the whole, and of each of its columns."""
    for name in dict.fromkeys((part.name, *part.columns)):
        estimates = facts.estimates_of(name)
        mechanism = _mechanism_of(part, name)
        if mechanism is None:
            continue
        # Of numbers: which there are, for simulating their mean. The coarser the surer.
        shares = [e for e in estimates if e.what == "share" and len(e.axes) == 1]
        histogram = min(shares, key=lambda e: e.values.size, default=None)
        for estimate in estimates:
            typical = _simulate(mechanism, estimate, histogram, name)
            yield KnownAnswer(name, mechanism, estimate, typical)


def _mechanism_of(part: Part, name: str) -> Mechanism | CurveNoise | None:
    if name == part.name:
        return part.mechanism
    try:
        return marginal(part.mechanism, name)
    except NoisewrightError:
        return None


def _simulate(
    mechanism: Mechanism | CurveNoise, estimate: Estimate, histogram: Estimate | None, name: str
) -> TypicalError | None:
    if estimate.method not in ("unbiased", "planned"):
        return None
    try:
        return typical_error(mechanism, estimate, histogram=histogram, seed=f"report of {name!r}")
    except (NoisewrightError, ValueError, MemoryError):
        return None


def _planned_error(
    mechanism: Mechanism | CurveNoise, rows: int, like: Estimate | None
) -> tuple[str, str] | None:
    """Return the expected standard error by formula: what it is of, and the number.

    It is that of an answer like the given one, from even shares.
    """
    if rows < 1:
        return None
    whom = "people" if like is None or isinstance(mechanism, CurveNoise) else like.about
    of = "mean" if like is not None and like.what == "mean" else None
    try:
        planned: Any = expected_error(mechanism, people=rows, of=of, about=whom)
    except (NoisewrightError, NotImplementedError, MemoryError):
        return None
    typical = _root_mean_square(planned.standard_errors)
    if planned.what == "share":
        return "a share", _with_digits(typical, percent=True)
    return f"the {planned.what}", _with_digits(typical)


def _root_mean_square(errors: Any) -> float:
    return float(np.sqrt(np.mean(np.asarray(errors, dtype=np.float64) ** 2)))


def _with_digits(error: float, *, percent: bool = False) -> str:
    return number(error, digits_for([error], percent=percent), percent=percent)


def view_column(facts: ReleaseFacts, part: Part, found: Sequence[KnownAnswer]) -> ColumnSection:
    """Return the section about one part, with the estimates that were found about it."""
    unit = unit_of(part.space)
    return ColumnSection(
        part.name,
        what_happened(part),
        try_to_draw(lambda: picture_mechanism(part.mechanism, unit=unit)),
        tuple(_definitions(facts, part, found)),
        how_cells_were_read(part),
        tuple(view_estimate(one.estimate, one.typical, about=_caption(one)) for one in found),
    )


def _caption(one: KnownAnswer) -> str:
    whom = "of the released rows" if one.estimate.about == "people" else "of the population"
    what = {"share": "shares", "quantile": "quantiles"}.get(one.estimate.what, one.estimate.what)
    how = {"likelihood": "Most likely", "projected": "Nearest possible"}
    return f"{how.get(one.estimate.method, 'Estimated')} {what} {whom}: {one.name}"


def _definitions(
    facts: ReleaseFacts, part: Part, found: Sequence[KnownAnswer]
) -> Iterator[tuple[str, str]]:
    yield "mechanism", f"{mechanism_name(part)}, {epsilon_text(part.guarantee)}"
    yield "values", space_words(part.space)
    what = "item survives" if isinstance(part.space, Subsets) else "true value survives"
    yield what, survival_words(part.mechanism)
    first = found[0] if found else None
    planned = _planned_error(
        part.mechanism if first is None else first.mechanism,
        facts.rows,
        None if first is None else first.estimate,
    )
    if planned is not None:
        what, size = planned
        yield "expected standard error", f"{size} of {what}, by formula, from {facts.rows:,} rows"
    for one in found:
        if one.typical is not None:
            size = _root_mean_square(one.typical.errors)
            shown = _with_digits(size, percent=one.estimate.what == "share")
            times = one.typical.releases
            yield "typical error", f"{shown}, in {times:,} releases simulated from the estimates"
            break


def view_line(facts: ReleaseFacts, part: Part) -> ColumnLine:
    """Return a column that has no section of its own."""
    like = next((e for n in (part.name, *part.columns) for e in facts.estimates_of(n)), None)
    planned = _planned_error(part.mechanism, facts.rows, like)
    return ColumnLine(
        part.name,
        (mechanism_name(part), space_words(part.space)),
        (survival_words(part.mechanism), "" if planned is None else planned[1]),
        tuple(_largest(facts, part)),
    )


def _largest(facts: ReleaseFacts, part: Part) -> list[tuple[str, str]]:
    """Return the three largest estimates of a column, or what there is in their place."""
    for name in (part.name, *part.columns):
        for estimate in facts.estimates_of(name):
            if estimate.withheld.any():
                return [("withheld:", "the noise hides them")]
            percent = estimate.what == "share"
            if not estimate.axes:
                error = estimate.standard_error
                shown = (
                    number(float(estimate.values), digits_for([error]))
                    if estimate.dates is None
                    else str(estimate.value)
                )
                return [(estimate.what, f"{shown} ± {_with_digits(error)}")]
            if len(estimate.axes) > 1 or not percent:
                continue
            top = estimate.top(3)
            digits = digits_for(top.standard_errors.tolist(), percent=True)
            return [
                (str(one), number(value, digits, percent=True))
                for one, value in zip(top.axes[0].labels, top.values.tolist(), strict=True)
            ]
    return []
