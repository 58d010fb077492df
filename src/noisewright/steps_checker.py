"""Check private steps, one after the other: what each costs, and what all of them add up to.

This file belongs beside `checker.py` and `formula_checker.py`, which calls it for certificates of
synthetic tables, of fitted models and of private choices. Only the standard library is used.
"""

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any

MOST_STEPS = 2**16
MOST_BITS = 2**18  # of all different denominators; sensible parts share theirs
LONGEST = 1000  # digits of a numerator or a denominator
KINDS = {"epsilon": ("geometric", "choice"), "rho": ("normal", "choice")}
SCALES = {"geometric": "decay", "normal": "deviation"}
LAWS: dict[str, tuple[str, ...]] = {
    "epsilon": ("exponential mechanism", "permute and flip", "noisy max"),
    "rho": ("exponential mechanism",),  # the others have no bounded range
}
WAYS = {"both ways": 2, "one way": 1}
LARGEST = 2**12  # exponents beyond it belong to no sensible claim
MOST_ALIKE = 2**12


def prove_steps(
    checker: Any, given: Any, neighbors: Any, epsilon: Any, delta: Fraction
) -> Iterator[str]:
    """Prove an adaptive composition: each step may depend on all that was released before it.

    What is fixed beforehand is the list: how many steps, the kind of each, its noise and its part
    of the whole. What a step counts, or chooses from, may depend on earlier answers; its cost may
    not. Then parts of epsilon add up (basic composition), and so do parts of rho, which is
    zero-concentrated privacy (Bun-Steinke 2016, Lemma 1.7).
    """
    need = checker.need
    shape = "form: steps, unit: epsilon, total: fraction, steps: list"
    order_too = "form: steps, unit: rho, total: fraction, steps: list, order: fraction"
    _, unit, total, steps, *order = checker.fit(given, "mechanism", shape, order_too)
    shape = "relation: one person, rows_per_person: whole"
    _, rows = checker.fit(neighbors, "neighbors", shape)
    need(rows > 0, "neighbors", "need at least one row for each person")
    need(0 < len(steps) <= MOST_STEPS, "steps", f"found {len(steps)}; need 1 to {MOST_STEPS}")
    parts = [prove_step(checker, step, unit, rows, n) for n, step in enumerate(steps, start=1)]
    choices = sum(step["kind"] == "choice" for step in steps)
    yield (
        f"No step costs more than its part (steps with noisy counts: {len(steps) - choices}; "
        f"choices: {choices}; rows of one person: up to {rows})."
    )
    for assumed in assumptions(checker, steps, rows):
        yield f"Assuming: {assumed}."
    total, found = positive(checker, total, "total"), exact_sum(checker, parts)
    words = f"the parts add up to {checker.Number(found)}, which is not the total"
    need(found == total, "total", words)
    yield f"Whatever the steps before released, the parts add up to {checker.Number(total)} {unit}."
    if epsilon and unit == "epsilon" and checker.Number(total) > epsilon:
        message = f"{checker.Number(total)} is needed; claimed is {epsilon}"
        need(delta > 0 and len({*parts}) == 1, "epsilon", message)
        prove_alike(checker, parts[0], len(parts), epsilon, delta)
        yield "Parts that are all the same imply the claimed epsilon and delta."
    elif epsilon and unit == "rho":
        prove_delta(checker, total, positive(checker, order[0], "order"), epsilon, delta)
        yield "So much rho implies the claimed epsilon and delta."


def assumptions(checker: Any, steps: list[Any], rows: int) -> Iterator[str]:
    """Yield what the steps take on trust, each different one once.

    A certificate has no scores in it: how far a person moves them is said by who made it.
    """
    who, said = "one person" if rows == 1 else "each row of a person", list[str]()
    for step in steps:
        fields = {"change", "width", "step"} & {*step}
        known = {field: written(checker, str(step[field])) for field in fields}
        if any("balanced_cells" in noise for noise in step.get("noise", ())):
            said.append("the number of rows is public (noise on small marginals adds up to 0)")
        if step["kind"] == "choice":
            way = step.get("moves", "both ways")
            said.append(f"{who} changes a quality by at most {known['change']}, {way}")
        if "width" in step:
            said.append(f"qualities lie in a range of width {known['width']}")
        if "step" in step:
            said.append(f"qualities are whole multiples of {known['step']}")
    if rows > 1 or any("noise" in step for step in steps):  # else a score is moved by a person
        yield f"one person has {'one row' if rows == 1 else f'up to {rows} rows'}"
    yield from dict.fromkeys(said)


