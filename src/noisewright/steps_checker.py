"""Check private steps, one after the other: what each costs, and what all of them add up to.

This file belongs beside `checker.py` and `formula_checker.py`, which calls it for certificates of
synthetic tables and of fitted models. Only the standard library is used.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any

MOST_STEPS = 2**16
MOST_BITS = 2**18  # of all different denominators; sensible parts share theirs
LONGEST = 1000  # digits of a numerator or a denominator
KINDS = {"epsilon": ("geometric", "choice"), "rho": ("normal", "choice")}
SCALES = {"geometric": "decay", "normal": "deviation"}


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
    total, found = positive(checker, total, "total"), exact_sum(checker, parts)
    words = f"the parts add up to {checker.Number(found)}, which is not the total"
    need(found == total, "total", words)
    yield f"Whatever the steps before released, the parts add up to {checker.Number(total)} {unit}."
    if epsilon and unit == "epsilon":
        message = f"{checker.Number(total)} is needed; claimed is {epsilon}"
        need(not checker.Number(total) > epsilon, "epsilon", message)
    elif epsilon:
        prove_delta(checker, total, positive(checker, order[0], "order"), epsilon, delta)
        yield "So much rho implies the claimed epsilon and delta."


def prove_step(checker: Any, step: Any, unit: str, rows: int, number: int) -> Fraction:
    """Return the part of one step, which costs no more than that.

    One person has up to `rows` rows, and a neighbor has any others in their place. A row is in one
    cell of a marginal: at worst all rows of a person leave one cell for another one. Counts then
    change by 2 rows in L1 and by 2 rows^2 in squared L2, and a single query by rows and rows^2.

    geometric: whole numbers of noise, P(z) proportional to e^(-decay |z|), on each count. It costs
        epsilon = decay times the change in L1.
    normal: independent normal noise, rounded to whole numbers, on each count. Counts are whole, so
        that this is the same as rounding the noisy counts. It costs rho = (change in squared L2) /
        (2 deviation^2) (Bun-Steinke 2016, Prop. 1.6).
    choice: the exponential mechanism: a candidate is drawn in proportion to e^(factor score),
        where the score of a candidate changes by at most `change` for each row. The logarithms of
        the ratios of probabilities lie in a range of width e = 2 factor change rows. It costs
        epsilon = e, or rho = e^2 / 8 (Cesar-Rogers 2021, Lemma 3.2).

    A step of noise may list several, of which one is used, by what was chosen before: all of them
    must fit into its part.
    """
    need, part = checker.need, f"step {number}"
    kind: Any = step.get("kind") if isinstance(step, dict) else None
    message = f"found {checker.brief(kind)}; parts of {unit} need {' or '.join(KINDS[unit])}"
    need(kind in KINDS[unit], part, message)
    if kind == "choice":
        shape = "kind: choice, what: text, amount: fraction, factor: fraction, change: whole"
        _, _, amount, factor, change = checker.fit(step, part, shape)
        width = 2 * positive(checker, factor, part) * change * rows
        need(change > 0, part, "need a change above 0")
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


def cost_of_noise(checker: Any, noise: Any, kind: str, rows: int, part: str) -> Fraction:
    """Return what noise on the counts of a marginal, or on one query, costs."""
    scale = f"{SCALES[kind]}: fraction"
    shapes = f"counts: marginal, {scale}", f"counts: query, {scale}"
    counts, scale = checker.fit(noise, part, *shapes)
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
