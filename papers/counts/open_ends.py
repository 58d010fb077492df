"""Section 8, future work: privacy along the outputs, and a program for range queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from papers.claims import Claim, Grid, Setting, Verdict, judge, listed
from papers.counts import rationals
from papers.counts.optima import score, value
from papers.counts.whole_tables import Table, moves, tables

Array = NDArray[np.float64]


def private_along_outputs(P: rationals.Matrix, a: Fraction) -> bool:
    """Check Definition 2 on the columns: neighboring outputs, each input."""
    return rationals.is_private([list(column) for column in zip(*P, strict=True)], a)


def column_privacy(setting: Setting) -> Claim:
    """Bounded ratios of neighboring outputs: EM has them, GM never, and what they cost alone."""
    largest = setting.pick(30, 8)
    em = all(
        private_along_outputs(rationals.fair(n, a), a)
        for n in range(1, largest + 1)
        for a in rationals.ALPHAS
    )
    gm = [
        (n, a)
        for n in range(2, largest + 1)
        for a in rationals.ALPHAS
        if private_along_outputs(rationals.geometric(n, a), a)
    ]
    rows: list[list[object]] = []
    between = True
    for n in setting.pick((2, 4, 8, 12), (4,)):
        for alpha in setting.pick(("0.62", "10/11"), ("10/11",)):
            scores = [score(n, alpha, codes) for codes in ((), ("OD",), ("all", "OD"), ("all",))]
            between &= all(a <= b + 1e-9 for a, b in pairwise(scores))
            between &= abs(scores[2] - scores[3]) < 1e-9
            rows.append([n, alpha, *scores])
    filled = all(
        (value(n, alpha, loss, ("OD",)).mechanism.matrix > 0).all()
        for n, alpha, loss in ((4, "0.78", "L2"), (7, "0.62", "L1"))
    )
    return Claim(
        "Section 8",
        "privacy along the outputs as well",
        "One could apply the privacy constraint to the columns of the mechanism too: this would "
        "bound the ratio of the probabilities of neighboring outputs.",
        f"It is linear, so it is one more property (`OD`). In fractions for n up to {largest} and "
        "eight α EM "
        + ("has it always" if em else "does NOT always have it")
        + ", so together with fairness it costs nothing. GM for n ≥ 2 "
        + ("never has it" if not gm else f"has it in {len(gm)} cases")
        + ": on input 0 the first two outputs have ratio 1/(α(1−α)) > 1/α. By itself it costs more "
        "than GM and at most as much as EM. It also fills the gaps of Fig. 1: "
        + (
            "with it no output of the L1 and L2 optima is impossible."
            if filled
            else "NOT all of them."
        ),
        judge(em and between, more=not gm and filled),
        "EM has it for free.",
        grids=(
            Grid(
                "Least rescaled L0",
                ("n", "α", "GM", "column privacy", "all seven and it", "EM"),
                rows,
            ),
        ),
        numbers={"gm_cases": float(len(gm))},
    )


def ranges_of(cells: int) -> list[tuple[int, int]]:
    """List the ranges of neighboring cells, except all of them together, which is known."""
    return [(a, b) for a in range(cells) for b in range(a + 1, cells + 1) if (a, b) != (0, cells)]


def range_loss(listed: Sequence[Table]) -> Array:
    """Return the mean error over all ranges, for each table and each released table."""
    cells = len(listed[0])
    sums = np.array([[sum(t[a:b]) for a, b in ranges_of(cells)] for t in listed])
    return np.abs(sums[:, None] - sums).mean(axis=2)


def one_by_one(n: int, alpha: Fraction, prefixes: bool) -> float:
    """Return the mean error of a range in three cells if counts are released by GM one by one.

    Either the three cells or the two counts `first cell` and `first two cells`. A person who
    moves changes two of them by one, so each has the root of α.
    """
    half = Fraction(math.isqrt(alpha.numerator), math.isqrt(alpha.denominator))
    law = np.array(rationals.geometric(n, half), dtype=float).T
    every = tables(n, 3)
    total = 0.0
    for table in every:
        asked = (table[0], table[0] + table[1]) if prefixes else table
        for outputs in product(range(n + 1), repeat=len(asked)):
            chance = math.prod(law[c, o] for c, o in zip(asked, outputs, strict=True))
            ends = (0, *outputs, n) if prefixes else np.cumsum((0, *outputs))
            wrong = [abs(ends[b] - ends[a] - sum(table[a:b])) for a, b in ranges_of(3)]
            total += chance * sum(wrong) / len(wrong)
    return total / len(every)


def on_tables(n: int, cells: int, alpha: str, loss: Array) -> nw.results.Design:
    """Return the best mechanism on all tables of n people, where one person may move."""
    every = tables(n, cells)
    labels = [",".join(map(str, table)) for table in every]
    space = nw.Categories(
        labels, neighbors=[(labels[a], labels[b]) for a, b in moves(every) if a < b]
    )
    return nw.design(space, alpha=alpha, loss=loss.tolist(), tie_break=None)


def judged_ranges(rows: Sequence[Sequence[float]]) -> Verdict:
    """Judge whether the tailor-made program pays.

    Rows hold the errors of cells and of prefixes by GM, of a program for cells, and of the one for
    ranges, which must be below the first two and not above the third.
    """
    return judge(all(r[3] < min(r[:2]) - 1e-9 and r[3] <= r[2] + 1e-9 for r in rows))


def range_queries(setting: Setting) -> Claim:
    """A program whose loss is the error of ranges, against counts released one by one."""
    rows: list[list[float]] = []
    where: list[tuple[int, str]] = []
    proven = 0.0
    for n in setting.pick((3, 4, 6), (3,)):
        for alpha in ("1/4", "9/16"):
            every = tables(n, 3)
            loss = range_loss(every)
            cells = np.abs(np.array(every)[:, None] - np.array(every)).mean(axis=2)
            tailored, by_cell = on_tables(n, 3, alpha, loss), on_tables(n, 3, alpha, cells)
            proven = max(proven, tailored.loss - tailored.bound)
            other = float((np.asarray(by_cell.mechanism.matrix) * loss).sum() / len(every))
            separate = [one_by_one(n, Fraction(alpha), p) for p in (False, True)]
            where.append((n, alpha))
            rows.append([*separate, other, tailored.loss])
    gains = [1 - row[-1] / min(row[:2]) for row in rows]
    verdict = judged_ranges(rows)
    return Claim(
        "Section 8",
        "a program tailor-made for range queries",
        "It will be interesting to study tailor-made linear programming mechanisms that optimize "
        "other queries such as range queries.",
        "Inputs and outputs are all tables of n people in three ordered cells; neighbors are "
        "tables between which one person moves; the loss is the mean error over all ranges of "
        "cells. The program's optimum is proven (gap at most "
        f"{proven:.0e}), and is {min(gains):.0%} to {max(gains):.0%} below the better of two "
        "releases by GM, one count at a time at the same ε and taken as they come out. A program "
        "for the cells instead of the ranges comes within "
        f"{max(r[2] / r[3] - 1 for r in rows):.1%} of it.",
        verdict,
        "It pays." if verdict is Verdict.HOLDS else "It does not pay in every case.",
        grids=(
            Grid(
                "Mean error of a range, all tables equally likely (n = "
                f"{listed(sorted({n for n, _ in where}))})",
                ("n", "α", "cells by GM", "prefixes by GM", "program for cells", "for ranges"),
                [[*place, *row] for place, row in zip(where, rows, strict=True)],
            ),
        ),
        numbers={"gain_least": min(gains)},
    )


CLAIMS = {"column-privacy": column_privacy, "range-queries": range_queries}
