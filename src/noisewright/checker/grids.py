"""Grids of numbers to which noise is added: how many steps apart two neighbors may be.

The inputs are low, low + step, ..., high. The noise is a whole number of steps, so the output is
any number low + k step; or it is moved to the nearest end of the grid if it is outside, which
depends on the output alone and so reveals no more about the input (post-processing).
"""

from .claim import PrivacyClaim
from .document import read_fields
from .neighbors import read_pairs
from .points import read_points
from .report import need

_PART = "mechanism"


def read_grid(claim: PrivacyClaim) -> tuple[int, int]:
    """Return the number of the last point, and how many steps apart two neighbors may be."""
    inputs, outputs = claim.mechanism["inputs"], claim.mechanism["outputs"]
    grid = "kind: grid, low: fraction, high: fraction, step: fraction"
    read_fields(inputs, _PART, grid, f"{grid}, unit: text")
    if outputs != inputs:
        lattice = "kind: lattice, origin: fraction, step: fraction"
        _, origin, step = read_fields(outputs, _PART, lattice)
        same = (origin, step) == (inputs["low"], inputs["step"])
        need(same, _PART, "outputs must be the inputs, or go on from low by the same step")
    last = len(read_points(inputs)) - 1
    shapes = ("relation: adjacent", "relation: replace", "relation: pairs, pairs: list")
    relation, *_ = read_fields(claim.neighbors, "neighbors", *shapes)
    if relation == "pairs":
        return last, max(abs(i - j) for i, j, _ in read_pairs(claim.neighbors, last + 1))
    return last, last if relation == "replace" else 1
