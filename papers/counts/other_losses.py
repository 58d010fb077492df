"""Section 7.4: mechanisms that are optimal for L1 and L2."""

from __future__ import annotations

import numpy as np

from noisewright.report import save_chart
from papers.claims import (
    Check,
    Claim,
    Grid,
    Picture,
    Sentence,
    Setting,
    Verdict,
    every,
    instead_of,
    listed,
    most,
    number,
    overall,
)
from papers.counts.binomial import (
    ALPHAS,
    BARS,
    SIZES,
    STRONG,
    WEAK,
    Ranges,
    errors_of,
    over_d,
    over_p,
    worded,
)
from papers.counts.charts import simulated_panels
from papers.counts.experiment import agreement, rmse
from papers.counts.near_answers import largest
from papers.counts.optimal_face import Range, at_most, below, faces, fixed
from papers.page import write_csv

FOUR = ("UCM", "WH", "FM", "AM")
SKEWED = (0.1, 0.9)


def over(one: Range, other: Range) -> Range:
    """Return the range of a ratio of positive numbers."""
    return Range(one.low / other.high, one.high / other.low)


def root_mean_squares(ranges: Ranges, skew: dict[tuple[str, int], Verdict]) -> list[Sentence]:
    """Judge the sentences around Figures 15 and 16.

    `skew` tells for each panel whether AM's error is smaller at p = 0.5 than at 0.1 and 0.9.
    """
    names = (*FOUR, "UM")
    among = [
        every(at_most(v["UCM"], Range(1.05 * v[m].low, 1.05 * v[m].high)) for m in names[1:])
        for v in ranges.values()
    ]
    lowest = [every(at_most(v["UCM"], v[m]) for m in names) for v in ranges.values()]
    small = [over(v["WH"], v["UCM"]) for (_, n, _), v in ranges.items() if n == 4]
    to_ucm = {k: over(v["AM"], v["UCM"]) for k, v in ranges.items()}
    relative = [
        every(below(to_ucm[a, n, 0.5], to_ucm[a, n, p]) for p in SKEWED)
        for a in ALPHAS
        for n in SIZES
    ]
    readings = {
        "its RMSE falls as n grows": lambda n, v: v["FM"],
        "its RMSE as a share of n falls": lambda n, v: Range(v["FM"].low / n, v["FM"].high / n),
        "its RMSE relative to UM falls": lambda n, v: over(v["FM"], v["UM"]),
        "its RMSE relative to UCM falls": lambda n, v: over(v["FM"], v["UCM"]),
    }
    sentences = [
        Sentence(
            "UCM provides among the best results (within 5% of the lowest, in most cases).",
            f"It is within 5% of the lowest in {number(among)} cases, and the lowest in "
            f"{number(lowest)}.",
            most(among),
            f"UCM is within 5% of the lowest in {number(among)} cases.",
        ),
        Sentence(
            "For small groups WM (weak honesty) provides a similar level of accuracy (at n = 4 at "
            "most 10% above UCM).",
            f"At n = 4 WH costs {min(r.low for r in small) - 1:.0%} to "
            f"{max(r.high for r in small) - 1:.0%} over UCM.",
            every(at_most(r, fixed(1.1)) for r in small),
            f"At n = 4 weak honesty costs up to {max(r.high for r in small) - 1:.0%} over UCM.",
        ),
        Sentence(
            "AM performs well for p near 0.5 and has weaker results for skewed inputs, read "
            "absolutely: its RMSE is smaller at p = 0.5 than at 0.1 and 0.9.",
            f"In {number(skew.values())} panels.",
            every(skew.values()),
            f"AM's RMSE is smaller at p = 0.5 in {number(skew.values())} panels.",
        ),
        Sentence(
            "The same, read against the others: its RMSE relative to UCM's is smaller at p = 0.5.",
            f"In {number(relative)} panels; at p = 0.5 the ratio is "
            f"{_spread([to_ucm[a, n, 0.5] for a in ALPHAS for n in SIZES])}, at 0.1 and 0.9 "
            f"{_spread([to_ucm[a, n, p] for a in ALPHAS for n in SIZES for p in SKEWED])}.",
            every(relative),
            f"Relative to UCM, AM is better at p = 0.5 than at 0.1 and 0.9 in {number(relative)} "
            "panels.",
        ),
    ]
    for words, reading in readings.items():
        values = {
            (a, p): [reading(n, ranges[a, n, p]) for n in SIZES]
            for a, n, p in ranges
            if n == SIZES[0]
        }
        falls = {key: every([below(v[1], v[0]), below(v[2], v[1])]) for key, v in values.items()}
        at_half = "; ".join(
            f"{', '.join(r.words(2) for r in values[a, 0.5])} (α = {a})" for a in ALPHAS
        )
        by_alpha = {a: [v for (b, _), v in falls.items() if b == a] for a in ALPHAS}
        counts = listed(f"{number(by_alpha[a])} values of p at α = {a}" for a in ALPHAS)
        sentences.append(
            Sentence(
                f"FM does better as the group size increases, read as: {words} (from n = 4 to 8 "
                "to 12, in most cases).",
                f"For {counts}. At p = 0.5, n = 4, 8, 12: {at_half}.",
                most(falls.values()),
                f"For FM {words} for {counts}.",
            )
        )
    return sentences


