"""Guarantees and balances as plain values, which JSON can hold."""

from __future__ import annotations

from typing import Any

from noisewright.exact import as_text, ceiling_float, floor_float
from noisewright.ledger.book import Balance
from noisewright.ledger.totals import epsilon_text
from noisewright.mechanisms import Guarantee


def plain_guarantee(guarantee: Guarantee, *, down: bool = False) -> dict[str, Any]:
    """Return (ε, δ); the double is rounded up, or down for what is left."""
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
        **_plain_amounts(balance),
        "reserved": list(balance.reserved),
        "unit": None
        if balance.unit is None
        else {
            "person": balance.unit.person,
            "rows": balance.unit.rows,
            "change": balance.unit.change,
        },
    }


def _plain_amounts(balance: Balance) -> dict[str, Any]:
    budget = balance.rho
    if budget is None:
        return {
            "granted": plain_guarantee(balance.granted),
            "spent": plain_guarantee(balance.spent),
            "left": plain_guarantee(balance.left, down=True),
        }
    return {
        name: {"rho": rounding(amount.rho), "exact": {"rho": as_text(amount.rho)}}
        for name, amount, rounding in (
            ("granted", budget.granted, ceiling_float),
            ("spent", budget.spent, ceiling_float),
            ("left", budget.left, floor_float),
        )
    }
