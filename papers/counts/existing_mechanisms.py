"""Section 2.2: the mechanisms before this paper.

Where e^ε is needed in fractions, α is rational and ε = ln(1/α).
"""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np

import noisewright as nw
from papers.claims import (
    Claim,
    Grid,
    Sentence,
    Setting,
    Verdict,
    instead_of,
    judge,
    listed,
    overall,
    tiny,
)
from papers.counts import rationals
from papers.counts.optima import value

SEED = 2


def equation_2(setting: Setting) -> Claim:
    """Randomized response with p is exactly (1−p)/p-private."""
    del setting
    exact = True
    step = Fraction(1, 10**9)
    for k in range(51, 100):
        p = Fraction(k, 100)
        a = (1 - p) / p
        R = [[p, 1 - p], [1 - p, p]]
        exact &= rationals.is_private(R, a) and not rationals.is_private(R, a + step)
    return Claim(
        "Equation (2)",
        "the privacy of randomized response",
        "Reporting a bit truthfully with probability p > 1/2 and flipped otherwise is α-private "
        "for α = (1−p)/p.",
        "In fractions for p = 0.51, 0.52, …, 0.99: private at that α"
        + (", and at none larger by 10^-9." if exact else ": NOT always."),
        judge(exact),
    )


def n_ary(n: int, a: Fraction) -> rationals.Matrix:
    """Return the truth with probability p, each other output with αp: p = 1/(1+nα)."""
    p = 1 / (1 + n * a)
    return [[p if i == j else a * p for j in range(n + 1)] for i in range(n + 1)]


def mean_distance(P: rationals.Matrix) -> Fraction:
    """Return the L1 loss under a uniform prior."""
    every = range(len(P))
    return sum((P[i][j] * abs(i - j) for i in every for j in every), Fraction(0)) / len(P)


def low_utility(rows: list[list[float]]) -> list[Sentence]:
    """Judge `low utility`; rows are n, α, L0, L0 of GM, L1, L1 of GM, least L1, L1 of UM."""
    several = [row for row in rows if row[0] > 1]
    wrong = [r[2] > r[3] + 1e-12 for r in several]
    gm = [r[4] > r[5] for r in several]
    least = [r[4] > r[6] + 1e-9 for r in several]
    gained = [(r[7] - r[4]) / (r[7] - r[6]) for r in several]
    beaten = listed(
        f"n = {r[0]:.0f}, α = {r[1]:.3f}" for r, more in zip(several, gm, strict=True) if not more
    )
    return [
        Sentence(
            "Low utility, read as: it is wrong more often than GM.",
            f"For {sum(wrong)} of {len(several)} pairs (n, α) with n > 1.",
            judge(all(wrong)),
            f"It is wrong more often for {sum(wrong)} of {len(several)} pairs.",
        ),
        Sentence(
            "The same, read as: its mean distance is larger than GM's.",
            f"For {sum(gm)} of {len(several)} pairs"
            + ("." if all(gm) else f"; not for {beaten}, where GM answers at the ends."),
            judge(all(gm)),
            f"Its mean distance is larger than GM's for {sum(gm)} of {len(several)} pairs.",
        ),
        Sentence(
            "The same, read as: its mean distance is larger than the least.",
            f"For {sum(least)} of {len(several)} pairs; it gains {min(gained):.0%} to "
            f"{max(gained):.0%} of what the best mechanism for L1 gains over UM.",
            judge(all(least)),
            f"Its mean distance is larger for {sum(least)} of {len(several)} pairs.",
        ),
    ]


def n_ary_response(setting: Setting) -> Claim:
    """Truth or a uniform other output: how much worse than GM and than the best."""
    sizes = setting.pick((1, 2, 4, 8, 16), (2, 8))
    rows: list[list[float]] = []
    private = True
    for n in sizes:
        for text in ("1/2", "10/11", "e^-1"):
            a = Fraction(math.exp(-1)) if text == "e^-1" else Fraction(text)
            P, gm = n_ary(n, a), rationals.geometric(n, a)
            private &= rationals.is_private(P, a) and set(rationals.column_sums(P)) == {1}
            wrong = [1 - sum(M[i][i] for i in range(n + 1)) / (n + 1) for M in (P, gm)]
            least = value(n, str(a), "L1").bound
            uniform = mean_distance([[Fraction(1, n + 1)] * (n + 1)] * (n + 1))
            row = (a, *wrong, mean_distance(P), mean_distance(gm), least, uniform)
            rows.append([n, *map(float, row)])
    ours = nw.loss(nw.randomized_response(nw.Counts(8), epsilon=1, table=True), "L1")
    at = next(row for row in rows if row[0] == 8 and abs(row[1] - math.exp(-1)) < 1e-12)
    sentences = low_utility(rows)
    sound = private and math.isclose(ours, at[4], rel_tol=1e-9)
    return Claim(
        "Section 2.2",
        "n-ary randomized response has low utility for counts",
        "Geng et al.: report the input with probability p, else another output chosen uniformly. "
        "This gives low utility for count queries.",
        "At the same α for neighboring counts p can be 1/(1+nα) and no more. Computed in fractions "
        f"for n in {listed(sizes)} and three α under a uniform prior. At n = 8, ε = 1 its mean "
        "distance is "
        f"{at[4]:.2f}, GM's {at[5]:.2f}, the least {at[6]:.2f}.",
        overall(sentences) if sound else Verdict.FAILS,
        instead_of(sentences),
        sentences=sentences,
        grids=(
            Grid(
                "Probability of a wrong answer (L0) and mean distance (L1), uniform prior",
                ("n", "α", "L0", "L0 of GM", "L1", "L1 of GM", "least L1", "L1 of UM"),
                [[int(row[0]), *row[1:]] for row in rows],
            ),
        ),
        numbers={"l1_8_1": at[4], "gm_8_1": at[5]},
    )


