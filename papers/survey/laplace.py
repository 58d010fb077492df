"""Section 2.3, which the survey leaves empty: the Laplace mechanism."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

import noisewright as nw
from noisewright.report import save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge
from papers.survey.charts import lines
from papers.survey.definitions import BEFORE, LARGEST_INCOME

TOTALS = nw.Interval(0, 100, step="0.01")
SMALL = nw.Interval(-20, 20, step=1)
EXACT = 1e-12


def density(x: float, center: float, scale: float) -> float:
    """The density of the Laplace distribution."""
    return math.exp(-abs(x - center) / scale) / (2 * scale)


def definitions_2_2_and_2_3(setting: Setting) -> Claim:
    """The total with noise, and that a total without bounds has no noise that is enough."""
    draws = setting.pick(100_000, 20_000)
    mechanism = nw.laplace(TOTALS, epsilon=1, sensitivity=LARGEST_INCOME)
    total = sum(BEFORE.values())
    drawn = np.asarray(
        mechanism.sample([float(total)] * draws, source=nw.randomness.SeededSource("survey/total")),
        dtype=float,
    )
    deviation = math.sqrt(2) * LARGEST_INCOME
    off = abs(drawn.mean() - float(total)) / (deviation / math.sqrt(draws))
    # The fourth moment of Laplace noise is 24 b^4, that of a variance's error 20 b^4 / draws.
    wide = abs(drawn.var() / deviation**2 - 1) / math.sqrt(5 / draws)
    # The same noise, judged for rows that move the total by 5 and by 50 million.
    needed = [nw.tight_epsilon(mechanism), float(mechanism.pure_epsilon(5000))]
    return Claim(
        "Definitions 2.2, 2.3",
        "a query, and a mechanism that answers it",
        "f(D) is a query, such as the total income. M(D) is a randomized function of D: the total "
        "income with random noise added.",
        f"f(D) is {float(total):g} and f(D') is {float(total) - 1:g}. Noise of scale "
        f"{LARGEST_INCOME} (ε = 1, incomes of at most {LARGEST_INCOME} million), drawn "
        f"{draws:,} times: mean {drawn.mean():.3f}, standard deviation {drawn.std():.3f}, where "
        f"√2 · 5 = {deviation:.3f} is exact ({off:.1f} and {wide:.1f} standard errors away). How "
        "much noise there must be depends on how far one row can move f, which must be declared: "
        f"one income of 50 million, if it were let in, would cost ε = {needed[1]:g} instead of "
        f"{needed[0]:g} with the same noise, and no noise is enough for all incomes.",
        judge(off < 6 and wide < 6 and needed == [1.0, 10.0]),
        numbers={"mean": float(drawn.mean()), "deviation": float(drawn.std())},
    )


def section_2_3(setting: Setting) -> Claim:
    """The standard statement, for both kinds of neighbors, with two pictures."""
    epsilons = setting.pick(["0.1", "0.5", "1", "2", "5"], ["0.5", "1"])
    table: list[list[object]] = []
    private = sharp = True
    # Totals of values from −2 to 2: 2 if a row is left out, 4 if it is replaced.
    for epsilon in epsilons:
        value = Fraction(epsilon)
        for change, moved in (("a row is left out", 2), ("a row is replaced", 4)):
            noise = nw.laplace(SMALL, epsilon=value, sensitivity=moved)
            needs = nw.tight_epsilon(noise)
            # The same query with one percent less noise.
            less = nw.laplace(SMALL, epsilon=value * 100 / 99, sensitivity=moved)
            private &= nw.verify(noise, epsilon=value).holds
            sharp &= not nw.verify(less, epsilon=value).holds and needs <= float(value)
            table.append([epsilon, change, moved, moved / float(value), needs, noise.mean_error])
    scale = 5.0
    pictures, worst = _pictures(setting, scale)
    # 15 million in steps of 10,000, on either side.
    fine = nw.laplace(TOTALS, epsilon=1, sensitivity=LARGEST_INCOME)
    beyond = 2 * float(fine.cumulative(-1501, 128).high)
    return Claim(
        "Section 2.3",
        "the Laplace mechanism",
        "The section is empty. Its reference 13 (Dwork, McSherry, Nissim and Smith 2006) has the "
        "statement: f(D) with Laplace noise of scale Δ/ε is ε-private, where Δ is the largest "
        "change of f between neighbors. Section 2.4 adds that it is for answers to which noise of "
        "some magnitude can be added.",
        f"Discrete noise on a grid, {len(table)} cases: ε is needed exactly, and with 1% less "
        "noise ε does not hold, so the scale is the smallest. Δ is 2 for a total of values −2 to 2 "
        "if a row is left out, and 4 if it is replaced: twice the noise. The two totals of Table 1 "
        f"with noise of scale {scale:g}: the ratio of their densities is at most "
        f"{worst:.6f} = e^(1/5), as one million is a fifth of Δ. The noise is beyond 3 scales with "
        f"probability {beyond:.4f} (e^-3 = {math.exp(-3):.4f}; the grid has steps).",
        judge(
            private and abs(worst - math.exp(0.2)) < EXACT and abs(beyond - math.exp(-3)) < 0.002,
            more=sharp,
        ),
        instead="Scale Δ/ε is enough, and no smaller one is. Say for which neighbors Δ is meant.",
        pictures=pictures,
        grids=(
            Grid(
                "Totals of values −2 to 2, noise on whole numbers",
                ("ε", "neighbors", "Δ", "scale Δ/ε", "ε needed", "mean error"),
                table,
            ),
        ),
        numbers={"ratio": worst, "beyond_3_scales": beyond},
    )


def _pictures(setting: Setting, scale: float) -> tuple[tuple[Picture, ...], float]:
    """Draw the two totals of Table 1, and what they tell: the log ratio of their densities."""
    totals = {"50, with Mr. White": 50.0, "49, without him": 49.0, "45, without the richest": 45.0}
    places = [30 + 0.25 * k for k in range(151)]
    rows = [
        {"answer": x, "true total": name, "density": density(x, center, scale)}
        for name, center in totals.items()
        for x in places
    ]
    chart = lines(
        rows,
        x="answer",
        y="density",
        color="true total",
        x_title="answer, in millions",
        y_title="density",
    )
    save_chart(chart, setting.out / "laplace-densities.png")
    ratios = [
        {
            "answer": x,
            "true total": f"50 against {center:g}",
            "ε": math.log(density(x, 50, scale) / density(x, center, scale)),
        }
        for center in (49.0, 45.0)
        for x in places
    ]
    chart = lines(
        ratios,
        x="answer",
        y="ε",
        color="true total",
        x_title="answer, in millions",
        y_title="log of the ratio of densities",
    )
    save_chart(chart, setting.out / "laplace-ratios.png")
    worst = max(density(x, 50, scale) / density(x, 49, scale) for x in places)
    return (
        Picture(
            "laplace-densities.png",
            "Answers with noise of scale 5 (ε = 1 if nobody earns more than 5 million).",
        ),
        Picture(
            "laplace-ratios.png",
            "What an answer tells: nowhere more than ±1, which a person of 5 million attains.",
        ),
    ), worst


CLAIMS: Mapping[str, Check] = {
    "definitions-2-2-2-3": definitions_2_2_and_2_3,
    "section-2-3": section_2_3,
}
