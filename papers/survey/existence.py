"""Section 2.5: small databases that answer as well exist, and the proof of that line by line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from random import Random

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge, listed
from papers.survey.charts import lines
from papers.survey.exponential import SEED


def least_error(counts: list[int], m: int) -> Fraction:
    """The largest error over the cells of the best database of m records over four points."""
    n = sum(counts)
    return min(
        max(abs(Fraction(c, n) - Fraction(chosen.count(x), m)) for x, c in enumerate(counts))
        for chosen in combinations_with_replacement(range(len(counts)), m)
    )


def theorem_3(setting: Setting) -> Claim:
    """Small databases that answer as well: fewer records than printed are enough."""
    random = Random(SEED + 3)
    k = 4
    rows: list[dict[str, object]] = []
    table: list[list[object]] = []
    fits = True
    for m in setting.pick(range(1, 11), range(1, 6)):
        hoeffding = math.sqrt(math.log(2 * k) / (2 * m))
        printed = math.sqrt(8 * math.log(k) / m)
        worst = Fraction(0)
        for _ in range(setting.pick(30, 5)):
            counts = [random.randint(0, 40) for _ in range(k)]
            counts[0] += 1
            worst = max(worst, least_error(counts, m))
        fits &= float(worst) <= hoeffding
        for name, value in (
            ("survey: √(8 ln k / m)", printed),
            ("Hoeffding: √(ln 2k / 2m)", hoeffding),
            ("worst found", float(worst)),
        ):
            rows.append({"m": m, "bound": name, "α": value})
        table.append([m, printed, hoeffding, float(worst)])
    chart = loss_curves(
        rows, x="m", y="α", color="bound", y_title="largest error α", from_zero=True
    )
    save_chart(chart, setting.out / "theorem-3.png")
    sizes = (
        nw.workloads.blr_size(100, within=0.2, bound="survey"),
        nw.workloads.blr_size(100, within=0.2),
    )
    # Both sizes have the factor 1/α², so what is enough does not depend on α.
    too_few = [k for k in range(1, 1001) if 8 * math.log(k) < math.log(2 * k) / 2]
    return Claim(
        "Theorem 3",
        "a small synthetic database answers k queries",
        "For every D and k counting queries there is a database of m = 8 log k / α² records with "
        "no error above α.",
        "Random data over four points, k = 4 cells, every database of m records looked at: the "
        "best is always within √(ln 2k / 2m), which is what Hoeffding's bound gives (2k e^(−2mα²) "
        "< 1) and far below √(8 ln k / m). In the mechanism, for k = 100 and α = 0.2, that is "
        f"m = {sizes[1]} instead of {sizes[0]:,}. For k = 1 to 1,000 the printed m is smaller "
        f"than that only at k = {listed(too_few)}; at k = 1 it is 0, and a database of 0 records "
        "answers nothing.",
        judge(fits and not too_few, corrected=fits and too_few == [1]),
        instead="As printed for k ≥ 2. m ≥ ln(2k) / (2α²) records are enough, for every k.",
        pictures=(Picture("theorem-3.png", "The error of the best database, and two bounds."),),
        grids=(Grid("α", ("m", "survey", "Hoeffding", "worst found"), table),),
        numbers={"survey": float(sizes[0]), "hoeffding": float(sizes[1])},
    )


def miss(share: Fraction, m: int, alpha: Fraction) -> float:
    """P(|q(D) − q(D̂)| > α), exactly, if m records are drawn from D with replacement."""
    if share == 0:
        return 0.0
    yes, no = math.log(share), math.log(1 - share)
    return sum(
        math.exp(_log_ways(m, j) + j * yes + (m - j) * no)
        for j in range(m + 1)
        if abs(Fraction(j, m) - share) > alpha
    )


def _log_ways(m: int, j: int) -> float:
    return math.lgamma(m + 1) - math.lgamma(j + 1) - math.lgamma(m - j + 1)


SHARES = [Fraction(k, 20) for k in range(1, 11)]


def worst_miss(m: int, alpha: Fraction) -> float:
    """The largest of these probabilities over shares of 5% to 50%."""
    return max(miss(share, m, alpha) for share in SHARES)


def theorem_3_proof(setting: Setting) -> Claim:
    """(12) to (15): the union bound, the tail bound, and the base of the logarithm."""
    alpha = Fraction(1, 5)
    sizes = setting.pick(range(1, 121), range(1, 41, 3))
    rows: list[dict[str, object]] = []
    broken: list[int] = []
    hoeffding_holds = True
    for m in sizes:
        exact = worst_miss(m, alpha)
        printed = math.exp(-(float(alpha) ** 2) * m / 4)
        right = min(1.0, 2 * math.exp(-2 * float(alpha) ** 2 * m))
        hoeffding_holds &= exact <= right * (1 + 1e-12)
        broken += [m] if exact > printed else []
        for name, value in (
            ("(13): e^(−α²m/4)", printed),
            ("Hoeffding: 2 e^(−2α²m)", right),
            ("exact, the worst share", exact),
        ):
            if value > 0:
                rows.append({"m": m, "which": name, "probability": value})
    chart = lines(
        rows,
        x="m",
        y="probability",
        color="which",
        x_title="records m",
        y_title="probability of an error above 0.2",
        log_y=True,
        y_domain=(1e-6, 1),
    )
    save_chart(chart, setting.out / "theorem-3-proof.png")
    table: list[list[object]] = []
    at_the_size = natural = True
    tenth: list[int] = []
    for k in setting.pick((2, 10, 100, 10_000), (2, 10)):
        m = math.ceil(8 * math.log(k) / float(alpha) ** 2)
        exact = k * worst_miss(m, alpha)
        step_13 = k * math.exp(-(float(alpha) ** 2) * m / 4)
        at_the_size &= exact <= step_13 <= 1 / k * (1 + 1e-12) and step_13 < 1
        # (14) if log were to the base of 10 or 2.
        by_ten = k * math.exp(-2 * math.log10(k))
        natural &= k * math.exp(-2 * math.log2(k)) < 1
        tenth += [k] if by_ten >= 1 else []
        table.append([k, m, exact, step_13, 1 / k, by_ten])
    # One query that misses often and one that never does: (12) names only the first.
    lucky, unlucky = Fraction(0), Fraction(1, 2)
    some = [miss(share, 5, alpha) for share in (lucky, unlucky)]
    union_fails = max(some) > 2 * some[0]
    one = 1 * math.exp(-2 * math.log(1))
    return Claim(
        "Proof of Theorem 3, (12) to (15)",
        "a random sample answers well",
        "For m < n rows drawn from D: Pr[max |q_i(D) − q_i(D̂)| > α] ≤ k · Pr[|q_1(D) − q_1(D̂)| > "
        "α] ≤ k · exp(−α²m/4) = k · exp(−2 log k) < 1.",
        "Line by line, by exact binomial probabilities. (12) takes the first query for all: if "
        f"nobody has the property of q_1, the right side is {2 * some[0]:g}, while a query of "
        f"share 1/2 misses by more than α = 0.2 in {some[1]:.3f} of the samples of 5 records. "
        f"(13) is below the truth for α = 0.2 and m = {', '.join(map(str, broken[:8]))}"
        f"{' and more' if len(broken) > 8 else ''}; Hoeffding's 2e^(−2α²m) holds for all m, "
        "and is below (13) as soon as α²m ≥ 0.4, so that at the m of the theorem (13) holds too. "
        "(14) is 1/k, so (15) needs k ≥ 2: "
        f"for k = 1 it is {one:g}, with m = 0. The logarithm is natural: with base 10, (14) is at "
        f"least 1 for all k tried ({', '.join(f'{k:,}' for k in tenth)}); with base 2 there would "
        "be more records than needed. m < n is not used: rows may be drawn twice.",
        judge(
            not union_fails and not broken,
            corrected=at_the_size and hoeffding_holds and natural and len(tenth) == len(table),
        ),
        instead="Pr[max …] ≤ Σ_i Pr[|q_i(D) − q_i(D̂)| > α] ≤ 2k e^(−2α²m), below 1 for "
        "m > ln(2k)/(2α²), for every k ≥ 1; m is a whole number, rounded up.",
        pictures=(
            Picture("theorem-3-proof.png", "One query, α = 0.2: the bounds, and the truth."),
        ),
        grids=(
            Grid(
                "α = 0.2, m = 8 ln k / α² rounded up; “exact” takes every query at the worst share",
                ("k", "m", "k · exact", "(13)", "(14) = 1/k", "(14) with log₁₀"),
                table,
            ),
        ),
        numbers={"broken": float(len(broken)), "first_query": some[0], "other_query": some[1]},
    )


CLAIMS: Mapping[str, Check] = {
    "theorem-3": theorem_3,
    "theorem-3-proof": theorem_3_proof,
}
