"""Definitions 2.1 to 2.3: which databases are neighbors, and how far a query can move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product

import numpy as np

import noisewright as nw
from papers.claims import Check, Claim, Grid, Setting, judge

Row = int
Database = tuple[Row, ...]
Query = Callable[[Database], tuple[Fraction, ...]]

VALUES = (-2, -1, 0, 1, 2)
ROWS = 3


def replaced(database: Database) -> Iterator[Database]:
    """List the databases in which one row has another value."""
    for place in range(len(database)):
        for value in VALUES:
            yield (*database[:place], value, *database[place + 1 :])


def shortened(database: Database) -> Iterator[Database]:
    """List the databases in which one row is left out; putting one in is the way back."""
    for place in range(len(database)):
        yield (*database[:place], *database[place + 1 :])


def sensitivity(query: Query, neighbors: Callable[[Database], Iterator[Database]]) -> Fraction:
    """Return the largest L1 distance of two answers, over all databases of at most three rows."""
    largest = Fraction(0)
    for rows in range(1, ROWS + 1):
        for database in product(VALUES, repeat=rows):
            answer = query(database)
            for other in neighbors(database):
                moved = sum(abs(a - b) for a, b in zip(answer, query(other), strict=True))
                largest = max(largest, Fraction(moved))
    return largest


QUERIES: Mapping[str, Query] = {
    "how many rows there are": lambda d: (Fraction(len(d)),),
    "how many rows are positive": lambda d: (Fraction(sum(v > 0 for v in d)),),
    "the total of values 0 to 2": lambda d: (Fraction(sum(max(v, 0) for v in d)),),
    "the total of values −2 to 2": lambda d: (Fraction(sum(d)),),
    "all counts of a histogram, in L1": lambda d: tuple(Fraction(d.count(v)) for v in VALUES),
}


def noisy_pair(neighbors: list[tuple[Database, Database]]) -> nw.Mechanism:
    """Two counts of at most two people, each with geometric noise of ε = 1."""
    points = list(product(range(3), repeat=2))
    count = np.array(nw.geometric(nw.Counts(2), epsilon=1).weights, dtype=object)
    labels = [f"{a},{b}" for a, b in points]
    pairs = [(f"{a},{b}", f"{c},{d}") for (a, b), (c, d) in neighbors]
    space = nw.Categories(labels, neighbors=pairs)
    return nw.from_matrix(space, np.kron(count, count))


def definition_2_1(setting: Setting) -> Claim:
    """Replacing a row and leaving one out are two things."""
    del setting
    table: list[list[object]] = []
    same = True
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for name, query in QUERIES.items():
        out, new = sensitivity(query, shortened), sensitivity(query, replaced)
        found[name] = (out, new)
        same &= out == new
        table.append([name, str(out), str(new)])
    points = list(product(range(3), repeat=2))
    one_more = [
        (p, q) for p in points for q in points if sum(q) == sum(p) + 1 and _apart(p, q) == 1
    ]
    moved = [
        (p, q) for p in points for q in points if sum(q) == sum(p) and _apart(p, q) == 2 and p < q
    ]
    costs = [nw.tight_epsilon(noisy_pair(pairs)) for pairs in (one_more, moved)]
    expected = [(1, 0), (1, 1), (2, 2), (2, 4), (1, 2)]
    right = list(found.values()) == [(Fraction(a), Fraction(b)) for a, b in expected]
    return Claim(
        "Definition 2.1",
        "databases that differ on at most one row",
        "D and D' differ on at most one row, which is to simulate whether a record is in the "
        "database or not. Definition 2.5 takes databases in X^n, the proof of Theorem 1 takes "
        "them in ℕ^|X| with ‖x − y‖₁ ≤ 1.",
        "These are two definitions. In ℕ^|X| (how often each point occurs) distance 1 means one "
        "record more or less; two databases of n rows that differ in one row are at distance 2. "
        f"Over all databases of one to {ROWS} rows with values −2 to 2 most queries move by "
        "another amount when a row is replaced than when it is left out. Two cells of a histogram, "
        f"each with geometric noise of ε = 1, cost ε = {costs[0]:g} if a person is left out and "
        f"{costs[1]:g} if one is replaced, exactly. BLR's Δ = 1/n needs a public n, so it is about "
        "replaced rows.",
        judge(same, corrected=right and costs == [1.0, 2.0]),
        instead="Say which: ε for one record more or less implies 2ε for a replaced one, and not "
        "less in general. On this page rows are replaced unless something else is said.",
        grids=(
            Grid(
                "The sensitivity of a query, by listing",
                ("query", "a row is left out", "a row is replaced"),
                table,
            ),
        ),
        numbers={"left_out": costs[0], "replaced": costs[1]},
    )


def _apart(p: Database, q: Database) -> int:
    return abs(p[0] - q[0]) + abs(p[1] - q[1])


CLAIMS: Mapping[str, Check] = {"definition-2-1": definition_2_1}
