"""Bring your own mechanism: from floats, fractions or integer weights to a table."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError, TableError
from noisewright.exact import exactly, show
from noisewright.given import amount
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.table import Table, read_outputs
from noisewright.public import public
from noisewright.spaces import Space

_TOLERANCE = Fraction(1, 10**9)
"""Rows of floats may miss 1 by this much: the rounding of a careless sum, not an error."""

_LONGEST_TOTAL = 1 << 16
"""Bits of the largest common denominator: tables over a larger one could not be sampled."""


@public
def from_matrix(space: Space, matrix: Any, *, outputs: Any = None) -> Table:
    """Return the finite mechanism with these probabilities, one row per input.

    Requires: floats, Fractions or texts such as "0.1" and "1/3" whose rows sum to 1 up to
    rounding, or integer weights whose rows have one common sum.
    Ensures: every entry is kept exactly, floats bit for bit, except that what a row lacks to 1 is
    added to its largest entry. Zeros stay zeros. No guarantee is claimed: ask `tight_epsilon` or
    `verify`.
    """
    if not isinstance(space, Space):
        raise TableError(
            f"from_matrix(space, matrix): the first argument is a {type(space).__name__}; it must "
            "be a space such as Counts(8) or Categories([...])."
        )
    rows = _rows(matrix)
    if len(rows) != space.size:
        raise TableError(
            f"the matrix has {len(rows)} rows; {space!r} has {amount(space.size)} points, and each "
            "needs one row."
        )
    released = read_outputs(outputs, columns=len(rows[0]), space=space)
    require_tabulable(space, released, instead="Use a smaller space.")
    whole, total = _whole_rows(rows)
    weights = np.empty((space.size, released.size), dtype=object)
    for x, row in enumerate(whole):
        weights[x] = row
    return Table(space, weights, total=total, outputs=released, name="mechanism")


def _rows(matrix: Any) -> list[list[Any]]:
    if hasattr(matrix, "to_numpy") and not isinstance(matrix, type):
        matrix = matrix.to_numpy()
    if isinstance(matrix, np.ndarray):
        if matrix.ndim != 2:
            raise TableError(f"the matrix has {matrix.ndim} dimensions; it must have two.")
        rows: list[list[Any]] = matrix.tolist()
    elif isinstance(matrix, Sequence) and not isinstance(matrix, (str, bytes)):
        if any(isinstance(row, (str, bytes)) for row in matrix):
            raise TableError("the matrix must be a list of rows of numbers; a row is a text.")
        try:
            rows = [
                [cell.item() if isinstance(cell, np.generic) else cell for cell in row]
                for row in matrix
            ]
        except TypeError as problem:
            raise TableError("the matrix must be a list of rows of numbers.") from problem
    else:
        raise TableError(f"the matrix is a {type(matrix).__name__}; give a list of rows.")
    if not rows or not rows[0]:
        raise TableError("the matrix is empty; it needs one row per input.")
    for x, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise TableError(f"row {x} has {len(row)} entries, row 0 has {len(rows[0])}.")
    return rows


def _whole_rows(rows: list[list[Any]]) -> tuple[list[list[int]], int]:
    """Return integer weights, and the total that each row of them sums to."""
    kinds = {type(entry) for row in rows for entry in row}
    if kinds == {int}:
        return _from_integers(rows)
    if kinds == {float}:
        return _from_floats(np.array(rows))
    return _from_rationals([_exact_row(x, row) for x, row in enumerate(rows)])


def _from_integers(rows: list[list[int]]) -> tuple[list[list[int]], int]:
    total = sum(rows[0])
    for x, row in enumerate(rows):
        for y, entry in enumerate(row):
            if entry < 0:
                raise _negative(x, y, entry)
        if sum(row) != total or total == 0:
            raise TableError(
                f"row {x} of integer weights sums to {sum(row)}, row 0 to {total}; all rows need "
                "one common positive sum."
            )
    return rows, total


def _from_floats(matrix: NDArray[np.float64]) -> tuple[list[list[int]], int]:
    """Read doubles bit for bit: each is an integer of 53 bits times a power of two."""
    for wrong in np.argwhere(~np.isfinite(matrix)):
        x, y = wrong.tolist()
        raise TableError(
            f"the entry at row {x}, column {y} is {matrix[x, y]}; probabilities are finite."
        )
    for wrong in np.argwhere(matrix < 0):
        x, y = wrong.tolist()
        raise _negative(x, y, matrix[x, y])
    fractions, exponents = np.frexp(matrix)
    mantissas = np.ldexp(fractions, 53).astype(np.int64)
    shifts = exponents.astype(np.int64) - 53
    used = shifts[mantissas > 0]
    bits = int(max(0, -used.min())) if used.size else 0
    weights = mantissas.astype(object) << np.where(mantissas > 0, shifts + bits, 0).astype(object)
    total = 1 << bits
    return [_complete(x, row, total) for x, row in enumerate(weights.tolist())], total


def _from_rationals(rows: list[list[Fraction]]) -> tuple[list[list[int]], int]:
    total = 1
    for denominator in {entry.denominator for row in rows for entry in row}:
        total = lcm(total, denominator)
        if total.bit_length() > _LONGEST_TOTAL:
            raise TableError(
                f"the entries have no common denominator of up to {_LONGEST_TOTAL:,} bits, so they "
                "cannot be kept exactly. Give floats, or round them to a common denominator."
            )
    whole = [[int(entry * total) for entry in row] for row in rows]
    return [_complete(x, row, total) for x, row in enumerate(whole)], total


def _complete(x: int, row: list[int], total: int) -> list[int]:
    """Give what a row misses to the total to its largest entry; refuse more than rounding."""
    missing = total - sum(row)
    if abs(missing) > _TOLERANCE * total:
        raise TableError(
            f"row {x} sums to {show(Fraction(sum(row), total), 12)}; each row must sum to 1 "
            f"(rounding up to {float(_TOLERANCE):g} is corrected; divide single-precision rows by "
            "their sums first). Rows are inputs here: if the columns sum to 1, transpose the "
            "matrix."
        )
    largest = max(range(len(row)), key=row.__getitem__)
    return [*row[:largest], row[largest] + missing, *row[largest + 1 :]]


def _exact_row(x: int, row: list[Any]) -> list[Fraction]:
    entries: list[Fraction] = []
    for y, entry in enumerate(row):
        try:
            value = exactly(entry, name=f"the entry at row {x}, column {y}")
        except ParameterError as problem:
            raise TableError(str(problem)) from problem
        if value < 0:
            raise _negative(x, y, entry)
        entries.append(value)
    return entries


def _negative(x: int, y: int, entry: Any) -> TableError:
    return TableError(f"the entry at row {x}, column {y} is {entry}; probabilities are at least 0.")
