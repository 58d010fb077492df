"""Section 3.3: the discrete exponential mechanism with u = −k times the Hamming distance."""

from __future__ import annotations

import math
from fractions import Fraction

import noisewright as nw
from noisewright.report import loss_curves, privacy_curve, save_chart
from papers.claims import Claim, Grid, Picture, Setting, judge
from papers.databases import (
    databases,
    discrete_exponential,
    events,
    hamming,
    holds,
    least_delta,
    likelier,
    neighbors,
)

_SIZES = ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1))
_QUICK_SIZES = ((1, 1), (1, 2), (2, 2), (4, 1))
_RATIOS = tuple(Fraction(r) for r in ("1", "5/4", "2", "5", "20"))
_DELTAS = tuple(Fraction(d) for d in ("0", "1/100", "1/10", "1/2", "9/10"))
_TINY = Fraction(1, 10**12)


def proposition_1(setting: Setting) -> Claim:
    """The normalizer is (1 + m e^-k)^n with the convention of (7)."""
    printed = meant = True
    for m, n in setting.pick(_SIZES, _QUICK_SIZES):
        points = databases(m + 1, n)
        for decay in (Fraction(1, 2), Fraction(1, 7), Fraction(9, 10)):
            constants = {sum(decay ** hamming(d, e) for e in points) for d in points}
            printed &= constants == {(1 + m * decay) ** -n}
            meant &= constants == {(1 + m * decay) ** n}
    return Claim(
        "Proposition 1, (13)",
        "the normalizing constant",
        "For u = −k h the constant is the same for all d: C = (1 + m/e^k)^(−n).",
        "It is the same for all d. But (7) divides by C_d, and with that C = (1 + m e^-k)^n, "
        "enumerated in fractions; the proof of (13) multiplies by it.",
        judge(printed, corrected=meant),
        "With (7)'s convention C = (1 + m e^-k)^n; (13) is its reciprocal.",
    )


def corollary_2(setting: Setting) -> Claim:
    """With the Hamming distance one event decides, for every δ."""
    one_cell = right = True
    tried = 0
    for m, n in setting.pick(((1, 1), (1, 2), (1, 3), (2, 2)), ((1, 1), (1, 2), (1, 3))):
        points = databases(m + 1, n)
        table = discrete_exponential(points, Fraction(1, 3), hamming)
        for a, b in neighbors(points)[:: 1 if n < 3 else 5]:
            p, q = table[a], table[b]
            s = likelier(p, q)
            one_cell &= len({p[y] / q[y] for y in s}) == 1
            for ratio in (Fraction(1), Fraction(2), Fraction(4)):
                for delta in (Fraction(0), Fraction(1, 10), Fraction(1, 2)):
                    everywhere = all(
                        holds(p, q, event, ratio, delta) for event in events(range(len(points)))
                    )
                    right &= holds(p, q, s, ratio, delta) == everywhere
                    tried += 1
    return Claim(
        "Corollary 2",
        "with the Hamming distance one event decides",
        "For u = −k h, if (5) holds on S it holds on every event.",
        f"On S the ratio is the constant e^k, so S is one cell. Checking S and checking every "
        f"event agree in all {tried} cases (pairs, ε and δ > 0 too; in fractions)."
        if right and one_cell
        else "Checking S and checking every event disagree.",
        judge(right and one_cell),
        numbers={"tried": float(tried)},
    )


def theorem_4(setting: Setting) -> Claim:
    """Private iff e^k ≤ (e^ε + mδ)/(1 − δ), on every side of the threshold."""
    right, tried = True, 0
    for m, n in setting.pick(_SIZES, _QUICK_SIZES):
        points = databases(m + 1, n)
        # By symmetry the pairs that change the first database are as bad as any.
        pairs = [(a, b) for a, b in neighbors(points) if a == 0]
        for ratio in _RATIOS:
            for delta in _DELTAS:
                threshold = (ratio + m * delta) / (1 - delta)
                bounds = nw.analysis.response_bounds(
                    m + 1, epsilon=nw.accounting.Epsilon.log(ratio), delta=delta
                )
                for e_k, expected in ((threshold, True), (threshold + _TINY, False)):
                    table = discrete_exponential(points, 1 / e_k)
                    right &= (least_delta(table, pairs, ratio) <= delta) == expected
                    right &= bounds.allows(k=nw.accounting.Epsilon.log(e_k)) == expected
                    tried += 1
    k = Fraction(3)
    curves = {
        f"m = {m}": nw.from_matrix(
            nw.Categories(range(m + 1)), discrete_exponential(databases(m + 1, 1), 1 / k)
        )
        for m in (1, 4, 9)
    }
    formula_right = True
    for (m, n), ratio in ((pair, r) for pair in ((1, 1), (2, 2), (4, 1)) for r in _RATIOS):
        points = databases(m + 1, n)
        exact = least_delta(discrete_exponential(points, 1 / k), neighbors(points), ratio)
        formula_right &= exact == max(Fraction(0), (k - ratio) / (k + m))
    save_chart(privacy_curve(curves), setting.out / "theorem-4.png")
    return Claim(
        "Theorem 4, (14)",
        "when the mechanism is private",
        "For δ < 1 it is (ε, δ)-private iff e^k ≤ (e^ε + mδ)/(1 − δ); for δ = 0, iff k ≤ ε.",
        f"At the threshold it is private, and with e^k larger by 1e-12 it is not: {tried} cases, "
        "in fractions, and `nw.analysis.response_bounds` decides the same. Equivalently the "
        "least δ at ε is max(0, (e^k − e^ε)/(e^k + m)), whatever n is.",
        judge(right and formula_right),
        pictures=(
            Picture(
                "theorem-4.png",
                "The least δ at each ε for e^k = 3: more values hide more, and n does not matter.",
            ),
        ),
        numbers={"tried": float(tried)},
    )


