"""Section 8: what it costs to release all cells of a table."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np

import noisewright as nw
from papers.claims import Claim, Grid, Setting, judge
from papers.counts.optima import for_l0

Cells = tuple[int, ...]


def neighbors(n: int, *, left_out: bool) -> list[tuple[Cells, Cells]]:
    """List pairs of tables of two cells with at most n people, of which one moves or leaves."""
    tables = [cells for cells in product(range(n + 1), repeat=2) if sum(cells) <= n]
    found: list[tuple[Cells, Cells]] = []
    for a, b in tables:
        if left_out:
            found += [((a, b), other) for other in ((a + 1, b), (a, b + 1)) if sum(other) <= n]
        elif b:
            found.append(((a, b), (a + 1, b - 1)))
    return found


def cost(mechanism: nw.Mechanism, pairs: list[tuple[Cells, Cells]]) -> float:
    """Return the exact ε of releasing both cells by this mechanism."""
    n = mechanism.space.size - 1
    labels = [f"{a},{b}" for a, b in product(range(n + 1), repeat=2)]
    space = nw.Categories(labels, neighbors=[(f"{a},{b}", f"{c},{d}") for (a, b), (c, d) in pairs])
    weights = np.array(mechanism.weights, dtype=object)
    return nw.tight_epsilon(nw.from_matrix(space, np.kron(weights, weights)))


def parallel(setting: Setting) -> Claim:
    """One ε if a person is left out, two if a person is replaced."""
    n = setting.pick(4, 2)
    table: list[list[object]] = []
    once = twice = True
    for alpha in ("0.9", "0.5"):
        epsilon = -math.log(float(Fraction(alpha)))
        for name, mechanism in for_l0(n, alpha).items():
            if name in ("GM", "WM", "EM"):
                out = cost(mechanism, neighbors(n, left_out=True))
                moved = cost(mechanism, neighbors(n, left_out=False))
                once &= abs(out / epsilon - 1) < 1e-9
                twice &= abs(moved / epsilon - 2) < 1e-9
                table.append([name, alpha, epsilon, out, moved])
    return Claim(
        "Section 8",
        "each person is in one cell, so that cells compose in parallel",
        "The procedure is private since each user is in exactly one cell of a joint distribution, "
        "and so parallel composition applies to the overall guarantee.",
        f"All tables of two cells with at most {n} people, both cells released by the same "
        "mechanism, in exact integers: if a person is left out, one cell changes, and both "
        "together cost the ε of one cell. But the paper's groups have n people with a "
        "bit each, and counts differ by one because somebody's bit does, not because somebody "
        "leaves. Then one cell falls, another one rises, and it costs 2ε, no less. A model has "
        "several tables, and their costs add up: naive Bayes of F features costs 2Fε, a Chow–Liu "
        "tree of d columns, which looks at all pairs, d(d − 1)ε.",
        judge(once and not twice, corrected=once and twice),
        "ε for all cells of one table if one person is left out, 2ε if one is replaced; times the "
        "number of tables. Groups do compose in parallel: a person is in one of them.",
        grids=(
            Grid(
                "The ε of two cells together",
                ("mechanism", "α", "ε of one cell", "a person is left out", "is replaced"),
                table,
            ),
        ),
        numbers={"twice": float(twice), "once": float(once)},
    )


CLAIMS = {"parallel": parallel}
