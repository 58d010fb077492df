"""Random mechanisms that are hard to judge: zeros, ties, equal rows, differences of one unit."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from noisewright.mechanisms import Table
from noisewright.spaces import Categories, Counts, Pairs
from tests.oracles import brute_force


@dataclass(frozen=True)
class Case:
    """Integer rows with one total, and the pairs of neighbors."""

    rows: list[list[int]]
    total: int
    kind: str
    pairs: list[tuple[int, int]]

    def table(self) -> Table:
        return table_of(self.rows, self.total, self.kind, self.pairs)

    def lines(self) -> set[tuple[int, int]]:
        # Without neighbors there are still the impossible and the certain event.
        return brute_force.lines(self.rows, self.pairs) | {(0, 0), (self.total, self.total)}


def table_of(rows: list[list[int]], total: int, kind: str, pairs: list[tuple[int, int]]) -> Table:
    weights = np.empty((len(rows), len(rows[0])), dtype=object)
    for x, row in enumerate(rows):
        weights[x] = row
    relation: Any = Pairs(tuple(pairs)) if kind == "pairs" else kind
    if len(rows) > 1:
        space = Counts(len(rows) - 1, neighbors=relation)
    else:
        space = Categories(["only"])
    outputs = space if len(rows[0]) == len(rows) else Categories(range(len(rows[0])))
    return Table(space, weights, total=total, outputs=outputs)


def _parts(total: int, cuts: list[int]) -> list[int]:
    marks = [0, *sorted(cuts), total]
    return [b - a for a, b in pairwise(marks)]


@st.composite
def cases(draw: st.DrawFn, *, most_inputs: int = 4, most_outputs: int = 5) -> Case:
    inputs = draw(st.integers(1, most_inputs))
    outputs = draw(st.integers(1, most_outputs))
    total = draw(st.sampled_from([2, 3, 16, 30, 256, 1 << 70, 3**44, 10**21, 1 << 200, 7**71]))
    # Few distinct places make zeros and ties common at any total.
    coarse = st.integers(0, min(8, total)).map(lambda k: k * (total // min(8, total)))
    cut = st.one_of(coarse, st.integers(0, total))
    rows = [_parts(total, [draw(cut) for _ in range(outputs - 1)])]
    while len(rows) < inputs:
        how = draw(st.sampled_from(["new", "equal", "unit", "shuffled"]))
        row = list(draw(st.sampled_from(rows)))
        if how == "new":
            row = _parts(total, [draw(cut) for _ in range(outputs - 1)])
        elif how == "shuffled":
            row = draw(st.permutations(row))
        elif how == "unit" and outputs > 1:
            a, b = draw(st.permutations(range(outputs)))[:2]
            if row[a]:
                row[a], row[b] = row[a] - 1, row[b] + 1
        rows.append(row)
    everyone = list(combinations(range(inputs), 2))
    kind = draw(st.sampled_from(["replace", "adjacent", "pairs"])) if inputs > 1 else "replace"
    chosen = draw(st.sets(st.sampled_from(everyone), min_size=1)) if everyone else set()
    return Case(rows, total, kind, brute_force.relation(kind, inputs, sorted(chosen)))


deltas = st.one_of(
    st.just(Fraction(0)),
    st.just(Fraction(1)),
    st.fractions(0, 1, max_denominator=64),
    st.integers(0, 1 << 70).map(lambda k: Fraction(k, 1 << 70)),
)

epsilons = st.one_of(
    st.just(Fraction(0)),
    st.fractions(0, 5, max_denominator=20),
    st.floats(0, 30).map(Fraction),
    st.sampled_from([Fraction(1, 10**30), Fraction(50), Fraction(800)]),
)
