"""Sections 2.1 and 2.2: the differencing attack, and what ε-privacy is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import noisewright as nw
from noisewright.report import loss_curves, privacy_curve, save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge

# In millions; "others" are the rows that the table of the survey leaves out.
BEFORE = {
    "Richard": Fraction("0.5"),
    "White": Fraction(1),
    "Brown": Fraction(2),
    "Lee": Fraction("0.35"),
    "Jean": Fraction("0.6"),
    "others": Fraction("45.55"),
}
LARGEST_INCOME = 5


def chance_to_tell(apart: float, scale: float) -> float:
    """The best guess between two totals `apart`, seen with Laplace noise: (1 + variation)/2."""
    return (2 - math.exp(-apart / (2 * scale))) / 2


def table_1(setting: Setting) -> Claim:
    """Two totals give an income away; two noisy totals do not."""
    after = {name: income for name, income in BEFORE.items() if name != "White"}
    first, second = sum(BEFORE.values()), sum(after.values())
    epsilons = [0.1, 1, 3, 6, 10, 15, 20, 30, 40, 50]
    rows: list[dict[str, object]] = []
    table: list[list[object]] = []
    for epsilon in epsilons:
        chance = chance_to_tell(0.5, LARGEST_INCOME / epsilon)
        rows.append({"ε": epsilon, "attacker": "guesses 1.0 or 0.5", "chance": chance})
        rows.append({"ε": epsilon, "attacker": "flips a coin", "chance": 0.5})
        # The difference of two noisy totals is off by 3/2 scales in the mean.
        table.append([epsilon, LARGEST_INCOME / epsilon, 1.5 * LARGEST_INCOME / epsilon, chance])
    totals = nw.Interval(0, 100, step="0.01")
    exact = nw.tight_epsilon(nw.laplace(totals, epsilon=1, sensitivity=LARGEST_INCOME))
    chart = loss_curves(
        rows, x="ε", y="chance", color="attacker", y_title="chance that the guess is right"
    )
    save_chart(chart, setting.out / "table-1.png")
    at_1, at_100 = (chance_to_tell(0.5, LARGEST_INCOME / e) for e in (1, 100))
    right = (first, second, first - second) == (50, 49, 1)
    return Claim(
        "Table 1",
        "the difference of two totals is an income",
        "The total income is 50 million before Mr. White's move and 49 million after it, so he "
        "earns 1 million, though nobody could ask for a single record.",
        f"{float(first):g} − {float(second):g} = {float(first - second):g}. With incomes declared "
        f"to be at most {LARGEST_INCOME} million and Laplace noise of scale {LARGEST_INCOME}/ε on "
        "each total, the difference is off by 7.5 million in the mean at ε = 1. Even an attacker "
        "who knows all others, and that he earns 1.0 or 0.5 million, guesses right with "
        f"probability {at_1:.3f} at ε = 1 and {at_100:.3f} at ε = 100. Exact discrete noise on "
        f"totals in steps of 10,000 needs ε = {exact:g}, as declared.",
        judge(right and exact == 1 and at_1 < 0.53 and at_100 > 0.99),
        pictures=(Picture("table-1.png", "How well one noisy total tells two incomes apart."),),
        grids=(
            Grid(
                "The difference of two noisy totals, and the best guess between 1.0 and 0.5",
                ("ε", "scale", "mean error of the difference", "chance of the guess"),
                table,
            ),
        ),
        numbers={"income": float(first - second), "chance_at_1": at_1},
    )


def definition_2_4(setting: Setting) -> Claim:
    """The strict inequality excludes the best mechanisms, and zeros."""
    space = nw.Categories(["yes", "no"])
    answer = nw.from_matrix(space, [["3/4", "1/4"], ["1/4", "3/4"]])
    ratio = answer.probability("yes", "yes") / answer.probability("no", "yes")
    three = nw.accounting.Epsilon.log(Fraction(3))
    weak = nw.verify(answer, epsilon=three).holds
    # No answer that is 3-private is true more often: p/(1 − p) ≤ 3.
    best = max(Fraction(k, 100) for k in range(1, 100) if Fraction(k, 100 - k) <= 3)
    constant = nw.from_matrix(space, [[1, 0], [1, 0]])
    none = nw.verify(constant, epsilon=0).holds
    shown = {
        f"true with probability {p}": nw.from_matrix(space, [[p, 1 - p], [1 - p, p]])
        for p in (Fraction(9, 10), Fraction(3, 4), Fraction(6, 10))
    }
    save_chart(privacy_curve(shown, largest_epsilon=2.5), setting.out / "definition-2-4.png")
    # The best guess about one bit of somebody who is one of two with equal odds.
    guesses = [(e, math.exp(e) / (1 + math.exp(e))) for e in (0.01, 0.1, 1, 3, 10)]
    return Claim(
        "Definition 2.4",
        "ε-differential privacy",
        "M is ε-private if Pr[M(D) = C] / Pr[M(D') = C] < e^ε for all D and D' that differ in at "
        "most one row and all C in the range of M.",
        f"The answer that is true with probability 3/4 has a ratio of exactly {ratio} = e^ε at "
        "ε = ln 3: private as everybody defines it, but not with <. It is the best answer at this "
        "ε, so the strict form has no best mechanism, and at ε = 0 no mechanism at all, not even a "
        "constant one. Ratios must be written as products where an output has probability 0; with "
        "outputs that are numbers, C is a set of them. As the survey says, this is (ε, δ)-privacy "
        "with δ = 0: in the picture, where a curve reaches 0. Smaller ε is stronger: whoever "
        "guesses between two equally likely databases is right with probability e^ε/(1 + e^ε) at "
        "most, " + ", ".join(f"{chance:.3f} at ε = {e:g}" for e, chance in guesses) + ".",
        judge(ratio < 3, corrected=weak and none and best == Fraction(3, 4)),
        instead="Pr[M(D) ∈ C] ≤ e^ε · Pr[M(D') ∈ C] for all events C.",
        pictures=(
            Picture(
                "definition-2-4.png", "The least δ at each ε, for three answers to a question."
            ),
        ),
        numbers={"ratio": float(ratio)},
    )


CLAIMS: Mapping[str, Check] = {"table-1": table_1, "definition-2-4": definition_2_4}
