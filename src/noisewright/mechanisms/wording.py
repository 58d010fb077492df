"""Exact numbers as certificates write them."""

from __future__ import annotations

from noisewright.exact import Epsilon, as_text


def number(epsilon: Epsilon | None) -> dict[str, str]:
    """Write ε exactly: a rational, the log of a rational, or infinity for None."""
    if epsilon is None:
        return {"ln": "infinity"}
    if epsilon.ratio is None:
        return {"value": as_text(epsilon.rational)}
    return {"ln": as_text(epsilon.ratio)}