def by_quality(Q: list[list[int]], base: Fraction) -> tuple[rationals.Matrix, int]:
    """Return (3) with e^(ε/2s) = base, and s: P(i|j) ∝ base^Q[j][i]."""
    n = len(Q) - 1
    s = max(abs(Q[j][i] - Q[j + 1][i]) for j in range(n) for i in range(n + 1))
    weights = [[base ** Q[j][i] for j in range(n + 1)] for i in range(n + 1)]
    sums = rationals.column_sums(weights)
    return [[w / t for w, t in zip(row, sums, strict=True)] for row in weights], s


def equation_3(setting: Setting) -> Claim:
    """The exponential mechanism: its privacy, and whether a quality can enforce weak honesty."""
    random, base = Random(SEED + 1), Fraction(3, 2)
    cases = setting.pick(400, 60)
    private = truthful = weak = scaled = 0
    for _ in range(cases):
        n = random.randint(1, 5)
        Q = [[random.randint(-3, 3) for _ in range(n + 1)] for _ in range(n + 1)]
        P, s = by_quality(Q, base)
        # base = e^(ε/2s), so e^-ε = base^(−2s).
        private += rationals.is_private(P, base ** (-2 * s))
        weak += "WH" in rationals.properties(P)
        # Twice the quality has twice the sensitivity, so e^(ε/2s) becomes its root.
        doubled, s2 = by_quality([[2 * q for q in row] for row in Q], base)
        scaled += (doubled, s2) == (by_quality(Q, base * base)[0], 2 * s)
        top = [[4 if i == j else q for i, q in enumerate(row)] for j, row in enumerate(Q)]
        held = rationals.properties(by_quality(top, base)[0])
        truthful += {"CH", "WH"} <= held
    sentences = [
        Sentence(
            "The mechanism is at least e^-ε-private.",
            f"{private} of {cases} mechanisms with random qualities are, in fractions (n up to 5).",
            judge(private == cases),
            f"It is in {private} of {cases} cases.",
        ),
        Sentence(
            "One cannot modify a given Q to enforce weak honesty, read as: by scaling it.",
            f"{cases - weak} of {cases} random qualities give mechanisms that are not weakly "
            f"honest. Multiplying Q multiplies s as well and leaves Q/s, so the mechanism stays "
            f"what it is ({scaled} of {cases}).",
            judge(scaled == cases and weak < cases),
            "Scaling changes the mechanism.",
        ),
        Sentence(
            "The same, read as: by no Q.",
            f"If Q(j, ·) is largest at the truth, the mechanism is column honest and so weakly "
            f"honest: {truthful} of {cases} random qualities raised at the truth.",
            judge(truthful < cases),
            "A quality that is largest at the truth gives column honesty and so weak honesty, by "
            "itself. What (3) does not give is the least loss: see EM below, which costs it twice "
            "the ε.",
        ),
    ]
    return Claim(
        "Equation (3)",
        "the exponential mechanism",
        "P(r|d) ∝ e^(εQ(d, r)/2s), where s is the most that one person can change Q, is at least "
        "e^-ε-private. It is not possible to modify a given Q to directly enforce a property such "
        "as weak honesty.",
        "Qualities are integers and e^(ε/2s) is rational, so that everything is checked in "
        "fractions.",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        numbers={"cases": float(cases), "weakly_honest": float(weak)},
    )


