"""The private choice of pairs of columns: first those of a tree, then some beyond it.

A pair scores by how far its joint counts are from what they would be if the two columns were
independent, or from what the tree says of them, less what the noise of counting it would cost. What
is chosen by is the exponential mechanism; scores are whole numbers, and one row changes two cells
by one, so a score by 2 at most. All else here depends on noisy counts, on earlier choices and on
declared sizes alone.

A pair beyond a tree closes a cycle. All columns of the cycle must then be kept together, three at
a time: {a, v, w} for each step v–w of the way from a to b. In general the way goes through cliques
of the junction tree, and one of the two columns is carried along, beside what each clique shares
with the next.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import project_to_simplex
from noisewright.synthetic.graphs.junction_tree import JunctionTree
from noisewright.synthetic.graphs.tree_model import TreeModel
from noisewright.synthetic.steps.joined_bins import JoinedBins, add_up
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noisy_steps import NoisySteps, nearest_integers
from noisewright.synthetic.tallies import Tallies

Array = NDArray[np.float64]
Names = tuple[str, ...]
Pair = tuple[str, str]

MOST_IN_CYCLES = 1 << 20
"""Cells of a pair, and of all tables of a model with cycles."""

_MOST_SCORED = 1 << 12


def choose_tree(
    steps: NoisySteps, costs: Mapping[Pair, int], singles: Sequence[Measurement]
) -> list[Pair]:
    """Choose a spanning tree (of each connected part), one edge after the other.

    Among the pairs that `costs` has, each with what its noise costs (McKenna–Miklau–Sheldon 2021).
    """
    shares = {one.columns[0]: project_to_simplex(one.counts / one.rows) for one in singles}
    scores = {
        (a, b): independence_score(steps.tallies, (a, b), shares[a], shares[b]) - cost
        for (a, b), cost in costs.items()
    }
    group = {name: name for pair in costs for name in pair}
    chosen: list[Pair] = []
    while open_pairs := [pair for pair in costs if group[pair[0]] != group[pair[1]]]:
        pair = steps.choice(open_pairs, [scores[each] for each in open_pairs])
        chosen.append(pair)
        old, new = (group[name] for name in pair)
        group = {name: new if label == old else label for name, label in group.items()}
    return chosen


def choose_besides(
    steps: NoisySteps,
    costs: Mapping[Pair, int],
    tree: TreeModel,
    chosen: Sequence[Pair],
    more: int,
    sizes: Mapping[str, int],
) -> list[Pair]:
    """Choose pairs that the tree answers badly; where no cycle fits, some of its own again."""
    if not more:
        return []
    scores = {
        pair: gap_score(steps.tallies, pair, shares) - costs[pair]
        for pair, shares in pairs_of_tree(tree, costs)
    }
    found: list[Pair] = []
    for _ in range(more):
        # Which pairs fit depends on what was chosen before, and on nothing else.
        known = [*chosen, *found]
        left = [pair for pair in costs if pair not in known]
        open_pairs = pairs_that_fit(sizes, known, left, most=MOST_IN_CYCLES) or list(chosen)
        found.append(steps.choice(open_pairs, [scores[each] for each in open_pairs]))
    return found


def gap_score(
    tallies: Tallies,
    names: Names,
    shares: Array,
    joined: Mapping[str, JoinedBins] | None = None,
) -> int:
    """Return how far the joint counts are from these shares, in L1; a row changes it by ≤ 2.

    `joined` are bins whose counts, and shares, are added up before.
    """
    counts, expected = (add_up(t, names, joined or {}) for t in (tallies.counts[names], shares))
    return int(np.abs(counts - nearest_integers(expected * tallies.rows)).sum())


def independence_score(tallies: Tallies, names: Pair, first: Array, second: Array) -> int:
    """Return how far the joint counts are from independence, in L1; a row changes it by ≤ 2."""
    return gap_score(tallies, names, np.outer(first, second))


def how_many(columns: int, noise: float, unit: Literal["epsilon", "rho"]) -> int:
    """Return how many pairs are worth counting besides those of a tree.

    `noise` is the error that noise alone makes in a usual pair of a tree, as a share of all rows.
    With little of it, a pair for each column. With more, fewer, since each makes the noise of all
    larger, as the number of pairs does where parts of ε add up, and as its root where parts of ρ
    do; and none where noise drowns nearly everything. Large tables get fewer, too: each choice
    looks at all pairs of columns. The numbers are measured (decision 0017).
    Ensures: it depends on public facts alone.
    """
    if noise >= (0.3 if unit == "epsilon" else 0.9):
        return 0
    few = max(25 * noise if unit == "epsilon" else 4 * math.sqrt(noise), 1.0)
    return min(round(columns / few), _MOST_SCORED // columns)


def pairs_of_tree(tree: TreeModel, wanted: Iterable[Pair]) -> Generator[tuple[Pair, Array]]:
    """Yield the shares of these pairs in the tree; columns without a way between them are apart."""
    asked: dict[str, list[str]] = {}
    for first, second in wanted:
        asked.setdefault(first, []).append(second)
    beside = _neighbors(tree.edges)
    for first, others in asked.items():
        # P(first, v), going outward: P(first, v) P(w | v) for each step v–w.
        joint = {first: np.diag(tree.shares[first])}
        waiting, left = [first], set(others)
        while waiting and left:
            known = waiting.pop(0)
            for name in beside.get(known, ()):
                if name not in joint:
                    given = tree.joint(known, name) / tree.shares[known][:, None]
                    joint[name] = joint[known] @ given
                    left.discard(name)
                    waiting.append(name)
        for second in others:
            apart = np.outer(tree.shares[first], tree.shares[second])
            yield (first, second), joint.get(second, apart)


def _neighbors(edges: Iterable[Pair]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for first, second in edges:
        found.setdefault(first, []).append(second)
        found.setdefault(second, []).append(first)
    return found


def pairs_that_fit(
    sizes: Mapping[str, int], known: Sequence[Names], wanted: Iterable[Pair], *, most: int
) -> list[Pair]:
    """Return the pairs that a model of these tables can take and still have at most `most` cells.

    Ensures: a model with the tables and any one of the pairs exists that is so small. It may be
    overlooked, here and later, when all are fitted together; then it is a little larger.
    """
    tree = JunctionTree(sizes, tuple(known))
    room = most - tree.cells
    carried: dict[str, dict[str, int]] = {}
    found: list[Pair] = []
    for first, second in wanted:
        for name in (first, second):
            if name not in carried:
                carried[name] = _cells_to_carry(tree, name, room)
        cells = min(
            carried[first].get(second, room + 1),
            carried[second].get(first, room + 1),
        )
        if cells <= room:
            found.append((first, second))
    return found


def _cells_to_carry(tree: JunctionTree, name: str, room: int) -> dict[str, int]:
    """Return how many more cells it takes to carry a column to each other one, if there is room."""
    sizes, cliques, ways = tree.sizes, tree.cliques, tree.ways
    found: dict[str, int] = {}
    # Where it is, over which columns it came there, what these and it make, and what it took.
    waiting: list[tuple[int, frozenset[str], int, int]] = []
    seen = set(tree.holding[name])
    for place in tree.holding[name]:
        found.update(dict.fromkeys(cliques[place].columns, 0))
        for there, shared in ways[place]:
            if there not in seen:
                seen.add(there)
                cells = sizes[name] * prod(sizes[each] for each in shared)
                waiting.append((there, shared, cells, 0))
    while waiting:
        place, entered, beside, taken = waiting.pop()
        for each in cliques[place].columns:
            if each not in entered:
                cells = taken + beside * sizes[each]
                if cells < found.get(each, room + 1):
                    found[each] = cells
        for there, shared in ways[place]:
            if there not in seen:
                seen.add(there)
                here = after = beside
                for each in shared - entered:
                    here *= sizes[each]
                for each in entered - shared:
                    after //= sizes[each]
                after = after * here // beside
                if taken + here <= room:
                    waiting.append((there, shared, after, taken + here))
    # To another part of the graph it goes by itself.
    part = tree.part_of(name)
    found.update((each, sizes[name] * sizes[each]) for each in sizes if tree.part_of(each) != part)
    return found
