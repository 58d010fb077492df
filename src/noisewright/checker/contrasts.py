"""What noisy contrasts of tables cost: the part of `query.py` for tables that are asked together.

**Statement.** Rows are counted by some attributes, each with a tree over its cells: level 0 is one
block, level l divides each block of level l − 1 into b_l blocks, and the blocks of the last level
are cells, of which some at the end may be without use. A *part* has a level of each attribute. Its
table counts rows by the blocks of these levels. Along each attribute with a level above 0, the
branches x_0 … x_(b−1) of a block become the contrasts c_k = x_0 + … + x_(k−1) − k x_k, for k = 1
to b − 1. Each number of the part, a contrast along each such attribute, gets rounded normal noise
of variance at least m / p, independently, where m is the product of its k (k + 1), and p the
*precision* of the part.

**Cost.** The vectors of the contrasts of a block are orthogonal to each other and to the sum, and
have squared lengths k (k + 1). So a person who changes the table of a part by d changes its
numbers, each divided by √m, by the projection Q d onto the space of contrasts, which costs
p |Q d|² / 2 (`query.py`: Σ change² / (2 variance)); costs of parts add up. For rows j and k,
⟨Q e_j, Q e_k⟩ is a product over the attributes; where l is the level, and t the first level that
tells j and k apart, the factor is

    1 where l = 0,    1 − 1/b_l where 0 < l < t or nothing tells them apart,
    −1/b_l where l = t,    0 where l > t.

Let f(t_1, t_2, …) be the sum over parts of p times this product. Then one row costs f(same)/2, and
replacing a row by another one f(same) − f(t) for some t. A person with up to r rows costs at most
r² times as much: the cost is convex in what is taken away and what is put in its place, hence
largest where either is r rows in one cell, or nothing.
"""

from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import Any

from .document import brief, is_type, read_fields
from .numbers import read_positive
from .report import need

_PART = "levels: list, precision: fraction"
_MOST_PARTS = 2**16
_MOST_PAIRS = 2**16
_MOST_LEVELS = 256

Trees = list[list[int]]


def cost_of_contrasts(
    branching: Any, parts: Any, sizes: list[int], rows: int, change: str, name: str
) -> Fraction:
    """Return the ρ of noisy contrasts, for a person with so many rows at most.

    Where pairs of rows are of too many kinds to look through, each part is charged for the pair
    that is worst for it: two rows that differ in one attribute, that of its fewest branches.
    """
    trees = _read_trees(branching, sizes, name)
    precisions = _read_parts(parts, trees, name)
    own = sum((p * _row(trees, levels) for levels, p in precisions.items()), Fraction(0))
    worst = own
    if change == "replace":
        if prod(len(tree) + 1 for tree in trees) <= _MOST_PAIRS:
            worst = max(own, 2 * (own - _least(trees, precisions)))
        else:
            pairs = (2 * p * _pair(trees, levels) for levels, p in precisions.items())
            worst = max(own, sum(pairs, Fraction(0)))
    return worst * rows**2 / 2


def _read_trees(branching: Any, sizes: list[int], name: str) -> Trees:
    need(len(branching) == len(sizes), name, f"found {len(branching)} trees; need {len(sizes)}")
    for tree, size in zip(branching, sizes, strict=True):
        ok = is_type("list", tree) and all(is_type("whole", b) and b > 1 for b in tree)
        need(ok and prod(tree) >= size, name, f"found the tree {brief(tree)}; need {size} cells")
    levels = sum(map(len, branching))
    need(levels <= _MOST_LEVELS, name, f"found {levels} levels; need at most {_MOST_LEVELS}")
    return branching


def _read_parts(parts: Any, trees: Trees, name: str) -> dict[tuple[int, ...], Fraction]:
    ok = 0 < len(parts) <= _MOST_PARTS
    need(ok, name, f"found {len(parts)} parts; need 1 to {_MOST_PARTS}")
    found: dict[tuple[int, ...], Fraction] = {}
    for part in parts:
        levels, precision = read_fields(part, name, _PART)
        ok = len(levels) == len(trees) and all(is_type("whole", level) for level in levels)
        ok = ok and all(level <= len(tree) for level, tree in zip(levels, trees, strict=True))
        need(ok, name, f"found the levels {brief(levels)}; need one of each tree")
        need(tuple(levels) not in found, name, f"the levels {brief(levels)} are there twice")
        found[tuple(levels)] = read_positive(precision, name)
        below = found[tuple(levels)].denominator
        need(below & (below - 1) == 0, name, f"the denominator of {precision} is no power of two")
    return found


def _branches(trees: Trees, levels: tuple[int, ...]) -> list[int]:
    return [tree[level - 1] for tree, level in zip(trees, levels, strict=True) if level]


def _row(trees: Trees, levels: tuple[int, ...]) -> Fraction:
    return prod((1 - Fraction(1, b) for b in _branches(trees, levels)), start=Fraction(1))


def _pair(trees: Trees, levels: tuple[int, ...]) -> Fraction:
    """Return the largest half of |Q (e_j − e_k)|² of one part."""
    least = min(_branches(trees, levels), default=0)
    return _row(trees, levels) * Fraction(least, least - 1) if least else Fraction(0)


def _least(trees: Trees, precisions: dict[tuple[int, ...], Fraction]) -> Fraction:
    """Return the least f(t) over all kinds of pairs of different rows."""
    scale = lcm(*(p.denominator for p in precisions.values()))
    levels_of = [range(len(tree) + 1) for tree in trees]
    values = [int(precisions.get(levels, Fraction(0)) * scale) for levels in product(*levels_of)]
    for tree, levels in zip(trees, levels_of, strict=True):
        # The levels of the first attribute become its kinds of pairs, which move to the end.
        whole = lcm(*tree)
        factors = [[_factor(tree, level, kind, whole) for level in levels] for kind in levels]
        step = len(values) // len(levels)
        lines = [values[level * step : (level + 1) * step] for level in levels]
        values = [
            sum(factor * number for factor, number in zip(each, column, strict=True) if factor)
            for column in zip(*lines, strict=True)
            for each in factors
        ]
        scale *= whole
    # The last kind is that of rows in the same cell.
    return Fraction(min(values[:-1], default=values[-1]), scale)


def _factor(tree: list[int], level: int, kind: int, whole: int) -> int:
    """Return `whole` times a factor; kind t − 1 means t, the last one that nothing differs."""
    if level == 0:
        return whole
    each = whole // tree[level - 1]
    if kind < level - 1:
        return 0
    return -each if kind == level - 1 else whole - each
