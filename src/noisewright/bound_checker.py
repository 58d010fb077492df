"""Check that no mechanism does better than the one in a certificate.

This file belongs beside `checker.py`, which calls it for certificates that claim optimality, after
it has proven the mechanism private. Only the standard library is used.

A mechanism pays weight(x) * loss(x, y) for each bit of probability P(y|x). Charge it for what it
may not do as well. A price p >= 0 of P(y|x) <= e^epsilon P(y|z), for neighbors x and z, adds p to
the cost of (x, y) and takes e^epsilon p off the cost of (z, y): who obeys pays no more than before.
With delta > 0 the excesses of (x, z) sum to delta at most, so that charging for them costs a
private mechanism no more than delta times the largest of their prices, which is taken off. The
properties compare two entries, and are charged in the same way; WH compares with a number.

After all charges each row of P sums to 1 as before, so it costs no less than its cheapest entry.
The sum of these is a lower bound, whatever the prices are. For the goal "worst" the weights are
free as well: the worst input is no better than any average.
"""

import sys
from fractions import Fraction
from operator import mul
from typing import Any

SHAPE = (
    "goal: text, loss: list, weights: list, properties: list, bound: fraction, "
    "log2_scale: whole, privacy_duals: list, property_duals: list"
)
PART = "optimality"


def prove_bound(
    checker: Any, best: Any, rows: Any, pairs: Any, epsilon: Any, delta: Fraction, codes: Any
) -> str:
    """Return what was proven in words, or raise checker.Failure.

    `rows` are the weights of the table; `pairs` are neighbors with their distance; `codes` are the
    properties that were proven of the table.
    """
    need, types = checker.need, checker.TYPES
    goal, loss, weights, asked, bound, bits, privacy, properties = checker.fit(best, PART, SHAPE)
    need(goal in ("expected", "worst"), PART, 'the goal must be "expected" or "worst"')
    need(epsilon is not None and epsilon.value < 2**12, PART, "needs an epsilon below 4096")
    need(bits <= 2**20, PART, "log2_scale must be at most 2^20")
    need(set(map(str, asked)) <= set(codes), PART, "only properties that are claimed can be asked")
    need(all(map(types["chance"], weights)), PART, "weights must be fractions from 0 to 1")
    weights = [Fraction(weight) for weight in weights]
    need(len(weights) == len(rows) and sum(weights) == 1, PART, "weights must sum to 1")
    shapely = len(loss) == len(rows) and all(
        isinstance(line, list) and len(line) == len(rows[0]) and all(map(types["fraction"], line))
        for line in loss
    )
    need(shapely, PART, "the loss needs a line for each input, a fraction for each output")
    loss = [[Fraction(cost) for cost in line] for line in loss]

    one = 2**bits
    costs = [[w * c * one // 1 for c in line] for w, line in zip(weights, loss, strict=True)]
    free = charge_privacy(checker, costs, privacy, pairs, epsilon, delta)
    free += charge_properties(checker, costs, properties, asked)
    proven = (sum(min(line) for line in costs) + free) / one
    found = f"the dual values prove {checker.Number(proven)}; claimed is {bound}"
    need(proven >= Fraction(bound), PART, found)

    paid = [
        Fraction(sum(map(mul, line, row)), sum(row)) for line, row in zip(loss, rows, strict=True)
    ]
    own = checker.Number(max(paid) if goal == "worst" else sum(map(mul, weights, paid)))
    like = ", ".join(["epsilon", "delta", *sorted(asked)])
    least = checker.Number(Fraction(bound))
    return f"Its {goal} loss is {own}; nothing with this {like} has one below {least}."


def charge_privacy(
    checker: Any, costs: Any, privacy: Any, pairs: Any, epsilon: Any, delta: Fraction
) -> Fraction:
    """Charge [x, z, [a price for each output]]; return what delta gives back, below 0."""
    near = {way: d for i, j, d in pairs for way in ((i, j), (j, i))} if privacy else {}
    free = Fraction(0)
    for item in privacy:
        ok = isinstance(item, list) and len(item) == 3 and tuple(item[:2]) in near
        checker.need(
            ok, PART, f"found dual values of {checker.brief(item)}; need neighbors, each once"
        )
        x, z, line = item
        ok = isinstance(line, list) and len(line) == len(costs[x])
        ok = ok and all(map(checker.TYPES["hex"], line))
        checker.need(ok, PART, f"{x} over {z} needs a dual value for each output, in hex digits")
        _, high, scale = epsilon.times(near.pop((x, z))).power(192)
        prices = [int(price, 16) for price in line]
        for y, price in enumerate(prices):
            costs[x][y] += price
            costs[z][y] += -price * high // scale  # rounded down: the safe side
        free -= delta * max(prices)
    return free


def charge_properties(checker: Any, costs: Any, properties: Any, asked: Any) -> Fraction:
    """Charge [code, a, b, price] as the table PROPERTIES of the checker reads it."""
    size, free = len(costs), Fraction(0)
    for item in properties:
        ok = isinstance(item, list) and len(item) == 4 and item[0] in asked
        ok = ok and all(checker.TYPES["whole"](point) and point < size for point in item[1:3])
        ok = ok and checker.TYPES["hex"](item[3])
        checker.need(
            ok,
            PART,
            f"found {checker.brief(item)}; need an asked property, two points, "
            "a dual value in hex digits",
        )
        code, a, b, price = *item[:3], int(item[3], 16)
        (x, y), (z, w) = checker.PROPERTIES[code][1](a, b, size - 1)
        costs[x][y] -= price
        if code == "WH":
            free += Fraction(price, size)
        else:
            costs[z][w] += price
    return free


if __name__ == "__main__":
    sys.stderr.write("This file only helps checker.py beside it: run `python checker.py a.json`.\n")
    sys.exit(2)
