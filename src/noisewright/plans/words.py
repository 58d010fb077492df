"""A plan in plain sentences: what leaves, what it promises, what it will look like.

The promise in words is the exact one. For (ε, δ) and two rows that are equally likely beforehand,
nobody guesses which of them a person has with a probability above (e^ε + δ)/(1 + e^ε): the sum of
the two errors of any test is at least 2(1 − δ)/(1 + e^ε) (Kairouz, Oh and Viswanath 2017).
"""

from __future__ import annotations

import math
from fractions import Fraction

from noisewright.exact import show
from noisewright.mechanisms import Guarantee, Mechanism
from noisewright.plans.column import Column
from noisewright.plans.outlook import outlook_of, planned_error
from noisewright.plans.parts import Part
from noisewright.plans.plan import Plan
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Space, Subsets


def plan_words(plan: Plan, *, rows: int | None = None) -> tuple[str, ...]:
    """Return the plan in paragraphs: the promise, each part, then what the promise is not about."""
    parts = [part_words(part, rows=rows) for part in plan.parts]
    return (promise_words(plan), *_shares_words(plan), *parts, *table_words(plan))


def promise_words(plan: Plan) -> str:
    """Return what each person is promised, in plain language."""
    whole, rows = plan.guarantee, plan.rows_per_person
    where = "" if rows == 1 else f" of all their released rows (at most {rows:,})"
    results = "any set of results" if whole.delta else "whatever comes out"
    said = [
        f"Each person gives away at most {amounts(whole)}, in all columns{where} together.",
        f"In words: {results} is at most {_factor(whole)} times as likely"
        f"{_plus(whole)} with this person's data as with any other data in their place.",
        "Someone who knows everybody else's data, and that this person's are one of two equally "
        f"likely possibilities, guesses which one with a probability of at most {_guess(whole)}; "
        "without the release it is 0.5.",
    ]
    if rows > 1:
        said.append(f"Each row gives away {amounts(plan.row_guarantee)}, and they add up.")
    return " ".join(said)


def _shares_words(plan: Plan) -> tuple[str, ...]:
    if plan.shares != "best":
        return ()
    wanted = tuple(" × ".join(one.of) for one in plan.estimates) or plan.private
    return (
        "The budget is divided among the columns for the least error of estimates of "
        f"{_list_names(wanted)}, planned without looking at data.",
    )


def part_words(part: Part, *, rows: int | None = None) -> str:
    """Return what happens to the columns of one part, and what answers will look like."""
    said = [f"{_spaces(part)}: {_noise_words(part)}"]
    said.append(f"This gives away {amounts(part.guarantee)}.")
    for name, column in zip(part.columns, part.treatments, strict=True):
        said += _cells(name if part.is_joint else "", column)
    if rows is not None:
        for name in part.columns:
            said += _error_words(part, name, rows)
    return " ".join(said)


def table_words(plan: Plan) -> tuple[str, ...]:
    """Return what is released besides, and what the promise is not about."""
    said: list[str] = []
    if plan.public:
        said.append(
            f"Released as they are, because everybody is taken to know them: "
            f"{_list_names(plan.public)}. The promise does not cover them."
        )
    if plan.dropped:
        said.append(f"Not released: {_list_names(plan.dropped)}.")
    if plan.others == "drop":
        said.append("Columns that the plan does not name are not released.")
    else:
        said.append("A column that the plan does not name is an error.")
    said += [_person_words(plan), _order_words(plan)]
    said.append(
        "The promise is about what a person's data are, not about whether there are any. The "
        "number of rows counts as known, and so does this plan, with all names and labels in it. "
        "What is true of people in general, and so of this person too, can be learned from the "
        "release; that is what it is for."
    )
    return tuple(said)


def _person_words(plan: Plan) -> str:
    person = plan.person
    if person is None:
        return (
            "Each row is taken to be another person. If one person may have several rows, each "
            "of them gives away as much again; name the column that identifies the person "
            "([person] in the plan)."
        )
    which = "the first ones" if person.keep == "first" else "drawn at random"
    return (
        f"{person.column} identifies the person of each row. Of each at most {person.rows:,} "
        f"row{'s' * (person.rows > 1)} are released, {which}; how many rows a person has, up to "
        "that, counts as known."
    )


