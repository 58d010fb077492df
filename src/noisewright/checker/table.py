"""Proof for a table: every probability is in the certificate, as an integer over a total.

**Statement.** Row x of the table has the weights w(x, y), and P(y | x) = w(x, y) / total. For
each pair of neighbors, in both directions, and every set S of outputs,

    P(S | x) ≤ e^ε P(S | z) + δ,

where ε is multiplied by the distance of x and z if the neighbors are a metric.

**Why the sums prove it.** Each row sums to the total exactly, so it is a distribution. Times the
total, the worst set of outputs exceeds what is allowed exactly if Σ_y max(0, w(x, y) − e^ε w(z, y))
> δ total (see `numbers.py`), which is decided in integers.

**A short cut.** Let m(y) be the least weight of output y in any row. Replacing w(z, y) by m(y)
makes the sum no smaller: an input x that passes against m passes against each neighbor. Only the
others, if any, are compared pair by pair.

**On trust.** That the program that randomized the data used this table. No file can prove that.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from .bound import prove_bound
from .claim import PrivacyClaim
from .document import is_type, read_fields
from .neighbors import Pair, read_pairs
from .numbers import Number, find_excess
from .points import TOTAL_FIELDS, read_points, read_total
from .properties import prove_properties
from .report import Failure, Findings, fail, need

_PART = "mechanism"
_SHAPE = "form: table, inputs: object, outputs: object, weights: list"


@dataclass(frozen=True)
class _Weights:
    """The weights of a table, and the names of its inputs and outputs for messages."""

    inputs: Sequence[Any]
    outputs: Sequence[Any]
    rows: list[list[int]]
    total: int


def prove_table(claim: PrivacyClaim) -> Findings:
    """Prove privacy, then the structural properties, then that no mechanism is better."""
    table = _read_table(claim.mechanism)
    sums = _name_total(claim.mechanism, table.total)
    inputs, outputs = len(table.inputs), len(table.outputs)
    yield f"Each of the {inputs} inputs has {outputs} weights, which sum to exactly {sums}."
    pairs = read_pairs(claim.neighbors, inputs)
    broken = _find_broken_pair(claim, table, pairs)
    if broken is None:
        relation = claim.neighbors["relation"]
        yield f"Neighbors ({relation}) pass, both ways, for every set of outputs."
    else:
        yield _explain_broken_pair(claim, table, *broken)
    yield from prove_properties(claim, table.inputs, table.outputs, table.rows, table.total)
    if claim.optimality is not None:
        yield prove_bound(claim, table.rows, read_pairs(claim.neighbors, inputs))


def _read_table(mechanism: dict[str, Any]) -> _Weights:
    shapes = (f"{_SHAPE}, {field}" for field in TOTAL_FIELDS)
    _, inputs, outputs, weights, _ = read_fields(mechanism, _PART, *shapes)
    total = read_total(mechanism)
    table = _Weights(read_points(inputs), read_points(outputs), [], total)
    size, width = len(table.inputs), len(table.outputs)
    need(len(weights) == size, _PART, f"found {len(weights)} rows; need {size}")
    for number, row in enumerate(weights):
        ok = isinstance(row, list) and len(row) == width and all(is_type("hex", w) for w in row)
        need(ok, _PART, f"row {number} needs {width} strings of lowercase hex digits")
        table.rows.append([int(weight, 16) for weight in row])
        found = sum(table.rows[-1])
        if found != total:
            needed = _name_total(mechanism, total)
            fail("row sums", f"row {number} sums to {hex(found)[:99]}; need {needed}")
    return table


def _name_total(mechanism: dict[str, Any], total: int) -> str:
    return f"2^{mechanism['log2_total']}" if "log2_total" in mechanism else hex(total)[:99]


def _find_broken_pair(
    claim: PrivacyClaim, table: _Weights, pairs: Iterable[Pair]
) -> tuple[int, int, Number, Fraction] | None:
    """Return inputs x and z, their ε, and a bound of its power with which x exceeds z."""
    if claim.epsilon is None:
        return None
    rows, allowed = table.rows, claim.delta * table.total
    least = [min(column) for column in zip(*rows, strict=True)]
    by_distance = "distances" in claim.neighbors  # and neighbors may be as close as they like
    first = claim.epsilon.times(0 if by_distance else 1)
    hard = {x for x, row in enumerate(rows) if find_excess(row, least, first, allowed) is not None}
    for i, j, distance in pairs:
        for x, z in ((i, j), (j, i)):
            if x in hard:
                epsilon = claim.epsilon.times(distance)
                power = find_excess(rows[x], rows[z], epsilon, allowed)
                if power is not None:
                    return x, z, epsilon, power
    return None


def _explain_broken_pair(
    claim: PrivacyClaim, table: _Weights, x: int, z: int, epsilon: Number, power: Fraction
) -> Failure:
    """Name the worst set of outputs, and what it would need: another ε, or another δ.

    With δ, the least ε is that of the worst of the sets of the y with the largest ratios P(y|x) /
    P(y|z): the largest (P(S|x) − δ) / P(S|z) among them.
    """
    p, q = ([Fraction(w, table.total) for w in table.rows[i]] for i in (x, z))
    event = [y for y in range(len(p)) if p[y] > power * q[y]]
    event.sort(key=lambda y: q[y] / p[y])
    sums = [list(accumulate(row[y] for y in event)) for row in (p, q)]
    over = [(a - claim.delta, b) for a, b in zip(*sums, strict=True) if a > claim.delta]
    finite = over[0][1] > 0
    least = Number(Fraction(0), max(a / b for a, b in over)) if finite else "infinity"
    here, there = sums[0][-1], sums[1][-1]
    names = ", ".join(str(table.outputs[y]) for y in event)
    return Failure(
        "delta" if claim.delta else "epsilon",
        f"outputs {names} have probability {Number(here)} on input {table.inputs[x]}, but "
        f"{Number(there)} on its neighbor {table.inputs[z]}; with delta {Number(claim.delta)} they "
        f"need epsilon {least}, with epsilon {epsilon} they need delta "
        f"{Number(here - there * power)}",
    )
