"""Check mechanisms that are given by a formula, because their table would be too large.

This file belongs beside `checker.py`, which calls it for such certificates and lends it its
arithmetic. Only the standard library is used.
"""

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Any

LARGEST = 2**12  # exponents beyond it belong to no sensible claim


def prove_formula(
    checker: Any, given: Any, neighbors: Any, epsilon: Any, delta: Fraction
) -> Iterator[Any]:
    """Yield what was proven in words, or raise checker.Failure; epsilon None is infinity."""
    forms = {
        "noise": prove_noise,
        "staircase": prove_staircase,
        "items": prove_items,
        "flips": prove_flips,
        "person": prove_person,
    }
    form = given.get("form")
    if form in ("curve", "steps"):
        forms[form] = checker.beside(form)
    known = isinstance(form, str) and form in forms
    checker.need(known, "mechanism", f"found the form {checker.brief(form)}, which is none")
    yield from forms[form](checker, given, neighbors, epsilon, delta)


def prove_noise(
    checker: Any, given: Any, neighbors: Any, epsilon: Any, delta: Fraction
) -> Iterator[str]:
    """Prove discrete Laplace noise: P(Z = z) is proportional to a^|z|, a = e^-decay.

    For inputs 0 and t steps the likelihood ratio of an output falls as the output grows, so the
    worst sets are half lines. Up to i steps above the lower input, 0 <= i < t,
        P(lower) = 1 - a^(i+1) / (1 + a),  P(upper) = a^(t-i) / (1 + a),
    and what is to be shown is f(i) = a^(i+1) + e^epsilon a^(t-i) >= (1 - delta) (1 + a). f is
    convex in i and least at the real number i = (t - 1 - epsilon / decay) / 2, so the whole
    numbers next to it decide. More steps apart is worse: f falls as t grows. Clamping the
    output to the range of the inputs reveals no more.
    """
    need = checker.need
    shape = "form: noise, inputs: object, outputs: object, decay: object"
    _, inputs, outputs, decay = checker.fit(given, "mechanism", shape)
    last, steps = read_numbers(checker, inputs, outputs, neighbors)
    decay = checker.read_number(decay, "mechanism")
    ok = decay and last > 0 and (decay.ratio == 1 or steps < LARGEST)
    ok = ok and steps * decay.value < LARGEST and decay > checker.Number(Fraction(0))
    need(ok, "mechanism", "noise needs two points, and a decay above 0 that is not absurdly large")
    if epsilon and decay.times(steps) > epsilon:
        need(epsilon.value < LARGEST, "epsilon", f"must be below {LARGEST}")
        need(delta > 0, "epsilon", f"{decay.times(steps)} is needed; claimed is {epsilon}")
        for i in nearby(steps, epsilon, decay):
            need(
                is_enough(checker, decay, epsilon, i, steps, delta),
                "delta",
                f"outputs up to {i} steps above the lower of two inputs {steps} steps apart need "
                f"more than {checker.Number(delta)} with epsilon {epsilon}",
            )
    yield f"On inputs {steps} steps apart, half lines differ by no more than the claim allows."


def read_numbers(checker: Any, inputs: Any, outputs: Any, neighbors: Any) -> tuple[int, int]:
    """Return the last point of a grid, and how many steps apart two neighbors may be.

    Noise leads to any number of steps, or is clamped to the grid afterwards.
    """
    checker.fit(inputs, "mechanism", "kind: grid, low: fraction, high: fraction, step: fraction")
    if outputs != inputs:
        lattice = "kind: lattice, origin: fraction, step: fraction"
        _, origin, step = checker.fit(outputs, "mechanism", lattice)
        same = (origin, step) == (inputs["low"], inputs["step"])
        words = "outputs must be the inputs, or go on from low by the same step"
        checker.need(same, "mechanism", words)
    last = len(checker.read_points(inputs)) - 1
    shapes = ("relation: adjacent", "relation: replace", "relation: pairs, pairs: list")
    relation, *_ = checker.fit(neighbors, "neighbors", *shapes)
    if relation == "pairs":
        return last, max(abs(i - j) for i, j, _ in checker.read_pairs(neighbors, last + 1))
    return last, last if relation == "replace" else 1


