"""Section 5: product sanitizations, Laplace noise and categorical data."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise
from random import Random

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import Claim, Grid, Picture, Setting, judge
from papers.databases import (
    databases,
    events,
    holds,
    least_delta,
    neighbors,
    power,
    random_ratio,
    random_row,
    response,
)
from papers.metric.measures import SEED
from papers.metric.queries import laplace_delta


def lemma_1(setting: Setting) -> Claim:
    """A union of rectangles as a union over disjoint sides."""
    random = Random(SEED + 1)
    cases = setting.pick(300, 40)
    right = 0
    for _ in range(cases):
        count = random.randint(1, 4)
        a, b = (
            [{x for x in range(4) if random.random() < 0.5} or {0} for _ in range(count)]
            for _ in range(2)
        )
        union = {(x, y) for s, t in zip(a, b, strict=True) for x in s for y in t}
        subsets = [set(i) for size in range(count + 1) for i in combinations(range(count), size)]
        # Lemma 1 makes the second sides disjoint, Lemma 2 the first.
        fine = True
        for left, other, flipped in ((a, b, False), (b, a, True)):
            wide = [set[int]().union(*(left[i] for i in chosen)) for chosen in subsets]
            parts = [
                {
                    y
                    for y in range(4)
                    if all(y in other[i] for i in chosen)
                    and not any(y in other[i] for i in range(count) if i not in chosen)
                }
                for chosen in subsets
            ]
            fine &= all(not s & t for s, t in combinations(parts, 2))
            rebuilt = {(x, y) for s, t in zip(wide, parts, strict=True) for x in s for y in t}
            fine &= ({(y, x) for x, y in rebuilt} if flipped else rebuilt) == union
        right += fine
    return Claim(
        "Lemmas 1 and 2",
        "unions of rectangles with disjoint sides",
        "A finite union of rectangles A_i × B_i is the union over I of (∪_I A_i) × (∩_I B_i minus "
        "the other B_i), whose second sides are disjoint; and likewise with disjoint first sides.",
        f"Both identities hold for {right} of {cases} random unions of up to four rectangles in a "
        f"4 × 4 product (seed {SEED + 1}).",
        judge(right == cases),
        numbers={"cases": float(cases), "right": float(right)},
    )


def theorem_5(setting: Setting) -> Claim:
    """Private on each record iff private on databases; outputs may lie outside of D."""
    random = Random(SEED + 5)
    cases = setting.pick(40, 6)
    everyone = [(a, b) for a in range(3) for b in range(3) if a != b]
    same = 0
    for case in range(cases):
        parent = [random_row(random, 4) for _ in range(3)]
        ratio = random_ratio(random)
        n = 2 + case % 2
        pairs = neighbors(databases(3, n))
        same += least_delta(power(parent, n), pairs, ratio) == least_delta(parent, everyone, ratio)
    noisy = nw.laplace(nw.Interval(0, 1, step="1/16"), epsilon=4)
    shuffled = nw.shuffled(mechanism=noisy, rows=100_000, delta="1e-9")
    return Claim(
        "Lemma 3, Theorem 5",
        "records one by one",
        "If each record is sanitized independently by Y_d, the sanitization of databases is (ε, "
        "δ)-private iff the mechanism for one record is.",
        f"The least δ of two and three records equals that of one for {same} of {cases} random "
        f"mechanisms with three records and four outputs, all neighbors (in fractions, seed "
        f"{SEED + 5}). All this is for records in their order. Published in a secret random order "
        "they also hide among each other: 100,000 numbers in 0 … 1 with Laplace noise of ε = 4 "
        f"each have ε = {shuffled.upper} with δ = 1e-9 against whoever sees only the published "
        "copy (`nw.shuffled`).",
        judge(same == cases, more=shuffled.upper < 0.5),
        "In a secret random order, databases are far more private than their records.",
        numbers={"cases": float(cases), "same": float(same), "shuffled": shuffled.upper},
    )


def number_of_sets(setting: Setting) -> Claim:
    """There are 2^(|D|^n) sets of databases."""
    del setting
    printed = meant = pairs_right = True
    rows: list[list[object]] = []
    for values, n in ((2, 1), (2, 2), (2, 3), (3, 2)):
        points = databases(values, n)
        sets = sum(1 for _ in events(range(len(points)))) + 1 if len(points) <= 9 else 0
        pairs = len(neighbors(points)) // 2
        pairs_right &= pairs == n * math.comb(values, 2) * values ** (n - 1)
        printed &= sets == 2 ** (values * n)
        meant &= sets == 2 ** (values**n)
        rows.append([values, n, pairs, sets, 2 ** (values * n)])
    return Claim(
        "Remark after Theorem 5",
        "how many sets there are",
        "On D one checks |D| choose 2 pairs and 2^|D| sets; on D^n it would be n (|D| choose 2) "
        "|D|^(n−1) pairs and 2^(|D| n) sets.",
        "The pairs are right. The sets of databases number 2^(|D|^n), enumerated: with three "
        "values and two records 512, not 64.",
        judge(printed and pairs_right, corrected=meant and pairs_right),
        "2^(|D|^n) sets: the theorem saves even more than the remark says.",
        grids=(Grid("Enumerated", ("values", "n", "pairs", "sets", "sets as printed"), rows),),
    )


def _integrated(shift: float, scale: float, epsilon: float) -> float:
    """Return the least δ of Laplace noise by quadrature, independent of the formula."""
    from scipy.integrate import quad

    def excess(x: float) -> float:
        p = math.exp(-abs(x) / scale) / (2 * scale)
        q = math.exp(-abs(x - shift) / scale) / (2 * scale)
        return max(0.0, p - math.exp(epsilon) * q)

    # Where the density ratio falls to e^ε the integrand has a kink, and so it has at 0.
    kink = (shift - epsilon * scale) / 2
    edges = sorted({-60 * scale, 0.0, kink, shift, 60 * scale})
    return math.fsum(quad(excess, a, b, epsabs=1e-13)[0] for a, b in pairwise(edges))


def example_5(setting: Setting) -> Claim:
    """The printed scale is enough and never needed: diam/(ε − 2 ln(1 − δ)) is exact."""
    diameter = 1.0
    rows: list[list[object]] = []
    curve: list[dict[str, object]] = []
    enough = formula = sharp = root = True
    for epsilon in (0.5, 1.0, 2.0):
        for delta in (0.01, 0.1, 0.3):
            paper = diameter / (epsilon - math.log1p(-delta))
            ours = diameter / (epsilon - 2 * math.log1p(-delta))
            really = laplace_delta(diameter, paper, epsilon)
            formula &= abs(_integrated(diameter, paper, epsilon) - really) < 1e-9
            enough &= really <= delta
            root &= abs(really - (1 - math.sqrt(1 - delta))) < 1e-12
            sharp &= abs(_integrated(diameter, ours, epsilon) - delta) < 1e-9
            sharp &= laplace_delta(diameter, ours * (1 - 1e-9), epsilon) > delta
            rows.append([epsilon, delta, paper, really, ours, 1 - ours / paper])
        for step in setting.pick(range(51), range(0, 51, 10)):
            delta = step / 100
            for name, factor in (("printed", 1), ("exact", 2)):
                scale = diameter / (epsilon - factor * math.log1p(-delta))
                curve.append({"ε": epsilon, "δ": delta, "scale": name, "b": scale})
    # The printed exponent is e^(−|Δ|/b) > 0, so the printed factor is above 1 for every b.
    vacuous = all(math.exp(math.exp(-1 / b)) >= 1 for b in (0.01, 1, 100))
    # What the triangle inequality gives: the density at d' is at least e^(−|Δ|/b) that at d.
    meant = all(
        math.exp(-abs(x / 8 - 1) / b) >= math.exp(-1 / b) * math.exp(-abs(x / 8) / b) * (1 - 1e-12)
        for b in (0.5, 1, 2)
        for x in range(-40, 49)
    )
    grid = nw.Interval(0, 1, step=Fraction(1, 1000))
    asked, small = 0.1, 1e-6
    exact = nw.laplace(grid, epsilon=1, delta=asked)
    as_printed = nw.laplace(grid, epsilon=1, delta=asked, scale="paper")
    on_grid = {
        name: nw.tight_delta(mechanism, epsilon=1)
        for name, mechanism in (("exact", exact), ("printed", as_printed))
    }
    sharp &= abs(on_grid["exact"] - asked) < small
    sharp &= abs(exact.scale - 1 / (1 - 2 * math.log1p(-asked))) < small
    root &= abs(on_grid["printed"] - (1 - math.sqrt(1 - asked))) < small
    chart = loss_curves(
        curve, x="δ", y="b", color="scale", column="ε", shared_y=False, y_title="scale b / diam(D)"
    )
    save_chart(chart, setting.out / "example-5.png")
    return Claim(
        "Example 5",
        "Laplace noise with a δ",
        "Noise of scale b ≥ diam(D)/(ε − log(1 − δ)) makes the product sanitization (ε, "
        "δ)-private: it suffices that ∫_A f ≤ e^(e^(−|Δ|/b)) ∫_A f + δ.",
        "The scale is enough, but never needed for δ > 0. The exact δ of Laplace noise is 1 − "
        "e^((ε − diam/b)/2) (by quadrature too), so the printed b really gives 1 − √(1 − δ), about "
        "half of the δ that was allowed. And the printed exponent is a slip: it is above 0 for "
        "every b, so that inequality always holds and proves nothing; the triangle inequality "
        "gives e^(ε − |Δ|/b). On a grid of 1/1000, with exact discrete noise, `nw.laplace` at ε = "
        f"1 and δ = {asked} needs b = {exact.scale:.6f} and has δ = {on_grid['exact']:.6f}; with "
        f"the printed scale {as_printed.scale:.6f} it has δ = {on_grid['printed']:.6f}.",
        judge(
            enough and formula and sharp and root and not vacuous,
            corrected=enough and formula and sharp and root and meant,
        ),
        "b = diam(D)/(ε − 2 ln(1 − δ)) is necessary and sufficient; read e^(ε − |Δ|/b). The mean "
        "error of Laplace noise is b, so this much is saved at the same (ε, δ).",
        grids=(
            Grid(
                "diam(D) = 1",
                ("ε", "δ", "b as printed", "δ it gives", "exact b", "saved"),
                rows,
            ),
        ),
        pictures=(Picture("example-5.png", "The scale against δ: as printed, and exact."),),
        numbers={
            "printed_gives": laplace_delta(1.0, 1 / (1 - math.log1p(-0.1)), 1.0),
            "exact_scale": 1 / (1 - 2 * math.log1p(-0.1)),
        },
    )


_TINY = Fraction(1, 10**12)


def example_6(setting: Setting) -> Claim:
    """(12) is necessary and sufficient; the assumption 1 − pm > p matters."""
    right, tried = True, 0
    for m in setting.pick((1, 3, 7, 15), (1, 7)):
        pairs = [(0, 1), (1, 0)]
        for ratio in (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(5)):
            for delta in (Fraction(0), Fraction(1, 10), Fraction(1, 2)):
                least = (1 - delta) / (m + ratio)
                for p in (least, least - _TINY, (least + Fraction(1, m + 1)) / 2):
                    if not 1 - p * m >= p > 0:
                        continue
                    condition = 1 - p * m <= ratio * p + delta
                    right &= (least_delta(response(m, p), pairs, ratio) <= delta) == condition
                    right &= condition == (p >= least)
                    tried += 1
    unlikely = response(1, Fraction(9, 10))
    condition = 1 - Fraction(9, 10) <= 2 * Fraction(9, 10)
    breaks = condition and not holds(unlikely[0], unlikely[1], (1,), Fraction(2), Fraction(0))
    space = nw.Subsets(("tv", "cars", "chess"))
    mechanism = nw.randomized_response(space, epsilon=1, delta=0.05)
    p = (1 - 0.05) / (7 + math.e)
    ours = float(mechanism.matrix[0, 1])
    return Claim(
        "Example 6, (11), (12)",
        "sets of hobbies with one p for all others",
        "With P(Y_d = d) = 1 − pm > p = P(Y_d = d'), (ε, δ)-privacy holds iff 1 − pm ≤ e^ε p + δ, "
        "that is p ≥ (1 − δ)/(m + e^ε).",
        f"So it is in {tried} cases around the threshold, in fractions. The assumption 1 − pm > p "
        f"{'is needed' if breaks else 'is not needed'}: with m = 1 and p = 0.9 (12) holds at e^ε = "
        "2, δ = 0, and privacy does not. For three hobbies (m = 7), ε = 1 and δ = 0.05 the least p "
        f"is {p:.6f}, and that of `nw.randomized_response` is {ours:.6f}.",
        judge(right and breaks and abs(p - ours) < 1e-12),
        numbers={"p": ours},
    )


CLAIMS = {
    "lemma-1": lemma_1,
    "theorem-5": theorem_5,
    "number-of-sets": number_of_sets,
    "example-5": example_5,
    "example-6": example_6,
}
