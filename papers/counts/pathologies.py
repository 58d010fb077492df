"""The introduction: what goes wrong without constraints, and what constraints cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np

import noisewright as nw
from noisewright.report import heatmaps, save_chart
from papers.claims import (
    Claim,
    Grid,
    Picture,
    Setting,
    every,
    judge,
    listed,
    stated,
    tiny,
)
from papers.counts import plain_program, rationals
from papers.counts.experiment import binomial_weights
from papers.counts.optima import WM, away, best, closed_sets, costs, score, value
from papers.counts.optimal_face import Range, below, fixed, optimal_face

ALPHA = "0.62"


def _mass(n: int, alpha: str, loss: str, outputs: list[int]) -> float:
    """Return the least probability, over inputs, of these outputs of the unconstrained optimum."""
    return float(best(n, alpha, loss).mechanism.matrix[:, outputs].sum(axis=1).min())


def _threshold(holds: Callable[[str], bool], low: float, high: float) -> float:
    """Return where a condition starts to hold between two values of α, to 1e-7."""
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(f"{middle:.12f}") else (middle, high)
    return high


def _ranges(alphas: list[float], held: list[bool]) -> str:
    parts: list[str] = []
    start: float | None = None
    for here, holds, after in zip(alphas, held, [*held[1:], False], strict=True):
        if holds and start is None:
            start = here
        if start is not None and not after:
            parts.append(f"{start:.3f} to {here:.3f}")
            start = None
    return ", ".join(parts) or "nowhere"


def fig_1(setting: Setting) -> Claim:
    """Three statements about unconstrained optima, and the α at which each is true."""
    step = setting.pick(0.0025, 0.02)
    alphas = [round(float(a), 4) for a in np.arange(0.5, 0.96, step)]
    l1 = [_mass(7, f"{a:.4f}", "L1", [2, 5]) for a in alphas]
    l01 = [_mass(5, f"{a:.4f}", "L0,1", [1, 4]) for a in alphas]
    l2 = [_mass(4, f"{a:.4f}", "L2", [2]) for a in alphas]
    start = _threshold(lambda a: _mass(4, a, "L2", [2]) > 1 - 1e-9, 0.5, 0.95)
    held = [[m > 1 - 1e-9 for m in l2], [m >= 0.7 for m in l1], [m > 0.9 for m in l01]]
    at_least = all(m >= a - 1e-9 for m, a in zip(l01, alphas, strict=True))
    together = [a for a, *three in zip(alphas, *held, strict=True) if all(three)]
    at = [
        _mass(4, ALPHA, "L2", [2]),
        _mass(7, ALPHA, "L1", [2, 5]),
        _mass(5, ALPHA, "L0,1", [1, 4]),
    ]
    shown = {
        "L2, n = 4": best(4, ALPHA, "L2").mechanism,
        "L1, n = 7": best(7, ALPHA, "L1").mechanism,
        "L0,1, n = 5": best(5, ALPHA, "L0,1").mechanism,
        "L2, n = 7": best(7, ALPHA, "L2").mechanism,
    }
    gaps = all((m.matrix.max(axis=0) == 0).any() for m in shown.values())
    save_chart(heatmaps(shown, columns=2), setting.out / "fig-1.png")
    truly = {
        "L2, n = 4, α = 0.78": best(4, "0.78", "L2").mechanism,
        "L1, n = 7, α = 0.745": best(7, "0.745", "L1").mechanism,
        "L0,1, n = 5, α = 0.91": best(5, "0.91", "L0,1").mechanism,
    }
    save_chart(heatmaps(truly, columns=3), setting.out / "fig-1-where-true.png")
    as_printed = gaps and at[0] > 1 - 1e-9 and at[1] >= 0.7 and at[2] > 0.9
    return Claim(
        "Fig. 1",
        "unconstrained optima have gaps and spikes",
        "At α = 0.62 the L2 optimum ignores its input and always reports 2; the L1 optimum for n "
        "= 7 reports 2 or 5 with probability at least 0.7 whatever the input; the optimum for L0 "
        "with d = 1 reports 1 or 4 more than 90% of the time. All have outputs that never occur.",
        stated("At α = 0.62 every one of them has outputs that never occur, ", gaps)
        + "but the numbers are others: the L2 optimum (n = 4) reports 2 with probability as low "
        f"as {at[0]:.3f}, the L1 optimum reports 2 or 5 with as little as {at[1]:.3f}, and the "
        f"L0,1 optimum (n = 5) reports 1 or 4 with at least {at[2]:.3f}. `Always 2` begins at α = "
        f"{start:.6f}. The mass on 2 and 5 is at least 0.7 for α in {_ranges(alphas, held[1])} "
        f"(grid of {step}). The mass on 1 and 4 "
        + stated("is at least α, so it passes 90% beyond α = 0.9. ", at_least)
        + f"No single α makes all three true: {len(together)} of {len(alphas)} values on the grid "
        "do.",
        judge(as_printed, corrected=gaps and not together and all(any(h) for h in held)),
        "Gaps and spikes are real, and each statement is true at some α, but not at 0.62 and "
        "never all at one α.",
        pictures=(
            Picture(
                "fig-1.png",
                "Unconstrained optima at α = 0.62. The text does not say what the fourth is; we "
                "take L2 with n = 7.",
            ),
            Picture("fig-1-where-true.png", "Each at an α at which the paper's statement is true."),
        ),
        numbers={"always_2_from": start, "l2": at[0], "l1": at[1], "l01": at[2]},
    )


def fig_2(setting: Setting) -> Claim:
    """With all properties the answer is within 1 of the truth: how often."""

    def within(alpha: str) -> float:
        matrix = best(4, alpha, "L2", ("all",)).mechanism.matrix
        return float((matrix * (away(4) <= 1)).sum(axis=1).min())

    shown = {
        "L2, n = 4": best(4, ALPHA, "L2", ("all",)).mechanism,
        "L1, n = 7": best(7, ALPHA, "L1", ("all",)).mechanism,
        "L0,1, n = 5": best(5, ALPHA, "L0,1", ("all",)).mechanism,
        "L0, n = 4 (EM)": best(4, ALPHA, "L0", ("all",)).mechanism,
    }
    save_chart(heatmaps(shown, columns=2), setting.out / "fig-2.png")
    least = within(ALPHA)
    limit = _threshold(lambda a: within(a) < 2 / 3, 0.5, 0.7)
    spread = all((m.matrix > 0).all() for m in shown.values())
    return Claim(
        "Fig. 2",
        "all seven properties remove gaps and spikes",
        "With all properties at α = 0.62 the anomalies are gone; the L2 optimum answers within 1 "
        "of the truth with probability at least 2/3 on every input.",
        "No output is impossible any more. The L2 optimum for n = 4 is within 1 of the truth with "
        f"probability at least {least:.4f}, just under 2/3 = 0.6667; the bound 2/3 holds up to α "
        f"= {limit:.4f}.",
        judge(spread and least >= 2 / 3, corrected=spread and least >= 0.66),
        f"The probability is at least {least:.4f}: 2/3 is that number rounded up.",
        pictures=(Picture("fig-2.png", "Optima with all seven properties at α = 0.62."),),
        numbers={"within_1": least, "two_thirds_up_to": limit},
    )


def similar(setting: Setting) -> Claim:
    """The fully constrained optima for L0, L1 and L2, each under all three losses."""
    del setting
    n = 8
    rows: list[list[object]] = []
    table: dict[str, dict[str, float]] = {}
    for name, loss in (("L0 (EM)", "L0"), ("L1", "L1"), ("L2", "L2")):
        mechanism = best(n, ALPHA, loss, ("all",)).mechanism
        table[loss] = {other: nw.loss(mechanism, other) for other in ("L0", "L1", "L2")}
        rows.append([name, *table[loss].values()])
    extra = table["L0"]["L2"] / table["L2"]["L2"] - 1
    apart = abs(table["L1"]["L2"] / table["L2"]["L2"] - 1)
    seven = ("RH", "RM", "CH", "CM", "F", "WH", "S")
    l0 = optimal_face(n, ALPHA, "L0", seven).range(costs(n, "L2"))
    more = Range(max(l0.low / table["L2"]["L2"] - 1, 0.0), l0.high / table["L2"]["L2"] - 1)
    return Claim(
        "Section 1",
        "fully constrained optima for L0, L1 and L2 are similar",
        "Whichever of the three losses is minimized under all properties, the mechanisms are "
        "alike, so studying L0 tells about the others.",
        f"At n = {n}, α = 0.62 the L1 and L2 optima agree (their L2 losses differ by "
        f"{tiny(apart)}, relatively), but EM, the L0 optimum of the paper, has {extra:.0%} "
        f"more L2 loss and {table['L0']['L1'] / table['L1']['L1'] - 1:.0%} more L1 loss than they "
        f"have. EM is one of many: over all L0 optima with all properties the L2 loss is "
        f"{more.low:.0%} to {more.high:.0%} above the least.",
        every([below(more, fixed(0.1)), below(fixed(apart), fixed(0.1))]),
        f"Alike (less than 10% more L2 loss) if ties of L0 are broken well, where {more.low:.0%} "
        f"is possible; not with EM, the paper's choice, which has {extra:.0%} more.",
        grids=(
            Grid("Loss of each optimum, uniform prior", ("optimum for", "L0", "L1", "L2"), rows),
        ),
        numbers={
            "em_extra_l2": extra,
            "l1_l2_apart": apart,
            "least_extra_l2": more.low,
            "most_extra_l2": more.high,
        },
    )


def price(setting: Setting) -> Claim:
    """EM costs at most a factor 1 + 1/n more than GM, and the others lie between."""
    sizes = setting.pick((2, 3, 4, 6, 8, 12, 16, 20), (2, 4, 8))
    rows: list[list[object]] = []
    ordered, bounded = True, True
    for n in sizes:
        for alpha in setting.pick(("0.62", "0.76", "10/11", "0.99"), ("10/11",)):
            gm, em = score(n, alpha), score(n, alpha, ("all",))
            wh, wm = score(n, alpha, ("WH",)), score(n, alpha, WM)
            ordered &= gm <= wh + 1e-9 <= wm + 2e-9 <= em + 3e-9
            if alpha == "10/11":
                rows.append([n, gm, wh, wm, em, em / gm, 1 + 1 / n])
    for n in range(1, 41):
        for a in rationals.ALPHAS:
            em = Fraction(n + 1, n) * (1 - rationals.diagonal(n, a))
            bounded &= 2 * a / (1 + a) <= em <= Fraction(n + 1, n) * 2 * a / (1 + a)
    far = Fraction(1001, 1000) * (1 - rationals.diagonal(1000, Fraction(9, 10)))
    limit = float(far / (Fraction(18, 10) / Fraction(19, 10)))
    return Claim(
        "Section 1",
        "fairness costs a factor of about 1 + 1/n",
        "The L0 score of EM exceeds that of GM, the unconstrained optimum, by a factor of about 1 "
        "+ 1/n; the other constrained mechanisms lie between the two.",
        "In fractions for n = 1 to 40 and eight α: the factor is between 1 and 1 + 1/n, always. "
        f"It comes near 1 + 1/n once α^(n/2) is small (n = 1,000, α = 0.9: {limit:.6f}) and is "
        "smaller before that. GM ≤ WH ≤ WM ≤ EM in every design tried.",
        judge(ordered and bounded),
        "1 + 1/n is an upper bound, and a good approximation once α^(n/2) is small.",
        grids=(
            Grid(
                "Rescaled L0 at α = 10/11",
                ("n", "GM", "WH", "WM", "EM", "EM / GM", "1 + 1/n"),
                rows,
            ),
        ),
        numbers={"factor_n_1000": limit},
    )


def _different(values: Iterable[float]) -> int:
    """Return how many values differ by more than 1e-7 from all before."""
    found: list[float] = []
    for one in values:
        if all(abs(one - other) > 1e-7 for other in found):
            found.append(one)
    return len(found)


def _span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def under_priors(sizes: Sequence[int], alphas: Sequence[str]) -> dict[str, list[int]]:
    """Return how many optimal L0 there are over all sets of properties, by prior.

    The paper's own program in floating point, for each n and α.
    """
    found: dict[str, list[int]] = {}
    for n in sizes:
        at_ends = np.where(np.isin(np.arange(n + 1), (0, n)), 3.0, 1.0)
        priors = {
            "rising with the count": np.arange(1, n + 2) / ((n + 1) * (n + 2) / 2),
            "binomial with p = 0.3": binomial_weights(n, 0.3),
            "symmetric with heavy ends": at_ends / at_ends.sum(),
        }
        for alpha in alphas:
            for name, prior in priors.items():
                objective = costs(n, "L0", prior)
                optima = (
                    plain_program.optimum(n, float(Fraction(alpha)), objective, codes).value
                    for codes in closed_sets()
                )
                found.setdefault(name, []).append(_different(optima))
    return found


def behaviors(setting: Setting) -> Claim:
    """How many distinct optimal losses the 128 subsets of properties have, for L0, L1 and L2."""
    sizes, alphas = setting.pick(((2, 3, 4, 5), ("0.4", "0.62", "0.76", "0.9")), ((3,), ("0.76",)))
    most = {"L0": 0, "L1": 0, "L2": 0}
    for loss in most:
        for n in sizes:
            for alpha in alphas:
                found = (value(n, alpha, loss, codes).loss for codes in closed_sets())
                most[loss] = max(most[loss], _different(found))
    others = under_priors(*setting.pick(((3, 4, 5), ("0.62", "0.76", "0.9")), ((4,), ("0.76",))))
    many = max(max(counts) for counts in others.values())
    return Claim(
        "Sections 1, 6.3, 7.4",
        "128 combinations, at most four behaviors for L0, many for L1 and L2",
        "Of the 128 sets of properties at most four behaviors come out for L0 (with the uniform "
        "weights of Section 2.1); for L1 and L2 there are many more.",
        f"The 128 sets come down to {len(closed_sets())} once implied properties are added. Over "
        f"n in {listed(sizes)} and α in {listed(alphas)} the largest number of different optimal "
        f"losses is {most['L0']} for L0, {most['L1']} for L1 and {most['L2']} for L2. Four is "
        "about uniform weights. Other priors have for L0: "
        + listed(f"{_span(counts)} ({name})" for name, counts in others.items())
        + ".",
        judge(most["L0"] <= 4 < min(most["L1"], most["L2"]), more=many > 4),
        f"Under other priors there are up to {many} for L0; `Fig. 5` below tells which four there "
        "are under uniform weights.",
        numbers={
            **{f"values_{loss}": float(count) for loss, count in most.items()},
            **{f"values_{name}": float(max(counts)) for name, counts in others.items()},
        },
    )


CLAIMS = {
    "fig-1": fig_1,
    "fig-2": fig_2,
    "similar": similar,
    "price": price,
    "behaviors": behaviors,
}
