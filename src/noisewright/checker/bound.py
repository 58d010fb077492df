"""Proof that no mechanism does better, by dual values of a linear program.

**Statement.** A mechanism P has the loss Σ weight(x) loss(x, y) P(y | x), or, for the goal
"worst", the largest loss of any input. No mechanism with the claimed ε and δ for these neighbors,
and with the properties that the proof asks for, has a loss below `bound`.

**Why the sums prove it** (weak duality). Give each inequality that a private mechanism obeys a
dual value v ≥ 0, and add v times its excess to the loss. Whoever obeys pays no more than before:

* P(y|x) ≤ e^ε P(y|z), for neighbors x and z: adds v to the cost of the entry (x, y), and takes
  e^ε v off the cost of (z, y). Where δ > 0 the excesses of (x, z) sum to δ at most, so that all
  of them together cost a private mechanism at most δ times the largest v of the pair: that is
  taken off.
* P(first) ≥ P(second), of a property: takes v off the first entry and adds it to the second. WH
  compares with 1 / (number of points) instead, so that v / (number of points) is added.

Afterwards each row of P still sums to 1, so it costs at least as much as its cheapest entry. The
sum of these over all rows is a lower bound of every loss, *whatever the dual values are*: how
they were found need not be trusted. For the goal "worst" the weights are free as well, as the
worst input is no better than any average.

Costs are rounded down to multiples of 2^-log2_scale, and e^ε is rounded up where it is taken off.
Both only make the bound smaller.
"""

from collections.abc import Iterable
from fractions import Fraction
from operator import mul
from typing import Any

from .claim import PrivacyClaim
from .document import brief, is_type, read_fields
from .neighbors import Pair
from .numbers import FIRST_BITS, LARGEST_EXPONENT, Number
from .properties import PROPERTIES
from .report import need

_PART = "optimality"
_SHAPE = (
    "goal: text, loss: list, weights: list, properties: list, bound: fraction, "
    "log2_scale: whole, privacy_duals: list, property_duals: list"
)

Costs = list[list[int]]
"""What each output costs on each input, in units of 2^-log2_scale."""


def prove_bound(claim: PrivacyClaim, rows: list[list[int]], pairs: Iterable[Pair]) -> str:
    """Return what was proven in words; `rows` are the weights of the table."""
    best, epsilon = claim.optimality, claim.epsilon
    fields = read_fields(best, _PART, _SHAPE)
    goal, loss, weights, asked, bound, bits, privacy, properties = fields
    need(goal in ("expected", "worst"), _PART, 'the goal must be "expected" or "worst"')
    small = epsilon is not None and epsilon.value < LARGEST_EXPONENT
    need(small, _PART, f"needs an epsilon below {LARGEST_EXPONENT}")
    need(bits <= 2**20, _PART, "log2_scale must be at most 2^20")
    ok = {str(code) for code in asked} <= {*claim.properties}
    need(ok, _PART, "only properties that are claimed can be asked")
    weights = _read_weights(weights, len(rows))
    loss = _read_loss(loss, len(rows), len(rows[0]))

    one = 2**bits
    costs = [[w * c * one // 1 for c in line] for w, line in zip(weights, loss, strict=True)]
    free = _add_privacy_duals(claim, costs, privacy, pairs)
    free += _add_property_duals(costs, properties, asked)
    proven = (sum(min(line) for line in costs) + free) / one
    found = f"the dual values prove {Number(proven)}; claimed is {bound}"
    need(proven >= Fraction(bound), _PART, found)

    own = Number(_loss_of(rows, loss, weights, goal))
    like = ", ".join(["epsilon", "delta", *sorted(asked)])
    least = Number(Fraction(bound))
    return f"Its {goal} loss is {own}; nothing with this {like} has one below {least}."


def _read_weights(weights: list[Any], inputs: int) -> list[Fraction]:
    ok = all(is_type("chance", weight) for weight in weights)
    need(ok, _PART, "weights must be fractions from 0 to 1")
    numbers = [Fraction(weight) for weight in weights]
    need(len(numbers) == inputs and sum(numbers) == 1, _PART, "weights must sum to 1")
    return numbers


def _read_loss(loss: list[Any], inputs: int, outputs: int) -> list[list[Fraction]]:
    ok = len(loss) == inputs and all(
        isinstance(line, list)
        and len(line) == outputs
        and all(is_type("fraction", cost) for cost in line)
        for line in loss
    )
    need(ok, _PART, "the loss needs a line for each input, a fraction for each output")
    return [[Fraction(cost) for cost in line] for line in loss]


def _add_privacy_duals(
    claim: PrivacyClaim, costs: Costs, duals: list[Any], pairs: Iterable[Pair]
) -> Fraction:
    """Add [x, z, [a dual value for each output]]; return what δ gives back, which is below 0."""
    assert claim.epsilon is not None
    near = {way: d for i, j, d in pairs for way in ((i, j), (j, i))} if duals else {}
    free = Fraction(0)
    for item in duals:
        ok = isinstance(item, list) and len(item) == 3 and tuple(item[:2]) in near
        need(ok, _PART, f"found dual values of {brief(item)}; need neighbors, each once")
        x, z, line = item
        ok = isinstance(line, list) and len(line) == len(costs[x])
        ok = ok and all(is_type("hex", value) for value in line)
        need(ok, _PART, f"{x} over {z} needs a dual value for each output, in hex digits")
        _, high, scale = claim.epsilon.times(near.pop((x, z))).power_bounds(FIRST_BITS)
        values = [int(value, 16) for value in line]
        for y, value in enumerate(values):
            costs[x][y] += value
            costs[z][y] += -value * high // scale
        free -= claim.delta * max(values)
    return free


def _add_property_duals(costs: Costs, duals: list[Any], asked: list[str]) -> Fraction:
    """Add [code, a, b, dual value]; return what WH adds, which is not below 0."""
    size, free = len(costs), Fraction(0)
    for item in duals:
        ok = isinstance(item, list) and len(item) == 4 and item[0] in asked
        ok = ok and all(is_type("whole", point) and point < size for point in item[1:3])
        ok = ok and is_type("hex", item[3])
        message = "need an asked property, two points, a dual value in hex digits"
        need(ok, _PART, f"found {brief(item)}; {message}")
        code, a, b, value = *item[:3], int(item[3], 16)
        (x, y), (z, w) = PROPERTIES[code][1](a, b, size - 1)
        costs[x][y] -= value
        if code == "WH":
            free += Fraction(value, size)
        else:
            costs[z][w] += value
    return free


def _loss_of(
    rows: list[list[int]], loss: list[list[Fraction]], weights: list[Fraction], goal: str
) -> Fraction:
    """Return the loss of the table itself."""
    each = [
        Fraction(sum(map(mul, line, row)), sum(row)) for line, row in zip(loss, rows, strict=True)
    ]
    return max(each) if goal == "worst" else sum(map(mul, weights, each), Fraction(0))
