"""The introduction: what goes wrong without constraints, and what constraints cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

import noisewright as nw
from papers.claims import (
    Claim,
    Grid,
    Sentence,
    Setting,
    every,
    instead_of,
    judge,
    listed,
    overall,
    tiny,
)
from papers.counts import gaps_and_spikes, plain_program, rationals
from papers.counts.experiment import binomial_weights
from papers.counts.gaps_and_spikes import ALPHA
from papers.counts.optima import WM, best, closed_sets, costs, score, value
from papers.counts.optimal_face import SEVEN, Range, below, fixed, optimal_face


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
    l0 = optimal_face(n, ALPHA, "L0", SEVEN).range(costs(n, "L2"))
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
        f"Alike (less than 10% more L2 loss) if ties of L0 are broken by L2, where {more.low:.0%} "
        f"more is possible; not with EM, the paper's choice, which has {extra:.0%} more.",
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


def _em_over_gm(n: int, a: Fraction) -> Fraction:
    """Return the L0 score of EM as a multiple of GM's."""
    return Fraction(n + 1, n) * (1 - rationals.diagonal(n, a)) / (2 * a / (1 + a))


def factor(excess: Mapping[tuple[int, Fraction], Fraction], far: float) -> list[Sentence]:
    """Judge `a factor of about 1 + 1/n`, from n times the excess over 1 for each n and α.

    `far` is the same at n = 1,000, α = 0.9.
    """
    bounded = [0 <= found <= 1 for found in excess.values()]
    near = [found >= Fraction(1, 2) for found in excess.values()]
    small = [found >= Fraction(1, 2) for (n, a), found in excess.items() if float(a) ** n < 0.01]
    return [
        Sentence(
            "EM costs more than GM by a factor of about 1 + 1/n, read as: by at most that.",
            f"The factor is between 1 and 1 + 1/n for {sum(bounded)} of {len(bounded)} pairs.",
            judge(all(bounded)),
            "The factor exceeds 1 + 1/n.",
        ),
        Sentence(
            "The same, read as an approximation: the factor is at least 1 + 1/(2n).",
            f"For {sum(near)} of {len(near)} pairs, and for {sum(small)} of the {len(small)} with "
            f"α^n < 0.01; at n = 1,000, α = 0.9 it is 1 + {far:.3f}/n.",
            judge(all(near), corrected=all(small) and far > 0.99),
            "1 + 1/n is an upper bound, which the factor approaches as α^n becomes small; before "
            "that EM costs less, as the table shows.",
        ),
    ]


def price(setting: Setting) -> Claim:
    """EM costs at most a factor 1 + 1/n more than GM, and the others lie between."""
    sizes = setting.pick((2, 3, 4, 6, 8, 12, 16, 20), (2, 4, 8))
    rows: list[list[object]] = []
    alphas = setting.pick(("0.62", "0.76", "10/11", "0.99"), ("10/11",))
    ordered: list[bool] = []
    for n in sizes:
        for alpha in alphas:
            gm, em = score(n, alpha), score(n, alpha, ("all",))
            wh, wm = score(n, alpha, ("WH",)), score(n, alpha, WM)
            ordered.append(gm <= wh + 1e-9 <= wm + 2e-9 <= em + 3e-9)
            if alpha == "10/11":
                rows.append([n, gm, wh, wm, em, em / gm, 1 + 1 / n])
    excess = {(n, a): n * (_em_over_gm(n, a) - 1) for n in range(1, 41) for a in rationals.ALPHAS}
    sentences = factor(excess, float(1000 * (_em_over_gm(1000, Fraction(9, 10)) - 1)))
    sentences.append(
        Sentence(
            "The costs of the other constrained mechanisms lie between the two.",
            f"GM ≤ WH ≤ WM ≤ EM for {sum(ordered)} of {len(ordered)} pairs (n, α).",
            judge(all(ordered)),
            "Not all constrained mechanisms lie between GM and EM.",
        )
    )
    return Claim(
        "Section 1",
        "fairness costs a factor of about 1 + 1/n",
        "The L0 score of EM exceeds that of GM, the unconstrained optimum, by a factor of about 1 "
        "+ 1/n; the other constrained mechanisms lie between the two.",
        "EM and GM in fractions for n = 1 to 40 and eight α; WH and WM by proven designs.",
        overall(sentences),
        instead_of(sentences),
        sentences=sentences,
        grids=(
            Grid(
                "Rescaled L0 at α = 10/11",
                ("n", "GM", "WH", "WM", "EM", "EM / GM", "1 + 1/n"),
                rows,
            ),
        ),
        numbers={"factor_n_1000": float(_em_over_gm(1000, Fraction(9, 10)))},
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
        f"losses is {most['L0']} for L0, {most['L1']} for L1 and {most['L2']} for L2. That is "
        "with uniform weights; under other priors L0 has "
        + listed(f"{_span(counts)} ({name})" for name, counts in others.items())
        + ".",
        judge(most["L0"] <= 4 < min(most["L1"], most["L2"]), more=many > 4),
        f"Under other priors there are up to {many} for L0; Fig. 5 below shows which four there "
        "are with uniform weights.",
        numbers={
            **{f"values_{loss}": float(count) for loss, count in most.items()},
            **{f"values_{name}": float(max(counts)) for name, counts in others.items()},
        },
    )


CLAIMS = {
    **gaps_and_spikes.CLAIMS,
    "similar": similar,
    "price": price,
    "behaviors": behaviors,
}
