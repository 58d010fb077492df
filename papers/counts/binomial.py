"""Section 7.3: groups of people who each have the bit with probability p."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from noisewright.report import save_chart
from papers.claims import (
    Claim,
    Grid,
    Picture,
    Setting,
    judge,
    listed,
    stated,
    tiny,
)
from papers.counts.charts import histogram_panels, simulated_panels
from papers.counts.experiment import (
    SEED,
    Errors,
    Measured,
    Score,
    agreement,
    beyond,
    binomial_groups,
    binomial_weights,
    observe,
    rmse,
    row_of,
    share_of,
)
from papers.counts.optima import for_l0, for_loss
from papers.page import write_csv

ALPHAS = ("10/11", "2/3")
"""The paper's 0.91 and 0.67: its list of typical values has 10/11 and 2/3."""

SIZES = (4, 8, 12)
BARS = "Lines: exact. Points: simulated means with bars of one standard "


@lru_cache(maxsize=2048)
def errors_of(family: str, n: int, alpha: str, p: float, quick: bool) -> dict[str, Errors]:
    """Return the errors of five mechanisms on binomial groups; `family` is L0, L1 or L2."""
    repetitions, people = (4, 1_200) if quick else (30, 10_000)
    truths = binomial_groups(n, p, people=people, repetitions=repetitions)
    mechanisms = for_l0(n, alpha) if family == "L0" else for_loss(n, alpha, family)
    weights = binomial_weights(n, p)
    return {
        name: observe(m, truths, weights, seed=f"{SEED}/{family}/{n}/{alpha}/{p}/{name}")
        for name, m in mechanisms.items()
    }


Cell = tuple[str, int, float]
Exact = dict[Cell, dict[str, float]]


def over_p(
    family: str, score: Score, setting: Setting
) -> tuple[list[dict[str, Any]], list[Measured], Exact]:
    """Measure a score for both α, each n and each p."""
    shares: Sequence[float] = setting.pick(
        [round(0.1 * k, 1) for k in range(1, 10)], [0.1, 0.5, 0.9]
    )
    rows: list[dict[str, Any]] = []
    measured: list[Measured] = []
    exact: Exact = {}
    for alpha in ALPHAS:
        for n in SIZES:
            for p in shares:
                for name, errors in errors_of(family, n, alpha, p, setting.quick).items():
                    one = errors.measure(score)
                    measured.append(one)
                    exact.setdefault((alpha, n, p), {})[name] = one.exact
                    rows.append(row_of(one, α=alpha, n=n, p=p, mechanism=name))
    return rows, measured, exact


def over_d(
    family: str, shares: Sequence[float], n: int, setting: Setting
) -> tuple[list[dict[str, Any]], list[Measured], Exact]:
    """Measure the mass more than d away; cells are (α, d, p)."""
    rows: list[dict[str, Any]] = []
    measured: list[Measured] = []
    exact: Exact = {}
    for p in shares:
        for alpha in ALPHAS:
            for d in range(n):
                for name, errors in errors_of(family, n, alpha, p, setting.quick).items():
                    one = errors.measure(beyond(d))
                    measured.append(one)
                    exact.setdefault((alpha, d, p), {})[name] = one.exact
                    rows.append(row_of(one, α=alpha, n=n, p=p, d=d, mechanism=name))
    return rows, measured, exact


def worded(setting: Setting) -> str:
    """Return how the data was made, as a sentence."""
    repetitions, people = (4, 1_200) if setting.quick else (30, 10_000)
    return f"{people:,} people, {repetitions} repetitions, seed {SEED}; α = 10/11 and 2/3. "


