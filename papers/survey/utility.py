"""Section 2.4: how good the choice of the exponential mechanism is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random

import noisewright as nw
from noisewright.report import save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge
from papers.survey.charts import lines
from papers.survey.exponential import PRICES, REVENUES, SEED, probabilities


def _far(qualities: Sequence[int], chances: Sequence[float], distance: float) -> float:
    best = max(qualities)
    return sum(p for p, q in zip(chances, qualities, strict=True) if q <= best - distance)


def theorem_2(setting: Setting) -> Claim:
    """How far from the best, on random qualities; with and without ties."""
    random = Random(SEED)
    cases = setting.pick(3000, 200)
    tried = kept = inverse = 0
    closest = 0.0
    for _ in range(cases):
        qualities = [random.randint(-9, 9) for _ in range(random.randint(1, 12))]
        epsilon, t = random.uniform(0.05, 6), random.uniform(0.01, 5)
        chances = probabilities([Fraction(q) for q in qualities], epsilon / 2)
        for best in {1, qualities.count(max(qualities))}:
            distance = 2 / epsilon * (math.log(len(qualities) / best) + t)
            far = _far(qualities, chances, distance)
            tried += 1
            kept += far <= math.exp(-t) * (1 + 1e-12)
            closest = max(closest, far / math.exp(-t))
            ours = nw.select.utility_bound(
                len(qualities), epsilon=epsilon, beta=math.exp(-t), best=best
            )
            needed = nw.select.epsilon_for_utility(
                len(qualities), within=distance, beta=math.exp(-t), best=best
            )
            inverse += abs(ours / distance - 1) < 1e-9 and abs(needed / epsilon - 1) < 1e-9
    return Claim(
        "Theorem 2",
        "the choice is close to the best",
        "Pr[q ≤ OPT − 2Δ/ε · (ln(|R| / |R_OPT|) + t)] ≤ e^-t; and with |R_OPT| ≥ 1, "
        "Pr[q ≥ OPT − 2Δ/ε · (ln|R| + t)] ≥ 1 − e^-t.",
        f"{tried:,} checks on random qualities (seed {SEED}), the theorem with all ties and the "
        f"corollary: it holds in {kept:,}. The probability came to {closest:.3f} of the bound at "
        "most. The ε that makes the choice within a distance of the best is the same formula "
        f"solved for ε; the two functions agree with it in {inverse:,} cases.",
        judge(kept == tried == inverse),
        numbers={"tried": float(tried), "kept": float(kept), "closest": closest},
    )


def sharp(ratio: float, t: float) -> float:
    """The largest probability there is in Theorem 2: one best, all others just at the distance.

    Of |R| candidates |R| − |R_OPT| can be as far as that. With all of them there, the odds are
    (ratio − 1) e^-s, where e^-s = e^-t / ratio; no other qualities have higher odds.
    """
    odds = (ratio - 1) * math.exp(-t) / ratio
    return odds / (1 + odds)


def theorem_2_proof(setting: Setting) -> Claim:
    """The two steps of the proof, what (8) becomes with them, and the sharp form."""
    random = Random(SEED + 2)
    cases = setting.pick(3000, 200)
    first = second = equal = within = 0
    closest = 0.0
    for _ in range(cases):
        qualities = [random.randint(-9, 9) for _ in range(random.randint(2, 12))]
        epsilon, t = random.uniform(0.05, 6), random.uniform(0.01, 5)
        best = max(qualities)
        ties = qualities.count(best)
        ratio = len(qualities) / ties
        c = best - 2 / epsilon * (math.log(ratio) + t)
        powers = [math.exp(epsilon * (q - best) / 2) for q in qualities]
        chance = sum(p for p, q in zip(powers, qualities, strict=True) if q <= c) / sum(powers)
        bound = ratio * math.exp(epsilon * (c - best) / 2)
        first += sum(powers) >= ties
        second += chance <= bound * (1 + 1e-12)
        equal += abs(bound / math.exp(-t) - 1) < 1e-9
        within += chance <= sharp(ratio, t) * (1 + 1e-9)
        # The same numbers of best and of other candidates, the others as far as t says.
        chances = probabilities(
            [Fraction(0)] * ties + [Fraction(c - best)] * (len(qualities) - ties), epsilon / 2
        )
        closest = max(closest, abs(sum(chances[ties:]) - sharp(ratio, t)))
    table = [
        [size, math.log(size / 0.05), math.log((size - 1) * 0.95 / 0.05)]
        for size in (2, 10, 100, 1000, 10**6)
    ]
    chain = first == second == equal == cases
    return Claim(
        "Proof of Theorem 2, (9) and (10)",
        "two bounds, and the sharp one",
        "The weights of at most |R| candidates are at most e^(εc/2Δ), and the sum of all is at "
        "least |R_OPT| e^(ε OPT/2Δ); the c of (8) makes this e^-t.",
        f"Both bounds hold in {cases:,} random cases, and (10) with that c is e^-t. The first "
        "counts the best candidates among the bad ones, and the second leaves the bad ones out of "
        "the sum. With b = (|R|/|R_OPT| − 1) e^-t |R_OPT|/|R| the probability is at most b/(1 + "
        f"b): in {within:,} cases, and equal to that (to {closest:.0e}) if all but the best are "
        "just so far away. So e^-t is nearly attained for large t and |R|: the distance grows "
        "with ln |R|, and must.",
        judge(chain, more=within == cases and closest < 1e-9),
        instead="b/(1 + b) instead of e^-t, which cannot be improved.",
        grids=(
            Grid(
                "The distance that holds with probability 0.95, in units of 2Δ/ε (one best)",
                ("|R|", "Corollary 2.1", "sharp"),
                table,
            ),
        ),
        numbers={"closest": closest},
    )


def corollary_2_1(setting: Setting) -> Claim:
    """Bound and truth: against t in general, against ε for the chocolate."""
    rows = [
        {"t": t, "probability": value, "which": name}
        for t in [k / 20 for k in range(121)]
        for name, value in (
            ("the bound e^-t", math.exp(-t)),
            ("the worst there is, |R| = 1,000", sharp(1000, t)),
            ("the worst there is, |R| = 4", sharp(4, t)),
            ("the worst there is, |R| = 2", sharp(2, t)),
        )
    ]
    chart = lines(
        rows,
        x="t",
        y="probability",
        color="which",
        x_title="t",
        y_title="probability to be so far off",
        log_y=True,
    )
    save_chart(chart, setting.out / "corollary-2-1.png")
    best, beta = float(max(REVENUES)), 0.05
    holds, expected = True, True
    chocolate: list[dict[str, object]] = []
    table: list[list[object]] = []
    steps = setting.pick(49, 7)
    for epsilon in [0.5 * 200 ** (k / (steps - 1)) for k in range(steps)]:
        bound = nw.select.utility_bound(len(PRICES), epsilon=epsilon, sensitivity="3.2", beta=beta)
        chances = probabilities(REVENUES, epsilon / 6.4)
        ordered = sorted(zip(REVENUES, chances, strict=True))
        reached = next(
            float(r)
            for place, (r, _) in enumerate(ordered)
            if sum(p for _, p in ordered[: place + 1]) > beta
        )
        mean = sum(float(r) * p for r, p in ordered)
        at_least = sum(p for r, p in ordered if float(r) >= best - bound)
        holds &= at_least >= 1 - beta
        expected &= best - mean <= 6.4 / epsilon * (math.log(len(PRICES)) + 1)
        values = {
            "promised by Corollary 2.1": max(0.0, best - bound),
            "true, with the same probability": reached,
            "expected": mean,
        }
        chocolate.extend({"ε": epsilon, "revenue": v, "which": n} for n, v in values.items())
        if len(chocolate) % (3 * max(1, steps // 7)) == 0:
            table.append([epsilon, *values.values()])
    needed = nw.select.epsilon_for_utility(len(PRICES), within=4, sensitivity="3.2", beta=beta)
    chart = lines(
        chocolate,
        x="ε",
        y="revenue",
        color="which",
        x_title="ε",
        y_title="revenue",
        log_x=True,
    )
    save_chart(chart, setting.out / "corollary-2-1-chocolate.png")
    return Claim(
        "Corollary 2.1",
        "nearly as high as possible",
        "Pr[q ≥ OPT − 2Δ/ε · (ln|R| + t)] ≥ 1 − e^-t: the best up to a term that is linear in the "
        "sensitivity and logarithmic in the number of candidates. The expected score is close to "
        "the optimum.",
        "It holds, and for large t and |R| nothing much better does (picture). For the chocolate "
        f"it says nothing below ε = {needed:.2f}: there the term with t = ln 20 exceeds 4.0, the "
        "whole revenue. The truth is better: the expected revenue is within 2Δ/ε · (ln|R| + 1) of "
        "the best at every ε tried, which follows by integrating over t.",
        judge(holds and expected),
        pictures=(
            Picture("corollary-2-1.png", "The bound, and the largest probability there is."),
            Picture(
                "corollary-2-1-chocolate.png",
                "The price of the chocolate: what is reached with probability 0.95, and the mean.",
            ),
        ),
        grids=(
            Grid(
                "Revenue of the chocolate",
                ("ε", "promised with 0.95", "true with 0.95", "expected"),
                table,
            ),
        ),
        numbers={"says_nothing_below": needed},
    )


CLAIMS: Mapping[str, Check] = {
    "theorem-2": theorem_2,
    "theorem-2-proof": theorem_2_proof,
    "corollary-2-1": corollary_2_1,
}
