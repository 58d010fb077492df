"""Seven structural properties of a mechanism whose outputs are its inputs.

Cormode–Kulkarni–Srivastava 2018, Section 4, with i the output and j the input. The paper
prints matrices with one column per input; here rows are inputs, so its "row" properties
compare the entries of one of our columns. The names are kept because its readers know them.

    RH  row honesty       P(i|i) ≥ P(i|j)
    RM  row monotone      P(i|j) falls as j moves away from i
    CH  column honesty    P(j|j) ≥ P(i|j)
    CM  column monotone   P(i|j) falls as i moves away from j
    F   fairness          P(i|i) is the same for all i
    WH  weak honesty      P(i|i) ≥ 1 / number of points
    S   symmetry          P(i|j) = P(n−i | n−j)

RM, CM and S need an order of the points; the others do not.
"""

from __future__ import annotations

from operator import ge, le
from typing import Any

from numpy.typing import NDArray

from noisewright.mechanisms.mechanism import Mechanism

CODES = ("RH", "RM", "CH", "CM", "F", "WH", "S")
_NEED_ORDER = {"RM", "CM", "S"}


def properties(mechanism: Mechanism) -> frozenset[str]:
    """Return the codes of the properties that the mechanism has, decided on its integers."""
    table = mechanism.table()
    if table.outputs != table.space:
        return frozenset()
    candidates = [code for code in CODES if table.space.ordered or code not in _NEED_ORDER]
    return frozenset(code for code in candidates if _has(code, table.weights, table.total))


def _has(code: str, weights: NDArray[Any], total: int) -> bool:
    rows = weights.tolist()
    columns = weights.T.tolist()
    diagonal = [row[i] for i, row in enumerate(rows)]
    match code:
        case "RH":
            return all(max(column) == d for column, d in zip(columns, diagonal, strict=True))
        case "CH":
            return all(max(row) == d for row, d in zip(rows, diagonal, strict=True))
        case "RM":
            return all(_unimodal(column, i) for i, column in enumerate(columns))
        case "CM":
            return all(_unimodal(row, j) for j, row in enumerate(rows))
        case "F":
            return len(set(diagonal)) == 1
        case "WH":
            return all(d * len(rows) >= total for d in diagonal)
        case _:
            return bool((weights == weights[::-1, ::-1]).all())


def _unimodal(values: list[int], peak: int) -> bool:
    """Tell whether values fall (weakly) on both sides of the peak."""
    rising = all(map(le, values[:peak], values[1 : peak + 1]))
    return rising and all(map(ge, values[peak:], values[peak + 1 :]))