def exponential_em(setting: Setting) -> Claim:
    """EM's powers as a quality: EM again, at half the ε."""
    exact = nw_agrees = True
    worst = 0.0
    sizes = setting.pick(range(1, 17), (1, 2, 7, 8))
    for n in sizes:
        Q = [[-rationals.exponent(n, i, j) for i in range(n + 1)] for j in range(n + 1)]
        for a in rationals.ALPHAS:
            P, s = by_quality(Q, 1 / a)
            exact &= s == 1 and rationals.fair(n, a) == P
            # s = 1 and base = e^(ε/2), so (3) was run at e^-ε = α².
            exact &= rationals.is_private(P, a) and not rationals.is_private(P, (3 * a + 1) / 4)
        mechanism = nw.select.choice_table(nw.Counts(n), Q, epsilon=1, monotonic=False)
        tight = nw.tight_epsilon(mechanism)
        em = nw.explicit_fair(nw.Counts(n), epsilon="1/2")
        worst = max(worst, float(np.abs(mechanism.matrix - em.matrix).max()))
        nw_agrees &= abs(tight - 0.5) < 1e-9
    plain = nw.select.choice_table(
        nw.Counts(7), [[-abs(i - j) for i in range(8)] for j in range(8)], epsilon=1
    )
    half = nw.explicit_fair(nw.Counts(7), epsilon="1/2")
    apart = float(np.abs(plain.matrix - half.matrix).max())
    losses = [nw.loss(m, "L0") for m in (half, nw.explicit_fair(nw.Counts(7), epsilon=1))]
    return Claim(
        "Section 6.2",
        "the exponential mechanism gives EM at half the ε",
        "One may try to obtain EM from the exponential mechanism with a quality of the form of "
        "(17); the factor 2 in (3) makes that considerably weaker, as if ε were halved.",
        "With Q = −(the power of α in (17)) the sensitivity is 1 and (3) at ε is EM at ε/2, "
        f"exactly: in fractions for {len(sizes)} n up to {max(sizes)} and eight α, and as "
        "`nw.select.choice_table` at ε = 1, whose least ε is 1/2 (entries differ from EM's by up "
        f"to {tiny(worst)}). With Q = −|i − j| it is another mechanism: entries differ by up to "
        f"{apart:.3f} at n = 7. At n = 7, ε = 1 halving raises the probability of a wrong answer "
        f"from {losses[1]:.3f} to {losses[0]:.3f}.",
        judge(exact and nw_agrees and worst < 1e-12 and losses[0] > losses[1]),
        numbers={"apart": apart, "halved": losses[0], "whole": losses[1]},
    )


def staircase_noise(z: int, width: int, inner: int, a: Fraction) -> Fraction:
    """Return the probability of noise z: steps of this width, each α times the one before.

    The first `inner` values of a step belong to it, the rest are α times as likely.
    """
    total = 2 * (inner + (width - inner) * a) / (1 - a) - 1
    step, rest = divmod(abs(z), width)
    return a ** (step + (rest >= inner)) / total


def clamped(n: int, width: int, inner: int, a: Fraction) -> rationals.Matrix:
    """Return staircase noise with answers below 0 moved to 0 and above n to n."""

    def beyond(j: int) -> Fraction:
        """P(z ≥ j), by symmetry."""
        inside = sum((staircase_noise(z, width, inner, a) for z in range(1 - j, j)), Fraction(0))
        return (1 - inside) / 2 if j else (1 + staircase_noise(0, width, inner, a)) / 2

    return [
        [
            beyond(j)
            if i == 0
            else beyond(n - j)
            if i == n
            else staircase_noise(i - j, width, inner, a)
            for j in range(n + 1)
        ]
        for i in range(n + 1)
    ]


def staircase(setting: Setting) -> Claim:
    """Staircase noise is fair on all integers, and no longer once it is moved into 0..n."""
    del setting
    private = sums = True
    unfair = 0
    rows: list[list[object]] = []
    cases = ((1, 1, "1/2"), (3, 2, "1/2"), (4, 1, "9/10"))
    for width, inner, text in cases:
        a = Fraction(text)
        window = range(-6 * width, 6 * width + 1)
        private &= all(
            a * staircase_noise(z + shift, width, inner, a) <= staircase_noise(z, width, inner, a)
            for z in window
            for shift in range(-width, width + 1)
        )
        P = clamped(4, width, inner, a)
        sums &= set(rationals.column_sums(P)) == {1}
        unfair += "F" not in rationals.properties(P)
        rows.append([width, inner, text, *map(float, (P[1][1], P[2][2], P[0][0], P[4][4]))])
    geometric = clamped(4, 1, 1, Fraction(1, 2)) == rationals.geometric(4, Fraction(1, 2))
    return Claim(
        "Section 4",
        "the staircase mechanism is fair",
        "Fairness may seem restrictive, but mechanisms proposed in other contexts have it, such "
        "as the staircase mechanism of Geng et al.",
        "Its noise does not depend on the input, so the truth has the probability of no noise for "
        "every input: fair on all integers, as any additive noise is. In fractions, three "
        "staircases"
        + (
            ", each α-private for inputs up to `width` apart. "
            if private and sums
            else " that are NOT private. "
        )
        + "If answers are moved into 0..n as in Definition 4, the ends take the tails: then "
        f"{unfair} of {len(cases)} are not fair at n = 4. The one of width 1 is GM"
        + (", entry by entry." if geometric else ", NOT."),
        judge(private and sums and geometric, more=unfair == len(cases)),
        "True of the unbounded mechanism, and of all additive noise. Clamped to the range {0, …, "
        "n} of Definition 1 it is not fair, and neither is GM.",
        grids=(
            Grid(
                "Probability of the truth, clamped to 0..4; inside it is that on all integers",
                ("width", "inner part", "α", "input 1", "input 2", "input 0", "input 4"),
                rows,
            ),
        ),
    )


CLAIMS = {
    "equation-2": equation_2,
    "n-ary-response": n_ary_response,
    "equation-3": equation_3,
    "exponential-em": exponential_em,
    "staircase": staircase,
}
