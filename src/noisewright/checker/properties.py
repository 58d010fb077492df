"""Proof of structural properties: inequalities between the probabilities of a table.

**Statement.** Each of the seven properties says that one entry of the table is at least another
one, P(first) ≥ P(second), for all points a and b (Cormode, Kulkarni and Srivastava 2018). An
entry is (input, output). WH compares P(a | a) with 1 / (number of points) instead.

**Why the comparisons prove it.** They are all made, in integers.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from .claim import PrivacyClaim
from .numbers import Number
from .report import Failure, Findings, need

Entry = tuple[int, int]
"""An input, and an output."""


def _one_step_nearer(b: int, to: int) -> int:
    return b + (to > b) - (to < b)


PROPERTIES: dict[str, tuple[str, Callable[[int, int, int], tuple[Entry, Entry]]]] = {
    "RH": (
        "each output is most likely on its own input",
        lambda a, b, n: ((a, a), (b, a)),
    ),
    "RM": (
        "an output is less likely the farther the input is from it",
        lambda a, b, n: ((_one_step_nearer(b, a), a), (b, a)),
    ),
    "CH": (
        "the most likely output is the input",
        lambda a, b, n: ((a, a), (a, b)),
    ),
    "CM": (
        "an output is less likely the farther it is from the input",
        lambda a, b, n: ((a, _one_step_nearer(b, a)), (a, b)),
    ),
    "F": (
        "the truth is equally likely on all inputs",
        lambda a, b, n: ((a, a), (b, b)),
    ),
    "S": (
        "reversing all points changes nothing",
        lambda a, b, n: ((a, b), (n - a, n - b)),
    ),
    "WH": (
        "the truth is at least as likely as by guessing",
        lambda a, b, n: ((a, a), (a, a)),
    ),
}
"""Each property in words, and as two entries for points a and b from 0 to n: first ≥ second."""

_FOR_ANY_POINTS = {"RH", "CH", "F", "WH"}
"""The other properties speak of an order of the points."""


def prove_properties(
    claim: PrivacyClaim,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    rows: list[list[int]],
    total: int,
) -> Findings:
    """Yield a sentence or a failure for each property that is claimed."""
    points = claim.mechanism["inputs"]
    for code in claim.properties:
        ordered = code in _FOR_ANY_POINTS or points["kind"] in ("counts", "grid")
        ok = points == claim.mechanism["outputs"] and ordered
        message = "needs outputs like the inputs; RM, CM and S also need counts or a grid"
        need(ok, f"property {code}", message)
        broken = _find_broken_inequality(code, rows, total)
        if broken is None:
            yield f"Property {code} holds: {PROPERTIES[code][0]}."
            continue
        (x, y), (z, w), enough = broken
        less, more = (Number(Fraction(weight, total)) for weight in (rows[x][y], enough))
        whose = "" if code == "WH" else f" = P({outputs[w]} | {inputs[z]})"
        found = f"P({outputs[y]} | {inputs[x]}) = {less} is below {more}{whose}"
        yield Failure(f"property {code}", found)


def _find_broken_inequality(
    code: str, rows: list[list[int]], total: int
) -> tuple[Entry, Entry, int | Fraction] | None:
    """Return two entries, and the weight that the first one should have at least."""
    size, entries = len(rows), PROPERTIES[code][1]
    for a in range(size):
        for b in range(size):
            first, second = entries(a, b, size - 1)
            enough = Fraction(total, size) if code == "WH" else rows[second[0]][second[1]]
            if rows[first[0]][first[1]] < enough:
                return first, second, enough
    return None
