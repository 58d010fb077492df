"""Sections 2.2 and 6.3: which mechanisms are relabelings of the geometric mechanism."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import noisewright as nw
from papers.claims import Claim, Grid, Setting, Verdict, every, judge, listed, number, stated, tiny
from papers.counts import plain_program, rationals
from papers.counts.optima import WM, costs, value
from papers.counts.optimal_face import SLACK, optimal_face


def _test_holds(P: rationals.Matrix, a: Fraction) -> bool:
    """Gupte and Sundararajan's condition on three neighboring inputs."""
    n = len(P) - 1
    return all(
        row[j] - a * row[j - 1] >= a * (row[j + 1] - a * row[j]) for row in P for j in range(1, n)
    )


def derivable_em(setting: Setting) -> Claim:
    """EM never comes from GM for n ≥ 2."""
    largest = setting.pick(30, 8)
    never = all(
        not _test_holds(rationals.fair(n, a), a)
        for n in range(2, largest + 1)
        for a in rationals.ALPHAS
    )
    gm_does = all(
        _test_holds(rationals.geometric(n, a), a) for n in range(2, 9) for a in rationals.ALPHAS
    )
    return Claim(
        "Section 6.3",
        "EM cannot be derived from GM",
        "For n > 1 EM fails Gupte and Sundararajan's test, so no relabeling of GM's output gives "
        "EM.",
        f"In fractions for n = 2 to {largest} and eight α the test fails for EM every time; GM "
        "itself passes it, as it must.",
        judge(never and gm_does),
    )


def max_violation(n: int, alpha: str, codes: tuple[str, ...]) -> float:
    """Return by how much an optimal mechanism can fail the test, over all of them."""
    face = optimal_face(n, alpha, "L0", codes)
    worst = 0.0
    for row in plain_program.derivable_rows(n, float(Fraction(alpha))):
        weights = np.zeros((n + 1, n + 1))
        for (i, j), coefficient in row.items():
            weights[j, i] = coefficient
        worst = max(worst, face.range(weights).high)
    return worst


def derivable_wm(setting: Setting) -> Claim:
    """Both WMs can often be derived from GM."""
    sizes = setting.pick((2, 3, 4, 5, 6, 8), (2, 4))
    alphas = setting.pick(
        ("0.5", "0.6", "2/3", "0.76", "0.8", "0.9", "10/11", "0.99"), ("0.6", "0.9")
    )
    rows: list[list[object]] = []
    violated: dict[str, list[Verdict]] = {"WH": [], "WM": []}
    counts = {"WH": 0, "WH+RM": 0, "WM": 0}
    cases, small_fine, large_not = 0, True, True
    sets = {"WH": ("WH",), "WH+RM": ("WH", "RM"), "WM": WM}
    for n in sizes:
        for text in alphas:
            alpha = float(Fraction(text))
            cases += 1
            extra: list[float] = []
            for name, codes in sets.items():
                objective = costs(n, "L0")
                least = value(n, text, "L0", codes).bound
                derived = plain_program.optimum(n, alpha, objective, codes, derivable=True).value
                extra.append(derived - least)
                counts[name] += derived - least < 1e-8
                if name in violated:
                    worst = max_violation(n, text, codes)
                    violated[name].append(
                        Verdict.HOLDS
                        if derived - least >= 1e-8
                        else Verdict.TIES
                        if worst > SLACK
                        else Verdict.FAILS
                    )
            if n == 2 or alpha <= 0.667:
                small_fine &= extra[2] < 1e-8
            if n >= 3 and alpha >= 0.9:
                large_not &= extra[2] > 1e-5
            if n in (2, 4, 8):
                rows.append([n, text, *("derivable" if e < 1e-8 else f"+{e:.1e}" for e in extra)])
    at_4 = plain_program.optimum(4, 0.9, costs(4, "L0"), WM, derivable=True).value
    four = at_4 - value(4, "0.9", "L0", WM).bound
    return Claim(
        "Section 6.3",
        "WM cannot be derived from GM",
        "The test is violated by WM for every n > 1, so WM is no relabeling of GM.",
        f"We minimize L0 under the properties and the test together. Of {cases} pairs (n, α) the "
        f"optimum for WH alone is attained by a derivable mechanism in {counts['WH']}, for WH + "
        f"RM in {counts['WH+RM']}, and for WM = WH + RM + CM in {counts['WM']}. "
        + stated("WM is derivable at n = 2 and for every α ≤ 2/3 tried. ", small_fine)
        + f"At n = 4, α = 0.9 it is not: derivability would cost {four:.4f}. The test is violated, "
        "whatever the tie-break, in "
        + listed(f"{number(found)} cases ({name})" for name, found in violated.items())
        + ("; in some no optimum violates it." if Verdict.FAILS in violated["WH"] else "."),
        every([*violated["WH"], *violated["WM"]]),
        "EM never comes from GM for n ≥ 2. "
        + stated("WH always did here;", counts["WH"] == cases)
        + stated(
            " WM does for small α and for n = 2, and not for n ≥ 3 with α near 1.",
            small_fine and large_not,
        ),
        grids=(
            Grid(
                "Extra L0 (probability of a wrong answer) if derivability is asked for",
                ("n", "α", "WH", "WH + RM", "WM"),
                rows,
            ),
        ),
        numbers={**{k: float(v) for k, v in counts.items()}, "cases": float(cases), "n4": four},
    )


def derivable_optima(setting: Setting) -> Claim:
    """Every unconstrained optimum, for any prior, is attained by a relabeling of GM."""
    generator = np.random.default_rng(22)
    tries, worst = setting.pick(60, 6), 0.0
    for trial in range(tries):
        n, loss = 2 + trial % 5, ("L0", "L1", "L2")[trial % 3]
        text = ("0.4", "0.62", "0.9")[trial // 3 % 3]
        prior = generator.dirichlet(np.ones(n + 1))
        least = nw.design(nw.Counts(n), alpha=text, loss=loss, prior=prior)
        derived = plain_program.optimum(n, float(text), costs(n, loss, prior), derivable=True)
        worst = max(worst, abs(derived.value - least.bound))
    return Claim(
        "Section 2.2",
        "unconstrained optima come from GM",
        "Ghosh, Roughgarden and Sundararajan: GM is the basis of the unconstrained optima for "
        "other losses and priors, which relabel its outputs.",
        f"Over {tries} random priors with n = 2 to 6, three losses and three α, the least loss "
        "among the mechanisms that pass Gupte and Sundararajan's test is the proven least loss of "
        f"all, up to {tiny(worst)}.",
        judge(worst < 1e-8),
    )


CLAIMS = {
    "derivable-optima": derivable_optima,
    "derivable-em": derivable_em,
    "derivable-wm": derivable_wm,
}