def fig_11(setting: Setting) -> Claim:
    """Answers more than 1 away, against p."""
    rows, measured, exact = over_p("L0", beyond(1), setting)
    chart = simulated_panels(rows, x="p", y_title="more than 1 away", column="n", row="α")
    save_chart(chart, setting.out / "fig-11.png")
    strong = [v for (a, _, _), v in exact.items() if a == "10/11"]
    bad = sum(v["GM"] > v["UM"] for v in strong)
    balanced = [v for (_, _, p), v in exact.items() if p == 0.5]
    spread_better = all(v["EM"] <= v["GM"] and v["WM"] <= v["GM"] for v in balanced)
    skewed = [v for (_, n, p), v in exact.items() if p in (0.1, 0.9) and n >= 8]
    gm_well = all(v["GM"] < min(v["EM"], v["UM"]) for v in skewed)

    def swing(name: str, alpha: str, n: int) -> float:
        values = [v[name] for (a, m, _), v in exact.items() if (a, m) == (alpha, n)]
        return max(values) - min(values)

    large = [(a, n) for a in ALPHAS for n in SIZES if n >= 8]
    steady = all(swing("EM", a, n) < swing("GM", a, n) for a, n in large)
    small = {a: (swing("EM", a, 4), swing("GM", a, 4)) for a in ALPHAS}
    weak = [v for (a, _, _), v in exact.items() if a == "2/3"]
    wh_gm = max(abs(v["WH"] - v["GM"]) for v in weak)
    wm_gm = max(abs(v["WM"] - v["GM"]) for v in weak)
    wm_better = sum(v["WM"] < v["GM"] - 1e-12 for v in weak)
    lower = all(
        exact["2/3", n, p][m] <= exact["10/11", n, p][m] + 1e-12
        for (_, n, p), v in exact.items()
        for m in v
    )
    steady_small = all(em < gm for em, gm in small.values())
    core = gm_well and spread_better and bad > 0 and steady and lower and wh_gm < 1e-9
    tight = max(one.deviation for one in measured)
    return Claim(
        "Fig. 11",
        "more than 1 away, against the share of ones",
        "GM does well when p is near 0 or 1; otherwise the constrained mechanisms are better. At "
        "α = 0.91 they are alike and a little better than UM, while GM is often worse than UM. EM "
        "depends least on the data. At α = 0.67 all are better, and WM and GM converge. Thirty "
        "repetitions vary little.",
        worded(setting)
        + agreement(measured)
        + f" The largest standard deviation of a repetition is {tight:.3f}. At α = 10/11 GM is "
        f"worse than UM in {bad} of {len(strong)} cases. "
        + stated("At p = 0.5 WM and EM are never worse than GM; ", spread_better)
        + stated("at p = 0.1 and 0.9 with n ≥ 8 GM beats EM and UM. ", gm_well)
        + stated("EM varies less with p than GM for n = 8 and 12, ", steady)
        + stated("but not for n = 4 at α = 2/3 ", not steady_small)
        + f"({small['10/11'][0]:.3f} against {small['10/11'][1]:.3f} at α = 10/11, "
        f"{small['2/3'][0]:.3f} against {small['2/3'][1]:.3f} at 2/3). At α = 2/3 WH and GM are "
        f"the same mechanism (difference {tiny(wh_gm)}); WM differs from GM by up to {wm_gm:.3f} "
        f"and is better in {wm_better} of {len(weak)} cases.",
        judge(core and steady_small and wm_gm < 1e-3, corrected=core),
        "It is WH that becomes GM at α = 2/3, n ≥ 4; and EM is the steadier one for n ≥ 8.",
        pictures=(Picture("fig-11.png", BARS + "error. n across, α down."),),
        files=(write_csv(setting.out / "fig-11.csv", rows),),
        numbers={"gm_worse_than_um": float(bad), "off": max(m.off for m in measured)},
    )