def prove_staircase(
    checker: Any, given: Any, neighbors: Any, epsilon: Any, delta: Fraction
) -> Iterator[str]:
    """Prove staircase noise: P(Z = z) is proportional to e^(-parameter L(|z|)).

    L(m) = (m + width - upper) // width is the stair of m steps. Two inputs t steps apart see an
    output at distances that differ by at most t, so on stairs that differ by at most the number
    of widths begun in t. Clamping the output reveals no more.
    """
    need = checker.need
    shape = "form: staircase, inputs: object, outputs: object, parameter: object, "
    shape += "width: whole, upper: whole"
    _, inputs, outputs, unit, width, upper = checker.fit(given, "mechanism", shape)
    last, steps = read_numbers(checker, inputs, outputs, neighbors)
    unit = checker.read_number(unit, "mechanism")
    need(0 < upper <= width <= last, "mechanism", "need 0 < upper <= width <= steps of the grid")
    stairs = -(-steps // width)
    ok = unit and unit > checker.Number(Fraction(0))
    ok = ok and (unit.ratio == 1 or stairs * unit.ratio.numerator.bit_length() < 2**20)
    need(ok, "mechanism", "need a parameter above 0 that is not absurdly large")
    cost = checker.Number(stairs * unit.value, unit.ratio**stairs)
    need(not (epsilon and cost > epsilon), "epsilon", f"needs {cost}; claimed is {epsilon}")
    yield f"Inputs {steps} steps apart are {stairs} stairs apart at most: no more than epsilon."


def nearby(steps: int, epsilon: Any, decay: Any) -> range:
    """Return the whole numbers next to where f is least; a few more do no harm."""
    middle = (steps - 1 - nearly(epsilon) / nearly(decay)) / 2
    slack = 2 + steps // 2**45  # for the rounding to 20 digits
    first, last = int(middle) - slack, int(middle) + slack
    return range(min(max(first, 0), steps - 1), min(max(last, 0), steps - 1) + 1)


def nearly(number: Any) -> Fraction:
    """Return a number of the checker to 20 digits, which is near enough here."""
    return Fraction(str(number))


def is_enough(checker: Any, decay: Any, epsilon: Any, i: int, steps: int, delta: Fraction) -> bool:
    """Decide f(i) >= (1 - delta)(1 + a), closing in until it is certain."""
    bits = 192
    while True:
        near, far, one = (power_bounds(decay.times(times), bits) for times in (i + 1, steps - i, 1))
        low, high, scale = epsilon.power(bits)
        least = near[0] + far[0] * Fraction(low, scale)
        most = near[1] + far[1] * Fraction(high, scale)
        if least >= (1 - delta) * (1 + one[1]):
            return True
        if most < (1 - delta) * (1 + one[0]):
            return False
        checker.need(bits < 2**15, "delta", "is too close to what is needed to be told apart")
        bits *= 2


def power_bounds(number: Any, bits: int) -> tuple[Fraction, Fraction]:
    """Return bounds of e^-number."""
    low, high, scale = number.power(bits)
    return Fraction(scale, high), Fraction(scale, low)


def prove_items(
    checker: Any, given: Any, neighbors: Any, epsilon: Any, delta: Fraction
) -> Iterator[str]:
    """Prove sets of items, each released by a coin of its own: p if it is there, q < p if not.

    Replacing a set by another removes a items and adds b, both at most `largest` and together at
    most all items. A removed item changes the probability of an output by a factor of at most
    p/q, an added one by (1-q)/(1-p), and one output attains all of these at once.
    """
    need = checker.need
    shape = "form: items, items: list, largest: whole, log2_total: whole, present: hex, absent: hex"
    _, items, largest, k, present, absent = checker.fit(given, "mechanism", shape)
    checker.fit(neighbors, "neighbors", "relation: replace")
    names = len(checker.read_points({"kind": "labels", "labels": items}))
    need(0 < largest <= names, "mechanism", f"largest is {largest}; need 1 to {names}")
    p, q, total = int(present, 16), int(absent, 16), 2 ** min(k, 2**16)
    need(0 < q < p < total and k <= 2**16, "mechanism", "need 0 < absent < present < 2^log2_total")
    removed, added = Fraction(p, q), Fraction(total - q, total - p)
    often, seldom = largest, min(largest, names - largest)
    long = (often + seldom) * (total.bit_length() + 1)
    need(long < 2**24, "mechanism", "these are too many items for exact numbers")
    factor = max(removed, added) ** often * min(removed, added) ** seldom
    cost = checker.Number(Fraction(0), factor)
    need(not (epsilon and cost > epsilon), "epsilon", "two sets differ by more than is claimed")
    yield (
        f"Replacing a set changes at most {often + seldom} of {names} items, and probabilities by "
        "no more than e^epsilon."
    )


def prove_flips(
    checker: Any, given: Any, neighbors: Any, epsilon: Any, delta: Fraction
) -> Iterator[str]:
    """Prove sets with some items flipped: an answer that differs in j items has levels[j] / 2^k.

    C(m, j) answers differ from a set in j of m items. Any set may replace any other, so that an
    answer may be at any distance from both, and the levels differ by at most e^epsilon.
    """
    need = checker.need
    shape = "form: flips, items: list, log2_total: whole, levels: list"
    _, items, k, levels = checker.fit(given, "mechanism", shape)
    checker.fit(neighbors, "neighbors", "relation: replace")
    names = len(checker.read_points({"kind": "labels", "labels": items}))
    ok = len(levels) == names + 1 and all(map(checker.TYPES["hex"], levels)) and k <= 2**20
    need(ok, "mechanism", f"need {names + 1} levels in hex digits, and log2_total up to 2^20")
    numbers = [int(level, 16) for level in levels]
    total = sum(comb(names, j) * number for j, number in enumerate(numbers))
    need(total == 1 << k and min(numbers) > 0, "row sums", f"the answers must sum to 2^{k}")
    cost = checker.Number(Fraction(0), Fraction(max(numbers), min(numbers)))
    need(not (epsilon and cost > epsilon), "epsilon", f"{cost} is needed; claimed is {epsilon}")
    yield f"Answers about {names} items sum to 2^{k}; no two levels differ by more than e^epsilon."


def prove_person(
    checker: Any, given: Any, neighbors: Any, epsilon: Any, delta: Fraction
) -> Iterator[Any]:
    """Prove up to `rows` rows of one person, each treated by the parent, independently.

    All rows may change, each into any other. What one row costs, the parent's claims, is proven
    for any change; the rows are independent, so they cost `rows` times that, and fewer no more.
    """
    need = checker.need
    _, rows, parent = checker.fit(given, "mechanism", "form: person, rows: whole, parent: object")
    checker.fit(neighbors, "neighbors", "relation: replace")
    shape = "mechanism: object, neighbors: object, claims: object"
    inner, relation, claims = checker.fit(parent, "mechanism", shape)
    checker.fit(relation, "neighbors", "relation: replace")
    own, chance = checker.fit(claims, "claims", "epsilon: object, delta: chance")
    own, lost = checker.read_number(own, "claims"), rows * Fraction(chance)
    need(rows > 0, "mechanism", "need at least one row")
    short = not own or own.ratio == 1 or rows * own.ratio.numerator.bit_length() < 2**20
    need(short, "claims", "these are too many rows for the logarithm of so long a number")
    yield from checker.prove(inner, relation, own, Fraction(chance))
    cost = own and checker.Number(rows * own.value, own.ratio**rows)
    enough = not epsilon or (cost and not cost > epsilon)
    message = f"{rows} rows cost {cost or 'infinity'}; claimed is {epsilon}"
    need(enough, "epsilon", message)
    need(min(lost, 1) <= delta, "delta", f"{rows} rows cost {checker.Number(lost)}, more than that")
    yield f"Up to {rows} rows of a person are independent and cost {rows} times one row."


if __name__ == "__main__":
    sys.stderr.write("This file only helps checker.py beside it: run `python checker.py a.json`.\n")
    sys.exit(2)
