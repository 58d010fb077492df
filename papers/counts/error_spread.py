"""Figures 13 and 14: root mean square errors and histograms of errors, by binomial data."""

from __future__ import annotations

from typing import Any

from noisewright.report import save_chart
from papers.claims import (
    Claim,
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
from papers.counts.binomial import (
    ALPHAS,
    BARS,
    SIZES,
    STRONG,
    WEAK,
    Ranges,
    errors_of,
    over_p,
    shares_of,
    worded,
)
from papers.counts.charts import histogram_panels, simulated_panels
from papers.counts.experiment import Measured, agreement, difference_of, rmse, row_of, share_of
from papers.counts.near_answers import FIVE, distance, largest
from papers.counts.optimal_face import Range, at_most, below, fixed
from papers.page import write_csv

Easier = dict[tuple[str, int, str], Verdict]
"""By α, n and mechanism: whether p = 0.5 has the least error of all p."""


def figure_13(ranges: Ranges, easier: Easier) -> list[Sentence]:
    """Judge the sentences around Figure 13."""
    by_name = {m: [v for (_, _, name), v in easier.items() if name == m] for m in FIVE}
    gm_harder = [
        below(ranges[a, n, p]["GM"], ranges[a, n, 0.5]["GM"]) for a, n, p in ranges if p != 0.5
    ]
    rising = [
        every([below(ranges[a, 4, p][m], ranges[a, 8, p][m]), below(ranges[a, 8, p][m], v[m])])
        for (a, n, p), v in ranges.items()
        if n == 12
        for m in FIVE
    ]
    strong = {k: v for k, v in ranges.items() if k[0] == STRONG}
    weak = {k: v for k, v in ranges.items() if k[0] == WEAK}
    less = [
        below(
            fixed(v["GM"].low / v["UM"].low),
            fixed(strong[STRONG, n, p]["GM"].low / strong[STRONG, n, p]["UM"].low),
        )
        for (_, n, p), v in weak.items()
    ]
    over = {a: [below(v["UM"], v["GM"]) for k, v in ranges.items() if k[0] == a] for a in ALPHAS}
    lowest = {
        m: [every(at_most(v[m], v[other]) for other in FIVE) for v in strong.values()] for m in FIVE
    }
    under_gm = [below(v["EM"], v["GM"]) for v in strong.values()]
    em_at = [k for k, v in zip(strong, lowest["EM"], strict=True) if v is not Verdict.FAILS]
    em_where = "; ".join(f"n = {n}, p = {listed(p for _, m, p in em_at if m == n)}" for n in SIZES)
    at_best = ", ".join(
        f"{m} in {number(v)}" for m, v in lowest.items() if set(v) != {Verdict.FAILS}
    )
    return [
        Sentence(
            "Inputs with p closer to 0.5 tend to be easier for most mechanisms (p = 0.5 has the "
            "least error, in most panels, for at least three of the five).",
            ", ".join(f"{m} in {number(v)} panels" for m, v in by_name.items()) + ".",
            most(most(v) for v in by_name.values()),
            "p = 0.5 is the easiest for "
            + listed(m for m, v in by_name.items() if most(v) is Verdict.HOLDS)
            + ".",
        ),
        Sentence(
            "There are cases where GM finds balanced inputs more difficult.",
            f"At p = 0.5 GM's error is larger than at another p in {number(gm_harder)} cases.",
            some(gm_harder),
            "GM never finds p = 0.5 more difficult.",
        ),
        Sentence(
            "Larger groups have a larger RMSE.",
            f"In {number(rising)} cases (α, p, mechanism).",
            every(rising),
            f"RMSE grows with n in {number(rising)} cases.",
        ),
        Sentence(
            "Increasing α tends to make GM less competitive (GM / UM is larger at 10/11 than at "
            "2/3, in most cases).",
            f"In {number(less)} cases.",
            most(less),
            f"GM / UM is larger at 10/11 in {number(less)} cases.",
        ),
        Sentence(
            "There are many cases where GM is worse than UM (more than a third at α = 10/11).",
            f"In {number(over[STRONG])} cases at α = 10/11 and {number(over[WEAK])} at 2/3.",
            most(over[STRONG], 1 / 3),
            f"GM is worse than UM in {number(over[STRONG])} cases at α = 10/11.",
        ),
        Sentence(
            "At α = 0.91 EM tends to give lower error across all n and p, read as: lower than "
            "all others, in most cases.",
            f"Of the five the lowest is {at_best} cases.",
            most(lowest["EM"]),
            "At α = 10/11 "
            + (
                f"EM can be the lowest only at {em_where}."
                if em_at
                else "EM has the lowest RMSE in no case."
            ),
        ),
        Sentence(
            "The same, read as: lower than GM, in most cases.",
            f"EM is below GM in {number(under_gm)} cases.",
            most(under_gm),
            f"EM is below GM in {number(under_gm)} cases.",
        ),
    ]


def fig_13(setting: Setting) -> Claim:
    """Root mean square error against p."""
    found = over_p("L0", rmse, setting)
    chart = simulated_panels(
        found.rows, x="p", y_title="RMSE", column="n", row="α", bar="deviation"
    )
    save_chart(chart, setting.out / "fig-13.png")
    easier: Easier = {}
    for a in ALPHAS:
        for n in SIZES:
            middle = errors_of("L0", n, a, 0.5, setting.quick)
            others = [errors_of("L0", n, a, p, setting.quick) for p in shares_of(setting)]
            for m in FIVE:
                easier[a, n, m] = every(
                    at_most(middle[m].minus(other[m], rmse), fixed(0.0)) for other in others
                )
    sentences = figure_13(found.ranges, easier)
    return Claim(
        "Fig. 13",
        "root mean square error",
        "Balanced inputs are easier for most mechanisms, though sometimes not for GM. RMSE grows "
        "with n. Larger α makes GM less competitive, often worse than UM. At α = 0.91 EM tends to "
        "have lower error across all n and p. Error bars: one standard deviation.",
        worded(setting) + agreement(found.measured),
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        pictures=(Picture("fig-13.png", BARS + "deviation. n across, α down."),),
        files=(write_csv(setting.out / "fig-13.csv", found.rows),),
        numbers={
            f"{m}_{end}": getattr(found.ranges[STRONG, 8, 0.1][m], end)
            for m in ("WH", "WM", "EM")
            for end in ("low", "high")
        },
    )


Bins = dict[tuple[str, float, str], list[Range]]
"""By α, p and mechanism: the probability of each error from −n to n."""


def peaks(values: list[float], least: float = 0.02) -> list[int]:
    """Return the errors at which a histogram has a peak of at least this height."""
    n = len(values) // 2
    padded = [0.0, *values, 0.0]
    return [
        i - 1 - n
        for i in range(1, len(padded) - 1)
        if padded[i - 1] < padded[i] > padded[i + 1] and padded[i] > least
    ]


def figure_14(
    bins: Bins,
    smooth: dict[tuple[str, float, str], Verdict],
    at_zero: dict[tuple[str, float, str], Verdict],
) -> list[Sentence]:
    """Judge the sentences around Figure 14.

    `smooth` tells whether a histogram falls on both sides of no error, and `at_zero` whether no
    error is its largest bar, for all optimal mechanisms.
    """
    n = 8
    low = [
        Range(sum(r.low for r in v[: n - 1]), sum(r.high for r in v[: n - 1]))
        for (_, p, _), v in bins.items()
        if p == 0.1
    ]
    first = [v for (_, p, _), v in at_zero.items() if p == 0.1]
    gm = {p: [r.low for r in bins[STRONG, p, "GM"]] for p in (0.1, 0.7)}
    tops = {p: peaks(values) for p, values in gm.items()}
    second = len(tops[0.1]) == 2 and tops[0.1][0] == 0 and tops[0.1][1] >= n // 2
    two = len(tops[0.7]) == 2 and tops[0.7][0] < 0 < tops[0.7][1]
    span = range(tops[0.7][0], tops[0.7][-1] + 1)
    valley = min(span, key=lambda off: gm[0.7][n + off])
    to_gm = {
        (m, a): largest(
            [
                distance(one, other)
                for p in (0.1, 0.7)
                for one, other in zip(bins[a, p, m], bins[a, p, "GM"], strict=True)
            ]
        )
        for m in ("WM", "WH")
        for a in ALPHAS
    }
    smoothness = {m: [v for (_, _, name), v in smooth.items() if name == m] for m in ("EM", "WM")}

    def verdict(holds: bool) -> Verdict:
        return Verdict.HOLDS if holds else Verdict.FAILS

    return [
        Sentence(
            "At p = 0.1 the input does not permit significant underestimation (by 2 or more, with "
            "probability below 0.1).",
            f"The probability is at most {max(r.high for r in low):.3f}.",
            every(below(r, fixed(0.1)) for r in low),
            f"It is up to {max(r.high for r in low):.3f}.",
        ),
        Sentence(
            "At p = 0.1 no error is the most likely outcome for all mechanisms.",
            f"It is in {number(first)} histograms.",
            every(first),
            f"No error is the most likely outcome in {number(first)} histograms.",
        ),
        Sentence(
            "At α = 0.91 GM has a second peak corresponding to output n.",
            f"GM's peaks are at errors of {listed(tops[0.1])}.",
            verdict(second),
            f"GM's peaks are at {listed(tops[0.1])}.",
        ),
        *(
            Sentence(
                f"Column monotonicity makes errors smoother (one peak, at no error): {name}.",
                f"In {number(smoothness[name])} histograms. It must: on each input the probability "
                "falls on both sides of the truth, and so does a mixture of these.",
                every(smoothness[name]),
                f"{name} has one peak in {number(smoothness[name])} histograms.",
            )
            for name in smoothness
        ),
        Sentence(
            "At p = 0.7 GM has two peaks for high α, with a dip around no error (at most 2 from "
            "it).",
            f"Peaks at {listed(tops[0.7])}, the valley at {valley} ({gm[0.7][n + valley]:.3f}; no "
            f"error: {gm[0.7][n]:.3f}).",
            verdict(two and abs(valley) <= 2),
            f"GM's peaks are at {listed(tops[0.7])} and its valley is at {valley}.",
        ),
        *(
            Sentence(
                f"As α decreases WM looks more like GM; WM read as {reading}.",
                f"The bars differ by up to {to_gm[name, STRONG].words()} at α = 10/11 and "
                f"{to_gm[name, WEAK].words()} at 2/3.",
                below(to_gm[name, WEAK], to_gm[name, STRONG]),
                f"{reading} does not come closer to GM.",
            )
            for name, reading in (("WM", "WH + RM + CM"), ("WH", "WH"))
        ),
    ]


def fig_14(setting: Setting) -> Claim:
    """Histograms of errors, n = 8."""
    n = 8
    rows: list[dict[str, Any]] = []
    measured: list[Measured] = []
    bins: Bins = {}
    smooth: dict[tuple[str, float, str], Verdict] = {}
    at_zero: dict[tuple[str, float, str], Verdict] = {}
    for alpha in ALPHAS:
        for p in (0.1, 0.7):
            for name, errors in errors_of("L0", n, alpha, p, setting.quick).items():
                if name == "UM":
                    continue
                key = alpha, p, name
                for off in range(-n, n + 1):
                    one = errors.measure(share_of(off))
                    measured.append(one)
                    bins.setdefault(key, []).append(one.over_optima)
                    rows.append(row_of(one, α=f"{alpha}, p = {p}", mechanism=name, off=off))
                far = [off for off in range(-n, n + 1) if off]
                step = {off: off - (1 if off > 0 else -1) for off in far}
                smooth[key] = every(
                    at_most(errors.over_optima(difference_of(off, step[off])), fixed(0.0))
                    for off in far
                )
                at_zero[key] = every(
                    at_most(errors.over_optima(difference_of(off, 0)), fixed(0.0)) for off in far
                )
    chart = histogram_panels(rows, column="mechanism", row="α")
    save_chart(chart, setting.out / "fig-14.png")
    sentences = figure_14(bins, smooth, at_zero)
    return Claim(
        "Fig. 14",
        "histograms of errors, n = 8",
        "At p = 0.1 underestimates are rare and no error is the most likely for all; GM at α = "
        "0.91 has a second peak from output n, and column monotonicity makes EM and WM smoother. "
        "At p = 0.7 GM is bimodal for high α with a dip around no error. As α falls WM comes to "
        "look like GM.",
        worded(setting) + agreement(measured),
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        pictures=(
            Picture(
                "fig-14.png",
                "Bars: exact, ties broken by L1. Dashed boxes: the range over all optimal "
                "mechanisms. Ticks: simulated means with bars of one standard error.",
            ),
        ),
        files=(write_csv(setting.out / "fig-14.csv", rows),),
        numbers={"gm_second_peak": float(peaks([r.low for r in bins[STRONG, 0.1, "GM"]])[-1])},
    )


CLAIMS = {"fig-13": fig_13, "fig-14": fig_14}
