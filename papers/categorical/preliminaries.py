"""Section 2: databases, the exponential mechanism, privacy, and queries after sanitization."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import noisewright as nw
from papers.claims import Claim, Grid, Setting, judge
from papers.databases import (
    databases,
    events,
    hamming,
    least_delta,
    needed,
    neighbors,
    normalized,
    power,
    random_ratio,
    random_row,
    response,
)

HOBBIES = ("Sports", "Cars", "Television", "Computer games", "Reading")
DATABASE = ("Sports", "Computer games", "Television", "Sports", "Reading", "Television")
SEED = 2016


def definition_1(setting: Setting) -> Claim:
    """Hamming distance is a metric; neighbors differ in one row, n·m·(m+1)^n ordered pairs."""
    sizes = setting.pick(((2, 1), (2, 4), (3, 3), (4, 2), (5, 2)), ((2, 2), (3, 2)))
    counted = same = metric = True
    rows: list[list[object]] = []
    for values, n in sizes:
        points = databases(values, n)
        pairs = neighbors(points)
        m = values - 1
        counted &= len(pairs) == n * m * (m + 1) ** n
        space = nw.Categories(range(values)) ** n
        ours = {(a, b) for a, b in space.neighbor_codes().tolist()}
        same &= ours | {(b, a) for a, b in ours} == set(pairs)
        metric &= all(
            hamming(a, b) == hamming(b, a)
            and (hamming(a, b) == 0) == (a == b)
            and all(hamming(a, c) <= hamming(a, b) + hamming(b, c) for c in points)
            for a in points
            for b in points
        )
        rows.append([m + 1, n, len(points), len(pairs)])
    return Claim(
        "Definition 1, (1)",
        "neighbors differ in one row",
        "The Hamming distance of two databases is the number of rows that differ; at distance 1 "
        "they are neighbors. There are n m (m+1)^n pairs to check.",
        "Enumerated: the pairs are those of `nw.Categories(...) ** n`, the formula counts each "
        "pair in both directions, and the distance is symmetric, zero only between equal "
        "databases, and obeys the triangle inequality.",
        judge(counted and same and metric),
        grids=(Grid("Ordered pairs of neighbors", ("values", "n", "databases", "pairs"), rows),),
    )


def definition_2(setting: Setting) -> Claim:
    """The exponential mechanism gives 2εΔu, and often much less."""
    random = Random(SEED)
    cases = setting.pick(400, 40)
    shares: list[float] = []
    never_above = True
    for _ in range(cases):
        # ε = ln 2, so that e^(ε u) is a power of two and nothing is rounded.
        utility = [[random.randint(0, 5) for _ in range(4)] for _ in range(3)]
        matrix = normalized([[Fraction(2) ** u for u in row] for row in utility])
        change = max(_differences(utility))
        worst = max(a / b for x in matrix for y in matrix for a, b in zip(x, y, strict=True))
        never_above &= worst <= Fraction(2) ** (2 * change)
        if change:
            shares.append(math.log2(worst) / (2 * change))
    two = nw.Categories(["a", "b"])
    mechanism = nw.select.choice_table(two, lambda x, y: int(x == y), epsilon=1)
    realized = nw.tight_epsilon(mechanism)
    return Claim(
        "Definition 2, (4)",
        "the exponential mechanism is 2εΔu-private",
        "With probabilities proportional to e^(ε u(d, q)) μ(q) the exponential mechanism is "
        "2εΔu-private (McSherry and Talwar), Δu the largest change of u between neighbors.",
        f"On {cases} random utilities (three inputs, all neighbors, four outputs; in fractions at "
        f"ε = ln 2, seed {SEED}) the exact ε is between {min(shares):.2f} and {max(shares):.2f} "
        "of 2εΔu, never above. For the utility `same or not` on two values, the mechanism that "
        f"this rule gives for ε = 1 has in truth ε = {realized:.4f}.",
        judge(never_above),
        numbers={"largest_share": max(shares), "two_values": realized},
    )


def _differences(utility: list[list[int]]) -> list[int]:
    return [abs(a - b) for x in utility for y in utility for a, b in zip(x, y, strict=True)]


def definition_3(setting: Setting) -> Claim:
    """One event per ordered pair decides (ε, δ)-privacy, so that it can be computed."""
    random = Random(SEED + 3)
    cases = setting.pick(300, 40)
    agree = one_way = 0
    for _ in range(cases):
        p, q = random_row(random, 6), random_row(random, 6)
        ratio = random_ratio(random)
        exact = needed(p, q, ratio)
        brute = max(sum(p[y] - ratio * q[y] for y in event) for event in events(range(6)))
        agree += max(Fraction(0), brute) == exact
        one_way += needed(q, p, ratio) != exact
    return Claim(
        "Definition 3, (5)",
        "(ε, δ)-privacy with respect to a query",
        "P(X_d ∈ A) ≤ e^ε P(X_d' ∈ A) + δ for all neighbors, in both directions, and all events A.",
        f"The least δ at ε is Σ_y max(0, P(y|d) − e^ε P(y|d')), because one event is the worst: "
        f"equal to the maximum over all 63 events for {agree} of {cases} random pairs (in "
        f"fractions, seed {SEED + 3}). The two directions differ for {one_way} of them, so both "
        "must be checked. Everything on this page is decided this way.",
        judge(agree == cases),
        numbers={"cases": float(cases), "agree": float(agree)},
    )


def _unique(database: tuple[str, ...]) -> int:
    return len(set(database))


def _television(database: tuple[str, ...]) -> int:
    return database.count("Television")


def _gathered(row: list[Fraction], place: list[int], answers: int) -> list[Fraction]:
    """Return the probabilities of answers, each the sum over the databases that give it."""
    sums = [Fraction(0)] * answers
    for weight, answer in zip(row, place, strict=True):
        sums[answer] += weight
    return sums


def theorem_1(setting: Setting) -> Claim:
    """A query on the sanitized database is at least as private as the database."""
    n = setting.pick(3, 2)
    m = len(HOBBIES) - 1
    p = Fraction(1, 10)
    parent = response(m, p)
    points = databases(m + 1, n)
    pairs = neighbors(points)
    table = power(parent, n)
    named = [tuple(HOBBIES[v] for v in point) for point in points]
    queries = {
        "identity": lambda d: d,
        "number of unique hobbies": _unique,
        "number with Television": _television,
        "is Television the most common?": lambda d: 2 * _television(d) > n,
    }
    ratios = (Fraction(3, 2), Fraction(3), Fraction(6))
    least: dict[str, list[Fraction]] = {}
    holds_everywhere = True
    identity = {ratio: least_delta(table, pairs, ratio) for ratio in ratios}
    for name, query in queries.items():
        answers = list(dict.fromkeys(query(d) for d in named))
        place = [answers.index(query(d)) for d in named]
        pushed = [_gathered(row, place, len(answers)) for row in table]
        deltas = [least_delta(pushed, pairs, ratio) for ratio in ratios]
        holds_everywhere &= all(d <= identity[r] for d, r in zip(deltas, ratios, strict=True))
        least[name] = deltas
    mechanism = nw.from_matrix(nw.Categories(HOBBIES), parent) ** n
    ours = nw.tight_delta(
        mechanism.then(_television), epsilon=nw.accounting.Epsilon.log(Fraction(3))
    )
    same = abs(ours - float(least["number with Television"][1])) < 1e-12
    return Claim(
        "Theorem 1",
        "sanitize once, then any query is as private",
        "A sanitized response that is (ε, δ)-private for the identity query is so for any query.",
        f"The hobbies of {n} people sanitized with p = 0.1: the least δ of each query at e^ε = "
        "3/2, 3 and 6 is at most that of the sanitized database, in fractions. Queries that forget "
        "more give away less.",
        judge(holds_everywhere and same),
        grids=(
            Grid(
                "Least δ",
                ("query", *(f"e^ε = {r}" for r in ratios)),
                [[name, *map(float, deltas)] for name, deltas in least.items()],
            ),
        ),
        numbers={"television_at_3": ours},
    )


def example_1(setting: Setting) -> Claim:
    """Six people, five hobbies."""
    del setting
    unique, television = _unique(DATABASE), _television(DATABASE)
    space = nw.Categories(HOBBIES) ** len(DATABASE)
    fits = space.point(space.code(DATABASE)) == DATABASE
    return Claim(
        "Example 1",
        "favorite hobbies of six people",
        "Five hobbies, so m = 4. Sports, Computer games, Television, Sports, Reading, Television "
        "has 4 unique hobbies, and 2 people list Television.",
        f"{unique} unique hobbies, {television} with Television; one of {space.size:,} databases.",
        judge(fits and (unique, television, len(HOBBIES) - 1) == (4, 2, 4)),
        numbers={"unique": float(unique), "television": float(television)},
    )


CLAIMS = {
    "definition-1": definition_1,
    "definition-2": definition_2,
    "definition-3": definition_3,
    "theorem-1": theorem_1,
    "example-1": example_1,
}
