"""Whole numbers that are computed of rows and get noise: what a person can change in them.

`checker/query.py` has the mathematics, and proves it again from what `describe` writes down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError, TooLargeError
from noisewright.exact import as_text, sqrt_bounds
from noisewright.given import quantity
from noisewright.queries.answers.bin_tree import BinTree
from noisewright.queries.noise import CellNoise
from noisewright.relations import (
    Filter,
    Node,
    Paired,
    Repeated,
    Rows,
    SourceRows,
    TallyRequest,
    is_null,
    literal,
    multiply,
    sources,
    sql_of,
    subtract,
    tally,
)

Change = Literal["replace", "add or remove"]
Unit = Literal["epsilon", "rho"]
Adds = Literal["rows", "moments", "levels", "distinct"]

MOST_NUMBERS = 1 << 24
"""The most numbers of one measurement: they are held, drawn and shown."""

_BALANCED = 256
"""Noise of more cells is independent: that it adds up to 0 would save less than 0.6%."""

_BITS = 64


@final
@dataclass(frozen=True)
class PersonBound:
    """A person has at most `rows` rows in each of at most `groups` groups."""

    groups: int
    rows: int

    @property
    def total(self) -> int:
        """How many rows a person has."""
        return self.groups * self.rows

    def least(self, other: PersonBound | None) -> PersonBound:
        """Return the other one if it is smaller in both ways that count: in L1, and in L2."""
        if other is None:
            return self
        squares = [one.groups * one.rows**2 for one in (self, other)]
        return other if other.total <= self.total and squares[1] <= squares[0] else self


def bound_of(rows: Rows, by: tuple[Node, ...]) -> PersonBound | None:
    """Return how many rows a person has in how many groups; None if nothing limits that."""
    if isinstance(rows, SourceRows):
        return PersonBound(1, 1) if rows.person is None else None
    if isinstance(rows, Filter):
        return bound_of(rows.rows, by)
    if isinstance(rows, Paired):
        left, right = bound_of(rows.left, ()), bound_of(rows.right, ())
        return None if left is None or right is None else PersonBound(1, left.total * right.total)
    if isinstance(rows, Repeated):
        before = bound_of(rows.rows, ())
        return None if before is None else PersonBound(1, before.total * rows.times)
    groups = rows.groups or 1
    each = (
        PersonBound(groups, rows.rows_each)
        if rows.by == by
        else PersonBound(1, groups * rows.rows_each)
    )
    return each.least(bound_of(rows.rows, by))


def most_groups(rows: Rows, by: tuple[Node, ...]) -> int | None:
    """Return in how many groups a person has rows; None if nothing limits that."""
    if isinstance(rows, Filter):
        return most_groups(rows.rows, by)
    if isinstance(rows, SourceRows | Paired | Repeated):
        found = bound_of(rows, by)
        return None if found is None else found.total
    # Rows that are not limited by these groups may each be in another one.
    mine = (rows.groups or 1) * (1 if rows.groups and rows.by == by else rows.rows_each)
    before = most_groups(rows.rows, by)
    return mine if before is None else min(mine, before)


@final
@dataclass(frozen=True)
class QueryMeasurement:
    """Numbers for each cell of some groups: how many rows, moments, levels of a tree, or values.

    `of` is what is added up, or whose values are counted; `degree` is that of moments, and `tree`
    has the levels over the values. With `gaps`, moments have one more number: of rows without a
    value.
    """

    what: str
    rows: Rows
    by: tuple[Node, ...]
    adds: Adds = "rows"
    of: Node | None = None
    degree: int = 0
    gaps: bool = False
    tree: BinTree | None = None

    def __post_init__(self) -> None:
        size = self.cells * self.numbers
        if size > MOST_NUMBERS:
            raise TooLargeError(
                f"{self.what} has {quantity(size, 'number')}; at most {MOST_NUMBERS:,} are "
                "possible. Use fewer or coarser groups, for example nw.col(…).cut(edges).",
                size=size,
            )

    @property
    def cells(self) -> int:
        """How many groups there are."""
        return TallyRequest(self.rows, self.by).cells

    @property
    def numbers(self) -> int:
        """How many numbers each group has."""
        if self.adds == "moments":
            return self.degree + 1 + self.gaps
        return 1 if self.tree is None else sum(self.tree.sizes)

    @property
    def width(self) -> int:
        """The width of the range of what is added up."""
        assert self.of is not None
        return self.of.high - self.of.low

    @property
    def row_change(self) -> tuple[int, int]:
        """What one row adds: in L1, and in squared L2."""
        if self.adds == "moments":
            return self.width**self.degree, self.width ** (2 * self.degree)
        added = 1 if self.tree is None else len(self.tree.widths)
        return added, added

    @property
    def bound(self) -> PersonBound:
        """How many rows of a person count."""
        found = bound_of(self.rows, self.by)
        if found is None:
            raise ParameterError(
                "nothing limits how many rows of a person count. Add .limit(rows=…), or "
                ".limit(groups=…, rows=…) to limit the groups and the rows in each."
            )
        return found

    def person_change(self, change: Change) -> tuple[int, int]:
        """Return by how much one person changes the numbers: in L1, and in squared L2."""
        one, squared = self.row_change
        bound = self.bound
        d1, d2 = bound.total * one, bound.groups * bound.rows**2 * squared
        is_one_number = self.cells == 1 and self.numbers == 1 and self.tree is None
        return (d1, d2) if change == "add or remove" or is_one_number else (2 * d1, 2 * d2)

    def noise(self, amount: Fraction, unit: Unit, change: Change) -> CellNoise:
        """Return the noise that a part of ε or ρ buys."""
        d1, d2 = self.person_change(change)
        if unit == "rho":
            above = sqrt_bounds(Fraction(d2) / (2 * amount), _BITS)[1]
            return CellNoise("rho", Fraction(above, 1 << _BITS))
        if self._may_balance(change) and d1 == 2:
            return CellNoise("epsilon", amount / 2, self.cells + 1)
        return CellNoise("epsilon", amount / d1)

    def _may_balance(self, change: Change) -> bool:
        is_row = all(source.person is None for source in sources(self.rows))
        return change == "replace" and is_row and self.adds == "rows" and self.cells < _BALANCED

    def tally(self) -> TallyRequest:
        """Return what the engine computes."""
        if self.adds == "rows":
            return TallyRequest(self.rows, self.by)
        assert self.of is not None
        if self.adds != "moments":
            return TallyRequest(self.rows, (*self.by, self.of))
        low, high = literal(self.of.low), literal(self.of.high)
        above, below = subtract(self.of, low), subtract(high, self.of)
        return TallyRequest(
            self.rows,
            self.by,
            tuple(
                _product(
                    [literal(comb(self.degree, j)), *[above] * j, *[below] * (self.degree - j)]
                )
                for j in range(self.degree + 1)
            )
            + (multiply(is_null(self.of), literal(self.width**self.degree)),) * self.gaps,
        )

    def sql(self) -> str:
        """Return what the engine computes, as SQL where it is one of SQL."""
        return sql_of(self.tally()) or "in memory, by numpy"

    def compute(self) -> NDArray[Any]:
        """Return the numbers, one line for each group, computed by the engine."""
        found = tally(self.tally())
        if self.adds == "rows":
            return found
        if self.adds == "moments":
            return found[:, 1:]
        table = found.reshape(self.cells, -1)
        if self.adds == "distinct":
            return (table > 0).sum(axis=1, dtype=np.int64).reshape(-1, 1)
        assert self.tree is not None
        return self.tree.tally(table)

    def describe(self, noise: CellNoise, amount: Fraction) -> dict[str, Any]:
        """Return the measurement as a certificate writes it."""
        adds: dict[str, Any] = {"kind": self.adds}
        if self.of is not None:
            adds["of"] = self.of.describe()
        if self.adds == "moments":
            adds |= {"degree": self.degree, "gaps": "yes" if self.gaps else "no"}
        if self.tree is not None:
            adds["levels"] = len(self.tree.widths)
        kind, scale = ("normal", "deviation") if noise.unit == "rho" else ("geometric", "decay")
        law: dict[str, Any] = {"kind": kind, scale: as_text(noise.scale)}
        if noise.balanced_cells is not None:
            law |= {"kind": "balanced", "cells": noise.balanced_cells}
        return {
            "what": self.what,
            "rows": describe_rows(self.rows),
            "by": [node.describe() for node in self.by],
            "adds": adds,
            "noise": law,
            "amount": as_text(amount),
        }


def _product(nodes: Sequence[Node]) -> Node:
    found = nodes[0]
    for node in nodes[1:]:
        found = multiply(found, node)
    return found


def describe_rows(rows: Rows) -> dict[str, Any]:
    """Return rows as a certificate writes them."""
    if isinstance(rows, SourceRows):
        return {"rows": "table", "table": rows.name, "person": rows.person or ""}
    if isinstance(rows, Filter):
        return {
            "rows": "filter",
            "of": describe_rows(rows.rows),
            "condition": rows.condition.describe(),
        }
    if isinstance(rows, Paired):
        sides = {"left": describe_rows(rows.left), "right": describe_rows(rows.right)}
        return {"rows": "paired", **sides}
    if isinstance(rows, Repeated):
        what = {"times": rows.times, "column": rows.name}
        return {"rows": "repeated", "of": describe_rows(rows.rows), **what}
    limits: dict[str, Any] = {"rows_each": rows.rows_each}
    if rows.groups is not None:
        limits |= {"groups": rows.groups, "by": [node.describe() for node in rows.by]}
    return {"rows": "limit", "of": describe_rows(rows.rows), **limits}
