"""Sufficient sets: the few events that decide privacy for a pair of neighbors.

Holohan–Leith–Mason 2016, Section 3, for any finite mechanism. Theorem 2: only subsets of
S = {y : P(y|x) > P(y|x')} matter. Theorem 3: S splits into cells of equal ratio P(y|x)/P(y|x').
Corollary 1, stated for δ = 0: the cells alone decide. For δ > 0, of which the paper claims nothing,
they do not: there the one event {y : P(y|x) > e^ε P(y|x')}, a union of cells, decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.errors import SpaceError
from noisewright.exact import Epsilon, Number, scale_epsilon
from noisewright.mechanisms import Mechanism
from noisewright.privacy.subject import table_under_test
from noisewright.public import public, public_methods
from noisewright.spaces import Distance


@dataclass(frozen=True)
class Cell:
    """Outputs that share one ratio P(y|x)/P(y|x') > 1; None stands for infinity."""

    ratio: Fraction | None
    outputs: tuple[Any, ...]
    p: Fraction
    q: Fraction


@public_methods
@dataclass(frozen=True)
class SufficientSets:
    """What must be checked for one ordered pair of neighbors."""

    input: Any
    neighbor: Any
    cells: tuple[Cell, ...]
    """The cells S¹, S², … by falling ratio (Theorem 3)."""
    distance: Distance = 1
    """How often ε counts between the two: their distance with neighbors="metric", else once."""

    @property
    def worst_outputs(self) -> tuple[Any, ...]:
        """The set S of outputs that are likelier on the input than on its neighbor (8)."""
        return tuple(output for cell in self.cells for output in cell.outputs)

    @property
    def subset_count(self) -> int:
        """How many non-empty subsets of S Theorem 2 leaves to check: 2^|S| − 1."""
        return (1 << len(self.worst_outputs)) - 1

    def deciding(self, epsilon: Number | Epsilon) -> tuple[Any, ...]:
        """Return the one event that decides (ε, δ) for every δ: the cells with ratio above e^ε."""
        exact = scale_epsilon(Epsilon.of(epsilon), self.distance)
        return tuple(
            output
            for cell in self.cells
            if cell.ratio is None or exact.sign(cell.ratio.numerator, cell.ratio.denominator) > 0
            for output in cell.outputs
        )


@public
def sufficient_sets(mechanism: Mechanism, x: Any, neighbor: Any) -> SufficientSets:
    """Return the sufficient sets of a mechanism for an input and its neighbor.

    The cells are those of the table: where irrational probabilities were rounded, outputs whose
    ideal ratios are equal can be split into cells that differ by rounding. Ties are compared
    exactly; with doubles, rounding inflates the counts (in the paper's Example 2 the 36 ordered
    pairs need 924 subsets, not the printed 1,092).
    Source: Holohan–Leith–Mason 2016, Theorems 2 and 3 and Corollary 1.
    """
    table = table_under_test(mechanism)
    if not table.space.are_neighbors(x, neighbor):
        raise SpaceError(
            f"{x!r} and {neighbor!r} are not neighbors in {table.space!r}; privacy says nothing "
            "about them. Choose two neighbors."
        )
    a, b = table.space.code(x), table.space.code(neighbor)
    over, under = table.weights[a], table.weights[b]
    cells: dict[Fraction | None, list[int]] = {}
    for y, (p, q) in enumerate(zip(over.tolist(), under.tolist(), strict=True)):
        if p > q:
            cells.setdefault(Fraction(p, q) if q else None, []).append(y)
    # Infinity first, then by falling ratio.
    ordered = sorted(cells, key=lambda r: (r is None, r or Fraction(0)), reverse=True)
    return SufficientSets(
        x,
        neighbor,
        tuple(
            Cell(
                ratio,
                tuple(table.outputs.point(y) for y in cells[ratio]),
                Fraction(sum(over[y] for y in cells[ratio]), table.total),
                Fraction(sum(under[y] for y in cells[ratio]), table.total),
            )
            for ratio in ordered
        ),
        table.space.neighbor_distance(a, b),
    )
