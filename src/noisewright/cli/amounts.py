"""Guarantees and balances as JSON: doubles for people, exact texts for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noisewright.exact import as_text

if TYPE_CHECKING:
    from noisewright.ledger import Balance
    from noisewright.mechanisms import Guarantee


def plain_guarantee(guarantee: Guarantee, *, down: bool = False) -> dict[str, Any]:
    """Return (ε, δ); the double is rounded up, or down for what is left."""
    from noisewright.ledger.amounts import epsilon_text

    epsilon = guarantee.epsilon
    return {
        "epsilon": epsilon.floor() if down else epsilon.ceiling(),
        "delta": float(guarantee.delta),
        "exact": {"epsilon": epsilon_text(epsilon), "delta": as_text(guarantee.delta)},
    }


def plain_balance(balance: Balance) -> dict[str, Any]:
    """Return what a dataset was granted, what was spent, what is left and what is reserved."""
    return {
        "dataset": balance.dataset,
        "granted": plain_guarantee(balance.granted),
        "spent": plain_guarantee(balance.spent),
        "left": plain_guarantee(balance.left, down=True),
        "reserved": list(balance.reserved),
    }
