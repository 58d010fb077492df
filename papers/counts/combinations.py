"""Section 7.1: weak honesty with other properties, and the final groups of mechanisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import (
    Claim,
    Grid,
    Picture,
    Sentence,
    Setting,
    instead_of,
    judge,
    listed,
    overall,
    tiny,
)
from papers.counts.optima import WM, same, score, value
from papers.page import write_csv

ROWS = ((), ("RH",), ("RM",))
COLUMNS = (("CH",), ("CM",), ("RH", "CH"), ("RH", "CM"), ("RM", "CH"), ("RM", "CM"))
NINE = (*ROWS, *COLUMNS)


def _nine(n: int, alpha: str) -> dict[str, float]:
    return {" + ".join(("WH", *c)): score(n, alpha, ("WH", *c)) for c in NINE}


def _points(n: int, alpha: str, x: float, panel: str) -> list[dict[str, Any]]:
    names = {
        "GM": (),
        "WH with none, RH or RM": ("WH",),
        "WH with CH or CM": WM,
        "EM": ("all",),
    }
    return [
        {"x": x, "panel": panel, "properties": name, "L0": score(n, alpha, codes)}
        for name, codes in names.items()
    ]


def figure_8(
    spread: float,
    problems: int,
    meets: Sequence[bool],
    large: Mapping[str, nw.results.Design],
    n: int,
) -> list[Sentence]:
    """Judge the sentences around Figure 8.

    `spread` is the largest difference of costs within a group, `meets` whether WH costs what GM
    does for each n beyond the threshold, and `large` are the designs at α = 0.99 by name.
    """
    scores = {name: design.loss * (n + 1) / n for name, design in large.items()}
    others = [large["WH"], large["WM"]]
    identical = all(same(one, large["EM"]) for one in others)
    pairs = list(zip(large, list(large)[1:], strict=False))
    order = " ".join(
        [next(iter(large))]
        + [f"{'<' if large[a].loss < large[b].bound else '≤'} {b}" for a, b in pairs]
    )
    close = max(large["EM"].loss / one.loss - 1 for one in others)
    return [
        Sentence(
            "Weak honesty alone and with row properties cost the same, and so do all "
            "combinations with a column property.",
            f"Within each group costs differ by at most {tiny(spread)} over {problems} pairs "
            "(n, α).",
            judge(spread < 1e-8),
            f"Within the groups costs differ by up to {tiny(spread)}.",
        ),
        Sentence(
            "At α = 0.76 weak honesty alone costs 2α/(1+α) = 0.864, as GM does, once n > 6.33.",
            f"2α/(1−α) = {2 * 0.76 / 0.24:.2f}; beyond it WH costs what GM does, "
            f"{2 * 0.76 / 1.76:.4f}, for {sum(meets)} of {len(meets)} n.",
            judge(all(meets)),
            "WH costs more than GM for some n > 6.33.",
        ),
        Sentence(
            "For large α all combinations cost the same, and the same as EM.",
            f"At n = {n}, α = 0.99 the costs are "
            + listed(f"{scores[name]:.6f} ({name})" for name in ("WH", "WM", "EM"))
            + f": EM costs up to {close:.4%} more.",
            judge(identical, corrected=close < 1e-3),
            f"EM costs up to {close:.4%} more at n = {n}, α = 0.99: {order} (each < is proven).",
        ),
    ]


def fig_8(setting: Setting) -> Claim:
    """Nine combinations with weak honesty give two behaviors."""
    alpha, n = "0.76", 8
    sizes = setting.pick(range(2, 17), (2, 4, 8))
    alphas = setting.pick(
        [f"{a / 100:.2f}" for a in (*range(40, 100, 4), 98, 99)], ["0.50", "0.76", "0.99"]
    )
    problems = [(m, alpha) for m in sizes] + [(n, a) for a in alphas]
    spread, all_rows = 0.0, list[dict[str, Any]]()
    for m, a in problems:
        scores = _nine(m, a)
        values = list(scores.values())
        spread = max(spread, max(values[:3]) - min(values[:3]), max(values[3:]) - min(values[3:]))
        all_rows += [{"n": m, "alpha": a, "properties": k, "L0": v} for k, v in scores.items()]
    file = write_csv(setting.out / "fig-8.csv", all_rows)
    by_n = [row for m in sizes for row in _points(m, alpha, m, "(a)")]
    by_alpha = [row for a in alphas for row in _points(n, a, float(a), "(b)")]
    titles: dict[str, Any] = {"y": "L0", "color": "properties", "y_title": "L0 (rescaled)"}
    save_chart(
        loss_curves(by_n, x="x", x_title="group size n", **titles), setting.out / "fig-8a.png"
    )
    save_chart(loss_curves(by_alpha, x="x", x_title="α", **titles), setting.out / "fig-8b.png")
    beyond = [m for m in sizes if m > 2 * 0.76 / (1 - 0.76)]
    meets = [same(value(m, alpha, "L0", ("WH",)), value(m, alpha)) for m in beyond]
    large = {
        name: value(n, "0.99", "L0", codes)
        for name, codes in (("GM", ()), ("WH", ("WH",)), ("WM", WM), ("EM", ("all",)))
    }
    sentences = figure_8(spread, len(problems), meets, large, n)
    rows = [
        [k, score(4, alpha, ("WH", *c)), score(8, alpha, ("WH", *c)), score(8, "0.99", ("WH", *c))]
        for k, c in zip(_nine(4, alpha), NINE, strict=True)
    ]
    rows.append(
        ["EM", score(4, alpha, ("all",)), score(8, alpha, ("all",)), score(8, "0.99", ("all",))]
    )
    return Claim(
        "Fig. 8, Section 7.1",
        "weak honesty with eight other sets of properties",
        "Of the nine combinations of WH with RH, RM, CH, CM, those with only row properties share "
        "one cost and those with a column property another. At α = 0.76 the first is GM's 0.864 "
        "once n > 6.33. For large α all nine cost the same, and the same as EM.",
        f"Proven designs for {len(problems)} pairs (n, α).",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        grids=(
            Grid(
                "Rescaled L0 of the nine combinations",
                ("properties", "n = 4, α = 0.76", "n = 8, α = 0.76", "n = 8, α = 0.99"),
                rows,
            ),
        ),
        pictures=(
            Picture(
                "fig-8a.png",
                "(a) α = 0.76. Each line stands for all combinations that its name covers.",
            ),
            Picture("fig-8b.png", "(b) n = 8. The paper does not say which n it used."),
        ),
        files=(file,),
        numbers={
            "threshold": 2 * 0.76 / (1 - 0.76),
            "spread": spread,
            "wh_cost": score(8, alpha, ("WH",)),
        },
    )


def figure_9(
    designs: Mapping[str, Mapping[int, Mapping[str, nw.results.Design]]],
) -> list[Sentence]:
    """Judge the sentences around Figure 9 from the designs by α, n and name."""

    def equal(alpha: str, name: str, other: str) -> list[int]:
        return [n for n, found in designs[alpha].items() if same(found[name], found[other])]

    def words(alpha: str, other: str) -> str:
        shown = designs[alpha]
        parts = (
            f"by {name} at " + (f"n = {listed(found)}" if found else "no n")
            for name in ("WH", "WM")
            for found in [equal(alpha, name, other)]
        )
        return f"Of n = {listed(shown)}, {other} is met {'; '.join(parts)}."

    low, middle = designs["2/3"], designs["10/11"]
    from_4 = [n for n in low if n >= 4]
    from_20 = [n for n in middle if n >= 20]
    top = designs["99/100"].values()
    apart = max(found["EM"].loss / found["WM"].loss - 1 for found in top)
    return [
        Sentence(
            "At α = 2/3 GM satisfies WH for all n shown, so WM converges on GM.",
            words("2/3", "GM"),
            judge(
                equal("2/3", "WM", "GM") == list(low),
                corrected=equal("2/3", "WH", "GM") == from_4,
            ),
            "At α = 2/3 WH is GM from n = 4 on; WH + RM + CM is not."
            if equal("2/3", "WH", "GM") == from_4
            else words("2/3", "GM"),
        ),
        Sentence(
            "At α = 10/11 WM converges with GM at n = 20.",
            words("10/11", "GM"),
            judge(
                equal("10/11", "WM", "GM") == from_20,
                corrected=equal("10/11", "WH", "GM") == from_20,
            ),
            "At α = 10/11 WH meets GM at n = 20; WH + RM + CM does not."
            if equal("10/11", "WH", "GM") == from_20
            else words("10/11", "GM"),
        ),
        Sentence(
            "At α = 0.99 the cost of WM remains the same as that of EM.",
            words("99/100", "EM") + f" EM costs up to {apart:.4%} more than WM.",
            judge(equal("99/100", "WM", "EM") == list(designs["99/100"]), corrected=apart < 1e-3),
            f"At α = 0.99 EM costs up to {apart:.4%} more than WM.",
        ),
    ]


def fig_9(setting: Setting) -> Claim:
    """GM, WH, WM, EM and UM against the size of the group."""
    panels = {"2/3": 4, "10/11": 20, "99/100": 198}
    sizes = {
        alpha: setting.pick((2, 3, *range(4, 25, 2)), (2, 4, 20) if alpha == "10/11" else (2, 4))
        for alpha in panels
    }
    named = {"GM": (), "WH": ("WH",), "WM": WM, "EM": ("all",)}
    rows: list[dict[str, Any]] = []
    for alpha, ns in sizes.items():
        for n in ns:
            rows += [
                {"n": n, "α": alpha, "mechanism": name, "L0": score(n, alpha, codes)}
                for name, codes in named.items()
            ]
            rows.append({"n": n, "α": alpha, "mechanism": "UM", "L0": 1.0})
    chart = loss_curves(
        rows,
        x="n",
        y="L0",
        color="mechanism",
        column="α",
        x_title="group size n",
        y_title="L0 (rescaled)",
        shared_y=False,
    )
    save_chart(chart, setting.out / "fig-9.png")
    at_20 = {name: score(20, "10/11", codes) for name, codes in named.items()}
    sentences = figure_9(
        {
            alpha: {n: {k: value(n, alpha, "L0", c) for k, c in named.items()} for n in ns}
            for alpha, ns in sizes.items()
        }
    )
    top = sizes["99/100"]
    most = max(score(n, "99/100", ("all",)) / score(n, "99/100", WM) - 1 for n in top)
    return Claim(
        "Fig. 9",
        "the final groups of mechanisms",
        "At α = 2/3 WM is as cheap as GM over the whole range of n; at α = 10/11 it meets GM at n "
        "= 20; at α = 0.99 it costs the same as EM throughout.",
        "Proven designs, with WM read in two ways: as WH + RM + CM, which is how Section 7.1 "
        "defines it, and as WH.",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        grids=(
            Grid(
                "n = 20, α = 10/11",
                ("mechanism", "L0 (rescaled)"),
                [[k, v] for k, v in at_20.items()],
            ),
        ),
        pictures=(Picture("fig-9.png", "Rescaled L0 against n; UM scores 1."),),
        files=(write_csv(setting.out / "fig-9.csv", rows),),
        numbers={**{f"{k}_20": v for k, v in at_20.items()}, "em_over_wm": most},
    )


CLAIMS = {"fig-8": fig_8, "fig-9": fig_9}
