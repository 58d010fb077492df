"""A plan in plain sentences: what leaves, what it promises, what it will look like.

The promise in words is the exact one. For (ε, δ) and two rows that are equally likely beforehand,
nobody guesses which of them a person has with a probability above (e^ε + δ)/(1 + e^ε): the sum of
the two errors of any test is at least 2(1 − δ)/(1 + e^ε) (Kairouz, Oh and Viswanath 2017).
"""

from __future__ import annotations

import math
from fractions import Fraction

from noisewright.exact import plain_power, show, shown_up
from noisewright.mechanisms import Guarantee, Mechanism
from noisewright.plans.column import Column
from noisewright.plans.outlook import Planned, outlook_of, planned_error
from noisewright.plans.parts import Part
from noisewright.plans.plan import Plan
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Space, Subsets


def plan_words(plan: Plan, *, rows: int | None = None) -> tuple[str, ...]:
    """Return the plan in paragraphs: the promise, each part, then what the promise excludes."""
    each = " for each row" if plan.rows_per_person > 1 else ""
    each += " before shuffling" if plan.is_central else ""
    if plan.has_mechanisms:
        parts = [part_words(part, rows=rows, each=each) for part in plan.parts]
    else:
        parts = [_open_words(plan)]
    return (promise_words(plan), *parts, *_other_columns(plan), *rest_words(plan))


def _open_words(plan: Plan) -> str:
    names = _list_names(plan.private)
    return f"Randomized: {names}. The more rows are released, the less noise each of them needs."


def promise_words(plan: Plan) -> str:
    """Return what each person is promised, in plain language."""
    if plan.is_central and plan.rows is None and plan.epsilon is None:
        return central_words(plan)
    whole, rows = plan.guarantee, plan.rows_per_person
    where = "" if rows == 1 else f" of all their released rows (at most {rows:,})"
    results = "any set of results" if whole.delta else "any result"
    said = [
        f"The privacy loss of each person is at most {amounts(whole)}, for all columns{where} "
        "together.",
        f"In words: {results} is at most {factor_text(whole)} times as likely"
        f"{_plus(whole)} with this person's data as with any other data in their place.",
        "Someone who knows everybody else's data, and considers two values of this person's data "
        "equally likely, guesses the right one with a probability of at most "
        f"{guess_words(whole)}; without the release it is 0.5.",
    ]
    if plan.is_central:
        said.append(central_words(plan))
    elif rows > 1:
        said.append(f"Each row costs {amounts(plan.row_guarantee)}, and rows add up.")
    return " ".join(said)


def central_words(plan: Plan) -> str:
    """Say of a shuffled plan against whom it protects by hiding rows among others."""
    if not plan.has_mechanisms:
        return (
            "This holds against anyone who sees only the released rows, which are in a random "
            "order that nobody knows. Whoever learns that order learns more, row by row: how much "
            "depends on the number of rows."
        )
    alone = f"{amounts(plan.guarantee_in_order)} for each person"
    if plan.rows is None:
        return (
            f"The privacy loss is at most {alone}, even against whoever knows the order of the "
            "rows. Against anyone who sees only the released rows, which are in a random order, "
            f"it is smaller: how much, at delta={show(plan.delta)}, depends on the number of rows."
        )
    if plan.guarantee.delta == 0:
        return (
            f"Rows are shuffled, but there are too few of them ({plan.rows:,}) to hide among: the "
            "promise is that of the rows themselves."
        )
    among = " at least, with the same public values," if plan.public else ""
    return (
        f"This holds against anyone who sees only the released rows: {plan.rows:,}{among} in a "
        "random order that nobody knows. Against whoever learns that order, only the noise in the "
        f"rows protects people: {alone}."
    )


def _shares_words(plan: Plan) -> tuple[str, ...]:
    if plan.shares != "best":
        return ()
    wanted = tuple(" × ".join(one.of) for one in plan.estimates) or plan.private
    return (
        "The budget is divided among the columns for the least error of estimates of "
        f"{_list_names(wanted)}, planned without looking at data.",
    )


