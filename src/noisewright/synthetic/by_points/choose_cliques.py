"""The private choice of cliques of columns, round by round: what the model gets wrong.

A clique scores by how far its joint counts are from what the model says of them, less what the
noise of counting it would cost, times how much the workload asks for it (McKenna, Mullins, Sheldon
and Miklau 2022, AIM). What is chosen by is the exponential mechanism; scores are whole numbers, and
one row changes two cells by one, so a score by 2 at most, times the largest of these weights. All
else here depends on noisy counts, on earlier choices and on declared sizes alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic.by_mst.choose_pairs import gap_score
from noisewright.synthetic.steps.joined_bins import JoinedBins
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.tallies import Tallies

Array = NDArray[np.float64]
Names = tuple[str, ...]

MOST_WEIGHT = 4
"""Weights are whole numbers up to this: finer ones would cost more than they tell."""


def clique_weights(parts: Sequence[Names], cliques: Sequence[Names]) -> dict[Names, int]:
    """Return how much the workload asks for each clique: in how many of its parts it lies.

    Ensures: whole numbers from 1 to 4, all 1 where every clique is asked for equally often.
    """
    sizes = {len(clique) for clique in cliques}
    asked = Counter(
        frozenset(some)
        for part in parts
        for size in sizes
        for some in combinations(sorted(set(part)), size)
    )
    times = [max(1, asked[frozenset(clique)]) for clique in cliques]
    if len(set(times)) <= 1:
        return dict.fromkeys(cliques, 1)
    most = max(times)
    return {
        clique: max(1, -(-MOST_WEIGHT * count // most))
        for clique, count in zip(cliques, times, strict=True)
    }


Joined = Mapping[Names, Mapping[str, JoinedBins]]
"""The bins that are joined when a clique is counted."""


def score(
    tallies: Tallies, names: Names, shares: Array, cost: int, weight: int, joined: Joined
) -> int:
    """Return the score of a clique; a row changes it by at most twice the weight."""
    return weight * (gap_score(tallies, names, shares, joined.get(names)) - cost)


def count_forest(
    steps: NoisySteps, scores: Mapping[Names, int], most: int, joined: Joined
) -> list[Measurement]:
    """Choose up to so many pairs that close no cycle, one after the other, and count each."""
    group = {name: name for pair in scores for name in pair}
    found: list[Measurement] = []
    while len(found) < most:
        left = [pair for pair in scores if group[pair[0]] != group[pair[1]]]
        if not left:
            break
        chosen = steps.choice(left, [scores[pair] for pair in left])
        found.append(steps.count(chosen, joined=joined.get(chosen)))
        old, new = (group[name] for name in chosen)
        group = {name: new if label == old else label for name, label in group.items()}
    return found


def count_best(
    steps: NoisySteps, scores: Mapping[Names, int], times: int, joined: Joined
) -> list[Measurement]:
    """Choose so many cliques that were not counted yet, and count each.

    Where all were counted, one is counted again.
    """
    done, found = set[Names](), list[Measurement]()
    for _ in range(times):
        left = [clique for clique in scores if clique not in done] or list(scores)
        chosen = steps.choice(left, [scores[clique] for clique in left])
        done.add(chosen)
        found.append(steps.count(chosen, joined=joined.get(chosen)))
    return found


def most_linked(counted: Sequence[Measurement], pairs: Sequence[Names]) -> Names:
    """Return the pair whose noisy counts are furthest from independent, less what noise adds.

    Requires: noisy counts of each of these pairs. Ensures: post-processing of them.
    """
    by_columns = {frozenset(one.columns): one for one in counted}

    def link(pair: Names) -> float:
        one = by_columns[frozenset(pair)]
        alone = np.outer(one.counts.sum(axis=1), one.counts.sum(axis=0)) / one.rows
        return float(np.abs(one.counts - alone).sum()) - one.noise.mean_sum(one.counts.size)

    return max(pairs, key=link)