def fig_12(setting: Setting) -> Claim:
    """The mass more than d away, n = 8."""
    rows, measured, exact = over_d("L0", (0.5, 0.1), 8, setting)
    chart = simulated_panels(
        rows, x="d", y_title="more than d away", column="α", row="p", from_zero=True
    )
    save_chart(chart, setting.out / "fig-12.png")
    balanced = {(a, d): v for (a, d, p), v in exact.items() if p == 0.5}
    em_best = {k: min(v, key=lambda m: v[m]) == "EM" for k, v in balanced.items()}
    margins = [balanced["10/11", d]["GM"] - balanced["10/11", d]["EM"] for d in range(8)]
    ratios = [balanced["10/11", d]["GM"] / balanced["10/11", d]["EM"] for d in range(8)]
    growing = all(b >= a for a, b in itertools.pairwise(margins))
    in_ratio = all(b >= a for a, b in itertools.pairwise(ratios))
    weak = [d for d in range(8) if balanced["2/3", d]["EM"] > balanced["2/3", d]["GM"]]
    skewed = {(a, d): v["EM"] / v["GM"] for (a, d, p), v in exact.items() if p == 0.1}
    worst = max(skewed, key=lambda k: skewed[k])
    between = sum(
        min(v["GM"], v["EM"]) - 1e-12 <= v["WM"] <= max(v["GM"], v["EM"]) + 1e-12
        for v in exact.values()
    )
    below = sum(v["WM"] < min(v["GM"], v["EM"]) for v in exact.values())
    first = all(em_best["10/11", d] for d in range(5))
    grid = [
        [d, *(balanced["10/11", d][m] for m in ("GM", "WM", "EM", "UM")), margins[d], ratios[d]]
        for d in range(8)
    ]
    return Claim(
        "Fig. 12",
        "tails: the share more than d away, n = 8",
        "With balanced inputs EM beats all others, and its margin over GM only grows with d; at "
        "lower α GM is still worse than EM. With skewed inputs GM is favored, but EM is not "
        "substantially worse. WM tends to lie between.",
        worded(setting)
        + "The paper does not print its p; we take 0.5 and 0.1. "
        + agreement(measured)
        + f" At p = 0.5 EM is best in {sum(em_best.values())} of {len(em_best)} cases (α, d). The "
        f"margin over GM at α = 10/11 peaks at d = {margins.index(max(margins))} "
        f"({max(margins):.3f}) and then falls; only the ratio grows, from {ratios[0]:.2f} to "
        f"{ratios[7]:.2f}. At α = 2/3 GM has the smaller tail for d = {listed(weak)}. At p = 0.1 "
        f"EM's tail is up to {skewed[worst]:.2f} times GM's (α = {worst[0]}, d = {worst[1]}). WM "
        f"lies between GM and EM in {between} of {len(exact)} cases and below both in {below}.",
        judge(all(em_best.values()) and growing and not weak and skewed[worst] < 1.5),
        stated("At α = 10/11 and balanced inputs EM has the smallest tails up to d = 4, ", first)
        + stated("and its advantage over GM grows in ratio, not in difference. ", in_ratio)
        + stated("At α = 2/3 with skewed inputs EM is far worse than GM.", skewed[worst] > 1.5),
        grids=(
            Grid(
                "Exact share more than d away, p = 0.5, α = 10/11",
                ("d", "GM", "WM", "EM", "UM", "GM − EM", "GM / EM"),
                grid,
            ),
        ),
        pictures=(Picture("fig-12.png", BARS + "error. α across, p down."),),
        files=(write_csv(setting.out / "fig-12.csv", rows),),
        numbers={"margin_peak_d": float(margins.index(max(margins))), "worst_ratio": skewed[worst]},
    )


def fig_13(setting: Setting) -> Claim:
    """Root mean square error against p."""
    rows, measured, exact = over_p("L0", rmse, setting)
    chart = simulated_panels(rows, x="p", y_title="RMSE", column="n", row="α", bar="deviation")
    save_chart(chart, setting.out / "fig-13.png")
    names = ("GM", "WH", "WM", "EM", "UM")
    shares = sorted({p for _, _, p in exact})
    easier = {
        name: sum(
            exact[a, n, 0.5][name] <= min(exact[a, n, p][name] for p in shares) + 1e-12
            for a in ALPHAS
            for n in SIZES
        )
        for name in names
    }
    rising = all(
        exact[a, 4, p][m] < exact[a, 8, p][m] < exact[a, 12, p][m]
        for a in ALPHAS
        for p in shares
        for m in names
    )
    strong = {k: v for k, v in exact.items() if k[0] == "10/11"}
    gm_bad = sum(v["GM"] > v["UM"] for v in strong.values())
    gm_bad_weak = sum(v["GM"] > v["UM"] for k, v in exact.items() if k[0] == "2/3")
    best = [min(v, key=lambda m: v[m]) for v in strong.values()]
    near_half = all(
        min(v, key=lambda m: v[m]) != "EM" for k, v in strong.items() if k[2] in (0.1, 0.9)
    )
    below_gm = sum(v["EM"] < v["GM"] for v in strong.values())
    core = rising and gm_bad > gm_bad_weak and easier["EM"] == easier["UM"] == 6
    return Claim(
        "Fig. 13",
        "root mean square error",
        "Balanced inputs are easier for most mechanisms, though sometimes not for GM. RMSE grows "
        "with n. Larger α makes GM less competitive, often worse than UM. At α = 0.91 EM tends to "
        "have the lowest error for all n and p. Error bars: one standard deviation.",
        worded(setting) + agreement(measured) + " p = 0.5 is the easiest in "
        f"{', '.join(f'{v} of 6 panels for {k}' for k, v in easier.items())}. "
        + stated("RMSE grows with n throughout. ", rising)
        + f"GM is worse than UM in {gm_bad} of {len(strong)} cases at α = 10/11 and in "
        f"{gm_bad_weak} at 2/3. At α = 10/11 the lowest RMSE is WM's in {best.count('WM')} cases "
        f"and EM's in {best.count('EM')} of {len(best)}; EM is below GM in {below_gm}.",
        judge(core and best.count("EM") == len(best), corrected=core),
        stated("At α = 10/11 EM has the lowest RMSE only for p near 0.5", near_half)
        + stated("; otherwise WM has.", set(best) == {"EM", "WM"}),
        pictures=(Picture("fig-13.png", BARS + "deviation. n across, α down."),),
        files=(write_csv(setting.out / "fig-13.csv", rows),),
        numbers={"em_best": float(best.count("EM")), "wm_best": float(best.count("WM"))},
    )


