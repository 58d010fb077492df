"""Section 5: one person, one bit. Everything is randomized response."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

import noisewright as nw
from papers.claims import (
    Claim,
    Grid,
    Setting,
    judge,
    tiny,
)
from papers.counts import plain_program, rationals
from papers.counts.optima import SAME, costs


def _truth_range(alpha: float, w0: float) -> tuple[float, float]:
    """Return the least and largest P(0|0) among optimal mechanisms for one bit."""
    prior = np.array([w0, 1 - w0])
    objective = costs(1, "L0", prior)
    least = plain_program.solve(1, alpha, objective).value
    truth = np.array([[1.0, 0.0], [0.0, 0.0]])
    ends = [
        plain_program.solve(1, alpha, sign * truth, at_most=(objective, least + 1e-12)).value
        for sign in (1.0, -1.0)
    ]
    return ends[0], -ends[1]


def theorem_3(setting: Setting) -> Claim:
    """Randomized response is optimal for α ≤ w1/w0 ≤ 1/α, and unique strictly inside."""
    worst = 0.0
    alphas = setting.pick(("1/10", "1/3", "1/2", "62/100", "9/10"), ("1/2", "9/10"))
    for text in alphas:
        a = Fraction(text)
        for share in range(1, 20):
            w1 = Fraction(share, 20)
            expected = min(a / (1 + a), w1, 1 - w1)
            for loss in ("L0", "L1", "L2"):
                d = nw.design(
                    nw.Counts(1), alpha=text, loss=loss, prior=[1 - w1, w1], tie_break=None
                )
                worst = max(worst, abs(d.loss - float(expected)), abs(d.bound - float(expected)))
    a = 0.5
    rows: list[list[object]] = []
    for ratio in (0.4, a, 0.7, 1.0, 1 / a):
        low, high = _truth_range(a, 1 / (1 + ratio))
        rows.append([ratio, low, high, "yes" if high - low < 1e-6 else "no"])
    inside = all(row[3] == "yes" for row in rows[2:4])
    edges = rows[1][3] == rows[4][3] == "yes"
    printed_p = 1 - (1 / (1 + a)) / a
    return Claim(
        "Theorem 3",
        "randomized response is the unique optimum for one bit",
        "For n = 1 randomized response with p = 1/(1+α) is the only optimal non-trivial mechanism "
        "for every L_t when α ≤ w1/w0 ≤ 1/α. The appendix: if w1/w0 < 1/α the trivial answer 0 is "
        "best; P(1|1) = 1 − P(0|0)/α.",
        f"For {len(alphas)} values of α, 19 priors and three losses the proven optimum is "
        f"min(α/(1+α), w0, w1), up to {tiny(worst)}: randomized response in the stated range, a "
        "constant answer outside. At the two ends of the range it ties with the constant answer "
        "and so with every mixture of the two: it is unique only strictly inside. In the appendix "
        "the constant answer is best when w1/w0 < α, not 1/α, and P(1|1) = 1 − α P(0|0): the "
        f"printed expression is {printed_p:.3f} at α = 1/2.".replace("-", "−"),
        judge(worst < SAME and inside and edges, corrected=worst < SAME and inside),
        "Unique if α < w1/w0 < 1/α; at the ends it is one of many optima. The trivial case is "
        "w1/w0 < α (or w0/w1 < α).",
        grids=(
            Grid(
                "P(0|0) among the optimal mechanisms at α = 1/2, where 1/(1+α) = 0.6667",
                ("w1/w0", "least", "largest", "unique"),
                rows,
            ),
        ),
        numbers={"largest_gap": worst},
    )


def fact_1(setting: Setting) -> Claim:
    """Randomized response with p ≥ 1/2 has all seven properties."""
    del setting
    good, bad = True, True
    for k in range(101):
        p = Fraction(k, 100)
        held = rationals.properties([[p, 1 - p], [1 - p, p]])
        if p >= Fraction(1, 2):
            good &= held == rationals.SEVEN
        else:
            bad &= held == frozenset({"F", "S"})
    return Claim(
        "Fact 1",
        "randomized response has every property",
        "For p ≥ 1/2 randomized response has all seven properties.",
        "True for p = 0.50, 0.51, …, 1 in fractions. For p < 1/2 only fairness and symmetry are "
        "left.",
        judge(good and bad),
    )


def theorem_4(setting: Setting) -> Claim:
    """The exponential mechanism on one bit wastes half of its ε."""
    del setting
    rows: list[list[object]] = []
    fine, inverse = True, True
    for epsilon in ("0.1", "0.5", "1", "2"):
        mechanism = nw.select.choice_table(nw.Counts(1), [[1, 0], [0, 1]], epsilon=epsilon)
        p, e = float(mechanism.matrix[0, 0]), float(epsilon)
        tight = nw.tight_epsilon(mechanism)
        fine &= abs(p - math.exp(e / 2) / (1 + math.exp(e / 2))) < 1e-12
        fine &= abs(tight - e / 2) < 1e-9
        ratio = p / (1 - p)
        inverse &= abs(ratio - math.exp(-e / 2)) < 1e-9
        rows.append([epsilon, p, tight, ratio, math.exp(-e / 2)])
    return Claim(
        "Theorem 4",
        "the exponential mechanism on one bit is randomized response at half the ε",
        "With quality 1 for the truth it is randomized response with p = e^(ε/2)/(1 + e^(ε/2)); "
        "the privacy follows from P(0|0)/P(1|0) = e^(−ε/2).",
        "The exact table has that p, and its least ε is ε/2. The ratio P(0|0)/P(1|0) is e^(+ε/2): "
        "with the printed sign the truth would be the less likely answer.",
        judge(fine and inverse, corrected=fine),
        "P(0|0)/P(1|0) = e^(+ε/2), so the mechanism is ε/2-private: α = e^(−ε/2) in the paper's "
        "words.",
        grids=(
            Grid(
                "The exponential mechanism on one bit",
                ("ε", "p", "least ε", "P(0|0)/P(1|0)", "printed ratio"),
                rows,
            ),
        ),
    )


def lemma_2(setting: Setting) -> Claim:
    """GM on one bit is randomized response with p = 1/(1 + α)."""
    del setting
    exact, worst = True, 0.0
    for a in rationals.ALPHAS:
        p = 1 / (1 + a)
        exact &= rationals.geometric(1, a) == [[p, 1 - p], [1 - p, p]]
        ours = nw.geometric(nw.Counts(1), alpha=a).matrix
        other = nw.randomized_response(
            nw.Categories([0, 1]), epsilon=nw.accounting.Epsilon.of(alpha=a), table=True
        ).matrix
        worst = max(worst, float(np.abs(ours - other).max()))
    return Claim(
        "Lemma 2",
        "GM on one bit is randomized response",
        "For n = 1 the geometric mechanism is randomized response with p = 1/(1+α).",
        f"Exactly so in fractions for eight α; our tables of the two agree to {tiny(worst)}.",
        judge(exact and worst < 1e-12),
    )


CLAIMS = {
    "theorem-3": theorem_3,
    "fact-1": fact_1,
    "theorem-4": theorem_4,
    "lemma-2": lemma_2,
}
