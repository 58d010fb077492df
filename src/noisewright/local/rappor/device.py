"""RAPPOR on one device, from uniform integers, in one way that every client shares.

Bits are drawn in order, the first bit first, one integer for each:

    permanent   flipped if the integer below flip_total is below flip
    report      1 if the integer below report_total is below high (permanent bit 1) or low (0)

with the whole numbers of the certificate. A response or a report is written eight bits to a byte,
the first bit lowest, and bits beyond the last are 0.
"""

from __future__ import annotations

from typing import Any, Protocol

from noisewright.local.rappor.mechanism import Rappor


class UniformStream(Protocol):
    """Where a device takes uniform integers from."""

    def below(self, bound: int) -> int:
        """Return a uniform integer from 0 to bound − 1."""
        ...


def draw_permanent(mechanism: Rappor, value: Any, *, cohort: int, stream: UniformStream) -> bytes:
    """Draw the permanent response to a value, which a device keeps and never draws again."""
    coins, places = mechanism.describe(), set(mechanism.positions(value, cohort=cohort))
    flip, total = int(coins["flip"], 16), int(coins["flip_total"], 16)
    found = 0
    for bit in range(mechanism.bits):
        found |= ((bit in places) ^ (stream.below(total) < flip)) << bit
    return found.to_bytes(mechanism.width, "little")


def draw_report(mechanism: Rappor, permanent: bytes, *, stream: UniformStream) -> bytes:
    """Draw a report from the permanent response of a device."""
    coins, kept = mechanism.describe(), int.from_bytes(mechanism.require(permanent), "little")
    low, high, total = (int(coins[name], 16) for name in ("low", "high", "report_total"))
    found = 0
    for bit in range(mechanism.bits):
        found |= (stream.below(total) < (high if kept >> bit & 1 else low)) << bit
    return found.to_bytes(mechanism.width, "little")
