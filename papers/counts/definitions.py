"""Definitions, Example 1 and the implications between properties."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, product
from random import Random

import numpy as np

import noisewright as nw
from noisewright.errors import NoisewrightError
from papers.claims import Claim, Grid, Setting, judge
from papers.counts import rationals
from papers.counts.optima import best, for_l0

SEED = 2


def definition_1(setting: Setting) -> Claim:
    """A mechanism is a column-stochastic matrix: one distribution over 0..n for each input."""
    exact, count = True, 0
    for n in setting.pick((1, 2, 4, 8, 16), (1, 4)):
        for alpha in ("1/2", "10/11"):
            for mechanism in for_l0(n, alpha).values():
                weights = np.array(mechanism.weights, dtype=object)
                exact &= weights.shape == (n + 1, n + 1)
                exact &= all(sum(row) == mechanism.total for row in weights)
                exact &= list(mechanism.outputs) == list(range(n + 1))
                count += 1
    short = [[Fraction(1, 2), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 2)]]
    try:
        nw.from_matrix(nw.Counts(1), short)
        refused = False
    except NoisewrightError:
        refused = True
    return Claim(
        "Definition 1",
        "a mechanism is a column-stochastic matrix",
        "A randomized mechanism maps an input to a distribution over {0, …, n}: an (n+1) × (n+1) "
        "matrix whose columns, one for each input, sum to 1.",
        f"All {count} tables looked at (GM, WH, WM, EM and UM) have integer weights that sum to "
        "one and the same total for each input, and outputs 0 to n; ours have a row for each "
        "input, the transpose of the paper's. A matrix whose probabilities do not sum to 1 is "
        + ("refused." if refused else "NOT refused."),
        judge(exact and refused),
    )


def _by_events(P: rationals.Matrix, a: Fraction) -> bool:
    """Check privacy by definition: all events, neighboring inputs, both directions."""
    outputs = range(len(P))
    every = chain.from_iterable(combinations(outputs, k) for k in range(1, len(P) + 1))
    return all(
        a * sum(P[i][j] for i in event) <= sum(P[i][k] for i in event)
        for event in every
        for j in range(len(P) - 1)
        for j, k in ((j, j + 1), (j + 1, j))
    )


def definition_2(setting: Setting) -> Claim:
    """Ratios of neighboring entries decide about all events, and are undefined at zeros."""
    random, a = Random(SEED), Fraction(2, 3)
    cases = setting.pick(3_000, 400)
    agree = private = 0
    for _ in range(cases):
        # Close to uniform, so that some are private and some are not.
        columns = [[12 + random.randint(-5, 5) for _ in range(3)] for _ in range(3)]
        P = [[Fraction(column[i], sum(column)) for column in columns] for i in range(3)]
        near = rationals.is_private(P, a)
        agree += near == _by_events(P, a)
        private += near
    tight = all(
        abs(nw.tight_epsilon(make(nw.Counts(n), alpha=alpha)) + math.log(Fraction(alpha))) < 1e-12
        for make in (nw.geometric, nw.explicit_fair)
        for n in (2, 5)
        for alpha in ("1/2", "10/11")
    )
    zeros = int((best(7, "0.62", "L1").mechanism.matrix == 0).sum())
    rows = [[e, math.exp(-e), 1 - e] for e in (0.01, 0.1, 0.5, 1.0)]
    sound = agree == cases and 0 < private < cases and tight
    return Claim(
        "Definition 2",
        "α-differential privacy",
        "A mechanism is α-private for α in [0, 1] if α ≤ P(i|j)/P(i|j+1) ≤ 1/α for all i and j: "
        "inputs are neighbors when they differ by one. α = e^-ε ≈ 1 − ε.",
        f"For {cases:,} random mechanisms with n = 2 in fractions the definition agrees with the "
        f"one over all events in {agree:,} ({private:,} are private). The least ε of GM and EM is "
        "ln(1/α)"
        + (". " if tight else ", NOT always. ")
        + "A ratio has no value where both entries are 0, and the optima of Fig. 1 have such "
        f"entries: {zeros} of 64 for L1, n = 7, α = 0.62. 1 − ε is near e^-ε for small ε alone.",
        judge(sound and not zeros, corrected=sound),
        "Written as products, α P(i|j+1) ≤ P(i|j) and α P(i|j) ≤ P(i|j+1), as (7) does.",
        grids=(Grid("The approximation", ("ε", "e^-ε", "1 − ε"), rows),),
        numbers={"agree": float(agree), "cases": float(cases), "zeros": float(zeros)},
    )


def definition_3(setting: Setting) -> Claim:
    """L0,d must count errors of more than d, or it is not L0 at d = 0."""
    sizes = setting.pick(range(1, 31), range(1, 9))
    strict, loose = True, True
    for n in sizes:
        entry = Fraction(1, n + 1)
        cells = [(i, j) for i in range(n + 1) for j in range(n + 1)]

        def rescaled(kept: int, n: int = n, entry: Fraction = entry) -> Fraction:
            return Fraction(n + 1, n) * entry * entry * kept

        strict &= rescaled(sum(i != j for i, j in cells)) == 1
        loose &= rescaled(len(cells)) == 1
    gm = rationals.geometric(4, Fraction(9, 10))
    return Claim(
        "Section 2.1",
        "L0,d and its rescaling",
        "L0,d sums the probabilities at distance d or more, rescaled by (n+1)/n, so that L0 = "
        "L0,0 and the uniform mechanism scores 1; L0 = (n+1)/n − trace/n.",
        "With `≥ d` as printed, L0,0 counts the truth too: every mechanism scores (n+1)/n. With "
        f"`> d` L0,0 is L0 and the uniform mechanism scores exactly 1 (n = {min(sizes)} to "
        f"{max(sizes)}, in fractions). The formula with the trace agrees with the sum: GM at n = "
        f"4, α = 9/10 scores {rationals.rescaled_l0(gm)} = 2α/(1+α).",
        judge(loose, corrected=strict),
        "L0,d sums over |i − j| > d, as the words `more than d steps` beside the formula say.",
        numbers={"gm_4": float(rationals.rescaled_l0(gm))},
    )


def definition_4(setting: Setting) -> Claim:
    """The printed probabilities of the two-sided geometric distribution do not sum to 1."""
    del setting
    rows: list[list[object]] = []
    printed_fine, meant_fine = True, True
    for text in ("1/2", "62/100", "9/10", "10/11"):
        a = Fraction(text)
        printed = (1 + 2 * (1 - a) / a) / (1 + a)
        meant = (1 - a) / (1 + a) * (1 + 2 * a / (1 - a))
        printed_fine &= printed == 1
        meant_fine &= meant == 1
        rows.append([text, float(printed), float(meant)])
    return Claim(
        "Definition 4",
        "the noise of the geometric mechanism",
        "The noise δ has probability (1−α)^|δ| / (1+α).",
        "Summed over all δ the printed probabilities give (2−α)/(α(1+α)), which is 1 only at α = "
        "√3 − 1 ≈ 0.732. With (1−α) α^|δ| / (1+α) the sum is 1 and clamping gives Fig. 3.",
        judge(printed_fine, corrected=meant_fine),
        "P(δ) = (1−α) α^|δ| / (1+α).",
        grids=(Grid("Sum over all δ", ("α", "as printed", "corrected"), rows),),
    )


def example_1(setting: Setting) -> Claim:
    """n = 2, α = 9/10: GM hides the middle."""
    del setting
    a = Fraction(9, 10)
    P = rationals.geometric(2, a)
    near_one = rationals.geometric(2, Fraction(9999, 10000))
    odds = (P[0][1] + P[2][1]) / P[1][1]
    ours = nw.geometric(nw.Counts(2), alpha="9/10").matrix
    agree = all(abs(ours[j, i] - float(P[i][j])) < 1e-15 for i in range(3) for j in range(3))
    holds = (
        round(P[0][1], 2) == round(P[2][1], 2) == Fraction("0.47")
        and round(P[1][1], 2) == Fraction("0.05")
        and odds == 18
        and round(P[0][0], 2) == Fraction("0.53")
        and near_one[1][1] < Fraction(1, 10000)
        and agree
    )
    return Claim(
        "Example 1",
        "GM hides the middle of a group of two",
        "For n = 2 and α = 9/10, input 1 gives 0 and 2 with probability about 0.47 each and the "
        "truth with 0.05, eighteen times less than a wrong answer; input 0 is reported as 0 with "
        "0.53. As α nears 1 only the ends are ever reported.",
        f"P(0|1) = P(2|1) = {P[0][1]} = {float(P[0][1]):.4f}; P(1|1) = {P[1][1]} = "
        f"{float(P[1][1]):.4f}; the odds against the truth are {odds} to 1 (nine to 1 for each "
        f"wrong answer); P(0|0) = {P[0][0]} = {float(P[0][0]):.4f}. At α = 0.9999 P(1|1) is "
        f"{float(near_one[1][1]):.5f}.",
        judge(holds),
        numbers={"wrong_end": float(P[0][1]), "truth": float(P[1][1]), "odds": float(odds)},
    )


def implications(setting: Setting) -> Claim:
    """RM ⇒ RH, CM ⇒ CH ⇒ WH, F + RH ⇒ CH, F + CH ⇒ RH, over every small table."""
    parts = setting.pick(5, 4)
    columns = [
        (Fraction(a, parts), Fraction(b, parts), Fraction(parts - a - b, parts))
        for a in range(parts + 1)
        for b in range(parts + 1 - a)
    ]
    rules = {
        "RM ⇒ RH": ({"RM"}, "RH"),
        "CM ⇒ CH": ({"CM"}, "CH"),
        "CH ⇒ WH": ({"CH"}, "WH"),
        "F + RH ⇒ CH": ({"F", "RH"}, "CH"),
        "F + CH ⇒ RH": ({"F", "CH"}, "RH"),
    }
    broken = dict.fromkeys(rules, 0)
    chain, number = 0, 0
    for table in product(columns, repeat=3):
        P = [list(row) for row in zip(*table, strict=True)]
        held = rationals.properties(P)
        number += 1
        for name, (given, then) in rules.items():
            broken[name] += given <= held and then not in held
        trace = P[0][0] + P[1][1] + P[2][2]
        chain += "CH" in held and any(3 * P[i][i] != trace for i in range(3))
    identity = [[Fraction(int(i == j)) for j in range(3)] for i in range(3)]
    not_private = "RM" in rationals.properties(identity) and not rationals.is_private(
        identity, Fraction(1, 2)
    )
    not_monotone = "RM" not in nw.properties(best(7, "0.62", "L1").mechanism)
    holds = not any(broken.values()) and not_private and not_monotone
    return Claim(
        "Section 4",
        "which properties imply which",
        "RM implies RH, CM implies CH, CH implies WH, and a fair mechanism that is row honest is "
        "column honest and the other way round; row monotonicity and privacy are independent. The "
        "step from CH to WH reads (n+1) P(i|i) = Σ P(j|j) ≥ Σ P(i|j) = 1.",
        f"All five implications hold for each of the {number:,} mechanisms with n = 2 whose "
        f"probabilities are multiples of 1/{parts}. Reporting the truth is row monotone and not "
        "private; the L1 optimum for n = 7, α = 0.62 is private and not row monotone. The printed "
        f"equation (n+1) P(i|i) = Σ_j P(j|j) is a different matter: it fails for {chain:,} of the "
        "column honest ones, because it needs fairness.",
        judge(holds and chain == 0, corrected=holds),
        "The implications hold; the chain should read (n+1) P(j|j) ≥ Σ_i P(i|j) = 1, for each j.",
        numbers={"mechanisms": float(number), "chain_fails": float(chain)},
    )


CLAIMS = {
    "definition-1": definition_1,
    "definition-2": definition_2,
    "definition-3": definition_3,
    "definition-4": definition_4,
    "example-1": example_1,
    "implications": implications,
}
