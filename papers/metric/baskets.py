"""Examples 1 and 6 on real data: sets of thousands of items, and what ε per person leaves of them.

A basket is a set out of 16,471 articles. Item by item, with a bound on the size of a set, is what
scales to that: larger baskets are represented by a random part of theirs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.report import save_chart
from papers.claims import Claim, Grid, Picture, Setting, Verdict, judge
from papers.data_files import ARTICLES, RETAIL, read_baskets
from papers.interval_charts import by_rank
from papers.page import write_csv

EPSILON, LARGEST = 4, 1
SHOWN = 100

_TITLE = "the hundred most bought articles of a supermarket"
_SAYS = (
    "A record may be a set, such as hobbies, of any size (Example 1), and randomizing sets makes a "
    "private copy (Example 6). The paper has no experiment."
)


def _shares_after_cut(baskets: list[list[int]], largest: int) -> NDArray[np.float64]:
    """Return each article's expected share of baskets after the cut to `largest` articles."""
    flat = np.concatenate([np.array(basket) for basket in baskets])
    sizes = np.array([len(basket) for basket in baskets])
    kept = np.repeat(np.minimum(1.0, largest / sizes), sizes)
    return np.bincount(flat, weights=kept, minlength=ARTICLES) / len(baskets)


def _half_width(mechanism: nw.Mechanism, people: int) -> float:
    """Return the half length of a 95% interval for an article that nobody buys, in people."""
    q = float(mechanism.absent)  # pyright: ignore[reportAttributeAccessIssue]
    gap = float(mechanism.present) - q  # pyright: ignore[reportAttributeAccessIssue]
    return 1.96 * math.sqrt(people * q * (1 - q)) / gap


def top_articles(setting: Setting) -> Claim:
    """Estimated frequencies of the articles that are most bought, with intervals."""
    path = setting.data.get(RETAIL.name)
    if path is None:
        return Claim("Examples 1 and 6, data", _TITLE, _SAYS, RETAIL.absence, Verdict.NOT_RUN)
    baskets = read_baskets(path)
    people = len(baskets)
    sizes = np.array([len(basket) for basket in baskets])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    flat = np.concatenate([np.array(basket) for basket in baskets])
    true = np.bincount(flat, minlength=ARTICLES)
    mechanism = nw.per_item(
        nw.Subsets(range(ARTICLES), largest=LARGEST), epsilon=EPSILON, outside="sample"
    )
    released = mechanism.sample_bits((flat, offsets), source=nw.randomness.SeededSource("baskets"))
    # Which part stands for a large basket is drawn too, so answers speak about a population.
    found = nw.estimate(released, mechanism, about="population").counts
    after = _shares_after_cut(baskets, LARGEST) * people
    covered = float(((found.lows <= after) & (after <= found.highs)).mean())
    top = np.argsort(-true, kind="stable")[:SHOWN]
    hits = len(set(top.tolist()) & set(np.argsort(-found.values, kind="stable")[:SHOWN].tolist()))
    order = top[np.argsort(-after[top], kind="stable")]
    rows = [
        {
            "rank": rank,
            "article": int(article),
            "whole baskets": int(true[article]),
            "truth": float(after[article]),
            "estimate": float(found.values[article]),
            "low": float(found.lows[article]),
            "high": float(found.highs[article]),
        }
        for rank, article in enumerate(order, 1)
    ]
    seen = sum(row["low"] > 0 for row in rows)
    save_chart(
        by_rank(
            rows,
            rank="rank",
            x_title="the hundred articles that most people buy, by frequency after the cut",
            y_title="baskets (square root scale)",
        ),
        setting.out / "baskets.png",
    )
    table: list[list[object]] = []
    for largest in (1, 3, 10, int(sizes.max())):
        space = nw.Subsets(range(ARTICLES), largest=largest)
        cut = _shares_after_cut(baskets, largest)[top] * people
        widths = [_half_width(nw.per_item(space, epsilon=e), people) for e in (1, 4, 8)]
        table.append(
            [
                largest,
                float(cut.sum() / true[top].sum()),
                *(f"± {width:,.0f} ({int((cut > width).sum())})" for width in widths),
            ]
        )
    return Claim(
        "Examples 1 and 6, data",
        _TITLE,
        _SAYS,
        f"{people:,} baskets out of {ARTICLES:,} articles, at most {sizes.max()} in one. The whole "
        f"basket is protected with ε = {EPSILON}: one random article of it stands for the basket, "
        "and then each article is kept or added on its own (`nw.per_item`). The estimates speak "
        f"about what is left after this cut; {covered:.1%} of the {ARTICLES:,} intervals hold the "
        f"expected number there. Of the hundred most bought articles {seen} have an interval above "
        f"0 (2.5% of articles do by luck), and {hits} are among the hundred largest estimates: the "
        "rest drowns in the noise of the thousands of articles that hardly anybody buys. The table "
        "says why the cut is so hard: the more articles a basket may have, the less of ε each of "
        "them gets.",
        judge(0.93 <= covered <= 0.97),
        grids=(
            Grid(
                "What a bound on the size of a basket keeps and costs: the half length of 95% "
                "intervals in baskets, and how many of the hundred articles lie above it",
                ("largest basket", "purchases kept", "ε = 1", "ε = 4", "ε = 8"),
                table,
            ),
        ),
        pictures=(
            Picture(
                "baskets.png",
                "Diamonds: expected numbers when one random article stands for a basket. Points "
                f"and bars: estimates and 95% intervals from one private copy, ε = {EPSILON}.",
            ),
        ),
        files=(write_csv(setting.out / "baskets.csv", rows),),
        numbers={"coverage": covered, "hits": float(hits), "stand_out": float(seen)},
    )


CLAIMS = {"top-articles": top_articles}
