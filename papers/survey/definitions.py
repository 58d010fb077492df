"""Sections 2.1 and 2.2: the differencing attack, and what privacy is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import noisewright as nw
from noisewright.report import loss_curves, save_chart
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
        table.append([epsilon, LARGEST_INCOME / epsilon, chance])
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
        "a total, an attacker who knows that he earns 1.0 or 0.5 million guesses right with "
        f"probability {at_1:.3f} at ε = 1 and {at_100:.3f} at ε = 100. Exact discrete noise on "
        f"totals in steps of 10,000 needs ε = {exact:g}, as declared.",
        judge(right and exact == 1 and at_1 < 0.53 and at_100 > 0.99),
        pictures=(Picture("table-1.png", "How well one noisy total tells two incomes apart."),),
        grids=(Grid("The best guess between 1.0 and 0.5", ("ε", "scale", "chance"), table),),
        numbers={"income": float(first - second), "chance_at_1": at_1},
    )


def definition_2_4(setting: Setting) -> Claim:
    """The strict inequality excludes the best mechanisms, and zeros."""
    del setting
    space = nw.Categories(["yes", "no"])
    answer = nw.from_matrix(space, [["3/4", "1/4"], ["1/4", "3/4"]])
    ratio = answer.probability("yes", "yes") / answer.probability("no", "yes")
    three = nw.Epsilon.log(Fraction(3))
    weak = nw.verify(answer, epsilon=three).holds
    constant = nw.from_matrix(space, [[1, 0], [1, 0]])
    none = nw.verify(constant, epsilon=0).holds
    return Claim(
        "Definition 2.4",
        "ε-differential privacy",
        "M is ε-private if Pr[M(D) = C] / Pr[M(D') = C] < e^ε for all D and D' that differ in at "
        "most one row and all C in the range of M.",
        f"The answer that is true with probability 3/4 has a ratio of exactly {ratio} = e^ε at "
        "ε = ln 3: private as everybody defines it, but not with <. It is the best answer at this "
        "ε, so the strict form has no best mechanism, and at ε = 0 no mechanism at all, not even a "
        "constant one. Ratios must be written as products where an output has probability 0; with "
        "outputs that are numbers, C is a set of them.",
        judge(ratio < 3, corrected=weak and none),
        instead="Pr[M(D) ∈ C] ≤ e^ε · Pr[M(D') ∈ C] for all events C.",
        numbers={"ratio": float(ratio)},
    )


CLAIMS: Mapping[str, Check] = {"table-1": table_1, "definition-2-4": definition_2_4}
