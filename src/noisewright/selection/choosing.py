"""What the mechanisms that choose among candidates have in common: arguments, factor, proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict

import numpy as np

from noisewright.errors import InputError, NoisewrightError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number, as_text, exactly
from noisewright.mechanisms.decay import positive_epsilon, require_ratios
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.powers import rounded_rows
from noisewright.mechanisms.qualities import (
    Quality,
    change_of,
    is_one_row,
    read_candidates,
    read_qualities,
    read_sensitivity,
    read_values,
)
from noisewright.mechanisms.table import Table
from noisewright.selection.calibration import factor_for_range
from noisewright.selection.chosen import Law, Selection, below_best, rational_below
from noisewright.selection.largest_factor import Costs, proven_factor
from noisewright.spaces import Categories, Space


class Options(TypedDict, total=False):
    """Arguments that all ways to choose share, by name."""

    epsilon: Number | Epsilon | None
    alpha: Number | None
    sensitivity: Number | None
    monotonic: bool | None
    calibrated: bool


Values = Sequence[Number] | Mapping[Any, Number]
"""One quality for each candidate: a choice for one dataset."""


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


def choice(
    law: Law, candidates: Space | Sequence[Any], quality: Quality, wish: Wish
) -> Table | Selection:
    """Return a table over the inputs, or the choice for one dataset if quality is one row."""
    epsilon = positive_epsilon(wish.epsilon, wish.alpha, instead="Use nw.uniform(space) for that.")
    if wish.space is None and is_one_row(quality):
        return _for_one_dataset(law, candidates, quality, Guarantee(epsilon), wish)
    return _for_all_inputs(law, candidates, quality, Guarantee(epsilon), wish)


def _for_one_dataset(
    law: Law, candidates: Space | Sequence[Any], quality: Quality, claim: Guarantee, wish: Wish
) -> Selection:
    listed = read_candidates(candidates)
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
    law.check([values])
    monotonic = bool(wish.monotonic)
    if wish.quality_range is not None:
        factor = _range_factor(claim.epsilon, values, sensitivity, monotonic, law, wish)
    elif wish.calibrated:
        raise ParameterError(
            "calibrated=True needs to know which qualities are possible: give space= and the "
            "quality of every input, or quality_range=(low, high)."
        )
    else:
        factor = rational_below(claim) / (sensitivity if monotonic else 2 * sensitivity)
    return Selection(listed, values, factor, law, claim)


def _range_factor(
    epsilon: Epsilon,
    values: tuple[Fraction, ...],
    sensitivity: Fraction,
    monotonic: bool,
    law: Law,
    wish: Wish,
) -> Fraction:
    assert wish.quality_range is not None
    if not wish.calibrated or law.name != "exponential mechanism":
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
    return factor_for_range(
        epsilon,
        candidates=len(values),
        width=high - low,
        sensitivity=sensitivity,
        monotonic=monotonic,
    )


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


def _for_all_inputs(
    law: Law, candidates: Space | Sequence[Any], quality: Quality, claim: Guarantee, wish: Wish
) -> Table:
    outputs = candidates if isinstance(candidates, Space) else Categories(candidates)
    if wish.space is None and not isinstance(candidates, Space):
        raise InputError(
            f"{law.name}: is this about one dataset? Then give one number per candidate, such as "
            "[quality(data, candidate) for candidate in candidates], and sensitivity=. Or about "
            "all possible inputs? Then give space=, and quality as a function of (input, "
            "candidate) or a matrix; candidates may be a space if they are the inputs' points."
        )
    if wish.quality_range is not None:
        raise ParameterError("quality_range= is for one dataset; a table shows all qualities.")
    inputs = outputs if wish.space is None else wish.space
    require_tabulable(inputs, outputs, instead="Use fewer inputs or candidates.")
    qualities = read_qualities(quality, inputs, outputs)
    law.check(qualities)
    change = change_of(qualities, inputs)
    if wish.monotonic and change.clash is not None:
        a, b = change.clash
        raise NotPrivateError(
            f"monotonic=True, but between the neighboring inputs with codes {a} and {b} some "
            "qualities rise and others fall. Leave monotonic out."
        )
    sensitivity = read_sensitivity(wish.sensitivity, change, inputs)
    if sensitivity == 0:
        raise ParameterError(
            "the quality is the same for all neighbors, so there is nothing to protect: pick the "
            "best candidate directly, or give sensitivity= if the quality is scaled elsewhere."
        )
    monotonic = change.clash is None if wish.monotonic is None else wish.monotonic
    rational = rational_below(claim)
    factor = rational / (sensitivity if monotonic else 2 * sensitivity)
    least = rational * min(Fraction(1), _nearest(inputs))

    def table_at(scale: Fraction) -> Table:
        exponents = [[q * scale for q in row] for row in qualities]
        weights, bits = rounded_rows(exponents, least, law.masses(scale))
        return Table(inputs, weights, log2_total=bits, outputs=outputs, claim=claim, name=law.name)

    if not wish.calibrated:
        table = table_at(factor)
        require_ratios(table.weights, inputs, claim.epsilon)
        return table
    doubles = np.maximum([below_best(row) for row in qualities], -1e300)
    distinct, place = np.unique(doubles, axis=0, return_inverse=True)
    costs = Costs.between(
        inputs,
        claim.epsilon.floor(),
        place=place.reshape(-1),
        logs=lambda scale: law.logs(distinct, scale),
        depths=law.depths(distinct),
    )
    return proven_factor(
        costs,
        start=float(factor) * (1 - 2.0**-40),
        table_at=table_at,
        holds=lambda table: _holds(table, claim.epsilon),
    )


def _holds(table: Table, epsilon: Epsilon) -> bool:
    try:
        require_ratios(table.weights, table.space, epsilon)
    except NoisewrightError:
        return False
    return True


def _nearest(space: Space) -> Fraction:
    """Return how near the nearest neighbors are, in units of which each allows one ε."""
    if not space.by_distance:
        return Fraction(1)
    pairs = space.neighbor_codes().tolist()
    return Fraction(min((space.neighbor_distance(a, b) for a, b in pairs), default=1))
