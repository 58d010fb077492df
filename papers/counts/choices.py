"""Section 6.3: which mechanism for which properties, and how they differ."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import noisewright as nw
from noisewright.report import heatmaps, save_chart
from papers.claims import (
    Claim,
    Grid,
    Picture,
    Sentence,
    Setting,
    every,
    instead_of,
    judge,
    listed,
    number,
    overall,
)
from papers.counts import plain_program, rationals
from papers.counts.charts import flowchart
from papers.counts.experiment import binomial_weights
from papers.counts.optima import SAME, WM, best, closed_sets, costs, same, score, value
from papers.counts.optimal_face import Range, at_most, below, faces, fixed

BOXES = (
    ("fairness?", 0, 3, False),
    ("EM\nclosed form", 2, 3, True),
    ("CH or CM,\nand α > 1/2?", 0, 2, False),
    ("WM: the program\nfor WH + RM + CM", 2, 2, True),
    ("WH, and\nn < 2α/(1−α)?", 0, 1, False),
    ("WH: the program\nfor WH (+ RM)", 2, 1, True),
    ("GM\nclosed form", 0, 0, True),
)
ARROWS = tuple(
    {"from": BOXES[a][0], "to": BOXES[b][0], "word": word}
    for a, b, word in (
        (0, 1, "yes"),
        (0, 2, "no"),
        (2, 3, "yes"),
        (2, 4, "no"),
        (4, 5, "yes"),
        (4, 6, "no"),
    )
)


def _chosen(n: int, alpha: str, codes: tuple[str, ...]) -> tuple[str, ...]:
    """Follow the flowchart: the properties of the mechanism it ends at."""
    a = Fraction(alpha)
    if "F" in codes:
        return ("all",)
    if {"CH", "CM"} & set(codes) and a > Fraction(1, 2) and n > 1:
        return WM
    if "WH" in codes and n < 2 * a / (1 - a) and n > 1:
        return ("WH", "RM", "S")
    return ()


def fig_5(setting: Setting) -> Claim:
    """Follow the flowchart for all 128 sets; it must end at the optimum."""
    sizes = setting.pick((2, 3, 4, 5, 8, 10), (2, 5))
    alphas = setting.pick(("0.3", "0.5", "0.6", "0.76", "0.9", "10/11", "0.99"), ("0.5", "10/11"))
    right, cases, most = True, 0, 0
    has_it = True
    for n in sizes:
        for alpha in alphas:
            for codes in closed_sets():
                chosen = value(n, alpha, "L0", _chosen(n, alpha, codes))
                right &= same(chosen, value(n, alpha, "L0", codes))
                cases += 1
            reached = {_chosen(n, alpha, codes) for codes in closed_sets()}
            most = max(most, len(reached))
            has_it &= {"RM", "S"} <= nw.properties(value(n, alpha, "L0", WM).mechanism) | {"S"}
    skewed = costs(4, "L0", binomial_weights(4, 0.3))
    dear: list[str] = []
    for code in ("RM", "S"):
        for base in ((), ("WH",), ("CM",)):
            without, with_it = (
                plain_program.optimum(4, 0.62, skewed, codes).value
                for codes in (base, (*base, code))
            )
            if with_it > without + SAME:
                dear.append(f"{code} on top of {' + '.join(base)}" if base else f"{code} alone")
    save_chart(flowchart(BOXES, ARROWS), setting.out / "fig-5.png")
    return Claim(
        "Fig. 5",
        "a flowchart to the optimal mechanism for L0",
        "For α > 1/2: fairness leads to EM; column properties lead to the program for WH and CM; "
        "weak honesty leads to the program for WH, or to GM if n ≥ 2α/(1−α); otherwise GM. Row "
        "properties and symmetry come for free. For α ≤ 1/2 there are only EM and GM.",
        f"For each of the 128 sets of properties ({len(closed_sets())} with implied ones added), "
        f"n in {listed(sizes)} and α in {listed(alphas)} ({cases:,} problems) the loss at the end "
        f"of the flowchart equals the proven optimum for the set. At most {most} different ends "
        "occur.",
        judge(right and has_it and most <= 4),
        "For a uniform prior, as in Section 2.1."
        + (
            " Under a binomial prior (p = 0.3, n = 4, α = 0.62), for instance, these cost more: "
            f"{listed(dear)}."
            if dear
            else ""
        ),
        pictures=(Picture("fig-5.png", "The flowchart for n ≥ 2, with both cases of α in one."),),
        numbers={"problems": float(cases), "ends": float(most)},
    )


def fig_6(setting: Setting) -> Claim:
    """The table of properties, and the two meanings of WM."""
    n, alphas = 8, ("0.4", "0.62", "10/11")
    rows: list[list[object]] = []
    wh_with_rows = True
    held: dict[str, dict[str, list[bool]]] = {}
    for alpha in alphas:
        mechanisms = {
            "GM": best(n, alpha).mechanism,
            "WH": best(n, alpha, "L0", ("WH", "RM", "S")).mechanism,
            "WM": best(n, alpha, "L0", WM).mechanism,
            "EM": best(n, alpha, "L0", ("all",)).mechanism,
            "UM": nw.uniform(nw.Counts(n)),
        }
        wh_with_rows &= same(
            value(n, alpha, "L0", ("WH",)), value(n, alpha, "L0", ("WH", "RM", "S"))
        )
        for name, mechanism in mechanisms.items():
            codes = nw.properties(mechanism)
            for code in ("S", "RM", "CM", "F", "WH"):
                held.setdefault(name, {}).setdefault(code, []).append(code in codes)
    order = ("GM", "WH", "WM", "EM", "UM")
    for code in ("S", "RM", "CM", "F", "WH"):
        cells = [
            "Y" if all(held[m][code]) else "N" if not any(held[m][code]) else "—" for m in order
        ]
        rows.append([code, *cells])
    scores = [score(n, "10/11", codes) for codes in ((), ("WH",), WM, ("all",))]
    rows.append(["L0 at α = 10/11", *scores, 1.0])
    printed = {"S": "YYYY", "RM": "YYYY", "CM": "——YY", "F": "NNYY", "WH": "—YYY"}
    got = {str(row[0]): row for row in rows[:5]}
    fits_wh = all([got[c][k] for k in (1, 2, 4, 5)] == list(printed[c]) for c in printed)
    fits_wm = all([got[c][k] for k in (1, 3, 4, 5)] == list(printed[c]) for c in printed)
    del setting
    return Claim(
        "Fig. 6",
        "properties of the named mechanisms",
        "GM: S, RM, never F, CM and WH depending on parameters. WM: S, RM, WH, never F, CM "
        "depending. EM and UM: all. L0: 2α/(1+α), at least that, about 2α/(1+α)·(n+1)/n, 1.",
        f"At n = 8 and α in {listed(alphas)} the column WM of the paper "
        f"{'fits' if fits_wh else 'does not fit'} the optimum for WH, and "
        f"{'fits' if fits_wm else 'does not fit'} that for WH + RM + CM, which is always column "
        "monotone. Section 7.1, though, defines WM as WH + RM + CM. A dash means: depends on α.",
        judge(fits_wm, corrected=fits_wh and wh_with_rows),
        "WM is two mechanisms: WH (Figs 6 and 9, and wherever WM meets GM) and WH + RM + CM "
        "(Section 7.1). They have different losses; name them apart.",
        grids=(Grid("n = 8", ("property", "GM", "WH", "WM", "EM", "UM"), rows),),
    )


def figure_7(
    truth: dict[str, dict[str, float]],
    ends: dict[str, list[Range]],
    average: dict[str, Range],
    uniform: bool,
) -> list[Sentence]:
    """Judge the sentences around Figure 7.

    `truth` are the probabilities of the truth by α and mechanism. `ends` are those of the outputs
    0 and n together for each input, `average` over all inputs; `uniform` says whether EM's
    diagonal is constant.
    """

    def printed(alpha: str) -> bool:
        return (round(truth[alpha]["EM"], 3), round(truth[alpha]["GM"], 3)) == (0.224, 0.238)

    at = {a: f"{t['EM']:.3f} (EM) and {t['GM']:.3f} (GM)" for a, t in truth.items()}
    share = fixed(2 / len(ends["GM"]))
    favors = {m: [below(share, r) for r in found] for m, found in ends.items()}
    readings = (("WM", "WH + RM + CM"), ("WH", "WH"))
    return [
        Sentence(
            "At α = 0.9 and a uniform input EM reports the truth with probability 0.224, GM with "
            "0.238.",
            f"At α = 0.9: {at['9/10']}. At α = 10/11 = 0.909…: {at['10/11']}.",
            judge(printed("9/10"), corrected=printed("10/11")),
            "The numbers belong to α = 10/11, which is among the paper's typical values.",
        ),
        *(
            Sentence(
                f"WM sits between the two; WM read as {reading}.",
                ", ".join(f"{t[name]:.4f} at α = {a}" for a, t in truth.items()) + ".",
                every(
                    at_most(fixed(low), fixed(high))
                    for t in truth.values()
                    for low, high in ((t["EM"], t[name]), (t[name], t["GM"]))
                ),
                f"{reading} does not lie between EM and GM.",
            )
            for name, reading in readings
        ),
        Sentence(
            "EM has a uniform diagonal.",
            f"Its diagonal is {'' if uniform else 'not '}constant.",
            judge(uniform),
            "EM's diagonal is not constant.",
        ),
        *(
            Sentence(
                "GM and WM favor the extreme outputs whatever the input (0 and 4 together are "
                f"more likely than 2/5): {reading}.",
                f"On {number(favors[name])} inputs; their probability is "
                + ", ".join(r.words() for r in ends[name])
                + " for inputs 0 to 4.",
                every(favors[name]),
                f"{reading} favors the ends on {number(favors[name])} inputs only"
                + (
                    ": column monotonicity makes no output likelier than one nearer to the truth."
                    if name == "WM"
                    else "."
                ),
            )
            for name, reading in (("GM", "GM"), *readings)
        ),
        *(
            Sentence(
                f"GM is very skewed while WM is more uniform; WM read as {reading}.",
                f"Over all inputs 0 and 4 have probability {average['GM'].words()} under GM and "
                f"{average[name].words()} under {reading}.",
                below(average[name], average["GM"]),
                f"{reading} is not more uniform than GM.",
            )
            for name, reading in readings
        ),
    ]


def fig_7(setting: Setting) -> Claim:
    """Truth probabilities of EM and GM for n = 4, the α they belong to, and who favors the ends."""
    n, alpha = 4, "10/11"
    truth: dict[str, dict[str, float]] = {}
    for text in ("9/10", alpha):
        gm = rationals.geometric(n, Fraction(text))
        truth[text] = {
            "EM": float(rationals.diagonal(n, Fraction(text))),
            "WM": 1 - value(n, text, "L0", WM).loss,
            "WH": 1 - value(n, text, "L0", ("WH",)).loss,
            "GM": float(sum(gm[i][i] for i in range(n + 1)) / (n + 1)),
        }
    shown = {
        "GM": best(n, alpha).mechanism,
        "WH": best(n, alpha, "L0", ("WH", "RM", "S")).mechanism,
        "WM": best(n, alpha, "L0", WM).mechanism,
        "EM": best(n, alpha, "L0", ("all",)).mechanism,
    }
    save_chart(heatmaps(shown, columns=2), setting.out / "fig-7.png")
    close = {name: mechanism for name, mechanism in shown.items() if name != "GM"}
    save_chart(heatmaps(close, columns=3), setting.out / "fig-7-close.png")
    gm, em = (of(n, Fraction(alpha)) for of in (rationals.geometric, rationals.fair))
    ends = {"GM": [fixed(float(gm[0][j] + gm[n][j])) for j in range(n + 1)]}
    average = {"GM": fixed(sum(r.low for r in ends["GM"]) / (n + 1))}
    for name, face in faces("L0", n, alpha).items():
        weights = np.zeros((n + 1, n + 1, n + 1))
        for j in range(n + 1):
            weights[j, j, [0, n]] = 1
        ends[name] = [face.range(one) for one in weights]
        average[name] = face.range(weights.mean(axis=0))
    sentences = figure_7(truth, ends, average, "F" in rationals.properties(em))
    return Claim(
        "Fig. 7, Section 1",
        "EM, WM and GM at n = 4",
        "At α = 0.9 and a uniform input EM reports the truth with probability 0.224 and GM with "
        "0.238; WM lies between. EM has a uniform diagonal; both GM and WM favor the ends "
        "whatever the input, GM much more so.",
        "EM and GM in fractions; WM (both readings) over all optimal mechanisms.",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        grids=(
            Grid(
                "Probability of the truth, n = 4",
                ("α", "EM", "WM", "WH", "GM"),
                [[a, *(t[m] for m in ("EM", "WM", "WH", "GM"))] for a, t in truth.items()],
            ),
        ),
        pictures=(
            Picture("fig-7.png", "n = 4, α = 10/11; ties of WH and WM broken by L1."),
            Picture("fig-7-close.png", "The same without GM, whose ends outshine the others."),
        ),
        numbers={
            "em": truth[alpha]["EM"],
            "gm": truth[alpha]["GM"],
            "em_at_0.9": truth["9/10"]["EM"],
            "gm_at_0.9": truth["9/10"]["GM"],
            "wm_ends_for_2": ends["WM"][2].high,
        },
    )


CLAIMS = {"fig-5": fig_5, "fig-6": fig_6, "fig-7": fig_7}
