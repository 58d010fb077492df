"""Section 8: Chow–Liu trees from counts of small groups, released by GM, WM or EM.

All pairs of d columns are counted, so that a person who is replaced changes two cells in each of
d(d − 1)/2 tables: d(d − 1)ε₀ in all. `PrivateTree` gets the same ε; it looks at all pairs too,
but counts only those of its tree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import Claim, Grid, Picture, Setting, judge, listed
from papers.counts.naive_bayes import CLOSE, MECHANISMS, NONE, SIZE, population
from papers.counts.optima import for_l0
from papers.counts.people import HOW, Array, Pair, People, released
from papers.page import write_csv

ALPHAS = ("0.99", "0.9", "2/3", "0.5", "0.3", "0.1", "0.01")
ONCE = "PrivateTree"
Scores = dict[tuple[str, str, str, str], float]


def cost(people: People, alpha: str) -> float:
    """Return the ε of everything that is released about a person who may be replaced."""
    columns = len(people.sizes)
    return columns * (columns - 1) * -math.log(float(Fraction(alpha)))


def information(table: Array) -> float:
    """Return the mutual information of two columns from positive counts."""
    shares = table / table.sum()
    apart = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0, keepdims=True)
    return float((shares * np.log(shares / apart)).sum())


def best_tree(tables: Mapping[Pair, Array]) -> list[Pair]:
    """Return the spanning tree of most mutual information (Kruskal)."""
    part = {name: name for pair in tables for name in pair}
    tree: list[Pair] = []
    for pair in sorted(tables, key=lambda pair: -information(tables[pair])):
        first, second = (part[name] for name in pair)
        if first != second:
            tree.append(pair)
            part = {name: first if p == second else p for name, p in part.items()}
    return tree


def loss(tables: Mapping[Pair, Array], people: People) -> float:
    """Return the mean of −log P(row) of the tree that these tables give, one added to each cell."""
    positive = {pair: np.maximum(table, 0) + 1 for pair, table in tables.items()}
    tree = best_tree(positive)
    reached = {tree[0][0]}
    start = positive[tree[0]].sum(axis=1)
    logs = np.log(start / start.sum())[people.codes[tree[0][0]]]
    left = list(tree)
    while left:
        pair = next(one for one in left if (one[0] in reached) != (one[1] in reached))
        left.remove(pair)
        known, new = pair if pair[0] in reached else pair[::-1]
        table = positive[pair] if pair[0] == known else positive[pair].T
        given = table / table.sum(axis=1, keepdims=True)
        logs = logs + np.log(given)[people.codes[known], people.codes[new]]
        reached.add(new)
    return float(-logs.mean())


def compared(people: People, repetitions: int, alphas: tuple[str, ...]) -> Scores:
    """Learn and test in all ways, on the same splits; mean losses."""
    found: dict[tuple[str, str, str, str], list[float]] = {}
    pairs = list(combinations(people.sizes, 2))
    for repetition in range(repetitions):
        learned, tested = people.split(repetition, SIZE)
        exact = loss({pair: learned.table(pair) for pair in pairs}, tested)
        for alpha in alphas:
            where = f"{people.name}/{alpha}/{repetition}"
            found.setdefault((people.name, alpha, NONE, HOW[0]), []).append(exact)
            model = nw.models.PrivateTree(
                people.domain,
                epsilon=cost(people, alpha),
                source=nw.randomness.SeededSource(f"trees/{where}"),
                ledger=None,
            ).fit(dict(learned.codes))
            once = float(-model.log_likelihood(dict(tested.codes)).mean())
            found.setdefault((people.name, alpha, ONCE, HOW[0]), []).append(once)
            for name, mechanism in for_l0(SIZE, alpha).items():
                if name not in MECHANISMS:
                    continue
                tables = {
                    pair: released(learned, pair, mechanism, seed=f"trees/{where}/{name}/{pair}")
                    for pair in pairs
                }
                for how in HOW:
                    one = loss({pair: ways[how] for pair, ways in tables.items()}, tested)
                    found.setdefault((people.name, alpha, name, how), []).append(one)
    return {key: float(np.mean(losses)) for key, losses in found.items()}


def trees(setting: Setting) -> Claim:
    """GM and WM alike, EM weaker, all weaker than without privacy; and one release for all."""
    repetitions = setting.pick(5, 1)
    alphas = setting.pick(ALPHAS, ("0.9", "0.1"))
    everybody = population(setting)
    scores: Scores = {}
    for people in everybody:
        scores |= compared(people, repetitions, alphas)
    rows: list[dict[str, Any]] = []
    for (data, alpha, name, how), value in scores.items():
        for panel in HOW if name in (NONE, ONCE) else (how,):
            rows.append({"data": data, "α": alpha, "from": name, "groups": panel, "loss": value})
    shown = [row for row in rows if row["from"] != "WH" and row["α"] != "0.99"]
    chart = loss_curves(
        shown,
        x="α",
        y="loss",
        color="from",
        column="data",
        row="groups",
        y_title="−log P of a row",
        shared_y=False,
    )
    save_chart(chart, setting.out / "section-8-trees.png")

    def extra(data: str, alpha: str, name: str, how: str = HOW[0]) -> float:
        return scores[data, alpha, name, how] - scores[data, alpha, NONE, HOW[0]]

    cases = [(people.name, alpha) for people in everybody for alpha in alphas]
    alike = [c for c in cases if abs(extra(*c, "WM") - extra(*c, "GM")) <= CLOSE]
    weaker = [c for c in cases if extra(*c, "EM") >= max(2 * extra(*c, "GM"), CLOSE)]
    ordered = all(
        extra(*c, "GM") <= extra(*c, "WM") + CLOSE and extra(*c, "WM") <= extra(*c, "EM") + CLOSE
        for c in cases
    )
    low = [a for a in alphas if max(extra(p.name, a, "GM") for p in everybody) < CLOSE]
    high = [a for a in alphas if min(extra(p.name, a, "GM") for p in everybody) > CLOSE]
    cheaper = all(extra(*c, ONCE) < extra(*c, "GM") for c in cases if c[1] in high)
    at = "0.9"
    table = [
        [
            *(people.name, name, "" if name == NONE else cost(people, at)),
            *(scores.get((people.name, at, name, how), "") for how in HOW),
        ]
        for people in everybody
        for name in (NONE, ONCE, *MECHANISMS)
    ]
    return Claim(
        "Section 8",
        "Chow–Liu trees from private counts",
        "As for naive Bayes: GM and WM of similar quality, EM much weaker, all much weaker than "
        "without privacy unless α is very low.",
        f"Groups of {SIZE}, all pairs of columns counted in each; −log P of people who were not "
        f"learned from, {repetitions} splits. One replaced person costs d(d − 1) ln(1/α), at "
        f"α = {at} "
        + listed(f"{cost(p, at):.2f} ({p.name})" for p in everybody)
        + f", for everything that is compared. Of {len(cases)} cases WM is within {CLOSE} of GM in "
        f"{len(alike)}; EM adds at least twice as much as GM in {len(weaker)}. GM is within "
        f"{CLOSE} of the tree without privacy for α = {listed(low)}, and worse by more on all data "
        f"for α = {listed(high)}. `PrivateTree`, which counts once over everybody with the same ε, "
        f"is worse than the tree without privacy by {max(extra(*c, ONCE) for c in cases):.3f} at "
        "most.",
        judge(
            len(alike) == len(weaker) == len(cases) and not cheaper,
            corrected=ordered and cheaper and bool(high),
        ),
        ("GM is best, then WM, then EM, up to 0.02, if outputs are added up. " if ordered else "")
        + (
            f"Counting once over everybody is better than GM for α = {listed(high)}."
            if cheaper
            else "Counting once over everybody is not always better."
        ),
        pictures=(
            Picture(
                "section-8-trees.png",
                "How unlikely the tree finds a new row. Above, outputs are added up as they are; "
                "below, after making them unbiased. WH and α = 0.99 are in the file only.",
            ),
        ),
        grids=(
            Grid(
                "−log P of a row at α = 0.9",
                ("data", "from", "ε per person", *HOW),
                table,
            ),
        ),
        files=(write_csv(setting.out / "section-8-trees.csv", rows),),
        numbers={
            "once_extra": max(extra(*c, ONCE) for c in cases),
            "gm_extra": max(extra(*c, "GM") for c in cases),
        },
    )


CLAIMS = {"section-8-trees": trees}
