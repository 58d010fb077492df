"""Section 6.1: the geometric mechanism, its optimality and when it has which property."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import noisewright as nw
from noisewright.report import heatmaps, save_chart
from papers.claims import (
    Claim,
    Picture,
    Setting,
    judge,
    listed,
    tiny,
)
from papers.counts import plain_program, rationals
from papers.counts.optima import SAME, costs, value


def fig_3(setting: Setting) -> Claim:
    """The structure of GM, by summing the clamped noise."""
    sizes = setting.pick(range(1, 21), range(1, 7))
    same, sums, worst = True, True, 0.0
    for n in sizes:
        for a in rationals.ALPHAS:
            P = rationals.geometric(n, a)
            sums &= all(total == 1 for total in rationals.column_sums(P))
            for j in range(n + 1):
                # All noise of at most −j becomes 0, all of at least n − j becomes n.
                same &= P[0][j] == a**j / (1 + a)
                same &= P[n][j] == a ** (n - j) / (1 + a)
            ours = nw.geometric(nw.Counts(n), alpha=a).matrix
            theirs = np.array([[float(P[i][j]) for i in range(n + 1)] for j in range(n + 1)])
            worst = max(worst, float(np.abs(ours - theirs).max()))
    shown = {f"n = 8, α = {a}": nw.geometric(nw.Counts(8), alpha=a) for a in ("0.62", "10/11")}
    save_chart(heatmaps(shown, columns=2), setting.out / "fig-3.png")
    return Claim(
        "Fig. 3",
        "the structure of GM",
        "Outputs 0 and n have x α^|i−j| with x = 1/(1+α), the others y α^|i−j| with y = "
        "(1−α)/(1+α).",
        f"In fractions for n = 1 to {max(sizes)} and eight α the columns sum to 1, and the first "
        "and last row are the tails of the noise. Our integer tables agree with these to "
        f"{tiny(worst)}.",
        judge(same and sums and worst < 1e-14),
        pictures=(Picture("fig-3.png", "GM for n = 8: the ends swallow the tails."),),
    )


def theorem_5(setting: Setting) -> Claim:
    """GM is the unique optimum for L0 under a uniform prior, with score 2α/(1+α)."""
    sizes = setting.pick((1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 30), (1, 2, 5, 8))
    worst = 0.0
    for n in sizes:
        for text in ("1/3", "1/2", "62/100", "9/10", "10/11", "99/100"):
            a = Fraction(text)
            least = value(n, text)
            expected = float(2 * a / (1 + a)) * n / (n + 1)
            worst = max(worst, abs(least.bound - expected), abs(least.loss - expected))
    generator = np.random.default_rng(5)
    spread = 0.0
    for n in setting.pick((2, 3, 4, 6), (3,)):
        for alpha in (0.4, 0.62, 0.9):
            objective = costs(n, "L0")
            a = Fraction(alpha).limit_denominator(1000)
            gm = np.array(rationals.geometric(n, a), dtype=float).T
            limit = float((objective * gm).sum()) + 1e-11
            for _ in range(setting.pick(6, 2)):
                way = generator.normal(size=(n + 1, n + 1))
                for sign in (1.0, -1.0):
                    face = plain_program.solve(n, alpha, sign * way, at_most=(objective, limit))
                    spread = max(spread, float(np.abs(face.matrix - gm).max()))
    prior = np.array([0.1, 0.8, 0.1])
    gm_loss = nw.loss(nw.geometric(nw.Counts(2), alpha="0.9"), "L0", prior=prior)
    other = nw.design(nw.Counts(2), alpha="0.9", prior=prior)
    return Claim(
        "Theorem 5",
        "GM is the unique optimum for L0",
        "Under the L0 objective GM is the only optimal private mechanism; its score is 2α/(1+α).",
        f"For n in {listed(sizes)} and six α a proven lower bound on the L0 of every private "
        f"mechanism equals that of GM up to {tiny(worst)}. Searching the optimal mechanisms in "
        f"random directions finds none farther from GM than {tiny(spread)} in any entry (the "
        "tolerance of the search). This is about a uniform prior, as the footnote says: with "
        f"weights 0.1, 0.8, 0.1 and α = 0.9 GM is wrong with probability {gm_loss:.3f}, the "
        f"optimum with {other.loss:.3f}.",
        judge(worst < SAME and spread < 1e-6),
        numbers={"gap": worst, "spread": spread},
    )


def lemma_3(setting: Setting) -> Claim:
    """GM is weakly honest iff n ≥ 2α/(1−α), for n ≥ 2."""
    sizes = setting.pick(range(1, 41), range(1, 13))
    tiny = Fraction(1, 10**9)
    wrong_at: set[int] = set()
    cases = 0
    for n in sizes:
        # α = n/(n+2) is where n = 2α/(1−α).
        edges = [
            Fraction(k, k + 2) + shift for k in (n - 1, n, n + 1) for shift in (-tiny, 0, tiny)
        ]
        for a in (*(e for e in edges if 0 < e < 1), *rationals.ALPHAS):
            says = n >= 2 * a / (1 - a)
            truth = "WH" in rationals.properties(rationals.geometric(n, a))
            cases += 1
            if says != truth:
                wrong_at.add(n)
    return Claim(
        "Lemma 3",
        "when GM is weakly honest",
        "For n > 1, which Section 6 is about: GM is weakly honest iff n ≥ 2α/(1−α).",
        f"In fractions, {cases} pairs (n, α) with n up to {max(sizes)}, also right at the "
        "threshold and 10^-9 beside it: "
        + (
            f"wrong for n in {listed(sorted(wrong_at - {1}))}."
            if wrong_at - {1}
            else "right for every n > 1."
        )
        + " (For n = 1 GM is randomized response, which is always weakly honest, while the formula "
        "would ask for α ≤ 1/3.)",
        judge(wrong_at <= {1}),
    )


def lemma_4(setting: Setting) -> Claim:
    """GM is column monotone iff α ≤ 1/2, for n ≥ 2, and the proof's inequality points back."""
    sizes = setting.pick(range(1, 31), range(1, 9))
    half, tiny = Fraction(1, 2), Fraction(1, 10**9)
    wrong_at: set[int] = set()
    always = honest = True
    direction_printed = direction_meant = True
    for n in sizes:
        for a in (*rationals.ALPHAS, half - tiny, half + tiny):
            held = rationals.properties(rationals.geometric(n, a))
            if ("CM" in held) != (a <= half):
                wrong_at.add(n)
            always &= {"S", "RM"} <= held
            honest &= ("CH" in held) == ("CM" in held)
            x, y = 1 / (1 + a), (1 - a) / (1 + a)
            direction_printed &= (y <= a * x) == (a <= half)
            direction_meant &= (y >= a * x) == (a <= half)
    stands = wrong_at <= {1} and always and honest and direction_meant
    return Claim(
        "Lemma 4",
        "when GM is column monotone",
        "For n > 1: GM is column monotone iff α ≤ 1/2: one needs P(1|1) ≤ P(0|1), that is y ≤ αx. "
        "GM is always symmetric and row monotone.",
        f"In fractions for n up to {max(sizes)}: for n ≥ 2 GM is column monotone iff α ≤ 1/2, and "
        "column honest just when it is column monotone; it is always symmetric and row monotone. "
        "For n = 1 it is always column monotone. What is needed is y ≥ αx; the printed y ≤ αx is "
        "true just when α ≥ 1/2.",
        judge(stands and direction_printed, corrected=stands),
        "For n ≥ 2: iff α ≤ 1/2, because P(1|1) ≥ P(0|1) means y ≥ αx.",
    )


CLAIMS = {
    "fig-3": fig_3,
    "theorem-5": theorem_5,
    "lemma-3": lemma_3,
    "lemma-4": lemma_4,
}
