"""What a plain count of released values would say, beside the estimate that undoes the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import NoisewrightError
from noisewright.estimation import channel_of, coins_of
from noisewright.mechanisms import SetMechanism
from noisewright.report.drawings.strips import Strip, StripScale
from noisewright.report.numerals import digits_for, number
from noisewright.report.release.columns import KnownAnswer

_MOST_SHOWN = 6


@dataclass(frozen=True)
class PlainCounts:
    """The column in which a plain count errs most, and where; rows are names, strips, numbers."""

    column: str
    axis: str
    scale: StripScale
    rows: tuple[tuple[str, Strip, tuple[str, str]], ...]


def _plain_shares(one: KnownAnswer) -> list[float] | None:
    """Return the shares that a plain count of the released values would give; None if unknown.

    They follow from the unbiased estimate: it was made from them, by a map that can be undone.
    """
    estimate, mechanism = one.estimate, one.mechanism
    if estimate.what != "share" or len(estimate.axes) != 1 or estimate.method != "unbiased":
        return None
    if isinstance(mechanism, SetMechanism):
        coins = coins_of(mechanism)
        return (coins.absent + coins.gap * estimate.values).tolist()
    if isinstance(mechanism, CurveNoise) or estimate.values.size != mechanism.space.size:
        return None
    try:
        channel = channel_of(mechanism)
        if channel.outputs != channel.inputs:
            return None
        return channel.push(estimate.values, 0).tolist()
    except NoisewrightError:
        return None


def find_plain_counts(found: Sequence[KnownAnswer]) -> PlainCounts | None:
    """Return where a plain count would err most, with what it would say and what is estimated."""
    most, chosen = 0.0, None
    for one in found:
        plain = _plain_shares(one)
        if plain is None or one.estimate.withheld.any():
            continue
        apart = float(np.abs(np.asarray(plain) - one.estimate.values).max())
        if apart > most:
            most, chosen = apart, (one, plain)
    if chosen is None:
        return None
    one, plain = chosen
    values = one.estimate.values
    order = np.argsort(-np.abs(np.asarray(plain) - values), kind="stable")[:_MOST_SHOWN]
    places = sorted(order.tolist())
    scale = StripScale.over([*values[places].tolist(), *(plain[place] for place in places)])
    digits = min(digits_for(one.estimate.standard_errors[places].tolist(), percent=True), 2)
    axis = one.estimate.axes[0]
    return PlainCounts(
        one.name,
        str(axis.name),
        scale,
        tuple(
            (
                str(axis.labels[place]),
                scale.strip(float(values[place]), ring=plain[place]),
                (
                    number(plain[place], digits, percent=True),
                    number(float(values[place]), digits, percent=True),
                ),
            )
            for place in places
        ),
    )
