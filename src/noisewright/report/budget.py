"""Parts of a whole along a bar, and the budget of the people in a release: spent, left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from noisewright.exact import floor_float
from noisewright.ledger import Balance, RhoBudget
from noisewright.mechanisms import Guarantee
from noisewright.plans import delta_text
from noisewright.report.guarantee import epsilon_text


@dataclass(frozen=True)
class BarPart:
    """A part of a bar: its color by kind, its name, its size and its place in percent."""

    kind: str
    name: str
    size: str
    start: str
    width: str
    words: str


def lay_out_bar(
    parts: Iterable[tuple[str, str, float, str]], whole: float, *, unit: str = ""
) -> list[BarPart]:
    """Place parts, each (kind, name, amount, amount in words), one after the other along a bar."""
    at, laid = 0.0, list[BarPart]()
    for kind, name, amount, size in parts:
        share = 100 * amount / whole
        words = f"{name} {unit}{size}"
        laid.append(BarPart(kind, name, size, f"{at:.3f}%", f"{share:.3f}%", words))
        at += share
    return laid


@dataclass(frozen=True)
class BudgetView:
    """What a page says of a budget: a bar and the rows of a table; no bar if nobody was asked."""

    charged: str
    bar: tuple[BarPart, ...] = ()
    granted: str = ""
    unit: str = ""
    rows: tuple[tuple[str, str, str], ...] = ()
    has_delta: bool = False
    under_way: int = 0
    symbol: str = "ε"


def view_budget(balance: Balance | None, this: Guarantee, *, what: str = "release") -> BudgetView:
    """Return the budget for a page about a `what`; `this` is what was charged."""
    if balance is None:
        return BudgetView(epsilon_text(this))
    if balance.rho is not None:
        return _view_rho(balance, balance.rho, this)
    granted, spent = balance.granted, balance.spent
    before = max(float(spent.epsilon) - float(this.epsilon), 0.0)
    # Spends add up to their sum and a rounding slack, which would show as a release that never was.
    before = before if before > 1e-9 * float(spent.epsilon) else 0.0
    whole = max(float(granted.epsilon), before + float(this.epsilon))
    parts = [
        ("before", "spent before", before),
        ("now", f"spent by this {what}", float(this.epsilon)),
        ("left", "left", balance.left.epsilon.floor()),
        ("", "granted in all", float(granted.epsilon)),
    ]
    deltas = (
        Guarantee(0, max(spent.delta - this.delta, 0)),
        this,
        balance.left,
        granted,
    )
    return BudgetView(
        epsilon_text(this),
        tuple(lay_out_bar(((*part, f"{part[2]:.4g}") for part in parts[:3]), whole, unit="ε = ")),
        epsilon_text(granted),
        "" if balance.unit is None else str(balance.unit),
        tuple(
            (name, f"{size:.6g}", delta_text(delta))
            for (_, name, size), delta in zip(parts, deltas, strict=True)
        ),
        bool(granted.delta or this.delta),
        len(balance.reserved),
    )


def _view_rho(balance: Balance, budget: RhoBudget, this: Guarantee) -> BudgetView:
    granted, spent = float(budget.granted.rho), float(budget.spent.rho)
    parts = [
        ("before", "spent in all", spent),
        ("left", "left", floor_float(budget.left.rho)),
        ("", "granted in all", granted),
    ]
    whole = max(granted, spent)
    return BudgetView(
        epsilon_text(this),
        tuple(lay_out_bar(((*part, f"{part[2]:.4g}") for part in parts[:2]), whole, unit="ρ = ")),
        f"ρ = {granted:.6g}",
        "" if balance.unit is None else str(balance.unit),
        tuple((name, f"{size:.6g}", "") for _, name, size in parts),
        under_way=len(balance.reserved),
        symbol="ρ",
    )
