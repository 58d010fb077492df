"""Sections 3 and 4: which sets must be checked, queries after sanitization, repeated queries."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from random import Random

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import Claim, Grid, Picture, Setting, judge
from papers.databases import Matrix, least_delta, random_ratio, random_row
from papers.metric.measures import SEED


def laplace_delta(shift: float, scale: float, epsilon: float) -> float:
    """Return the least δ at ε of Laplace noise on two points a shift apart."""
    return max(0.0, -math.expm1((epsilon - shift / scale) / 2))


def _mass(low: float, high: float, center: float, scale: float) -> float:
    """Return the Laplace probability of [low, high)."""

    def below(x: float) -> float:
        z = (x - center) / scale
        return 0.5 * math.exp(z) if z < 0 else 1 - 0.5 * math.exp(-z)

    return below(high) - below(low)


def theorem_3(setting: Setting) -> Claim:
    """Finite unions of dyadic intervals already show the whole of δ."""
    shift, scale, epsilon = 1.0, 1.0, 0.3
    exact = laplace_delta(shift, scale, epsilon)
    rows: list[dict[str, object]] = []
    table: list[list[object]] = []
    found: list[float] = []
    for k in setting.pick(range(13), range(9)):
        width, reach = 2.0**-k, 24
        edges = [i * width - reach for i in range(int(2 * reach / width) + 1)]
        excess = math.fsum(
            max(0.0, _mass(a, b, 0, scale) - math.exp(epsilon) * _mass(a, b, shift, scale))
            for a, b in pairwise(edges)
        )
        found.append(excess)
        rows.append({"k": k, "events": "unions of intervals of width 2^-k", "δ": excess})
        rows.append({"k": k, "events": "all Borel sets", "δ": exact})
        table.append([k, excess, exact - excess])
    rising = all(a <= b + 1e-12 for a, b in pairwise(found))
    below = all(value <= exact + 1e-9 for value in found)
    close = exact - found[-1] < setting.pick(1e-7, 1e-4)
    chart = loss_curves(rows, x="k", y="δ", color="events", y_title="δ that is needed")
    save_chart(chart, setting.out / "theorem-3.png")
    return Claim(
        "Theorem 3",
        "an algebra that generates the σ-algebra is enough",
        "If (5) holds for all sets of an algebra 𝒮 with σ(𝒮) = 𝒜, it holds for all of 𝒜.",
        "Laplace noise on the line (shift 1, scale 1, ε = 0.3), looked at only through finite "
        "unions of intervals of width 2^-k: the δ they need rises with k to that of all Borel "
        f"sets, 1 − e^((ε − 1)/2) = {exact:.6f}; at k = {len(found) - 1} it lacks "
        f"{exact - found[-1]:.1e}. So a mechanism that passes on the algebra passes everywhere.",
        judge(rising and below and close),
        grids=(Grid("δ", ("k", "needed by unions", "missing"), table[::2]),),
        pictures=(Picture("theorem-3.png", "The δ that coarse and fine events need."),),
        numbers={"exact": exact, "finest": found[-1]},
    )


def _pushed(matrix: Matrix, query: tuple[int, ...]) -> Matrix:
    answers = sorted(set(query))
    return [
        [
            sum((w for w, a in zip(row, query, strict=True) if a == answer), Fraction(0))
            for answer in answers
        ]
        for row in matrix
    ]


def theorem_4(setting: Setting) -> Claim:
    """Every query of a sanitized database is as private; the identity shows all of it."""
    random = Random(SEED + 4)
    cases = setting.pick(12, 3)
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    queries = sorted(set(product(range(4), repeat=4)))
    below = tried = 0
    reached = True
    for _ in range(cases):
        matrix = [random_row(random, 4) for _ in range(3)]
        ratio = random_ratio(random)
        own = least_delta(matrix, pairs, ratio)
        deltas = [least_delta(_pushed(matrix, query), pairs, ratio) for query in queries]
        below += sum(delta <= own for delta in deltas)
        tried += len(queries)
        reached &= deltas[queries.index((0, 1, 2, 3))] == own
    return Claim(
        "Theorem 4, Corollary 1",
        "private for the identity query, private for every query",
        "If the sanitization is (ε, δ)-private, so is the sanitized response to any query; and a "
        "sanitized response mechanism whose queries include the identity is private for it iff it "
        "is private for all of them.",
        f"All {len(queries)} queries on four sanitized values, for {cases} random sanitizations "
        f"(in fractions, seed {SEED + 4}): the least δ of the query is at most that of the "
        f"sanitization in {below:,} of {tried:,} cases, and equal for the identity.",
        judge(below == tried and reached),
        numbers={"tried": float(tried), "below": float(below)},
    )


_HOBBIES = ("Classical Music", "Football", "Chess")


def _interested(database: tuple[frozenset[str], ...]) -> int:
    return sum(bool({"Classical Music", "Football"} & record) for record in database)


def _most_common(database: tuple[frozenset[str], ...]) -> frozenset[str]:
    counts = Counter(hobby for record in database for hobby in record)
    ranked = sorted(_HOBBIES, key=lambda hobby: (-counts[hobby], hobby))
    return frozenset(ranked[:2])


def example_3(setting: Setting) -> Claim:
    """A numeric and a set-valued query on sanitized sets of hobbies."""
    del setting
    space = nw.Subsets(_HOBBIES)
    row = nw.randomized_response(space, epsilon=1)
    sanitized = row**2
    epsilons = {
        "the sanitized database": nw.tight_epsilon(sanitized),
        "how many like Classical Music or Football": nw.tight_epsilon(
            sanitized.then(lambda d: _interested(tuple(frozenset(r) for r in d)))
        ),
        "the two most common hobbies": nw.tight_epsilon(
            sanitized.then(lambda d: "+".join(sorted(_most_common(tuple(frozenset(r) for r in d)))))
        ),
    }
    values = list(epsilons.values())
    return Claim(
        "Example 3",
        "queries need not be numbers",
        "A query may count the people who like Classical Music or Football, or ask for the most "
        "common hobbies, which is a set.",
        "Two people, three hobbies, each record sanitized with ε = 1: the exact ε of both queries "
        "is at most that of the sanitized database.",
        judge(all(value <= values[0] + 1e-12 for value in values)),
        grids=(Grid("Exact ε at δ = 0", ("query", "ε"), [[*pair] for pair in epsilons.items()]),),
        numbers={"counting": values[1], "set": values[2]},
    )


def repeated_delta(p: Fraction, epsilon: float, times: int) -> float:
    """Return the least δ when a bit that flips with probability p is asked so many times."""
    ratio = math.exp(epsilon)
    flip = float(p)
    return math.fsum(
        math.comb(times, right)
        * max(
            0.0,
            (1 - flip) ** right * flip ** (times - right)
            - ratio * flip**right * (1 - flip) ** (times - right),
        )
        for right in range(times + 1)
    )


def repeated_query(setting: Setting) -> Claim:
    """Asked twice, the noisy answer is no longer (0.1, 0.4)-private; sanitized data stays so."""
    p, epsilon, delta = Fraction(286, 1000), 0.1, 0.4
    threshold = (1 - delta) / (1 + math.exp(epsilon))
    both = [(1 - p) ** 2, p**2]
    right_side = math.exp(epsilon) * float(both[1]) + delta
    bit = nw.from_matrix(nw.Categories([0, 1]), [[1 - p, p], [p, 1 - p]])
    ones = nw.tight_delta(bit, epsilon=epsilon)
    exact = {
        k: repeated_delta(p, epsilon, k) for k in setting.pick((1, 2, 3, 5, 10, 20, 50), (1, 2, 5))
    }
    noisy = nw.analysis.OutputPerturbation(lambda database: database[0], bit)
    copy = nw.analysis.SanitizedResponse(bit)
    same = all(
        abs(noisy.delta(epsilon, queries=k) - value) < 1e-9
        and abs(copy.delta(epsilon, queries=k) - exact[1]) < 1e-9
        for k, value in exact.items()
        if k <= 20
    )
    allowed = noisy.affordable(epsilon=epsilon, delta=delta)
    longest = setting.pick(30, 10)
    rows = [
        {"k": k, "answers": way, "δ": value}
        for k in range(1, longest + 1)
        for way, value in (
            ("fresh noise for each answer", repeated_delta(p, epsilon, k)),
            ("sanitized once", repeated_delta(p, epsilon, 1)),
        )
    ]
    chart = loss_curves(
        rows,
        x="k",
        y="δ",
        color="answers",
        x_title="how often the query is asked",
        y_title="least δ at ε = 0.1",
        from_zero=True,
    )
    save_chart(chart, setting.out / "repeated-query.png")
    printed = (
        float(p) >= threshold
        and round(float(both[0]), 4) == 0.5098
        and both[1] == Fraction(81796, 10**6)
        and float(both[0]) > right_side
        and ones <= delta
    )
    return Claim(
        "Remark after Theorem 4",
        "a repeated query",
        "A bit that flips with p is (ε, δ)-private iff p ≥ (1 − δ)/(1 + e^ε). With ε = 0.1, δ = "
        "0.4 and p = 0.286 it is; asked twice, P(A × A) = 0.5098 > e^ε · 0.081796 + δ, so it is "
        "not. Sanitized once, it stays private however often one asks.",
        f"The threshold is p = {threshold:.6f}. {float(both[0]):.6f} is above e^ε p² + δ = "
        f"{right_side:.6f}. The exact δ at ε = 0.1 is {exact[1]:.5f} for one answer, "
        f"{exact[2]:.5f} for two and {exact[max(exact)]:.5f} for {max(exact)} "
        f"(`nw.analysis.OutputPerturbation` {'agrees' if same else 'disagrees'}, "
        f"and affords {allowed} answer within (0.1, 0.4)); sanitized once it stays {exact[1]:.5f} "
        "(`nw.analysis.SanitizedResponse`).",
        judge(printed and same and allowed == 1),
        grids=(Grid("Least δ at ε = 0.1", ("answers", "δ"), [[k, v] for k, v in exact.items()]),),
        pictures=(
            Picture(
                "repeated-query.png",
                "With fresh noise δ climbs towards 1; a sanitized copy gives nothing more away.",
            ),
        ),
        numbers={"threshold": threshold, "twice": exact[2], "right_side": right_side},
    )


CLAIMS = {
    "theorem-3": theorem_3,
    "theorem-4": theorem_4,
    "example-3": example_3,
    "repeated-query": repeated_query,
}