def fig_14(setting: Setting) -> Claim:
    """Histograms of errors, n = 8."""
    n = 8
    rows: list[dict[str, Any]] = []
    measured: list[Measured] = []
    exact: dict[tuple[str, float, str], list[float]] = {}
    for alpha in ALPHAS:
        for p in (0.1, 0.7):
            for name, errors in errors_of("L0", n, alpha, p, setting.quick).items():
                if name == "UM":
                    continue
                for off in range(-n, n + 1):
                    one = errors.measure(share_of(off))
                    measured.append(one)
                    exact.setdefault((alpha, p, name), []).append(one.exact)
                    case = f"{alpha}, p = {p}"
                    rows.append(row_of(one, α=case, mechanism=name, off=off))
    chart = histogram_panels(rows, column="mechanism", row="α")
    save_chart(chart, setting.out / "fig-14.png")

    def peaks(values: list[float]) -> list[int]:
        padded = [0.0, *values, 0.0]
        return [
            i - 1 - n
            for i in range(1, len(padded) - 1)
            if padded[i - 1] < padded[i] > padded[i + 1] and padded[i] > 0.02
        ]

    at_zero = all(
        max(range(2 * n + 1), key=lambda i, v=v: v[i]) == n
        for (_, p, _), v in exact.items()
        if p == 0.1
    )
    gm = peaks(exact["10/11", 0.1, "GM"])
    second = len(gm) == 2 and gm[1] > 4
    values = exact["10/11", 0.7, "GM"]
    tops = peaks(values)
    wide = len(tops) == 2 and tops[0] < 0 < tops[1]
    valley = min(range(tops[0], tops[-1] + 1), key=lambda off: values[n + off])
    dip = wide and abs(valley) <= 2
    one_peak = all(len(peaks(exact[a, 0.1, m])) == 1 for a in ALPHAS for m in ("WM", "EM"))

    def apart(alpha: str) -> float:
        return max(
            sum(
                abs(a - b)
                for a, b in zip(exact[alpha, p, "WH"], exact[alpha, p, "GM"], strict=True)
            )
            / 2
            for p in (0.1, 0.7)
        )

    return Claim(
        "Fig. 14",
        "histograms of errors, n = 8",
        "At p = 0.1 no error is the most likely for all; GM at α = 0.91 has a second peak from "
        "output n, and column monotonicity makes EM and WM smoother. At p = 0.7 GM is bimodal for "
        "high α with a dip around no error. As α falls WM comes to look like GM.",
        worded(setting)
        + agreement(measured)
        + stated(" At p = 0.1 no error is the most likely for every mechanism. ", at_zero)
        + f"GM at α = 10/11 has peaks at {' and '.join(map(str, gm))}, "
        + stated("WM and EM have only one. ", one_peak)
        + f"At p = 0.7 GM peaks at {' and '.join(map(str, tops))}, with the valley at {valley} "
        f"({values[n + valley]:.3f}; no error: {values[n]:.3f}). WH and GM are "
        f"{apart('10/11'):.3f} apart (total variation, the larger of both p) at α = 10/11 and "
        f"{tiny(apart('2/3'))} at 2/3.",
        judge(at_zero and second and dip and wide and one_peak and apart("2/3") < 1e-9),
        "The mechanism that becomes GM is WH.",
        pictures=(
            Picture(
                "fig-14.png",
                "Bars: exact. Ticks: simulated means with bars of one standard error.",
            ),
        ),
        files=(write_csv(setting.out / "fig-14.csv", rows),),
        numbers={"gm_second_peak": float(gm[-1])},
    )


CLAIMS = {"fig-11": fig_11, "fig-12": fig_12, "fig-13": fig_13, "fig-14": fig_14}
