"""Proof for noise on curves: whole numbers from a fixed linear map, each with Laplace noise.

**Statement.** A curve is a whole number of steps v_j, 0 to m, at each of T positions. The matrix
A makes K whole numbers of them, Σ_j A_kj (v_j − m // 2), which are rounded to multiples of
2^shift, halves upwards, if shift > 0. Each gets noise of Z units, P(Z = z) proportional to
e^(−decay |z|), independently. This is ε-private for any two curves if ε ≥ decay (m reach /
2^shift + K), without the K where shift = 0, and with

    reach = max Σ_k |(A d)_k|   over all d with |d_j| ≤ 1.

**Why.** For two curves, |d_j| ≤ m, the numbers move by at most m reach in all, and rounding moves
each of them by less than one unit more. A probability changes by a factor of at most e^decay for
each unit. What is shown of these numbers afterwards reveals no more (post-processing).

**Bounding the reach.** The largest value is at signs d_j = ±1, and it is as large as the largest
Σ_j |Σ_k s_k A_kj| over signs s. With few rows, or few columns, all signs are tried. Else the sum
of all |A_kj| is a bound; and so is, for any positive z_1, ..., z_T, the root of K L Σ_j 1/z_j,
where L is the largest sum of a row of |A Z A'| and Z has the z_j on its diagonal. For K |A d|² is
no less than the square of the sum, and |A d|² is at most the largest eigenvalue of A Z A' times
Σ_j d_j² / z_j (Cauchy-Schwarz, twice); L is no less than that eigenvalue (Gershgorin). The z are
in the certificate; any will do.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

from .claim import PrivacyClaim
from .document import is_type, read_fields
from .numbers import LARGEST_EXPONENT, Number, read_integer, read_number
from .points import read_points
from .report import Findings, fail, need

_PART = "mechanism"
_SHAPE = (
    "form: curve, inputs: object, basis: text, matrix: {}, log2_scale: whole, "
    "shift: whole, decay: object, weights: list"
)
_CURVES = "kind: curves, grid: list, low: fraction, high: fraction, step: fraction"

_MOST_ENTRIES = 2**22
_MOST_SIGNS = 15
_MOST_SUMS = 2**26
_MOST_PRODUCTS = 2**25
_MOST_WEIGHT_BITS = 2**18

Matrix = list[list[int]]


def prove_curve(claim: PrivacyClaim) -> Findings:
    """Prove that ε is at least the decay times the units that two curves may be apart."""
    shapes = (_SHAPE.format("list"), _SHAPE.format("identity"))
    fields = read_fields(claim.mechanism, _PART, *shapes)
    _, inputs, _, matrix, _, shift, decay, weights = fields
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    steps, positions = _read_curves(inputs)
    decay = read_number(decay, _PART)
    if not (decay and decay.ratio == 1 and decay.value > 0 and shift <= LARGEST_EXPONENT):
        fail(_PART, f"need a rational decay above 0, and a shift up to {LARGEST_EXPONENT}")
    inverse = [read_integer(weight, _PART) for weight in weights]
    ok = not inverse or (len(inverse) == positions and min(inverse) > 0)
    need(ok, _PART, f"need {positions} weights above 0, or none")
    if matrix == "identity":
        count, reach = positions, Fraction(positions)
    else:
        rows = _read_matrix(matrix, positions)
        count, reach = len(rows), _bound_reach(rows, inverse)
    moved = steps * reach / 2**shift + (count if shift else 0)
    cost = Number(moved * decay.value)
    if not claim.covers(cost):
        fail("epsilon", f"needs {cost}; claimed is {claim.epsilon}")
    units = Number(moved)
    yield f"Two curves differ by at most {units} units in {count} numbers: no more than epsilon."


def _read_curves(section: Any) -> tuple[int, int]:
    """Return how many steps the values have, and how many positions the curves have."""
    _, grid, low, high, step = read_fields(section, _PART, _CURVES)
    values = {"kind": "grid", "low": low, "high": high, "step": step}
    steps, positions = len(read_points(values)) - 1, len(grid)
    ok = steps > 0 and positions > 0 and all(is_type("fraction", position) for position in grid)
    ok = ok and all(Fraction(a) < Fraction(b) for a, b in pairwise(grid))
    need(ok, _PART, "need positions that rise, and more than one value")
    return steps, positions


def _read_matrix(matrix: list[Any], positions: int) -> Matrix:
    sizes = [len(row) if isinstance(row, list) else 0 for row in matrix]
    ok = sizes and {*sizes} == {positions} and len(sizes) * positions <= _MOST_ENTRIES
    need(ok, _PART, f"need rows of {positions} entries each, not too many")
    return [[read_integer(entry, _PART) for entry in row] for row in matrix]


def _bound_reach(rows: Matrix, inverse_weights: list[int]) -> Fraction:
    """Return a bound of Σ_k |(A d)_k| over all d with |d_j| ≤ 1; the weights may be none."""
    count, positions = len(rows), len(rows[0])
    few = rows if count <= positions else [list(column) for column in zip(*rows, strict=True)]
    if len(few) <= _MOST_SIGNS and len(few[0]) << (len(few) - 1) <= _MOST_SUMS:
        return Fraction(_largest_over_signs(few))
    plain = Fraction(sum(abs(entry) for row in rows for entry in row))
    if not inverse_weights:
        return plain
    bits = sum(z.bit_length() for z in {*inverse_weights})
    ok = count * count * positions <= _MOST_PRODUCTS and bits <= _MOST_WEIGHT_BITS
    need(ok, _PART, "these are too many numbers and positions to prove a bound")
    return min(plain, _bound_by_eigenvalue(rows, inverse_weights))


def _largest_over_signs(rows: Matrix) -> int:
    """Return the largest Σ_j |Σ_k s_k A_kj| over signs s, where −s gives the same as s."""
    sums = [sum(column) for column in zip(*rows, strict=True)]
    signs, largest = [1] * len(rows), sum(map(abs, sums))
    for turn in range(1, 1 << (len(rows) - 1)):
        flipped = (turn & -turn).bit_length()  # as in a Gray code: one sign at a time
        signs[flipped] = -signs[flipped]
        change = 2 * signs[flipped]
        sums = [a + change * b for a, b in zip(sums, rows[flipped], strict=True)]
        largest = max(largest, sum(map(abs, sums)))
    return largest


def _bound_by_eigenvalue(rows: Matrix, z: list[int]) -> Fraction:
    """Return the root of K L Σ_j 1/z_j, rounded up."""
    weighted = [[a * b for a, b in zip(row, z, strict=True)] for row in rows]
    sums = (
        sum(abs(sum(a * b for a, b in zip(row, other, strict=True))) for other in rows)
        for row in weighted
    )
    inverses = sum((Fraction(times, weight) for weight, times in Counter(z).items()), Fraction(0))
    return _root_above(len(rows) * max(sums) * inverses)


def _root_above(square: Fraction) -> Fraction:
    """Return the square root, rounded up to a multiple of 2^−256 / denominator."""
    scaled = square.numerator * square.denominator << 512
    root = isqrt(scaled)
    return Fraction(root + (root * root < scaled), square.denominator << 256)