def _order_words(plan: Plan) -> str:
    if plan.order == "shuffled":
        return "Rows are shuffled, so that their place says nothing."
    return (
        "Rows keep their order, so the place of a row is released: if it says something about "
        "people (who came when), let the plan shuffle them."
    )


def _noise_words(part: Part) -> str:
    outlook = outlook_of(part)
    if outlook.kept is not None and outlook.added is not None:
        return (
            f"an item that is in the set stays with probability {_probability(outlook.kept)}, and "
            f"one that is not appears with probability {_probability(outlook.added)}."
        )
    if outlook.noise is not None:
        return (
            f"noise with a standard deviation of {about(outlook.noise)} is added at each position "
            "of each curve."
        )
    said: list[str] = []
    if outlook.truth is not None:
        low = _probability(outlook.truth[0], outlook.wrong)
        high = low if outlook.truth[0] == outlook.truth[1] else _probability(outlook.truth[1])
        what = "combination" if part.is_joint else "value"
        said.append(
            f"the true {what} is released with probability {low}"
            + ("" if low == high else f" to {high}, depending on what it is")
        )
        if low == high and outlook.off is None and outlook.wrong is not None:
            others = part.space.size - 1
            each = outlook.wrong / others
            other = f"the other {what}" if others == 1 else f"each of the {others:,} other {what}s"
            said[0] += f", {other} with probability {_probability(each)}"
    if outlook.off is not None:
        what = "date" if isinstance(part.space, Dates) else "number"
        unit = "" if part.is_joint else _unit(part, part.name)
        said.append(f"a released {what} is off by {about(outlook.off)}{unit} on average")
    if not said:
        return f"by a mechanism of its own, {part.mechanism!r}."
    return "; ".join(said) + "."


def _cells(name: str, column: Column) -> list[str]:
    """Return what happens to cells that are no points: empty, undeclared, out of bounds."""
    of = f" of {name}" if name else ""
    said: list[str] = []
    if column.null is None:
        said.append(f"Empty cells{of} are errors.")
    else:
        null = list(column.null) if isinstance(column.null, tuple) else column.null
        # Of labels, those of another kind are undeclared ones.
        kind = "" if isinstance(column.space, Categories) else ", and cells of another kind,"
        said.append(f"Empty cells{of}{kind} count as {null!r}.")
    space = column.space
    if isinstance(space, Categories):
        if column.other is None:
            said.append(f"Labels{of} that were not declared are errors.")
        else:
            said.append(f"Labels{of} that were not declared count as {column.other!r}.")
    elif isinstance(space, Subsets):
        verb = "are errors" if column.other is None else f"count as {column.other!r}"
        said.append(f"Items{of} that were not declared {verb}.")
        if column.outside == "sample":
            said.append(f"Of a set{of} with more items a random part counts.")
        elif space.largest is not None:
            said.append(f"Sets{of} with more items are errors.")
    else:
        clamps = column.outside == "clamp"
        verb = "are moved to the nearer one" if clamps else "are errors"
        what = "Dates" if isinstance(space, Dates) else "Numbers"
        said.append(f"{what}{of} beyond the bounds {verb}.")
        if isinstance(space, Counts) and clamps:
            said.append(f"Numbers{of} that are not whole are moved to the nearest that is.")
        if column.off_grid == "round":
            said.append(f"Numbers{of} between two steps are rounded.")
    return said


def _error_words(part: Part, name: str, rows: int) -> list[str]:
    planned = planned_error(part, name, rows=rows)
    if planned is None:
        return []
    of = f" of {name}" if part.is_joint else ""
    points = f"{about(100 * planned.error)} percentage points"
    what, error = {
        "shares": (f"the share of a value{of}", points),
        "items": ("the share of people with an item", points),
        "mean": (f"the mean{of}", f"{about(planned.error)}{_unit(part, name)}"),
        "curve": ("the mean curve", f"{about(planned.error)} at each position"),
    }[planned.question]
    useless = planned.says_little
    said = (
        f"From {rows:,} released rows, {what} can be estimated with a standard error of about "
        f"{error}"
    )
    return [
        said
        + (
            ", which says little or nothing: you need more rows or a larger epsilon." * useless
            or "."
        )
    ]


def _unit(part: Part, name: str) -> str:
    """Return what distances of a column count, where that is not plain numbers."""
    space = part.treatments[part.columns.index(name)].space
    return f" {space.every}s" if isinstance(space, Dates) else ""