def part_words(part: Part, *, rows: int | None = None, each: str = "") -> str:
    """Return what happens to the columns of one part, and what answers will look like."""
    said = [f"{_spaces(part)}: {_noise_words(part)}"]
    said.append(f"Privacy loss: {amounts(part.guarantee)}{each}.")
    if rows is not None:
        for name in part.columns:
            said += _error_words(part, name, rows)
    return " ".join(said)


def _other_columns(plan: Plan) -> list[str]:
    said: list[str] = []
    if plan.public:
        said.append(f"Public, released unchanged and not protected: {_list_names(plan.public)}.")
    if plan.dropped:
        said.append(f"Not released: {_list_names(plan.dropped)}.")
    return said


def rest_words(plan: Plan) -> tuple[str, ...]:
    """Return what holds for the whole table, and what the promise excludes."""
    said = [*_shares_words(plan), cell_words(plan)]
    if plan.others == "drop":
        said.append("Columns that the plan does not name are not released.")
    else:
        said.append("A column that the plan does not name is an error.")
    said += [_person_words(plan), _order_words(plan)]
    said.append(
        "The promise protects what a person's data say, not whether the person is in the table. "
        "The number of rows counts as public, and so does this plan, with all its names and "
        "labels. What is true of people in general can be learned from the release: that is what "
        "it is for."
    )
    return tuple(said)


def _person_words(plan: Plan) -> str:
    person = plan.person
    if person is None:
        more = ", and delta grows by even more" if plan.delta else ""
        return (
            "Each row counts as a different person. If a person may have several rows, the "
            f"privacy loss is that many times larger{more}; name the column that identifies people "
            "([person] in the plan)."
        )
    which = "the first ones" if person.keep == "first" else "drawn at random"
    return (
        f"{person.column} identifies people. At most {person.rows:,} "
        f"row{'s' * (person.rows > 1)} of each person {'are' if person.rows > 1 else 'is'} "
        f"released, {which}; how many rows a person has, up to that, counts as public."
    )


def _order_words(plan: Plan) -> str:
    if plan.order == "shuffled":
        more = "" if plan.delta else " With a delta above 0, rows would also hide among each other."
        return f"Rows are shuffled, so that their order reveals nothing.{more}"
    return (
        "Rows keep their order, so the order is released. If it reveals something about people "
        '(who came when), set order = "shuffled".'
    )


def _noise_words(part: Part) -> str:
    outlook = outlook_of(part)
    if outlook.kept is not None and outlook.added is not None:
        return (
            f"an item of the set is kept with probability {_probability(outlook.kept)}, and "
            f"another one is added with probability {_probability(outlook.added)}."
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
        unit = "" if part.is_joint else unit_of(part, part.name)
        said.append(f"a released {what} is off by {about(outlook.off)}{unit} on average")
    if not said:
        return f"released by {part.mechanism!r}."
    return "; ".join(said) + "."


def cell_words(plan: Plan) -> str:
    """Return what happens to cells that are not declared values, each rule said once."""
    rules: dict[str, dict[str, list[str]]] = {}
    for name, column in plan.columns:
        for cells, rule in _cell_rules(column) if isinstance(column, Column) else ():
            about = cells.partition(" and ")[0]
            rules.setdefault(about, {}).setdefault(f"{cells} {rule}", []).append(name)
    return " ".join(
        f"{rule}." if len(found) == 1 else f"{rule} ({_few(names)})."
        for found in rules.values()
        for rule, names in found.items()
    )


def _few(names: list[str]) -> str:
    return _list_names(tuple(names)) if len(names) < 4 else f"{len(names)} columns"


def _cell_rules(column: Column) -> list[tuple[str, str]]:
    """Return which cells a column expects, besides declared values, and what they become."""
    space = column.space
    null = list(column.null) if isinstance(column.null, tuple) else column.null
    # Among labels, cells of another kind are undeclared labels.
    kind = "" if null is None or isinstance(space, Categories) else " and cells of another kind"
    becomes = "the empty set" if null == [] else repr(null)
    said = [(f"Empty cells{kind}", "are errors" if null is None else f"count as {becomes}")]
    if isinstance(space, Categories | Subsets):
        what = "labels" if isinstance(space, Categories) else "items"
        other = "are errors" if column.other is None else f"count as {column.other!r}"
        said.append((f"Undeclared {what}", other))
        if isinstance(space, Subsets) and space.largest is not None:
            cut = column.outside == "sample"
            said.append(("Sets that are too large", "are cut at random" if cut else "are errors"))
        return said
    clamps = column.outside == "clamp"
    said.append(("Values out of bounds", "move to the nearest bound" if clamps else "are errors"))
    if isinstance(space, Counts) and clamps:
        said.append(("Fractions in counts", "are rounded"))
    if column.off_grid == "round":
        said.append(("Values between two steps", "are rounded"))
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
        "mean": (f"the mean{of}", f"{about(planned.error)}{unit_of(part, name)}"),
        "curve": ("the mean curve", f"{about(planned.error)} at each position"),
    }[planned.question]
    useless = planned.says_little
    said = (
        f"From {rows:,} released rows, {what} can be estimated with a standard error of about "
        f"{error}"
    )
    return [
        said
        + (", which says little or nothing. Use more rows or a larger epsilon." * useless or ".")
    ]


