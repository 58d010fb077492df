"""Amounts that are typed, read exactly; and guarantees and balances as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from noisewright.errors import InputError, ParameterError
from noisewright.exact import as_text, exactly

if TYPE_CHECKING:
    from noisewright.ledger import Balance
    from noisewright.mechanisms import Guarantee


def number_option(text: str | None, *, option: str) -> Fraction | None:
    """Read a number that was typed for an option, exactly; nothing stays nothing."""
    if text is None:
        return None
    try:
        return exactly(text, name=option)
    except ParameterError:
        raise InputError(
            f"{option} is {text!r}; write a number, such as 1, 0.1, 1e-9 or 1/3."
        ) from None


def plain_guarantee(guarantee: Guarantee, *, down: bool = False) -> dict[str, Any]:
    """Return (ε, δ); the double is rounded up, or down for what is left."""
    from noisewright.ledger import epsilon_text

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
        "unit": None
        if balance.unit is None
        else {"person": balance.unit.person, "rows": balance.unit.rows},
    }
