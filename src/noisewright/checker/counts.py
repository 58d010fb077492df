"""What noise on counts costs, in one of many steps.

**How far a person moves counts.** A row is in one cell of a marginal. At worst all rows of a
person leave one cell for another one: counts change by 2 rows in L1, and by 2 rows² in squared
L2; the count of a single query by rows, and rows².

**geometric**: a whole number of noise on each count, P(z) proportional to e^(−decay |z|),
independently. It costs ε = decay times the change in L1.

With `balanced_cells`, noise on a marginal of up to so many cells is not independent: P(z) is
proportional to e^(−decay (|z_1| + |z_2| + ...)) over all z that add up to 0. That costs as much
where neighbors have the same total: they differ by some d that adds up to 0, z → z + d maps these
z to themselves, so that the constants of proportionality are equal, and the exponents differ by
decay |d|_1 at most. A marginal has the same total where each person has one row, since the number
of rows is public. A query has not; nor has a marginal where up to `rows` count of each person,
who may have fewer.

**normal**: independent normal noise on each count, rounded to a whole number. Counts are whole,
so this is the same as rounding the noisy count (post-processing). It costs ρ = (change in squared
L2) / (2 deviation²) (Bun and Steinke 2016, Proposition 1.6).
"""

from fractions import Fraction
from typing import Any

from .document import read_fields
from .numbers import read_positive
from .report import need

_SCALES = {"geometric": "decay", "normal": "deviation"}


def cost_of_counts(noise: Any, kind: str, rows: int, name: str) -> Fraction:
    """Return what noise on the counts of a marginal, or on one query, costs: ε or ρ."""
    field = f"{_SCALES[kind]}: fraction"
    shapes = [f"counts: marginal, {field}", f"counts: query, {field}"]
    if kind == "geometric":
        shapes.append(f"counts: marginal, {field}, balanced_cells: whole")
    counts, text, *balanced = read_fields(noise, name, *shapes)
    message = f"noise that adds up to 0 needs a public total; a person has up to {rows} rows"
    need(not balanced or rows == 1, name, message)
    scale, cells = read_positive(text, name), 2 if counts == "marginal" else 1
    return cells * rows * scale if kind == "geometric" else cells * rows**2 / (2 * scale**2)
