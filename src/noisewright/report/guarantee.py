"""What a guarantee means, in words for people who are in the data and people who read it.

e^ε    no result is more than e^ε times as likely with a person's data as with any other data
       in their place (plus δ); so odds between two stories about the person move by at most
       that factor, whoever holds them and whatever else they know about everybody else
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from noisewright.mechanisms import Guarantee
from noisewright.report.markup import (
    Heading,
    Markup,
    bullets,
    joined,
    label,
    paragraph,
    table,
    text,
)

_BELIEFS = (0.001, 0.01, 0.1, 0.5, 0.9)


def factor_text(guarantee: Guarantee) -> str:
    """Return e^ε, rounded up: what is shown is not less than what is given away."""
    epsilon = float(guarantee.epsilon)
    if epsilon > math.log(1e9):
        return "more than a billion"
    factor = math.exp(epsilon)
    digits = 2 if factor < 10 else 1 if factor < 100 else 0
    scale = 10**digits
    return f"{math.ceil(factor * scale * (1 - 1e-12)) / scale:,.{digits}f}"


def epsilon_text(guarantee: Guarantee) -> str:
    """Return ε and δ, as a formula."""
    epsilon = float(guarantee.epsilon)
    shown = str(guarantee.epsilon)
    if len(shown) > 9:
        # Rounded up at the fourth digit, so that it is not less than what is promised.
        digits = max(0, 3 - math.floor(math.log10(epsilon))) if epsilon > 0 else 0
        shown = f"{math.ceil(epsilon * 10**digits - 1e-9) / 10**digits:.{digits}f}"
    formula = f"ε = {shown}" + (f", δ = {delta_text(guarantee)}" if guarantee.delta else "")
    # No line ends inside of it, except between the two.
    return formula.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")


def delta_text(guarantee: Guarantee) -> str:
    """Return δ in a few digits, rounded up."""
    delta = float(guarantee.delta)
    if not delta:
        return "0"
    power = math.floor(math.log10(delta))
    leading = math.ceil(delta / 10.0**power * 100 - 1e-9) / 100
    return f"{leading:g}e{power}" if power < -3 else f"{leading * 10.0**power:.6g}"


def promise(guarantee: Guarantee, *, rows: int) -> Markup:
    """Say the promise in two sentences; `rows` is how many a person may have."""
    whose = "answers" if rows == 1 else f"rows, up to {rows} of them"
    results = "no set of results" if guarantee.delta else "nothing"
    first = (
        f"For each person: {results} that could have been released is more than "
        f"{factor_text(guarantee)} times as likely with that person’s true {whose}, as with any "
        f"other in their place"
    )
    if guarantee.delta:
        first += f", plus a probability of {delta_text(guarantee)}"
    formula = f"({epsilon_text(guarantee)})"
    return Markup(f'<div class="promise">{paragraph(text(f"{first}. {formula}"))}</div>')


def odds(guarantee: Guarantee) -> Markup:
    """Say what that does to a guess, with a table of beliefs before and after.

    With δ > 0 single results may say more than the factor; what remains true is how often the best
    guess between two equally likely possibilities is right: at most (e^ε + δ) / (1 + e^ε).
    """
    start = (
        "Suppose someone knows everything about everybody else, and weighs two possibilities about "
        "you: that you have an illness, say, or that you do not."
    )
    if guarantee.delta:
        best = 1 / (1 + math.exp(-min(float(guarantee.epsilon), 700.0)))
        best += float(guarantee.delta) / (1 + math.exp(min(float(guarantee.epsilon), 700.0)))
        return paragraph(
            text(
                f"{start} If both were equally likely to them before, then with what is published, "
                "used as well as anybody can, they name the right one with a probability of at "
                f"most {_percent(min(best, 1.0), up=True)}; without it, with 50%."
            )
        )
    words = (
        f"{start} Whatever they read in what is published, it moves their odds by a factor of "
        f"at most {factor_text(guarantee)}, up or down."
    )
    factor = math.exp(min(float(guarantee.epsilon), 700.0))
    rows = [
        (
            text(_percent(before)),
            text(_percent(before / (before + (1 - before) * factor), up=False)),
            text(_percent(before * factor / (before * factor + 1 - before), up=True)),
        )
        for before in _BELIEFS
    ]
    headings = (
        Heading(text("before")),
        Heading(text("after, at least"), number=True),
        Heading(text("after, at most"), number=True),
    )
    caption = text("How far anybody’s belief about one person can move")
    return joined([paragraph(text(words)), table(headings, rows, caption=caption, kind="narrow")])


def _percent(share: float, *, up: bool | None = None) -> str:
    """Return a probability in percent; a bound is rounded away from the belief before it."""
    percent = 100 * share
    if up is None:
        return f"{percent:g}%"
    if up and percent > 99.99:
        return "over 99.99%"
    if not up and percent < 0.01:
        return "under 0.01%"
    digits = 2 if percent < 1 or percent > 99 else 1
    rounded = (math.ceil if up else math.floor)(percent * 10**digits) / 10**digits
    return f"{rounded:.{digits}f}%"


def how_strong(guarantee: Guarantee) -> Markup:
    """Say frankly when a factor is large."""
    epsilon = float(guarantee.epsilon)
    if epsilon <= 3:
        return Markup("")
    words = (
        f"A factor of {factor_text(guarantee)} is large. It bounds the worst case: the one "
        "combination of answers in all columns that gives most away, for an attacker who knows all "
        "other rows. What a single column gives away is bounded by its own ε, listed below."
    )
    return Markup(f'<div class="note">{paragraph(text(words))}</div>')


def conditions(
    *,
    public: Sequence[str],
    person: str | None,
    rows: int,
    row_guarantee: Guarantee,
    shuffled: bool,
) -> Markup:
    """Say what the promise takes as known to everybody."""
    items = [text("The number of rows is public.")]
    if person is None:
        items.append(
            text("A person is one row: who stands in several rows gives away that much more.")
        )
    else:
        each = epsilon_text(row_guarantee)
        items.append(
            Markup(
                f"The column {label(person)} says whose row it is. At most {rows:,} "
                f"{'row' if rows == 1 else 'rows'} of a person are released, each with "
                f"{text(each)}; the promise is for all of them together. How many rows, up to "
                f"{rows:,}, a person has is taken as public."
            )
        )
    if public:
        names = ", ".join(str(label(name)) for name in public)
        items.append(
            Markup(
                f"Released as in the input, without protection: {names}. Everybody is taken to "
                "know this already."
            )
        )
    if shuffled:
        items.append(text("Rows were shuffled; their order says nothing about the input."))
    else:
        items.append(text("Rows are in the order of the input: who stood where is taken as known."))
    return bullets(items)


def not_protected() -> Markup:
    """Say what no such promise covers."""
    return bullets(
        text(words)
        for words in (
            "That a person is in the table at all. The promise is about what their answers are.",
            "What is true of groups. If the release shows that most nurses work at night, that "
            "also says something about a nurse who never answered.",
            "What was published elsewhere. Each further release about the same people adds its ε; "
            "a ledger keeps count, if there is one (see the budget below).",
            "Families and groups acting as one: for g people at once the factor is taken to the "
            "power of g.",
            "The original table. It stays as sensitive as it was; nothing here depends on its "
            "being deleted.",
        )
    )