def _a(word: str) -> str:
    return f"an {word}" if word == "hour" else f"a {word}"


def _spaces(part: Part) -> str:
    columns = zip(part.columns, part.treatments, strict=True)
    each = tuple(f"{name} ({space_words(column.space)})" for name, column in columns)
    if not part.is_joint:
        return each[0]
    return f"{_list_names(each)}, drawn together as one of {part.space.size:,} combinations"


def space_words(space: Space) -> str:
    """Return what a value can be: "one of 5 labels", "a number from 0 to 100 in steps of 1"."""
    if isinstance(space, Categories):
        if space.size <= 3:
            return _list_names(tuple(map(str, space.labels)), "or")
        return f"one of {space.size:,} labels"
    if isinstance(space, Counts):
        return f"a whole number from 0 to {space.n:,}"
    if isinstance(space, Dates):
        return f"{_a(space.every)} from {space.show(space.low)} to {space.show(space.high)}"
    if isinstance(space, Interval):
        low, high, step = (_plain(value) for value in (space.low, space.high, space.step))
        return f"a number from {low} to {high} in steps of {step}"
    if isinstance(space, Subsets):
        bound = "" if space.largest is None else f"at most {space.largest:,} of "
        return f"a set of {bound}{len(space.items):,} items"
    if isinstance(space, Curves):
        low, high = _plain(space.low), _plain(space.high)
        return f"a curve at {len(space.grid):,} positions with values from {low} to {high}"
    return repr(space)


def mechanism_name(column: Column) -> str:
    """Return the name of a column's mechanism; one of the caller's own is "given"."""
    return "given" if isinstance(column.mechanism, Mechanism) else column.mechanism


def amounts(guarantee: Guarantee) -> str:
    """Return a guarantee to few digits, rounded up: "epsilon=0.5715, delta=1e-07"."""
    exact, epsilon = str(guarantee.epsilon), guarantee.epsilon
    ceiling = epsilon.rational if epsilon.ratio is None else Fraction(epsilon.ceiling())
    brief = len(exact) <= 8 and epsilon.ratio is None
    text = exact if brief or not ceiling else _up(ceiling, 4)
    return f"epsilon={text}" + (f", delta={show(guarantee.delta)}" if guarantee.delta else "")


def about(value: float) -> str:
    """Return a number to three digits as people write it: "0.0125", "104,000"."""
    if value < 1000:
        return f"{value:.3g}"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded < 1e12 else f"{rounded:.3g}"


def _plain(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else show(value)


def _list_names(names: tuple[str, ...], joint: str = "and") -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def _factor(guarantee: Guarantee) -> str:
    # Rounded up, since a smaller factor would promise more than holds.
    exponent = guarantee.epsilon.ceiling()
    if exponent > 30:
        return f"e^{_up(Fraction(exponent), 4)}"
    factor = Fraction(math.exp(exponent) * (1 + 1e-12))
    # To three digits or whole, as on the page of the release.
    return _up(factor, len(str(int(factor))) if 1000 <= factor < 10**9 else 3)


def _plus(guarantee: Guarantee) -> str:
    if guarantee.delta == 0:
        return ""
    return f", plus a probability of {show(guarantee.delta)},"


def _guess(guarantee: Guarantee) -> str:
    """Return (e^ε + δ)/(1 + e^ε), rounded up."""
    small = math.exp(-min(guarantee.epsilon.ceiling(), 700.0))
    missed = (1 - float(guarantee.delta)) * small / (1 + small)
    for digits in (2, 3, 4, 6, 9):
        text = f"{math.ceil((1 - missed) * 10**digits) / 10**digits:.{digits}f}"
        if float(text) < 1:
            return text
    return "1, which is no protection"


def _up(value: Fraction, digits: int) -> str:
    """Return a positive number to so many digits, rounded up."""
    power = digits - 1 - math.floor(math.log10(value))
    rounded = math.ceil(value * Fraction(10) ** power) / Fraction(10) ** power
    return f"{float(rounded):,.0f}" if rounded >= 1000 else f"{float(rounded):.{digits}g}"


def _probability(value: float, rest: float | None = None) -> str:
    if rest is not None and 0 < rest < 5e-4:
        return f"1 − {rest:.2g}"
    return f"{value:.3g}"
