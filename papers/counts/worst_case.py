"""Definition 3 with max: the worst input instead of the average one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import noisewright as nw
from papers.claims import Claim, Grid, Setting, judge, listed, tiny
from papers.counts import plain_program, rationals
from papers.counts.optima import SAME, away

GOLDEN = ((6, "9/10"), (5, "62/100"))


def worst_case(setting: Setting) -> Claim:
    """Worst-case optima come from GM, and for L0 EM is one of them, no property asked."""
    sizes = setting.pick((1, 2, 3, 4, 5, 6, 8), (2, 5, 6))
    alphas = setting.pick(("1/3", "62/100", "9/10", "10/11"), ("62/100", "9/10"))
    losses = {"L0": lambda n: away(n) > 0, "L1": away, "L2": lambda n: away(n) ** 2}
    plain = derived = minimax = 0.0
    rows: list[list[object]] = []
    for n in sizes:
        for text in alphas:
            found: list[float] = []
            for loss, cost in losses.items():
                best = nw.design(nw.Counts(n), alpha=text, loss=loss, goal="worst")
                found.append(best.loss)
                alpha, costs = float(Fraction(text)), np.asarray(cost(n), dtype=float)
                program = plain_program.worst(n, alpha, costs)
                from_gm = plain_program.worst(n, alpha, costs, derivable=True)
                plain = max(plain, abs(best.loss - program), abs(best.bound - program))
                derived = max(derived, from_gm - best.bound)
            em = float(1 - rationals.diagonal(n, Fraction(text)))
            minimax = max(minimax, abs(found[0] - em))
            if n in (2, 5, 6):
                rows.append([n, text, em, *found])
    universal, fair = plain < 1e-7 and derived < 1e-7, minimax < SAME
    return Claim(
        "Definition 3, Section 2.2",
        "the worst input instead of the average one",
        "The objective combines the inputs by Σ or by max, and Gupte and Sundararajan proved for "
        "max with uniform weights what Ghosh et al. proved for Σ: optima come from GM by "
        "modifying its output.",
        "With uniform weights max_j w_j (…) is the worst expected loss over n+1. For n in "
        f"{listed(sizes)}, {len(alphas)} α and three losses the paper's program with max, solved "
        f'by SciPy, and `nw.design(goal="worst")` agree to {tiny(plain)}, and the mechanisms '
        f"that pass the test for coming from GM do as well, to {tiny(max(derived, 0.0))}. For L0 "
        "the least worst-case probability of a wrong answer is 1 − y with y the diagonal of EM "
        f"(up to {tiny(minimax)}), though no property is asked for.",
        judge(universal, more=fair),
        "For L0 in the worst case EM is optimal among all private mechanisms: fairness is free.",
        grids=(
            Grid(
                "Least worst-case loss, without any property",
                ("n", "α", "1 − y of EM", "L0", "L1", "L2"),
                rows,
            ),
        ),
        numbers={"plain": plain, "derived": derived, "minimax": minimax},
    )


CLAIMS = {"worst-case": worst_case}