def factor_of_two(setting: Setting) -> Claim:
    """McSherry and Talwar's bound says 2k where the truth is k; what that costs."""
    rows: list[dict[str, object]] = []
    exact_is_k = True
    for m in (1, 4, 9):
        space = nw.Categories(range(m + 1))
        for step in setting.pick(range(1, 17), range(2, 17, 6)):
            epsilon = Fraction(step, 4)
            best = nw.randomized_response(space, epsilon=epsilon)
            halved = nw.select.choice_table(space, lambda x, y: int(x == y), epsilon=epsilon)
            exact_is_k &= abs(nw.tight_epsilon(halved) - float(epsilon) / 2) < 1e-9
            exact_is_k &= abs(nw.tight_epsilon(best) - float(epsilon)) < 1e-9
            for name, mechanism in (("k = ε (Theorem 4)", best), ("k = ε/2", halved)):
                changed = nw.loss(mechanism, "L0", goal="worst")
                rows.append(
                    {"m": m, "ε": float(epsilon), "mechanism": name, "changed": float(changed)}
                )
    chart = loss_curves(
        rows,
        x="ε",
        y="changed",
        color="mechanism",
        column="m",
        y_title="share of rows changed",
        from_zero=True,
    )
    save_chart(chart, setting.out / "factor-of-two.png")
    two = [r["changed"] for r in rows if r["m"] == 4 and r["ε"] == 2.0]
    return Claim(
        "Discussion after Theorem 4",
        "the general bound loses a factor of two",
        "McSherry and Talwar's bound promises 2ε where this mechanism has ε, so it underestimates "
        "the privacy by a factor of two.",
        "The exact ε of u = −k h is k for every m tried, and a mechanism calibrated by the general "
        "rule has just half the ε that was asked for. At ε = 2 and five values this changes "
        f"{two[1]:.1%} of the rows instead of {two[0]:.1%}.",
        judge(exact_is_k),
        pictures=(
            Picture("factor-of-two.png", "What the lost factor costs: the share of rows changed."),
        ),
        numbers={"changed": float(str(two[0])), "changed_by_general_rule": float(str(two[1]))},
    )


def theorem_5(setting: Setting) -> Claim:
    """The error per row is between (1 − δ)/(1 + e^ε/m) and m/(m + 1), and both are reached."""
    formula = bounds = tight = True
    literal = True
    for m, n in setting.pick(_SIZES, _QUICK_SIZES):
        points = databases(m + 1, n)
        for ratio in _RATIOS:
            for delta in _DELTAS:
                largest = (ratio + m * delta) / (1 - delta)
                low, high = (1 - delta) / (1 + ratio / m), Fraction(m, m + 1)
                for e_k in (Fraction(1), (1 + largest) / 2, largest):
                    row = discrete_exponential(points, 1 / e_k)[0]
                    error = sum(
                        (w * hamming(points[0], d) for w, d in zip(row, points, strict=True)),
                        Fraction(0),
                    )
                    formula &= error / n == 1 / (1 + e_k / m)
                    bounds &= low <= error / n <= high
                    tight &= e_k != largest or error / n == low
                    tight &= e_k != 1 or error / n == high
                literal &= float(low) <= math.log(ratio) / n <= float(high)
    rows = [
        {"ε": step / 4, "m": m, "δ": delta, "error": (1 - delta) * m / (m + math.exp(step / 4))}
        for m in (1, 4, 9)
        for delta in (0, 0.1, 0.5)
        for step in range(1, 21)
    ]
    chart = loss_curves(
        [{**row, "δ": str(row["δ"])} for row in rows],
        x="ε",
        y="error",
        color="δ",
        column="m",
        y_title="least share of rows changed",
        from_zero=True,
    )
    save_chart(chart, setting.out / "theorem-5.png")
    return Claim(
        "Theorem 5, (16), (17)",
        "how many rows must change",
        "Let 𝓔 be the largest mean number of rows that change. Then (1 − δ)/(1 + e^ε/m) ≤ ε/n ≤ "
        "m/(m + 1), and the lower bound is tight.",
        "Enumerated in fractions: the error per row is 1/(1 + e^k/m) for every n, and between the "
        "two bounds; at the largest private k it is the lower one, at k = 0 the upper one. In the "
        "text that we have, (17) and the last display of its proof read ε/n; as a statement about "
        f"ε that is {'true' if literal else 'false'}, and 𝓔/n is meant, as in (22).",
        judge(literal and formula and bounds and tight, corrected=formula and bounds and tight),
        "(17) bounds 𝓔/n, the mean share of rows that change.",
        grids=(
            Grid(
                "Least share of rows changed, δ = 0",
                ("ε", "m = 1", "m = 4", "m = 9"),
                [[e, *(m / (m + math.exp(e)) for m in (1, 4, 9))] for e in (0.5, 1, 2, 4)],
            ),
        ),
        pictures=(Picture("theorem-5.png", "The lower bound (17), which is reached."),),
    )


CLAIMS = {
    "proposition-1": proposition_1,
    "corollary-2": corollary_2,
    "theorem-4": theorem_4,
    "factor-of-two": factor_of_two,
    "theorem-5": theorem_5,
}