def written(checker: Any, text: str) -> str:
    """Return a fraction as it is written, or its first digits where that is long."""
    return text if len(text) <= 40 else f"about {checker.Number(Fraction(text))}"


def prove_step(checker: Any, step: Any, unit: str, rows: int, number: int) -> Fraction:
    """Return the part of one step, which costs no more than that.

    One person has up to `rows` rows, and a neighbor has any others in their place. A row is in one
    cell of a marginal: at worst all rows of a person leave one cell for another one. Counts then
    change by 2 rows in L1 and by 2 rows^2 in squared L2, and a single query by rows and rows^2.

    geometric: whole numbers of noise, P(z) proportional to e^(-decay |z|), on each count. It costs
        epsilon = decay times the change in L1. The noise on a marginal of up to `balanced_cells`
        cells is not independent: P(z) proportional to e^(-decay (|z_1| + |z_2| + ...)) over all z
        that add up to 0. That costs as much where neighbors have the same total: they differ by
        some d that adds up to 0, z -> z + d maps these z to themselves, so that the constants are
        equal, and sizes differ by |d|_1 at most. A marginal has the same total where each person
        has one row, since their number is public. A query has not; nor has a marginal where up to
        `rows` count of each person, who may have fewer.
    normal: independent normal noise, rounded to whole numbers, on each count. Counts are whole, so
        that this is the same as rounding the noisy counts. It costs rho = (change in squared L2) /
        (2 deviation^2) (Bun-Steinke 2016, Prop. 1.6).
    choice: the exponential mechanism: a candidate is drawn in proportion to e^(factor score),
        where the score of a candidate changes by at most `change` for each row. The logarithms of
        the ratios of probabilities lie in a range of width e = 2 factor change rows. It costs
        epsilon = e, or rho = e^2 / 8 (Cesar-Rogers 2021, Lemma 3.2). See also `read_choice`.

    A step of noise may list several, of which one is used, by what was chosen before: all of them
    must fit into its part.
    """
    need, part = checker.need, f"step {number}"
    kind: Any = step.get("kind") if isinstance(step, dict) else None
    message = f"found {checker.brief(kind)}; parts of {unit} need {' or '.join(KINDS[unit])}"
    need(kind in KINDS[unit], part, message)
    if kind == "choice":
        amount, width = read_choice(checker, step, unit, rows, part)
        costs = [width if unit == "epsilon" else width**2 / 8]
    else:
        shape = f"kind: {kind}, what: text, amount: fraction, noise: list"
        _, _, amount, listed = checker.fit(step, part, shape)
        need(0 < len(listed) <= 2, part, "need noise for a marginal, for a query, or for both")
        costs = [cost_of_noise(checker, one, kind, rows, part) for one in listed]
    amount = positive(checker, amount, part)
    if max(costs) > amount:
        raise checker.Failure(part, f"costs {checker.Number(max(costs))}; its part is less")
    return amount


