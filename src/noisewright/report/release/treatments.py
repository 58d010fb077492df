"""What was done to a column, in plain words, and how likely a true answer comes through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import NoisewrightError
from noisewright.estimation import AFTER, ResponseChannel, channel_of
from noisewright.given import amount
from noisewright.mechanisms import Additive, Mechanism, Response, SetMechanism, Table
from noisewright.plans import Part, column_readings
from noisewright.report.texts import percent
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Records, Space, Subsets

_NAMES = {
    "response": "randomized response",
    "geometric": "geometric noise",
    "laplace": "Laplace noise",
    "staircase": "staircase noise",
    "per_item": "two coins for each item",
    "curve_noise": "noise on curves",
    "design": "a mechanism designed for it",
}


def mechanism_name(part: Part) -> str:
    """Return what the mechanism of a part is called."""
    if part.is_joint:
        return "randomized response, together"
    chosen = part.treatments[0].mechanism
    return "a mechanism of the publisher's own" if isinstance(chosen, Mechanism) else _NAMES[chosen]


def space_words(space: Space) -> str:
    """Say what the values of a column can be."""
    match space:
        case Categories():
            return f"{amount(space.size)} labels"
        case Counts():
            return f"whole numbers from 0 to {space.n:,}"
        case Dates():
            return f"{space.every}s from {space.show(space.low)} to {space.show(space.high)}"
        case Interval():
            low, high, step = (float(end) for end in (space.low, space.high, space.step))
            return f"numbers from {low:,g} to {high:,g} in steps of {step:g}"
        case Subsets():
            most = f", at most {space.most:,} in a set" if space.most < len(space.items) else ""
            return f"sets of {len(space.items):,} items{most}"
        case Curves():
            low, high = float(space.low), float(space.high)
            return f"curves at {len(space.grid):,} positions, from {low:,g} to {high:,g}"
        case Records():
            return f"{amount(space.size)} combinations"
        case _:
            return f"{amount(space.size)} values"


def unit_of(space: Space) -> str:
    """Return what one value is called on an axis."""
    return "count" if isinstance(space, Counts) else "value"


def survival_words(mechanism: Mechanism | CurveNoise) -> str:
    """Say in a few words how likely a true value comes through."""
    kept = survives(mechanism)
    if kept is None:
        return "never exactly" if isinstance(mechanism, CurveNoise) else "moved by noise"
    least, most = kept
    if percent(least) == percent(most):
        return percent(least)
    return f"{percent(least)} to {percent(most)}"


def what_happened(part: Part) -> str:
    """Say in two or three sentences what was done to the values of a part."""
    mechanism = part.mechanism
    if isinstance(mechanism, SetMechanism):
        return (
            "Each set was rebuilt item by item: an item in it was kept with probability "
            f"{percent(float(mechanism.present))}, one not in it was added with probability "
            f"{percent(float(mechanism.absent))}. Many such sets together show how common each "
            "item is."
        )
    if isinstance(mechanism, CurveNoise):
        return (
            "Noise was added to every curve, drawn anew for each. In the mean of many curves most "
            "of it cancels."
        )
    alike = truth_shares(mechanism)
    if alike is not None:
        what = "combination of values" if part.is_joint else "value"
        return (
            f"Each {what} was published as it is with probability {percent(alike.truth)}; "
            f"otherwise another of the {alike.points:,} was published, each with probability "
            f"{percent(alike.other)}. Nobody can tell for certain which of the two happened in "
            "any given row."
        )
    if isinstance(mechanism, Additive):
        return "Noise was added to every number, drawn anew for each row."
    if part.treatments[0].mechanism == "geometric":
        return "Whole-number noise was added to every count, and kept inside its range."
    return "Each value was replaced by one drawn from the row of probabilities that belongs to it."


def how_cells_were_read(part: Part) -> list[tuple[str, str]]:
    """Say how empty, undeclared and outlying cells were counted; of several columns, in which."""
    found = [
        (name if part.is_joint else "", words)
        for name, column in zip(part.columns, part.treatments, strict=True)
        for words in column_readings(column)
    ]
    return [*found, ("", AFTER)] if found else []


@dataclass(frozen=True)
class ResponseShares:
    """Values that are all treated alike: P(the truth), P(each other value), how many there are."""

    truth: float
    other: float
    points: int


def truth_shares(mechanism: Mechanism | CurveNoise) -> ResponseShares | None:
    """Return the two probabilities of a randomized response; None for other mechanisms."""
    if not isinstance(mechanism, (Response, Table)):
        return None
    try:
        channel = channel_of(mechanism)
    except NoisewrightError:
        return None
    if not isinstance(channel, ResponseChannel):
        return None
    return ResponseShares(channel.truth, channel.other, channel.inputs)


def survives(mechanism: Mechanism | CurveNoise) -> tuple[float, float] | None:
    """Return the least and the largest probability that a value is published unchanged.

    None when outputs are not inputs, and for curves, which never are.
    """
    if isinstance(mechanism, SetMechanism):
        return float(mechanism.present), float(mechanism.present)
    alike = truth_shares(mechanism)
    if alike is not None:
        return alike.truth, alike.truth
    if isinstance(mechanism, Table) and mechanism.outputs.describe() == mechanism.space.describe():
        kept = [int(weight) / mechanism.total for weight in np.diagonal(mechanism.weights).tolist()]
        return min(kept), max(kept)
    return None
