"""What noisy contrasts cost, exactly: ρ as a fraction, from whole numbers alone.

    B      a part of a table: a level of each attribute (`attribute.py`), 0 where it is summed up
    p_B    the precision of the part: 1 / the variance that each cell of its table would have
    h_r    a contrast r of part B, as a vector over all records; |h_r|² = m_r S_B, where S_B is the
           size of the blocks of B and m_r the product of its k (k + 1)  (`contrasts.py`)

Contrast r is released as the whole number ⟨h_r, x⟩ + round(N(0, v_r)), where v_r ≥ m_r / p_B.

**Theorem.** When one person changes x by d, this is ρ-zCDP for

    ρ = ½ Σ_B p_B S_B |Q_B d|²,    Q_B = ⊗ Q_l.

Proof. ⟨h_r, x⟩ is a whole number, so that the sum is the rounding of a normal number, which sees
only that number. Independent normal numbers of variance v_r, moved by ⟨h_r, d⟩, are ρ-zCDP for
ρ = Σ_r ⟨h_r, d⟩² / (2 v_r) (Bun–Steinke 2016, Prop 1.6 and Lemma 1.7), and
⟨h_r, d⟩² / v_r ≤ p_B S_B ⟨h_r / |h_r|, d⟩². The h_r / |h_r| are an orthonormal basis of the range
of Q_B, so that these add up to p_B S_B |Q_B d|². ∎

A row is d = e_j, with S_B |Q_B e_j|² = ∏ (1 − 1/b) over the levels above 0: a part costs less than
its table, whose cost has factors 1 (Xiao, He, Zhang, Kifer 2023, Theorem 4). Let |d|_p² be
Σ_B p_B S_B |Q_B d|², a seminorm squared. A person with up to r rows changes x by

    add or remove    d = u, a sum of up to r rows: |d|_p² ≤ r² |e_j|_p²
    replace          d = u − v, two such sums: convex in (u, v), so largest at the corners of the
                     sets they are in, r e_j or 0: r² max(|e_j|_p², max |e_j − e_k|_p²)
    the same with a public number of rows   as many rows in u and v: r² max |e_j − e_k|_p².

|e_j|_p² is the same for all j, and |e_j − e_k|_p² = 2 |e_j|_p² − 2 Σ_B p_B S_B ⟨Q_B e_j, Q_B e_k⟩
depends on the first levels that tell j and k apart, attribute by attribute; all of these are looked
through. Where they are too many, each part is charged for the pair that is worst for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, final

from noisewright.given import flag, one_of, whole_number
from noisewright.queries.planning.attribute import Attribute

Levels = tuple[int, ...]

MOST_PAIRS = 1 << 16
"""So many kinds of pairs of rows are looked through."""


@final
@dataclass(frozen=True)
class Neighbors:
    """What one person can change: up to `rows` rows, and whether their number is public.

    `total_is_public`: all neighbors have the same number of rows in the tables that are asked for.
    It takes "replace", no filter, and rows that are in some cell of each table. `each_row`: each
    row is a person, so that with "replace" neighbors have as many rows, in cells or elsewhere.
    """

    change: Literal["replace", "add or remove"]
    rows: int = 1
    total_is_public: bool = False
    each_row: bool = False

    def __post_init__(self) -> None:
        one_of(self.change, ("replace", "add or remove"), name="change")
        whole_number(self.rows, name="rows", least=1)
        if flag(self.total_is_public, name="total_is_public"):
            one_of(self.change, ("replace",), name="change", where="where the total is public, ")
        if flag(self.each_row, name="each_row"):
            whole_number(self.rows, name="rows", least=1, most=1)


def contrast_cost(
    axes: Sequence[Attribute], precisions: Mapping[Levels, Fraction], neighbors: Neighbors
) -> Fraction:
    """Return the ρ of contrasts of these parts with these precisions, as the theorem has it.

    Requires: a level of each axis in each part. Ensures: exact, or above where there are more than
    2^16 kinds of pairs; it never falls when a precision rises.
    """
    own = sum((p * row_cost(axes, part) for part, p in precisions.items()), Fraction(0))
    candidates = [] if neighbors.total_is_public else [own]
    if neighbors.change == "replace":
        candidates.append(_largest_distance(axes, precisions, own))
    return max(candidates) * neighbors.rows**2 / 2


def row_cost(axes: Sequence[Attribute], part: Levels) -> Fraction:
    """Return S_B |Q_B e_j|²."""
    chosen = [axis.branching[level - 1] for axis, level in zip(axes, part, strict=True) if level]
    return Fraction(math.prod(b - 1 for b in chosen), math.prod(chosen))


def pair_cost(axes: Sequence[Attribute], part: Levels) -> Fraction:
    """Return the largest S_B |Q_B (e_j − e_k)|²: they differ where there are fewest branches."""
    chosen = [axis.branching[level - 1] for axis, level in zip(axes, part, strict=True) if level]
    if not chosen:
        return Fraction(0)
    least = min(chosen)
    return 2 * row_cost(axes, part) * Fraction(least, least - 1)


def count_pairs(axes: Sequence[Attribute]) -> int:
    """Return how many kinds of pairs of rows there are, the pair of equal rows among them."""
    return math.prod(axis.height + 1 for axis in axes)


def _largest_distance(
    axes: Sequence[Attribute], precisions: Mapping[Levels, Fraction], own: Fraction
) -> Fraction:
    if count_pairs(axes) > MOST_PAIRS:
        each = (p * pair_cost(axes, part) for part, p in precisions.items())
        return sum(each, Fraction(0))
    scaled = {
        part: p / math.prod(axis.branching[k - 1] for axis, k in zip(axes, part, strict=True) if k)
        for part, p in precisions.items()
    }
    common = math.lcm(*(value.denominator for value in scaled.values()))
    least = _least_product(
        axes, {part: int(value * common) for part, value in scaled.items()}, is_same=True
    )
    return Fraction(0) if least is None else 2 * (own - Fraction(least, common))


def _least_product(
    axes: Sequence[Attribute], parts: dict[Levels, int], *, is_same: bool
) -> int | None:
    """Return the least Σ_B p_B S_B ⟨Q_B e_j, Q_B e_k⟩ over all kinds of pairs of different rows.

    One attribute after the other is told apart at each of its levels, or not at all (`is_same`).
    """
    if not axes:
        return None if is_same else parts.get((), 0)
    found: list[int] = []
    products = [axes[0].products(level) for level in range(axes[0].height + 1)]
    for apart in range(axes[0].height + 1):
        rest: dict[Levels, int] = {}
        for part, value in parts.items():
            if factor := products[part[0]][apart]:
                rest[part[1:]] = rest.get(part[1:], 0) + factor * value
        least = _least_product(axes[1:], rest, is_same=is_same and apart == axes[0].height)
        if least is not None:
            found.append(least)
    return min(found, default=None)
