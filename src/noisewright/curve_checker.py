"""Check noise for curves: how far two curves can be apart in the numbers that are released.

This file belongs beside `checker.py` and `formula_checker.py`, which calls it for certificates of
curves. Only the standard library is used.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

LARGEST = 2**12  # shifts beyond it belong to no sensible claim


def prove_curve(
    checker: Any, given: Any, neighbors: Any, epsilon: Any, delta: Fraction
) -> Iterator[str]:
    """Prove noise for curves: whole numbers from a fixed linear map, each with Laplace noise.

    A curve is a whole number of steps v_j, 0 to m, at each of T positions. A, the matrix, makes
    K whole numbers of them, sum_j A_kj (v_j - m // 2), which are rounded to multiples of 2^shift
    (halves upwards) if shift > 0. Noise of z units has a probability proportional to
    e^(-decay |z|), independently for each number. For two curves, |d_j| <= m, the numbers move
    by sum_k |(A d)_k| <= m reach(A) in all, and rounding moves each by less than one unit more.
    A probability changes by a factor of at most e^decay for each unit. What is shown of these
    numbers afterwards reveals no more.
    """
    need = checker.need
    shape = "form: curve, inputs: object, basis: text, matrix: {}, log2_scale: whole, "
    shape += "shift: whole, decay: object, weights: list"
    shapes = (shape.format("list"), shape.format("identity"))
    _, inputs, _, matrix, _, shift, decay, weights = checker.fit(given, "mechanism", *shapes)
    checker.fit(neighbors, "neighbors", "relation: replace")
    curves = "kind: curves, grid: list, low: fraction, high: fraction, step: fraction"
    _, grid, low, high, step = checker.fit(inputs, "mechanism", curves)
    values = {"kind": "grid", "low": low, "high": high, "step": step}
    steps, positions = len(checker.read_points(values)) - 1, len(grid)
    ok = steps > 0 and positions > 0 and all(map(checker.TYPES["fraction"], grid))
    ok = ok and all(Fraction(a) < Fraction(b) for a, b in pairwise(grid))
    need(ok, "mechanism", "need positions that rise, and more than one value")
    decay = checker.read_number(decay, "mechanism")
    ok = decay and decay.ratio == 1 and decay.value > 0 and shift <= LARGEST
    need(ok, "mechanism", f"need a rational decay above 0, and a shift up to {LARGEST}")
    inverse = [read_whole(checker, weight) for weight in weights]
    ok = not inverse or (len(inverse) == positions and min(inverse) > 0)
    need(ok, "mechanism", f"need {positions} weights above 0, or none")
    if matrix == "identity":
        count, reached = positions, Fraction(positions)
    else:
        sizes = [len(row) if isinstance(row, list) else 0 for row in matrix]
        ok = sizes and {*sizes} == {positions} and len(sizes) * positions <= 2**22
        need(ok, "mechanism", f"need rows of {positions} entries each, not too many")
        rows = [[read_whole(checker, entry) for entry in row] for row in matrix]
        count, reached = len(rows), reach(checker, rows, inverse)
    moved = steps * reached / 2**shift + (count if shift else 0)
    cost = checker.Number(moved * decay.value)
    need(not (epsilon and cost > epsilon), "epsilon", f"needs {cost}; claimed is {epsilon}")
    units = checker.Number(moved)
    yield f"Two curves differ by at most {units} units in {count} numbers: no more than epsilon."


def read_whole(checker: Any, text: Any) -> int:
    """Return a whole number written in decimal digits, not too many of them."""
    ok = checker.TYPES["fraction"](text) and "/" not in text and len(text.lstrip("-")) < 99
    checker.need(ok, "mechanism", f"found {checker.brief(text)}; need a whole number in digits")
    return int(text)


def reach(checker: Any, rows: list[list[int]], z: list[int]) -> Fraction:
    """Bound sum_k |(A d)_k| over all d with |d_j| <= 1.

    The largest is at signs d, and equal to that of sum_j |sum_k s_k A_kj| over signs s. With few
    rows or columns all signs are tried, one flip at a time. Else the sum of all |A_kj| is a
    bound; and so is, for any positive z, the root of K L sum_j 1/z_j, where L is the largest
    sum of a row of |A Z A'|: K |A d|^2 is no less than the square of the sum, |A d|^2 is at most
    the largest eigenvalue of A Z A' times sum_j d_j^2 / z_j, and L is no less than that
    (Cauchy-Schwarz, twice, and Gershgorin).
    """
    count, positions = len(rows), len(rows[0])
    few = rows if count <= positions else [list(column) for column in zip(*rows, strict=True)]
    if len(few) <= 15 and len(few[0]) << (len(few) - 1) <= 2**26:
        return Fraction(largest_over_signs(few))
    plain = Fraction(sum(abs(entry) for row in rows for entry in row))
    if not z:
        return plain
    ok = count * count * positions <= 2**25 and sum(w.bit_length() for w in {*z}) <= 2**18
    checker.need(ok, "mechanism", "these are too many numbers and positions to prove a bound")
    heavy = [[a * b for a, b in zip(row, z, strict=True)] for row in rows]
    sums = (
        sum(abs(sum(a * b for a, b in zip(row, other, strict=True))) for other in rows)
        for row in heavy
    )
    often = Counter(z).items()
    square = count * max(sums) * sum((Fraction(n, w) for w, n in often), Fraction(0))
    return min(plain, root_above(square))


def largest_over_signs(rows: list[list[int]]) -> int:
    """Return the largest sum_j |sum_k s_k A_kj| over signs s; the first may stay, as -s is s."""
    sums = [sum(column) for column in zip(*rows, strict=True)]
    signs, largest = [1] * len(rows), sum(map(abs, sums))
    for turn in range(1, 1 << (len(rows) - 1)):
        flipped = (turn & -turn).bit_length()  # as in a Gray code: one sign at a time
        signs[flipped] = -signs[flipped]
        change = 2 * signs[flipped]
        sums = [a + change * b for a, b in zip(sums, rows[flipped], strict=True)]
        largest = max(largest, sum(map(abs, sums)))
    return largest


def root_above(square: Fraction) -> Fraction:
    """Return the square root, rounded up to a multiple of 2^-256 / denominator."""
    scaled = square.numerator * square.denominator << 512
    root = isqrt(scaled)
    return Fraction(root + (root * root < scaled), square.denominator << 256)


if __name__ == "__main__":
    sys.stderr.write("This file only helps checker.py beside it: run `python checker.py a.json`.\n")
    sys.exit(2)