def _spread(ranges: list[Range]) -> str:
    return f"{min(r.low for r in ranges):.2f} to {max(r.high for r in ranges):.2f}"


def _rmse_claim(figure: int, loss: str) -> Check:
    def check(setting: Setting) -> Claim:
        found = over_p(loss, rmse, setting)
        file = f"fig-{figure}.png"
        chart = simulated_panels(
            found.rows, x="p", y_title="RMSE", column="n", row="α", bar="deviation"
        )
        save_chart(chart, setting.out / file)
        skew: dict[tuple[str, int], Verdict] = {}
        for a in ALPHAS:
            for n in SIZES:
                middle, *ends = (
                    errors_of(loss, n, a, p, setting.quick)["AM"] for p in (0.5, *SKEWED)
                )
                skew[a, n] = every(below(middle.minus(end, rmse), fixed(0.0)) for end in ends)
        sentences = root_mean_squares(found.ranges, skew)
        return Claim(
            f"Fig. {figure}",
            f"RMSE of mechanisms optimal for {loss}",
            "UCM (no properties) is among the best. For small groups WM (weak honesty) is nearly "
            "as accurate without the degenerate behavior. AM (all properties) does well for p "
            "near 0.5 and worse for skewed inputs. FM (fairness) does better as groups grow.",
            worded(setting) + agreement(found.measured),
            overall(sentences),
            instead_of(sentences),
            sentences=sentences,
            grids=(
                Grid(
                    "Exact RMSE over all optima, first four columns p = 0.1, last four p = 0.5",
                    ("α", "n", *FOUR, *(f"{m} " for m in FOUR)),
                    [
                        [
                            a,
                            n,
                            *(found.ranges[a, n, p][m].words(3) for p in (0.1, 0.5) for m in FOUR),
                        ]
                        for a in ALPHAS
                        for n in SIZES
                    ],
                ),
            ),
            pictures=(Picture(file, BARS + "deviation. n across, α down."),),
            files=(write_csv(setting.out / f"fig-{figure}.csv", found.rows),),
            numbers={
                f"{m}_{n}": found.ranges[STRONG, n, 0.5][m].low
                for m in ("UCM", "FM")
                for n in SIZES
            },
        )

    return check