def read_choice(checker: Any, step: Any, unit: str, rows: int, part: str) -> tuple[str, Fraction]:
    """Return the part of a choice, and the width e, or a bound of it.

    A choice that says what it is drawn by may have any change, and its scores may move one way:
    one person makes all of them larger, or all of them smaller. Then e = factor change rows.

    permute and flip: in a random order, the first candidate whose coin comes up, of probability
        e^(factor (score - best)). It costs epsilon = e (McKenna-Sheldon 2020, Theorem 1).
    noisy max: the largest score plus noise in whole steps, P(z steps) proportional to
        e^(-factor step z), z >= 0; of equal ones the first. Scores are whole numbers of steps. Fix
        the noise of all others: what a candidate needs to win moves by at most e / factor, so that
        it costs epsilon = e.
    """
    need = checker.need
    start, end = "kind: choice, what: text, amount: fraction", "factor: fraction, change: fraction"
    said = f"{start}, by: text, moves: text, {end}"
    more = "step: fraction", "candidates: whole, width: fraction"
    shapes = (f"{start}, factor: fraction, change: whole", said, *(f"{said}, {m}" for m in more))
    checker.fit(step, part, *shapes)
    by, moves = step.get("by", LAWS["rho"][0]), step.get("moves", "both ways")
    need(by in LAWS[unit], part, f"found {checker.brief(by)}; need {' or '.join(LAWS[unit])}")
    need(moves in WAYS, part, f"found {checker.brief(moves)}; need {' or '.join(WAYS)}")
    need((by == "noisy max") == ("step" in step), part, "noisy max needs a step, others have none")
    fields = ("amount", "factor", "change", *({"step", "width"} & {*step}))
    amount, factor, change, *_ = (positive(checker, str(step[field]), part) for field in fields)
    change *= rows
    if "width" in step:
        need(unit == "epsilon" and by in LAWS["rho"], part, "a range is of no use here")
        need(step["candidates"] > 1, part, "need two candidates")
        change = min(change, Fraction(step["width"]))
    width = WAYS[moves] * factor * change
    if "width" in step and width > amount:
        prove_range(checker, step, factor, width, amount, part)
        width = amount
    return step["amount"], width


def prove_range(
    checker: Any, step: Any, factor: Fraction, a: Fraction, amount: Fraction, part: str
) -> None:
    """Prove what a choice among n candidates costs whose scores lie in a range of this width.

    With f the factor and d the changes of scores, a candidate y of probability p gets likelier by
        e^(f d_y) / (p e^(f d_y) + sum over others of P(z) e^(f d_z)) <= r / (p r + 1 - p),
    where r = e^a, a = 2 f change, or f change if scores move one way; no change is larger than the
    width. This falls with p, which is at least 1 / (1 + m), m = (n - 1) e^(f width). So it is
    enough that r (1 + m) <= e^amount (r + m). A hair of the amount, a relative 2^-56, is left for
    rounding the weights that are drawn from.
    """
    others, width = step["candidates"] - 1, Fraction(step["width"])
    w, less = factor * width, amount * (1 - Fraction(1, 2**56))
    checker.need(a + w + amount <= LARGEST, part, f"exponents must be at most {LARGEST}")
    least, most = zip(
        *(checker.exp_bounds(x, 256) for x in (a + less, w + less, a, a + w)), strict=True
    )
    words = f"costs more than its part, with scores in a range of {checker.Number(width)}"
    enough = most[2] + others * most[3] <= least[0] + others * least[1]
    checker.need(enough, part, words)


def cost_of_noise(checker: Any, noise: Any, kind: str, rows: int, part: str) -> Fraction:
    """Return what noise on the counts of a marginal, or on one query, costs."""
    scale = f"{SCALES[kind]}: fraction"
    shapes = [f"counts: marginal, {scale}", f"counts: query, {scale}"]
    if kind == "geometric":
        shapes.append(f"counts: marginal, {scale}, balanced_cells: whole")
    counts, scale, *balanced = checker.fit(noise, part, *shapes)
    words = f"noise that adds up to 0 needs a public total; a person has up to {rows} rows"
    checker.need(not balanced or rows == 1, part, words)
    scale, cells = positive(checker, scale, part), 2 if counts == "marginal" else 1
    return cells * rows * scale if kind == "geometric" else cells * rows**2 / (2 * scale**2)


def positive(checker: Any, text: str, part: str) -> Fraction:
    """Return a fraction above 0 that is not absurdly long."""
    short = all(len(digits) <= LONGEST for digits in text.split("/"))
    ok = short and Fraction(text) > 0
    checker.need(ok, part, f"found {checker.brief(text)}; need a number above 0, not too long")
    return Fraction(text)


