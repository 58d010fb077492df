"""The budget of the people in a release: spent by it, spent before, left."""

from __future__ import annotations

from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee
from noisewright.report.guarantee import delta_text, epsilon_text
from noisewright.report.markup import Heading, Markup, joined, paragraph, table, text

SWATCH = (
    '<svg aria-hidden="true" focusable="false"><rect class="{}" width="100%" height="100%"/></svg>'
)


def budget(
    balance: Balance | None, this: Guarantee, *, accounted: bool, what: str = "release"
) -> Markup:
    """Return the budget as a bar and a table, or say that nobody kept account.

    `this` is what was charged, and `what` is what the page is about.
    """
    if balance is None and accounted:
        words = (
            f"A ledger was debited with {epsilon_text(this)} for each person before any noise was "
            "drawn. What was spent before and what is left, the publisher's ledger knows; it was "
            "not asked when this page was made."
        )
        return paragraph(text(words))
    if balance is None:
        words = (
            f"No ledger kept account of this {what}. What it gives away is stated above, but "
            "whether these people gave away more elsewhere, and how much may still be asked of "
            "them, nobody has on record."
        )
        return Markup(f'<div class="note">{paragraph(text(words))}</div>')
    granted, spent = balance.granted, balance.spent
    before = max(float(spent.epsilon) - float(this.epsilon), 0.0)
    # Rounding puts spends slightly above their sum, which would show as a release that never was.
    before = before if before > 1e-9 * float(spent.epsilon) else 0.0
    left = balance.left.epsilon.floor()
    whole = max(float(granted.epsilon), before + float(this.epsilon))
    parts = [
        ("before", "spent before", before),
        ("now", f"spent by this {what}", float(this.epsilon)),
        ("left", "left", left),
    ]
    return joined(
        [
            paragraph(
                Markup(
                    f"The ledger holds a budget of {text(epsilon_text(granted))} for each of these "
                    f"people{_unit(balance)}. A release is entered before any noise is drawn, and "
                    "nothing is ever given back."
                )
            ),
            _bar(parts, whole),
            _table(balance, this, parts),
            _under_way(balance),
        ]
    )


def _unit(balance: Balance) -> str:
    return "" if balance.unit is None else f" (in this account {text(str(balance.unit))})"


def _bar(parts: list[tuple[str, str, float]], whole: float) -> Markup:
    at, drawn = 0.0, list[str]()
    for kind, _, size in parts:
        share = 100 * size / whole
        drawn.append(f'<rect class="{kind}" x="{at:.3f}%" width="{share:.3f}%" height="100%"/>')
        at += share
    words = ", ".join(f"{name} ε = {size:.4g}" for _, name, size in parts)
    key = "".join(
        f"<li>{SWATCH.format(kind)}{text(name)} <b>{text(f'{size:.4g}')}</b></li>"
        for kind, name, size in parts
    )
    return Markup(
        f'<figure class="budget"><svg role="img" aria-label="{text(words)}"><rect class="track" '
        f'width="100%" height="100%"/>{"".join(drawn)}</svg>\n<ul class="key">{key}</ul></figure>'
    )


def _table(balance: Balance, this: Guarantee, parts: list[tuple[str, str, float]]) -> Markup:
    headings = [Heading(text("")), Heading(text("ε"), number=True)]
    deltas = [
        delta_text(Guarantee(0, max(balance.spent.delta - this.delta, 0))),
        delta_text(this),
        delta_text(balance.left),
    ]
    rows = [[text(name), text(f"{size:.6g}")] for _, name, size in parts]
    rows.append([text("granted in all"), text(f"{float(balance.granted.epsilon):.6g}")])
    if balance.granted.delta or this.delta:
        headings.append(Heading(text("δ"), number=True))
        for row, delta in zip(rows, [*deltas, delta_text(balance.granted)], strict=True):
            row.append(text(delta))
    return table(headings, rows, caption=text("The budget for each person"), kind="narrow")


def _under_way(balance: Balance) -> Markup:
    if not balance.reserved:
        return Markup("")
    count = len(balance.reserved)
    words = (
        f"{count:,} {'spend is' if count == 1 else 'spends are'} under way or "
        f"{'was' if count == 1 else 'were'} left behind by a crash: counted as spent all the same."
    )
    return paragraph(text(words), kind="soft small")
