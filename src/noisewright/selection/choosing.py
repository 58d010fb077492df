"""What the mechanisms that choose among candidates have in common: arguments, factor, proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypedDict

from noisewright.errors import InputError, ParameterError
from noisewright.exact import Epsilon, Number, as_text, exactly
from noisewright.given import flag
from noisewright.mechanisms import (
    Guarantee,
    Quality,
    Table,
    is_one_row,
    positive_epsilon,
    read_candidates,
    read_values,
)
from noisewright.selection.all_inputs import AllInputs
from noisewright.selection.calibration import factor_for_range
from noisewright.selection.certificate import EXPONENTIAL, QualitySensitivity
from noisewright.selection.chosen import Law, Selection, rational_below
from noisewright.spaces import Space


class Options(TypedDict, total=False):
    """Arguments that all ways to choose share, by name."""

    epsilon: Number | Epsilon | None
    alpha: Number | None
    sensitivity: Number | None
    monotonic: bool | None
    calibrated: bool


Values = Sequence[Number] | Mapping[Any, Number] | Callable[[Any], Number]
"""One quality for each candidate, or a function of it: a choice for one dataset."""


@dataclass(frozen=True)
class Wish:
    """What the caller said besides candidates and quality."""

    epsilon: Number | Epsilon | None
    alpha: Number | None
    sensitivity: Number | None
    space: Space | None
    monotonic: bool | None
    calibrated: bool
    quality_range: tuple[Number, Number] | None
    places: tuple[int, ...] | None = None
    """Which candidates have a weight above 0 in a base measure; None where all of them count."""


def choice(
    law: Law, candidates: Space | Sequence[Any], quality: Quality, wish: Wish
) -> Table | Selection:
    """Return a table over the inputs, or the choice for one dataset if quality is one row."""
    flag(wish.calibrated, name="calibrated")
    if wish.monotonic is not None:
        flag(wish.monotonic, name="monotonic")
    given = candidates if isinstance(candidates, Space) else read_candidates(candidates, quality)
    one_dataset = wish.space is None and is_one_row(quality)
    instead = (
        "Any candidate does as well then: take one without looking at the data."
        if one_dataset
        else "Use nw.uniform(space) for that."
    )
    epsilon = positive_epsilon(wish.epsilon, wish.alpha, instead=instead)
    if one_dataset:
        listed = read_candidates(given, quality)
        return _for_one_dataset(law, listed, quality, Guarantee(epsilon), wish)
    if wish.quality_range is not None:
        raise ParameterError("quality_range= is for one dataset; a table shows all qualities.")
    known = AllInputs.read(
        law,
        given,
        quality,
        space=wish.space,
        sensitivity=wish.sensitivity,
        monotonic=wish.monotonic,
        places=wish.places,
    )
    claim = Guarantee(epsilon)
    return known.calibrate(claim) if wish.calibrated else known.table(claim)


def _for_one_dataset(
    law: Law, listed: tuple[Any, ...], quality: Quality, claim: Guarantee, wish: Wish
) -> Selection:
    if wish.sensitivity is None:
        raise ParameterError(
            "sensitivity is missing: by how much can one person change the quality of a candidate? "
            "It cannot be seen in one dataset. Or give space= and the quality of every input, "
            "from which it is computed."
        )
    sensitivity = exactly(wish.sensitivity, name="sensitivity")
    if sensitivity <= 0:
        raise ParameterError(f"sensitivity is {wish.sensitivity}; it must be positive.")
    values = read_values(quality, listed)
    if wish.places is not None:
        listed = tuple(listed[place] for place in wish.places)
        values = tuple(values[place] for place in wish.places)
    law.check([values])
    known = QualitySensitivity(sensitivity, bool(wish.monotonic))
    if wish.quality_range is not None:
        known = replace(known, width=_range_width(values, law, wish))
        factor = factor_for_range(claim.epsilon, known, candidates=law.least_share(len(values)))
    elif wish.calibrated:
        raise ParameterError(
            "calibrated=True needs to know which qualities are possible: give space= and the "
            "quality of every input, or quality_range=(low, high)."
        )
    else:
        factor = rational_below(claim) / known.spread
    return Selection(listed, values, factor, law, claim, known)


def _range_width(values: Sequence[Fraction], law: Law, wish: Wish) -> Fraction:
    assert wish.quality_range is not None
    if not wish.calibrated or law.describe() != EXPONENTIAL:
        raise ParameterError(
            "quality_range= goes with nw.exponential(…, calibrated=True). Permute and flip and "
            "noisy max spend all of epsilon in a range of twice the sensitivity already."
        )
    low, high = _read_range(wish.quality_range)
    if min(values) < low or max(values) > high:
        raise InputError(
            "a quality lies outside of quality_range. The range is a promise about every possible "
            "dataset: widen it, or clamp the quality."
        )
    if len(values) < 2:
        raise InputError("calibration needs at least two candidates.")
    return high - low


def _read_range(given: Any) -> tuple[Fraction, Fraction]:
    try:
        low, high = (exactly(end, name="quality_range") for end in given)
    except (TypeError, ValueError):
        raise ParameterError(
            "quality_range must be two numbers, (low, high), between which every possible quality "
            "of every candidate lies."
        ) from None
    if low >= high:
        raise ParameterError(
            f"quality_range is ({as_text(low)}, {as_text(high)}); low must be below high."
        )
    return low, high