def exact_sum(checker: Any, parts: list[Fraction]) -> Fraction:
    """Return the sum, over one denominator for all."""
    denominators = {part.denominator for part in parts}
    ok = sum(map(int.bit_length, denominators)) <= MOST_BITS
    checker.need(ok, "total", "the parts have too many different denominators to add them up")
    whole = lcm(*denominators)
    return Fraction(sum(part.numerator * (whole // part.denominator) for part in parts), whole)


def prove_alike(checker: Any, each: Fraction, k: int, epsilon: Any, delta: Fraction) -> None:
    """Prove that k steps of epsilon `each` imply (epsilon, delta), by optimal composition.

    The sum over i of C(k, i) max(0, e^((k-i) each) - e^(epsilon + i each)) / (1 + e^each)^k
    is enough (Kairouz-Oh-Viswanath 2015, Theorem 3.3). Terms are taken too large.
    """
    need, bits = checker.need, 512
    ok = k <= MOST_ALIKE and k * each <= LARGEST
    need(ok, "steps", f"need at most {MOST_ALIKE} of them, and a total of at most {LARGEST}")
    low, high = checker.exp_bounds(each, bits)
    lows, highs, ways, above = [1 << bits], [1 << bits], 1, 0
    for _ in range(k):
        lows.append(lows[-1] * low >> bits)
        highs.append(-(-highs[-1] * high >> bits))
    power, _, scale = epsilon.power(bits)
    for i in range(k + 1):
        above += ways * max(0, highs[k - i] - lows[i] * power // scale)
        ways = ways * (k - i) // (i + 1)
    enough = above << bits * (k - 1) <= delta * ((1 << bits) + low) ** k
    message = f"{checker.Number(delta)} is not enough for {k} steps of {checker.Number(each)}"
    need(enough, "delta", f"{message} and epsilon {epsilon}")


def prove_delta(checker: Any, rho: Fraction, a: Fraction, epsilon: Any, delta: Fraction) -> None:
    """Prove that rho implies (epsilon, delta), by one order a > 1 of Renyi divergences.

    delta = e^((a-1)(a rho - epsilon)) (1 - 1/a)^(a-1) / a is enough, for every a > 1
    (Canonne-Kamath-Steinke 2020, Prop. 12). So there is to show that x <= -ln(delta), where
        x = (a-1) (epsilon - a rho + ln(a / (a-1))) + ln(a).
    Logarithms are taken too low, and x and e^x with them.
    """
    need = checker.need
    need(a > 1, "order", f"found {checker.Number(a)}; need an order above 1")
    low = epsilon.value + log_below(epsilon.ratio)
    x = (a - 1) * (low - a * rho + log_below(a / (a - 1))) + log_below(a)
    enough = delta == 1
    if 0 < delta < 1 and x > 0:
        x = min(x, Fraction((1 / delta).__ceil__().bit_length()))  # e^that is above 1 / delta
        enough = checker.exp_bounds(x, 256)[0] * delta >= 1 << 256
    message = f"order {checker.Number(a)} does not show that {checker.Number(delta)} is enough"
    need(enough, "delta", f"{message} for rho {checker.Number(rho)} and epsilon {epsilon}")


def log_below(x: Fraction) -> Fraction:
    """Return a fraction that is at most ln(x), and near it, for x >= 1.

    With x = 2^k m and 1 <= m < 2, ln(x) = k ln(2) + ln(m).
    """
    k = x.numerator.bit_length() - x.denominator.bit_length()  # or one less
    k -= x < 2**k
    bits = 256 + x.denominator.bit_length()
    m = x / 2**k
    units = k * series_below(Fraction(1, 3), bits) + series_below((m - 1) / (m + 1), bits)
    return Fraction(units, 1 << bits)


def series_below(z: Fraction, bits: int) -> int:
    """Return units of 2^-bits, at most 2 (z + z^3/3 + z^5/5 + ...) = ln((1+z) / (1-z)).

    All terms are positive for 0 <= z < 1: rounding them down, and leaving some out, is below.
    """
    power, square = (2 * z.numerator << bits) // z.denominator, z * z
    units, odd = 0, 1
    while power:
        units, odd = units + power // odd, odd + 2
        power = power * square.numerator // square.denominator
    return units


if __name__ == "__main__":
    sys.stderr.write("This file only helps checker.py beside it: run `python checker.py a.json`.\n")
    sys.exit(2)
