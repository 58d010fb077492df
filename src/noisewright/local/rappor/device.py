"""RAPPOR on one device, from uniform integers, in one way that every client shares.

Bits are drawn in order, the first bit first, one integer for each:

    permanent   flipped if the integer below flip_total is below flip
    report      1 if the integer below report_total is below high (permanent bit 1) or low (0)

with the whole numbers of the certificate. A response or a report is written eight bits to a byte,
the first bit lowest, and bits beyond the last are 0.
"""

from __future__ import annotations

from collections.abc import Iterable

from noisewright.local.families.family import ByteStream
from noisewright.local.rappor.mechanism import Rappor


def draw_permanent(mechanism: Rappor, positions: Iterable[int], *, stream: ByteStream) -> bytes:
    """Draw the permanent response to a value, which a device keeps and never draws again.

    Requires: the `positions` of the value in the cohort of the device.
    """
    coins, places = mechanism.describe(), set(positions)
    flip, total = int(coins["flip"], 16), int(coins["flip_total"], 16)
    found = 0
    for bit in range(mechanism.bits):
        found |= ((bit in places) ^ (stream.below(total) < flip)) << bit
    return found.to_bytes(mechanism.width, "little")


def draw_report(mechanism: Rappor, permanent: bytes, *, stream: ByteStream) -> bytes:
    """Draw a report from the permanent response of a device."""
    coins, kept = mechanism.describe(), int.from_bytes(mechanism.require(permanent), "little")
    low, high, total = (int(coins[name], 16) for name in ("low", "high", "report_total"))
    found = 0
    for bit in range(mechanism.bits):
        found |= (stream.below(total) < (high if kept >> bit & 1 else low)) << bit
    return found.to_bytes(mechanism.width, "little")
