"""Sections 1 and 2: sets, measures, the kinds of data and what privacy asks for."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, pairwise, product
from random import Random

import noisewright as nw
from papers.claims import Claim, Grid, Setting, judge
from papers.databases import needed

SEED = 2015

Family = frozenset[frozenset[int]]


def _powerset(points: Iterable[int]) -> list[frozenset[int]]:
    listed = list(points)
    sizes = range(len(listed) + 1)
    return [frozenset(c) for size in sizes for c in combinations(listed, size)]


def _algebra(family: Iterable[frozenset[int]], whole: frozenset[int]) -> Family:
    """Return the smallest algebra (for finitely many points: σ-algebra) that holds the family."""
    found = {frozenset[int](), whole, *family}
    while True:
        new = {whole - a for a in found} | {a | b for a in found for b in found}
        if new <= found:
            return frozenset(found)
        found |= new


def _monotone(family: Family) -> Family:
    """Return the smallest monotone class: unions and intersections of chains."""
    found = set(family)
    while True:
        new = {s for a in found for b in found if a <= b for s in (a | b, a & b)}
        if new <= found:
            return frozenset(found)
        found |= new


def theorem_1(setting: Setting) -> Claim:
    """The monotone class of an algebra is its σ-algebra; of other families it need not be."""
    del setting
    whole = frozenset(range(3))
    subsets = _powerset(whole)
    algebras = equal = others_equal = families = 0
    for family in (frozenset(c) for k in range(9) for c in combinations(subsets, k)):
        families += 1
        generated = _algebra(family, whole)
        if generated == family:
            algebras += 1
            equal += _monotone(family) >= generated
        else:
            others_equal += _monotone(family) >= generated
    a = Fraction(9, 10)
    up = [1 - a ** (i + 1) for i in range(200)]
    rising = all(x < y for x, y in pairwise(up)) and 1 - up[-1] < Fraction(1, 10**9)
    return Claim(
        "Theorem 1, Proposition 1",
        "a monotone class that holds an algebra holds its σ-algebra",
        "Cited from the literature: if a monotone class holds an algebra 𝒮, it holds σ(𝒮); and the "
        "measures of rising or falling sets converge to that of their union or intersection.",
        "On finitely many points a chain of sets ends, so every family is a monotone class, and "
        f"the theorem says that an algebra is a σ-algebra. Of all {families} families of subsets "
        f"of three points {algebras} are algebras, and {equal} of these hold their σ-algebra; of "
        f"the other {families - algebras} families {others_equal} do. For P(j) = 0.1 · 0.9^j the "
        "measures of {0, …, i} rise to 1; at i = 199 all but "
        f"{float(1 - up[-1]):.1e} is there.",
        judge(equal == algebras == 5 and others_equal == 0 and rising),
        numbers={"families": float(families), "algebras": float(algebras)},
    )


def theorem_2(setting: Setting) -> Claim:
    """Unions of rectangles generate the product σ-algebra."""
    left = setting.pick((2, 3), (2,))
    right = 2
    cases = same = 0
    for size in left:
        x, y = frozenset(range(size)), frozenset(range(right))
        codes = {(a, b): a * right + b for a, b in product(x, y)}
        algebras_x = {_algebra(c, x) for k in range(3) for c in combinations(_powerset(x), k)}
        algebras_y = {_algebra(c, y) for k in range(2) for c in combinations(_powerset(y), k)}
        for ax, ay in product(algebras_x, algebras_y):
            rectangles = {
                frozenset(codes[a, b] for a in one for b in other) for one in ax for other in ay
            }
            whole = frozenset(codes.values())
            elementary = set(rectangles)
            while True:
                new = {a | b for a in elementary for b in rectangles if not a & b}
                if new <= elementary:
                    break
                elementary |= new
            cases += 1
            same += _algebra(rectangles, whole) == frozenset(elementary)
    return Claim(
        "Theorem 2",
        "disjoint unions of rectangles generate the product",
        "Cited: a monotone class that holds all elementary sets (finite unions of disjoint "
        "rectangles) holds the product σ-algebra.",
        f"For each of {cases} pairs of σ-algebras on two or three and on two points, the "
        f"elementary sets are already the whole product σ-algebra ({same} of {cases}).",
        judge(same == cases),
        numbers={"cases": float(cases)},
    )


def example_1(setting: Setting) -> Claim:
    """Sets of hobbies with two metrics."""
    hobbies = ("tv", "cars", "chess", "music")[: setting.pick(4, 3)]
    rows: list[list[object]] = []
    metric = True
    for name in ("discrete", "symmetric difference"):
        space = nw.Subsets(hobbies, metric=name)
        points = list(space.points)
        for a in points:
            for b in points:
                by_hand = int(a != b) if name == "discrete" else len(set(a) ^ set(b))
                metric &= space.distance(a, b) == by_hand
                metric &= all(
                    space.distance(a, c) <= by_hand + space.distance(b, c) for c in points
                )
        rows.append([name, len(points), space.diameter, space.separation])
    return Claim(
        "Example 1, (1)",
        "sets of hobbies form a finite metric space",
        "Records are sets of hobbies, with the discrete metric ρ1 or the symmetric difference ρ2; "
        "records need not be of one size.",
        f"For {len(hobbies)} hobbies `nw.Subsets` has both, equal to the definitions for every "
        "pair of sets, with the triangle inequality for every three.",
        judge(metric),
        grids=(Grid("Spaces", ("metric", "records", "diameter", "κ"), rows),),
    )


def example_2(setting: Setting) -> Claim:
    """Curves with the sup and the L2 norm."""
    del setting
    random = Random(SEED)
    spaces = {
        norm: nw.Curves([0, 1, 2, 4], low=0, high=10, step=1, norm=norm) for norm in ("sup", "L2")
    }
    right = True
    for _ in range(60):
        a, b, c = ([random.randint(0, 10) for _ in range(4)] for _ in range(3))
        difference = [x - y for x, y in zip(a, b, strict=True)]
        # The trapezoid rule with half the distance to each side.
        weights = (0.5, 1, 1.5, 1)
        square = sum(w * d * d for w, d in zip(weights, difference, strict=True))
        by_hand = {"sup": max(abs(d) for d in difference), "L2": square**0.5}
        for norm, space in spaces.items():
            right &= abs(float(space.distance(a, b)) - by_hand[norm]) < 1e-9
            right &= space.distance(a, c) <= space.distance(a, b) + space.distance(b, c)
    rows = [[norm, f"{space.size:,}", float(space.diameter)] for norm, space in spaces.items()]
    return Claim(
        "Example 2",
        "curves form a metric space",
        "Readings of sensors and smart meters are functions or sequences; function spaces have "
        "natural norms, and with them the Borel σ-algebra.",
        "`nw.Curves` has both norms on a grid of positions: sup, and L2 by the trapezoid rule. On "
        "60 random triples of curves distances are those of the definitions and obey the triangle "
        "inequality. On a grid every set is a Borel set.",
        judge(right),
        grids=(Grid("Four positions, values 0 to 10", ("norm", "curves", "diameter"), rows),),
    )


def definition_1(setting: Setting) -> Claim:
    """Privacy for each query of a set is not privacy for all of them together."""
    del setting
    epsilon = Fraction(1)
    one = nw.randomized_response(nw.Categories([0, 1]), epsilon=epsilon)
    each = nw.tight_epsilon(one)
    both = nw.compose([one, one]).epsilon(0)
    truth = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    # With the σ-algebra {∅, E} only the event E is ever looked at, and its probability is 1.
    trivial = max(Fraction(0), sum(truth[0]) - sum(truth[1]))
    with_all_events = needed(truth[0], truth[1], Fraction(1))
    return Claim(
        "Definitions 1 and 2, Section 1",
        "privacy with respect to a query, and to a set of queries",
        "Private for a query: (5) for all neighbors and all sets of the query's σ-algebra. Private "
        "for a set of queries: for every query in it. With the trivial σ-algebra {∅, E} every "
        "mechanism is private.",
        f"Publishing the truth has δ = {trivial} with the trivial σ-algebra and δ = "
        f"{with_all_events} with all events, at ε = 0: the choice of events is part of the "
        "promise. Definition 2 looks at one query at a time: two copies of a bit, each randomized "
        f"with ε = {each:.3g}, are private for both queries at ε = {each:.3g}, and their answers "
        f"together have ε = {both:.3g}.",
        judge(trivial == 0 and with_all_events == 1 and abs(both - 2 * each) < 1e-9),
        numbers={"each": each, "both": both},
    )


CLAIMS = {
    "theorem-1": theorem_1,
    "theorem-2": theorem_2,
    "example-1": example_1,
    "example-2": example_2,
    "definition-1": definition_1,
}