def error_of(planned: Planned, part: Part, name: str) -> str:
    """Return a planned standard error in few words: "0.3 points", "mean: 12"."""
    if planned.question in ("shares", "items"):
        return f"{about(100 * planned.error)} points"
    mean = "mean" if planned.question == "mean" else "mean curve"
    return f"{mean}: {about(planned.error)}{unit_of(part, name)}"


def unit_of(part: Part, name: str) -> str:
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
    return f"{_list_names(each)}, randomized together as one of {part.space.size:,} combinations"


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
    """Return a guarantee to few digits, rounded up: "epsilon=0.5715, delta=1e-7"."""
    delta = f", delta={delta_text(guarantee)}" if guarantee.delta else ""
    return f"epsilon={guarantee.epsilon.in_digits()}{delta}"


def delta_text(guarantee: Guarantee) -> str:
    """Return δ to three digits, rounded up."""
    return shown_up(guarantee.delta, 3) if guarantee.delta else "0"


def about(value: float) -> str:
    """Return a number to three digits as people write it: "0.0125", "104,000"."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if 1000 <= rounded < 1e12 else plain_power(f"{value:.3g}")


def _plain(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else show(value)


def _list_names(names: tuple[str, ...], joint: str = "and") -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def factor_text(guarantee: Guarantee) -> str:
    """Return e^ε for people."""
    # To three digits or whole, and up: a smaller factor would promise more than holds.
    epsilon = guarantee.epsilon
    if epsilon.ceiling() > 20:
        return f"e^{epsilon.in_digits()}"
    factor = epsilon.power or Fraction(epsilon.ratio_bounds(64)[1], 1 << 64)
    return shown_up(factor, max(len(str(int(factor))), 3))


def _plus(guarantee: Guarantee) -> str:
    if guarantee.delta == 0:
        return ""
    return f", plus a probability of {delta_text(guarantee)},"


def guess_words(guarantee: Guarantee) -> str:
    """Return (e^ε + δ)/(1 + e^ε), rounded up: how often the right one of two values is guessed."""
    small = math.exp(-min(guarantee.epsilon.ceiling(), 700.0))
    missed = (1 - float(guarantee.delta)) * small / (1 + small)
    for digits in (2, 3, 4, 6, 9):
        text = f"{math.ceil((1 - missed) * 10**digits) / 10**digits:.{digits}f}"
        if float(text) < 1:
            return text
    return "1, which is no protection"


def _probability(value: float, rest: float | None = None) -> str:
    if rest is not None and 0 < rest < 5e-4:
        return f"1 − {rest:.2g}"
    return f"{value:.3g}"
