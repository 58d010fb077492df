"""Figures 11 and 12: how often an answer is more than d away from the truth, by binomial data."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from noisewright.report import save_chart
from papers.claims import (
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
    some,
)
from papers.counts.binomial import ALPHAS, BARS, SIZES, STRONG, WEAK, Ranges, over_d, over_p, worded
from papers.counts.charts import simulated_panels
from papers.counts.experiment import agreement, beyond
from papers.counts.optimal_face import Range, at_most, below, fixed
from papers.page import write_csv

FIVE = ("GM", "WH", "WM", "EM", "UM")
ALIKE = fixed(0.05)
"""Probabilities that differ by less are called alike."""


def distance(one: Range, other: Range) -> Range:
    """Return the range of |a − b|."""
    apart = max(one.low - other.high, other.low - one.high, 0.0)
    return Range(apart, max(one.high - other.low, other.high - one.low))


def within(one: Range, ends: Sequence[Range]) -> Verdict:
    """Return whether a number lies between two others that depend on no tie-break."""
    low, high = sorted(end.low for end in ends)
    return every([at_most(fixed(low), one), at_most(one, fixed(high))])


def largest(ranges: Sequence[Range]) -> Range:
    """Return the range of the largest of several numbers."""
    return Range(max(r.low for r in ranges), max(r.high for r in ranges))


def cells(keys: Sequence[tuple[str, int, float]], letter: str) -> str:
    """Return cells in words; the middle one is n or d."""
    return listed(f"α = {a}, {letter} = {k}, p = {p}" for a, k, p in keys)


def figure_11(ranges: Ranges, deviation: float) -> list[Sentence]:
    """Judge the sentences around Figure 11; `deviation` is that of 10,000 people."""
    skewed = {k: v for k, v in ranges.items() if k[2] in (0.1, 0.9)}
    balanced = {k: v for k, v in ranges.items() if k[2] == 0.5}
    strong = {k: v for k, v in ranges.items() if k[0] == STRONG}
    weak = {k: v for k, v in ranges.items() if k[0] == WEAK}
    gm_first = [every(at_most(v["GM"], v[m]) for m in FIVE) for v in skewed.values()]
    gm_under = [below(v["GM"], v["UM"]) for v in skewed.values()]
    better = {m: [below(v[m], v["GM"]) for v in balanced.values()] for m in ("EM", "WM", "WH")}
    apart = largest([distance(v["WM"], v["EM"]) for v in strong.values()])
    gained = {
        m: [Range(v["UM"].low - v[m].high, v["UM"].low - v[m].low) for v in strong.values()]
        for m in ("WM", "EM")
    }
    gains = {
        m: f"{min(g.low for g in r):.3f} to {max(g.high for g in r):.3f}" for m, r in gained.items()
    }
    gm_over = [below(v["UM"], v["GM"]) for v in strong.values()]

    def swing(name: str, alpha: str, n: int) -> float:
        found = [v[name].low for (a, m, _), v in ranges.items() if (a, m) == (alpha, n)]
        return max(found) - min(found)

    panels = [(a, n) for a in ALPHAS for n in SIZES]
    steady = [below(fixed(swing("EM", *p)), fixed(swing("GM", *p))) for p in panels]
    unsteady = [p for p, v in zip(panels, steady, strict=True) if v is Verdict.FAILS]
    falls = [
        below(v[m], ranges[STRONG, n, p][m])
        for (_, n, p), v in weak.items()
        for m in FIVE
        if m != "UM"
    ]
    to_gm = {
        m: {a: largest([distance(v[m], v["GM"]) for k, v in ranges.items() if k[0] == a])
            for a in ALPHAS}
        for m in ("WM", "WH")
    }  # fmt: skip
    return [
        Sentence(
            "GM can do well when p is near 0 or 1 (here p = 0.1 and 0.9: GM is below UM).",
            f"GM is below UM in {number(gm_under)} cases, and the lowest of all five in "
            f"{number(gm_first)}.",
            most(gm_under),
            f"At p = 0.1 and 0.9 GM is below UM in {number(gm_under)} cases.",
        ),
        *(
            Sentence(
                "When inputs are spread (p = 0.5) the constrained mechanisms are consistently "
                f"better than GM: {name}.",
                f"{name} is below GM in {number(better[name])} cases.",
                every(better[name]),
                f"At p = 0.5 {name} is below GM in {number(better[name])} cases.",
            )
            for name in better
        ),
        Sentence(
            "At the higher α the constrained mechanisms behave alike (WM and EM differ by less "
            "than 0.05).",
            f"WM and EM differ by up to {apart.words()} at α = 10/11.",
            below(apart, ALIKE),
            f"At α = 10/11 WM and EM differ by up to {apart.words()}.",
        ),
        Sentence(
            "At the higher α they improve only slightly over UM (by at most 0.1).",
            f"EM is {gains['EM']} below UM, WM {gains['WM']}.",
            every(at_most(gain, fixed(0.1)) for found in gained.values() for gain in found),
            f"At α = 10/11 EM is {gains['EM']} below UM and WM {gains['WM']}.",
        ),
        Sentence(
            "GM is often worse than uniform at the higher α (in more than a third of the cases).",
            f"In {number(gm_over)} cases.",
            most(gm_over, 1 / 3),
            f"GM is worse than UM in {number(gm_over)} cases at α = 10/11.",
        ),
        Sentence(
            "Fairness makes EM depend less on the data (its largest minus its least value over p "
            "is below GM's, in most panels).",
            f"In {number(steady)} panels"
            + (
                f"; not at {listed(f'α = {a}, n = {n}' for a, n in unsteady)}." if unsteady else "."
            ),
            most(steady),
            f"EM varies less with p than GM in {number(steady)} panels.",
        ),
        Sentence(
            "At the lower α all errors are smaller.",
            f"In {number(falls)} cases (n, p, mechanism).",
            every(falls),
            f"They are in {number(falls)} cases.",
        ),
        *(
            Sentence(
                f"At the lower α WM and GM converge; WM read as {reading}.",
                f"They differ by up to {to_gm[name][STRONG].words()} at α = 10/11 and by up to "
                f"{to_gm[name][WEAK].words()} at 2/3.",
                below(to_gm[name][WEAK], to_gm[name][STRONG]),
                f"{reading} does not come closer to GM.",
            )
            for name, reading in (("WM", "WH + RM + CM"), ("WH", "WH"))
        ),
        Sentence(
            "Thirty repetitions have a very small variance (less than 0.001).",
            f"The largest is {deviation**2:.5f} (for 10,000 people).",
            below(fixed(deviation**2), fixed(0.001)),
            f"The largest variance is {deviation**2:.5f}.",
        ),
    ]


def fig_11(setting: Setting) -> Claim:
    """Answers more than 1 away, against p."""
    found = over_p("L0", beyond(1), setting)
    chart = simulated_panels(found.rows, x="p", y_title="more than 1 away", column="n", row="α")
    save_chart(chart, setting.out / "fig-11.png")
    scale = setting.pick(1, (1_200 / 10_000) ** 0.5)
    sentences = figure_11(found.ranges, scale * max(one.deviation for one in found.measured))
    wide = max(r.high - r.low for v in found.ranges.values() for r in v.values())
    return Claim(
        "Fig. 11",
        "more than 1 away, against the share of ones",
        "GM does well when p is near 0 or 1; otherwise the constrained mechanisms are better. At "
        "α = 0.91 they are alike and a little better than UM, while GM is often worse than UM. EM "
        "depends least on the data. At α = 0.67 all are better, and WM and GM converge. Thirty "
        "repetitions vary little.",
        worded(setting)
        + agreement(found.measured)
        + f" Over all optimal WH and WM the plotted probability varies by up to {wide:.3f}.",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        pictures=(Picture("fig-11.png", BARS + "error. n across, α down."),),
        files=(write_csv(setting.out / "fig-11.csv", found.rows),),
        numbers={"off": max(m.off for m in found.measured), "widest": wide},
    )


def figure_12(ranges: Ranges, n: int = 8) -> list[Sentence]:
    """Judge the sentences around Figure 12; cells are (α, d, p) with p = 0.5 and 0.1."""
    others = ("GM", "WH", "WM", "UM")
    balanced = {(a, d): v for (a, d, p), v in ranges.items() if p == 0.5}
    skewed = {(a, d): v for (a, d, p), v in ranges.items() if p == 0.1}
    em_best = {k: every(below(v["EM"], v[m]) for m in others) for k, v in balanced.items()}
    em_first = [d for d in range(n) if em_best[STRONG, d] is Verdict.HOLDS]
    margins = [balanced[STRONG, d]["GM"].low - balanced[STRONG, d]["EM"].low for d in range(n)]
    ratios = [balanced[STRONG, d]["GM"].low / balanced[STRONG, d]["EM"].low for d in range(n)]
    peak = margins.index(max(margins))

    def rising(values: list[float]) -> Verdict:
        return every(at_most(fixed(a), fixed(b)) for a, b in itertools.pairwise(values))

    guess = [below(balanced[STRONG, d]["UM"], balanced[STRONG, d]["GM"]) for d in range(n)]
    halves = [
        below(balanced[WEAK, d]["GM"], fixed(balanced[STRONG, d]["GM"].low / 2)) for d in range(n)
    ]
    still = [below(balanced[WEAK, d]["EM"], balanced[WEAK, d]["GM"]) for d in range(n)]
    ahead = [d for d, v in enumerate(still) if v is Verdict.FAILS]
    favors = [below(v["GM"], v["EM"]) for v in skewed.values()]
    more = {k: v["EM"].low - v["GM"].low for k, v in skewed.items()}
    times = {k: v["EM"].low / v["GM"].low for k, v in skewed.items()}
    worst, most_times = (max(t, key=lambda k, t=t: t[k]) for t in (more, times))
    between = {m: [within(v[m], (v["GM"], v["EM"])) for v in ranges.values()] for m in ("WM", "WH")}
    under = [every([below(v["WM"], v["GM"]), below(v["WM"], v["EM"])]) for v in ranges.values()]
    return [
        Sentence(
            "With balanced inputs EM outperforms all other mechanisms.",
            f"EM has the smallest tail in {number(em_best.values())} cases (α, d); at α = 10/11 "
            f"for d = {listed(em_first)}.",
            every(em_best.values()),
            f"At α = 10/11 and p = 0.5 EM surely has the smallest tail for d = {listed(em_first)}.",
        ),
        Sentence(
            "The margin between EM and GM only increases with d, read as a difference (α = 10/11).",
            f"GM − EM is largest at d = {peak} ({margins[peak]:.3f}); at d = {n - 1} it is "
            f"{margins[-1]:.3f}.",
            rising(margins),
            f"The difference GM − EM grows up to d = {peak} and then falls.",
        ),
        Sentence(
            "The same, read as a ratio.",
            f"GM / EM goes from {ratios[0]:.2f} at d = 0 to {ratios[-1]:.2f} at d = {n - 1}.",
            rising(ratios),
            "The ratio GM / EM does not grow throughout.",
        ),
        Sentence(
            "At the higher α GM can be worse than random guessing.",
            f"GM is above UM for {number(guess)} d.",
            some(guess),
            "GM is never above UM.",
        ),
        Sentence(
            "At the lower α GM gains dramatically (its tails are less than half as large).",
            f"They are for {number(halves)} d.",
            most(halves),
            f"Its tails are less than half as large for {number(halves)} d.",
        ),
        Sentence(
            "At the lower α GM still remains worse than EM.",
            f"GM is above EM for {number(still)} d; it is not for d = {listed(ahead)}.",
            every(still),
            f"At α = 2/3 GM has the smaller tail for d = {listed(ahead)}.",
        ),
        Sentence(
            "With skewed inputs (p = 0.1) GM is favored.",
            f"GM is below EM in {number(favors)} cases (α, d).",
            most(favors),
            f"GM is below EM in {number(favors)} cases.",
        ),
        Sentence(
            "EM does not do substantially worse than GM there, read as a difference (less than "
            "0.1).",
            f"EM − GM is at most {more[worst]:.3f} (α = {worst[0]}, d = {worst[1]}).",
            below(fixed(more[worst]), fixed(0.1)),
            f"At p = 0.1 EM is up to {more[worst]:.3f} above GM.",
        ),
        Sentence(
            "The same, read as a ratio (less than 1.5).",
            f"EM / GM is at most {times[most_times]:.2f} (α = {most_times[0]}, d = "
            f"{most_times[1]}).",
            below(fixed(times[most_times]), fixed(1.5)),
            f"At p = 0.1 EM's tail is up to {times[most_times]:.2f} times GM's.",
        ),
        *(
            Sentence(
                f"WM tends to fall between GM and EM (in most cases); WM read as {reading}.",
                f"It does in {number(between[name])} cases"
                + (f"; it is below both in {number(under)}." if name == "WM" else "."),
                most(between[name]),
                f"{reading} lies between GM and EM in {number(between[name])} cases.",
            )
            for name, reading in (("WM", "WH + RM + CM"), ("WH", "WH"))
        ),
    ]


def fig_12(setting: Setting) -> Claim:
    """The mass more than d away, n = 8."""
    found = over_d("L0", (0.5, 0.1), 8, setting)
    chart = simulated_panels(
        found.rows, x="d", y_title="more than d away", column="α", row="p", from_zero=True
    )
    save_chart(chart, setting.out / "fig-12.png")
    sentences = figure_12(found.ranges)
    grid = [[d, *(found.ranges[STRONG, d, 0.5][m].words(4) for m in FIVE)] for d in range(8)]
    return Claim(
        "Fig. 12",
        "tails: the share more than d away, n = 8",
        "With balanced inputs EM beats all others, and its margin over GM only grows with d; at "
        "high α GM can be worse than guessing; at lower α GM improves dramatically and is still "
        "worse than EM. With skewed inputs GM is favored, but EM is not substantially worse. WM "
        "tends to lie between.",
        worded(setting)
        + "The paper does not print its p; we take 0.5 and 0.1. "
        + agreement(found.measured),
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        grids=(
            Grid(
                "Exact share more than d away, p = 0.5, α = 10/11; WH and WM over all optima",
                ("d", *FIVE),
                grid,
            ),
        ),
        pictures=(Picture("fig-12.png", BARS + "error. α across, p down."),),
        files=(write_csv(setting.out / "fig-12.csv", found.rows),),
        numbers={
            f"wh_d{d}_{end}": getattr(found.ranges[STRONG, d, 0.1]["WH"], end)
            for d in (0, 4)
            for end in ("low", "high")
        },
    )


CLAIMS = {"fig-11": fig_11, "fig-12": fig_12}