def tails(ranges: Ranges, reading: str, near_middle: Range, n: int = 8) -> list[Sentence]:
    """Judge the sentences around Figures 17 and 18; cells are (α, d, p).

    `near_middle` is how much of UCM's output is within 1 of n/2 on the average input at α = 10/11.
    """
    three = FOUR[1:]

    def ahead(key: tuple[str, int, float], last: bool) -> Verdict:
        mine, others = ranges[key]["UCM"], [ranges[key][m] for m in three]
        return every(below(o, mine) if last else at_most(mine, o) for o in others)

    def some_d(values: list[int]) -> str:
        return f"d = {listed(values)}" if values else "no d"

    worst = [d for d in range(n) if ahead((STRONG, d, 0.1), True) is Verdict.HOLDS]
    best = [d for d in range(n) if ahead((STRONG, d, 0.1), False) is Verdict.HOLDS]
    turns = bool(worst and best and worst == list(range(len(worst))) and max(worst) < min(best))
    balanced = [ahead((a, d, 0.6), False) for a in ALPHAS for d in range(n)]

    def apart(alpha: str) -> Range:
        cells = [ranges[alpha, d, p] for d in range(n) for p in (0.1, 0.6)]
        return largest(
            [
                Range(
                    max(max(v[m].low for m in three) - min(v[m].high for m in three), 0.0),
                    max(v[m].high for m in three) - min(v[m].low for m in three),
                )
                for v in cells
            ]
        )

    spread = {a: apart(a) for a in ALPHAS}
    scale = max(v["UM"].low for v in ranges.values())
    skewed = [
        at_most(ranges[STRONG, d, 0.1][m], ranges[STRONG, d, 0.1]["WH"])
        for d in range(n)
        for m in ("AM", "FM")
    ]
    less = [
        at_most(ranges[a, d, 0.6]["WH"], ranges[a, d, 0.6][m])
        for a in ALPHAS
        for d in range(n)
        for m in ("AM", "FM")
    ]
    return [
        Sentence(
            f"{reading} At p = 0.1 and larger α UCM performs worst for small d, and this is "
            "reversed as d increases.",
            f"At α = 10/11 UCM is the worst of the four for {some_d(worst)} and the best for "
            f"{some_d(best)}.",
            Verdict.HOLDS if turns else Verdict.FAILS,
            f"{reading} UCM is the worst for {some_d(worst)} and the best for {some_d(best)}.",
        ),
        Sentence(
            f"{reading} UCM tends to map most inputs to outputs close to n/2 (within 1 of it, "
            "with probability above 1/2, on the average input at α = 10/11).",
            f"With probability {near_middle.words()}.",
            below(fixed(0.5), near_middle),
            f"UCM's output is within 1 of n/2 with probability {near_middle.words()}.",
        ),
        Sentence(
            f"{reading} UCM is preferred for p = 0.6 (the lowest of the four, for all d).",
            f"In {number(balanced)} cases (α, d).",
            every(balanced),
            f"{reading} At p = 0.6 UCM is the lowest in {number(balanced)} cases.",
        ),
        Sentence(
            f"{reading} AM, FM and WM behave quite similarly (they differ by less than a tenth of "
            "UM's largest value).",
            f"They differ by up to {spread[STRONG].words()} at α = 10/11 and "
            f"{spread[WEAK].words()} at 2/3; UM has up to {scale:.3f}.",
            below(largest(list(spread.values())), fixed(0.1 * scale)),
            f"{reading} AM, FM and WM differ by up to {largest(list(spread.values())).words()}.",
        ),
        Sentence(
            f"{reading} Their lines almost overlap for smaller α (they come closer).",
            f"{spread[STRONG].words()} at α = 10/11, {spread[WEAK].words()} at 2/3.",
            below(spread[WEAK], spread[STRONG]),
            f"{reading} A smaller α does not bring them closer: {spread[WEAK].words()} at 2/3, "
            f"{spread[STRONG].words()} at 10/11.",
        ),
        Sentence(
            f"{reading} AM and FM are slightly preferable for skewed inputs and strong privacy (at "
            "most WM at p = 0.1, α = 10/11, in most cases).",
            f"In {number(skewed)} cases.",
            most(skewed),
            f"{reading} At p = 0.1, α = 10/11 AM and FM are at most WM in {number(skewed)} cases.",
        ),
        Sentence(
            f"{reading} WM is suitable for less biased inputs (at most AM and FM at p = 0.6, in "
            "most cases).",
            f"In {number(less)} cases.",
            most(less),
            f"{reading} At p = 0.6 WM is at most AM and FM in {number(less)} cases.",
        ),
    ]


def _tail_claim(figure: int, loss: str) -> Check:
    def check(setting: Setting) -> Claim:
        n, power = 8, int(loss[1])
        found = over_d(loss, (0.1, 0.6), n, setting)
        file = f"fig-{figure}.png"
        chart = simulated_panels(
            found.rows, x="d", y_title="more than d away", column="α", row="p", from_zero=True
        )
        save_chart(chart, setting.out / file)
        middle = np.zeros((n + 1, n + 1))
        middle[:, n // 2 - 1 : n // 2 + 2] = 1 / (n + 1)
        near = faces(loss, n, STRONG)["UCM"].range(middle)
        weighted = over_d(loss, (0.1, 0.6), n, setting, power)
        size = "size" if power == 1 else "square"
        shares = tails(found.ranges, "Share:", near)
        # How UCM answers is one sentence, whichever way its tail is counted.
        sizes = [s for i, s in enumerate(tails(weighted.ranges, "Weighted:", near)) if i != 1]
        sentences = [*shares, *sizes]
        return Claim(
            f"Fig. {figure}",
            f"tails of mechanisms optimal for {loss}, n = 8",
            "At p = 0.1 and large α UCM is worst for small d and best for large d, since it "
            "answers near n/2. At p = 0.6 UCM is preferred. AM, FM and WM are alike, and nearly "
            "coincide at smaller α. AM and FM are slightly preferable for skewed inputs, WM for "
            "less biased ones.",
            worded(setting)
            + f"The paper does not define L{power},d. We read it in two ways: the share of answers "
            f"more than d away, which is what the picture shows, and the mean {size} of the error "
            "where it is more than d (weighted). WM is weak honesty alone. "
            + agreement([*found.measured, *weighted.measured]),
            overall(sentences),
            instead_of(sentences),
            sentences=sentences,
            pictures=(Picture(file, BARS + "error. α across, p down."),),
            files=(
                write_csv(setting.out / f"fig-{figure}.csv", found.rows),
                write_csv(setting.out / f"fig-{figure}-weighted.csv", weighted.rows),
            ),
            numbers={"near_middle": near.low},
        )

    return check


CLAIMS = {
    "fig-15": _rmse_claim(15, "L1"),
    "fig-16": _rmse_claim(16, "L2"),
    "fig-17": _tail_claim(17, "L1"),
    "fig-18": _tail_claim(18, "L2"),
}
