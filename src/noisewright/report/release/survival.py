"""How likely a true answer comes through, and how far it is moved if it does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import NoisewrightError
from noisewright.estimation import ResponseChannel, channel_of
from noisewright.mechanisms import Additive, Mechanism, Response, SetMechanism, Table


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


def noise_quantile(mechanism: Additive, level: float) -> int:
    """Return the least d for which the noise is within ±d steps with at least this probability."""

    def inside(steps: int) -> float:
        high = float(mechanism.cumulative(steps, 96).high)
        return high - float(mechanism.cumulative(-steps - 1, 96).high)

    high = 1
    while inside(high) < level:
        high *= 2
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if inside(middle) >= level else (middle, high)
    return high
